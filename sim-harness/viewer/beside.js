// Another film beside this one, in a page of its own that follows this one: a part of the function
// that viewer.js begins.
  // ---- two side by side ----

  const pair = { box: null, other: null };

  /** Opens a page of this viewer beside this one; returns what scripts of it call. */
  async function openBeside(html) {
    closeBeside();
    const box = document.createElement("iframe");
    box.id = "beside";
    box.srcdoc = html.replace("<body", "<body data-beside");
    $("stage").after(box);
    pair.box = box;
    await new Promise((done) => { box.addEventListener("load", done, { once: true }); });
    const other = box.contentWindow?.namiji;
    if (!other?.follow) {
      closeBeside();
      throw new Error("this is no report of this viewer");
    }
    await other.ready;
    pair.other = other;
    resize();
    return other;
  }

  function closeBeside() {
    pair.box?.remove();
    Object.assign(pair, { box: null, other: null });
    label();
  }

  /** This page without its film and what was added to it: an empty viewer. */
  function emptyPage() {
    const copy = document.documentElement.cloneNode(true);
    const [first, film, viewer, ...added] = copy.querySelectorAll("script");
    first.textContent = "null";
    film.textContent = "";
    for (const part of [...added, ...copy.querySelectorAll("nav, iframe")]) part.remove();
    viewer.textContent = viewer.textContent.replace(/window\.namiji\.parameters = .*/, "");
    return `<!doctype html>${copy.outerHTML}`;
  }

  /** Lets the page beside show the same moment in the same way. */
  function showBeside() {
    label();
    if (!pair.other || shots === 0) return;
    const time = stepOf(state.frame) * head.dt;
    pair.other.follow({ time, camera, view: state.view, turn: [state.turn, state.tilt], layers, chosen: state.chosen });
  }

  /** Shows the moment at a time as another page shows its own. */
  function follow({ time, camera: seen, view: as, turn: [angle, tilt], layers: on, chosen }) {
    if (shots === 0) return;
    Object.assign(layers, on);
    if (as !== state.view && [...$("projection").options].some((option) => option.value === as)) view(as);
    if (as === "turned") Object.assign(state, { turn: angle, tilt, axes: axesOf(as) });
    Object.assign(camera, seen);
    state.chosen = chosen;
    state.frame = Math.max(0, latest(head.steps, time / head.dt + 0.5, (step) => step));
    show();
  }

  /** Which film it is and what has come of it, where there are two. */
  function label() {
    const isPair = pair.other !== null || "beside" in document.body.dataset;
    const of = head?.summary?.outcome ?? {};
    const came = "arrived" in of ? `: ${of.arrived} of ${of.pursuers} arrived` : "";
    $("label").textContent = isPair && head ? `${state.title ?? `${head.summary.scenario}, seed ${head.summary.seed}`}${came}` : "";
  }

  /** In a report: another report that is dropped on it is shown beside it. */
  function takeReports() {
    addEventListener("dragover", (e) => e.preventDefault());
    addEventListener("drop", async (e) => {
      e.preventDefault();
      const file = e.dataTransfer.files[0];
      if (!file) return;
      try {
        await openBeside(await file.text());
        $("status").textContent = "";
        show();
      } catch (error) {
        $("status").textContent = `${file.name}: ${error.message}`;
      }
    });
  }
