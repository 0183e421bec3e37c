//! The exact solver against plain sampling, on random rule bases.

use proptest::prelude::*;
use utility_ai::fuzzy::{
    Aggregation, Definition, Defuzzifier, Implication, Inference, Output, RuleBase, Shape, Variable,
};

const LOW: f64 = -3.0;
const HIGH: f64 = 7.0;

fn corner() -> impl Strategy<Value = f64> {
    // Few different ones, so that corners coincide, and some outside the range.
    (-16_i32..40).prop_map(|n| f64::from(n) / 4.0)
}

fn ascending<const N: usize>() -> impl Strategy<Value = [f64; N]> {
    prop::collection::vec(corner(), N).prop_map(|mut v| {
        v.sort_by(f64::total_cmp);
        let mut a: [f64; N] = v.try_into().unwrap();
        if a[0] == a[N - 1] {
            a[N - 1] += 1.0;
        }
        a
    })
}

fn straight() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (corner(), corner()).prop_map(|(a, b)| Shape::Ramp([a, if a == b { b + 1.0 } else { b }])),
        ascending().prop_map(Shape::Triangle),
        ascending().prop_map(Shape::Trapezoid),
    ]
}

fn smooth() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (corner(), 0.1..3.0).prop_map(|(m, s)| Shape::Gaussian([m, s])),
        (corner(), 0.2..5.0, any::<bool>())
            .prop_map(|(c, s, up)| Shape::Sigmoid([c, if up { s } else { -s }])),
    ]
}

/// A rule base with one input per rule, whose number is the strength of the rule.
fn definition(shapes: &[Shape], product: bool, max: bool) -> Option<RuleBase> {
    definition_on([LOW, HIGH], shapes, product, max)
}

fn definition_on(range: [f64; 2], shapes: &[Shape], product: bool, max: bool) -> Option<RuleBase> {
    let unit = |i: usize| Variable {
        name: format!("s{i}"),
        range: [0.0, 1.0],
        terms: [("on".to_owned(), Shape::Ramp([0.0, 1.0]))].into(),
    };
    let terms = shapes.iter().enumerate().map(|(i, &shape)| (format!("t{i}"), shape));
    RuleBase::new(Definition {
        inputs: (0..shapes.len()).map(unit).collect(),
        output: Variable { name: "z".into(), range, terms: terms.collect() },
        rules: (0..shapes.len()).map(|i| format!("if s{i} is on then z is t{i}")).collect(),
        implication: if product { Implication::Product } else { Implication::Min },
        aggregation: if max { Aggregation::Max } else { Aggregation::Sum },
        defuzzifier: Defuzzifier::Bisector,
    })
    .ok()
}

/// The height of the rules' result, written plainly.
fn height(shapes: &[Shape], strengths: &[f64], product: bool, max: bool, x: f64) -> f64 {
    let one = |(shape, &s): (&Shape, &f64)| {
        if product { shape.at(x) * s } else { shape.at(x).min(s) }
    };
    let all = shapes.iter().zip(strengths).map(one);
    if max { all.fold(0.0, f64::max) } else { all.sum() }
}

/// Area and centroid by the midpoint rule, and the area left of `x`.
fn sampled(f: impl Fn(f64) -> f64, x: f64) -> (f64, f64, f64) {
    let n = 40_000;
    let dx = (HIGH - LOW) / f64::from(n);
    let (mut area, mut moment, mut left) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let at = LOW + (f64::from(i) + 0.5) * dx;
        let part = f(at) * dx;
        area += part;
        moment += part * at;
        if at < x {
            left += part;
        }
    }
    (area, moment / area, left)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn areas_centroids_and_bisectors_are_those_of_the_sampled_curve(
        shapes in prop::collection::vec(straight(), 1..5),
        strengths in prop::collection::vec((0_i32..=8).prop_map(|n| f64::from(n) / 8.0), 5),
        product: bool,
        max: bool,
    ) {
        check(&shapes, &strengths[..shapes.len()], product, max, 1e-3)?;
    }

    #[test]
    fn smooth_shapes_too(
        shapes in prop::collection::vec(smooth(), 1..4),
        strengths in prop::collection::vec(0.05..1.0, 3),
        product: bool,
        max: bool,
    ) {
        check(&shapes, &strengths[..shapes.len()], product, max, 1e-3)?;
    }

    #[test]
    fn the_area_of_a_smooth_shape_is_within_its_stated_error(shape in smooth()) {
        let variable = |name: &str, range, shape| Variable {
            name: name.into(), range, terms: [("on".to_owned(), shape)].into(),
        };
        let rules = RuleBase::new(Definition {
            inputs: vec![variable("s", [0.0, 1.0], Shape::Ramp([0.0, 1.0]))],
            output: variable("z", [LOW, HIGH], shape),
            rules: vec!["if s is on then z is on".into()],
            implication: Implication::Min,
            aggregation: Aggregation::Sum,
            defuzzifier: Defuzzifier::Bisector,
        });
        let Ok(rules) = rules else { return Ok(()) };
        let whole = rules.infer(&[1.0]).unwrap().area();
        let n = 20_000;
        let dx = (HIGH - LOW) / f64::from(n);
        let plain: f64 = (0..n).map(|i| shape.at(LOW + (f64::from(i) + 0.5) * dx) * dx).sum();
        prop_assert!((whole - plain).abs() <= 4e-5 * (HIGH - LOW) + 1e-6, "{whole} {plain}");
    }

    #[test]
    fn inference_into_a_used_result_is_that_into_a_new_one(
        shapes in prop::collection::vec(straight(), 2..5),
        first in prop::collection::vec(0.0..1.0, 5),
        second in prop::collection::vec(0.0..1.0, 5),
    ) {
        let Some(rules) = definition(&shapes, false, true) else { return Ok(()) };
        let mut used = rules.infer(&first[..shapes.len()]).unwrap();
        rules.infer_into(&second[..shapes.len()], &mut used).unwrap();
        let new = rules.infer(&second[..shapes.len()]).unwrap();
        prop_assert_eq!(used.output(), new.output());
        prop_assert_eq!(used.strengths(), new.strengths());
    }
}

fn check(
    shapes: &[Shape],
    strengths: &[f64],
    product: bool,
    max: bool,
    tolerance: f64,
) -> Result<(), TestCaseError> {
    let Some(rules) = definition(shapes, product, max) else { return Ok(()) };
    let result: Inference = rules.infer(strengths).unwrap();
    let f = |x: f64| height(shapes, strengths, product, max, x);
    let bisector = result.output();
    let (area, centroid, left) = sampled(f, bisector.value().unwrap_or(0.0));
    prop_assert!((result.area() - area).abs() <= tolerance * 4.0, "{} {area}", result.area());
    let Some(interval) = bisector.interval() else {
        prop_assert!(area < 1e-9);
        return Ok(());
    };
    prop_assert!((left - area / 2.0).abs() <= tolerance * 4.0, "{left} of {area}");
    let ours = result.read(Defuzzifier::Centroid).value().unwrap();
    prop_assert!((ours - centroid).abs() <= tolerance * 10.0 / area.min(1.0), "{ours} {centroid}");
    for x in interval {
        prop_assert!((LOW..=HIGH).contains(&x));
    }
    // No sampled height is above the one at the maxima.
    let [small, mean, large] =
        [Defuzzifier::SmallestOfMaximum, Defuzzifier::MeanOfMaximum, Defuzzifier::LargestOfMaximum]
            .map(|d| result.read(d).value().unwrap());
    prop_assert!(small <= mean + 1e-12 && mean <= large + 1e-12);
    let near = |x: f64| [f(x), f(x - 1e-9), f(x + 1e-9)].into_iter().fold(0.0, f64::max);
    let highest = (0..=2000).map(|i| f(LOW + f64::from(i) * (HIGH - LOW) / 2000.0));
    let highest = highest.fold(0.0, f64::max);
    for x in [small, large] {
        prop_assert!(near(x) >= highest - 1e-4, "{x}: {} < {highest}", near(x));
    }
    Ok(())
}

#[test]
fn a_gap_with_half_of_the_area_on_each_side_is_a_plateau() {
    let shapes = [Shape::Triangle([-2.0, -1.0, 0.0]), Shape::Triangle([3.0, 4.0, 5.0])];
    let rules = definition(&shapes, false, false).unwrap();
    let output = rules.infer(&[0.3, 0.3]).unwrap().output();
    assert_eq!(output, Output::Plateau { low: 0.0, high: 3.0 });
    assert_eq!(output.value(), Some(1.5));
    assert_eq!(rules.infer(&[0.0, 0.0]).unwrap().output(), Output::NothingFired);
}

/// Centroid and bisector of a shape from 0 to 1, sampled where it is not negligible.
fn sampled_outputs(shape: Shape, [from, to]: [f64; 2]) -> [f64; 2] {
    let n = 400_000;
    let x = |i: i32| from + (f64::from(i) + 0.5) / f64::from(n) * (to - from);
    let area: f64 = (0..n).map(|i| shape.at(x(i))).sum();
    let moment: f64 = (0..n).map(|i| shape.at(x(i)) * x(i)).sum();
    let mut left = 0.0;
    let half = (0..n).find(|&i| {
        left += shape.at(x(i));
        left >= area / 2.0
    });
    [moment / area, half.map_or(f64::NAN, x)]
}

#[test]
fn a_smooth_term_is_read_alike_wherever_its_centre_is() {
    let mut shapes = Vec::new();
    for k in [0.0, 1.0, 3.0, 5.9, 6.1, 6.2, 10.0, 20.0, 37.0] {
        for sigma in [0.02, 0.05, 0.3] {
            shapes.push((Shape::Gaussian([1.0 + k * sigma, sigma]), [0.0, 1.0]));
            shapes.push((Shape::Gaussian([-k * sigma, sigma]), [0.0, 1.0]));
        }
        for slope in [3.0, 50.0] {
            shapes.push((Shape::Sigmoid([1.0 + 5.0 * k / slope, slope]), [0.0, 1.0]));
            shapes.push((Shape::Sigmoid([-5.0 * k / slope, -slope]), [0.0, 1.0]));
            shapes.push((Shape::Sigmoid([-5.0 * k / slope, slope]), [0.0, 1.0]));
            shapes.push((Shape::Sigmoid([0.4, slope]), [0.0, 1.0]));
        }
    }
    // So narrow that the part beyond it would weigh more if it counted.
    shapes.push((Shape::Gaussian([0.3, 1e-9]), [0.3 - 1e-8, 0.3 + 1e-8]));
    shapes.push((Shape::Sigmoid([0.3, 1e90]), [0.3, 1.0]));
    for (shape, where_it_is) in shapes {
        let rules = definition_on([0.0, 1.0], &[shape], false, false).unwrap();
        let whole = rules.infer(&[1.0]).unwrap();
        let exact = sampled_outputs(shape, where_it_is);
        for (by, exact) in [Defuzzifier::Centroid, Defuzzifier::Bisector].into_iter().zip(exact) {
            let ours = whole.read(by).value().unwrap();
            assert!((ours - exact).abs() <= 4e-5, "{shape:?} {by:?}: {ours} {exact}");
        }
    }
}

const DEFUZZIFIERS: [Defuzzifier; 5] = [
    Defuzzifier::Bisector,
    Defuzzifier::Centroid,
    Defuzzifier::MeanOfMaximum,
    Defuzzifier::SmallestOfMaximum,
    Defuzzifier::LargestOfMaximum,
];

#[test]
fn what_is_scaled_down_by_however_much_says_the_same() {
    let shapes = [Shape::Triangle([-2.0, -1.0, 5.0]), Shape::Gaussian([4.0, 0.5])];
    for max in [false, true] {
        let rules = definition(&shapes, true, max).unwrap();
        let whole = rules.infer(&[1.0, 0.5]).unwrap();
        for scale in [0.1, 1e-100, 1e-160, 1e-200, 1e-300, 1e-322] {
            let scaled = rules.infer(&[scale, scale / 2.0]).unwrap();
            // The strengths themselves lose digits below 1e-308.
            let tolerance = if scale < 1e-308 { 0.1 } else { 1e-9 };
            for by in DEFUZZIFIERS {
                let [all, small] = [&whole, &scaled].map(|r| r.read(by).value().unwrap());
                assert!((all - small).abs() <= tolerance, "{scale:e} {by:?}: {all} {small}");
            }
            let area = scaled.area() / scale;
            assert!((area / whole.area() - 1.0).abs() <= tolerance, "{scale:e}: {area}");
        }
    }
}

#[test]
fn a_triangle_cut_off_near_its_foot_is_a_rectangle_however_low() {
    let rules = definition(&[Shape::Triangle([LOW, 0.0, HIGH])], false, false).unwrap();
    let middle = f64::midpoint(LOW, HIGH);
    for strength in [1e-14, 1e-100, 1e-160, 1e-196, 1e-300, 5e-324] {
        let result = rules.infer(&[strength]).unwrap();
        for by in [Defuzzifier::Bisector, Defuzzifier::Centroid, Defuzzifier::MeanOfMaximum] {
            let at = result.read(by).value().unwrap();
            assert!((at - middle).abs() < 1e-12, "{strength:e} {by:?}: {at}");
        }
        let area = result.area() / strength;
        assert!((area / (HIGH - LOW) - 1.0).abs() < 1e-12, "{strength:e}: {area}");
    }
}

#[test]
fn the_worked_example_is_exact() {
    let exact = 0.2 + 3.0 * 6.0_f64.sqrt() / 20.0;
    let z = RuleBase::furukawa().infer(&[0.7, 0.6]).unwrap().output().value().unwrap();
    assert!((z - exact).abs() < 1e-12, "{z} {exact}");
}

#[test]
fn z_spans_what_the_source_leaves_it() {
    let rules = RuleBase::furukawa();
    let at = |a: f64, b: f64| rules.infer(&[a, b]).unwrap().output().value();
    // One triangle over half of the range: its bisector is a half-width over sqrt 2 from its edge.
    let end = 0.5 - 0.5 / 2.0_f64.sqrt();
    assert!((at(0.0, 0.0).unwrap() - end).abs() < 1e-12);
    assert!((at(1.0, 1.0).unwrap() - (1.0 - end)).abs() < 1e-12);
    // Whole edges at which no rule fires.
    for b in [0.5, 0.7, 1.0] {
        assert_eq!([at(0.0, b), at(b, 0.0), at(1.0, 1.0 - b), at(1.0 - b, 1.0)], [None; 4]);
    }
}

#[test]
fn words_of_rules() {
    let definition =
        |rule: &str| Definition { rules: vec![rule.to_owned()], ..Definition::furukawa() };
    let strength = |rule: &str| {
        RuleBase::new(definition(rule)).unwrap().infer(&[0.7, 0.1]).unwrap().strengths()[0]
    };
    // a: normal 0.6, good 0.4; b: bad 0.8, normal 0.2.
    let cases = [
        ("if a is good then z is bad", 0.4),
        ("if not a is good then z is bad", 0.6),
        ("if a is good or b is bad and a is normal then z is bad", 0.6),
        ("if (a is good or b is bad) and b is normal then z is bad", 0.2),
        ("if not (a is good or b is bad) then z is bad with 0.5", 0.1),
        ("if not not b is bad then z is bad with 1", 0.8),
    ];
    for (rule, expected) in cases {
        assert!((strength(rule) - expected).abs() < 1e-12, "{rule}: {}", strength(rule));
    }
}
