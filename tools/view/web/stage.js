// stage.js: runs as three.js objects, camera, lights, floor.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { positions } from './unpack.js';

/** One part of a run on the stage. */
class Actor {
  constructor(run, part, group) {
    this.run = run;
    this.part = part;
    this.group = group;
    const n = part.ngroup || part.nvert;
    this.count = n;
    this.position = attribute(3 * n, 3);
    this.normal = attribute(3 * n, 3);
    this.colour = attribute(3 * n, 3);
    this.object = new THREE.Group();
    group.add(this.object);
    if (part.ntri) this.addSurface();
    else this.addPoints();
    this.addPinsAndSeams();
  }

  geometry(index) {
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', this.position);
    g.setAttribute('normal', this.normal);
    g.setAttribute('color', this.colour);
    if (index) g.setIndex(new THREE.BufferAttribute(Uint32Array.from(index), 1));
    return g;
  }

  addSurface() {
    const { part } = this, surface = this.geometry(part.groups);
    const open = part.kind === 'cloth' || part.kind === 'unknown';
    this.front = new THREE.MeshStandardMaterial({
      vertexColors: true, roughness: 0.75, side: open ? THREE.FrontSide : THREE.DoubleSide,
      shadowSide: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    this.surface = new THREE.Mesh(surface, this.front);
    this.surface.castShadow = this.surface.receiveShadow = true;
    this.surface.userData.actor = this;
    this.object.add(this.surface);
    if (open) {
      this.back = this.front.clone();
      this.back.side = THREE.BackSide;
      const mesh = new THREE.Mesh(surface, this.back);
      mesh.receiveShadow = true;
      mesh.userData.actor = this;
      this.object.add(mesh);
    }
    const lines = [];
    for (let t = 0; t < part.ntri; t++)
      for (let k = 0; k < 3; k++)
        if ((part.edge[t] >> k) & 1)
          lines.push(part.groups[3 * t + k], part.groups[3 * t + ((k + 1) % 3)]);
    this.wire = new THREE.LineSegments(this.geometry(lines),
      new THREE.LineBasicMaterial({ color: 0x101418, transparent: true, opacity: 0.35 }));
    this.wire.visible = false;
    this.crossing = new THREE.Mesh(this.geometry([]),
      new THREE.MeshBasicMaterial({ color: 0xe01010, side: THREE.DoubleSide }));
    this.object.add(this.wire, this.crossing);
  }

  addPoints() {
    this.points = new THREE.Points(this.geometry(null),
      new THREE.PointsMaterial({ size: 14, sizeAttenuation: false, vertexColors: true }));
    this.points.userData.actor = this;
    this.object.add(this.points);
  }

  /** Pins and seams from the cache's META: {"pins": [{"object", "index"}], "seams": [{"object",
      "pair"}]}. */
  addPinsAndSeams() {
    const meta = this.run.meta || {}, mine = (e) => e && e.object === this.part.name;
    const place = new Map();
    for (let v = 0; v < this.part.nvert; v++)
      place.set(this.part.keep ? this.part.keep[v] : v, v);
    const list = (entries, key) => (Array.isArray(entries) ? entries : [])
      .filter(mine).flatMap((e) => (Array.isArray(e[key]) ? e[key].flat() : []));
    this.pinVerts = list(meta.pins, 'index').map((i) => place.get(i)).filter((v) => v >= 0);
    const ends = list(meta.seams, 'pair').map((i) => place.get(i));
    this.seamVerts = [];
    for (let i = 0; i + 1 < ends.length; i += 2)
      if (ends[i] >= 0 && ends[i + 1] >= 0) this.seamVerts.push(ends[i], ends[i + 1]);
    const add = (verts, Kind, material) => {
      const g = new THREE.BufferGeometry();
      g.setAttribute('position', attribute(3 * verts.length, 3));
      const object = new Kind(g, material);
      object.frustumCulled = false;
      this.object.add(object);
      return object;
    };
    this.pins = add(this.pinVerts, THREE.Points,
      new THREE.PointsMaterial({ color: 0x1560d0, size: 7, sizeAttenuation: false }));
    this.seams = add(this.seamVerts, THREE.LineSegments,
      new THREE.LineBasicMaterial({ color: 0x9020c0 }));
  }

  /** Moves all to frame f. */
  show(f, values, table, range, tint) {
    const x = positions(this.part, f), { part } = this;
    this.object.visible = !!x && !this.hidden;
    this.x = x;
    if (!x) return;
    const at = this.position.array, of = part.ntri ? part.vertexOf : null;
    for (let g = 0; g < this.count; g++) {
      const v = 3 * (of ? of[g] : g);
      at[3 * g] = x[v];
      at[3 * g + 1] = x[v + 1];
      at[3 * g + 2] = x[v + 2];
    }
    this.position.needsUpdate = true;
    this.paint(values, table, range, tint, of);
    this.follow(this.pins, this.pinVerts, x);
    this.follow(this.seams, this.seamVerts, x);
    if (!part.ntri) return;
    this.findNormals();
    const marked = (this.run.crossings[f] || [])
      .filter(([o]) => o === part.object && !part.thinned)
      .flatMap(([, t]) => [part.groups[3 * t], part.groups[3 * t + 1], part.groups[3 * t + 2]]);
    this.crossing.geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(marked), 1));
    this.surface.geometry.computeBoundingSphere();
    for (const o of [this.wire, this.crossing])
      o.geometry.boundingSphere = this.surface.geometry.boundingSphere;
  }

  paint(values, table, range, tint, of) {
    const c = this.colour.array;
    for (let g = 0; g < this.count; g++) {
      let r = tint;
      if (values) {
        const t = (values[of ? of[g] : g] - range[0]) / (range[1] - range[0]);
        const i = 3 * Math.round(255 * Math.min(1, Math.max(0, t || 0)));
        c[3 * g] = table[i];
        c[3 * g + 1] = table[i + 1];
        c[3 * g + 2] = table[i + 2];
      } else {
        c[3 * g] = r.r;
        c[3 * g + 1] = r.g;
        c[3 * g + 2] = r.b;
      }
    }
    this.colour.needsUpdate = true;
    if (this.back) this.back.color.set(values ? 0xffffff : 0xe8d8c8);
  }

  follow(object, verts, x) {
    const a = object.geometry.getAttribute('position');
    verts.forEach((v, i) => a.setXYZ(i, x[3 * v], x[3 * v + 1], x[3 * v + 2]));
    a.needsUpdate = true;
  }

  /** Smooth normals, weighted by area. */
  findNormals() {
    const n = this.normal.array, x = this.position.array, tri = this.part.groups;
    n.fill(0);
    for (let t = 0; t < tri.length; t += 3) {
      const i = 3 * tri[t], j = 3 * tri[t + 1], k = 3 * tri[t + 2];
      const ax = x[j] - x[i], ay = x[j + 1] - x[i + 1], az = x[j + 2] - x[i + 2];
      const bx = x[k] - x[i], by = x[k + 1] - x[i + 1], bz = x[k + 2] - x[i + 2];
      const nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
      for (const v of [i, j, k]) {
        n[v] += nx;
        n[v + 1] += ny;
        n[v + 2] += nz;
      }
    }
    for (let v = 0; v < n.length; v += 3) {
      const l = Math.hypot(n[v], n[v + 1], n[v + 2]) || 1;
      n[v] /= l;
      n[v + 1] /= l;
      n[v + 2] /= l;
    }
    this.normal.needsUpdate = true;
  }
}

function attribute(length, size) {
  const a = new THREE.BufferAttribute(new Float32Array(length), size);
  a.setUsage(THREE.DynamicDrawUsage);
  return a;
}

export class Stage {
  constructor(page, canvas) {
    this.page = page;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.scene = new THREE.Scene();
    this.groups = page.runs.map(() => new THREE.Group());
    this.scene.add(...this.groups);
    this.actors = page.runs.flatMap((run, i) =>
      run.parts.map((part) => new Actor(run, part, this.groups[i])));
    this.compare = page.runs.length > 1 ? 'side' : 'first';
    const up = page.up === 2 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, 1, 0);
    const fov = (2 * Math.atan(page.slope) * 180) / Math.PI;
    this.camera = new THREE.PerspectiveCamera(fov, 1, 1e-3 * page.radius, 1e3 * page.radius);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.requestDraw());
    this.resetCamera();
    this.addLights(up);
    this.addFloor(up);
    this.addMarker();
  }

  resetCamera() {
    this.camera.position.fromArray(this.page.eye);
    this.controls.target.fromArray(this.page.target);
    this.controls.update();
    this.requestDraw();
  }

  addLights(up) {
    const { page } = this, r = page.radius, centre = new THREE.Vector3(...page.centre);
    const level = this.camera.position.clone().sub(centre).projectOnPlane(up).normalize();
    const right = new THREE.Vector3().crossVectors(up, level);
    const key = new THREE.DirectionalLight(0xfff1e0, 2.3);
    key.position.copy(centre).addScaledVector(up, 2 * r).addScaledVector(right, -1.5 * r)
      .addScaledVector(level, 0.8 * r);
    key.target.position.copy(centre);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    Object.assign(key.shadow.camera, { left: -1.4 * r, right: 1.4 * r, top: 1.4 * r,
      bottom: -1.4 * r, near: 0.1 * r, far: 8 * r });
    key.shadow.normalBias = 0.008 * r;
    key.shadow.radius = 5;
    const fill = new THREE.DirectionalLight(0xdfe8ff, 0.55);
    fill.position.copy(centre).addScaledVector(up, 0.6 * r).addScaledVector(right, 2 * r)
      .addScaledVector(level, r);
    fill.target.position.copy(centre);
    const sky = new THREE.HemisphereLight(0xe6edf7, 0xa89e94, 1.35);
    sky.position.copy(up);
    this.scene.add(key, key.target, fill, fill.target, sky);
  }

  addFloor(up) {
    this.floor = new THREE.Group();
    this.scene.add(this.floor);
    if (this.page.floor === null) return;
    const { page } = this, r = page.radius, spacing = 10 ** Math.floor(Math.log10(r)) / 2;
    const plane = new THREE.Mesh(new THREE.PlaneGeometry(60 * r, 60 * r),
      new THREE.ShadowMaterial({ color: 0x1c2430, opacity: 0.32 }));
    const grid = new THREE.GridHelper(spacing * 40, 40, 0xaab1ba, 0xb6bdc6);
    grid.material.transparent = true;
    grid.material.opacity = 0.35;
    grid.material.depthWrite = false;
    plane.receiveShadow = true;
    plane.material.depthWrite = false;
    plane.renderOrder = 1; // after the grid: they lie in one plane
    plane.rotation.x = -Math.PI / 2;
    this.floor.add(plane, grid);
    const centre = new THREE.Vector3(...page.centre).projectOnPlane(up);
    if (page.up === 2) this.floor.rotation.x = Math.PI / 2;
    this.floor.position.copy(centre).addScaledVector(up, page.floor);
  }

  addMarker() {
    this.marker = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 12),
      new THREE.MeshBasicMaterial({ color: 0x101820, depthTest: false, transparent: true,
        opacity: 0.9 }));
    this.marker.renderOrder = 9;
    this.marker.visible = false;
    this.scene.add(this.marker);
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    this.renderer.setSize(w, h, false);
    this.requestDraw();
  }

  requestDraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Runs to draw, each with the share of the width it has. */
  views() {
    if (this.compare === 'side') return [{ runs: [0], from: 0, to: 0.5 },
      { runs: [1], from: 0.5, to: 1 }];
    const runs = this.compare === 'overlay' ? [0, 1] : [this.compare === 'second' ? 1 : 0];
    return [{ runs, from: 0, to: 1 }];
  }

  draw() {
    const { clientWidth: w, clientHeight: h } = this.canvas, { renderer, camera } = this;
    const size = new THREE.Vector3().fromArray(this.page.centre).distanceTo(camera.position);
    if (this.marker.visible) this.marker.scale.setScalar(0.0038 * size);
    renderer.setScissorTest(true);
    for (const view of this.views()) {
      const x = Math.round(view.from * w), width = Math.round(view.to * w) - x;
      this.groups.forEach((g, i) => { g.visible = view.runs.includes(i); });
      renderer.setViewport(x, 0, width, h);
      renderer.setScissor(x, 0, width, h);
      camera.aspect = width / h;
      // a narrow window shows as much across as a square one
      const fov = Math.atan(this.page.slope * Math.max(1, 1.2 / camera.aspect));
      camera.fov = (2 * fov * 180) / Math.PI;
      camera.updateProjectionMatrix();
      renderer.render(this.scene, camera);
    }
    this.drawn = (this.drawn || 0) + 1;
  }

  /** The vertex nearest to where the pointer hits a surface: {actor, vertex} or null. */
  pick(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const u = (clientX - box.left) / box.width, v = (clientY - box.top) / box.height;
    const view = this.views().find((w) => u >= w.from && u < w.to);
    if (!view) return null;
    const ray = new THREE.Raycaster();
    ray.params.Points.threshold = 0.05 * this.page.radius;
    this.camera.aspect = ((view.to - view.from) * box.width) / box.height;
    this.camera.updateProjectionMatrix();
    ray.setFromCamera(new THREE.Vector2((2 * (u - view.from)) / (view.to - view.from) - 1,
      1 - 2 * v), this.camera);
    const targets = this.actors.filter((a) => view.runs.includes(this.page.runs.indexOf(a.run)) &&
      a.object.visible).flatMap((a) => a.object.children.filter((c) => c.userData.actor));
    const hit = ray.intersectObjects(targets, false)[0];
    if (!hit) return null;
    const { actor } = hit.object.userData, { part } = actor;
    if (!hit.face) return { actor, vertex: hit.index };
    let best = null, least = Infinity;
    for (const g of [hit.face.a, hit.face.b, hit.face.c]) {
      const d = hit.point.distanceTo(new THREE.Vector3().fromBufferAttribute(actor.position, g));
      if (d < least) [best, least] = [part.vertexOf[g], d];
    }
    return { actor, vertex: best };
  }
}
