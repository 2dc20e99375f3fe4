// main.js: the page: panels, keys, playing, and what the address keeps.
import * as THREE from 'three';
import css from './style.css';
import { openRun, readGroup, positions } from './unpack.js';
import { modes, measure, speed, matchFrame, partner, colourTable, chooseRange, tellContact }
  from './measure.js';
import { Stage } from './stage.js';
import { plot, frameAt, short } from './plot.js';

const keys = [
  ['space', 'play, pause'], ['← →', 'one frame back, on'], ['shift ← →', 'ten frames'],
  ['Home End', 'first, last frame'], ['↑ ↓', 'faster, slower'], ['C, 1 … 6', 'next colours, colours by number'],
  ['W', 'edges of the polygons'], ['X', 'triangles that pass through others, red'],
  ['K', 'colliders'], ['P  S', 'pins, seams'], ['G', 'ground with shadows'],
  ['M', 'compare: side by side, overlaid, first, second'], ['R', 'camera back to the start'],
  ['Esc', 'let go of the picked vertex'], ['H, ?', 'this help'],
];
const toggles = [
  ['wire', 'edges', 'W'], ['crossings', 'passing through, red', 'X'], ['colliders', 'colliders', 'K'],
  ['pins', 'pins', 'P'], ['seams', 'seams', 'S'], ['floor', 'ground', 'G'],
];
const compares = [['side', 'side by side'], ['overlay', 'overlaid'], ['first', 'first only'],
  ['second', 'second only']];

const page = JSON.parse(document.getElementById('scene').textContent);
const state = { frame: 0, playing: false, rate: 1, mode: modes[0], range: null, pick: null,
  on: { wire: page.wire, crossings: true, colliders: true, pins: true, seams: true, floor: true },
  hidden: new Set(), metric: 0, ready: false };
const ui = {};
let stage;

// ------------------------------------------------------------------------------------------- parts

function make(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

function buildPanels() {
  document.head.append(make('style', { textContent: css }));
  document.title = `${page.title} – clothview`;
  ui.view = make('canvas', { id: 'view', tabIndex: 0 });
  ui.left = make('div', { id: 'left', className: 'panel' });
  ui.right = make('div', { id: 'right', className: 'panel', hidden: true });
  ui.bar = make('div', { id: 'bar', className: 'panel' });
  ui.help = make('div', { id: 'help', className: 'panel', hidden: true });
  ui.split = make('div', { id: 'split', hidden: true });
  ui.tags = page.runs.map(() => make('div', { className: 'tag', hidden: true }));
  const theatre = make('div', { id: 'theatre' }, ui.view, ui.split, ...ui.tags);
  ui.menu = make('button', { id: 'menu', textContent: '☰', title: 'colours, objects',
    onclick: () => document.body.classList.toggle('menu') });
  document.body.append(theatre, ui.menu, ui.left, ui.right, ui.bar, ui.help);
  const rows = keys.map(([k, what]) => make('tr', {}, make('td', {}, k), make('td', {}, what)));
  ui.help.append(make('h1', {}, 'Keys'), make('table', {}, ...rows),
    make('p', { className: 'note' }, 'Drag to turn, right drag to move, wheel to come nearer. Click ' +
      'a vertex to see where it is. The address keeps frame, camera and colours: copy it to show ' +
      'somebody what you see.'));
  buildLeft();
  buildBar();
  buildRight();
}

function toggle(name, text, key) {
  const box = make('input', { type: 'checkbox', id: 'on-' + name, checked: state.on[name] });
  box.onchange = () => setToggle(name, box.checked);
  return make('label', {}, box, make('span', { className: 'grow' }, text), make('kbd', {}, key));
}

function objectRow(actor) {
  const { part } = actor, id = rowId(actor);
  const box = make('input', { type: 'checkbox', checked: true });
  box.onchange = () => {
    if (box.checked) state.hidden.delete(id);
    else state.hidden.add(id);
    show();
  };
  const swatch = make('span', { className: 'swatch' });
  swatch.style.background = part.colour;
  const count = part.thinned ? `${part.nvert} of ${part.original}` : part.nvert;
  return make('label', { title: `${count} vertices, ${part.ntri} triangles` }, box, swatch,
    make('span', { className: 'grow' }, part.name), make('kbd', {}, String(count)));
}

const objectId = (actor) => page.runs.indexOf(actor.run) + ':' + actor.part.object;
const rowId = (actor) => actor.part.name; // one row for both runs

function buildLeft() {
  ui.left.append(make('h1', { title: page.runs[0].name }, page.title));
  tellContact(page);
  ui.mode = make('select', { id: 'mode' });
  modes.forEach((m) => {
    if (m.name === 'distance' && page.runs.length < 2) return;
    if (m.name === 'contact' && !page.runs[0].noted) return;
    ui.mode.append(make('option', { value: m.name }, m.title));
  });
  ui.mode.onchange = () => setMode(ui.mode.value);
  ui.ramp = make('div', { id: 'ramp' });
  ui.low = make('input', { type: 'number', step: 'any', id: 'low' });
  ui.high = make('input', { type: 'number', step: 'any', id: 'high' });
  ui.unit = make('span', { className: 'note' });
  ui.low.onchange = ui.high.onchange = () => {
    const low = Number(ui.low.value), high = Number(ui.high.value);
    if (low < high) state.range = [low / state.mode.scale, high / state.mode.scale];
    show();
  };
  ui.legend = make('div', { hidden: true }, ui.ramp,
    make('div', { className: 'ends' }, ui.low, ui.unit, ui.high));
  ui.left.append(make('h2', {}, 'Colours'), ui.mode, ui.legend);
  ui.left.append(make('h2', {}, 'Show'), ...toggles.map((t) => toggle(...t)));
  if (page.runs.length > 1) {
    ui.compare = make('select', { id: 'compare' });
    compares.forEach(([value, text]) => ui.compare.append(make('option', { value }, text)));
    ui.compare.onchange = () => setCompare(ui.compare.value);
    ui.left.append(make('h2', {}, 'Compare'), ui.compare);
  }
  ui.objects = make('div');
  ui.left.append(make('h2', {}, 'Objects'), ui.objects);
  const { step } = page.runs[0];
  const error = step > 0 ? `positions within ${short(step / 2)} m of the cache` : 'positions exact';
  const every = page.runs[0].skipped ? ', not every frame' : '';
  ui.left.append(make('p', { className: 'note' }, error + every));
}

function listObjects() {
  const seen = new Set();
  for (const actor of stage.actors) {
    const id = rowId(actor);
    if (!seen.has(id)) ui.objects.append(objectRow(actor));
    seen.add(id);
  }
}

function buildBar() {
  const button = (text, title, action, id) => make('button', { textContent: text, title, onclick: action, id });
  ui.strip = make('canvas', { id: 'strip' });
  const seek = (e) => setFrame(frameAt(ui.strip, page.runs[0].nframe, e.clientX));
  drag(ui.strip, seek);
  ui.play = button('▶', 'play (space)', () => setPlaying(!state.playing), 'play');
  ui.scrub = make('input', { type: 'range', id: 'scrub', min: 0, max: page.runs[0].frames.length - 1, value: 0 });
  ui.scrub.oninput = () => setFrame(Number(ui.scrub.value));
  ui.rate = make('select', { id: 'rate', title: 'speed (↑ ↓)' });
  for (const r of [0.1, 0.25, 0.5, 1, 2, 4]) ui.rate.append(make('option', { value: r, selected: r === 1 }, `${r} ×`));
  ui.rate.onchange = () => { state.rate = Number(ui.rate.value); };
  ui.metric = make('select', { id: 'metric', title: 'what the strip shows' });
  ui.metric.onchange = () => {
    state.metric = ui.metric.selectedIndex;
    drawStrip();
  };
  ui.frame = make('span', { id: 'frame' });
  ui.bar.append(ui.strip, make('div', { className: 'row' },
    button('|◀', 'first frame (Home)', () => setFrame(0), 'first'),
    button('◀', 'back (←)', () => setFrame(state.frame - 1), 'back'), ui.play,
    button('▶|', 'on (→)', () => setFrame(state.frame + 1), 'on'), ui.rate, ui.scrub, ui.frame,
    ui.metric, button('?', 'keys (H)', () => setHelp(ui.help.hidden), 'helper')));
}

function drag(canvas, action) {
  canvas.onpointerdown = (e) => {
    canvas.setPointerCapture(e.pointerId);
    action(e);
  };
  canvas.onpointermove = (e) => { if (e.buttons) action(e); };
}

function buildRight() {
  ui.pickName = make('h1', { id: 'pick-name' });
  ui.pickRows = make('table', { id: 'pick-rows' });
  ui.history = make('canvas', { id: 'history' });
  ui.what = make('select', { id: 'history-what' });
  for (const w of ['position', 'speed', 'colours']) ui.what.append(make('option', { value: w }, w));
  ui.what.onchange = drawHistory;
  drag(ui.history, (e) => setFrame(frameAt(ui.history, page.runs[0].nframe, e.clientX)));
  const close = make('button', { textContent: '×', title: 'let go (Esc)', onclick: () => setPick(null) });
  ui.vertex = make('input', { type: 'number', id: 'vertex', min: 0, step: 1, title: 'vertex' });
  ui.vertex.onchange = () => {
    const v = placeOf(state.pick.actor.part, Number(ui.vertex.value));
    if (v >= 0) setPick({ actor: state.pick.actor, vertex: v });
  };
  ui.right.append(make('div', { className: 'row' }, make('div', { className: 'grow' }, ui.pickName), close),
    make('div', { className: 'row' }, 'vertex', ui.vertex, ui.what), ui.pickRows, ui.history);
}

/** Number of a vertex in the cache, and back. */
const cacheIndex = (part, v) => (part.keep ? part.keep[v] : v);
const placeOf = (part, index) => (part.keep ? part.keep.indexOf(index)
  : index >= 0 && index < part.nvert ? Math.floor(index) : -1);

// ------------------------------------------------------------------------------------------ setting

function setFrame(frame) {
  const last = page.runs[0].loaded - 1;
  const next = Math.min(last, Math.max(0, Math.round(frame)));
  if (next === state.frame && state.shown) return;
  state.frame = next;
  show();
}

function setPlaying(playing) {
  if (playing && state.frame >= page.runs[0].nframe - 1) setFrame(0);
  state.playing = playing;
  state.clock = performance.now();
  state.ahead = 0;
  ui.play.textContent = playing ? '❚❚' : '▶';
  if (playing) requestAnimationFrame(tick);
}

function tick(now) {
  if (!state.playing) return;
  const run = page.runs[0];
  const gap = state.frame + 1 < run.nframe ? run.frames[state.frame + 1] - run.frames[state.frame] : 1;
  state.ahead += ((now - state.clock) / 1000) * run.fps * state.rate / Math.max(1, gap);
  state.clock = now;
  const steps = Math.floor(state.ahead);
  state.ahead -= steps;
  if (steps && state.frame + steps >= run.nframe) setFrame(0);
  else if (steps) setFrame(state.frame + steps);
  requestAnimationFrame(tick);
}

function setMode(name) {
  const mode = modes.find((m) => m.name === name);
  if (!mode || ![...ui.mode.options].some((o) => o.value === name)) return;
  state.mode = mode;
  state.range = mode.name === page.mode && page.range ? page.range : chooseRange(mode, page);
  state.table = colourTable(mode);
  ui.mode.value = name;
  ui.legend.hidden = name === 'object';
  ui.low.value = short(state.range[0] * mode.scale);
  ui.high.value = short(state.range[1] * mode.scale);
  ui.unit.textContent = mode.unit;
  const css8 = Array.from({ length: 9 }, (_, i) => {
    const k = 3 * Math.round((i * 255) / 8), c = new THREE.Color();
    return '#' + c.setRGB(state.table[k], state.table[k + 1], state.table[k + 2]).getHexString();
  });
  ui.ramp.style.background = `linear-gradient(90deg, ${css8.join(',')})`;
  show();
}

function setToggle(name, on) {
  state.on[name] = on;
  document.getElementById('on-' + name).checked = on;
  show();
}

function setCompare(compare) {
  if (page.runs.length < 2 || !compares.some(([c]) => c === compare)) return;
  stage.compare = ui.compare.value = compare;
  show();
}

function setPick(pick) {
  state.pick = pick;
  ui.right.hidden = !pick;
  stage.marker.visible = !!pick;
  if (pick) {
    const { run, part } = pick.actor;
    ui.pickName.textContent = page.runs.length > 1 ? `${part.name} (${runTag(run)})` : part.name;
    ui.vertex.value = cacheIndex(part, pick.vertex);
    ui.vertex.max = part.original - 1;
  }
  showPick();
  keepAddress();
}

const runTag = (run) => (page.runs.indexOf(run) ? 'second' : 'first');

function setHelp(open) { ui.help.hidden = !open; }

// ------------------------------------------------------------------------------------------ showing

/** Frame of a run that is shown now: that of the first run's number. */
function frameOf(run) {
  return run === page.runs[0] ? state.frame : matchFrame(run, page.runs[0].frames[state.frame]);
}

function show() {
  if (!stage || !state.ready) return;
  state.shown = true;
  const overlay = stage.compare === 'overlay';
  for (const actor of stage.actors) {
    const { run, part } = actor, f = frameOf(run), second = page.runs.indexOf(run) === 1;
    actor.hidden = state.hidden.has(rowId(actor)) || (part.still && !state.on.colliders) ||
      (part.ground && state.on.floor && page.floor !== null);
    if (f >= run.loaded) continue;
    const values = measure(state.mode.name, page, run, part, f);
    const tint = new THREE.Color(overlay && second && !part.still ? '#2f6fd0' : part.colour);
    if (state.mode.name !== 'object' && !part.still) tint.set('#b9b5ad');
    actor.show(f, values, state.table, state.range, tint);
    for (const material of [actor.front, actor.back]) {
      if (!material) continue;
      material.transparent = overlay && second;
      material.opacity = overlay && second ? 0.6 : 1;
      // where the runs agree the first one shows
      material.polygonOffsetFactor = material.polygonOffsetUnits = overlay && second ? 4 : 1;
    }
    if (actor.wire) actor.wire.visible = state.on.wire;
    if (actor.crossing) actor.crossing.visible = state.on.crossings;
    actor.pins.visible = state.on.pins;
    actor.seams.visible = state.on.seams;
  }
  stage.floor.visible = state.on.floor;
  const { frames, nframe } = page.runs[0];
  ui.scrub.value = state.frame;
  ui.frame.textContent = `frame ${frames[state.frame]} of ${frames[nframe - 1]}`;
  showTags();
  showPick();
  drawStrip();
  stage.requestDraw();
  keepAddress();
}

/** The end of a run's path, where it differs from the other one's. */
function tagName(i) {
  const [mine, other] = [page.runs[i], page.runs[1 - i]].map((run) => run.name.split('/').filter(Boolean));
  let n = 1;
  while (n < mine.length && mine.slice(-n).join('/') === other.slice(-n).join('/')) n++;
  return mine.slice(-n).join('/');
}

function showTags() {
  const side = stage.compare === 'side' && page.runs.length > 1;
  ui.split.hidden = !side;
  ui.tags.forEach((tag, i) => {
    tag.hidden = page.runs.length < 2 || (stage.compare === 'second' && !i) || (stage.compare === 'first' && i);
    if (tag.hidden) return;
    tag.style.left = side ? (i ? '75%' : '25%') : i ? '60%' : '40%';
    tag.title = page.runs[i].name;
    tag.textContent = tagName(i) + (stage.compare === 'overlay' && i ? ' (blue)' : '');
  });
}

/** Coordinates are shown as the cache has them, in its own unit. */
const lengthName = (unit) =>
  ({ 1: 'm', 0.01: 'cm', 0.001: 'mm', 0.0254: 'in', 0.3048: 'ft' })[unit] || `${unit} m`;

const digits = (part, run, v) => (run.step > 0
  ? Number(v.toPrecision(9)).toString() : Number(Math.fround(v).toPrecision(9)).toString());

function showPick() {
  if (!state.pick) return;
  const { actor, vertex } = state.pick, { run, part } = actor, f = frameOf(run);
  const x = positions(part, f);
  stage.marker.visible = !!x;
  ui.pickRows.replaceChildren();
  if (!x) return;
  const row = (name, value, id) => ui.pickRows.append(make('tr', {}, make('td', {}, name), make('td', { id }, value)));
  ['x', 'y', 'z'].forEach((c, k) => row(`${c} [${lengthName(run.unit)}]`, digits(part, run, x[3 * vertex + k]), 'pick-' + c));
  row('speed [m/s]', short(speed(run, part, f, new Float32Array(part.nvert))[vertex]), 'pick-speed');
  const values = measure(state.mode.name, page, run, part, f);
  if (values && state.mode.name !== 'speed')
    row(`${state.mode.title} [${state.mode.unit}]`, short(values[vertex] * state.mode.scale), 'pick-value');
  const other = page.runs[1 - page.runs.indexOf(run)];
  const g = other ? matchFrame(other, run.frames[f]) : 0;
  const there = other && partner(other, part, g);
  if (there && there.nvert === part.nvert) {
    const y = positions(there, g), d = [0, 1, 2].map((k) => x[3 * vertex + k] - y[3 * vertex + k]);
    row('to the other run [mm]', short(1000 * Math.hypot(...d)), 'pick-distance');
  }
  stage.marker.position.set(x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2]);
  drawHistory();
  stage.requestDraw();
}

function drawHistory() {
  if (!state.pick) return;
  const { actor, vertex } = state.pick, { run, part } = actor, first = page.runs[0];
  const over = (of) => Array.from({ length: first.nframe }, (_, f) => {
    const g = run === first ? f : matchFrame(run, first.frames[f]);
    return g < run.loaded && positions(part, g) ? of(g) : NaN;
  });
  const what = ui.what.value;
  if (what === 'position') {
    plot(ui.history, first.nframe, state.frame, ['#c4553b', '#3f8f4f', '#2f6fb0'].map((colour, k) =>
      ({ colour, values: over((g) => positions(part, g)[3 * vertex + k]) })), 'x red, y green, z blue [m]');
    return;
  }
  const scratch = new Float32Array(part.nvert);
  if (what === 'speed') {
    const values = over((g) => vertexSpeed(run, part, g, vertex));
    plot(ui.history, first.nframe, state.frame, [{ colour: '#7a4e86', values }], 'speed [m/s]');
    return;
  }
  scratch.fill(0);
  const key = `${state.mode.name} ${objectId(actor)} ${part.first} ${vertex} ${run.loaded}`;
  if (state.historyKey !== key) {
    state.historyKey = key;
    state.history = over((g) => {
      const m = measure(state.mode.name, page, run, part, g);
      return m ? m[vertex] * state.mode.scale : NaN;
    });
  }
  plot(ui.history, first.nframe, state.frame, [{ colour: '#7a4e86', values: state.history }],
    `${state.mode.title} [${state.mode.unit}]`);
}

function vertexSpeed(run, part, f, vertex) {
  const near = f > part.first ? f - 1 : f + 1, x = positions(part, f), y = positions(part, near);
  if (!x || !y || !part.moves) return 0;
  const d = [0, 1, 2].map((k) => x[3 * vertex + k] - y[3 * vertex + k]);
  return (Math.hypot(...d) * run.fps) / Math.max(1, Math.abs(run.frames[f] - run.frames[near]));
}

// -------------------------------------------------------------------------------------------- strip

/** What the strip can show: of the frames themselves, and every number in the cache's statistics. */
function listMetrics() {
  const moving = (run) => run.parts.filter((p) => !p.still);
  const fold = (run, f, start, step) => moving(run).reduce((a, p) => {
    const x = positions(p, f);
    return x ? step(a, p, x) : a;
  }, start);
  state.metrics = [
    { name: 'largest speed [m/s]', of: (run, f) => fold(run, f, 0, (a, p) =>
      speed(run, p, f, new Float32Array(p.nvert)).reduce((m, v) => Math.max(m, v), a)) },
    { name: 'lowest point [m]', of: (run, f) => fold(run, f, Infinity, (a, p, x) => {
      for (let i = page.up === 2 ? 2 : 1; i < x.length; i += 3) a = Math.min(a, x[i] * run.unit);
      return a;
    }) },
  ];
  if (page.runs[0].noted)
    state.metrics.push({ name: 'triangles passing through', of: (run, f) => (run.crossings[f] || []).length });
  const names = new Set();
  for (const run of page.runs)
    for (const s of run.stats)
      for (const k of Object.keys(s || {})) if (typeof s[k] === 'number') names.add(k);
  for (const name of names)
    state.metrics.push({ name, of: (run, f) => (run.stats[f] ? run.stats[f][name] : NaN) });
  state.metrics.forEach((m) => {
    m.values = page.runs.map(() => []);
    ui.metric.append(make('option', {}, m.name));
  });
}

function drawStrip() {
  const metric = state.metrics[state.metric], first = page.runs[0];
  page.runs.forEach((run, r) => {
    for (let f = metric.values[r].length; f < run.loaded; f++) metric.values[r].push(metric.of(run, f));
  });
  const lines = page.runs.map((run, r) => ({ colour: r ? '#2f6fd0' : '#55606c',
    values: run === first ? metric.values[r]
      : first.frames.map((number) => metric.values[r][matchFrame(run, number)]) }));
  const now = metric.values[0][state.frame];
  plot(ui.strip, first.nframe, state.frame, lines,
    `${metric.name}: ${Number.isFinite(now) ? short(now) : '–'}`);
}

// ------------------------------------------------------------------------------------------ address

function keepAddress() {
  clearTimeout(state.keeping);
  state.keeping = setTimeout(() => {
    const list = (v) => v.toArray().map((c) => Number(c.toPrecision(6))).join(',');
    const q = [`f=${page.runs[0].frames[state.frame]}`, `eye=${list(stage.camera.position)}`,
      `at=${list(stage.controls.target)}`, `c=${state.mode.name}`,
      `on=${toggles.map(([n]) => (state.on[n] ? 1 : 0)).join('')}`];
    if (page.runs.length > 1) q.push(`m=${stage.compare}`);
    if (state.pick) {
      const { actor, vertex } = state.pick;
      q.push(`v=${objectId(actor)}:${cacheIndex(actor.part, vertex)}`);
    }
    state.address = '#' + q.join('&');
    history.replaceState(null, '', state.address);
  }, 120);
}

function readAddress() {
  const q = new URLSearchParams(location.hash.slice(1));
  const vector = (name, to) => {
    const v = (q.get(name) || '').split(',').map(Number);
    if (v.length === 3 && v.every(Number.isFinite)) to.fromArray(v);
  };
  vector('eye', stage.camera.position);
  vector('at', stage.controls.target);
  stage.controls.update();
  if (q.has('on')) toggles.forEach(([n], i) => setToggle(n, q.get('on')[i] !== '0'));
  if (q.has('m')) setCompare(q.get('m'));
  if (q.has('f')) state.wanted = matchFrame(page.runs[0], Number(q.get('f')));
  setMode(q.get('c') || page.mode);
  const v = (q.get('v') || '').split(':').map(Number);
  const actor = v.length === 3 && stage.actors.find((a) => objectId(a) === `${v[0]}:${v[1]}`);
  const vertex = actor ? placeOf(actor.part, v[2]) : -1;
  if (vertex >= 0) setPick({ actor, vertex });
  seekWanted();
}

/** The address's frame may be read later than the first ones. */
function seekWanted() {
  if (state.wanted === undefined || state.wanted >= page.runs[0].loaded) return;
  const frame = state.wanted;
  state.wanted = undefined;
  setFrame(frame);
}

// --------------------------------------------------------------------------------------------- keys

function nextOf(list, now) { return list[(list.indexOf(now) + 1) % list.length]; }

function press(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.type === 'number') return;
  const names = [...ui.mode.options].map((o) => o.value), far = e.shiftKey ? 10 : 1;
  const rates = [...ui.rate.options].map((o) => Number(o.value));
  const rate = (by) => {
    const i = rates.indexOf(state.rate) + by;
    if (rates[i]) ui.rate.value = state.rate = rates[i];
  };
  const actions = {
    ' ': () => setPlaying(!state.playing), ArrowLeft: () => setFrame(state.frame - far),
    ArrowRight: () => setFrame(state.frame + far), Home: () => setFrame(0),
    End: () => setFrame(page.runs[0].nframe - 1), ArrowUp: () => rate(1), ArrowDown: () => rate(-1),
    c: () => setMode(nextOf(names, state.mode.name)), r: () => stage.resetCamera(),
    m: () => setCompare(nextOf(compares.map(([c]) => c), stage.compare)),
    h: () => setHelp(ui.help.hidden), '?': () => setHelp(ui.help.hidden),
    Escape: () => { if (ui.help.hidden) setPick(null); else setHelp(false); },
  };
  for (const [name, , key] of toggles) actions[key.toLowerCase()] = () => setToggle(name, !state.on[name]);
  const action = actions[e.key] || actions[e.key.toLowerCase()] ||
    (e.key >= '1' && e.key <= '6' ? () => setMode(modes[e.key - 1].name) : null);
  if (!action) return;
  e.preventDefault();
  action();
}

function listen() {
  let from = null;
  ui.view.addEventListener('pointerdown', (e) => { from = [e.clientX, e.clientY]; });
  ui.view.addEventListener('pointerup', (e) => {
    if (!from || e.button || Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 4) return;
    const pick = stage.pick(e.clientX, e.clientY);
    if (pick) setPick(pick);
  });
  stage.controls.addEventListener('change', keepAddress);
  window.addEventListener('keydown', press);
  window.addEventListener('resize', () => {
    stage.resize();
    drawStrip();
    drawHistory();
  });
  window.addEventListener('hashchange', () => { if (location.hash !== state.address) readAddress(); });
}

// -------------------------------------------------------------------------------------------- start

async function readAll() {
  for (;;) {
    let more = false;
    for (const run of page.runs) more = (await readGroup(run)) || more;
    if (!more) break;
    seekWanted();
    drawStrip();
    // leave the browser time to draw and to answer
    await new Promise((done) => { setTimeout(done, 0); });
  }
  if (state.mode.name !== 'object') setMode(state.mode.name);
  state.complete = true;
  show();
}

function complain(error) {
  document.body.append(make('div', { id: 'trouble', className: 'panel' },
    'This page cannot be shown: ' + error.message));
  console.error(error);
}

async function start() {
  buildPanels();
  for (const run of page.runs) {
    await openRun(run);
    await readGroup(run);
  }
  stage = new Stage(page, ui.view);
  stage.resize();
  listObjects();
  listMetrics();
  state.ready = true;
  listen();
  readAddress();
  show();
  stage.draw();
  state.firstPicture = performance.now();
  await readAll();
}

// for tests and for the console
window.clothview = { page, state, get stage() { return stage; }, setFrame, setMode, setPick, setCompare };
start().catch(complain);
