// Shows a run. Of a recorded one all data stand in this page: #head is JSON, #film a zlib stream of the
// sections that `Reader` takes in order. In the playground #head is null, and its script hands over what
// happens by `window.namiji`, which is for scripts and tests, too.
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
  const DANGER = [202, 62, 71], FILL = [120, 84, 40], SLOW = [140, 110, 60];
  const CREST = [196, 60, 40], TROUGH = [46, 92, 168];
  const NEAR = [255, 246, 222], FAR = [134, 167, 196], LOW = [226, 220, 200], HIGH = [104, 128, 92];
  const TRAIL = 120; // moments
  const CROWD = 400; // agents: from here on squares instead of discs, and trails of the chosen one only

  const layers = { walls: true, wave: true, z: true, cost: false, distance: false, danger: true, fill: true, trails: true, graph: false, jumps: true, places: true };
  const film = {};
  const state = { frame: 0, playing: false, speed: 1, chosen: null, view: "", axes: null, turn: -0.5, tilt: 0.6, drawn: -1 };
  // What the playground adds: `tick` lets the world go on, `pointer` and `key` take what a hand does.
  const live = { tick: null, pointer: null, key: null };
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
    Object.assign(ground, { key: "", look: "", panels: [], walls: null, edited: 0 });
    ways.key = "";
  }

  async function load() {
    const reader = new Reader(await inflate($("film").textContent));
    begin(recorded);
    $("film").remove();
    const cells = width * height * storeys.length;
    film.walls = reader.take(cells).slice();
    film.slow = reader.take(cells);
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

  // ---- the ground ----

  const ground = { key: "", look: "", panels: [], walls: null, edited: 0, painted: 0 };

  function wallsAt(step) {
    if (!ground.walls || head.edits.length && step < ground.step) {
      ground.walls = film.walls.slice();
      ground.edited = 0;
    }
    ground.step = step;
    const plane = width * height;
    while (ground.edited < head.edits.length && head.edits[ground.edited][0] <= step) {
      const [, cell, wall] = head.edits[ground.edited++];
      const panel = storeys.indexOf(Math.floor(cell / plane));
      if (panel >= 0) ground.walls[panel * plane + cell % plane] = wall;
    }
    return ground.walls;
  }

  function layerAt(name, step) {
    const list = film.layers[name];
    if (!layers[name] || !list) return null;
    const i = latest(list, step, (layer) => layer.step);
    return i >= 0 ? list[i] : null;
  }

  const mix = (a, b, u) => [0, 1, 2].map((i) => a[i] + (b[i] - a[i]) * u);

  // Figures per cell that colour the ground: what a cell's number makes of the colour below. Of cost and
  // distance one is enough to look at; both are coloured as the source's figures are.
  const TINTS = {
    wave: (below, v) => v === 255 ? UNREACHED : mix(NEAR, FAR, v / 254),
    z: (below, v) => mix(FREE, v > 127 ? CREST : TROUGH, Math.min(Math.abs(v - 127) / 127, 1)),
    distance: (below, v) => v === 255 ? below : mix(CHEAP, DEAR, v / 254),
    cost: (below, v) => v === 255 ? below : mix(CHEAP, DEAR, v / 254),
    danger: (below, v) => v === 255 ? below : mix(below, DANGER, 0.75 * v / 254),
    fill: (below, v) => v === 255 ? below : mix(below, FILL, 0.8 * v / 254),
  };

  /** The layers that colour the ground at a step, in their order. */
  const shownAt = (step) => Object.keys(TINTS).map((name) => layerAt(name, step)).filter((layer) => layer);

  /** One small picture a storey, a pixel a cell; only cells in which something has changed are painted. */
  function paintGround(step) {
    const walls = wallsAt(step), shown = shownAt(step);
    const key = [ground.edited, film.slowed, layers.walls, ...shown.map((l) => l.name + l.step)].join();
    if (ground.key === key) return;
    ground.key = key;
    const look = [layers.walls, ...shown.map((l) => l.name)].join();
    const whole = ground.look !== look;
    ground.look = look;
    ground.painted = 0;
    const [lw, lh] = film.layerSize, coarse = head.coarse;
    const top = head.heights ? Math.max(...head.heights, 1e-9) : 1;
    storeys.forEach((_, panel) => {
      const of = ground.panels[panel] ??= newPanel();
      const box = [width, height, -1, -1];
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) {
          const cell = panel * width * height + i;
          const at = (panel * lh + Math.floor(y / coarse)) * lw + Math.floor(x / coarse);
          const kind = walls[cell] + 2 * film.slow[cell];
          let same = !whole && of.kinds[i] === kind;
          for (let k = 0; same && k < shown.length; k++) same = of.shown[k].values[at] === shown[k].values[at];
          if (same) continue;
          of.kinds[i] = kind;
          let colour = head.heights ? mix(LOW, HIGH, head.heights[i] / top) : FREE;
          if (layers.walls && walls[cell]) {
            colour = WALL;
          } else {
            for (const layer of shown) {
              const hidden = head.heights && (layer.name === "wave" || layer.name === "z");
              if (!hidden) colour = TINTS[layer.name](colour, layer.values[at]);
            }
            if (film.slow[cell]) colour = mix(colour, SLOW, 0.3);
          }
          of.image.data.set(colour, 4 * i);
          of.image.data[4 * i + 3] = 255;
          ground.painted++;
          box[0] = Math.min(box[0], x);
          box[1] = Math.min(box[1], y);
          box[2] = Math.max(box[2], x);
          box[3] = y;
        }
      }
      of.shown = shown;
      if (box[3] < 0) return;
      const size = [box[2] - box[0] + 1, box[3] - box[1] + 1];
      of.brush.putImageData(of.image, 0, 0, box[0], box[1], ...size);
    });
  }

  function newPanel() {
    const picture = Object.assign(document.createElement("canvas"), { width, height });
    const brush = picture.getContext("2d");
    return { picture, brush, image: brush.createImageData(width, height), kinds: new Uint8Array(width * height), shown: [] };
  }

  function drawGround(step) {
    paintGround(step);
    pen.imageSmoothingEnabled = false;
    const s = camera.scale;
    storeys.forEach((z, panel) => {
      pen.save();
      if (state.axes) {
        const [x, y] = toCanvas(0, 0, (solid ? z : 0) * head.spacing);
        const [right, down] = state.axes;
        pen.transform(right[0] * s, right[1] * s, down[0] * s, down[1] * s, x, y);
        pen.globalAlpha = solid && panel > 0 ? 0.72 : 1;
      } else {
        const x = (panel * (width + GAP) - camera.x) * s;
        pen.transform(s, 0, 0, s, x, -camera.y * s);
      }
      pen.drawImage(ground.panels[panel].picture, -0.5, -0.5);
      pen.restore();
    });
  }

  // ---- lines ----

  const ways = { key: "", edges: null, jumps: null };

  function drawWays() {
    if (!layers.graph || !head.ways.length) return;
    if (ways.key !== String(state.axes)) {
      ways.key = String(state.axes);
      [ways.edges, ways.jumps] = [new Path2D(), new Path2D()];
      for (const [[a, b], jump] of head.ways) {
        const [from, to] = [project(...a), project(...b)];
        const path = jump ? ways.jumps : ways.edges;
        path.moveTo(...from);
        if (jump) {
          const lift = state.axes ? 1.5 : 0.4;
          path.quadraticCurveTo((from[0] + to[0]) / 2, (from[1] + to[1]) / 2 - lift, ...to);
        } else {
          path.lineTo(...to);
        }
      }
    }
    pen.save();
    pen.scale(camera.scale, camera.scale);
    pen.translate(-camera.x, -camera.y);
    pen.lineWidth = 0.8 / camera.scale;
    pen.strokeStyle = "rgba(52,58,70,.35)";
    pen.stroke(ways.edges);
    if (layers.jumps) {
      pen.strokeStyle = "rgba(150,84,168,.16)";
      pen.stroke(ways.jumps);
    }
    pen.restore();
  }

  const isJump = (does) => head.doing[does][0] === "jumping";
  const colourOf = (agent) => agent < head.evaders ? EVADER : COLOURS[(agent - head.evaders) % COLOURS.length];

  function drawTrail(agent, frame, wanted) {
    const last = Math.floor(frame), from = Math.max(0, last - TRAIL);
    let open = false, before = null;
    pen.beginPath();
    for (let shot = from; shot <= last; shot++) {
      if (agent >= head.counts[shot]) continue;
      const [x, y, z] = [0, 1, 2].map((axis) => coordinate(axis, shot, agent));
      const fits = wanted === null || isJump(film.doing[film.first[shot] + agent]) === wanted;
      const panel = solid && !state.axes ? nearestStorey(z / head.spacing) : 0;
      const at = toCanvas(x, y, z);
      if (!fits) { open = false; }
      else if (open && panel === before) pen.lineTo(...at);
      else { pen.moveTo(...at); open = true; }
      before = panel;
    }
    pen.stroke();
  }

  function drawTrails(frame) {
    const n = head.counts[Math.floor(frame)];
    const all = n <= 60;
    for (let agent = 0; agent < n; agent++) {
      if (!all && agent >= head.evaders && agent !== state.chosen) {
        if (state.chosen === null || agent > state.chosen) break;
        continue;
      }
      pen.strokeStyle = colourOf(agent);
      if (layers.trails) {
        pen.lineWidth = 2;
        pen.globalAlpha = 0.55;
        drawTrail(agent, frame, null);
      }
      if (layers.jumps) {
        pen.lineWidth = 3.5;
        pen.globalAlpha = 0.9;
        drawTrail(agent, frame, true);
      }
      pen.globalAlpha = 1;
    }
  }

  // ---- places ----

  /** Crosses with names: marks, and what the scenario states by coordinates. */
  function drawPlaces() {
    if (!layers.places) return;
    const arm = 4 * devicePixelRatio;
    pen.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    pen.lineJoin = "round";
    for (const [name, at] of head.places) {
      const [x, y] = toCanvas(...at);
      const cross = new Path2D();
      for (const side of [-1, 1]) {
        cross.moveTo(x - arm, y - side * arm);
        cross.lineTo(x + arm, y + side * arm);
      }
      // A light edge, so that it is seen on walls, too.
      for (const [style, width] of [["rgba(250,250,248,.85)", 4], ["#5a3d8a", 1.5]]) {
        pen.strokeStyle = style;
        pen.lineWidth = width * devicePixelRatio;
        pen.stroke(cross);
        if (width > 2) pen.strokeText(name, x + 1.5 * arm, y - arm);
      }
      pen.fillStyle = "#5a3d8a";
      pen.fillText(name, x + 1.5 * arm, y - arm);
    }
  }

  // ---- everybody ----

  function drawAgents(frame) {
    const shot = Math.floor(frame), part = shot + 1 < shots ? frame - shot : 0;
    const n = head.counts[shot];
    const size = Math.max(1.5, Math.min(7, 0.42 * camera.scale)) * (n > CROWD ? 0.8 : 1);
    const [w, h] = [canvas.width, canvas.height];
    const [first, next] = [film.first[shot], film.first[Math.min(shot + 1, shots - 1)]];
    const unit = head.range.map(([, extent]) => extent / 65535 / head.spacing);
    const low = head.range.map(([low]) => low / head.spacing);
    const [px, py, pz] = film.places;
    // Colour by colour: changing the pen's colour costs more than a square.
    for (let colour = 0; colour < COLOURS.length; colour++) {
      pen.fillStyle = COLOURS[colour];
      for (let agent = head.evaders + colour; agent < n; agent += COLOURS.length) {
        const [i, j] = [first + agent, next + agent];
        let x = px[i] + (px[j] - px[i]) * part, y = py[i] + (py[j] - py[i]) * part;
        let z = pz ? pz[i] + (pz[j] - pz[i]) * part : 0;
        x = low[0] + x * unit[0];
        y = low[1] + y * unit[1];
        z = pz ? low[2] + z * unit[2] : 0;
        if (state.axes) {
          const [a, b, c] = state.axes;
          [x, y] = [a[0] * x + b[0] * y + c[0] * z, a[1] * x + b[1] * y + c[1] * z];
        } else if (solid) {
          x += nearestStorey(z) * (width + GAP);
        }
        x = (x - camera.x) * camera.scale;
        y = (y - camera.y) * camera.scale;
        if (x < -9 || y < -9 || x > w + 9 || y > h + 9) continue;
        if (n > CROWD) {
          pen.fillRect(x - size, y - size, 2 * size, 2 * size);
        } else {
          pen.beginPath();
          pen.arc(x, y, size, 0, 7);
          pen.fill();
        }
      }
    }
    for (let agent = 0; agent < Math.min(head.evaders, n); agent++) {
      const at = toCanvas(...place(agent, frame));
      for (const [radius, fill] of [[1.9, EVADER], [1.4, "#fafaf8"], [0.75, EVADER]]) {
        pen.fillStyle = fill;
        pen.beginPath();
        pen.arc(...at, Math.max(3, size) * radius, 0, 7);
        pen.fill();
      }
    }
    const chosen = state.chosen === null ? null : place(state.chosen, frame);
    if (chosen) {
      pen.strokeStyle = "#000";
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(...toCanvas(...chosen), 3 * Math.max(3, size), 0, 7);
      pen.stroke();
    }
  }

  function draw() {
    const step = stepOf(state.frame);
    pen.fillStyle = "#fafaf8";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    drawGround(step);
    drawWays();
    drawPlaces();
    if (layers.trails || layers.jumps) drawTrails(state.frame);
    drawAgents(state.frame);
    state.drawn = state.frame;
  }

  // ---- panels ----

  const stepOf = (frame) => head.steps[Math.floor(frame)];

  function describe() {
    const agent = state.chosen;
    if (agent === null) return;
    const shot = Math.floor(state.frame);
    const at = place(agent, state.frame);
    const name = agent < head.evaders ? `evader ${agent}` : `pursuer ${agent - head.evaders}`;
    if (!at) { $("who").textContent = `${name}: not there yet`; return; }
    const [word, meaning] = head.doing[film.doing[film.first[shot] + agent]];
    const where = at.slice(0, head.axes).map((v) => v.toFixed(2)).join(", ");
    $("who").textContent = `${name} at (${where}): ${word}: it ${meaning}`;
    const own = head.why.filter(([, who]) => who === agent && agent < head.evaders);
    const i = latest(own, stepOf(state.frame), ([step]) => step);
    $("why").textContent = i >= 0 ? own[i][2] : "";
  }

  const short = (v) => +v.toPrecision(4);
  const css = (colour) => `rgb(${colour.map(Math.round)})`;
  const scale = (from, to) => `linear-gradient(to right, ${css(from)}, ${css(to)})`;
  const TOLD = {
    wave: (most) => [scale(NEAR, FAR), "0", `${short(most)} steps`],
    z: () => [`linear-gradient(to right, ${css(TROUGH)}, ${css(FREE)}, ${css(CREST)})`, "trough", "crest"],
    distance: (most) => [scale(CHEAP, DEAR), "0", short(most)],
    cost: (most) => [scale(CHEAP, DEAR), "0", short(most)],
    danger: (most) => [scale(FREE, mix(FREE, DANGER, 0.75)), "0", short(most)],
    fill: (most) => [scale(FREE, mix(FREE, FILL, 0.8)), "0", short(most)],
  };

  /** What the colours of now mean. */
  function drawLegend() {
    const rows = [["wall", css(WALL)]];
    if (film.slow.some((slow) => slow)) rows.push(["slow", css(mix(FREE, SLOW, 0.3))]);
    if (head.heights) rows.push(["height", scale(LOW, HIGH), "0", short(Math.max(...head.heights))]);
    for (const layer of shownAt(stepOf(state.frame))) {
      rows.push([layer.name, ...TOLD[layer.name](layer.most)]);
    }
    rows.push(["evader", EVADER], ["pursuer", `linear-gradient(to right, ${COLOURS.join()})`]);
    if (layers.places && head.places.length > 0) rows.push(["place", "#5a3d8a"]);
    const key = rows.join();
    if (key === $("legend").dataset.key) return;
    $("legend").dataset.key = key;
    $("legend").replaceChildren(...rows.map(([name, paint, low, high]) => {
      const row = document.createElement("div");
      const [word, from, bar, to] = ["span", "small", "i", "small"].map((kind) => document.createElement(kind));
      word.textContent = name;
      bar.style.background = paint;
      [from.textContent, to.textContent] = [low ?? "", high ?? ""];
      row.append(word, from, bar, to);
      return row;
    }));
  }

  /** Where the pointer is, as a scenario states places and cells, and what is there. */
  function tellHere(at) {
    const text = [];
    if (at && shots > 0) {
      const cell = at.map((v) => Math.round(v / head.spacing));
      const panel = solid ? storeys.indexOf(cell[2]) : 0;
      const i = (panel * height + cell[1]) * width + cell[0], step = stepOf(state.frame);
      text.push(`start = [${at.map((v) => +v.toFixed(2)).join(", ")}]`, `from = [${cell.join(", ")}]`);
      if (wallsAt(step)[i]) text.push("wall");
      if (film.slow[i]) text.push("slow");
      if (head.heights) text.push(`height ${short(head.heights[cell[1] * width + cell[0]])}`);
      const [lw, lh] = film.layerSize;
      const coarse = (panel * lh + Math.floor(cell[1] / head.coarse)) * lw + Math.floor(cell[0] / head.coarse);
      for (const { name, values, most } of shownAt(step)) {
        const v = values[coarse];
        if (v < 255) text.push(`${name} ${short(name === "z" ? (v - 127) / 127 : v / 254 * most)}`);
      }
      const near = head.places.find(([, place]) => cell.every((c, axis) => Math.round(place[axis] / head.spacing) === c));
      if (near) text.push(`"${near[0]}"`);
    }
    $("here").textContent = text.join("   ");
  }

  const plots = [];

  /** A plot a figure; figures may come later. */
  function makePlots() {
    for (const name of head.gauges.slice(plots.length)) {
      const box = document.createElement("div");
      const label = document.createElement("span");
      const plot = document.createElement("canvas");
      plot.width = 600;
      plot.height = 108;
      box.append(label, plot);
      $("plots").append(box);
      plot.addEventListener("click", (event) => {
        seek(event.offsetX / plot.clientWidth * (shots - 1));
      });
      plots.push({ name, label, pen: plot.getContext("2d"), shots: 0, line: null });
    }
  }

  function lineOf(gauge) {
    const values = film.gauges.map((of) => of[gauge] ?? NaN);
    const finite = values.filter(Number.isFinite);
    const low = finite.reduce((a, b) => Math.min(a, b), 0);
    const high = finite.reduce((a, b) => Math.max(a, b), low + 1e-9);
    const line = new Path2D();
    values.forEach((v, f) => {
      if (!Number.isFinite(v)) return;
      line.lineTo(f / Math.max(1, shots - 1) * 600, 104 - (v - low) / (high - low) * 98);
    });
    return line;
  }

  function drawPlots() {
    makePlots();
    plots.forEach((plot, gauge) => {
      const { name, label, pen } = plot;
      if (plot.shots !== shots) [plot.line, plot.shots] = [lineOf(gauge), shots];
      const v = film.gauges[Math.floor(state.frame)][gauge];
      label.textContent = `${name}: ${Number.isFinite(v) ? +v.toPrecision(4) : "-"}`;
      pen.clearRect(0, 0, 600, 108);
      pen.lineWidth = 2;
      pen.strokeStyle = "#2274a5";
      pen.stroke(plot.line);
      const x = state.frame / Math.max(1, shots - 1) * 600;
      pen.fillStyle = "#ca3e47";
      pen.fillRect(x - 1, 0, 2, 108);
    });
  }

  function drawOutcome() {
    const rows = [];
    const add = (key, value) => {
      if (value !== null && typeof value === "object") {
        for (const [k, v] of Object.entries(value)) add(key ? `${key}.${k}` : k, v);
      } else if (value !== null) {
        rows.push([key, typeof value === "number" ? +value.toPrecision(6) : value]);
      }
    };
    add("", head.summary.outcome);
    $("outcome").replaceChildren();
    rows.push(["state_hash", head.summary.state_hash]);
    for (const cells of rows) {
      const row = $("outcome").insertRow();
      for (const cell of cells) row.insertCell().textContent = cell;
    }
  }

  // ---- controls ----

  let panelled = 0;

  function show(now = performance.now(), whole = true) {
    if (shots === 0) return;
    draw();
    $("seek").value = Math.floor(state.frame);
    const step = stepOf(state.frame);
    $("time").textContent = `frame ${step}, ${(step * head.dt).toFixed(2)} s`;
    // Text and plots ten times a second are enough.
    if (whole || now - panelled > 100) {
      panelled = now;
      describe();
      drawPlots();
      drawLegend();
    }
  }

  function seek(frame) {
    state.frame = Math.max(0, Math.min(shots - 1, frame));
    show();
  }

  let last = 0;
  function tick(now) {
    if (!state.playing) return;
    const passed = Math.min(0.25, (now - last) / 1000);
    last = now;
    if (live.tick) {
      live.tick(passed);
      show(now, !state.playing);
      if (state.playing) requestAnimationFrame(tick);
      return;
    }
    // As fast as the run's own clock, times the speed.
    const each = shots > 1 ? (head.steps[shots - 1] - head.steps[0]) / (shots - 1) * head.dt : 1;
    state.frame += passed * state.speed / each;
    if (state.frame >= shots - 1) {
      state.frame = shots - 1;
      pause();
    }
    show(now, !state.playing);
    if (state.playing) requestAnimationFrame(tick);
  }

  function play() {
    if (state.playing) return;
    if (state.frame >= shots - 1 && !live.tick) state.frame = 0;
    state.playing = true;
    $("play").textContent = "pause";
    last = performance.now();
    requestAnimationFrame(tick);
  }

  function pause() {
    state.playing = false;
    $("play").textContent = "play";
  }

  function toggle(name, on) {
    layers[name] = on ?? !layers[name];
    const box = document.querySelector(`#layers input[name=${name}]`);
    if (box) box.checked = layers[name];
    show();
  }

  function choose(x, y) {
    let [best, nearest] = [null, 14 * devicePixelRatio];
    for (let agent = 0; agent < head.counts[Math.floor(state.frame)]; agent++) {
      const at = toCanvas(...place(agent, state.frame));
      const far = Math.hypot(at[0] - x, at[1] - y);
      if (far < nearest) [best, nearest] = [agent, far];
    }
    state.chosen = best;
    if (best === null) { $("who").textContent = "nobody chosen"; $("why").textContent = ""; }
    show();
  }

  const MEANING = {
    walls: "dark: walls",
    wave: "when the newest wave came: light early, blue late; grey: not yet",
    cost: "what it costs the first evader that decides by utility AI to stand there, fill included: blue low, red high",
    distance: "how far it has to its goal: blue near, red far; the cost hides it",
    z: "the waves themselves: red crests, blue troughs, by the root of their height; of several waves the sum",
    danger: "red: where the first evader that weighs danger feels pursuers, as they travel",
    fill: "brown: by how much its dead ends are filled",
    trails: "where everybody has been of late",
    graph: "grey lines: steps; violet lines, with jump arcs on: jumps that are possible",
    jumps: "the arcs of those who jumped of late",
    places: "crosses: starts, goals and marks, by their names or keys",
  };

  const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128];

  /** What the page says of this run. */
  function refresh() {
    $("name").textContent = `${head.summary.scenario}, seed ${head.summary.seed}`;
    $("question").textContent = head.question;
    $("seek").max = shots - 1;
    $("plots").replaceChildren();
    plots.length = 0;
    drawOutcome();
    const there = { graph: head.ways.length, places: head.places.length };
    if (recorded) {
      for (const name of ["wave", "z", "cost", "distance", "danger", "fill"]) there[name] = film.layers[name];
    }
    for (const name of Object.keys(layers)) {
      document.querySelector(`#layers input[name=${name}]`).disabled = name in there && !there[name];
    }
    const tall = solid || head.heights;
    $("projection").replaceChildren();
    for (const name of tall ? [flat, "oblique", "front", "turned"] : [flat]) {
      $("projection").add(new Option(name, name));
    }
  }

  function setUp() {
    for (const name of Object.keys(layers)) {
      const label = document.createElement("label");
      label.title = MEANING[name];
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name, checked: layers[name] });
      box.addEventListener("change", () => toggle(name, box.checked));
      label.append(box, ` ${name === "jumps" ? "jump arcs" : name}`);
      $("layers").append(label);
    }
    for (const speed of SPEEDS) $("speed").add(new Option(`${speed} x`, speed, false, speed === 1));
    $("speed").addEventListener("change", (e) => { state.speed = +e.target.value; });
    $("projection").addEventListener("change", (e) => { view(e.target.value); });
    $("play").addEventListener("click", () => state.playing ? pause() : play());
    $("fit").addEventListener("click", () => { fit(); show(); });
    $("seek").addEventListener("input", (e) => seek(+e.target.value));
    addEventListener("keydown", (e) => {
      if (e.target.tagName === "SELECT" || live.key?.(e)) return;
      const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
      if (e.key === " ") { e.preventDefault(); state.playing ? pause() : play(); }
      else if (e.key in moves && e.target.id !== "seek") seek(Math.floor(state.frame) + moves[e.key]);
    });
    let drag = null;
    const fingers = new Map();
    const at = (e) => [e.offsetX * devicePixelRatio, e.offsetY * devicePixelRatio];
    const hand = (kind, e) => shots > 0 && live.pointer?.(kind, fromCanvas(...at(e)), e);
    /** The middle of two fingers, and how far apart they are. */
    const pinch = () => {
      const [[ax, ay], [bx, by]] = [...fingers.values()];
      return [(ax + bx) / 2, (ay + by) / 2, Math.max(1, Math.hypot(ax - bx, ay - by))];
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, at(e));
      if (fingers.size > 1) {
        // Two fingers move the map; what one had begun ends.
        if (drag?.byHand) hand("up", e);
        drag = null;
      } else {
        drag = { at: at(e), moved: 0, byHand: hand("down", e) };
      }
    });
    canvas.addEventListener("pointermove", (e) => {
      const [x, y] = at(e);
      tellHere(fromCanvas(x, y));
      if (fingers.size === 2 && fingers.has(e.pointerId)) {
        const [fx, fy, before] = pinch();
        fingers.set(e.pointerId, [x, y]);
        const [tx, ty, after] = pinch();
        camera.x += fx / camera.scale;
        camera.y += fy / camera.scale;
        camera.scale *= after / before;
        camera.x -= tx / camera.scale;
        camera.y -= ty / camera.scale;
        show();
        return;
      }
      if (!drag || drag.byHand) {
        hand(drag ? "move" : "over", e);
        return;
      }
      drag.moved += Math.abs(x - drag.at[0]) + Math.abs(y - drag.at[1]);
      const [right, down] = [x - drag.at[0], y - drag.at[1]];
      drag.at = [x, y];
      if (state.view === "turned" && !e.shiftKey) {
        turn(state.turn - right / 200, state.tilt + down / 200);
        return;
      }
      camera.x -= right / camera.scale;
      camera.y -= down / camera.scale;
      show();
    });
    const lift = (e) => {
      fingers.delete(e.pointerId);
      if (drag?.byHand) hand("up", e);
      else if (drag && drag.moved < 5 && e.type === "pointerup") choose(...at(e));
      drag = null;
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => tellHere(null));
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const [x, y] = at(e), factor = Math.exp(-e.deltaY / 400);
      camera.x += x / camera.scale * (1 - 1 / factor);
      camera.y += y / camera.scale * (1 - 1 / factor);
      camera.scale *= factor;
      show();
    }, { passive: false });
    new ResizeObserver(resize).observe(canvas);
  }

  function view(name) {
    [state.view, state.axes] = [name, axesOf(name)];
    $("projection").value = name;
    fit();
    show();
  }

  /** Turns the scene about its middle; angles in radians. */
  function turn(angle, tilt) {
    const middle = [width, height, solid ? depth : 0].map((n) => (n - 1) / 2 * head.spacing);
    if (state.view !== "turned") view("turned");
    const before = toCanvas(...middle);
    state.turn = angle;
    state.tilt = Math.min(Math.max(tilt, LOWEST), STEEPEST);
    state.axes = axesOf("turned");
    const after = toCanvas(...middle);
    camera.x += (after[0] - before[0]) / camera.scale;
    camera.y += (after[1] - before[1]) / camera.scale;
    show();
  }

  function resize() {
    canvas.width = Math.max(1, canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.max(1, canvas.clientHeight * devicePixelRatio);
    if (shots > 0) {
      fit();
      show();
    }
  }

  setUp();
  const ready = !recorded ? Promise.resolve() : load().then(() => {
    // At first the speed at which all of it takes about twenty seconds.
    const wanted = head.steps[shots - 1] * head.dt / 20;
    state.speed = SPEEDS.find((speed) => speed >= wanted) ?? 128;
    $("speed").value = state.speed;
    refresh();
    resize();
    $("status").textContent = "";
  }).catch((error) => {
    $("status").textContent = `this report cannot be shown: ${error.message}`;
    throw error;
  });

  window.namiji = {
    ready, film, layers, live, play, pause, seek, show, fit, resize, toggle, choose, place, toCanvas, fromCanvas,
    view, turn, draw, drawOutcome, canvas, beginLive, append, slow, inflate, setState: (more) => Object.assign(state, more),
    get head() { return head; },
    /** How many cells the last change of the ground painted. */
    get painted() { return ground.painted; },
    state: () => ({ ...state }),
  };
})();
