//! `fuzzy`: an inference with two inputs and three rules.

use crate::error::CompareError;
use crate::measure::{self, Race};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::fuzzy::{Definition, Inference, RuleBase, Shape};

/// Nanoseconds per inference: two inputs, three rules, the bisector (furukawa-2021, appendix A)
///
/// ours: exact, in closed form.
///
/// plain: the same rules written out by hand and sampled at 1000 points, as engines commonly do.
#[derive(Debug, Parser)]
#[command(name = "fuzzy")]
pub(crate) struct FuzzySubject {
    /// Inferences per run
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    inferences: u32,
}

const NAMES: [&str; 2] = ["ours", "plain"];
/// Points of the sampled engine.
const SAMPLES: u32 = 1000;

struct Contest {
    inputs: Vec<[f64; 2]>,
    rules: RuleBase,
    inference: Inference,
    shapes: [Shape; 3],
    outputs: [Vec<f64>; 2],
}

impl Subject for FuzzySubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut input = || [rng.random::<f64>(), rng.random::<f64>()];
        let rules = RuleBase::new(Definition::furukawa())?;
        let inputs: Vec<[f64; 2]> = (0..self.inferences).map(|_| input()).collect();
        let mut contest = Contest {
            outputs: [vec![0.0; inputs.len()], vec![0.0; inputs.len()]],
            inputs,
            inference: rules.infer(&[0.5, 0.5])?,
            rules,
            shapes: [
                Shape::Ramp([0.5, 0.0]),
                Shape::Triangle([0.0, 0.5, 1.0]),
                Shape::Ramp([0.5, 1.0]),
            ],
        };
        let times = measure::interleave(&mut contest, &NAMES, options.runs.into())?;
        let rows = NAMES.into_iter().zip(times).map(|(contestant, times)| {
            let times = times.per(f64::from(self.inferences));
            let nanoseconds = times.median() * 1e6;
            let version = env!("CARGO_PKG_VERSION");
            Row {
                contestant,
                version,
                times,
                extra: vec![("ns_per_inference", nanoseconds.into())],
            }
        });
        Ok(Report {
            subject: "fuzzy",
            case: format!("2 inputs 3 rules bisector n={}", self.inferences),
            baseline: "plain",
            rows: rows.collect(),
        })
    }
}

/// The bisector of the sampled curve: the middle of the first cell up to which half of the area
/// lies.
fn sampled(shapes: &[Shape; 3], [a, b]: [f64; 2]) -> f64 {
    let strengths = shapes.map(|shape| shape.at(a).min(shape.at(b)));
    let middle = |i: u32| (f64::from(i) + 0.5) / f64::from(SAMPLES);
    let height =
        |x: f64| -> f64 { shapes.iter().zip(strengths).map(|(shape, s)| shape.at(x).min(s)).sum() };
    let heights: [f64; SAMPLES as usize] = std::array::from_fn(|i| height(middle(i as u32)));
    let half = heights.iter().sum::<f64>() / 2.0;
    let mut left = 0.0;
    for (i, height) in (0..).zip(heights) {
        left += height;
        if left >= half && left > 0.0 {
            return middle(i);
        }
    }
    0.5
}

impl Race for Contest {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        self.outputs[who].fill(f64::NAN);
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { inputs, rules, inference, shapes, outputs } = self;
        for (input, output) in inputs.iter().zip(&mut outputs[who]) {
            *output = if who == 0 {
                rules.infer_into(input, inference)?;
                inference.output().value().unwrap_or(0.5)
            } else {
                sampled(shapes, *input)
            };
        }
        Ok(())
    }

    /// Both within two cells of the sampled engine, which the exact one is not.
    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        if who == 0 {
            return Ok(());
        }
        let far = |(a, b): (&f64, &f64)| (a - b).abs() > 2.0 / f64::from(SAMPLES);
        match self.outputs[0].iter().zip(&self.outputs[1]).position(far) {
            None => Ok(()),
            Some(i) => Err(CompareError::Mismatch {
                one: NAMES[0],
                other: NAMES[1],
                how: format!(
                    "at {:?}: {} and {}",
                    self.inputs[i], self.outputs[0][i], self.outputs[1][i]
                ),
            }),
        }
    }
}
