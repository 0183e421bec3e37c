//! Whether a jump exists, how it is flown, and how fast it must be.

use super::JumpGraph;
use super::moves::{Move, MoveKind};
use super::rule::JumpRule;
use crate::error::JumpError;
use crate::jump::ballistics::{ArcKind, Ballistics};
use crate::jump::clearance::{Body, standing_margin};
use crate::jump::exact::{Effort, Found, Question, Verdict};
use crate::jump::flight::Flight;
use crate::jump::offsets::gap2;
use crate::storage::Storage;
use glam::DVec2;

/// Whether a jump exists.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Jump {
    /// It does, and this flight shows it.
    Clear(Flight),
    /// No flight was found; it is proved that none has more margin than `bound`. Such a jump is no
    /// edge of the graph.
    Marginal {
        /// `[units: length]`
        bound: f64,
    },
    /// It is proved that every flight hits something.
    Blocked,
    /// The nearest points of the two squares are out of reach, or the landing is too deep.
    OutOfReach,
}

impl<T: Storage> JumpGraph<T> {
    /// Whether a jump between two cells is clear, by the graph's rule. It answers also where no
    /// edge is drawn: where a walk or a fall joins the two, and under the published rule inside a
    /// group and away from its rim.
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    pub fn jump(&self, from: T::Place, to: T::Place) -> Result<Jump, JumpError> {
        let (i, j) = (self.ground_index(from)?, self.ground_index(to)?);
        if i == j || !self.within_reach(i, j) {
            return Ok(Jump::OutOfReach);
        }
        let question = self.question(i, j);
        Ok(match self.clearance(i, j, self.law) {
            Verdict::Clear(found) => Jump::Clear(self.witness_of(&question, found)),
            Verdict::Marginal(bound) => Jump::Marginal { bound },
            Verdict::Blocked => Jump::Blocked,
        })
    }

    /// `[units: length / time]` The least launch speed at which a clear flight was found; `None` if
    /// no flight is clear at the character's own speed. Other speeds:
    ///
    /// * *Faster*, without ceilings, the same flight exists, but close above, by a relative 1e-4 or
    ///   so, its margin may be so small that [`JumpGraph::jump`] calls it marginal.
    /// * *Slower by a relative 1e-4*, for a point without ceilings, [`JumpGraph::jump`] finds none:
    ///   the jump is blocked or marginal there.
    /// * For a *body* and under *ceilings* speeds are halved down to a relative 1e-5, and a
    ///   marginal answer counts as none. So a speed below, by some parts in a thousand, may still
    ///   be clear; under ceilings any, for a slower jump may exist below a gap of speeds at which
    ///   none does.
    ///
    /// # Errors
    /// As [`JumpGraph::jump`].
    pub fn least_launch_speed(
        &self,
        from: T::Place,
        to: T::Place,
    ) -> Result<Option<f64>, JumpError> {
        let (i, j) = (self.ground_index(from)?, self.ground_index(to)?);
        let own = self.character.launch_speed();
        Ok(if i == j { None } else { self.least_speed(i, j, own) })
    }

    /// As [`JumpGraph::least_launch_speed`], `None` also where more than `most` is needed.
    pub(crate) fn least_speed(&self, i: usize, j: usize, most: f64) -> Option<f64> {
        let mut least = most;
        let mut found = self.found_at(i, j, most)?;
        if self.is_point() {
            let in_air = self.least_in_air(i, j) * (1.0 + 1e-4);
            // From one pair of points to a better one, until none is left.
            loop {
                least = least.min(self.terrain.slowest(&self.question(i, j), found));
                if least <= in_air {
                    return Some(least);
                }
                match self.found_at(i, j, least * (1.0 - 1e-4)) {
                    Some(better) => (least, found) = (least * (1.0 - 1e-4), better),
                    None => return Some(least),
                }
            }
        }
        let mut low = self.least_in_air(i, j);
        while least - low > 1e-5 * least {
            let middle = 0.5 * (low + least);
            if self.found_at(i, j, middle).is_some() { least = middle } else { low = middle }
        }
        Some(least)
    }

    /// A flight at another launch speed.
    fn found_at(&self, i: usize, j: usize, speed: f64) -> Option<Found> {
        let law = self.character.at_speed(speed).ok()?.ballistics();
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let most_gain = law.most_gain(gap2(self.dx(i, j), self.dy(i, j)) * size2);
        let [base, end] = [i, j].map(|place| self.terrain.floors()[place]);
        if !(self.reaches(end - base, most_gain) && self.character.survives(base, end)) {
            return None;
        }
        match self.clearance(i, j, law) {
            Verdict::Clear(found) => Some(found),
            _ => None,
        }
    }

    /// A flight for a move of the graph; `None` for walks, for falls and if there is no such move.
    #[must_use]
    pub fn witness(&self, jump: &Move<T::Place>) -> Option<Flight> {
        let [from, to] = [jump.from, jump.to].map(|cell| self.ground_index(cell).ok());
        match self.jump(jump.from, jump.to) {
            Ok(Jump::Clear(witness)) if jump.kind == MoveKind::Jump => {
                self.draws(from?, to?).then_some(witness)
            }
            _ => None,
        }
    }

    /// `[units: length]` How high over its launch a jump rises at least; `None` under ceilings,
    /// where it may be flown flat.
    pub(crate) fn least_apex(&self, i: usize, j: usize) -> Option<f64> {
        if self.terrain.has_ceilings() {
            return None;
        }
        // The steep arc is lowest between the furthest points.
        let far = |d: isize| (d.unsigned_abs() + 1) as f64 * self.terrain.cell_size();
        let (dx, dy) = (far(self.dx(i, j)), far(self.dy(i, j)));
        let gain = self.terrain.floors()[j] - self.terrain.floors()[i];
        let w = self.law.w(ArcKind::High, dx * dx + dy * dy, gain);
        let w = w.unwrap_or(self.law.w_at_limit()).max(2.0 * gain.max(0.0));
        Some(0.25 * w * w / (w - gain))
    }

    /// Whether nothing but the ground matters to a flight.
    pub(crate) fn is_point(&self) -> bool {
        self.character.radius() == 0.0 && !self.terrain.has_ceilings()
    }

    /// Whether a jump exists from one ground cell to another.
    pub(crate) fn has_jump(&self, i: usize, j: usize) -> bool {
        self.within_reach(i, j) && self.verdict(i, j).is_clear()
    }

    /// Whether so much effort shows that a jump between ground cells within reach exists; `false`
    /// says nothing but after a proof.
    pub(crate) fn shows_jump(&self, i: usize, j: usize, effort: Effort) -> bool {
        match effort {
            _ if self.rule == JumpRule::Published => self.verdict(i, j).is_clear(),
            Effort::Look => self.terrain.is_easy(&self.question(i, j)),
            Effort::Ascent => self.terrain.is_likely(&self.question(i, j)),
            Effort::Proof => self.verdict(i, j).is_clear(),
        }
    }

    /// Whether a jump between ground cells within reach exists, as far as a search without a proof
    /// tells.
    pub(crate) fn sought(&self, i: usize, j: usize) -> Option<bool> {
        match self.rule {
            JumpRule::Published => Some(self.verdict(i, j).is_clear()),
            JumpRule::Exact { .. } => self.terrain.sought(&self.question(i, j)),
        }
    }

    /// Whether one bound shows that no jump exists between ground cells within reach; `false` says
    /// nothing.
    pub(crate) fn is_hopeless(&self, i: usize, j: usize) -> bool {
        self.rule != JumpRule::Published && self.terrain.is_hopeless(&self.question(i, j))
    }

    /// Decides whether a jump between two ground cells within reach is an edge.
    pub(crate) fn verdict(&self, i: usize, j: usize) -> Verdict {
        if self.draws(i, j) { self.clearance(i, j, self.law) } else { Verdict::Blocked }
    }

    /// Decides whether a jump between two ground cells within reach is clear.
    fn clearance(&self, i: usize, j: usize, law: Ballistics) -> Verdict {
        let question = Question { law, ..self.question(i, j) };
        if self.rule != JumpRule::Published {
            return self.terrain.decide(&question);
        }
        self.terrain.published(&question).map_or(Verdict::Blocked, Verdict::Clear)
    }

    pub(crate) fn question(&self, i: usize, j: usize) -> Question<()> {
        let columns = self.terrain.shape()[1];
        let [from, to] = [i, j].map(|place| self.terrain.column(place));
        let (heights, size) = (self.terrain.floors(), self.terrain.cell_size());
        let tolerance = match self.rule {
            JumpRule::Exact { tolerance } => tolerance,
            JumpRule::Published => 1e-3,
        };
        Question {
            ground: (),
            body: Body { radius: self.character.radius() / size, height: self.character.height() },
            law: self.law,
            size2: size * size,
            from: [from % columns, from / columns],
            to: [to % columns, to / columns],
            base: heights[i],
            end: heights[j],
            gain: heights[j] - heights[i],
            tolerance,
        }
    }

    fn witness_of(&self, question: &Question<()>, found: Found) -> Flight {
        let exact = self.rule != JumpRule::Published;
        self.flight_of(question, if exact { self.terrain.safest(question, found) } else { found })
    }

    fn flight_of(&self, question: &Question<()>, found: Found) -> Flight {
        let (launch, landing) =
            (self.terrain.position(found.from), self.terrain.position(found.to));
        let distance = launch.distance(landing);
        let arcs = self.law.arcs(distance, question.gain);
        let arc = arcs.map(|[low, high]| if found.kind == ArcKind::Low { low } else { high });
        // The flight that was found is within reach; at the very edge of that, rounding may say
        // otherwise.
        let arc = arc.unwrap_or_else(|| self.law.at_limit(distance, question.gain));
        let ends = [launch.extend(question.base), landing.extend(question.end)];
        let (speed, gravity) = (self.character.launch_speed(), self.character.gravity());
        Flight::of(ends, found.kind, &arc, speed, gravity, found.margin)
    }
}

impl JumpGraph {
    /// The low and the high flight between two places (x, y), with their margins; `None` where the
    /// second is out of reach. The places are where feet stand, at the heights of their cells.
    ///
    /// A flight that runs exactly through a corner of cells touches all four of them, and one that
    /// begins or ends at a border of cells those beyond it: beside a higher one its margin is
    /// negative.
    ///
    /// # Errors
    /// [`JumpError::NotGround`], [`JumpError::Place`] for a place outside the terrain, or twice the
    /// same.
    pub fn flights(&self, launch: DVec2, landing: DVec2) -> Result<Option<[Flight; 2]>, JumpError> {
        let cell = |p: DVec2| {
            let cell = self.terrain.cell_at(p);
            cell.ok_or(JumpError::Place { place: p.to_array(), why: "it is outside the terrain" })
        };
        let (i, j) = (self.ground_index(cell(launch)?)?, self.ground_index(cell(landing)?)?);
        if launch == landing {
            let why = "a flight needs two places";
            return Err(JumpError::Place { place: launch.to_array(), why });
        }
        let question = self.question(i, j).over(self.terrain.raster());
        let (p, q) = (self.terrain.in_cells(launch), self.terrain.in_cells(landing));
        // The flights that are looked for begin and end within squares; these may do so at a
        // border.
        let standing = [(p, question.base), (q, question.end)]
            .map(|(at, z)| standing_margin(&question.ground, question.body, at, z));
        let flight = |kind| {
            let margin = question.margin(kind, [p[0], p[1], q[0], q[1]]);
            let margin = margin.min(standing[0]).min(standing[1]);
            self.flight_of(&question.over(()), Found { from: p, to: q, kind, margin })
        };
        let reached = self.law.reaches(launch.distance(landing), question.gain);
        Ok(reached.then(|| [flight(ArcKind::Low), flight(ArcKind::High)]))
    }
}

impl Verdict {
    pub(crate) fn is_clear(&self) -> bool {
        matches!(self, Self::Clear(_))
    }
}
