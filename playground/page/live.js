</script>
<script>
// Lets the program in this page go on, and hands it what a hand does. It adds to `window.namiji`
// what scripts and tests need: load, step, hash, paint, drag (docs/playground.md).
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const page = window.namiji;
  const WORK = 12; // ms of a frame of the page that the world may take
  const LAYERS = 100; // ms between two looks at waves and figures per cell
  const OUTCOME = 500; // ms between two looks at what came of it
  const PACE = 30; // frames of the world a second, at first
  const CHUNK = 64; // frames that the program keeps at once: all of many would be a film of its own
  const RULES = {
    watanabe: "published rules (Watanabe)", kumagai: "published rules (Kumagai)",
    "per-emission": "straight on from wave to wave", wake: "our rules",
  };
  const STEER = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  const state = { tool: "look", held: null, last: null, due: 0, looked: 0, told: 0, keys: new Set(), steered: false, ms: 0, ghost: null, grasped: false, did: false };
  // Opens again what was opened last.
  let program, scenarios, openAgain;

  // ---- the program ----

  /** Asks the program, with files behind the request; returns its answer and the numbers behind it. */
  function ask(request, files = []) {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const parts = [new Uint8Array(new Uint32Array([text.length]).buffer), text, ...files];
    const { memory, room, ask: answer, answered } = program;
    let at = room(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(memory.buffer, at, part.length).set(part);
      at += part.length;
    }
    const length = answer();
    const bytes = new Uint8Array(memory.buffer, answered(), length).slice();
    const head = new DataView(bytes.buffer).getUint32(0, true);
    const value = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + head)));
    if (value.error) throw new Error(value.error);
    return [value, bytes.slice(4 + head)];
  }

  /** From here on what is done is another thing to undo, also for keys that are down. */
  function mark() {
    ask({ ask: "mark" });
    state.steered = false;
  }

  /** Does something that `undo` takes back. */
  function marked(action) {
    mark();
    try {
      return action();
    } catch (error) {
      ask({ ask: "unmark" });
      throw error;
    }
  }

  /** Does something; says why where it cannot be done. */
  function attempt(action) {
    try {
      action();
      return true;
    } catch (error) {
      say(error.message);
      return false;
    }
  }

  /** Errors that name keys of the scenario, in words for people at the page. */
  const PLAIN = [
    [/is in a wall|touches a wall/, "a wall is there"],
    [/must not be one that decides by utility/, "this evader decides for itself and cannot be dragged"],
  ];
  const plain = (text) => PLAIN.find(([form]) => form.test(text))?.[1] ?? text;

  function say(text) {
    $("status").textContent = text;
    $("status").className = text ? "error" : "";
  }

  // ---- the world ----

  function begin([head, bytes]) {
    page.live.leave?.();
    page.beginLive(head, bytes);
    if (page.other) page.other.beginLive(...ask({ ask: "head-beside" }));
    $("seed").value = head.summary.seed;
    showNumbers();
    state.due = 0;
    goOn(0, false);
    page.resize();
  }

  /** Opens a scenario's text; `name` stands in errors. Without a seed it keeps its own. */
  function open(name, text, seed = null) {
    opened(() => ask({ ask: "open", name, text, seed }));
  }

  /** Shows the world as it is now, after something else was shown. */
  function reopen() {
    begin(ask({ ask: "head" }));
    goOn(0, true);
    page.show();
  }

  function opened(request) {
    const answer = request();
    openAgain = request;
    closeBeside();
    // A stroke through another world has ended.
    Object.assign(state, { held: null, ghost: null, grasped: false, steered: false });
    begin(answer);
    say("");
    const speeds = [...$("speed").options].map((option) => +option.value);
    const wanted = PACE * page.head.dt;
    const far = (speed) => Math.abs(Math.log(speed / wanted));
    const speed = speeds.reduce((best, next) => far(next) < far(best) ? next : best);
    page.setState({ speed });
    $("speed").value = speed;
  }

  function goOn(frames, layers, to_end = false) {
    page.append(...ask({ ask: "go-on", frames, layers, to_end }));
    if (page.other) page.other.append(...ask({ ask: "take-beside" }));
  }

  /** Shows the same world under another rule beside it; without one, nothing. */
  async function beside(rule) {
    if (!rule) {
      closeBeside();
      return;
    }
    const [head, bytes] = ask({ ask: "beside", rule });
    page.pause();
    const other = page.other ?? await page.openBeside(page.emptyPage());
    other.setState({ title: RULES[rule] });
    page.setState({ title: "the scenario's own rules" });
    other.beginLive(head, bytes);
    goOn(0, true);
    page.show();
  }

  function closeBeside() {
    if (page.other) ask({ ask: "beside", rule: null });
    page.closeBeside();
    $("rules").value = "";
  }

  /** Shows what came of it so far. */
  function tell(hashed = true) {
    page.head.summary = ask({ ask: "outcome", hashed })[0];
    if (page.other) page.other.head.summary = ask({ ask: "outcome-beside", hashed })[0];
    page.drawOutcome();
  }

  /** Goes on by a frame, with what is held down. */
  function frame(now) {
    steer();
    const layers = now - state.looked > LAYERS;
    if (layers) state.looked = now;
    goOn(1, layers);
  }

  /** Goes on by a frame while the film waits. */
  function stepOnce() {
    page.pause();
    steer();
    goOn(1, true);
    tell();
    page.show();
  }

  // ---- for scripts ----

  /** Opens a built-in scenario by its name, or one by its text. */
  function load(what, seed) {
    if (typeof what !== "string") throw new TypeError("load: the scenario must be a name or a text");
    if (seed !== undefined && seed !== null) whole("load", "seed", seed);
    const built = scenarios.find((s) => s.name === what);
    if (!built && !what.includes("=")) {
      const known = scenarios.map((s) => s.name).join(", ");
      throw new Error(`load: no scenario is called "${what.slice(0, 40)}"; known are ${known}`);
    }
    open(built ? what : "scenario", built ? built.text : what, seed);
    $("scenario").value = built ? what : "";
    return outcome();
  }

  /** Goes on by some frames, but no further than to the end that the scenario states. */
  function step(frames) {
    whole("step", "frames", frames);
    page.pause();
    let left = frames, now = outcome();
    while (left > 0 && !now.over) {
      const few = state.keys.size > 0 ? 1 : Math.min(left, CHUNK);
      steer();
      goOn(few, true, true);
      left -= few;
      now = outcome();
    }
    tell();
    page.show();
    return { frame: now.steps, over: now.over };
  }

  /** The hash of the state: what `sim-harness run` calls state_hash where the scenario has ended. */
  const hash = () => outcome().state_hash;

  /** Makes a cell a wall or free; z is a cell's, too, and for 3D only. */
  function paint(x, y, wall, z) {
    const cell = placeOf("paint", x, y, z);
    cell.forEach((v, axis) => whole("paint", "xyz"[axis], v));
    if (typeof wall !== "boolean") throw new TypeError("paint: wall must be true or false");
    marked(() => ask({ ask: "edit", from: cell, to: cell, wall }));
  }

  /** Puts an evader elsewhere; x, y and, in 3D, z are in world units. */
  function drag(id, x, y, z) {
    whole("drag", "id", id);
    const at = placeOf("drag", x, y, z);
    marked(() => put(id, at));
  }

  const outcome = () => ask({ ask: "outcome", hashed: true })[0];

  function whole(what, name, value) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${what}: ${name} = ${value} must be a whole number from 0 to 2^53 - 1`);
    }
  }

  function placeOf(what, ...at) {
    const place = at.slice(0, page.head.dimensions);
    place.forEach((v, axis) => {
      if (!Number.isFinite(v)) throw new RangeError(`${what}: ${"xyz"[axis]} = ${v} must be a finite number`);
    });
    return place;
  }

  /** A function that waits until the program is there; from then on it answers at once. */
  const once = (action) => (...given) => program && scenarios ? action(...given) : ready.then(() => action(...given));

  /** A function that is about the world, which is shown again if something else is. */
  const ofWorld = (action) => once((...given) => {
    if (page.live.leave) reopen();
    return action(...given);
  });

  // ---- time ----

  page.live.tick = (passed) => {
    const start = performance.now();
    state.due = Math.min(state.due + passed * page.state().speed / page.head.dt, 1e4);
    let done = 0;
    const ran = attempt(() => {
      while (state.due >= 1 && performance.now() - start < WORK) {
        frame(performance.now());
        state.due--;
        done++;
      }
    });
    if (!ran) page.pause();
    // What could not be done in time is not made up for.
    state.due = Math.min(state.due, 1);
    if (done > 0) state.ms += 0.1 * ((performance.now() - start) / done - state.ms);
    $("cost").textContent = `${state.ms.toFixed(2)} ms a frame`;
    if (start - state.told > OUTCOME) {
      state.told = start;
      // A hash of a large map's state takes longer than a frame.
      tell(false);
    }
  };
  page.live.paused = () => { if (program && page.head && !page.live.leave) tell(); };

  // ---- hands ----

  const cellOf = (at) => at.map((v) => Math.round(v / page.head.spacing));

  /** Paints a line from the last place to this one. */
  function stroke(at) {
    // Storeys are drawn side by side: between two of them there is no line.
    const to = cellOf(at), from = state.last && state.last[2] === to[2] ? state.last : to;
    state.last = to;
    const size = page.head.size, half = Math.floor($("brush").value / 2);
    const steps = Math.max(1, ...to.map((v, a) => Math.abs(v - from[a])));
    const change = {
      wall: { wall: true }, free: { wall: false }, slow: { wave_speed: page.head.wave_speed / 2 },
    }[state.tool];
    for (let i = from === to ? steps : 1; i <= steps; i++) {
      const middle = to.map((v, a) => Math.round(from[a] + (v - from[a]) * i / steps));
      const reach = (a) => a < 2 ? half : 0;
      const low = middle.map((v, a) => Math.max(0, v - reach(a)));
      const high = middle.map((v, a) => Math.min(size[a] - 1, v + reach(a)));
      // In a building from the floor to the ceiling.
      ask({ ask: "edit", from: low, to: high, tall: true, ...change });
      if (state.tool === "slow") page.slow(low, high);
      else if (!page.state().playing) [page, page.other].forEach((shown) => shown?.wall(low, high, change.wall));
    }
    if (!page.state().playing) page.show();
  }

  /** The evader whose place on the canvas is nearest. */
  function nearestEvader(event) {
    const at = [event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio];
    let best = 0, nearest = Infinity;
    for (let i = 0; i < page.head.evaders; i++) {
      const seen = page.toCanvas(...page.place(i, page.state().frame));
      const far = Math.hypot(seen[0] - at[0], seen[1] - at[1]);
      if (far < nearest) [best, nearest] = [i, far];
    }
    return best;
  }

  const put = (evader, to) => ask({ ask: "put", evader, to });

  /** While the world waits, it goes on by one frame for what a hand has done, when that is done. */
  function look() {
    if (!page.state().playing) attempt(() => { goOn(1, true); page.show(); });
  }

  /** Where somebody is held while the world waits. */
  page.live.over = (pen) => {
    if (!state.ghost || page.state().playing) return;
    pen.strokeStyle = "#18181e";
    pen.lineWidth = 2 * devicePixelRatio;
    pen.beginPath();
    pen.arc(...page.toCanvas(...state.ghost, 0), 7 * devicePixelRatio, 0, 7);
    pen.stroke();
  };

  page.live.pointer = (kind, at, event) => {
    if (state.tool === "look" || kind === "over") return false;
    if (kind === "down") {
      say("");
      state.last = null;
      state.held = state.tool === "drag" ? nearestEvader(event) : null;
      state.grasped = attempt(mark);
      state.did = false;
      if (!page.state().playing) page.seek(Infinity);
    }
    if (kind === "up") {
      state.held = state.ghost = null;
      if (state.grasped && state.did) look();
      else if (state.grasped) ask({ ask: "unmark" });
      state.grasped = false;
      return true;
    }
    if (!at || !state.grasped) return true;
    try {
      if (state.tool === "drag") {
        put(state.held, at);
        state.ghost = at;
        if (!page.state().playing) page.show();
      } else if (state.tool !== "pursuer") stroke(at);
      else if (kind === "down") ask({ ask: "add-pursuer", at });
      state.did = true;
      say("");
    } catch (error) {
      say(plain(error.message));
    }
    return true;
  };

  /** Moves whom one has chosen, or else the first evader, by what keys are down. */
  function steer() {
    if (state.keys.size === 0) return;
    const who = page.state().chosen ?? 0;
    const at = page.place(who, page.state().frame).slice(0, page.head.dimensions);
    const step = 0.5 * page.head.spacing * Math.min(1, page.head.dt * 10);
    for (const key of state.keys) STEER[key].forEach((d, axis) => { at[axis] += d * step; });
    // A wall in the way is no mistake.
    const whom = who < page.head.evaders ? { evader: who } : { pursuer: who - page.head.evaders };
    const go = () => ask({ ask: "put", ...whom, to: at });
    try {
      // All until the keys are let go is one thing to undo.
      if (state.steered) go(); else marked(go);
      state.steered = true;
    } catch { /* stays */ }
  }

  page.live.key = (event) => {
    if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      undo();
      return true;
    }
    if (event.key in STEER && event.target.tagName !== "INPUT") {
      event.preventDefault();
      state.keys.add(event.key);
      return true;
    }
    return event.target.tagName === "INPUT";
  };
  addEventListener("keyup", (event) => {
    state.keys.delete(event.key);
    if (state.keys.size === 0) state.steered = false;
  });
  // Keys that are let go elsewhere are not told.
  addEventListener("blur", () => {
    state.keys.clear();
    state.steered = false;
  });

  // ---- numbers ----

  /** The most by which a slider changes a number, up or down. */
  const SLIDE = 4;

  /** A field and a slider for every number that the scenario states, or may state in its tables. */
  function showNumbers() {
    const { numbers, tables } = ask({ ask: "numbers" })[0];
    const stated = new Map(numbers);
    const form = (key) => key.split(".").map((part) => /^\d+$/.test(part) ? "N" : part).join(".");
    const above = (key) => key.slice(0, Math.max(0, key.lastIndexOf(".")));
    const known = new Map(page.parameters.map((parameter) => [parameter.key, parameter]));
    // Tables of the file's top hold their defaults where they are left out.
    const top = page.parameters.map((p) => above(p.key)).filter((key) => !key.includes("."));
    const all = [...new Set([...tables, ...top])];
    const open = new Set([...$("numbers").querySelectorAll("details[open]")].map((d) => d.dataset.table));
    const groups = all.map((table) => {
      const of = (key) => above(key) === table;
      const keys = new Set([...stated.keys()].filter(of));
      for (const parameter of page.parameters) {
        if (above(parameter.key) !== form(table)) continue;
        const name = parameter.key.slice(parameter.key.lastIndexOf(".") + 1);
        keys.add(table ? `${table}.${name}` : name);
      }
      const fields = [...keys].map((key) => field(key, stated.get(key), known.get(form(key)) ?? {}));
      return [table, fields];
    }).filter(([, fields]) => fields.length > 0);
    $("numbers").replaceChildren(...groups.map(([table, fields]) => {
      const group = document.createElement("details");
      group.dataset.table = table;
      group.open = open.has(table);
      const title = document.createElement("summary");
      title.textContent = table || "the scenario";
      group.append(title, ...fields);
      return group;
    }));
  }

  /** A number with its unit and limits. Left empty, the default holds. */
  function field(key, value, { about, unit, limits, suggested, default: fallback }) {
    const row = document.createElement("label");
    const name = document.createElement("span"), box = document.createElement("input");
    const slider = document.createElement("input"), note = document.createElement("small");
    name.textContent = key.slice(key.lastIndexOf(".") + 1);
    const facts = [about, limits && `limits: ${limits}`, suggested && `suggested: ${suggested}`];
    row.title = facts.filter((fact) => fact).join("\n");
    Object.assign(box, { type: "number", step: "any", value: value ?? "", placeholder: fallback ?? "" });
    box.dataset.key = key;
    Object.assign(slider, { type: "range", min: -1, max: 1, step: 0.01, value: 0 });
    const base = value ?? Number(fallback);
    slider.disabled = !(base > 0);
    note.textContent = [unit, limits].filter((fact) => fact).join("; ");
    const is_whole = Number.isInteger(base) && !String(fallback ?? "").includes(".") && base >= SLIDE;
    slider.addEventListener("input", () => {
      const slid = base * SLIDE ** slider.value;
      box.value = is_whole ? Math.round(slid) : +slid.toPrecision(3);
    });
    // What is no number, such as 1e, has no value either.
    const set = () => box.validity.badInput ? refuse(`${key}: must be a number`) : setNumber(key, box.value === "" ? null : Number(box.value));
    slider.addEventListener("change", set);
    box.addEventListener("change", set);
    row.append(name, box, slider, note);
    return row;
  }

  /** Says why a number is not taken; what holds is shown again. */
  function refuse(why) {
    say(why);
    showNumbers();
  }

  function setNumber(key, number) {
    let done = false;
    goingOn(() => {
      begin(marked(() => ask({ ask: "set", key, number })));
      say("");
      done = true;
    });
    if (!done) showNumbers();
  }

  /** Begins something that goes on if what was there before did. */
  function goingOn(action) {
    const was = page.state().playing;
    attempt(action);
    if (was) page.play();
  }

  function undo() {
    goingOn(() => {
      begin(ask({ ask: "undo" }));
      state.steered = false;
      say("");
    });
  }

  function take(tool) {
    state.tool = tool;
    for (const button of document.querySelectorAll("#hands button")) {
      button.classList.toggle("on", button.dataset.tool === tool);
    }
  }

  /** The scenario with all that was done, and the state's hash that a run of it ends with. */
  const save = () => ask({ ask: "save" })[0];

  function download() {
    const blob = new Blob([save().text], { type: "application/toml" });
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(blob), download: `${page.head.summary.scenario}.toml`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** Opens a scenario or a level, of which a file is the main one: the program finds out which. */
  async function openFiles(list) {
    const files = [...list];
    if (files.length === 0) return;
    try {
      const bytes = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
      const names = files.map((file, i) => [file.name, bytes[i].length]);
      opened(() => ask({ ask: "files", files: names, seed: null }, bytes));
      $("scenario").value = "";
    } catch (error) {
      say(error.message);
    }
  }

  async function start() {
    say("");
    $("status").textContent = "loading";
    const bytes = await page.inflate($("film").textContent);
    const { instance } = await WebAssembly.instantiate(bytes, {});
    program = instance.exports;
    [scenarios] = ask({ ask: "scenarios" });
    for (const { name } of scenarios) $("scenario").add(new Option(name));
    const textOf = (name) => scenarios.find((s) => s.name === name).text;
    $("scenario").addEventListener("change", (e) => {
      goingOn(() => open(e.target.value, textOf(e.target.value)));
    });
    for (const button of document.querySelectorAll("#hands button")) {
      button.addEventListener("click", () => take(button.dataset.tool));
    }
    $("undo").addEventListener("click", undo);
    $("rules").addEventListener("change", (e) => beside(e.target.value).catch((error) => say(error.message)));
    for (const [rule, name] of Object.entries(RULES)) $("rules").add(new Option(name, rule));
    $("step").addEventListener("click", () => attempt(stepOnce));
    $("restart").addEventListener("click", () => goingOn(() => begin(ask({ ask: "restart", seed: null }))));
    $("reset").addEventListener("click", () => goingOn(() => opened(openAgain)));
    $("seed").addEventListener("change", (e) => {
      goingOn(() => {
        whole("restart", "seed", e.target.value === "" ? NaN : Number(e.target.value));
        begin(ask({ ask: "restart", seed: Number(e.target.value) }));
        say("");
      });
      $("seed").value = page.head.summary.seed;
    });
    $("save").addEventListener("click", download);
    const given = (files) => page.live.open ? page.live.open(files) : openFiles(files);
    $("file").addEventListener("change", (e) => given(e.target.files));
    // The same file, saved again since, is another choice.
    $("file").addEventListener("click", (e) => { e.target.value = ""; });
    addEventListener("dragover", (e) => e.preventDefault());
    addEventListener("drop", (e) => {
      e.preventDefault();
      given(e.dataTransfer.files);
    });
    const panel = document.createElement("section");
    panel.innerHTML = "<h2>Numbers <small>of the scenario</small></h2><div id=numbers></div>";
    // Below what is told of whom one has clicked: that is to be seen at once.
    $("why").closest("section").after(panel);
    take("look");
    const first = scenarios.some((s) => s.name === "rooms") ? "rooms" : scenarios[0].name;
    $("scenario").value = first;
    open(first, textOf(first));
    page.play();
  }

  const ready = start().catch((error) => {
    say(`the playground cannot be shown: ${error.message}`);
    throw error;
  });
  Object.assign(page, { ready, beside, ask, say, reopen, openFiles, save, load: once(load), step: ofWorld(step), hash: once(hash), paint: ofWorld(paint), drag: ofWorld(drag) });
})();
