// What is drawn of a moment: a part of the function that viewer.js begins.
  // ---- the ground ----

  const ground = { key: "", look: "", panels: [], walls: null, edited: 0, painted: 0, box: null, early: false };

  /** A cell's ground is another one: only the box of such cells is looked at, where nothing else changes. */
  function touch(x, y) {
    const box = ground.box;
    if (box) ground.box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
  }

  function wallsAt(step) {
    if (!ground.walls || head.edits.length && step < ground.step) {
      ground.walls = film.walls.slice();
      ground.edited = 0;
      ground.box = null;
    }
    ground.step = step;
    const plane = width * height;
    while (ground.edited < head.edits.length && head.edits[ground.edited][0] <= step) {
      const [, cell, wall] = head.edits[ground.edited++];
      const panel = storeys.indexOf(Math.floor(cell / plane));
      if (panel >= 0) ground.walls[panel * plane + cell % plane] = wall;
      touch(cell % width, Math.floor(cell % plane / width));
    }
    return ground.walls;
  }

  // Where pursuers have walked: how often a cell was entered, up to a moment.
  const heat = { counts: null, last: [], upTo: -1, most: 0 };

  function heatAt(shot) {
    const [lw, lh] = film.layerSize, cells = lw * lh * storeys.length;
    if (heat.counts?.length !== cells || shot < heat.upTo) {
      Object.assign(heat, { counts: new Uint32Array(cells), last: [], upTo: -1, most: 0 });
    }
    const at = (axis, s, agent) => Math.round(coordinate(axis, s, agent) / head.spacing);
    for (let s = heat.upTo + 1; s <= shot; s++) {
      for (let agent = head.evaders; agent < head.counts[s]; agent++) {
        const [x, y] = [0, 1].map((axis) => Math.floor(at(axis, s, agent) / head.coarse));
        const cell = ((solid ? nearestStorey(at(2, s, agent)) : 0) * lh + y) * lw + x;
        if (heat.last[agent] === cell) continue;
        heat.last[agent] = cell;
        heat.most = Math.max(heat.most, ++heat.counts[cell]);
      }
    }
    heat.upTo = shot;
    const values = Uint8Array.from(heat.counts, (n) => Math.ceil(254 * n / Math.max(1, heat.most)));
    return { name: "heat", step: shot, most: heat.most, values };
  }

  function layerAt(name, step) {
    if (name === "heat") return layers.heat ? heatAt(Math.floor(state.frame)) : null;
    const list = film.layers[name];
    if (!layers[name] || !list) return null;
    const i = latest(list, step, (layer) => layer.step);
    return i >= 0 ? list[i] : null;
  }

  const mix = (a, b, u) => [0, 1, 2].map((i) => a[i] + (b[i] - a[i]) * u);

  /** What happened once is seen; by the root, for few cells have most of it. */
  const warm = (colour, v) => [colour, v === 0 ? 0 : 0.15 + 0.85 * Math.sqrt(v / 254)];

  // Figures per cell that colour the ground: the colour of a number, and how much it hides of what
  // is below. Of cost and distance one is enough to look at; both are coloured as the source's
  // figures are.
  const TINTS = {
    wave: (v) => [v === 255 ? UNREACHED : mix(NEAR, FAR, v / 254), 1],
    z: (v) => [mix(FREE, v > 127 ? CREST : TROUGH, Math.min(Math.abs(v - 127) / 127, 1)), 1],
    distance: (v) => [mix(CHEAP, DEAR, v / 254), v === 255 ? 0 : 1],
    cost: (v) => [mix(CHEAP, DEAR, v / 254), v === 255 ? 0 : 1],
    danger: (v) => [DANGER, v === 255 ? 0 : 0.75 * v / 254],
    heat: (v) => warm(HEAT, v),
    walked: (v) => warm(HEAT, v),
    caught: (v) => warm(CAUGHT, v),
    fill: (v) => [FILL, v === 255 ? 0 : 0.8 * v / 254],
  };
  const known = {};

  /** A layer's tint by its number, times four: red, green, blue, and how much it hides. */
  const tableOf = (name) => known[name] ??= new Float64Array(
    Array.from({ length: 256 }, (_, v) => TINTS[name](v)).flatMap(([colour, share]) => [...colour, share]),
  );

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
    const [low, top] = film.relief ?? [0, 1];
    const now = shown.map((layer) => layer.values);
    // The loop is over all cells: nothing is allocated in it.
    const { heights } = head, { slow } = film;
    // Over heights, waves would hide what is high and what is low.
    const tinted = shown.filter(({ name }) => !(heights && (name === "wave" || name === "z")));
    const tables = tinted.map(({ name }) => tableOf(name));
    storeys.forEach((_, panel) => {
      const of = ground.panels[panel] ??= newPanel();
      const box = [width, height, -1, -1];
      const past = of.shown.map((layer) => layer.values);
      const isSame = !whole && of.shown.every((layer, k) => layer === shown[k]);
      const [left, upper, right, lower] = isSame && ground.box || [0, 0, width - 1, height - 1];
      const { data } = of.image;
      for (let y = upper; y <= lower; y++) {
        const row = (panel * lh + Math.floor(y / coarse)) * lw;
        let first = width, last = -1;
        for (let x = left, i = y * width + x; x <= right; x++, i++) {
          const cell = panel * width * height + i;
          const at = row + (x / coarse | 0);
          const kind = walls[cell] + 2 * slow[cell];
          const level = heights ? heights[i] : 0;
          let same = !whole && of.kinds[i] === kind && of.heights[i] === level;
          for (let k = 0; same && k < now.length; k++) same = past[k][at] === now[k][at];
          if (same) continue;
          of.kinds[i] = kind;
          of.heights[i] = level;
          const isWall = layers.walls && walls[cell];
          const colour = isWall ? WALL : heights ? mix(LOW, HIGH, (level - low) / (top - low)) : FREE;
          let red = colour[0], green = colour[1], blue = colour[2];
          for (let k = 0; !isWall && k < tables.length; k++) {
            const table = tables[k], tint = 4 * tinted[k].values[at], share = table[tint + 3];
            red += (table[tint] - red) * share;
            green += (table[tint + 1] - green) * share;
            blue += (table[tint + 2] - blue) * share;
          }
          if (!isWall && slow[cell]) {
            red += (SLOW[0] - red) * 0.3;
            green += (SLOW[1] - green) * 0.3;
            blue += (SLOW[2] - blue) * 0.3;
          }
          data[4 * i] = red;
          data[4 * i + 1] = green;
          data[4 * i + 2] = blue;
          data[4 * i + 3] = 255;
          ground.painted++;
          if (first === width) first = x;
          last = x;
        }
        if (last < 0) continue;
        box[0] = Math.min(box[0], first);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], last);
        box[3] = y;
      }
      of.shown = shown;
      if (box[3] < 0) return;
      const size = [box[2] - box[0] + 1, box[3] - box[1] + 1];
      of.brush.putImageData(of.image, 0, 0, box[0], box[1], ...size);
    });
    ground.box = [width, height, -1, -1];
  }

  function newPanel() {
    const picture = Object.assign(document.createElement("canvas"), { width, height });
    const brush = picture.getContext("2d");
    return { picture, brush, image: brush.createImageData(width, height), kinds: new Uint8Array(width * height), heights: new Float64Array(width * height), shown: [] };
  }

  function drawGround(step) {
    paintGround(step);
    drawCells(ground.panels.map((panel) => panel.picture));
    if (!solid || state.axes) return;
    pen.fillStyle = "#6b7280";
    pen.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    pen.textAlign = "left";
    storeys.forEach((z, panel) => {
      const [x, y] = [panel * (width + GAP) - 0.5 - camera.x, -0.7 - camera.y].map((v) => v * camera.scale);
      pen.fillText(`z = ${+(z * head.spacing).toPrecision(4)}`, x, y);
    });
  }

  /** Draws small pictures, a pixel a cell, one for each storey. */
  function drawCells(pictures) {
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
      pen.drawImage(pictures[panel], -0.5, -0.5);
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
    pen.lineWidth = 0.8 * devicePixelRatio / camera.scale;
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
        pen.lineWidth = 2 * devicePixelRatio;
        pen.globalAlpha = 0.55;
        drawTrail(agent, frame, null);
      }
      if (layers.jumps) {
        pen.lineWidth = 3.5 * devicePixelRatio;
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
      // Beside the character that stands there; at the right edge on the other side.
      const beside = 12 * devicePixelRatio;
      const fits = x + beside + pen.measureText(name).width < canvas.width;
      pen.textAlign = fits ? "left" : "right";
      const text = [fits ? x + beside : x - beside, y - arm];
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
        if (width > 2) pen.strokeText(name, ...text);
      }
      pen.fillStyle = "#5a3d8a";
      pen.fillText(name, ...text);
    }
  }

  // ---- everybody ----

  function drawAgents(frame) {
    const shot = Math.floor(frame), part = shot + 1 < shots ? frame - shot : 0;
    const n = head.counts[shot];
    const dot = devicePixelRatio, large = 3 * dot, edge = 9 * dot;
    const size = Math.max(1.5 * dot, Math.min(7 * dot, 0.42 * camera.scale)) * (n > CROWD ? 0.8 : 1);
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
        if (x < -edge || y < -edge || x > w + edge || y > h + edge) continue;
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
        pen.arc(...at, Math.max(large, size) * radius, 0, 7);
        pen.fill();
      }
    }
    const chosen = state.chosen === null ? null : place(state.chosen, frame);
    if (chosen) {
      pen.strokeStyle = "#000";
      pen.lineWidth = 2 * dot;
      pen.beginPath();
      pen.arc(...toCanvas(...chosen), 3 * Math.max(large, size), 0, 7);
      pen.stroke();
    }
  }

  function draw() {
    const step = stepOf(state.frame);
    pen.fillStyle = "#fafaf8";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    drawGround(step);
    live.under?.(pen);
    drawWays();
    drawPlaces();
    if (layers.trails || layers.jumps) drawTrails(state.frame);
    drawAgents(state.frame);
    live.over?.(pen);
    state.drawn = state.frame;
  }
