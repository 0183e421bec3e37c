//! The names of the columns of a sweep's tables.

use crate::scenario::with_dots;
use std::collections::BTreeSet;

/// The columns of a row before its parameters.
pub(super) const BEFORE: [&str; 3] = ["run", "point", "seed"];
/// The columns of a row after its parameters and before its figures.
pub(super) const AFTER: [&str; 2] = ["steps", "state_hash"];
/// The columns of the means after the parameters.
pub(super) const MEANS: [&str; 5] = ["figure", "count", "mean", "low", "high"];

/// The columns of parameters, in every table the same: their keys, behind `set.` where another
/// column has that name.
pub(super) fn of_parameters(keys: &[String], figures: &[String]) -> Vec<String> {
    let fixed = BEFORE.into_iter().chain(AFTER).chain(MEANS).map(str::to_owned);
    let mut taken: BTreeSet<String> = fixed.chain(figures.iter().cloned()).collect();
    let free = |key: &String| {
        let mut name = key.clone();
        while taken.contains(&name) || (name != *key && keys.contains(&name)) {
            name.insert_str(0, "set.");
        }
        taken.insert(name.clone());
        name
    };
    keys.iter().map(free).collect()
}

/// The key that a scenario reads where `key` is written: of `evaders[0].speed`, `evaders.00.speed`
/// and `evaders..0.speed`, `evaders.0.speed`.
pub(super) fn plain_key(key: &str) -> String {
    let key = with_dots(key);
    let parts = key.split('.').filter(|part| !part.is_empty());
    let parts = parts.map(|part| part.parse::<usize>().map_or(part.to_owned(), |i| i.to_string()));
    parts.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_columns_have_one_name() {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let figures = owned(&["arrived", "pursuers"]);
        let keys = owned(&[
            "steps",
            "set.steps",
            "set.set.steps",
            "pursuers",
            "mean",
            "run",
            "set.run",
            "speed",
        ]);
        let columns = of_parameters(&keys, &figures);
        let expected = [
            "set.set.set.steps",
            "set.steps",
            "set.set.steps",
            "set.pursuers",
            "set.mean",
            "set.set.run",
            "set.run",
            "speed",
        ];
        assert_eq!(columns, expected);
        let fixed = BEFORE.into_iter().chain(AFTER).chain(MEANS).map(str::to_owned);
        let all: Vec<_> = fixed.chain(figures).chain(columns).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn one_key_has_one_spelling() {
        for spelling in
            ["evaders[0].speed", "evaders.00.speed", ".evaders..0.speed", "evaders[+0].speed"]
        {
            assert_eq!(plain_key(spelling), "evaders.0.speed");
        }
    }
}
