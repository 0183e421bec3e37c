//! Levels with storeys, where one walks over and under things.
//!
//! Of a level of voxels, and of a mesh cut into voxels, every floor counts; any other level has the
//! one storey that its heights are.

use super::{LevelError, LevelOptions, seen};
use crate::import;
use crate::maps::{Class, MapFile};
use jump_planner::glam::DVec2;
use jump_planner::{JumpGraph, Place, Span, SpanTerrain};
use ndarray::Array2;

/// A level with storeys, and from where to where a character is to go in it.
#[derive(Clone, Debug)]
pub struct Storeys {
    /// The graph of the character's moves.
    pub graph: JumpGraph<SpanTerrain>,
    /// The file's first start.
    pub start: Option<Place>,
    /// Its first goal.
    pub goal: Option<Place>,
}

impl LevelOptions {
    /// Reads a level with its storeys and builds the graph.
    ///
    /// # Errors
    /// [`LevelError`].
    pub fn storeys(&self) -> Result<Storeys, LevelError> {
        let map = if super::site::is_scenario(&self.terrain)? {
            None
        } else {
            Some(import::read(&self.terrain, &self.import)?)
        };
        match map.filter(|map| map.dimensions() == 3) {
            Some(map) => self.of_voxels(&map),
            None => self.of_heights(),
        }
    }

    fn of_voxels(&self, map: &MapFile) -> Result<Storeys, LevelError> {
        let mut columns = Span::of_voxels(&map.walls(Class::Ground));
        let (rows, width) = columns.dim();
        for &corners in &self.no_go {
            let [[left, upper], [right, lower]] = corners;
            if left > right || upper > lower || right >= width || lower >= rows {
                return Err(LevelError::NoGo { corners, columns: width, rows });
            }
            let inside = columns.slice_mut(ndarray::s![upper..=lower, left..=right]);
            for span in inside.into_iter().flatten() {
                span.no_go = true;
            }
        }
        let side = self.scaling.cell_size.or(map.layers().cell_size).unwrap_or(1.0);
        let scale = self.scaling.height_scale.unwrap_or(side);
        let graph = self.over(&columns, side, scale)?;
        let place = |cells: &[[usize; 3]]| {
            let &[z, y, x] = cells.first()?;
            let middle = DVec2::new(x as f64, y as f64) * side;
            graph.terrain().place_at(middle.extend((z as f64 + 0.5) * scale))
        };
        let (start, goal) = (place(&map.layers().starts), place(&map.layers().goals));
        Ok(Storeys { graph, start, goal })
    }

    fn of_heights(&self) -> Result<Storeys, LevelError> {
        let site = self.site()?;
        let no_go = |cell| site.heights.no_go.as_ref().is_some_and(|no_go| no_go[cell]);
        let columns = Array2::from_shape_fn(site.heights.heights.dim(), |(y, x)| {
            let z = site.heights.heights[[y, x]];
            let ground = Span { no_go: no_go([y, x]), ..Span::ground(z) };
            vec![if z.is_nan() { Span::wall() } else { ground }]
        });
        let side = self.scaling.cell_size.or(site.heights.cell_size).unwrap_or(1.0);
        let graph = self.over(&columns, side, self.scaling.height_scale.unwrap_or(1.0))?;
        let place = |cell: Option<[usize; 2]>| graph.terrain().highest(seen::cell(cell?));
        let (start, goal) = (place(site.start), place(site.goal));
        Ok(Storeys { graph, start, goal })
    }

    fn over(
        &self,
        columns: &Array2<Vec<Span>>,
        side: f64,
        scale: f64,
    ) -> Result<JumpGraph<SpanTerrain>, LevelError> {
        let terrain = SpanTerrain::builder(columns).cell_size(side).height_scale(scale).build();
        let terrain = terrain.map_err(|error| {
            let file = crate::maps::printable(&self.terrain.to_string_lossy());
            LevelError::Terrain { file, error }
        })?;
        Ok(JumpGraph::with_rule(terrain, self.character()?, self.rule)?)
    }
}
