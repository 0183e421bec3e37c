//! The page in a real browser: the same states as natively, and hands that do what they should.
//!
//! It is the page that `PLAYGROUND_PAGE` names; without it, or without a Chromium, nothing is tested.

#[path = "../../sim-harness/tests/browser/mod.rs"]
mod browser;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browser::Browser;
use playground::Playground;
use serde_json::{Value, json};
use sim_harness::scenario::{self, built_in};
use sim_harness::world;
use std::path::PathBuf;

fn page() -> Option<Browser> {
    let Some(page) = std::env::var_os("PLAYGROUND_PAGE").map(PathBuf::from) else {
        println!("skipped: PLAYGROUND_PAGE names no page");
        return None;
    };
    let Some(mut browser) = Browser::start() else {
        println!("skipped: there is no chromium");
        return None;
    };
    browser.open(&page);
    browser.evaluate("namiji.ready.then(() => { namiji.pause(); return true; })");
    Some(browser)
}

/// Where a place of the world is on the page.
fn seen(browser: &mut Browser, at: [f64; 2]) -> [f64; 2] {
    let at = browser.evaluate(&format!(
        "(() => {{ const r = namiji.canvas.getBoundingClientRect(); \
         const [x, y] = namiji.toCanvas({}, {}, 0); \
         return [r.left + x / devicePixelRatio, r.top + y / devicePixelRatio]; }})()",
        at[0], at[1]
    ));
    [0, 1].map(|i| at[i].as_f64().unwrap())
}

fn mouse(browser: &mut Browser, kind: &str, [x, y]: [f64; 2]) {
    let buttons = u8::from(kind != "mouseReleased");
    let event = json!({
        "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1
    });
    browser.call("Input.dispatchMouseEvent", &event);
}

/// Drags with a tool from place to place of the world.
fn drag(browser: &mut Browser, tool: &str, places: &[[f64; 2]]) {
    browser.evaluate(&format!("document.querySelector('[data-tool={tool}]').click()"));
    let points: Vec<[f64; 2]> = places.iter().map(|&at| seen(browser, at)).collect();
    mouse(browser, "mousePressed", points[0]);
    for &point in &points {
        mouse(browser, "mouseMoved", point);
    }
    mouse(browser, "mouseReleased", points[points.len() - 1]);
}

fn key(browser: &mut Browser, kind: &str, key: &str) {
    browser.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key, "code": key}));
}

/// That the saved scenario runs to the state that the page is in.
fn check_saved(browser: &mut Browser, name: &str) -> String {
    let saved = browser.evaluate("namiji.save()");
    let text = saved["text"].as_str().unwrap().to_owned();
    let again = scenario::parse(name, &text).unwrap();
    let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
    assert_eq!(summary.state_hash, saved["state_hash"], "{name}");
    text
}

/// What an expression throws, by its message.
fn thrown(browser: &mut Browser, expression: &str) -> String {
    let message = format!(
        "(async () => {{ try {{ await {expression}; }} catch (e) {{ return e.message; }} }})()"
    );
    let message = browser.evaluate(&message);
    message.as_str().unwrap_or_else(|| panic!("{expression} is done")).to_owned()
}

#[test]
fn scripts_bring_every_scenario_to_the_state_that_a_run_ends_with() {
    let Some(mut browser) = page() else { return };
    for built in built_in() {
        let there = browser.evaluate(&format!(
            "(() => {{ namiji.load({:?}, 7); namiji.step(5); \
             return {{ ...namiji.step(1e6), hash: namiji.hash() }}; }})()",
            built.name
        ));
        let scenario = scenario::parse(built.name, built.text).unwrap();
        let here = world::run(&scenario, Some(7), None, &mut |_| {}).unwrap();
        let here = json!({"frame": here.steps, "over": true, "hash": here.state_hash});
        assert_eq!(there, here, "{}", built.name);
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn scripts_need_not_wait_and_paint_drag_and_save() {
    let Some(mut browser) = page() else { return };
    // Before the program is there, calls wait for it, in their order.
    browser.call("Page.reload", &json!({}));
    while browser.evaluate("document.readyState === 'complete' && !!window.namiji?.load") != true {}
    let text = format!("seed = 5\n{}", scenario::text_of("rooms").unwrap().replace("seed = 1", ""));
    let calls = format!(
        "Promise.all([namiji.load({}), namiji.step(30), namiji.hash()]).then((all) => all[2])",
        Value::from(text.clone())
    );
    let there = browser.evaluate(&calls);
    let mut here = Playground::open("rooms", &text, None).unwrap();
    here.go_on(30, false).unwrap();
    assert_eq!(there, here.state_hash());

    // From then on they are done at once.
    browser.evaluate("namiji.paint(14, 6, true); namiji.drag(0, 17, 26); namiji.step(40)");
    here.edit(vec![14, 6], vec![14, 6], Some(true), None).unwrap();
    here.put(0, vec![17.0, 26.0]).unwrap();
    here.go_on(40, false).unwrap();
    assert_eq!(browser.evaluate("namiji.hash()"), here.state_hash());
    check_saved(&mut browser, "rooms");

    // What cannot be is said, and nothing happens.
    for (call, part) in [
        ("namiji.load('castel')", "\"castel\"; known are rooms"),
        ("namiji.load('name = 1')", "scenario:1"),
        ("namiji.load('rooms', -1)", "seed = -1 must be"),
        ("namiji.load(5)", "must be a name or a text"),
        ("namiji.step(0.5)", "frames = 0.5 must be"),
        ("namiji.paint(14.5, 6, true)", "x = 14.5 must be"),
        ("namiji.paint(999, 6, true)", "a map of 73 x 33 cells"),
        ("namiji.paint(1, 1, 1)", "wall must be true or false"),
        ("namiji.drag(9, 1, 1)", "9"),
        ("namiji.drag(0, 0, 0)", "is in a wall"),
        ("namiji.drag(0, NaN, 0)", "x = NaN must be"),
    ] {
        let message = thrown(&mut browser, call);
        assert!(message.contains(part) && message.lines().count() == 1, "{call}: {message}");
    }
    assert_eq!(browser.evaluate("namiji.hash()"), here.state_hash());

    // An end is an end, until a hand does something.
    let over = browser.evaluate("namiji.load('rooms'), namiji.step(1e6)");
    assert_eq!(browser.evaluate("namiji.step(5)"), over);
    browser.evaluate("namiji.drag(0, 4, 4)");
    let on = browser.evaluate("namiji.step(5)");
    assert_eq!(on["frame"].as_u64(), over["frame"].as_u64().map(|frame| frame + 5));
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn hands_paint_drag_steer_add_and_undo() {
    let Some(mut browser) = page() else { return };
    let restart = "(() => { namiji.pause(); document.getElementById('restart').click(); })()";
    browser.evaluate(restart);
    let frames = |browser: &mut Browser, n: u32| {
        browser.evaluate(&format!(
            "for (let i = 0; i < {n}; i++) document.getElementById('step').click()"
        ));
    };
    frames(&mut browser, 5);

    // A wall where none was: painted, shown, and in the scenario.
    let edits = "namiji.save().text.split('[[edits]]').length - 1";
    let planned = browser.evaluate(edits).as_u64().unwrap();
    drag(&mut browser, "wall", &[[14.0, 4.0], [14.0, 8.0]]);
    assert!(browser.evaluate(edits).as_u64().unwrap() >= planned + 5);
    let colour = "(() => { const [x, y] = namiji.toCanvas(14, 6, 0).map(Math.round); \
         return [...namiji.canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3); })()";
    assert_eq!(browser.evaluate(colour), json!([52, 58, 70]));
    drag(&mut browser, "slow", &[[4.0, 4.0], [8.0, 4.0]]);

    // The target comes along.
    drag(&mut browser, "drag", &[[71.0, 15.0], [50.0, 20.0], [17.0, 26.0]]);
    frames(&mut browser, 2);
    let at = browser.evaluate("namiji.place(0, namiji.state().frame)");
    let far = (at[0].as_f64().unwrap() - 17.0).hypot(at[1].as_f64().unwrap() - 26.0);
    assert!(far < 0.2, "{at}");

    // Keys steer it on.
    browser.evaluate("document.querySelector('[data-tool=look]').click()");
    key(&mut browser, "keyDown", "ArrowRight");
    browser.evaluate("namiji.step(10)");
    key(&mut browser, "keyUp", "ArrowRight");
    let steered = browser.evaluate("namiji.place(0, namiji.state().frame)");
    assert!(steered[0].as_f64().unwrap() > at[0].as_f64().unwrap() + 0.5, "{at}, {steered}");

    // One more pursuer, and one less.
    let count = |browser: &mut Browser| browser.evaluate("namiji.head.counts.at(-1)").as_u64();
    let before = count(&mut browser);
    browser.evaluate("document.querySelector('[data-tool=pursuer]').click()");
    let at = browser.evaluate("namiji.toCanvas(20, 4, 0)");
    browser.click(at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    frames(&mut browser, 1);
    assert_eq!(count(&mut browser), before.map(|n| n + 1));
    let text = check_saved(&mut browser, "rooms");
    assert!(["[[edits]]", "[[moves]]", "wave_speed"].iter().all(|part| text.contains(part)));
    browser.evaluate("document.getElementById('undo').click()");
    assert_eq!(count(&mut browser), before);
    check_saved(&mut browser, "rooms");

    // What cannot be is said, and nothing else happens.
    drag(&mut browser, "drag", &[[17.0, 26.0], [0.0, 0.0]]);
    let said = browser.evaluate("document.getElementById('status').textContent");
    assert!(said.as_str().unwrap().contains("is in a wall"), "{said}");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    if let Some(file) = std::env::var_os("PLAYGROUND_PICTURE") {
        picture(&mut browser, &PathBuf::from(file));
    }
}

/// The picture of the guide: the pursuers have turned round.
fn picture(browser: &mut Browser, file: &std::path::Path) {
    browser.evaluate("document.getElementById('scenario').dispatchEvent(new Event('change'))");
    browser.evaluate("namiji.step(60)");
    drag(browser, "drag", &[[71.0, 15.0], [17.0, 26.0]]);
    browser.evaluate("namiji.step(30)");
    browser.evaluate("namiji.show()");
    let shot: Value = browser.call("Page.captureScreenshot", &json!({"format": "png"}));
    let png = STANDARD.decode(shot["data"].as_str().unwrap());
    std::fs::write(file, png.unwrap()).unwrap();
}
