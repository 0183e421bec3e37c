//! Response curves where numbers end.

use petgraph::graph::UnGraph;
use utility_ai::{Curve, Graph, Indicator, StandingCost, UtilityError};

#[test]
fn a_constant_curve_is_its_constant_wherever_it_is_asked() {
    let constant = [
        (Curve::Linear { slope: 0.0, offset: 5.0 }, 5.0),
        (Curve::Linear { slope: -0.0, offset: 5.0 }, 5.0),
        (Curve::Power { scale: 0.0, exponent: 2.0, offset: 5.0 }, 5.0),
        (Curve::Logistic { height: 4.0, steepness: 0.0, centre: 1.0 }, 2.0),
        (Curve::Logistic { height: 0.0, steepness: 3.0, centre: 1.0 }, 0.0),
    ];
    for (curve, value) in constant {
        for x in [0.0, 1.0, 1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(curve.at(x), value, "{curve:?} at {x}");
        }
        assert!(curve.at(f64::NAN).is_nan(), "{curve:?}");
    }
    assert_eq!(Curve::Linear { slope: 1e-9, offset: 5.0 }.at(f64::INFINITY), f64::INFINITY);
    let rising = Curve::Logistic { height: 4.0, steepness: 2.0, centre: 1.0 };
    assert_eq!([f64::NEG_INFINITY, f64::INFINITY].map(|x| rising.at(x)), [0.0, 4.0]);
}

/// Rises by 1 an update.
struct Rising;

impl Indicator for Rising {
    fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        for value in values {
            *value += 1.0;
        }
        Ok(())
    }
}

#[test]
fn an_indicator_finds_its_own_numbers_again_whatever_its_curve() {
    let graph = Graph::freeze(&UnGraph::<(), ()>::from_edges([(0, 1)]), |_| 1.0).unwrap();
    let mut cost = StandingCost::new(&graph, 1.0).unwrap();
    let rising = cost.add("rising", Rising, 1.0).unwrap();
    cost.set_curve(rising, Some(Curve::Linear { slope: 2.0, offset: 5.0 })).unwrap();
    for tick in 1..4 {
        cost.update(&graph, &[0.0; 2]).unwrap();
        assert_eq!(cost.indicator_sum(), [2.0 * f64::from(tick) + 5.0; 2]);
    }
}
