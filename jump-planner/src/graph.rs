//! The graph of moves over a terrain.

pub(crate) mod bits;
pub(crate) mod decide;
pub(crate) mod groups;
pub(crate) mod moves;
pub(crate) mod near;
pub(crate) mod partition;
pub(crate) mod reach;
pub(crate) mod rule;
pub(crate) mod visit;

use self::rule::JumpRule;
use crate::cell::{Cell, NONE};
use crate::character::Character;
use crate::error::{JumpError, OutOfRange};
use crate::graph::moves::{Footing, Move, MoveKind};
use crate::graph::partition::Partition;
use crate::jump::ballistics::Ballistics;
use crate::jump::offsets::Offsets;
use crate::jump::relief::Relief;
use crate::spans::builder::Span;
use crate::spans::edit::ColumnEdit;
use crate::spans::{Place, SpanTerrain};
use crate::storage::Storage;
use crate::terrain::Terrain;
use crate::terrain::builder::MAX_HEIGHT;
use crate::terrain::rounding::rounding;

/// All moves of a character over a terrain: walks and falls between neighbours, and jumps wherever
/// neither joins the two cells. Jumps are decided when they are asked for, none is stored.
///
/// ```
/// use jump_planner::{Character, Jump, JumpGraph, Terrain};
///
/// // A ditch too wide to step over, and a wall too high to climb.
/// let terrain = Terrain::from_rows(&[[0.0, -3.0, -3.0, 0.0, 9.0]])?;
/// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
/// let Jump::Clear(flight) = graph.jump([0, 0], [0, 3])? else { panic!("it can be jumped") };
/// assert!(flight.margin > 0.0 && flight.flight_time > 0.4);
/// assert!(matches!(graph.jump([0, 3], [0, 4])?, Jump::OutOfReach));
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Debug)]
pub struct JumpGraph<T = Terrain> {
    terrain: T,
    character: Character,
    rule: JumpRule,
    law: Ballistics,
    offsets: Offsets,
    /// `[units: length]` Lowest and highest ground there ever was.
    range: [f64; 2],
    relief: Relief,
    groups: Partition,
}

impl<T: Storage> JumpGraph<T> {
    /// Under the exact rule.
    ///
    /// # Errors
    /// [`CharacterError::Value`](crate::CharacterError::Value) if the radius is half a cell or
    /// more; [`JumpError::NotGround`] if the ceilings leave no cell to stand on.
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(terrain: T, character: Character) -> Result<Self, JumpError> {
        Self::with_rule(terrain, character, JumpRule::default())
    }

    /// Under a rule of clearance.
    ///
    /// # Errors
    /// As [`JumpGraph::new`]; [`CharacterError::Value`](crate::CharacterError::Value) if the
    /// tolerance is not positive, or if the published rule is asked for with a body or under
    /// ceilings, which it does not know.
    pub fn with_rule(terrain: T, character: Character, rule: JumpRule) -> Result<Self, JumpError> {
        let refuse = |what, value, limit| {
            Err(JumpError::Character(OutOfRange { what, value, limit }.into()))
        };
        let radius = character.radius();
        if radius >= 0.4999 * terrain.cell_size() {
            return refuse("radius", radius, "less than 0.4999 cells");
        }
        match rule {
            JumpRule::Exact { tolerance } if !(1e-9..=1e9).contains(&tolerance) => {
                return refuse("tolerance", tolerance, "within 1e-9 to 1e9");
            }
            JumpRule::Published if radius > 0.0 => {
                return refuse("radius", radius, "0 under the published rule");
            }
            JumpRule::Published if !terrain.knows_published() => {
                return refuse("ceilings", 1.0, "absent under the published rule");
            }
            _ => {}
        }
        let footing = Footing { terrain: &terrain, character: &character };
        let ground = |i: &usize| footing.can_stand(*i);
        let Some(_) = (0..terrain.floors().len()).find(ground) else {
            let why = "no ceiling leaves headroom anywhere";
            return Err(JumpError::NotGround { cell: [0, 0], why });
        };
        let range = height_range(&terrain);
        let law = character.ballistics();
        let offsets = offsets(&terrain, &character, range);
        let (groups, size) = (terrain.groups(&character), terrain.cell_size());
        let relief =
            Relief::new(|c| floors(&terrain, c), terrain.shape(), offsets.radius(), &law, size);
        Ok(Self { terrain, character, rule, law, offsets, range, relief, groups })
    }

    /// The ground.
    #[must_use]
    pub fn terrain(&self) -> &T {
        &self.terrain
    }
    /// The character that moves.
    #[must_use]
    pub fn character(&self) -> &Character {
        &self.character
    }
    /// The rule of clearance.
    #[must_use]
    pub fn rule(&self) -> JumpRule {
        self.rule
    }

    /// The number of a cell's group, the cells that walking joins; `None` where nobody can stand.
    /// It is below the number of cells. Edits may give other numbers.
    #[must_use]
    pub fn group(&self, cell: T::Place) -> Option<usize> {
        let label = self.groups.labels[self.terrain.find(cell)?];
        (label != NONE).then_some(label as usize)
    }
    /// How many groups there are.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.groups.count
    }

    /// Whether `cell` can be stood on: ground, not no-go, with headroom.
    #[must_use]
    pub fn can_stand(&self, cell: T::Place) -> bool {
        self.terrain.find(cell).is_some_and(|i| self.footing().can_stand(i))
    }

    /// The walk or fall from a cell to a neighbour; `None` where there is none, or they are no
    /// neighbours.
    #[must_use]
    pub fn step(&self, from: T::Place, to: T::Place) -> Option<MoveKind> {
        let footing = self.footing();
        let stands = |cell| self.terrain.find(cell).filter(|&i| footing.can_stand(i));
        let (i, j) = (stands(from)?, stands(to)?);
        let (_, way) = footing.neighbours(i).find(|&(other, _)| other == j)?;
        footing.step(i, j, way)
    }

    /// Calls `each` with every move from `cell`, always in the same order: neighbours first, then
    /// jumps, the nearest first. Nothing where nobody can stand.
    ///
    /// # Complexity
    /// O(cells within reach), each with a decision of its own.
    pub fn for_each_move(&self, cell: T::Place, mut each: impl FnMut(Move<T::Place>)) {
        let Some(i) = self.terrain.find(cell).filter(|&i| self.footing().can_stand(i)) else {
            return;
        };
        self.for_each(i, |j, kind| each(Move { from: cell, to: self.terrain.name(j), kind }));
    }

    pub(crate) fn for_each(&self, i: usize, mut each: impl FnMut(usize, MoveKind)) {
        let footing = self.footing();
        for (j, way) in footing.neighbours(i) {
            if footing.can_stand(j)
                && let Some(kind) = footing.step(i, j, way)
            {
                each(j, kind);
            }
        }
        self.candidates(i).for_each(|j| {
            if self.verdict(i, j).is_clear() {
                each(j, MoveKind::Jump);
            }
        });
    }

    pub(crate) fn footing(&self) -> Footing<'_, T> {
        Footing { terrain: &self.terrain, character: &self.character }
    }
    pub(crate) fn groups(&self) -> &Partition {
        &self.groups
    }
    pub(crate) fn offsets(&self) -> &Offsets {
        &self.offsets
    }
    pub(crate) fn relief(&self) -> &Relief {
        &self.relief
    }

    pub(crate) fn ground_index(&self, place: T::Place) -> Result<usize, JumpError> {
        let i = self.terrain.checked(place)?;
        let why = if self.terrain.is_no_go(i) {
            "it is no-go"
        } else if !self.terrain.is_ground(i) {
            T::NO_FLOOR
        } else if !self.footing().can_stand(i) {
            "its ceiling is too low"
        } else {
            return Ok(i);
        };
        Err(JumpError::NotGround { cell: self.terrain.cell_of(place), why })
    }
}

impl<T: Storage> JumpGraph<T> {
    /// Reach follows where ground is lower or higher than there was any.
    fn follow_range(&mut self, column: usize) {
        let [low, high] = floors(&self.terrain, column);
        self.range = [self.range[0].min(low), self.range[1].max(high)];
        if drop(&self.character, self.range) > self.offsets.drop() {
            self.offsets = offsets(&self.terrain, &self.character, self.range);
        }
        let (terrain, size) = (&self.terrain, self.terrain.cell_size());
        self.relief.follow(|c| floors(terrain, c), column, self.offsets.radius(), &self.law, size);
    }

    fn follow_groups(&mut self, column: usize) {
        let block = self.block(column);
        let footing = Footing { terrain: &self.terrain, character: &self.character };
        let joined = |i: usize, each: &mut dyn FnMut(usize)| {
            if !footing.can_stand(i) {
                return;
            }
            for (j, way) in footing.neighbours(i) {
                if footing.can_stand(j) && footing.step(i, j, way) == Some(MoveKind::Walk) {
                    each(j);
                }
            }
        };
        let (edited, stands) = (self.terrain.places(column), |i: usize| footing.can_stand(i));
        self.groups.follow(edited, &block, stands, joined, &mut Vec::new());
    }

    /// The places, in order, between which an edit of a column may change the moves of neighbours.
    /// A body passes over more columns than the two.
    pub(crate) fn block(&self, column: usize) -> Vec<usize> {
        let wide = self.character.radius() > 0.0 || self.terrain.has_ceilings();
        let span = if wide { 2 } else { 1 };
        let [rows, columns] = self.terrain.shape();
        let (y, x) = (column / columns, column % columns);
        let xs = x.saturating_sub(span)..(x + span + 1).min(columns);
        let ys = y.saturating_sub(span)..(y + span + 1).min(rows);
        ys.flat_map(|y| self.terrain.run(y * columns + xs.start..y * columns + xs.end)).collect()
    }
}

impl JumpGraph {
    /// Sets the height of a cell; graph and groups follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`].
    ///
    /// # Complexity
    /// O(1), and about twice the cells that fall off a group or join one.
    pub fn set_height(&mut self, cell: Cell, height: f64) -> Result<(), JumpError> {
        let column = self.terrain.checked_index(cell)?;
        self.terrain.set_height(cell, height)?;
        self.follow_range(column);
        self.follow_groups(column);
        Ok(())
    }

    /// Allows or forbids to stand on a cell; graph and groups follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`], also where it would leave no ground at all.
    pub fn set_no_go(&mut self, cell: Cell, no_go: bool) -> Result<(), JumpError> {
        let column = self.terrain.checked_index(cell)?;
        self.terrain.set_no_go(cell, no_go)?;
        self.follow_groups(column);
        Ok(())
    }
}

impl JumpGraph<SpanTerrain> {
    /// Sets all spans of a column, in any order, as the builder takes them but in the units of the
    /// level: its height scale is not applied again. Graph and groups follow. Places of the column
    /// may have other storeys then, and are no-go where their spans say so, whatever
    /// [`JumpGraph::set_no_go`] said before.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, Place, Span, SpanTerrain, ndarray::Array2};
    ///
    /// let columns = Array2::from_elem([1, 3], vec![Span::ground(0.0)]);
    /// let character = Character::with_jump_height(1.0, 9.81).body(0.2, 1.8).build()?;
    /// let mut graph = JumpGraph::new(SpanTerrain::builder(&columns).build()?, character)?;
    /// graph.set_spans([0, 1], &[Span::ground(0.0), Span::new(2.0, 2.5)])?; // a bridge
    /// let bridge = Place { cell: [0, 1], storey: 1 };
    /// assert_eq!(graph.terrain().floor(bridge), Some(2.5));
    /// assert_eq!(graph.group_count(), 2);
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    ///
    /// # Errors
    /// [`JumpError::Terrain`]: a cell outside the level, spans or a number of places that
    /// [`SpanTerrainBuilder::build`](crate::SpanTerrainBuilder) would refuse, and where all floors
    /// of the level would be gone or no-go; floors under too low a ceiling count. Nothing has
    /// changed then.
    ///
    /// # Complexity
    /// As [`JumpGraph::set_height`]; O(places) more, to number them, where the column has more or
    /// fewer storeys than before.
    pub fn set_spans(&mut self, cell: Cell, spans: &[Span]) -> Result<(), JumpError> {
        let edit = self.terrain.with_spans(cell, spans)?;
        self.apply(&edit);
        Ok(())
    }

    /// Carries out an edit of a column.
    pub(crate) fn apply(&mut self, edit: &ColumnEdit) {
        if !edit.splice.is_empty() {
            self.groups.splice(edit.splice);
        }
        self.terrain.apply(edit);
        self.follow_range(edit.column);
        self.follow_groups(edit.column);
    }

    /// Allows or forbids to stand on a place; graph and groups follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`], also where it would leave no ground at all.
    pub fn set_no_go(&mut self, place: Place, no_go: bool) -> Result<(), JumpError> {
        let column = self.terrain.column(self.terrain.checked(place)?);
        self.terrain.set_no_go(place, no_go)?;
        self.follow_groups(column);
        Ok(())
    }
}

fn height_range(terrain: &impl Storage) -> [f64; 2] {
    let known = terrain.floors().iter().filter(|z| z.is_finite());
    known.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &z| [low.min(z), high.max(z)])
}

fn offsets(terrain: &impl Storage, character: &Character, range: [f64; 2]) -> Offsets {
    let law = character.ballistics();
    Offsets::new(&law, terrain.cell_size(), drop(character, range), terrain.shape())
}

/// The lowest and the highest floor of a column.
#[inline]
fn floors(terrain: &impl Storage, column: usize) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for &z in terrain.floors()[terrain.places(column)].iter().filter(|z| z.is_finite()) {
        range = [range[0].min(z), range[1].max(z)];
    }
    range
}

/// The deepest landing below a launch.
fn drop(character: &Character, range: [f64; 2]) -> f64 {
    let relief = range[1] - range[0];
    // Heights that edits may bring have no more rounding than this.
    let slack = rounding(MAX_HEIGHT, MAX_HEIGHT);
    character.max_fall().map_or(relief, |most| relief.min(most + slack))
}
