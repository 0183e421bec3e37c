//! Storeys as the graph of moves sees them.
#![allow(private_interfaces, reason = "nobody outside names the trait")]

use super::{Place, SpanTerrain};
use crate::cell::{Cell, NONE};
use crate::character::Character;
use crate::error::{JumpError, TerrainError};
use crate::graph::JumpGraph;
use crate::graph::bits::Bits;
use crate::graph::groups::Forest;
use crate::graph::moves::{Footing, NEIGHBOURS};
use crate::graph::near::{near_move, opposite};
use crate::graph::partition::Partition;
use crate::regions::Regions;
use crate::storage::{Floors, PlaceName, Storage, walks};
use crate::terrain::rounding::rounding;
use glam::DVec2;
use std::ops::Range;

/// So many storeys of the columns beside have bits.
const STOREYS: usize = 7;

impl PlaceName for Place {
    /// Those of each of the eight columns beside, in the order of `NEIGHBOURS`.
    type Bits = u64;
}

impl Floors for SpanTerrain {
    type Place = Place;

    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn cell_size(&self) -> f64 {
        self.cell_size
    }
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Place> {
        (0..self.storeys(cell)).map(move |storey| Place { cell, storey })
    }
    fn cell_of(&self, place: Place) -> Cell {
        place.cell
    }
    fn floor_of(&self, place: Place) -> Option<f64> {
        self.floor(place)
    }
}

impl Storage for SpanTerrain {
    const NO_FLOOR: &str = "it has no floor";

    fn floors(&self) -> &[f64] {
        &self.floors
    }
    fn column(&self, place: usize) -> usize {
        self.columns[place] as usize
    }
    fn places(&self, column: usize) -> Range<usize> {
        self.range(column)
    }
    fn run(&self, columns: Range<usize>) -> Range<usize> {
        self.begins[columns.start] as usize..self.begins[columns.end] as usize
    }
    fn name(&self, place: usize) -> Place {
        self.place(place)
    }
    fn find(&self, name: Place) -> Option<usize> {
        self.number(name)
    }
    fn checked(&self, name: Place) -> Result<usize, JumpError> {
        let Place { cell, storey } = name;
        let [rows, columns] = self.shape;
        let storeys = self.storeys(cell);
        if storeys == 0 {
            return Err(TerrainError::Outside { cell, rows, columns }.into());
        }
        let number = self.number(name);
        number.ok_or_else(|| TerrainError::Storey { cell, storey, storeys }.into())
    }
    fn is_ground(&self, place: usize) -> bool {
        self.is_floor(place)
    }
    fn is_no_go(&self, place: usize) -> bool {
        self.no_go[place]
    }
    fn ceiling_of(&self, place: usize) -> f64 {
        self.ceilings[place]
    }
    fn has_ceilings(&self) -> bool {
        self.has_ceilings
    }
    fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, (isize, isize))> {
        let ([rows, columns], at) = (self.shape, self.columns[place] as usize);
        let (y, x) = (at / columns, at % columns);
        NEIGHBOURS.into_iter().flat_map(move |(dy, dx)| {
            let (y, x) = (y.wrapping_add_signed(dy), x.wrapping_add_signed(dx));
            let is_inside = y < rows && x < columns;
            let places = if is_inside { self.range(y * columns + x) } else { 0..0 };
            places.map(move |other| (other, (dy, dx)))
        })
    }
    fn lets_by(&self, column: usize, floor: f64, height: f64) -> bool {
        let most = floor + rounding(floor, floor);
        let fits = |i| self.floors[i] <= most && self.ceilings[i] - (floor + height) > 0.0;
        self.range(column).any(fits)
    }
    fn position(&self, p: [f64; 2]) -> DVec2 {
        self.to_world(p)
    }
    fn knows_published(&self) -> bool {
        false
    }
    #[inline]
    fn beside(&self, place: usize, bit: usize, stride: &[isize; 24]) -> usize {
        let column = self.column(place).wrapping_add_signed(stride[bit / STOREYS]);
        self.begins[column] as usize + bit % STOREYS
    }
    fn bit(&self, from: usize, to: usize) -> Option<usize> {
        let [own, other] = [from, to].map(|i| self.place(i));
        let [dy, dx] = [0, 1].map(|axis| other.cell[axis] as isize - own.cell[axis] as isize);
        let way = NEIGHBOURS.iter().position(|&way| way == (dy, dx))?;
        (own.storey.max(other.storey) < STOREYS).then_some(way * STOREYS + other.storey)
    }
    fn back(&self, from: usize, bit: usize) -> usize {
        opposite(bit / STOREYS) * STOREYS + from - self.begins[self.column(from)] as usize
    }
    fn near(graph: &JumpGraph<Self>, place: usize, rest: &mut Vec<u32>) -> u64 {
        let (footing, mut moves) = (graph.footing(), 0);
        if !footing.can_stand(place) {
            return moves;
        }
        for (other, way) in footing.neighbours(place).filter(|&(j, _)| footing.can_stand(j)) {
            if near_move(graph, place, other, way).is_some() {
                match graph.terrain().bit(place, other) {
                    Some(bit) => moves.insert(bit),
                    None => rest.push(other as u32),
                }
            }
        }
        moves
    }
    fn regions(graph: &JumpGraph<Self>) -> Regions<u64> {
        super::regions::regions(graph)
    }
    fn groups(&self, character: &Character) -> Partition {
        let footing = Footing { terrain: self, character };
        let stands = |i: usize| if footing.can_stand(i) { i as u32 } else { NONE };
        let mut forest = Forest { parent: (0..self.len()).map(stands).collect() };
        for i in 0..self.len() {
            if forest.parent[i] == NONE {
                continue;
            }
            // Half of the neighbours are enough: the others look at this place.
            for (j, way) in footing.neighbours(i).filter(|&(j, _)| j < i) {
                if forest.parent[j] != NONE && walks(&footing, i, j, way) {
                    forest.join(i as u32, j as u32);
                }
            }
        }
        Partition::new(forest.flat())
    }
}
