// Shows a run. Of a recorded one all data stand in this page: #head is JSON, #film a zlib stream of
// the sections that `Reader` takes in order. In the playground #head is null, and its script hands
// over what happens by `window.namiji`, which is for scripts and tests, too. One function: its
// parts are here, draw.js, panels.js, beside.js and controls.js, in this order.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const recorded = JSON.parse($("head").textContent);
  let head, width, height, depth, storeys, solid, flat;
  let shots = 0;
  const COLOURS = ["#ca3e47", "#2274a5", "#2e8658", "#9654a8", "#da7e20", "#008a92", "#a06838"];
  const EVADER = "#18181e";
  const WALL = [52, 58, 70], FREE = [250, 250, 248], UNREACHED = [228, 228, 224];
  const CHEAP = [58, 96, 190], DEAR = [206, 58, 52];
  const DANGER = [202, 62, 71], FILL = [120, 84, 40], HEAT = [176, 42, 110], CAUGHT = [10, 90, 60], SLOW = [140, 110, 60];
  const CREST = [196, 60, 40], TROUGH = [46, 92, 168];
  const NEAR = [255, 246, 222], FAR = [134, 167, 196], LOW = [226, 220, 200], HIGH = [104, 128, 92];
  const TRAIL = 120; // moments
  const CROWD = 400; // agents: from here on squares instead of discs, and trails of the chosen one only

  const layers = { walls: true, wave: true, z: true, cost: false, distance: false, danger: true, fill: true, heat: false, walked: false, caught: false, trails: true, graph: false, jumps: true, places: true };
  const film = {};
  const state = { frame: 0, playing: false, speed: 1, chosen: null, view: "", axes: null, turn: -0.5, tilt: 0.6, drawn: -1 };
  // What the playground adds: `tick` lets the world go on, `pointer` and `key` take what a hand
  // does, `under` and `over` draw between ground and agents and above all, `legend` has rows in
  // place of the usual ones, `paused` is told when the film waits.
  const live = { tick: null, pointer: null, key: null, under: null, over: null, legend: null, paused: null };
  const camera = { scale: 1, x: 0, y: 0 };
  const canvas = $("view");
  const pen = canvas.getContext("2d", { alpha: false });

  // ---- the film ----

  class Reader {
    constructor(bytes) { this.bytes = bytes; this.at = 0; }
    take(n) { const part = this.bytes.subarray(this.at, this.at + n); this.at += n; return part; }
  }

  async function inflate(text) {
    const raw = atob(text.trim());
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function begin(with_head) {
    head = with_head;
    [width, height, depth] = head.size;
    storeys = head.storeys;
    shots = head.steps.length;
    solid = head.dimensions === 3;
    flat = solid ? "storeys" : "plan";
    [state.frame, state.chosen, state.view, state.axes] = [0, null, flat, null];
    const side = (n) => Math.ceil(n / head.coarse);
    film.layerSize = [side(width), side(height)];
    film.layers = {};
    film.slowed = 0;
    film.relief = reliefOf(head.heights);
    Object.assign(ground, { key: "", look: "", panels: [], walls: null, edited: 0, box: null, early: false });
    ways.key = "";
    heat.counts = null;
    tellNobody();
  }

  /** The lowest and the highest of heights; an argument list would be too long for a large map. */
  function reliefOf(heights) {
    if (!heights) return null;
    const low = heights.reduce((a, b) => Math.min(a, b), Infinity);
    return [low, Math.max(low + 1e-9, heights.reduce((a, b) => Math.max(a, b), low))];
  }

  async function load() {
    const reader = new Reader(await inflate($("film").textContent));
    begin(recorded);
    $("film").remove();
    const cells = width * height * storeys.length;
    film.walls = reader.take(cells).slice();
    film.slow = reader.take(cells);
    film.isSlow = film.slow.includes(1);
    film.first = new Uint32Array(shots + 1);
    for (let f = 0; f < shots; f++) film.first[f + 1] = film.first[f] + head.counts[f];
    const total = film.first[shots];
    film.places = [];
    for (let axis = 0; axis < head.axes; axis++) {
      const [low, high] = [reader.take(total), reader.take(total)];
      const places = new Uint16Array(total);
      for (let f = 0; f < shots; f++) {
        const from = film.first[f], n = head.counts[f];
        const before = f > 0 ? film.first[f - 1] : 0, known = f > 0 ? head.counts[f - 1] : 0;
        for (let i = 0; i < n; i++) {
          const past = i < known ? places[before + i] : 0;
          places[from + i] = past + low[from + i] + (high[from + i] << 8);
        }
      }
      film.places.push(places);
    }
    film.doing = reader.take(total);
    for (const layer of head.layers) {
      const values = reader.take(film.layerSize[0] * film.layerSize[1] * storeys.length);
      (film.layers[layer.name] ??= []).push({ ...layer, values });
    }
    const bytes = reader.take(4 * shots * head.gauges.length).slice();
    const gauges = new Float32Array(bytes.buffer), n = head.gauges.length;
    film.gauges = Array.from({ length: shots }, (_, f) => gauges.subarray(f * n, f * n + n));
    film.agents = Math.max(...head.counts);
  }

  // ---- a film that goes on ----

  const KEPT = 1 << 22; // places
  const LAYERS = 64;

  /** Begins a film of no moments yet. */
  function beginLive(with_head, bytes) {
    pause();
    begin({ ...with_head, steps: [], counts: [], edits: [], why: [], gauges: [] });
    const cells = width * height * storeys.length;
    film.walls = bytes.slice(0, cells);
    film.slow = bytes.slice(cells);
    film.isSlow = film.slow.includes(1);
    film.first = [0];
    film.places = Array.from({ length: head.axes }, () => new Uint16Array(1 << 16));
    film.doing = new Uint8Array(1 << 16);
    film.gauges = [];
    shots = 0;
    refresh();
  }

  /** Adds what happened, and goes there. */
  function append(more, bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let at = 0;
    head.gauges = more.gauges;
    more.steps.forEach((step, k) => {
      const n = more.counts[k];
      makeRoom(n);
      const first = film.first[shots];
      for (let i = 0; i < n; i++) {
        for (let axis = 0; axis < head.axes; axis++, at += 2) {
          film.places[axis][first + i] = view.getUint16(at, true);
        }
      }
      film.doing.set(bytes.subarray(at, at + n), first);
      at += n;
      head.steps.push(step);
      head.counts.push(n);
      film.first.push(first + n);
      film.gauges.push(more.values[k].map((v) => v ?? NaN));
      shots++;
    });
    for (const layer of more.layers) {
      const list = film.layers[layer.name] ??= [];
      list.push({ ...layer, values: bytes.slice(at, at + layer.length) });
      at += layer.length;
      if (list.length > LAYERS) list.shift();
    }
    head.edits.push(...more.edits);
    // What was shown early may have been refused.
    if (ground.early && more.steps.length > 0) Object.assign(ground, { walls: null, key: "", early: false });
    head.why.push(...more.why);
    $("seek").max = shots - 1;
    state.frame = shots - 1;
  }

  /** Cells of a box, x first, are slow from now on. */
  function slow(low, high) {
    const panel = solid ? storeys.indexOf(low[2]) : 0;
    for (let y = low[1]; y <= high[1]; y++) {
      film.slow.fill(1, (panel * height + y) * width + low[0], (panel * height + y) * width + high[0] + 1);
    }
    film.slowed++;
    film.isSlow = true;
    touch(low[0], low[1]);
    touch(high[0], high[1]);
  }

  /** Shows cells of a box, x first, as walls or free until the world tells what they are. */
  function wall(low, high, is_wall) {
    const panel = solid ? storeys.indexOf(low[2]) : 0, walls = wallsAt(stepOf(state.frame));
    for (let y = low[1]; y <= high[1]; y++) {
      walls.fill(+is_wall, (panel * height + y) * width + low[0], (panel * height + y) * width + high[0] + 1);
    }
    touch(low[0], low[1]);
    touch(high[0], high[1]);
    ground.key = "";
    ground.early = true;
  }

  /** Cells, each by its index row by row, lie at other heights from now on. */
  function lift(cells) {
    for (const [i, height] of cells) {
      head.heights[i] = height;
      touch(i % width, Math.floor(i / width));
    }
    const relief = reliefOf(head.heights);
    if (String(relief) !== String(film.relief)) ground.look = "";
    film.relief = relief;
    ground.key = "";
  }

  /** Room for a moment of so many; where none is left, the earlier half is forgotten. */
  function makeRoom(n) {
    const used = film.first[shots];
    if (used + n <= film.doing.length) return;
    if (used + n > KEPT && shots > 1) {
      const gone = shots >> 1, from = film.first[gone];
      film.places.forEach((places) => places.copyWithin(0, from, used));
      film.doing.copyWithin(0, from, used);
      film.first = film.first.slice(gone).map((at) => at - from);
      for (const list of [head.steps, head.counts, film.gauges]) list.splice(0, gone);
      shots -= gone;
      heat.counts = null;
      makeRoom(n);
      return;
    }
    const grown = (old) => {
      const next = new old.constructor(Math.max(2 * old.length, used + n));
      next.set(old);
      return next;
    };
    film.places = film.places.map(grown);
    film.doing = grown(film.doing);
  }

  /** World units along an axis. */
  function coordinate(axis, shot, agent) {
    if (axis >= head.axes) return 0;
    const [low, extent] = head.range[axis];
    return low + film.places[axis][film.first[shot] + agent] / 65535 * extent;
  }

  /** Where somebody is between two moments; null before it came. */
  function place(agent, frame) {
    const shot = Math.floor(frame), part = frame - shot;
    if (agent >= head.counts[shot]) return null;
    const at = [0, 1, 2].map((axis) => coordinate(axis, shot, agent));
    if (part > 0 && shot + 1 < shots) {
      for (let axis = 0; axis < head.axes; axis++) {
        at[axis] += (coordinate(axis, shot + 1, agent) - at[axis]) * part;
      }
    }
    return at;
  }

  /** The last entry at or before a step, of a list sorted by step. */
  function latest(list, step, stepOf) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stepOf(list[middle]) <= step) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  // ---- from the world to the canvas ----

  const ASIDE = 0.45, DOWN = 0.45, GAP = 2; // of a cell
  const LOWEST = 0.05, STEEPEST = Math.PI / 2; // how far the eye may be above the horizon

  /** Where x, y and z go on the drawing: [right, down] of each; null where storeys stand side by side. */
  function axesOf(view) {
    if (view === "oblique") return [[1, 0], [ASIDE, DOWN], [0, -1]];
    const [turn, tilt] = view === "front" ? [0, 0.15] : [state.turn, state.tilt];
    if (view !== "front" && view !== "turned") return null;
    const [sin, cos, up] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt)];
    return [[cos, up * sin], [-sin, up * cos], [0, -Math.cos(tilt)]];
  }

  function nearestStorey(z) {
    let best = 0;
    storeys.forEach((s, i) => { if (Math.abs(s - z) < Math.abs(storeys[best] - z)) best = i; });
    return best;
  }

  /** In cells of the drawing. */
  function project(x, y, z) {
    const [cx, cy, cz] = [x / head.spacing, y / head.spacing, z / head.spacing];
    if (state.axes) {
      const [a, b, c] = state.axes;
      return [a[0] * cx + b[0] * cy + c[0] * cz, a[1] * cx + b[1] * cy + c[1] * cz];
    }
    const panel = solid ? nearestStorey(cz) : 0;
    return [cx + panel * (width + GAP), cy];
  }

  function toCanvas(x, y, z) {
    const [u, v] = project(x, y, z);
    return [(u - camera.x) * camera.scale, (v - camera.y) * camera.scale];
  }

  /** The place under a point of the canvas, in world units; null where none is, or more than one. */
  function fromCanvas(x, y) {
    if (state.axes) return null;
    const u = x / camera.scale + camera.x, v = y / camera.scale + camera.y;
    const panel = solid ? Math.floor((u + 0.5) / (width + GAP)) : 0;
    const cell = [u - panel * (width + GAP), v, storeys[panel]].slice(0, head.dimensions);
    const size = [width, height, depth];
    const isIn = panel >= 0 && panel < storeys.length && cell.every((c, a) => c >= -0.5 && c < size[a] - 0.5);
    return isIn ? cell.map((c) => c * head.spacing) : null;
  }

  function fit() {
    let box = [-0.5, -0.5, storeys.length * (width + GAP) - GAP - 0.5, height - 0.5];
    if (state.axes) {
      const tops = [0, solid ? depth : 8];
      const corners = [0, width].flatMap((x) => [0, height].flatMap((y) => tops.map((z) => [x, y, z])));
      const seen = corners.map((corner) => project(...corner.map((c) => c * head.spacing)));
      const [us, vs] = [0, 1].map((axis) => seen.map((point) => point[axis]));
      box = [Math.min(...us) - 1, Math.min(...vs) - 1, Math.max(...us) + 1, Math.max(...vs) + 1];
    }
    const [w, h] = [canvas.width, canvas.height];
    camera.scale = 0.97 * Math.min(w / (box[2] - box[0]), h / (box[3] - box[1]));
    camera.x = (box[0] + box[2]) / 2 - w / 2 / camera.scale;
    camera.y = (box[1] + box[3]) / 2 - h / 2 / camera.scale;
  }
