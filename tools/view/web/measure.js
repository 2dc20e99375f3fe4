// measure.js: numbers to colour vertices by, as measure.c has them, and their colours.
import { positions } from './unpack.js';

export const modes = [
  { name: 'object', title: 'object', unit: '', scale: 1 },
  { name: 'strain', title: 'strain', unit: '%', scale: 100, signed: true },
  { name: 'curvature', title: 'curvature', unit: '1/m', scale: 1, signed: true },
  { name: 'speed', title: 'speed', unit: 'm/s', scale: 1 },
  { name: 'contact', title: 'gap to other surfaces', unit: 'mm', scale: 1000, falls: true },
  { name: 'distance', title: 'distance to the other run', unit: 'mm', scale: 1000 },
];

/** Contact is a pressure where the runs have it. */
export function tellContact(page) {
  if (page.runs.every((run) => run.pressed))
    Object.assign(modes.find((m) => m.name === 'contact'),
      { title: 'contact pressure', unit: 'Pa', scale: 1, falls: false });
}

const minus = (x, i, j) => [x[i] - x[j], x[i + 1] - x[j + 1], x[i + 2] - x[j + 2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Mean over a vertex's triangles of the principal strain of larger size, by rest area. */
function strain(part, x, rest, out) {
  const weight = new Float32Array(part.nvert), tri = part.tri;
  for (let t = 0; t < 3 * part.ntri; t += 3) {
    const i = 3 * tri[t], j = 3 * tri[t + 1], k = 3 * tri[t + 2];
    const a = minus(rest, j, i), b = minus(rest, k, i), p = minus(x, j, i), q = minus(x, k, i);
    const la = Math.sqrt(dot(a, a)), n = cross(a, b), twice = Math.sqrt(dot(n, n));
    if (!(twice > 1e-12 * la * la)) continue;
    const bx = dot(a, b) / la, by = twice / la;
    const f0 = p.map((c) => c / la), f1 = q.map((c, m) => (c - f0[m] * bx) / by);
    const c00 = dot(f0, f0), c01 = dot(f0, f1), c11 = dot(f1, f1);
    const mean = 0.5 * (c00 + c11), root = Math.hypot(0.5 * (c00 - c11), c01);
    const high = Math.sqrt(mean + root) - 1, low = Math.sqrt(Math.max(0, mean - root)) - 1;
    const value = high > -low ? high : low;
    for (let m = 0; m < 3; m++) {
      out[tri[t + m]] += twice * value;
      weight[tri[t + m]] += twice;
    }
  }
  for (let v = 0; v < part.nvert; v++) out[v] = weight[v] > 0 ? out[v] / weight[v] : 0;
}

/** Mean of (n_j - n_i) . e / |e|^2 over the edges e of a vertex. */
function curvature(part, x, out) {
  const n = new Float32Array(3 * part.nvert), count = new Float32Array(part.nvert);
  const tri = part.tri;
  for (let t = 0; t < 3 * part.ntri; t += 3) {
    const i = 3 * tri[t];
    const c = cross(minus(x, 3 * tri[t + 1], i), minus(x, 3 * tri[t + 2], i));
    for (let m = 0; m < 3; m++)
      for (let k = 0; k < 3; k++) n[3 * tri[t + m] + k] += c[k];
  }
  for (let v = 0; v < 3 * part.nvert; v += 3) {
    const l = Math.hypot(n[v], n[v + 1], n[v + 2]) || 1;
    n[v] /= l;
    n[v + 1] /= l;
    n[v + 2] /= l;
  }
  for (let t = 0; t < 3 * part.ntri; t += 3)
    for (let m = 0; m < 3; m++) {
      const i = tri[t + m], j = tri[t + ((m + 1) % 3)], e = minus(x, 3 * j, 3 * i);
      const ee = dot(e, e);
      if (!(ee > 0)) continue;
      const turn = dot(minus(n, 3 * j, 3 * i), e) / ee;
      out[i] += turn;
      out[j] += turn;
      count[i]++;
      count[j]++;
    }
  for (let v = 0; v < part.nvert; v++) out[v] = count[v] ? out[v] / count[v] : 0;
}

function difference(n, x, y, scale, out) {
  for (let v = 0; v < n; v++) {
    const d = minus2(x, y, 3 * v);
    out[v] = scale * Math.sqrt(dot(d, d));
  }
}
const minus2 = (x, y, i) => [x[i] - y[i], x[i + 1] - y[i + 1], x[i + 2] - y[i + 2]];

/** Speed from the frame before (after, for the first one). */
export function speed(run, part, f, out) {
  const near = f > part.first ? f - 1 : f + 1, x = positions(part, f), y = positions(part, near);
  if (!x || !y || !part.moves) return out.fill(0);
  const steps = Math.abs(run.frames[f] - run.frames[near]) || 1;
  difference(part.nvert, x, y, (run.unit * run.fps) / steps, out);
  return out;
}

/** Frame of another run with the same number, or the nearest. */
export function matchFrame(run, number) {
  let best = 0;
  for (let f = 1; f < run.nframe; f++)
    if (Math.abs(run.frames[f] - number) < Math.abs(run.frames[best] - number)) best = f;
  return best;
}

/** The part of another run that belongs to this one, by name. */
export function partner(other, part, f) {
  const there = other.parts.filter((p) => positions(p, f));
  return there.find((p) => p.name === part.name) || there[part.object] || null;
}

/** Values of one mode, (nvert); null where there are none. */
export function measure(mode, page, run, part, f) {
  const x = positions(part, f);
  if (!x || part.still || mode === 'object') return null;
  const out = new Float32Array(part.nvert);
  if (mode === 'strain') strain(part, x, positions(part, part.first), out);
  else if (mode === 'curvature') curvature(part, x, out);
  else if (mode === 'speed') speed(run, part, f, out);
  else if (mode === 'contact') {
    const gap = part.gaps[f - part.first];
    if (!gap) return null;
    for (let v = 0; v < part.nvert; v++)
      out[v] = (run.pressed ? (gap[v] / 255) ** 2 : gap[v] / 255) * run.gap;
  } else if (mode === 'distance') {
    const other = page.runs[1 - page.runs.indexOf(run)];
    if (!other) return null;
    const g = matchFrame(other, run.frames[f]), p = partner(other, part, g);
    if (!p || p.nvert !== part.nvert) return null;
    difference(part.nvert, x, positions(p, g), 1, out);
  }
  const si = { curvature: 1 / run.unit, distance: run.unit }[mode] || 1;
  if (si !== 1) for (let v = 0; v < part.nvert; v++) out[v] *= si;
  return out;
}

const rising = [0x2b1a5a, 0x3a4a94, 0x2f7d9a, 0x3aa887, 0x93c860, 0xf5e35b];
const falling = [0xf0503a, 0xf29a4e, 0xe9d9a0, 0xc9ced3, 0xb9c0c8];
const around = [0x2450a8, 0x6f9fd8, 0xd9dadb, 0xe08a68, 0xa81f2c];
const linear = (byte) => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};

/** 256 linear colours of a mode's map, (256 x 3). */
export function colourTable(mode) {
  const stops = mode.signed ? around : mode.falls ? falling : rising;
  const rgb = stops.map((s) => [linear(s >> 16), linear((s >> 8) & 255), linear(s & 255)]);
  const out = new Float32Array(3 * 256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (rgb.length - 1), j = Math.min(rgb.length - 2, Math.floor(at));
    for (let k = 0; k < 3; k++)
      out[3 * i + k] = rgb[j][k] + (rgb[j + 1][k] - rgb[j][k]) * (at - j);
  }
  return out;
}

export function niceNumber(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  for (const s of [1, 1.5, 2, 3, 5, 7.5, 10]) if (s * power >= x * (1 - 1e-9)) return s * power;
  return 10 * power;
}

/** Ends of the colours over the frames read so far: 98th percentile (90th of pressures,
 *  largest of distances). */
export function chooseRange(mode, page) {
  const sizes = [];
  let top = 0;
  for (const run of page.runs) {
    if (mode.falls) top = Math.max(top, run.gap);
    const step = mode.name === 'distance' ? 1 : Math.max(1, Math.floor(run.loaded / 12));
    for (let f = 0; !mode.falls && f < run.loaded; f += step)
      for (const part of run.parts) {
        const value = measure(mode.name, page, run, part, f);
        // where nothing presses is no sample of how hard
        for (let v = 0; value && v < value.length; v++)
          if (value[v] !== 0 || mode.name !== 'contact') sizes.push(Math.abs(value[v]));
      }
  }
  if (mode.falls) return [0, top];
  const sorted = Float32Array.from(sizes).sort();
  if (sorted.length)
    top = sorted[Math.floor(({ distance: 1, contact: 0.9 }[mode.name] || 0.98) * (sorted.length - 1))];
  const least = { strain: 1e-4, curvature: 1e-3, speed: 1e-4 }[mode.name] || 0;
  const high = niceNumber(Math.max(top, least, 1e-7 * page.radius * page.runs[0].unit));
  return [mode.signed ? -high : 0, high];
}
