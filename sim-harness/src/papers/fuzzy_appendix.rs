//! `reproduce fuzzy-appendix`: appendix A of furukawa-2021, its worked example step by step, for
//! health 0.7 and stagnation 0.6.
//!
//! A row holds where ours is the source's figure to 1e-12. The source prints 0.567 for the output
//! and calls it the centre of gravity; it is the bisector of the area, exactly 1/5 + 3 sqrt(6) /
//! 20. The centroid of the same area stands below it. Where no rule fires, which the source leaves
//!   open, we
//! take 1/2: the last rows show that it is the limit from inside.

use super::{By, Figure, Of, ReproduceError, Row};
use utility_ai::fuzzy::{Defuzzifier, RuleBase};

/// `[units: 1]` How far from the edge the limit is looked at.
const INSIDE: f64 = 1e-9;

pub(super) fn rows() -> Result<Vec<Row>, ReproduceError> {
    let rules = RuleBase::furukawa();
    let inference = rules.infer(&[0.7, 0.6])?;
    let mut rows = Vec::new();
    let mut add = |case: &str, published: Option<f64>, measured: f64, detail: &str| {
        rows.push(Row {
            of: Of::Source,
            case: case.to_owned(),
            by: By::Ours,
            published: published.map(Figure::Number),
            measured: Figure::Number(measured),
            holds: published.map(|p| (p - measured).abs() <= 1e-12),
            detail: detail.to_owned(),
        });
    };
    // The rules in the order of the definition: bad, normal, good.
    for (label, (strength, published)) in
        ["B_m", "N_m", "G_m"].into_iter().zip(inference.strengths().iter().zip([0.0, 0.6, 0.2]))
    {
        add(label, Some(published), *strength, "how strongly the label's rule fires");
    }
    let exact = 0.2 + 3.0 * 6.0_f64.sqrt() / 20.0;
    let value = |output: utility_ai::fuzzy::Output| output.value().unwrap_or(f64::NAN);
    add("output", Some(exact), value(inference.output()), "the bisector of the area");
    let centroid = value(inference.read(Defuzzifier::Centroid));
    add("centroid", None, centroid, "what the source calls its output");
    for (case, edge, inside) in [
        ("no rule fires: full health, not stuck", [1.0, 0.0], [1.0 - INSIDE, INSIDE]),
        ("no rule fires: no health, stuck", [0.0, 1.0], [INSIDE, 1.0 - INSIDE]),
    ] {
        let fired = rules.infer(&edge)?.output().value().is_some();
        let limit = value(rules.infer(&inside)?.output());
        rows.push(Row {
            of: Of::Source,
            case: case.to_owned(),
            by: By::Ours,
            published: None,
            measured: Figure::Number(limit),
            holds: Some(!fired && (limit - 0.5).abs() <= 1e-6),
            detail: "the output 1e-9 inside of the edge; at the edge no rule fires".to_owned(),
        });
    }
    Ok(rows)
}
