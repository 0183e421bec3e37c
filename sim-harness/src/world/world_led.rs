//! Pursuers that ask for the way across a very large map.

use super::cast::{Cast, Member};
use super::error::Refusal;
use super::party::Party;
use super::stage::Stage;
use ndarray::{Axis, Ix2};
use wave_core::glam::DVec2;
use wave_core::{Medium, Space, WorldField};
use wave_track::WorldWalker;

/// `[units: cells]` A pursuer goes straight to an evader that it sees this near.
const CLOSE: f64 = 3.0;

pub(super) struct WorldLed {
    speed: f64,
    /// The ground for members that areas do not slow.
    medium: Medium<Ix2>,
    /// The ways to every evader.
    worlds: Vec<WorldField>,
    members: Vec<(usize, WorldWalker)>,
}

impl WorldLed {
    pub(super) fn new<D: Space>(speed: f64, stage: &Stage<D>, key: &str) -> Result<Self, Refusal> {
        if D::AXES != 2 {
            let limit = "finds its ways on 2D maps only";
            let key = format!("{key}.mind");
            return Err(stage.scenario.origin.refuse(&key, "world", limit).into());
        }
        let walls = stage.terrain.walls.index_axis(Axis(0), 0);
        let (height, width) = walls.dim();
        let medium = Medium::<Ix2>::builder([height, width])
            .walls(&walls.to_owned())
            .spacing(stage.scenario.map.spacing)
            .build()?;
        let evaders = stage.scenario.evaders.iter().map(|group| group.count).sum();
        let worlds = vec![WorldField::new(&medium)?; evaders];
        Ok(Self { speed, medium, worlds, members: Vec::new() })
    }

    /// The evader to which the way is shortest.
    fn nearest(
        medium: &Medium<Ix2>,
        worlds: &mut [WorldField],
        walker: &WorldWalker,
    ) -> Result<usize, Refusal> {
        let mut nearest = (f64::INFINITY, 0);
        let Some(cell) = medium.cell_at(walker.position()).filter(|_| worlds.len() > 1) else {
            return Ok(0);
        };
        // No way is shorter than the straight one, so few of them are asked for.
        let off = |target: [usize; 2]| medium.centre(cell).distance(medium.centre(target));
        let ways = worlds.iter().map(|world| world.target().map_or(f64::INFINITY, off));
        let mut ways: Vec<_> = ways.enumerate().map(|(i, way)| (way, i)).collect();
        ways.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (way, i) in ways {
            // Lengths are whole parts of a cell.
            if way - 0.1 * medium.spacing() > nearest.0 {
                break;
            }
            let length = worlds[i].length(medium, cell)?.unwrap_or(f64::INFINITY);
            if (length, i) < nearest {
                nearest = (length, i);
            }
        }
        Ok(nearest.1)
    }

    fn place(at: [f64; 3]) -> DVec2 {
        DVec2::new(at[0], at[1])
    }
}

impl<D: Space> Party<D> for WorldLed {
    fn enter(&mut self, _: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal> {
        let walker = WorldWalker::new(&self.medium, Self::place(me.position), self.speed)?;
        self.members.push((member, walker));
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        let Self { medium, worlds, members, .. } = self;
        for (world, evader) in worlds.iter_mut().zip(&cast.evaders) {
            if let Some(cell) = medium.cell_at(Self::place(evader.foothold)) {
                world.set_target(medium, cell)?;
            }
        }
        for (member, walker) in members {
            let nearest = Self::nearest(medium, worlds, walker)?;
            let target = Self::place(cast.evaders[nearest].foothold);
            let is_close = walker.position().distance(target) <= CLOSE * medium.spacing();
            if !(is_close && walker.close_in(medium, target, stage.dt)?) {
                walker.step(medium, &mut worlds[nearest], stage.dt)?;
            }
            let me = &mut cast.pursuers[*member];
            me.stand(stage.terrain.on_ground([walker.position().x, walker.position().y, 0.0]));
            me.walked = walker.walked();
            me.doing = walker.state().into();
        }
        Ok(())
    }

    fn follow_edit(&mut self, stage: &Stage<D>, [_, y, x]: [usize; 3]) -> Result<(), Refusal> {
        Ok(self.medium.set_wall([y, x], stage.is_wall([0, y, x]))?)
    }
}
