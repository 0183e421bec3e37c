//! `reproduce boids`: single steps of the published rule, computed by hand.
//!
//! `published` is the angle in degrees by which boids-2016's formulas turn the first boid (positive
//! from +x toward +y), `measured` ours. A row holds where they differ by 1e-9 degrees at most. The
//! source gives no table of its own; its one worked figure, the mean of +30 and -30, is a row.

use super::pictures::{Picture, Sheet};
use super::{By, Figure, Of, ReproduceError, Row};
use crate::ink;
use flocking::glam::DVec2;
use flocking::{
    Boid, BoidGoal, BoidId, Flock, FlockConfig, FlockError, Obstacle, SteeringRule, Turning,
};

/// The rows of the experiment.
pub(super) fn rows() -> Result<Vec<Row>, ReproduceError> {
    let row = |case: &Case| {
        let measured = run(case)?;
        Ok(Row {
            of: Of::Source,
            case: case.name.to_owned(),
            by: By::Ours,
            published: Some(Figure::Number(case.degrees)),
            measured: Figure::Number(measured),
            holds: Some((measured - case.degrees).abs() <= 1e-9),
            detail: "degrees".to_owned(),
        })
    };
    cases().iter().map(row).collect()
}

/// A case: the boid under test stands at the origin and looks along +x.
#[derive(Default)]
struct Case {
    name: &'static str,
    degrees: f64,
    /// Where the others are, and where they look, in degrees.
    others: Vec<((f64, f64), f64)>,
    posts: Vec<(f64, f64)>,
    /// Whether posts behind count, as in the source's code; in its text they do not.
    behind: bool,
    goal: Option<(f64, f64)>,
    /// Weights of cohesion, alignment and separation; the source's are 1.
    weights: Option<[f64; 3]>,
}

/// (40, 40) is at 45 degrees, out of reach of separation.
const ASIDE: (f64, f64) = (40.0, 40.0);

fn cases() -> Vec<Case> {
    let case = |name, degrees, others: &[((f64, f64), f64)]| Case {
        name,
        degrees,
        others: others.to_vec(),
        ..Case::default()
    };
    let post = |name, degrees, at| Case { name, degrees, posts: vec![at], ..Case::default() };
    let down =
        |degrees: f64| (75.0 * degrees.to_radians().cos(), 75.0 * degrees.to_radians().sin());
    vec![
        case("alone: straight on", 0.0, &[]),
        case("cohesion: one neighbour at +45", 45.0, &[(ASIDE, 0.0)]),
        case(
            "cohesion: two neighbours, mean offset at 0",
            0.0,
            &[(ASIDE, 0.0), ((40.0, -40.0), 0.0)],
        ),
        case("alignment: a neighbour turned by 60, self counted: +45 + 30", 75.0, &[(ASIDE, 60.0)]),
        Case {
            weights: Some([0.0, 1.0, 0.0]),
            ..case(
                "alignment: the mean of +30 and -30 is 0, not 180",
                0.0,
                &[(ASIDE, 30.0), ((40.0, -40.0), -30.0)],
            )
        },
        Case {
            weights: Some([0.0, 1.0, 0.0]),
            ..case("alignment: 350 counts as -10, self counted", -5.0, &[(ASIDE, 350.0)])
        },
        case(
            "separation: dead ahead at 15: 60 * (30 - 15) / 30, negative",
            -30.0,
            &[((15.0, 0.0), 0.0)],
        ),
        // At 12 along (0.8, 0.6): cohesion atan2(0.6, 0.8), separation -60 * 18 / 30.
        case(
            "separation: to the left at 12, with cohesion",
            36.869_897_645_844_02 - 36.0,
            &[((9.6, 7.2), 0.0)],
        ),
        case("separation: at 30 it is 0", 0.0, &[((30.0, 0.0), 0.0)]),
        case("view: at distance 75 a neighbour counts", 30.0, &[(down(30.0), 0.0)]),
        case("view: beyond 75 it does not", 0.0, &[((53.1, 53.1), 0.0)]),
        case("view: at exactly 90 degrees it is blind", 0.0, &[((0.0, 20.0), 180.0)]),
        case("view: behind it is blind", 0.0, &[((-20.0, 5.0), 90.0)]),
        post(
            "avoidance: 40 ahead, to the left: 60 * (80 - 40) / 80, negative",
            -30.0,
            (40.0, 10.0),
        ),
        post("avoidance: 40 ahead, to the right", 30.0, (40.0, -10.0)),
        post("avoidance: dead ahead, the negative turn", -45.0, (20.0, 0.0)),
        post("avoidance: 60 aside is far enough", 0.0, (40.0, 60.0)),
        post("avoidance: 81 ahead is far enough", 0.0, (81.0, 0.0)),
        post("avoidance: 40 behind, by the text", 0.0, (-40.0, 10.0)),
        Case {
            behind: true,
            ..post("avoidance: 40 behind, to the left, by the code", -30.0, (-40.0, 10.0))
        },
        Case {
            posts: vec![(40.0, -10.0)],
            ..case("all turns add up: 45 + 30 + 30", 105.0, &[(ASIDE, 60.0)])
        },
        Case {
            goal: Some((0.0, 100.0)),
            ..case("alone with a goal: it goes there, and leads", 90.0, &[])
        },
    ]
}

/// `[units: degrees]` The turn of the boid under test.
///
/// # Errors
/// [`FlockError`] where the crate refuses a case, which would be a mistake of ours.
fn run(case: &Case) -> Result<f64, FlockError> {
    let mut config = FlockConfig::published();
    if let Some([cohesion, alignment, separation]) = case.weights {
        let rule = Turning { cohesion, alignment, separation, ..Turning::published() };
        config.species[0].rule = SteeringRule::Turning(rule);
    }
    config.species[0].avoidance.behind = case.behind;
    let mut flock = Flock::new(config)?;
    let at = |(x, y)| DVec2::new(x, y);
    let centres = case.posts.iter().map(|p| Obstacle::Ball { centre: at(*p), radius: 0.0 });
    flock.set_obstacles(centres.collect())?;
    let goal = case.goal.map(|p| BoidGoal { position: at(p), pull: 0.0 });
    flock.add(Boid { goal, ..Boid::new(DVec2::ZERO, DVec2::X) })?;
    for (place, degrees) in &case.others {
        flock.add(Boid::new(at(*place), DVec2::from_angle(degrees.to_radians())))?;
    }
    flock.step();
    Ok(flock.boid(BoidId::new(0))?.heading.to_angle().to_degrees())
}

/// The four rules, one by one.
pub(super) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    const RULES: [&str; 4] = ["cohesion", "alignment", "separation", "avoidance of obstacles"];
    /// `[units: cells]` Where the boid is in its panel.
    const AT: [f64; 2] = [60.0, 80.0];
    let only = |weights, others: &[((f64, f64), f64)]| Case {
        weights: Some(weights),
        others: others.to_vec(),
        ..Case::default()
    };
    let rules = [
        only([1.0, 0.0, 0.0], &[(ASIDE, 0.0), ((55.0, 10.0), 0.0)]),
        only([0.0, 1.0, 0.0], &[(ASIDE, 60.0), ((40.0, -40.0), 40.0)]),
        only([0.0, 0.0, 1.0], &[((16.0, 12.0), 0.0)]),
        Case { posts: vec![(40.0, 10.0)], ..Case::default() },
    ];
    let mut sheet = Sheet::new([rules.len(), 1], [160, 160], 2)?;
    let mut turns = Vec::new();
    let from_boid = |(x, y): (f64, f64)| [AT[0] + x, AT[1] + y];
    let along = |(x, y): (f64, f64), degrees: f64, length: f64| {
        let way = DVec2::from_angle(degrees.to_radians()) * length;
        [from_boid((x, y)), from_boid((x + way.x, y + way.y))]
    };
    for (panel, (case, rule)) in rules.iter().zip(RULES).enumerate() {
        let measured = run(case)?;
        turns.push(format!("{rule} {measured:.1}"));
        // Its view: half a disc.
        let edge = (-90..=90).map(|degrees| along((0.0, 0.0), f64::from(degrees), 75.0)[1]);
        let first = along((0.0, 0.0), -90.0, 75.0)[1];
        sheet.outline(panel, edge.chain([first]), [170.0, 176.0, 186.0]);
        for &(place, degrees) in &case.others {
            sheet.arrow(panel, along(place, degrees, 14.0), ink::TRAILS[1]);
            sheet.disc(panel, from_boid(place), 4.0, ink::TRAILS[1]);
        }
        for &post in &case.posts {
            sheet.disc(panel, from_boid(post), 7.0, ink::WALL);
        }
        sheet.arrow(panel, along((0.0, 0.0), 0.0, 30.0), [170.0, 176.0, 186.0]);
        sheet.arrow(panel, along((0.0, 0.0), measured, 30.0), ink::TRAILS[0]);
        sheet.disc(panel, AT, 5.0, ink::TARGET);
    }
    let says = format!(
        "One step of each rule by itself, the turns in degrees: {}. The boid is black, its heading before \
         grey and after it red, the half disc is what it sees; neighbours are blue, an obstacle is dark. y \
         points down.",
        turns.join(", ")
    );
    Ok(vec![sheet.finish("rules", says)?])
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_row_holds() {
        let rows = super::rows().unwrap();
        assert!(rows.len() >= 20);
        for row in rows {
            assert!(row.holds == Some(true), "{row:?}");
        }
    }
}
