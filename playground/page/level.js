</script>
<script>
// The level tools: heights are painted and audited meanwhile. A second mode of the page, whose
// state the program has; the viewer draws it with no agents.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const page = window.namiji;
  const LOOK = 60; // ms between two looks at what the audit says while one paints
  const SMALL = 1 << 14; // cells up to which all questions are answered after each stroke
  const EDGES = 6; // pixels a cell from which on ledges are drawn
  const BOW = 0.55; // how much of an arc's height is drawn upwards in the plan
  const MARKS = { 0: [120, 120, 120, 90], 2: [202, 62, 71, 130], 3: [112, 76, 180, 110] };
  const CHOSEN = [255, 214, 64, 150];
  const ARC = "#0b3c8c", WAY = "#1f7a4d", CUT = "#d97706";
  const KINDS = ["trap", "not reached", "one way", "marginal", "cut", "cut back", "shortcut"];
  const MEANING = {
    "trap": "ground that can be entered and never left",
    "not reached": "ground to which no way leads from the start",
    "one way": "a move to ground from which no way leads back",
    "marginal": "a jump that was neither found nor excluded",
    "cut": "a cell or a move without which ground cannot be reached",
    "cut back": "a cell or a move without which there is no way back to the start",
    "shortcut": "a way that skips a part of the route",
  };
  const NUMBERS = {
    launch_speed: ["launch speed", "length / time; > 0, <= 10^6"],
    gravity: ["gravity", "length / time^2; > 0, <= 10^6"],
    step_height: ["step height", "length; >= 0: how high one walks up"],
    max_fall: ["max fall", "length; >= 0; empty: any"],
  };

  const state = {
    on: false, tool: "look", last: null, painting: false, looked: 0, cost: 0, down: null,
    found: [], counts: {}, asked: { cuts: null, shortcuts: null }, chosen: null, arcs: [],
    reach: null, mask: null, picture: null, edges: null, route: [], goal: null, steps: [], most: 12,
  };
  let world;

  const level = (request, files) => page.ask({ ask: "level", ...request }, files);

  function attempt(action) {
    try {
      action();
      return true;
    } catch (error) {
      page.say(error.message);
      return false;
    }
  }

  // ---- in and out ----

  function enter(request, files) {
    const answer = level(request, files);
    page.pause();
    page.say("");
    if (!state.on) world = { ...page.live };
    state.on = true;
    document.body.dataset.mode = "level";
    $("mode").textContent = "back to the chase";
    Object.assign(page.live, { tick: null, pointer, key, under, over, legend, open, leave });
    const [columns, rows] = answer[0].size;
    for (const box of document.querySelectorAll("#questions input")) box.checked = columns * rows <= SMALL;
    Object.assign(state, { chosen: null, arcs: [], mask: null, most: 2 * answer[0].settings.launch_speed });
    begin(answer);
    drawSide();
    page.resize();
    look();
    later();
  }

  /** Gives the page back to the view that is shown next. */
  function leave() {
    state.on = false;
    delete document.body.dataset.mode;
    $("mode").textContent = "level tools";
    Object.assign(page.live, { under: null, over: null, legend: null, open: null, leave: null }, world);
  }

  function begin([head, bytes]) {
    const view = page.state().view;
    page.beginLive(head, bytes);
    const nothing = { steps: [0], counts: [0], gauges: [], values: [[]], layers: [], edits: [], why: [] };
    page.append(nothing, new Uint8Array());
    $("name").textContent = `${head.summary.scenario}, level tools`;
    state.edges = null;
    if (view && view !== page.state().view) page.view(view);
    $("most").value = state.most;
  }

  const open = (files) => openFiles(files);

  async function openFiles(list) {
    const files = [...list];
    if (files.length === 0) return;
    try {
      const bytes = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
      enter({ do: "files", files: files.map((file, i) => [file.name, bytes[i].length]) }, bytes);
    } catch (error) {
      page.say(error.message);
    }
  }

  function saved() {
    const { file, text, note } = level({ do: "save" })[0];
    return { file: new File([text], file), note };
  }

  function download() {
    const { file, note } = saved();
    page.say(note ?? "");
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  // ---- what the audit says ----

  /** Asks what is wrong now. */
  function look() {
    const from = performance.now();
    const [told, reach] = level({ do: "look" });
    page.head.summary = told.summary;
    page.head.places = told.places;
    state.reach = reach;
    state.found = told.findings;
    state.counts = told.counts;
    showSettings(told.settings);
    for (const [name, asked] of Object.entries(state.asked)) if (asked && asked.stale) state.asked[name] = null;
    page.drawOutcome();
    list();
    state.looked = performance.now();
    state.cost = state.looked - from;
    $("cost").textContent = `${state.cost.toFixed(1)} ms an audit`;
    paintReach();
    page.show();
  }

  /** What is asked when a stroke has ended, since it takes longer. */
  function later() {
    const wanted = (name) => document.querySelector(`#questions input[name=${name}]`).checked;
    const ask = (name, request) => {
      try { return level(request)[0]; } catch (error) { return { counts: {}, findings: [], said: error.message }; }
    };
    const stops = page.head.places.filter(([name]) => name.startsWith("route")).length;
    state.asked.cuts = wanted("cuts") ? ask("cuts", { do: "cuts" }) : null;
    state.asked.shortcuts = wanted("shortcuts") && stops > 1 ? ask("shortcuts", { do: "shortcuts" }) : null;
    state.goal = state.asked.cuts?.goal ?? null;
    state.route = state.asked.shortcuts?.route ?? [];
    const speeds = wanted("speeds") ? ask("speeds", { do: "speeds", most: state.most }) : { steps: [] };
    state.steps = speeds.steps ?? [];
    $("speeds-said").textContent = speeds.said ?? "";
    drawSpeeds();
    list();
    if (state.chosen) choose(state.chosen);
    page.show();
  }

  const key_of = (item) => JSON.stringify([item.kind, item.text]);

  /** The findings, by kind; a kind that was opened stays open. */
  function list() {
    const counts = { ...state.counts, ...state.asked.cuts?.counts, ...state.asked.shortcuts?.counts };
    const items = [...state.found, ...(state.asked.cuts?.findings ?? []), ...(state.asked.shortcuts?.findings ?? [])];
    const chosen = state.chosen && key_of(state.chosen);
    const isFinding = KINDS.includes(state.chosen?.kind);
    if (isFinding && !items.some((item) => key_of(item) === chosen)) choose(null);
    const kept = new Map([...$("found").children].map((group) => [group.dataset.kind, group.open]));
    $("found").replaceChildren(...KINDS.map((kind) => {
      const of = items.filter((item) => item.kind === kind);
      const group = document.createElement("details");
      group.dataset.kind = kind;
      group.title = MEANING[kind];
      group.open = kept.get(kind) ?? kind === "trap";
      const title = document.createElement("summary");
      title.textContent = `${kind}: ${counts[kind] ?? 0}`;
      group.append(title);
      const fill = () => {
        if (!group.open || group.children.length > 1) return;
        group.append(...of.map((item) => {
          const button = document.createElement("button");
          button.textContent = item.text;
          button.classList.toggle("on", key_of(item) === chosen);
          button.addEventListener("click", () => attempt(() => { choose(item); list(); page.show(); }));
          return button;
        }));
        if (of.length < (counts[kind] ?? 0)) group.append(`and ${counts[kind] - of.length} more`);
      };
      fill();
      group.addEventListener("toggle", fill);
      return group;
    }));
    const goal = state.goal;
    const told = !goal ? "" : !goal.reached ? "The goal is not reached." :
      goal.on_every_way.length === 0 ? "The goal is reached, and no cell alone can keep one from it." :
      `The goal is reached; every way there passes the ${goal.on_every_way.length} cells that are ringed.`;
    const said = [told, state.asked.cuts?.said, state.asked.shortcuts?.said];
    $("goal-said").textContent = said.filter((text) => text).join(" ");
  }

  /** Shows a finding: its region, and its moves as they are done. */
  function choose(item) {
    state.chosen = item;
    state.arcs = [];
    state.mask = null;
    if (item) {
      const [told, mask] = level({ do: "show", cell: item.cell, moves: item.moves });
      state.arcs = told.arcs;
      if (told.region !== null) state.mask = mask;
    }
    paintReach();
    drawSide();
  }

  /** What is at a cell, as a finding without a list. */
  function pick(cell) {
    const [told, mask] = level({ do: "show", cell, moves: [] });
    const where = `[${cell.join(", ")}]`;
    const said = told.region === null ? `${where}: nobody can stand there.` :
      `${where}: region ${told.region}, ${told.reached ? "" : "not "}reached from the start.`;
    // A cell of a trap shows the trap.
    const isHere = (item) => item.kind === "trap" && mask[item.cell[1] * page.head.size[0] + item.cell[0]] === 1;
    const trap = told.region !== null && state.found.find(isHere);
    choose(trap || { kind: "cell", text: said, cell, moves: [] });
    list();
    page.show();
  }

  // ---- drawing ----

  function paintReach() {
    const [columns, rows] = page.head.size;
    if (state.picture?.width !== columns || state.picture?.height !== rows) {
      state.picture = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
    }
    const brush = state.picture.getContext("2d"), image = brush.createImageData(columns, rows);
    for (let i = 0; i < state.reach.length; i++) {
      const colour = state.mask?.[i] ? CHOSEN : MARKS[state.reach[i]];
      if (colour) image.data.set(colour, 4 * i);
    }
    brush.putImageData(image, 0, 0);
  }

  /** Ledges: between cells of which one cannot simply walk from one to the other. */
  function edges() {
    const [columns, rows] = page.head.size, { heights, spacing } = page.head, step = state.step + 1e-9;
    const path = new Path2D();
    const line = (ax, ay, bx, by) => {
      path.moveTo(ax, ay);
      path.lineTo(bx, by);
    };
    for (let y = 0, i = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++, i++) {
        if (x + 1 < columns && Math.abs(heights[i] - heights[i + 1]) > step) line(x + 0.5, y - 0.5, x + 0.5, y + 0.5);
        if (y + 1 < rows && Math.abs(heights[i] - heights[i + columns]) > step) line(x - 0.5, y + 0.5, x + 0.5, y + 0.5);
      }
    }
    return path;
  }

  function under(pen) {
    if (state.picture) page.drawCells([state.picture]);
    const [ox, oy] = page.toCanvas(0, 0, 0), { spacing } = page.head;
    const [rx, ry] = page.toCanvas(spacing, 0, 0), [dx, dy] = page.toCanvas(0, spacing, 0);
    if (Math.hypot(rx - ox, ry - oy) < EDGES) return;
    state.edges ??= edges();
    const shape = new Path2D();
    shape.addPath(state.edges, new DOMMatrix([rx - ox, ry - oy, dx - ox, dy - oy, ox, oy]));
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.strokeStyle = "rgba(52,58,70,.55)";
    pen.stroke(shape);
  }

  const centre = (cell) => page.toCanvas(...cell.map((v) => v * page.head.spacing), 0);

  function over(pen) {
    const ratio = devicePixelRatio;
    const ring = ([x, y], radius, colour, filled) => {
      pen.beginPath();
      pen.arc(x, y, radius * ratio, 0, 7);
      pen.lineWidth = 2 * ratio;
      pen[filled ? "fillStyle" : "strokeStyle"] = colour;
      pen[filled ? "fill" : "stroke"]();
    };
    const way = (points, colour, width, dashes = []) => {
      pen.beginPath();
      points.forEach((at, i) => i ? pen.lineTo(...at) : pen.moveTo(...at));
      pen.lineWidth = width * ratio;
      pen.strokeStyle = colour;
      pen.setLineDash(dashes.map((dash) => dash * ratio));
      pen.stroke();
      pen.setLineDash([]);
    };
    if (state.route.length > 1) way(state.route.map(centre), WAY, 2.5);
    for (const cell of state.goal?.on_every_way ?? []) ring(centre(cell), 5, CUT, false);
    for (const { kind, points } of state.arcs) {
      const from = points[0], to = points.at(-1);
      const ground = [from, to].map(([x, y]) => page.toCanvas(x, y, 0));
      way(ground, "rgba(11,60,140,.45)", 1.5, [4, 3]);
      const scale = Math.hypot(ground[1][0] - ground[0][0], ground[1][1] - ground[0][1]) / Math.max(1e-9, Math.hypot(to[0] - from[0], to[1] - from[1]));
      const lifted = points.map(([x, y, z], i) => {
        const [u, v] = page.toCanvas(x, y, 0), part = i / (points.length - 1);
        return [u, v - BOW * scale * (z - from[2] - part * (to[2] - from[2]))];
      });
      way(lifted, "#fff", 5);
      way(lifted, ARC, 2.5, kind === "jump" ? [] : [2, 3]);
      ring(ground[0], 5, ARC, false);
      ring(ground[1], 5, ARC, true);
    }
    const alone = state.chosen && state.arcs.length === 0 && state.chosen.cell;
    if (alone) ring(centre(alone), 8, ARC, false);
  }

  const css = (colour) => `rgba(${colour.slice(0, 3).join()},${colour[3] / 255})`;

  function legend() {
    const rows = [page.heightRow(), ["trap", css(MARKS[2])], ["not reached", css(MARKS[3])], ["no ground", css(MARKS[0])]];
    if (state.chosen) rows.push(["chosen", css(CHOSEN)], ["its move", ARC]);
    if (state.route.length > 0) rows.push(["route", WAY]);
    return rows;
  }

  /** The first jump of what was chosen from the side: its arc, and the ground under it. */
  function drawSide() {
    const pen = $("side").getContext("2d"), { width, height } = $("side");
    const arc = state.arcs.find(({ kind }) => kind === "jump") ?? state.arcs[0];
    pen.clearRect(0, 0, width, height);
    $("side").hidden = !arc;
    const flight = arc?.flight;
    const word = arc && { walk: "A walk", fall: "A fall", jump: "A jump" }[arc.kind];
    const short = (v) => +v.toPrecision(3);
    const down = arc?.kind === "fall" && arc.points[0][2] - arc.points.at(-1)[2];
    const fall = () => `${word} of ${short(down)}. A jump rises ${short(rise())} at most.`;
    $("here-said").textContent = !arc ? (state.chosen?.kind === "cell" ? state.chosen.text : "") : down ? fall() : !flight ? `${word}.` :
      `${word} at ${short(flight.speed)}, ${short(flight.degrees)} degrees up, for ${short(flight.time)}; ` +
      `it clears all by ${short(flight.margin)}${flight.least_speed === null ? "" : `; the least speed for it is ${short(flight.least_speed)}`}.`;
    if (!arc) return;
    const { points, ground } = arc, known = ground.filter((z) => z !== null);
    const tops = points.map(([, , z]) => z);
    const low = Math.min(...known, ...tops), high = Math.max(...known, ...tops), span = Math.max(1e-9, high - low);
    const at = (i, z) => [12 + (width - 24) * i / (points.length - 1), height - 14 - (height - 28) * (z - low) / span];
    pen.fillStyle = "#b9b29a";
    ground.forEach((z, i) => {
      if (z === null) return;
      const [x, y] = at(i, z), wide = (width - 24) / (points.length - 1);
      pen.fillRect(x - wide / 2, y, wide + 1, height - y);
    });
    pen.strokeStyle = ARC;
    pen.lineWidth = 3;
    pen.beginPath();
    // Who falls walks over the edge first.
    const edge = down ? ground.findIndex((z) => z !== null && z < tops[0]) : 0;
    const shown = down ? tops.map((z, i) => i < edge ? tops[0] : tops.at(-1)) : tops;
    shown.forEach((z, i) => i ? pen.lineTo(...at(i, z)) : pen.moveTo(...at(i, z)));
    pen.stroke();
  }

  /** How high a jump straight up comes. */
  const rise = () => state.settings.launch_speed ** 2 / (2 * state.settings.gravity);

  // ---- launch speeds ----

  /** How much is reached, by launch speed: a step where more comes within reach. */
  function drawSpeeds() {
    const pen = $("speeds").getContext("2d"), { width, height } = $("speeds");
    pen.clearRect(0, 0, width, height);
    const all = Math.max(1, ...state.steps.map((step) => step.reached));
    const at = (speed, reached) => [8 + (width - 16) * speed / state.most, height - 6 - (height - 16) * reached / all];
    pen.strokeStyle = "#2274a5";
    pen.lineWidth = 3;
    pen.beginPath();
    let reached = 0;
    pen.moveTo(...at(0, 0));
    for (const step of state.steps) {
      pen.lineTo(...at(step.speed, reached));
      reached = step.reached;
      pen.lineTo(...at(step.speed, reached));
    }
    pen.lineTo(...at(state.most, reached));
    pen.stroke();
    const now = state.settings.launch_speed;
    pen.fillStyle = "#ca3e47";
    pen.fillRect(at(now, 0)[0] - 1, 0, 3, height);
    const next = state.steps.find((step) => step.speed > now);
    const last = state.steps.findLast((step) => step.speed <= now);
    const cells = (step) => `${step.gained} cells more above ${+step.speed.toPrecision(4)}`;
    const told = [last && `${last.reached} cells within reach`, next && cells(next)].filter((text) => text);
    if (state.steps.length > 0) $("speeds-said").textContent = told.join("; ");
  }

  /** The step of a launch speed that is nearest to a place of the plot. */
  function stepAt(event) {
    const speed = (event.offsetX / $("speeds").clientWidth * $("speeds").width - 8) / ($("speeds").width - 16) * state.most;
    const far = (step) => Math.abs(step.speed - speed);
    return state.steps.reduce((best, next) => best && far(best) < far(next) ? best : next, null);
  }

  function showSettings(settings) {
    if (state.settings?.step_height !== settings.step_height) state.edges = null;
    state.settings = settings;
    state.step = settings.step_height;
    $("rise").textContent = `A jump rises ${+rise().toPrecision(3)} at most. A pit that is deeper on all sides is a trap.`;
    for (const [key, value] of Object.entries(settings)) {
      const box = document.querySelector(`#legs input[name=${key}]`);
      if (document.activeElement !== box) box.value = value === null ? "" : +value.toPrecision(6);
    }
    if (document.activeElement !== $("launch")) $("launch").value = 1000 * settings.launch_speed / state.most;
  }

  function setNumber(key, number) {
    const ok = attempt(() => {
      level({ do: "set", key, number });
      page.say("");
      look();
    });
    if (!ok) showSettings(state.settings);
  }

  // ---- hands ----

  const cellOf = (at) => at.map((v) => Math.round(v / page.head.spacing));

  /** Paints from the last cell to this one. */
  function stroke(to) {
    const from = state.last ?? to, half = Math.floor($("brush").value / 2);
    const steps = Math.max(1, ...to.map((v, a) => Math.abs(v - from[a])));
    const amount = Number($("amount").value);
    const how = { raise: { by: amount }, lower: { by: -amount }, height: { height: amount } }[state.tool];
    const lifted = [];
    for (let i = state.last ? 1 : steps; i <= steps; i++) {
      const middle = to.map((v, a) => Math.round(from[a] + (v - from[a]) * i / steps));
      const low = middle.map((v) => Math.max(0, v - half)), high = middle.map((v) => v + half);
      lifted.push(...level({ do: "paint", from: low, to: high, by: null, height: null, ...how })[0].heights);
    }
    state.last = to;
    if (lifted.length === 0) return;
    page.lift(lifted);
    state.edges = null;
    if (performance.now() - state.looked > Math.max(LOOK, 3 * state.cost)) look(); else page.show();
  }

  const PAINTS = ["raise", "lower", "height"];

  function pointer(kind, at) {
    if (kind === "over") return false;
    if (state.tool === "look") return false;
    if (kind === "down") {
      page.say("");
      state.last = null;
      state.painting = PAINTS.includes(state.tool);
      if (state.painting) attempt(() => level({ do: "begin" }));
    }
    if (kind === "up") {
      if (state.painting) attempt(() => { level({ do: "end" }); look(); later(); });
      state.painting = false;
      return true;
    }
    if (!at) return true;
    const cell = cellOf(at);
    attempt(() => {
      if (state.painting) stroke(cell);
      else if (kind === "down") {
        level({ do: "put", what: state.tool, at: cell });
        look();
        later();
      }
    });
    return true;
  }

  function key(event) {
    if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      undo();
      return true;
    }
    // There is no film to seek or to play.
    return event.key === " " || event.key.startsWith("Arrow") || event.target.tagName === "INPUT";
  }

  function undo() {
    attempt(() => {
      begin(level({ do: "undo" }));
      look();
      later();
    });
  }

  function take(tool) {
    state.tool = tool;
    for (const button of document.querySelectorAll("#level-hands button[data-level]")) {
      button.classList.toggle("on", button.dataset.level === tool);
    }
  }

  function setUp() {
    const panel = document.createElement("div");
    panel.className = "of-level";
    panel.innerHTML = `
      <section><h2>Findings <small>click one to see it</small></h2><div id="found"></div><p id="goal-said"></p></section>
      <section><h2>Chosen</h2><p id="here-said"></p><canvas id="side" width="600" height="200" hidden></canvas></section>
      <section><h2>Launch speed <small>click a step to go just above it</small></h2>
        <input id="launch" type="range" min="1" max="1000" step="any">
        <canvas id="speeds" width="600" height="120"></canvas><p id="speeds-said"></p>
        <label>up to <input id="most" type="number" min="0" step="any"></label></section>
      <section><h2>Who jumps</h2><div id="legs"></div><p id="rise"></p></section>
      <section id="questions"><h2>Asked after each stroke</h2>
        <label><input type="checkbox" name="cuts"> cuts</label>
        <label><input type="checkbox" name="shortcuts"> shortcuts of the route</label>
        <label><input type="checkbox" name="speeds"> launch speeds</label></section>`;
    $("legend").after(panel);
    for (const [name, [word, note]] of Object.entries(NUMBERS)) {
      const row = document.createElement("label"), box = document.createElement("input");
      const said = document.createElement("small");
      Object.assign(box, { type: "number", step: "any", name });
      said.textContent = note;
      row.append(`${word} `, box, said);
      box.addEventListener("change", () => {
        setNumber(name, box.value === "" ? null : Number(box.value));
        attempt(later);
      });
      $("legs").append(row);
    }
    $("launch").addEventListener("input", (e) => setNumber("launch_speed", Math.max(1e-6, e.target.value / 1000 * state.most)));
    $("launch").addEventListener("change", () => attempt(later));
    $("most").addEventListener("change", (e) => {
      state.most = Number(e.target.value);
      attempt(later);
    });
    $("speeds").addEventListener("click", (e) => {
      const step = stepAt(e);
      if (!step) return;
      // Within a relative 2e-4 above the step its jump may still be marginal.
      setNumber("launch_speed", step.speed > 0 ? step.speed * 1.001 : 1e-3);
      attempt(() => {
        later();
        const moves = step.move ? [step.move] : [];
        choose({ kind: "speed", text: String(step.speed), cell: null, moves });
        page.show();
      });
    });
    for (const box of document.querySelectorAll("#questions input")) box.addEventListener("change", () => attempt(later));
    $("mode").addEventListener("click", () => attempt(() => state.on ? page.reopen() : enter({ do: "open" })));
    for (const button of document.querySelectorAll("#level-hands button[data-level]")) {
      button.addEventListener("click", () => take(button.dataset.level));
    }
    $("level-undo").addEventListener("click", undo);
    $("level-new").addEventListener("click", () => {
      attempt(() => enter({ do: "new", columns: Number($("columns").value), rows: Number($("rows").value) }));
    });
    $("level-world").addEventListener("click", () => attempt(() => enter({ do: "of-world" })));
    $("level-save").addEventListener("click", download);
    $("level-play").addEventListener("click", () => attempt(() => {
      page.openFiles([saved().file, new File([level({ do: "chase" })[0].text], "chase.toml")]);
    }));
    $("no-route").addEventListener("click", () => attempt(() => {
      level({ do: "clear-route" });
      look();
      later();
    }));
    page.canvas.addEventListener("pointerdown", (e) => { state.down = [e.offsetX, e.offsetY]; });
    page.canvas.addEventListener("click", (e) => {
      if (!state.on || state.tool !== "look") return;
      if (Math.hypot(e.offsetX - state.down[0], e.offsetY - state.down[1]) > 5) return;
      const at = page.fromCanvas(e.offsetX * devicePixelRatio, e.offsetY * devicePixelRatio);
      if (at) attempt(() => pick(cellOf(at)));
    });
    take("look");
  }

  setUp();
  page.level = { enter, leave, state: () => ({ ...state }) };
})();
