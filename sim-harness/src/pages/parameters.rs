//! The page of all parameters and figures: `sim-harness schema --page`.

use super::cell;
use crate::parameters::{Parameter, Table, figures, tables};
use std::fmt::Write;

/// The page of `schema`: every parameter of a scenario file.
#[must_use]
pub(crate) fn page() -> String {
    let mut page = "# The parameters of scenarios\n\n\
         Made by `sim-harness schema --page docs/parameters.md` (feature `schema`) from the documentation of the types that \
         scenario files are read into. Keys are those that `--set` and sweeps take; `N` is a place in a \
         list, from 0. What is required has no default; where neither a default nor `required` is stated, \
         what is left out is not there. `sim-harness schema` alone prints a JSON schema, by which editors complete and check \
         TOML.\n"
        .to_owned();
    let code = |text: &Option<String>| {
        text.as_ref().map_or_else(String::new, |text| format!("`{}`", cell(text)))
    };
    for Table { key, about, parameters } in tables() {
        let title = if key.is_empty() { "The file".to_owned() } else { format!("`{key}`") };
        let _ = write!(page, "\n## {title}\n\n{about}\n\n");
        page += "| key | unit | limits | suggested | default | what it is |\n|---|---|---|---|---|---|\n";
        for p in &parameters {
            let [unit, limits, suggested] = [&p.unit, &p.limits, &p.suggested]
                .map(|fact| cell(fact.as_deref().unwrap_or_default()));
            let default = if p.is_required { "required".to_owned() } else { code(&p.default) };
            let _ = writeln!(
                page,
                "| `{}` | {unit} | {limits} | {suggested} | {default} | {} |",
                p.key,
                cell(&p.about)
            );
        }
    }
    page += "\n## Figures of the outcome\n\nWhat claims, `figures` and sweeps call by these keys, and what stands \
             under `outcome` in `run --json`. What does not apply is null there.\n\n\
             | key | unit | what it is |\n|---|---|---|\n";
    for Parameter { key, unit, about, .. } in figures() {
        let unit = cell(unit.as_deref().unwrap_or_default());
        let _ = writeln!(page, "| `{key}` | {unit} | {} |", cell(&about));
    }
    page
}
