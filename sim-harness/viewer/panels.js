// What is told of a moment beside the drawing: a part of the function that viewer.js begins.
  // ---- panels ----

  const stepOf = (frame) => head.steps[Math.floor(frame)];

  function tellNobody() {
    $("who").textContent = "nobody chosen";
    $("why").textContent = "";
  }

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
    heat: (most) => [scale(FREE, HEAT), "0", `${most} visits`],
    walked: (most) => [scale(FREE, HEAT), "0", `${most} visits`],
    caught: (most) => [scale(FREE, CAUGHT), "0", `${most} caught`],
    fill: (most) => [scale(FREE, mix(FREE, FILL, 0.8)), "0", short(most)],
  };

  /** What the colours of now mean. */
  function drawLegend() {
    const rows = live.legend?.() ?? usualLegend();
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

  const heightRow = () => ["height", scale(LOW, HIGH), ...film.relief.map(short)];

  function usualLegend() {
    const rows = [["wall", css(WALL)]];
    if (film.isSlow) rows.push(["slow", css(mix(FREE, SLOW, 0.3))]);
    if (head.heights) rows.push(heightRow());
    for (const layer of shownAt(stepOf(state.frame))) {
      rows.push([layer.name, ...TOLD[layer.name](layer.most)]);
    }
    rows.push(["evader", EVADER], ["pursuer", `linear-gradient(to right, ${COLOURS.join()})`]);
    if (layers.places && head.places.length > 0) rows.push(["place", "#5a3d8a"]);
    return rows;
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

  /** The lowest and the highest of each column: a film that goes on may have a million moments. */
  function lineOf(gauge) {
    const columns = Math.min(shots, 600);
    const lows = new Array(columns).fill(Infinity), highs = new Array(columns).fill(-Infinity);
    let low = 0;
    for (let f = 0; f < shots; f++) {
      const v = film.gauges[f][gauge] ?? NaN, column = Math.floor(f * columns / shots);
      if (!Number.isFinite(v)) continue;
      lows[column] = Math.min(lows[column], v);
      highs[column] = Math.max(highs[column], v);
      low = Math.min(low, v);
    }
    const high = highs.reduce((a, b) => Math.max(a, b), low + 1e-9);
    const line = new Path2D();
    lows.forEach((v, column) => {
      for (const end of v < highs[column] ? [v, highs[column]] : [v]) {
        if (end < Infinity) line.lineTo(column / Math.max(1, columns - 1) * 600, 104 - (end - low) / (high - low) * 98);
      }
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
    if (head.summary.state_hash) rows.push(["state_hash", head.summary.state_hash]);
    for (const cells of rows) {
      const row = $("outcome").insertRow();
      for (const cell of cells) row.insertCell().textContent = cell;
    }
  }
