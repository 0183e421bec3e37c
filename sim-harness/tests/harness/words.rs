//! The words of errors: a number leaves room for its limit, however small or large it is.

use crate::command::refused;
use crowd::{Crowd, CrowdConfig, Walker};
use flocking::{Edges, Flock, FlockConfig};
use glam::DVec2;
use jump_planner::{Character, Span, SpanTerrain, Terrain};
use ndarray::{Array2, Ix2};
use utility_ai::fuzzy::RuleBase;
use wave_core::{Front, Medium};
use wave_track::{Tracker, TrackerConfig};

#[test]
fn numbers_are_short() {
    let medium = || Medium::<Ix2>::builder([4, 4]);
    let mut tracker = Tracker::new(medium().build().unwrap(), TrackerConfig::default()).unwrap();
    let mut front = Front::new(tracker.medium());
    let open = Array2::from_elem([4, 4], false);
    let mut crowd = Crowd::new(&open, CrowdConfig::default()).unwrap();
    let rules = "inputs = [{ name = \"a\", range = [1e300, -1e300], terms = {} }]\nrules = []\n\
                 output = { name = \"z\", range = [0, 1], terms = {} }";
    let edges = Edges::Wrapping { low: DVec2::ZERO, high: DVec2::splat(1e-30) };
    let spans = Array2::from_elem([1, 2], vec![Span::new(1e-300, 0.0)]);
    let step = wave_core::LinkFault::Time { time: 1e-300, min_time: 1e-200, max_time: 1e300 };
    let errors = [
        medium().spacing(1e-300).build().unwrap_err().to_string(),
        medium().speed(1e-20).dt(1e90).build().unwrap_err().to_string(),
        front
            .emit_toward(tracker.medium(), &[[0, 0]], [[1, 1]; 2], -1e300)
            .unwrap_err()
            .to_string(),
        step.to_string(),
        tracker.add_pursuer(DVec2::ZERO, 1e300).unwrap_err().to_string(),
        crowd.add(Walker::new(DVec2::ONE, 1e-300, 1.0)).unwrap_err().to_string(),
        crowd.add(Walker::new(DVec2::splat(1e300), 0.3, 1.0)).unwrap_err().to_string(),
        Flock::<DVec2>::new(FlockConfig { edges, ..FlockConfig::published() })
            .unwrap_err()
            .to_string(),
        Character::builder(1e-300).build().unwrap_err().to_string(),
        Terrain::from_rows(&[[1e300, 0.0]]).unwrap_err().to_string(),
        SpanTerrain::builder(&spans).build().unwrap_err().to_string(),
        RuleBase::from_toml(rules).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains('e') && error.len() < 250, "{error}");
        assert!(!error.contains("00000"), "{error}");
    }
    let claims = "claims=[{ says = \"x\", outcome = \"arrived\", at_least = 2, at_most = 1e-300 }]";
    for (line, told) in [
        (
            ["run", "house", "--set", "pursuers=[{ spread = 1e-300, speed = 1 }]"],
            "spread = 1e-300: needs",
        ),
        (["run", "house", "--set", &claims.replace("2,", "1e300,")], "at_least = 1e300: is above"),
        (
            ["run", "duel", "--set", "evaders.0.mind.utility.stagnation=1e5"],
            "stagnation = 100000.0: at most",
        ),
    ] {
        refused(&line, &[told]);
    }
}
