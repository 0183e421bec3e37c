// What hands do to the film; the end of the function that viewer.js begins.
  // ---- controls ----

  let panelled = 0;
  let density = devicePixelRatio;

  function show(now = performance.now(), whole = true) {
    if (shots === 0) return;
    // A canvas that keeps its size on the page is told nothing of denser pixels.
    if (density !== devicePixelRatio) return resize();
    draw();
    showBeside();
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
    // A frame of the page may have begun before the click that it follows.
    const passed = Math.min(0.25, Math.max(0, now - last) / 1000);
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
    live.paused?.();
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
      // Evaders are drawn larger, and there are few of them.
      const far = Math.hypot(at[0] - x, at[1] - y) / (agent < head.evaders ? 2 : 1);
      if (far < nearest) [best, nearest] = [agent, far];
    }
    state.chosen = best;
    if (best === null) tellNobody();
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
    heat: "where pursuers have walked: how often each cell was entered",
    walked: "the same to the end, over all seeds of --heat",
    caught: "where evaders were caught, over all seeds of --heat",
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
    const { walked, caught } = film.layers;
    const there = { graph: head.ways.length, places: head.places.length, walked, caught };
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
    // A copy of a page that has been set up is set up again.
    for (const list of ["layers", "speed", "plots", "legend"]) $(list).replaceChildren();
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
      // On a box it is the box's own.
      if (e.key === " " && e.target.type === "checkbox") return;
      if (e.key === " ") { e.preventDefault(); state.playing ? pause() : play(); }
      else if (e.key in moves && e.target.id !== "seek") seek(Math.floor(state.frame) + moves[e.key]);
    });
    // A finger may be the first of two: only when it has moved so far, or is lifted, does it do
    // something.
    const HESITATION = 6 * devicePixelRatio;
    let drag = null;
    const fingers = new Map();
    const at = (e) => [e.offsetX * devicePixelRatio, e.offsetY * devicePixelRatio];
    const hand = (kind, e) => shots > 0 && live.pointer?.(kind, fromCanvas(...at(e)), e);
    const grasp = () => {
      if (!drag?.held) return;
      drag.byHand = hand("down", drag.held);
      drag.held = null;
    };
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
        drag = { at: at(e), moved: 0, held: e, byHand: false };
        if (e.pointerType !== "touch") grasp();
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
      if (drag?.held && Math.hypot(x - drag.at[0], y - drag.at[1]) < HESITATION) return;
      grasp();
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
      if (e.type === "pointerup") grasp();
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
    density = devicePixelRatio;
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
    if (!("beside" in document.body.dataset)) takeReports();
  }).catch((error) => {
    $("status").textContent = `this report cannot be shown: ${error.message}`;
    throw error;
  });

  window.namiji = {
    ready, film, layers, live, play, pause, seek, show, fit, resize, toggle, choose, place, toCanvas, fromCanvas,
    view, turn, draw, drawCells, drawOutcome, heightRow, canvas, beginLive, append, slow, wall, lift, inflate, openBeside, closeBeside, emptyPage, follow, setState: (more) => Object.assign(state, more),
    get head() { return head; },
    /** How many cells the last change of the ground painted. */
    get painted() { return ground.painted; },
    /** What scripts of the page beside this one call; null where there is none. */
    get other() { return pair.other; },
    state: () => ({ ...state }),
  };
})();
