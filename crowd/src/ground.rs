//! Walls, and how they keep bodies out.

use crate::config::CrowdConfig;
use crate::error::CrowdError;
use ndarray::Array2;
use wave_core::glam::DVec2;

/// A map of square cells with walls; beyond its edge all is wall.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    walls: Array2<bool>,
    spacing: f64,
    /// The corner of the first cell, half a cell before its centre.
    corner: DVec2,
}

impl Ground {
    pub(crate) fn new(walls: &Array2<bool>, config: &CrowdConfig) -> Result<Self, CrowdError> {
        let (rows, columns) = walls.dim();
        if !(1..=1 << 30).contains(&rows) || !(1..=1 << 30).contains(&columns) {
            return Err(CrowdError::Size { rows, columns });
        }
        let CrowdConfig { spacing, origin, .. } = *config;
        let corner = origin - 0.5 * spacing;
        Ok(Self { walls: walls.as_standard_layout().into_owned(), spacing, corner })
    }

    pub(crate) fn spacing(&self) -> f64 {
        self.spacing
    }

    pub(crate) fn walls(&self) -> &Array2<bool> {
        &self.walls
    }

    /// Whether a cell `[y, x]` is a wall or outside.
    pub(crate) fn is_wall(&self, [y, x]: [i32; 2]) -> bool {
        // A negative number is a very large one without a sign.
        self.walls.get([y as u32 as usize, x as u32 as usize]).is_none_or(|&wall| wall)
    }

    /// The cell `[y, x]` of a place, also outside.
    pub(crate) fn cell(&self, place: DVec2) -> [i32; 2] {
        let cells = ((place - self.corner) / self.spacing).floor();
        [cells.y as i32, cells.x as i32]
    }

    /// The cells of the map that a place lies in, or is closer to than `far`, a small part of a
    /// cell: four at most.
    pub(crate) fn cells_near(&self, place: DVec2, far: f64) -> impl Iterator<Item = [usize; 2]> {
        let [low, high] = [-1.0, 1.0].map(|sign| self.cell(place + sign * far * self.spacing));
        let (rows, columns) = self.walls.dim();
        let all = (low[0]..=high[0]).flat_map(move |y| (low[1]..=high[1]).map(move |x| [y, x]));
        let all = all.filter(|cell| cell.iter().all(|&c| c >= 0));
        all.map(|cell| cell.map(|c| c as usize)).filter(move |&[y, x]| y < rows && x < columns)
    }

    /// Refuses a place where no walker can stand.
    pub(crate) fn check(&self, place: DVec2) -> Result<(), CrowdError> {
        let (rows, columns) = self.walls.dim();
        let [low, high] = [DVec2::ZERO, DVec2::new(columns as f64, rows as f64)]
            .map(|cells| self.corner + cells * self.spacing);
        if !(place.cmpge(low).all() && place.cmplt(high).all()) {
            return Err(CrowdError::OffGrid { place, low, high });
        }
        if self.is_wall(self.cell(place)) {
            return Err(CrowdError::InWall { place });
        }
        Ok(())
    }

    pub(crate) fn check_cell(&self, cell: [usize; 2]) -> Result<(), CrowdError> {
        let (rows, columns) = self.walls.dim();
        if cell[0] < rows && cell[1] < columns {
            return Ok(());
        }
        Err(CrowdError::NoCell { cell, size: [rows, columns] })
    }

    pub(crate) fn set(&mut self, cell: [usize; 2], wall: bool) {
        self.walls[cell] = wall;
    }

    /// A body moved out of the walls that it overlaps. Its middle is in a free cell.
    pub(crate) fn push_out(&self, mut place: DVec2, radius: f64) -> DVec2 {
        let [y, x] = self.cell(place);
        let low = self.corner + DVec2::new(f64::from(x), f64::from(y)) * self.spacing;
        let high = low + self.spacing;
        let wall = |dy: i32, dx: i32| self.is_wall([y + dy, x + dx]);
        // A body is no wider than a cell, so sides that face each other leave room for it.
        if wall(0, -1) {
            place.x = place.x.max(low.x + radius);
        }
        if wall(0, 1) {
            place.x = place.x.min(high.x - radius);
        }
        if wall(-1, 0) {
            place.y = place.y.max(low.y + radius);
        }
        if wall(1, 0) {
            place.y = place.y.min(high.y - radius);
        }
        for (dy, dx) in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
            if !wall(dy, dx) || wall(dy, 0) || wall(0, dx) {
                continue;
            }
            let corner = DVec2::new(
                if dx < 0 { low.x } else { high.x },
                if dy < 0 { low.y } else { high.y },
            );
            let away = place - corner;
            let far = away.length();
            if far > 0.0 && far < radius {
                place = corner + away * (radius / far);
            } else if far == 0.0 {
                // All ways off the corner are as long; this one stays in the cell.
                place += DVec2::new(f64::from(-dx), f64::from(-dy))
                    * (std::f64::consts::FRAC_1_SQRT_2 * radius);
            }
        }
        place
    }

    /// Whether a step of less than a cell leads from a free cell to a free one, not between two
    /// walls that touch at a corner.
    pub(crate) fn is_open(&self, from: DVec2, to: DVec2) -> bool {
        let ([y, x], [there_y, there_x]) = (self.cell(from), self.cell(to));
        let near = (there_y - y).abs() <= 1 && (there_x - x).abs() <= 1;
        let aside = !(self.is_wall([y, there_x]) && self.is_wall([there_y, x]));
        near && aside && !self.is_wall([there_y, there_x])
    }

    /// The share of a place's surroundings that is ground, weighted by [`nearness`] and [`ahead`]:
    /// 1 where there is no wall within `sight`.
    pub(crate) fn openness(&self, place: DVec2, wish: DVec2, sight: f64) -> f64 {
        let [low, high] = [-sight, sight].map(|far| self.cell(place + far));
        let (mut all, mut open) = (0.0, 0.0);
        for y in low[0]..=high[0] {
            for x in low[1]..=high[1] {
                let middle = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5) * self.spacing;
                let middle = self.corner + middle;
                let way = middle - place;
                let weight = ahead(way, wish) * nearness(way.length_squared(), sight);
                all += weight;
                open += if self.is_wall([y, x]) { 0.0 } else { weight };
            }
        }
        // Where no cell's middle is within sight, one stands on open ground.
        if all > 0.0 && open > 0.0 { open / all } else { 1.0 }
    }
}

/// `[units: 1 / world units^2]` The weight of a walker by the square of its distance: its integral
/// over the plane is 1.
pub(crate) fn nearness(square: f64, sight: f64) -> f64 {
    let rest = 1.0 - square / (sight * sight);
    if rest > 0.0 { 3.0 * rest * rest / (std::f64::consts::PI * sight * sight) } else { 0.0 }
}

/// The weight of a direction: 2 straight ahead, 0 straight behind. Its mean is 1, so an even
/// density all around is not changed.
pub(crate) fn ahead(way: DVec2, wish: DVec2) -> f64 {
    let far = way.length();
    if far > 0.0 { 1.0 + way.dot(wish) / far } else { 1.0 }
}
