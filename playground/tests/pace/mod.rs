//! How large the page is, and how fast.

use super::page;

/// `[units: bytes]` The most that the page may have.
const MOST: u64 = 3_000_000;

#[test]
fn the_page_is_small() {
    let Some(page) = std::env::var_os("PLAYGROUND_PAGE") else {
        println!("skipped: PLAYGROUND_PAGE names no page");
        return;
    };
    let bytes = std::fs::metadata(page).unwrap().len();
    assert!(bytes <= MOST, "{bytes} bytes");
}

/// A server shows it: it is no secret file.
#[cfg(unix)]
#[test]
fn the_page_can_be_read_like_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let Some(page) = std::env::var_os("PLAYGROUND_PAGE") else {
        println!("skipped: PLAYGROUND_PAGE names no page");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::write(&other, "").unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(page.as_ref()), mode(&other));
}

/// 2,000 pursuers on 512 x 512 cells with blocks, and a stroke of the brush a frame, against a loop
/// that does nothing but clear a canvas of the same size: both take turns.
#[test]
#[ignore = "a measurement: 20 seconds on an idle machine"]
fn two_thousand_pursuers_and_a_stroke_a_frame() {
    let Some(mut browser) = page() else { return };
    let rates = browser.evaluate(
        r#"(async () => {
          namiji.load(`name = "pace"
            steps = 100000
            until = "last-step"
            [map]
            size = [512, 512]
            blocks = { count = 400, shortest = 6, longest = 12 }
            [[evaders]]
            speed = 0.3
            mind = { wander = 200 }
            [[pursuers]]
            count = 2000
            speed = 0.5`);
          namiji.step(400);
          const count = (ms, each) => new Promise((done) => {
            let frames = 0, from = null;
            const tick = (now) => {
              from ??= now;
              if (now - from >= ms) { done(1000 * frames / (now - from)); return; }
              each(frames++);
              requestAnimationFrame(tick);
            };
            requestAnimationFrame(tick);
          });
          const bare = document.createElement("canvas");
          Object.assign(bare, { width: namiji.canvas.width, height: namiji.canvas.height });
          bare.style = "position: fixed; left: 0; top: 0";
          const pen = bare.getContext("2d", { alpha: false });
          const empty = (n) => { pen.fillStyle = n % 2 ? "white" : "silver"; pen.fillRect(0, 0, bare.width, bare.height); };
          const press = (tool) => document.querySelector(`[data-tool=${tool}]`).click();
          const hand = (kind, at) => namiji.live.pointer(kind, at, { offsetX: 0, offsetY: 0 });
          const round = (n) => [256 + 180 * Math.cos(n / 40), 256 + 180 * Math.sin(n / 40)];
          const rates = [];
          await count(500, () => {});
          for (let turn = 0; turn < 3; turn++) {
            document.body.append(bare);
            rates.push(await count(2000, empty));
            bare.remove();
            press(turn % 2 ? "free" : "wall");
            hand("down", round(0));
            namiji.setState({ speed: 60 * namiji.head.dt });
            namiji.play();
            const before = namiji.head.steps.at(-1);
            rates.push(await count(4000, (n) => hand("move", round(n + 1))));
            rates.push(namiji.head.steps.at(-1) - before);
            namiji.pause();
            hand("up", null);
          }
          return { rates, cost: document.getElementById("cost").textContent, canvas: [bare.width, bare.height] };
        })()"#,
    );
    println!("frames a second, empty and with the world, and frames of the world: {rates}");
    let rate = |i: usize| rates["rates"][i].as_f64().unwrap();
    for turn in 0..3 {
        let (empty, full) = (rate(3 * turn), rate(3 * turn + 1));
        println!("{empty:.1} empty, {full:.1} full: {:.2}", full / empty);
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
