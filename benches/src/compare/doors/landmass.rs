//! The same room as a navigation mesh, with landmass's agents.

use super::{COLUMNS, FRAME, OUT, RADIUS, ROOM, Room, SPEED, TARGET};
use crate::error::CompareError;
use glam::DVec2;
use landmass::{
    Agent, Archipelago, ArchipelagoOptions, FromAgentRadius, Island, NavigationMesh, Transform, XY,
};
use std::sync::Arc;

type Place = <XY as landmass::CoordinateSystem>::Coordinate;

pub(super) struct Agents {
    archipelago: Archipelago<XY>,
    /// Lower and upper corner of both rooms and the door, as far as an agent's middle may go.
    parts: [[Place; 2]; 3],
}

fn place(x: f64, y: f64) -> Place {
    Place::new(x as f32, y as f32)
}

impl Agents {
    pub(super) fn new(rows: [usize; 2], places: &[DVec2]) -> Self {
        // Cells have their centres at whole numbers.
        let r = RADIUS;
        let (top, right) = (ROOM as f64 - 0.5 - r, COLUMNS as f64 - 0.5 - r);
        let [low, high] = [rows[0] as f64 - 0.5 + r, rows[1] as f64 - 0.5 - r];
        let (left, near, far) = (-0.5 + r, ROOM as f64 - 0.5 - r, ROOM as f64 + 0.5 + r);
        let parts = [
            [place(left, left), place(near, top)],
            [place(near, low), place(far, high)],
            [place(far, left), place(right, top)],
        ];
        let mesh = NavigationMesh::<XY> {
            vertices: vec![
                place(left, left),
                place(near, left),
                place(near, low),
                place(near, high),
                place(near, top),
                place(left, top),
                place(far, low),
                place(far, high),
                place(far, left),
                place(right, left),
                place(right, top),
                place(far, top),
            ],
            polygons: vec![vec![0, 1, 2, 3, 4, 5], vec![2, 6, 7, 3], vec![8, 9, 10, 11, 7, 6]],
            polygon_type_indices: vec![0; 3],
            height_mesh: None,
        };
        let mesh = mesh.validate().expect("the rooms are a valid mesh");
        let options = ArchipelagoOptions::from_agent_radius(r as f32);
        let mut archipelago = Archipelago::new(options);
        let transform = Transform { translation: place(0.0, 0.0), rotation: 0.0 };
        archipelago.add_island(Island::new(transform, Arc::new(mesh)));
        for p in places {
            let at = place(p.x, p.y).clamp(parts[0][0], parts[0][1]);
            let speed = SPEED as f32;
            let mut agent = Agent::create(at, place(0.0, 0.0), r as f32, speed, speed);
            agent.current_target = Some(place(TARGET.x, TARGET.y));
            archipelago.add_agent(agent);
        }
        Self { archipelago, parts }
    }
}

impl Room for Agents {
    fn frame(&mut self) -> Result<usize, CompareError> {
        let time = FRAME as f32;
        self.archipelago.update(time);
        let mut out = 0;
        for id in self.archipelago.get_agent_ids().collect::<Vec<_>>() {
            let Some(agent) = self.archipelago.get_agent_mut(id) else { continue };
            let wanted = agent.position + *agent.get_desired_velocity() * time;
            let nearest = self.parts.map(|[low, high]| wanted.clamp(low, high));
            let nearest = nearest
                .into_iter()
                .min_by(|a, b| a.distance_squared(wanted).total_cmp(&b.distance_squared(wanted)));
            let to = nearest.unwrap_or(wanted);
            agent.velocity = (to - agent.position) / time;
            agent.position = to;
            if to.x > OUT as f32 {
                self.archipelago.remove_agent(id);
                out += 1;
            }
        }
        Ok(out)
    }
}
