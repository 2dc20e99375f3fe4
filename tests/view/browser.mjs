// browser.mjs PAGE COMPARE_PAGE CACHE SYNTH OUT [MORE_PAGES]: the viewer in headless Chromium, from
// file://.
// Pictures of what was seen go to OUT.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [page, comparePage, cache, synth, out, ...more] = process.argv.slice(2);
const { chromium } = createRequire(resolve('build/view-test/package.json'))('playwright-core');
let failed = 0, passed = 0;
const check = (ok, what) => {
  if (ok) passed++;
  else failed++;
  if (!ok) console.error('failed: ' + what);
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader'],
});

async function open(file, hash = '') {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const trouble = [];
  tab.on('console', (m) => { if (m.type() === 'error') trouble.push(m.text()); });
  tab.on('pageerror', (e) => trouble.push(String(e)));
  tab.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) trouble.push('fetched ' + r.url()); });
  await tab.goto('file://' + resolve(file) + hash);
  await tab.waitForFunction(() => window.clothview && window.clothview.state.complete, null, { timeout: 120000 });
  return { tab, trouble };
}

/** Number of different colours on a coarse grid of the canvas: an empty picture has few. */
const colours = (tab) => tab.evaluate(() => {
  window.clothview.stage.draw();
  const from = document.getElementById('view'), to = document.createElement('canvas');
  to.width = 160;
  to.height = 100;
  const c = to.getContext('2d');
  c.drawImage(from, 0, 0, 160, 100);
  const data = c.getImageData(0, 0, 160, 100).data, seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] >> 3) * 1024 + (data[i + 1] >> 3) * 32 + (data[i + 2] >> 3));
  return seen.size;
});
const frame = (tab) => tab.textContent('#frame');
const shot = (tab, name) => tab.screenshot({ path: `${out}/${name}.png` });

// ---- one run
{
  const { tab, trouble } = await open(page);
  const first = await tab.evaluate(() => window.clothview.state.firstPicture);
  console.log(`first picture after ${(first / 1000).toFixed(2)} s`);

  check((await colours(tab)) > 60, 'the first frame shows something');
  check((await frame(tab)).startsWith('frame 1 of'), 'starts at the first frame');
  await shot(tab, 'page_first');

  // plays
  await tab.keyboard.press('Space');
  await tab.waitForFunction(() => window.clothview.state.frame >= 5, null, { timeout: 60000 });
  await tab.keyboard.press('Space');
  const stopped = await frame(tab);
  await tab.waitForTimeout(300);
  check((await frame(tab)) === stopped, 'pause holds the frame');

  // steps and scrubs
  await tab.keyboard.press('Home');
  await tab.keyboard.press('ArrowRight');
  check((await frame(tab)).startsWith('frame 2 of'), 'a step on');
  await tab.keyboard.press('End');
  const last = await tab.evaluate(() => window.clothview.page.runs[0].nframe);
  check((await frame(tab)).startsWith(`frame ${last} of`), 'to the end');
  const strip = await tab.locator('#scrub').boundingBox();
  await tab.mouse.click(strip.x + strip.width * 0.6, strip.y + strip.height / 2);
  const at = await tab.evaluate(() => window.clothview.state.frame);
  check(Math.abs(at - 0.6 * (last - 1)) < 0.05 * last, `scrubbing to 60% gave ${at}`);
  await shot(tab, 'page_scrubbed');

  // picks: the shown coordinates are those in the cache
  const box = await tab.locator('#view').boundingBox();
  await tab.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await tab.waitForSelector('#right:not([hidden])', { timeout: 5000 });
  const picked = await tab.evaluate(() => {
    const { actor, vertex } = window.clothview.state.pick;
    return { object: actor.part.object, vertex, frame: window.clothview.state.frame };
  });
  const equal = async (where) => {
    const f = await tab.evaluate(() => window.clothview.state.frame);
    const shown = await Promise.all(['x', 'y', 'z'].map((c) => tab.textContent('#pick-' + c)));
    const held = execFileSync(synth, ['print', cache, picked.object, f, where]).toString().trim().split(' ');
    check(shown.every((s, k) => Math.fround(Number(s)) === Math.fround(Number(held[k]))),
      `vertex ${where} frame index ${f}: shown ${shown}, in the cache ${held}`);
  };
  await equal(picked.vertex);
  for (const v of [0, 7, 100]) {
    await tab.fill('#vertex', String(v));
    await tab.keyboard.press('Enter');
    await tab.evaluate(() => document.activeElement.blur());
    await equal(v);
    await tab.keyboard.press('ArrowLeft');
    await equal(v);
  }
  await shot(tab, 'page_picked');
  await tab.keyboard.press('Escape');

  // colours, edges, help
  for (const [key, name] of [['2', 'strain'], ['3', 'curvature'], ['4', 'speed'], ['5', 'contact']]) {
    await tab.keyboard.press(key);
    check((await tab.inputValue('#mode')) === name, `key ${key} is ${name}`);
    check((await colours(tab)) > 60, `${name} shows something`);
    await shot(tab, 'page_' + name);
  }
  await tab.keyboard.press('1');
  await tab.keyboard.press('w');
  check(await tab.isChecked('#on-wire'), 'W shows edges');
  await shot(tab, 'page_wire');
  await tab.keyboard.press('w');
  await tab.keyboard.press('h');
  check(await tab.isVisible('#help'), 'H opens the help');
  await shot(tab, 'page_help');
  await tab.keyboard.press('Escape');

  // orbits, and the address remembers
  const before = await tab.evaluate(() => window.clothview.stage.camera.position.toArray());
  await tab.mouse.move(box.x + 640, box.y + 300);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 840, box.y + 340, { steps: 5 });
  await tab.mouse.up();
  const after = await tab.evaluate(() => window.clothview.stage.camera.position.toArray());
  check(Math.hypot(...after.map((a, k) => a - before[k])) > 1e-3, 'dragging turns the camera');
  await tab.keyboard.press('3');
  await tab.waitForTimeout(400);
  const hash = await tab.evaluate(() => location.hash), here = await frame(tab);
  await shot(tab, 'page_turned');
  check(trouble.length === 0, 'no trouble: ' + trouble.join('; '));
  await tab.close();
  const again = await open(page, hash);
  check((await frame(again.tab)) === here, 'the address keeps the frame');
  check((await again.tab.inputValue('#mode')) === 'curvature', 'the address keeps the colours');
  const eye = await again.tab.evaluate(() => window.clothview.stage.camera.position.toArray());
  check(Math.hypot(...after.map((a, k) => a - eye[k])) < 1e-3 * Math.hypot(...after), 'the address keeps the camera');
  check(again.trouble.length === 0, 'no trouble: ' + again.trouble.join('; '));
  await again.tab.close();
}

// ---- a phone: the picture is free, the scrubber can be used, the panel opens when asked for
{
  const { tab, trouble } = await open(page);
  await tab.setViewportSize({ width: 390, height: 780 });
  await tab.waitForTimeout(300);
  const view = await tab.locator('#view').boundingBox(), scrub = await tab.locator('#scrub').boundingBox();
  const free = await tab.evaluate(() => [0.1, 0.5, 0.9].every((x) => [0.15, 0.5, 0.9].every((y) => {
    const box = document.getElementById('view').getBoundingClientRect();
    return document.elementFromPoint(box.left + x * box.width, box.top + y * box.height).id === 'view';
  })));
  check(free, 'nothing covers the picture on a phone');
  check(view.height > 500, `the picture is ${view.height} pixels high on a phone`);
  check(scrub.width > 300, `the scrubber is ${scrub.width} pixels wide on a phone`);
  const bar = await tab.locator('#bar').boundingBox();
  check(bar.y >= view.y + view.height && bar.y + bar.height <= 780, 'the bar is below the picture');
  await shot(tab, 'page_phone');
  await tab.click('#menu');
  check(await tab.isVisible('#left'), 'the panel opens on a phone');
  await shot(tab, 'page_phone_menu');
  await tab.click('#menu');
  check(!(await tab.isVisible('#left')), 'and closes');
  check(trouble.length === 0, 'no trouble: ' + trouble.join('; '));
  await tab.close();
}

// ---- two runs
{
  const { tab, trouble } = await open(comparePage);
  await tab.keyboard.press('End');
  for (const mode of ['side', 'overlay', 'first', 'second']) {
    await tab.selectOption('#compare', mode);
    check((await colours(tab)) > 60, `compare ${mode} shows something`);
    await shot(tab, 'compare_' + mode);
  }
  await tab.selectOption('#compare', 'side');
  await tab.keyboard.press('6');
  check((await tab.inputValue('#mode')) === 'distance', 'colours by distance');
  await shot(tab, 'compare_distance');
  const linked = await tab.evaluate(() => {
    const { actors } = window.clothview.stage;
    const of = (run) => actors.find((a) => a.run === window.clothview.page.runs[run] && !a.part.still);
    const x = of(0).x, y = of(1).x;
    return { same: x === y, most: x.reduce((m, v, i) => Math.max(m, Math.abs(v - y[i])), 0) };
  });
  check(linked.most > 0, 'the runs differ, in the same frame');
  check(trouble.length === 0, 'no trouble: ' + trouble.join('; '));
  await tab.close();
}

// ---- all sorts of pages: they open, show something, and step without a complaint
for (const file of more) {
  const { tab, trouble } = await open(file);
  const name = file.replace(/.*\/|\.html$/g, '');
  const first = await tab.evaluate(() => window.clothview.state.firstPicture);
  console.log(`${name}: first picture after ${(first / 1000).toFixed(2)} s`);
  await tab.keyboard.press('End');
  check((await colours(tab)) > 8, `${name} shows something`);
  await tab.keyboard.press('Home');
  await tab.keyboard.press('2');
  if (name === 'pressed') {
    await tab.keyboard.press('End');
    await tab.keyboard.press('5');
    const title = await tab.textContent('#mode option:checked');
    check(title === 'contact pressure', 'contact is a pressure, not ' + title);
    check(Number(await tab.inputValue('#high')) > 0, 'a pressure above 0');
    const pins = await tab.evaluate(() => window.clothview.stage.actors.map((a) => a.pinVerts.length));
    check(Math.max(...pins) === 2, 'two pins, not ' + pins);
  }
  if (name === 'quickstart') { // as one wants to see it
    const labels = await tab.locator('#left label .grow').allTextContents();
    check(new Set(labels).size === labels.length, 'every label once: ' + labels);
    await tab.keyboard.press('End');
    await tab.keyboard.press('1');
  }
  await shot(tab, 'page_' + name);
  check(trouble.length === 0, `no trouble in ${name}: ` + trouble.join('; '));
  await tab.close();
}

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
