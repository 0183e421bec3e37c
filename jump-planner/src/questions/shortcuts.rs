//! Ways that skip a part of an intended route.
//!
//! A route is a row of cells in the order in which they are meant to be passed. The ground that one
//! walks to from it, up to a width, belongs to it, and has the place of the nearest cell of the
//! route. A shortcut leaves that ground at one place and comes back to it at a later one; in
//! between there is other ground, or nothing but one jump or fall. How far each piece of other
//! ground leads is found by a search back from the route's end to its beginning, so each cell is
//! met once.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::moves::{Move, MoveKind};
use crate::graph::near::near_move;
use crate::questions::preference::Preference;
use crate::storage::Storage;
use std::collections::VecDeque;

/// What counts as a shortcut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ShortcutRule {
    /// `[units: walks] suggested: None` Ground within so many walks of the route belongs to it;
    /// walking there skips nothing. `None`: all that one can walk to from it.
    pub width: Option<usize>,
    /// `[units: cells of the route] [limits: >= 1] suggested: None` The least that a shortcut
    /// skips. `None`: more than twice the cells that a jump along a straight level route skips.
    pub least: Option<usize>,
}

/// A way that skips a part of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shortcut<P = Cell> {
    /// Which cell of the route, from 0, is the nearest where it leaves the route's ground, and
    /// where it comes back.
    pub places: [usize; 2],
    /// Cells of the route in between, which it does not pass.
    pub skipped: usize,
    /// The way, from the route's ground to the route's ground.
    pub way: Vec<Move<P>>,
}

impl<P: Copy> Shortcut<P> {
    /// The same shortcut, its places named otherwise.
    #[must_use]
    pub fn map<Q>(&self, mut name: impl FnMut(P) -> Q) -> Shortcut<Q> {
        let way = self.way.iter().map(|step| step.map(&mut name)).collect();
        Shortcut { places: self.places, skipped: self.skipped, way }
    }

    /// The move that opens it: its first jump; without one, its first fall; without both, its first
    /// move.
    #[must_use]
    pub fn witness(&self) -> Option<Move<P>> {
        let first = |kind| self.way.iter().find(|step| step.kind == kind);
        let opening = first(MoveKind::Jump).or_else(|| first(MoveKind::Fall));
        opening.or(self.way.first()).copied()
    }
}

/// Cells by their place on the route, and where other ground leads.
struct Search<'a, T> {
    graph: &'a JumpGraph<T>,
    /// The place on the route of the ground that belongs to it.
    places: Vec<u32>,
    /// The furthest place to which other ground leads, and the next cell on the way there.
    leads: Vec<u32>,
    next: Vec<u32>,
}

impl<T: Storage> JumpGraph<T> {
    /// A route through some cells, by the best path from each to the next.
    ///
    /// # Errors
    /// As [`JumpGraph::plan`]; [`JumpError::Route`] where there is no way from one to the
    /// next.
    ///
    /// # Complexity
    /// As [`JumpGraph::plan`] for each leg.
    pub fn route_through(
        &self,
        cells: &[T::Place],
        preference: Preference,
    ) -> Result<Vec<T::Place>, JumpError> {
        let mut route = cells.get(..1).unwrap_or_default().to_vec();
        for (place, leg) in (1..).zip(cells.windows(2)) {
            let why = "there is no way to it from the one before";
            let plan = self.plan(leg[0], leg[1], preference)?;
            let cell = self.terrain().cell_of(leg[1]);
            let plan = plan.ok_or(JumpError::Route { place, cell, why })?;
            route.extend(plan.moves.iter().map(|step| step.to));
        }
        Ok(route)
    }

    /// Ways that skip a part of `route`, those first that skip the most. A way between two places
    /// of the route is left out where another one skips all that it skips, and more. A cell that
    /// the route passes twice counts as the later one.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, Preference, ShortcutRule, Terrain};
    ///
    /// // A wall that one is meant to walk around: two low pillars beside it let one hop over.
    /// let mut rows = vec![vec![0.0; 13]; 9];
    /// for row in &mut rows[..8] {
    ///     row[6] = 3.0;
    /// }
    /// (rows[0][4], rows[0][8]) = (1.5, 1.5);
    /// let graph = JumpGraph::new(Terrain::from_rows(&rows)?, Character::builder(6.0).build()?)?;
    /// let route = graph.route_through(&[[0, 0], [8, 6], [0, 12]], Preference::FewestJumps)?;
    /// let shortcuts = graph.shortcuts(&route, ShortcutRule::default())?;
    /// let worst = &shortcuts[0];
    /// assert!(worst.skipped >= 10, "{worst:?}");
    /// assert!(graph.witness(&worst.witness().unwrap()).is_some()); // it begins with a jump
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    ///
    /// # Errors
    /// As [`JumpGraph::exists`]; [`JumpError::Route`] for less than two cells, and where no
    /// move leads from one to the next.
    ///
    /// # Complexity
    /// O(cells x cells within reach), with decisions only for jumps that would lead further than
    /// the known ones. 12 bytes a cell.
    pub fn shortcuts(
        &self,
        route: &[T::Place],
        rule: ShortcutRule,
    ) -> Result<Vec<Shortcut<T::Place>>, JumpError> {
        let route = self.checked_route(route)?;
        let places = self.route_ground(&route, rule.width);
        let none = || vec![NONE; places.len()];
        let mut search = Search { graph: self, leads: none(), next: none(), places };
        // The ground of the route, by place.
        let mut ground: Vec<u32> = (0..search.places.len() as u32)
            .filter(|&i| search.places[i as usize] != NONE)
            .collect();
        ground.sort_by_key(|&i| search.places[i as usize]);
        search.look_back(&ground);
        let level = self.character().jump_length() / self.terrain().cell_size();
        let least = rule.least.unwrap_or(2 * (level.min(1e9) as usize + 1)).max(1);
        Ok(search.shortcuts(&ground, least))
    }

    fn checked_route(&self, route: &[T::Place]) -> Result<Vec<usize>, JumpError> {
        if route.len() < 2 {
            let (place, first) = (route.len(), route.first());
            let cell = first.map_or([0, 0], |&first| self.terrain().cell_of(first));
            return Err(JumpError::Route { place, cell, why: "a route has two cells or more" });
        }
        let cells: Vec<usize> =
            route.iter().map(|&cell| self.ground_index(cell)).collect::<Result<_, _>>()?;
        for (place, pair) in (1..).zip(cells.windows(2)) {
            let footing = self.footing();
            let beside = footing.neighbours(pair[0]).find(|&(j, _)| j == pair[1]);
            let near = beside.and_then(|(j, way)| near_move(self, pair[0], j, way));
            if near.is_none() && (pair[0] == pair[1] || !self.has_jump(pair[0], pair[1])) {
                let why = "no move leads to it from the one before";
                let cell = self.terrain().cell_of(route[place]);
                return Err(JumpError::Route { place, cell, why });
            }
        }
        Ok(cells)
    }

    /// The place on the route of all ground within `width` walks of it: that of the nearest cell,
    /// of several the last.
    fn route_ground(&self, route: &[usize], width: Option<usize>) -> Vec<u32> {
        let footing = self.footing();
        let mut places = vec![NONE; self.terrain().floors().len()];
        // The last ones first: so they stay ahead in every layer of the search.
        let mut open = VecDeque::new();
        for (place, &i) in route.iter().enumerate().rev() {
            if places[i] == NONE {
                places[i] = place as u32;
                open.push_back((i, 0));
            }
        }
        while let Some((i, walked)) = open.pop_front() {
            if width.is_some_and(|most| walked >= most) {
                break;
            }
            for (j, way) in footing.neighbours(i) {
                if places[j] == NONE
                    && footing.can_stand(j)
                    && footing.step(i, j, way) == Some(MoveKind::Walk)
                {
                    places[j] = places[i];
                    open.push_back((j, walked + 1));
                }
            }
        }
        places
    }
}

impl<T: Storage> Search<'_, T> {
    /// Finds how far other ground leads, from the furthest place to the nearest.
    fn look_back(&mut self, ground: &[u32]) {
        let (graph, footing) = (self.graph, self.graph.footing());
        let other = |i: usize| footing.can_stand(i) && self.places[i] == NONE;
        let mut left = (0..self.places.len()).filter(|&i| other(i)).count();
        let mut end = ground.len();
        while end > 0 && left > 0 {
            let place = self.places[ground[end - 1] as usize];
            let begin = ground[..end].partition_point(|&i| self.places[i as usize] < place);
            let mut open = ground[begin..end].to_vec();
            end = begin;
            // Moves between neighbours first: they need no decision.
            let (mut near, mut far) = (0, 0);
            while far < open.len() && left > 0 {
                if let Some(&j) = open.get(near) {
                    near += 1;
                    for (i, (dy, dx)) in footing.neighbours(j as usize) {
                        let is_new = self.places[i] == NONE && self.leads[i] == NONE;
                        if is_new
                            && footing.can_stand(i)
                            && near_move(graph, i, j as usize, (-dy, -dx)).is_some()
                        {
                            (self.leads[i], self.next[i]) = (place, j);
                            left -= 1;
                            open.push(i as u32);
                        }
                    }
                    continue;
                }
                let j = open[far];
                far += 1;
                graph.sources(j as usize).for_each(|i| {
                    let is_new = self.places[i] == NONE && self.leads[i] == NONE;
                    if is_new && graph.has_jump(i, j as usize) {
                        (self.leads[i], self.next[i]) = (place, j);
                        left -= 1;
                        open.push(i as u32);
                    }
                });
            }
        }
    }

    /// The place to which a cell leads; NONE: nowhere.
    fn value(&self, i: usize) -> u32 {
        if self.places[i] == NONE { self.leads[i] } else { self.places[i] }
    }

    /// From the beginning of the route on: a way counts that leads further than all before it.
    fn shortcuts(&self, ground: &[u32], least: usize) -> Vec<Shortcut<T::Place>> {
        let (graph, footing) = (self.graph, self.graph.footing());
        let mut all: Vec<Shortcut<T::Place>> = Vec::new();
        let (mut furthest, mut open) = (0_usize, Vec::new());
        for &i in ground {
            let i = i as usize;
            let place = self.places[i] as usize;
            let further = |j: usize, furthest: usize| {
                let value = self.value(j);
                value != NONE && value as usize > furthest.max(place.saturating_add(least))
            };
            open.clear();
            for (j, way) in footing.neighbours(i) {
                if further(j, furthest)
                    && footing.can_stand(j)
                    && let Some(kind) = near_move(graph, i, j, way)
                    && !(kind == MoveKind::Walk && self.places[j] != NONE)
                {
                    open.push((self.value(j), j, Some(kind)));
                }
            }
            graph.candidates(i).for_each(|j| {
                if further(j, furthest) {
                    open.push((self.value(j), j, None));
                }
            });
            // The furthest first, and among equals those that are known to exist.
            open.sort_by_key(|&(value, j, kind)| (std::cmp::Reverse(value), kind.is_none(), j));
            let exists = |&&(_, j, kind): &&(u32, usize, Option<MoveKind>)| {
                kind.is_some() || graph.has_jump(i, j)
            };
            let Some(&(value, j, kind)) = open.iter().find(exists) else { continue };
            furthest = value as usize;
            if all.last().is_some_and(|last| last.places[0] == place) {
                all.pop();
            }
            let way = self.way(i, j, kind.unwrap_or(MoveKind::Jump));
            all.push(Shortcut { places: [place, furthest], skipped: furthest - place - 1, way });
        }
        all.sort_by_key(|shortcut| std::cmp::Reverse(shortcut.skipped));
        all
    }

    fn way(&self, i: usize, j: usize, kind: MoveKind) -> Vec<Move<T::Place>> {
        let cell = |i: usize| self.graph.terrain().name(i);
        let mut way = vec![Move { from: cell(i), to: cell(j), kind }];
        let mut at = j;
        while self.places[at] == NONE {
            let next = self.next[at] as usize;
            let beside = self.graph.footing().neighbours(at).find(|&(j, _)| j == next);
            let near = beside.and_then(|(j, way)| near_move(self.graph, at, j, way));
            let kind = near.unwrap_or(MoveKind::Jump);
            way.push(Move { from: cell(at), to: cell(next), kind });
            at = next;
        }
        way
    }
}
