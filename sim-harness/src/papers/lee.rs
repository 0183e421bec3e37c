//! Lee's baseline, which watanabe-2021 compares its waves with (ch. 2 and table 2).
//!
//! A boolean flood: a cell becomes true one step after an axis neighbour did, so that it arrives
//! after as many steps as the way along the axes has cells. Its direction is one of eight. All else
//! is as with the waves: n floods take turns, a pursuer reacts once to each emission and goes
//! straight until the next, and walks by the walking rules of [`Tracker`].

use ndarray::{Array2, Ix2};
use wave_core::glam::DVec2;
use wave_core::{Medium, Space};
use wave_track::{TrackError, Tracker, TrackerConfig};

/// A flood over the free cells of a map, `[y, x]`.
#[derive(Clone, Debug)]
pub(crate) struct Flood {
    walls: Array2<bool>,
    /// The step in which a cell became true.
    arrivals: Array2<Option<u32>>,
    edge: Vec<[usize; 2]>,
    steps: u32,
}

impl Flood {
    /// A flood that is nowhere.
    #[must_use]
    pub(crate) fn new(walls: Array2<bool>) -> Self {
        let arrivals = Array2::from_elem(walls.raw_dim(), None);
        Self { walls, arrivals, edge: Vec::new(), steps: 0 }
    }

    /// Begins again from `cell`; a wall and a cell outside the map emit nothing.
    pub(crate) fn emit(&mut self, cell: [usize; 2]) {
        self.clear();
        if self.walls.get(cell) == Some(&false) {
            self.arrivals[cell] = Some(0);
            self.edge.push(cell);
        }
    }

    /// Makes every cell false.
    pub(crate) fn clear(&mut self) {
        self.arrivals.fill(None);
        self.edge.clear();
        self.steps = 0;
    }

    /// One cell further along the axes.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
        for cell in std::mem::take(&mut self.edge) {
            for (there, _) in beside(cell) {
                if self.walls.get(there) == Some(&false) && self.arrivals[there].is_none() {
                    self.arrivals[there] = Some(self.steps);
                    self.edge.push(there);
                }
            }
        }
    }

    /// After how many steps `cell` became true.
    #[must_use]
    pub(crate) fn arrival(&self, cell: [usize; 2]) -> Option<u32> {
        self.arrivals.get(cell).copied().flatten()
    }

    /// Where the flood came from: the normalised sum of the offsets to the axis neighbours that
    /// were true before `cell` was, which is one of eight directions. Where they cancel out, the
    /// first of +x, -x, +y, -y. `None` at the source and where the flood has not come.
    #[must_use]
    pub(crate) fn direction(&self, cell: [usize; 2]) -> Option<DVec2> {
        let here = self.arrival(cell)?;
        let earlier = |there| self.arrival(there).is_some_and(|t| t < here);
        let all = || beside(cell).filter(|(there, _)| earlier(*there)).map(|(_, offset)| offset);
        all().sum::<DVec2>().try_normalize().or_else(|| all().next())
    }
}

/// The axis neighbours, +x, -x, +y, -y; those below 0 wrap round and lie outside every map.
fn beside([y, x]: [usize; 2]) -> impl Iterator<Item = ([usize; 2], DVec2)> {
    let all = [
        ([y, x + 1], DVec2::X),
        ([y, x.wrapping_sub(1)], DVec2::NEG_X),
        ([y + 1, x], DVec2::Y),
        ([y.wrapping_sub(1), x], DVec2::NEG_Y),
    ];
    all.into_iter()
}

/// A walker that goes straight until told otherwise.
#[derive(Clone, Debug)]
pub(crate) struct StraightWalker<D: Space> {
    pub(crate) at: D::Point,
    pub(crate) heading: Option<[f64; 3]>,
}

impl<D: Space> StraightWalker<D> {
    /// One step of `stride` world units, as [`Tracker`] walks by the published rules: straight for
    /// a target that is near and seen, otherwise along the heading, sliding along walls.
    pub(crate) fn walk(
        &mut self,
        ground: &Tracker<D>,
        target: D::Point,
        stride: f64,
    ) -> Result<(), TrackError> {
        let (at, goal) = (D::to_xyz(self.at), D::to_xyz(target));
        let way: [f64; 3] = std::array::from_fn(|a| goal[a] - at[a]);
        let far = distance::<D>(self.at, target);
        let spacing = ground.medium().spacing();
        if far <= ground.config().close_range * spacing {
            let end = ground.slide(self.at, D::from_xyz(way))?;
            if distance::<D>(end, target) < 1e-6 * spacing {
                let share = (stride / far.max(stride)).min(1.0);
                self.at = ground.slide(self.at, D::from_xyz(way.map(|w| w * share)))?;
                return Ok(());
            }
        }
        if let Some(heading) = self.heading {
            self.at = ground.slide(self.at, D::from_xyz(heading.map(|h| h * stride)))?;
        }
        Ok(())
    }
}

/// `[units: world units]` How far two positions are apart.
pub(crate) fn distance<D: Space>(p: D::Point, q: D::Point) -> f64 {
    let (p, q) = (D::to_xyz(p), D::to_xyz(q));
    (0..3).map(|a| (p[a] - q[a]) * (p[a] - q[a])).sum::<f64>().sqrt()
}

/// A pursuer of a [`Lee`].
#[derive(Clone, Debug)]
struct Follower {
    walker: StraightWalker<Ix2>,
    /// The last emission that it reacted to, per flood.
    reacted: Vec<u64>,
}

/// Pursuers, a target, and floods between them.
#[derive(Clone, Debug)]
pub(crate) struct Lee {
    /// The map and its walking rules; its own waves are never run.
    ground: Tracker<Ix2>,
    config: TrackerConfig,
    stride: f64,
    floods: Vec<Flood>,
    /// The emission that a flood is of; 0 for none.
    emissions: Vec<u64>,
    newest: u64,
    target: DVec2,
    followers: Vec<Follower>,
    steps: u64,
}

impl Lee {
    /// `config` gives the number of floods, their lifetime and the close range, as for waves.
    /// Pursuers walk `stride` world units a step.
    ///
    /// # Errors
    /// The errors of [`Tracker`]: for such a schedule, such a range, or a target in a wall.
    pub(crate) fn new(
        medium: Medium<Ix2>,
        config: TrackerConfig,
        stride: f64,
        target: DVec2,
    ) -> Result<Self, TrackError> {
        let floods = vec![Flood::new(medium.walls()); config.wave_count()];
        let mut ground = Tracker::new(medium, config)?;
        ground.set_target(target)?;
        Ok(Self {
            ground,
            config,
            stride,
            emissions: vec![0; floods.len()],
            floods,
            newest: 0,
            target,
            followers: Vec::new(),
            steps: 0,
        })
    }

    /// Moves the target.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`].
    pub(crate) fn set_target(&mut self, at: DVec2) -> Result<(), TrackError> {
        self.ground.set_target(at)?;
        self.target = at;
        Ok(())
    }

    /// Adds a pursuer; they are counted from 0.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`].
    pub(crate) fn add_pursuer(&mut self, at: DVec2) -> Result<(), TrackError> {
        let walker = StraightWalker { at: self.ground.slide(at, DVec2::ZERO)?, heading: None };
        self.followers.push(Follower { walker, reacted: vec![0; self.floods.len()] });
        Ok(())
    }

    /// Where pursuer `i` stands.
    #[must_use]
    pub(crate) fn position(&self, i: usize) -> Option<DVec2> {
        self.followers.get(i).map(|f| f.walker.at)
    }

    /// The direction in which pursuer `i` goes.
    #[cfg(test)]
    pub(crate) fn heading(&self, i: usize) -> Option<DVec2> {
        self.followers.get(i)?.walker.heading.map(|[x, y, _]| DVec2::new(x, y))
    }

    /// One step: floods are emitted where they are due, they spread, pursuers listen and walk.
    ///
    /// # Errors
    /// None that input can cause.
    pub(crate) fn step(&mut self) -> Result<(), TrackError> {
        let medium = self.ground.medium();
        let (n, lifetime) = (self.floods.len() as u64, u64::from(self.config.fixed_lifetime()));
        for (i, flood) in (0..).zip(&mut self.floods) {
            let first = i * lifetime / n;
            if self.steps >= first && (self.steps - first).is_multiple_of(lifetime) {
                flood.clear();
                if let Some(cell) = medium.cell_at(self.target) {
                    flood.emit(cell);
                }
                self.newest += 1;
                self.emissions[i as usize] = self.newest;
            }
            flood.step();
        }
        for follower in &mut self.followers {
            let cell = medium.cell_at(follower.walker.at);
            let heard = self.floods.iter().zip(&self.emissions).zip(&mut follower.reacted);
            for ((flood, &emission), reacted) in heard {
                let came = cell.filter(|&cell| flood.arrival(cell).is_some());
                if let Some(cell) = came.filter(|_| emission > *reacted) {
                    *reacted = emission;
                    let direction = flood.direction(cell).map(|d| [d.x, d.y, 0.0]);
                    follower.walker.heading = direction.or(follower.walker.heading);
                }
            }
            follower.walker.walk(&self.ground, self.target, self.stride)?;
        }
        self.steps += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
