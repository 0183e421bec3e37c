//! Everything on the page of parameters is documented, and the limits that it states hold.

use super::{Parameter, tables};
use crate::scenario::{self, Scenario, load_with};
use crate::world;

#[test]
fn every_number_states_its_unit_or_its_limits_and_everything_says_what_it_is() {
    let tables = tables();
    assert!(tables.len() > 20);
    for parameter in tables.iter().flat_map(|table| &table.parameters) {
        let Parameter { key, unit, limits, about, .. } = parameter;
        assert!(!parameter.is_number || unit.is_some() || limits.is_some(), "{key}");
        assert!(!about.is_empty(), "{key}");
    }
}

/// "2 to 10^4", "> 0", ">= 0 and ..": numbers first, words after them do not count.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().split([' ', ',', ';']).next()?;
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
    let value: f64 = match text.split_once('^') {
        Some(("10", power)) => format!("1e{power}").parse().ok()?,
        Some(_) => return None,
        None => text.parse().ok()?,
    };
    Some(sign * value)
}

/// Values just out of stated limits.
fn outside(limits: &str) -> Vec<f64> {
    let after = |sign: &str| limits.split(", ").find_map(|part| number(part.strip_prefix(sign)?));
    let above = after("> ").map(|low| [low, low - 1.0]).into_iter().flatten();
    let ends = after(">= ").map(|low| low - 1.0).into_iter();
    let ends = ends.chain(after("<= ").map(|high| 2.0 * high));
    let signs: Vec<f64> = above.chain(ends).collect();
    if !signs.is_empty() {
        return signs;
    }
    match limits.split_once(" to ").and_then(|(low, high)| Some((number(low)?, number(high)?))) {
        Some((low, high)) => vec![low - 1.0, 2.0 * high + 1.0],
        None => Vec::new(),
    }
}

/// Ends of stated limits, which belong to them.
fn ends(limits: &str) -> Vec<f64> {
    let stated = limits.split(';').next().unwrap_or_default();
    let high = stated.split(", ").find_map(|part| number(part.strip_prefix("<= ")?));
    let both = stated.split_once(" to ").map(|(low, high)| [number(low), number(high)]);
    high.into_iter().chain(both.into_iter().flatten().flatten()).collect()
}

#[test]
fn limits_are_those_that_hold() {
    let value = |v: f64, whole: bool| {
        if whole { toml::Value::Integer(v as i64) } else { toml::Value::Float(v) }
    };
    let mut tried = 0;
    for parameter in tables().iter().flat_map(|table| &table.parameters) {
        let Some(limits) = parameter.limits.as_deref().filter(|_| parameter.is_number) else {
            continue;
        };
        let key = parameter.key.replace(".N", ".0");
        // The first scenario that has this table, and values that it takes there.
        for built_in in scenario::built_in() {
            let set = |v: f64, whole| load_with(built_in.name, &[(key.clone(), value(v, whole))]);
            let whole = [1.0, 2.0, 10.0].into_iter().any(|v| set(v, true).is_ok());
            let real = [0.5, 1.0, 2.0, 10.0].into_iter().any(|v| set(v, false).is_ok());
            if !(whole || real) {
                continue;
            }
            for v in ends(limits) {
                let found = set(v, !real).err().map(|e| e.to_string());
                assert!(found.is_none(), "{key} = {v} is within {limits}: {found:?}");
            }
            for v in outside(limits) {
                // The crate refuses values before the first frame that the file's reader lets pass.
                let refused = set(v, !real).map_or(true, |scenario| {
                    world::run(&Scenario { steps: 1, ..scenario }, None, None, &mut |_| {}).is_err()
                });
                assert!(refused, "{}: {key} = {v} is out of {limits}", built_in.name);
                tried += 1;
            }
            break;
        }
    }
    assert!(tried > 40, "{tried}");
}
