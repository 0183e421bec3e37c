//! The page in a real browser: it has the same states as the native program, and changes by hand
//! work.
//!
//! It is the page that `PLAYGROUND_PAGE` names; without it, or without a Chromium, nothing is
//! tested.

mod beside;
#[path = "../../sim-harness/tests/browser/mod.rs"]
mod browser;
mod film;
mod levels;
mod pace;
mod painted;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browser::Browser;
use levels::LEVELS;
use playground::Playground;
use serde_json::{Value, json};
use sim_harness::import::Files;
use sim_harness::scenario::{self, built_in};
use sim_harness::world;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    drag_points(browser, &points);
}

/// Drags from point to point of the page.
fn drag_points(browser: &mut Browser, points: &[[f64; 2]]) {
    mouse(browser, "mousePressed", points[0]);
    for &point in points {
        mouse(browser, "mouseMoved", point);
    }
    mouse(browser, "mouseReleased", points[points.len() - 1]);
}

fn key(browser: &mut Browser, kind: &str, key: &str) {
    browser.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key, "code": key}));
}

/// Checks that the saved scenario runs to the state that the page is in.
fn check_saved(browser: &mut Browser, name: &str) -> String {
    let saved = browser.evaluate("namiji.save()");
    let text = saved["text"].as_str().unwrap().to_owned();
    let again = scenario::parse(name, &text).unwrap();
    let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
    assert_eq!(summary.state_hash, saved["state_hash"], "{name}");
    text
}

/// The message of the error that an expression throws.
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
    let address = browser.evaluate("location.href");
    browser.call("Page.navigate", &json!({"url": address}));
    wait(&mut browser, "!!window.namiji?.load");
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

    // A refused call says so, and nothing happens.
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

    // A refused call says so, and nothing else happens.
    drag(&mut browser, "drag", &[[17.0, 26.0], [0.0, 0.0]]);
    let said = browser.evaluate("document.getElementById('status').textContent");
    assert_eq!(said, "a wall is there");
    browser.evaluate("namiji.load('hunt'), namiji.step(20)");
    drag(&mut browser, "drag", &[[3.0, 40.0], [4.0, 40.0]]);
    let said = browser.evaluate("document.getElementById('status').textContent");
    assert!(said.as_str().unwrap().starts_with("this evader decides for itself"), "{said}");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    if let Some(file) = std::env::var_os("PLAYGROUND_PICTURE") {
        picture(&mut browser, &PathBuf::from(file));
    }
}

#[test]
fn what_hands_did_is_undone_thing_by_thing_and_reset_drops_it() {
    let Some(mut browser) = page() else { return };
    browser.evaluate("namiji.load('rooms'); namiji.step(5)");
    let changes =
        "['edits', 'moves'].map((list) => namiji.save().text.split(`[[${list}]]`).length - 1)";
    let undo = format!("document.getElementById('undo').click(), {changes}");
    let said = "document.getElementById('status').textContent";
    // A stroke outside the map is nothing; a walk by keys is a thing of its own.
    drag(&mut browser, "wall", &[[14.0, 4.0], [14.0, 8.0]]);
    let painted = browser.evaluate(changes);
    assert!(painted[0].as_u64() > Some(1) && painted[1] == 0, "{painted}");
    browser.evaluate("document.querySelector('[data-tool=look]').click()");
    key(&mut browser, "keyDown", "ArrowLeft");
    browser.evaluate("namiji.step(9)");
    key(&mut browser, "keyUp", "ArrowLeft");
    assert!(browser.evaluate(changes)[1].as_u64() > Some(3));
    drag(&mut browser, "wall", &[[14.0, -2.0], [16.0, -2.0]]);
    drag(&mut browser, "drag", &[[0.0, 0.0]]);
    assert_eq!(browser.evaluate(said), "a wall is there");
    assert_eq!(browser.evaluate(&undo), painted);
    assert_eq!(browser.evaluate(said), "");
    assert_eq!(browser.evaluate(&undo), json!([1, 0]));
    browser.evaluate(&undo);
    assert_eq!(browser.evaluate(said), "there is nothing to undo");

    // A stroke while a key is down is a thing of its own, and so is the walk after it.
    key(&mut browser, "keyDown", "ArrowLeft");
    browser.evaluate("namiji.step(3)");
    let walked = browser.evaluate(changes);
    drag(&mut browser, "wall", &[[14.0, 4.0], [14.0, 8.0]]);
    let painted = browser.evaluate(changes);
    browser.evaluate("namiji.step(3)");
    key(&mut browser, "keyUp", "ArrowLeft");
    assert!(painted != walked && browser.evaluate(changes) != painted);
    assert_eq!(browser.evaluate(&undo), painted);
    assert_eq!(browser.evaluate(&undo), walked);
    browser.evaluate(&undo);

    // A key that is let go in another window steers nobody.
    key(&mut browser, "keyDown", "ArrowLeft");
    browser.evaluate("dispatchEvent(new Event('blur')), namiji.step(5)");
    assert_eq!(browser.evaluate(changes), json!([1, 0]));

    // A stroke ends with its world.
    browser.evaluate("document.querySelector('[data-tool=wall]').click()");
    let at = seen(&mut browser, [30.0, 10.0]);
    mouse(&mut browser, "mousePressed", at);
    browser.evaluate("namiji.load('rooms')");
    mouse(&mut browser, "mouseMoved", [at[0] + 30.0, at[1]]);
    mouse(&mut browser, "mouseReleased", [at[0] + 30.0, at[1]]);
    assert_eq!(browser.evaluate(changes), json!([1, 0]));

    drag(&mut browser, "wall", &[[14.0, 4.0], [14.0, 8.0]]);
    browser.evaluate("document.getElementById('reset').click(), namiji.pause()");
    assert_eq!(browser.evaluate(changes), json!([1, 0]));

    // What is no number is refused, and what holds is shown.
    let type_in = |browser: &mut Browser, field: &str, text: &str| {
        browser.evaluate(&format!(
            "(() => {{ const box = document.querySelector('{field}'); \
             const group = box.closest('details'); if (group) group.open = true; \
             box.focus(); box.select(); }})()"
        ));
        browser.call("Input.insertText", &json!({"text": text}));
        browser.evaluate("document.activeElement.blur()");
        let field = format!("document.querySelector('{field}').value");
        (browser.evaluate(said), browser.evaluate(&field))
    };
    let told = type_in(&mut browser, "#seed", "-1");
    let refused = "restart: seed = -1 must be a whole number from 0 to 2^53 - 1";
    assert_eq!(told, (refused.into(), "1".into()));
    assert_eq!(type_in(&mut browser, "#seed", "7"), ("".into(), "7".into()));
    let told = type_in(&mut browser, "[data-key=\"pursuers.4.speed\"]", "1e");
    assert_eq!(told, ("pursuers.4.speed: must be a number".into(), "0.4".into()));
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// Waits until something holds.
fn wait(browser: &mut Browser, expression: &str) {
    let begin = Instant::now();
    while browser.evaluate(expression) != true {
        assert!(begin.elapsed() < Duration::from_secs(60), "{expression} never holds");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Drops files on the map.
fn drop_files(browser: &mut Browser, files: &[PathBuf]) {
    let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    for kind in ["dragEnter", "dragOver", "drop"] {
        let data = json!({"items": [], "files": files, "dragOperationsMask": 1});
        let event = json!({"type": kind, "x": 300, "y": 300, "data": data});
        browser.call("Input.dispatchDragEvent", &event);
    }
}

#[test]
fn levels_that_are_dropped_are_played() {
    let Some(mut browser) = page() else { return };
    let levels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-harness/tests/levels");
    let levels = levels.canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tileset = folder.path().join("walls.tsx");
    let walls = "<tileset tilewidth='8' tileheight='8' tilecount='2' columns='2'><tile id='1'>\
         <properties><property name='wall' type='bool' value='true'/></properties></tile></tileset>";
    std::fs::write(&tileset, walls).unwrap();
    let map = folder.path().join("cave.tmx");
    let level = "<map orientation='orthogonal' width='9' height='1' tilewidth='8' tileheight='8'>\
         <tileset firstgid='1' source='sets/walls.tsx'/><layer id='1' name='ground' width='9' \
         height='1'><data encoding='csv'>1,1,1,1,1,1,1,1,2</data></layer></map>";
    std::fs::write(&map, level).unwrap();
    let bytes = |files: &[PathBuf]| -> Files {
        let name = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().to_owned();
        files.iter().map(|file| (name(file), std::fs::read(file).unwrap())).collect()
    };
    let mut drops = vec![vec![map.clone(), tileset]];
    drops.extend(levels::made(folder.path(), &levels));
    for name in LEVELS {
        drops.push(vec![levels.join(name)]);
    }
    drops.push(vec![levels.join("castle.toml"), levels.join("castle.tmx")]);
    for files in drops {
        browser.evaluate("namiji.head.isOld = true");
        drop_files(&mut browser, &files);
        wait(
            &mut browser,
            "!namiji.head.isOld || document.getElementById('status').className === 'error'",
        );
        let mut here = Playground::open_files(bytes(&files), None).unwrap();
        here.go_on(40, false).unwrap();
        let said = browser.evaluate("document.getElementById('status').textContent");
        assert_eq!(said, "", "{files:?}");
        assert_eq!(
            browser.evaluate("namiji.step(40), namiji.hash()"),
            here.state_hash(),
            "{files:?}"
        );
        assert_eq!(browser.evaluate("namiji.save().text"), here.saved());
    }

    // A file that is no level is refused, and the open one stays.
    let before = browser.evaluate("namiji.hash()");
    drop_files(&mut browser, &[map]);
    wait(&mut browser, "document.getElementById('status').className === 'error'");
    let said = browser.evaluate("document.getElementById('status').textContent");
    assert!(said.as_str().unwrap().contains("walls.tsx: is needed"), "{said}");
    assert_eq!(browser.evaluate("namiji.hash()"), before);
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn numbers_are_typed_and_slid() {
    let Some(mut browser) = page() else { return };
    browser.evaluate("namiji.load('rooms'), namiji.step(20)");
    let row = "[data-key=\"pursuers.4.speed\"]";
    let told = browser.evaluate(&format!(
        "(() => {{ const box = document.querySelector('{row}'); box.closest('details').open = true; \
         box.scrollIntoView(); box.focus(); box.select(); return box.parentElement.textContent; }})()"
    ));
    assert!(told.as_str().unwrap().contains("world units per time; > 0, <= 10^6"), "{told}");
    browser.call("Input.insertText", &json!({"text": "0.9"}));
    let enter =
        json!({"type": "keyDown", "key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13});
    browser.call("Input.dispatchKeyEvent", &enter);
    let text = scenario::text_of("rooms").unwrap();
    let mut here = Playground::open("rooms", &text, None).unwrap();
    here.go_on(20, false).unwrap();
    here.set("pursuers.4.speed", Some(0.9)).unwrap();
    assert_eq!(browser.evaluate("namiji.hash()"), here.state_hash());

    // The slider beside it: its right end is four times as much.
    let right = browser.evaluate(&format!(
        "(() => {{ const box = document.querySelector('{row}'); const r = box.nextSibling.getBoundingClientRect(); \
         return [r.right - 3, r.top + r.height / 2]; }})()"
    ));
    let right = [0, 1].map(|i| right[i].as_f64().unwrap());
    mouse(&mut browser, "mousePressed", right);
    mouse(&mut browser, "mouseReleased", right);
    assert!(browser.evaluate("namiji.save().text").as_str().unwrap().contains("speed = 3.6"));

    // A refused value is reported, and the old one stays.
    browser.evaluate(&format!("document.querySelector('{row}').select()"));
    browser.call("Input.insertText", &json!({"text": "-1"}));
    browser.call("Input.dispatchKeyEvent", &enter);
    let said = browser.evaluate("document.getElementById('status').textContent");
    assert!(said.as_str().unwrap().contains("pursuers[4].speed"), "{said}");
    assert_eq!(browser.evaluate(&format!("document.querySelector('{row}').value")), "3.6");
    browser.evaluate("document.getElementById('undo').click()");
    assert_eq!(browser.evaluate("namiji.hash()"), here.state_hash());
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn the_page_tells_what_is_under_the_pointer_and_paints_what_changed() {
    let Some(mut browser) = page() else { return };
    browser.evaluate("namiji.load('rooms'), namiji.step(60)");
    let at = seen(&mut browser, [71.0, 15.0]);
    mouse(&mut browser, "mouseMoved", at);
    let told = browser.evaluate("document.getElementById('here').textContent");
    let told = told.as_str().unwrap();
    for part in ["start = [71, 15]", "from = [71, 15]", "wave 0", "\"t\""] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let legend = browser.evaluate("document.getElementById('legend').textContent");
    assert!(legend.as_str().unwrap().contains("steps"), "{legend}");

    // A wall more: a cell is painted, not the map.
    browser.evaluate(
        "for (const name of Object.keys(namiji.layers)) namiji.toggle(name, name === 'walls')",
    );
    browser.evaluate("namiji.paint(14, 6, true); namiji.step(1)");
    assert_eq!(browser.evaluate("namiji.painted"), 1);
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// A film that goes on for long is as fast to draw as a short one.
#[test]
fn a_plot_has_as_many_points_as_it_has_pixels() {
    let Some(mut browser) = page() else { return };
    let points = browser.evaluate(
        "(() => { namiji.load('hunt'); namiji.step(1e6); namiji.paint(4, 4, false); \
         namiji.step(4000); const { lineTo } = Path2D.prototype; let points = 0; \
         Path2D.prototype.lineTo = function (...at) { points++; return lineTo.apply(this, at); }; \
         namiji.step(1); Path2D.prototype.lineTo = lineTo; return [points, namiji.head.gauges.length]; })()",
    );
    let [points, plots] = [0, 1].map(|i| points[i].as_u64().unwrap());
    assert!(plots > 2 && points > 600 && points <= plots * 1200, "{points}, {plots} plots");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

fn touch(browser: &mut Browser, kind: &str, points: &[[f64; 2]]) {
    let points: Vec<_> =
        points.iter().zip(0..).map(|([x, y], id)| json!({"x": x, "y": y, "id": id})).collect();
    browser.call("Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": points}));
}

#[test]
fn a_finger_paints_and_two_move_the_map() {
    let Some(mut browser) = page() else { return };
    browser.evaluate("namiji.load('rooms'), namiji.step(5)");
    let middle = seen(&mut browser, [20.0, 10.0]);
    let apart = |d: f64| [[middle[0] - d, middle[1]], [middle[0] + d, middle[1]]];
    let cell = |browser: &mut Browser| {
        let [a, b] = [[20.0, 10.0], [21.0, 10.0]].map(|at| seen(browser, at)[0]);
        b - a
    };
    let before = cell(&mut browser);
    // Also with a tool in hand, of which nothing comes then.
    browser.evaluate("document.querySelector('[data-tool=wall]').click()");
    touch(&mut browser, "touchStart", &apart(50.0));
    touch(&mut browser, "touchMove", &apart(75.0));
    touch(&mut browser, "touchMove", &apart(100.0));
    touch(&mut browser, "touchEnd", &[]);
    let after = cell(&mut browser);
    assert!((after / before - 2.0).abs() < 0.1, "{before}, {after}");
    let stays = seen(&mut browser, [20.0, 10.0]);
    assert!((0..2).all(|i| (stays[i] - middle[i]).abs() < 3.0), "{middle:?}, {stays:?}");

    let edits = "namiji.save().text.split('[[edits]]').length - 1";
    let planned = browser.evaluate(edits).as_u64().unwrap();
    assert_eq!(planned, 1, "the scenario has one of its own");
    let [from, to] = [[16.0, 8.0], [16.0, 11.0]].map(|at| seen(&mut browser, at));
    touch(&mut browser, "touchStart", &[from]);
    touch(&mut browser, "touchMove", &[to]);
    touch(&mut browser, "touchEnd", &[]);
    assert!(browser.evaluate(edits).as_u64().unwrap() > planned + 2);
    check_saved(&mut browser, "rooms");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// The picture of the guide: the pursuers have turned round.
fn picture(browser: &mut Browser, file: &Path) {
    browser.evaluate("namiji.load('rooms'), namiji.step(60)");
    drag(browser, "drag", &[[71.0, 15.0], [17.0, 26.0]]);
    browser.evaluate("namiji.step(30)");
    browser.evaluate("namiji.show()");
    screenshot(browser, file);
}

fn screenshot(browser: &mut Browser, file: &Path) {
    let shot: Value = browser.call("Page.captureScreenshot", &json!({"format": "png"}));
    let png = STANDARD.decode(shot["data"].as_str().unwrap());
    std::fs::write(file, png.unwrap()).unwrap();
}
