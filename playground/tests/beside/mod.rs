//! A pursuer is steered, and the same world goes on beside it under other rules.

use super::{Browser, check_saved, drag, key, page, wait};
use playground::Playground;
use serde_json::json;

#[test]
fn a_pursuer_is_steered_by_keys_and_visits_are_counted() {
    let Some(mut browser) = page() else { return };
    let browser = &mut browser;
    browser.evaluate("namiji.load('rooms'), namiji.step(60)");
    browser.evaluate("document.querySelector('[data-tool=look]').click()");
    let number = |browser: &mut Browser, expression: &str| {
        browser.evaluate(expression).as_f64().unwrap_or_else(|| panic!("{expression}"))
    };
    // A pursuer with room to the right.
    let who = 2;
    let [x, y] = [0, 1].map(|axis| {
        let at = format!("namiji.toCanvas(...namiji.place({who}, namiji.state().frame))[{axis}]");
        number(browser, &at)
    });
    browser.click(x, y);
    assert_eq!(browser.evaluate("namiji.state().chosen"), who);
    let before = number(browser, "namiji.place(2, namiji.state().frame)[1]");
    key(browser, "keyDown", "ArrowUp");
    browser.evaluate("namiji.step(12)");
    key(browser, "keyUp", "ArrowUp");
    let after = number(browser, "namiji.place(2, namiji.state().frame)[1]");
    assert!(after < before - 0.5, "{before}, {after}");
    browser.evaluate("namiji.step(5)");
    let text = check_saved(browser, "rooms");
    assert!(text.contains("pursuer = 1"), "{text}");

    // Where it has been is coloured.
    let colour = "(() => { const [x, y] = namiji.toCanvas(...namiji.place(2, 0)).map(Math.round); \
         return [...namiji.canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3); })()";
    browser.evaluate("for (const name of Object.keys(namiji.layers)) namiji.toggle(name, false)");
    assert_eq!(browser.evaluate(colour), json!([250, 250, 248]));
    browser.evaluate("document.querySelector('#layers input[name=heat]').click()");
    assert_ne!(browser.evaluate(colour), json!([250, 250, 248]));
    let legend = browser.evaluate("document.getElementById('legend').textContent");
    assert!(legend.as_str().unwrap().contains("visits"), "{legend}");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn the_same_is_done_under_other_rules_beside() {
    let Some(mut browser) = page() else { return };
    let browser = &mut browser;
    browser.evaluate("namiji.load('rooms'), namiji.step(20)");
    browser.evaluate(
        "(() => { const rules = document.getElementById('rules'); rules.value = 'watanabe'; \
         rules.dispatchEvent(new Event('change')); })()",
    );
    wait(browser, "!!namiji.other?.head?.steps.length");
    assert_eq!(browser.evaluate("namiji.other.canvas.width > 100"), true);
    drag(browser, "wall", &[[14.0, 4.0], [14.0, 8.0]]);
    drag(browser, "drag", &[[71.0, 15.0], [50.0, 20.0], [17.0, 26.0]]);
    browser.evaluate("namiji.step(60)");
    let edits =
        |browser: &mut Browser, of: &str| browser.evaluate(&format!("{of}.head.edits.length"));
    assert_eq!(edits(browser, "namiji"), edits(browser, "namiji.other"));
    let times =
        browser.evaluate("[namiji, namiji.other].map(({ head }) => head.steps.at(-1) * head.dt)");
    let [here, there] = [0, 1].map(|i| times[i].as_f64().unwrap());
    assert!((here - there).abs() < 1.0, "{times}");
    // The world beside is that of the same scenario under that rule.
    let text = check_saved(browser, "rooms");
    let frame = browser.evaluate("namiji.head.steps.at(-1)").as_u64().unwrap();
    let mut world = Playground::open("rooms", &text, None).unwrap();
    world.go_on(frame.try_into().unwrap(), false).unwrap();
    let beside = world.beside("watanabe").unwrap().state_hash();
    let hash = "namiji.ask({ ask: 'outcome-beside' })[0].state_hash";
    assert_eq!(browser.evaluate(hash), beside);
    assert_ne!(beside, world.state_hash());
    if let Some(folder) = std::env::var_os("PLAYGROUND_PICTURES") {
        super::screenshot(browser, &std::path::Path::new(&folder).join("beside.png"));
    }
    browser.evaluate("document.getElementById('undo').click()");
    assert_eq!(browser.evaluate("namiji.other.head.steps.length > 0"), true);
    browser.evaluate(
        "(() => { const rules = document.getElementById('rules'); rules.value = ''; \
         rules.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(browser.evaluate("namiji.other"), json!(null));
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
