// unpack.js: the blobs of the page back to numbers. The other end of pack.c, reel.c and page.c.

/** The bytes of blob `id`, whose text is then dropped. */
export async function readBlob(id) {
  const element = document.getElementById('b' + id);
  const text = atob(element.textContent);
  element.textContent = '';
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Reader(new Uint8Array(await new Response(stream).arrayBuffer()));
}

const unzigzag = (z) => (z >>> 1) ^ -(z & 1);

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  take(n) {
    if (this.at + n > this.bytes.length) throw new Error('a blob of this page is cut short');
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }

  word() {
    const b = this.take(4);
    return (b[0] | (b[1] << 8) | (b[2] << 16) | (b[3] << 24)) >>> 0;
  }

  /** n differences from four planes of bytes. */
  planes(n) {
    const b = this.take(4 * n), out = new Int32Array(n);
    for (let i = 0; i < n; i++)
      out[i] = unzigzag(b[i] | (b[n + i] << 8) | (b[2 * n + i] << 16) | (b[3 * n + i] << 24));
    return out;
  }

  /** n running sums. */
  deltas(n) {
    const out = this.planes(n);
    for (let i = 1; i < n; i++) out[i] += out[i - 1];
    return out;
  }
}

/** Fills in what does not change of a part: order, groups, tri, edge, keep. */
export function readTopology(reader, part) {
  const n = part.nvert;
  const order = reader.deltas(4 * n);
  for (let i = 0; i < n; i++)
    for (let k = 1; k < 4; k++) order[k * n + i] = order[i] - order[k * n + i];
  part.order = order;
  part.groups = reader.deltas(3 * part.ntri);
  part.vertexOf = reader.deltas(part.ngroup);
  part.edge = reader.take(part.ntri);
  part.keep = part.thinned ? reader.deltas(n) : null;
  part.tri = part.groups.map((g) => part.vertexOf[g]);
  part.frames = [];
  part.gaps = [];
}

const float = new Float32Array(1), bits = new Uint32Array(float.buffer);

/** Exact floats: the keys' order is that of the numbers. */
function readExact(part, words, out) {
  const n = part.nvert, order = part.order, last = part.last, u = part.shift;
  const round = Math.fround;
  for (let i = 0; i < n; i++) {
    const v = 3 * order[i], a = 3 * order[n + i], b = 3 * order[2 * n + i];
    const d = 3 * order[3 * n + i];
    for (let k = 0; k < 3; k++) {
      const turn = round(round(u[a + k] + u[b + k]) - u[d + k]);
      float[0] = last[v + k] + turn;
      const key = ((bits[0] >>> 31 ? ~bits[0] : bits[0] | 0x80000000) + words[k * n + i]) >>> 0;
      bits[0] = key >>> 31 ? key & 0x7fffffff : ~key;
      const value = float[0];
      u[v + k] = value - last[v + k];
      last[v + k] = out[v + k] = value;
    }
  }
}

/** Whole numbers of steps from an origin. */
function readSteps(part, words, step, out) {
  const n = part.nvert, order = part.order, last = part.last, u = part.shift;
  for (let i = 0; i < n; i++) {
    const v = 3 * order[i], a = 3 * order[n + i], b = 3 * order[2 * n + i];
    const d = 3 * order[3 * n + i];
    for (let k = 0; k < 3; k++) {
      const value = (last[v + k] + u[a + k] + u[b + k] - u[d + k] + words[k * n + i]) | 0;
      u[v + k] = value - last[v + k];
      last[v + k] = value;
      out[v + k] = part.origin[k] + value * step;
    }
  }
}

/** Reads frame f of a run; frames come in order. */
function readFrame(reader, run, f) {
  for (const part of run.parts) {
    if (f < part.first || f >= part.first + part.count) continue;
    if (!part.moves && f > part.first) continue;
    const n = part.nvert;
    if (f === part.first) {
      const Kind = run.step > 0 ? Int32Array : Float32Array;
      part.last = new Kind(3 * n);
      part.shift = new Kind(3 * (n + 1));
    }
    const out = new Float32Array(3 * n), words = reader.planes(3 * n);
    if (run.step > 0) readSteps(part, words, run.step, out);
    else readExact(part, words, out);
    part.frames[f - part.first] = out;
    if (part.noted) part.gaps[f - part.first] = reader.take(n);
  }
  if (!run.noted) return;
  const count = reader.word(), pairs = [];
  for (let i = 0; i < count; i++) pairs.push([reader.word(), reader.word()]);
  run.crossings[f] = pairs;
}

/** Reads the topology of all parts of a run. */
export async function openRun(run) {
  for (const part of run.parts) readTopology(await readBlob(part.topology), part);
  run.crossings = [];
  run.loaded = 0;
  run.nframe = run.frames.length;
}

/** Reads the next frames; false when there are no more. */
export async function readGroup(run) {
  const group = run.groups.find((g) => g.first === run.loaded);
  if (!group) return false;
  const reader = await readBlob(group.blob);
  for (let f = group.first; f < group.first + group.count; f++) readFrame(reader, run, f);
  run.loaded += group.count;
  return true;
}

/** Positions of a part at frame f of its run, or null where it has none. */
export function positions(part, f) {
  if (f < part.first || f >= part.first + part.count) return null;
  return part.frames[part.moves ? f - part.first : 0] || null;
}
