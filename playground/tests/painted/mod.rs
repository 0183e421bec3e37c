//! The level tools, by the events of a hand.

use super::browser::Browser;
use super::levels;
use super::{drag_points, drop_files, key, mouse, page, seen, wait};
use jump_planner::{Character, JumpGraph};
use ndarray::Array2;
use serde_json::{Value, json};
use sim_harness::maps::heights::{Scaling, parse_asc};
use std::path::Path;

/// Clicks in the middle of the element that a selector finds.
fn press(browser: &mut Browser, selector: &str) {
    let at = browser.evaluate(&format!(
        "(() => {{ const it = document.querySelector({selector:?}); it.scrollIntoView({{ block: 'nearest' }}); \
         const r = it.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()"
    ));
    click(browser, [0, 1].map(|i| at[i].as_f64().unwrap_or_else(|| panic!("{selector}"))));
}

fn click(browser: &mut Browser, at: [f64; 2]) {
    mouse(browser, "mousePressed", at);
    mouse(browser, "mouseReleased", at);
}

fn click_cell(browser: &mut Browser, tool: &str, cell: [f64; 2]) {
    press(browser, &format!("[data-level={tool}]"));
    let at = seen(browser, cell);
    click(browser, at);
}

/// Types a text into a field in place of its old one.
fn fill(browser: &mut Browser, selector: &str, text: &str) {
    press(browser, selector);
    browser.evaluate(&format!("document.querySelector({selector:?}).select()"));
    browser.call("Input.insertText", &json!({"text": text}));
    let enter =
        json!({"type": "keyDown", "key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13});
    browser.call("Input.dispatchKeyEvent", &enter);
}

fn count(browser: &mut Browser, kind: &str) -> u64 {
    let count = format!("document.querySelector('[data-kind=\"{kind}\"] summary').textContent");
    let text = browser.evaluate(&count);
    text.as_str().and_then(|text| text.rsplit(' ').next()).unwrap().parse().unwrap()
}

fn colour(browser: &mut Browser, [x, y]: [f64; 2]) -> [i64; 3] {
    let read = format!(
        "(() => {{ const [x, y] = namiji.toCanvas({x}, {y}, 0).map(Math.round); \
         return [...namiji.canvas.getContext('2d').getImageData(x, y, 1, 1).data]; }})()"
    );
    let colour = browser.evaluate(&read);
    [0, 1, 2].map(|i| colour[i].as_i64().unwrap())
}

fn text(browser: &mut Browser, id: &str) -> String {
    let text = browser.evaluate(&format!("document.getElementById('{id}').textContent"));
    text.as_str().unwrap().to_owned()
}

/// Checks that the page shows the results of an audit of the saved file.
fn check(browser: &mut Browser) {
    let saved = browser.evaluate("namiji.ask({ ask: 'level', do: 'save' })[0]");
    let state = browser.evaluate(
        "(() => { const { settings, found } = namiji.level.state(); \
         return { settings, found: found.length, outcome: namiji.head.summary.outcome, \
         start: namiji.head.places.find(([name]) => name === 'start')?.[1] }; })()",
    );
    let text = saved["text"].as_str().unwrap();
    let mut heights = parse_asc("saved.asc", text.as_bytes()).unwrap();
    // Pits, of which the file's note tells.
    let boxes: Vec<[[usize; 2]; 2]> = serde_json::from_value(saved["no_go"].clone()).unwrap();
    let is_pit = |y, x| {
        boxes.iter().any(|&[[left, upper], [right, lower]]| {
            (left..=right).contains(&x) && (upper..=lower).contains(&y)
        })
    };
    heights.no_go = Some(Array2::from_shape_fn(heights.heights.dim(), |(y, x)| is_pit(y, x)));
    let number = |key: &str| state["settings"][key].as_f64().unwrap();
    let character = Character::builder(number("launch_speed")).step_height(number("step_height"));
    let terrain = heights.terrain(&Scaling::default()).unwrap();
    let size = terrain.cell_size();
    let start = state["start"]
        .as_array()
        .map(|at| [1, 0].map(|a: usize| (at[a].as_f64().unwrap() / size).round() as usize));
    let audit = JumpGraph::new(terrain, character.build().unwrap()).unwrap().audit(start).unwrap();
    assert_eq!(state["outcome"]["traps"], audit.traps());
    assert_eq!(state["outcome"]["regions"], audit.region_count());
    assert_eq!(count(browser, "trap"), audit.traps() as u64);
}

fn picture(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("PLAYGROUND_PICTURES") else { return };
    super::screenshot(browser, &Path::new(&folder).join(name));
}

#[test]
fn a_level_is_painted_and_audited_by_hand() {
    let Some(mut browser) = page() else { return };
    let browser = &mut browser;
    press(browser, "#mode");
    assert_eq!(text(browser, "name"), "sample, level tools");
    assert_eq!(count(browser, "trap"), 3);
    check(browser);

    // A finding, by its move; and a jump from the side.
    press(browser, "#found [data-kind=trap] button");
    assert_eq!(browser.evaluate("namiji.level.state().arcs.length"), 1);
    press(browser, "#found [data-kind='one way'] summary");
    wait(browser, "document.querySelectorAll('#found [data-kind=\"one way\"] button').length > 0");
    let jump = "[...document.querySelectorAll('#found [data-kind=\"one way\"] button')]\
         .find((b) => b.textContent.startsWith('a jump')).id = 'the-jump'";
    browser.evaluate(jump);
    press(browser, "#the-jump");
    let said = text(browser, "here-said");
    assert!(said.contains("A jump at 6") && said.contains("clears all by"), "{said}");
    assert_eq!(browser.evaluate("document.getElementById('side').hidden"), false);
    picture(browser, "level-jump.png");

    // A pit, deeper than any character jumps: one trap more, in its colour.
    press(browser, "[data-level=lower]");
    fill(browser, "#amount", "2.5");
    let plain = colour(browser, [26.0, 22.0]);
    let points = [[26.0, 21.0], [26.0, 22.0], [26.0, 23.0]].map(|at| seen(browser, at));
    drag_points(browser, &points);
    assert_eq!(count(browser, "trap"), 4);
    check(browser);
    let painted = colour(browser, [26.0, 22.0]);
    assert!(painted[0] - painted[1] > 30 + plain[0] - plain[1], "{plain:?}, {painted:?}");
    // Raised by less than before it is one no more: one jumps out.
    press(browser, "[data-level=raise]");
    fill(browser, "#amount", "1");
    drag_points(browser, &points);
    assert_eq!(count(browser, "trap"), 3);
    let z = json!({"type": "keyDown", "key": "z", "code": "KeyZ", "modifiers": 2});
    browser.call("Input.dispatchKeyEvent", &z);
    assert_eq!(count(browser, "trap"), 4);
    press(browser, "#level-undo");
    assert_eq!(count(browser, "trap"), 3);
    press(browser, "[data-level=height]");
    fill(browser, "#amount", "-3");
    drag_points(browser, &points[..1]);
    assert_eq!(browser.evaluate("namiji.head.heights[21 * 44 + 26]"), -3);
    check(browser);
    press(browser, "#level-undo");

    // Start, goal and route.
    click_cell(browser, "start", [2.0, 2.0]);
    click_cell(browser, "goal", [42.0, 2.0]);
    let said = text(browser, "goal-said");
    assert!(said.contains("The goal is reached"), "{said}");
    for at in [[2.0, 2.0], [24.0, 14.0], [42.0, 2.0]] {
        click_cell(browser, "stop", at);
    }
    assert!(browser.evaluate("namiji.level.state().route.length").as_u64() > Some(40));
    check(browser);
    picture(browser, "level-route.png");
    press(browser, "#no-route");
    assert_eq!(browser.evaluate("namiji.level.state().route.length"), 0);

    // A launch speed just above the last step: the yard's walls keep nobody in.
    let steps = browser.evaluate("namiji.level.state().steps");
    let most = browser.evaluate("namiji.level.state().most").as_f64().unwrap();
    let last = steps.as_array().unwrap().last().unwrap()["speed"].as_f64().unwrap();
    assert!(last > 6.0 && last < most, "{steps}");
    let plot = browser.evaluate(
        "(() => { const c = document.getElementById('speeds'); c.scrollIntoView({ block: 'nearest' }); \
         const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()",
    );
    let [left, top, wide, high] = [0, 1, 2, 3].map(|i| plot[i].as_f64().unwrap());
    let x = left + wide * (8.0 + 584.0 * last / most) / 600.0;
    click(browser, [x, top + high / 2.0]);
    let speed = browser.evaluate("namiji.level.state().settings.launch_speed").as_f64().unwrap();
    assert!((speed / last - 1.001).abs() < 1e-6, "{speed}, {last}");
    assert_eq!(count(browser, "not reached"), 0);
    check(browser);
    fill(browser, "#legs [name=launch_speed]", "-1");
    assert!(text(browser, "status").contains("launch_speed"));
    fill(browser, "#legs [name=launch_speed]", "6");

    // The data of a cell.
    click_cell(browser, "look", [34.0, 19.0]);
    let said = text(browser, "here-said");
    assert!(said.contains("[34, 19]: region") && said.contains("not reached"), "{said}");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn levels_are_dropped_on_the_tools_and_played_on() {
    let Some(mut browser) = page() else { return };
    let browser = &mut browser;
    let levels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-harness/tests/levels");
    let levels = levels.canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut drops = levels::made(folder.path(), &levels);
    drops.truncate(3);
    drops.push(vec![levels.join("hill.tif")]);
    press(browser, "#mode");
    press(browser, "#level-new");
    assert_eq!(browser.evaluate("namiji.head.size"), json!([48, 32, 1]));
    for files in &drops {
        browser.evaluate("namiji.head.isOld = true");
        drop_files(browser, files);
        wait(browser, "!namiji.head.isOld");
        let name = files[0].file_name().unwrap().to_str().unwrap();
        assert_eq!(text(browser, "name"), format!("{name}, level tools"));
        check(browser);
    }
    // A file that is no level is refused, and the open one stays.
    let text_file = folder.path().join("notes.txt");
    std::fs::write(&text_file, "nothing").unwrap();
    drop_files(browser, &[text_file]);
    wait(browser, "document.getElementById('status').className === 'error'");
    assert_eq!(text(browser, "name"), "hill.tif, level tools");

    // A chase on the ground, and the ground of a chase.
    drop_files(browser, &drops[1]);
    wait(browser, "document.getElementById('name').textContent.startsWith('ground.asc')");
    press(browser, "#level-play");
    wait(browser, "document.getElementById('name').textContent.startsWith('ground, seed')");
    let at = |cell: [usize; 2]| f64::from(levels::height(cell));
    let heights = browser.evaluate("namiji.head.heights");
    assert_eq!(heights[4 * 18 + 4], at([4, 4]));
    press(browser, "#step");
    assert_eq!(browser.evaluate("namiji.head.steps.at(-1)"), 1);
    let hash = browser.evaluate("namiji.hash()");
    press(browser, "#mode");
    press(browser, "#level-world");
    assert_eq!(browser.evaluate("namiji.head.heights[76]"), at([4, 4]));
    key(browser, "keyDown", "ArrowLeft");
    press(browser, "#mode");
    assert_eq!(browser.evaluate("namiji.hash()"), hash);
    assert_eq!(browser.evaluate("namiji.head.steps"), json!([1]));
    press(browser, "#step");
    assert_eq!(browser.evaluate("namiji.head.steps.at(-1)"), 2);
    let none: Vec<Value> = Vec::new();
    assert_eq!(json!(browser.errors), json!(none));
}
