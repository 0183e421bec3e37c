//! Whole scenarios: one that runs as it is, and one that a hand changes.

use super::drawing::{BLACK, Drawing, MANY, ORANGE, Point, WALL};
use ndarray::Array3;
use sim_harness::WriteError;
use sim_harness::scenario::{self, Edit, Move, Place};
use sim_harness::world::{self, Live, Moment, Scene, Watch};
use std::error::Error;

/// The places of all members.
#[derive(Default)]
struct Ways {
    walls: Array3<bool>,
    evaders: Vec<Vec<Point>>,
    pursuers: Vec<Vec<Point>>,
}

impl Watch for Ways {
    fn begin(&mut self, scene: Scene) {
        self.walls = scene.walls;
    }

    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        let cast = moment.cast;
        for (ways, members) in
            [(&mut self.evaders, &cast.evaders), (&mut self.pursuers, &cast.pursuers)]
        {
            ways.resize(members.len(), Vec::new());
            for (way, member) in ways.iter_mut().zip(members) {
                way.push([member.position[0], member.position[1]]);
            }
        }
        Ok(false)
    }
}

impl Ways {
    fn drawing(&self, title: &str) -> Drawing {
        let (_, rows, columns) = self.walls.dim();
        let mut drawing = Drawing::new(columns, rows, title);
        drawing.cells([rows, columns], WALL, |y, x| self.walls[[0, y, x]]);
        drawing
    }

    fn everybody(&self, drawing: &mut Drawing) {
        for (i, way) in self.pursuers.iter().enumerate() {
            let colour = MANY[i % MANY.len()];
            drawing.line(way, colour, 0.3, false);
            drawing.dot(way[way.len() - 1], 0.8, colour);
        }
        for way in &self.evaders {
            drawing.line(way, BLACK, 0.4, false);
            drawing.ring(way[way.len() - 1], 0.8, BLACK);
        }
    }
}

pub(crate) fn hunt() -> Result<String, Box<dyn Error>> {
    let mut scenario = scenario::load("hunt")?;
    scenario.record_every = 8;
    let mut ways = Ways::default();
    let summary = world::run(&scenario, None, Some(&mut ways), &mut |_| {})?;
    assert_eq!(summary.outcome.home, 1);
    let title = "The scenario hunt: an evader (black) gets past six pursuers";
    let mut drawing = ways.drawing(title);
    ways.everybody(&mut drawing);
    Ok(drawing.finish())
}

/// A wall is painted and the target dragged while pursuers are on their way.
pub(crate) fn by_hand() -> Result<String, Box<dyn Error>> {
    let mut live = Live::new(&scenario::load("rooms")?, None)?;
    let mut ways = Ways::default();
    ways.begin(live.scene());
    let wall = [[20, 24], [21, 27]];
    while live.frame() < 460 {
        let step = live.frame();
        if step == 100 {
            let [from, to] = wall.map(|corner| corner.to_vec());
            live.edit(Edit { step, from, to, wall: Some(true), wave_speed: None })?;
        }
        if step == 200 {
            live.put(Move { step, evader: 0, pursuer: None, to: Place::At(vec![4.0, 28.0]) })?;
        }
        live.advance()?;
        if step % 6 == 0 {
            live.show(&mut ways)?;
        }
    }
    let title = "The scenario rooms, changed by hand: the target was dragged, a wall was painted";
    let mut drawing = ways.drawing(title);
    let [[left, top], [right, bottom]] = wall;
    let (_, rows, columns) = ways.walls.dim();
    drawing.cells([rows, columns], ORANGE, |y, x| {
        (left..=right).contains(&x) && (top..=bottom).contains(&y) && !ways.walls[[0, y, x]]
    });
    ways.everybody(&mut drawing);
    Ok(drawing.finish())
}
