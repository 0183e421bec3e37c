//! Rule bases: an accepted one is written and read again, and infers the same; areas are those of
//! many samples.

use crate::refusal;
use utility_ai::fuzzy::{
    Aggregation, Definition, Defuzzifier, FuzzyError, Implication, Inference, RuleBase, Shape,
};

/// `[units: rules, inputs, terms]` Larger rule bases are read, not inferred with.
const MANY: usize = 24;
/// Samples of an area.
const SAMPLES: u32 = 500;

/// A rule base in TOML or RON.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for base in [RuleBase::from_toml(text), RuleBase::from_ron(text)] {
        match base {
            Ok(base) => accepted(&base),
            Err(error) => refused(&error),
        }
    }
}

/// Names of a file stand in its refusals as they are.
fn refused(error: &FuzzyError) {
    assert!(!error.to_string().is_empty(), "it says nothing");
    if matches!(error, FuzzyError::Format { .. }) {
        refusal::check(error);
    }
}

fn accepted(base: &RuleBase) {
    let definition = base.definition();
    let terms = |v: &utility_ai::fuzzy::Variable| v.terms.len();
    let inputs = &definition.inputs;
    let sizes = [definition.rules.len(), inputs.len(), terms(&definition.output)];
    if sizes.into_iter().chain(inputs.iter().map(terms)).any(|n| n > MANY) {
        return;
    }
    let in_toml = toml::to_string(definition).expect("it can be written");
    let in_ron = ron::to_string(definition).expect("it can be written");
    let again = [RuleBase::from_toml(&in_toml), RuleBase::from_ron(&in_ron)];
    let again = again.map(|base| base.expect("it was read before"));
    for part in [0.0, 0.3, 0.5, 1.0] {
        let values = inputs.iter().map(|input| {
            let [low, high] = input.range;
            low * (1.0 - part) + high * part
        });
        let values: Vec<f64> = values.collect();
        let inference = base.infer(&values).expect("its numbers are finite");
        for other in &again {
            let other = other.infer(&values).expect("its numbers are finite");
            assert_eq!(other.strengths(), inference.strengths());
            assert_eq!(other.output(), inference.output());
        }
        outputs(definition, &inference);
        area(definition, &inference);
    }
}

/// Every output lies in the range.
fn outputs(definition: &Definition, inference: &Inference) {
    let [low, high] = definition.output.range;
    let room = 1e-9 * (high - low);
    let read = |how| {
        let interval = inference.read(how).interval();
        if let Some([a, b]) = interval {
            let inside = low - room <= a && a <= b && b <= high + room;
            assert!(inside, "{how:?}: {a} to {b} of {low} to {high}");
        }
        interval
    };
    read(Defuzzifier::Bisector);
    read(Defuzzifier::Centroid);
    let [smallest, mean, largest] =
        [Defuzzifier::SmallestOfMaximum, Defuzzifier::MeanOfMaximum, Defuzzifier::LargestOfMaximum]
            .map(|how| read(how).map(|[a, _]| a));
    let sorted = smallest.map(|n| n - room) <= mean && mean <= largest.map(|n| n + room);
    assert!(sorted, "{smallest:?} {mean:?} {largest:?}");
}

/// The area of straight shapes, sampled.
fn area(definition: &Definition, inference: &Inference) {
    let straight = |shape: &Shape| !matches!(shape, Shape::Gaussian(_) | Shape::Sigmoid(_));
    let output = &definition.output;
    let of_rule = |rule: &String| {
        let mut words = rule.split_whitespace().skip_while(|word| *word != "then").skip(3);
        output.terms.get(words.next()?).copied()
    };
    let shapes: Option<Vec<Shape>> = definition.rules.iter().map(of_rule).collect();
    let Some(shapes) = shapes.filter(|shapes| shapes.iter().all(straight)) else { return };
    let [low, high] = output.range;
    let step = (high - low) / f64::from(SAMPLES);
    let sampled = (0..SAMPLES).map(|i| {
        let x = low + step * (f64::from(i) + 0.5);
        let heights = shapes.iter().zip(inference.strengths()).map(|(shape, &strength)| {
            match definition.implication {
                Implication::Min => shape.at(x).min(strength),
                Implication::Product => shape.at(x) * strength,
            }
        });
        match definition.aggregation {
            Aggregation::Sum => heights.sum::<f64>(),
            Aggregation::Max => heights.fold(0.0, f64::max),
        }
    });
    let sampled = step * sampled.sum::<f64>();
    // At each of its corners a shape may differ by its height over one sample.
    let strengths: f64 = inference.strengths().iter().sum();
    let error = (8.0 * strengths + 1e-9) * step;
    let area = inference.area();
    assert!((area - sampled).abs() <= error, "{area} is not {sampled} +- {error}");
}
