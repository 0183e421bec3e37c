//! krABMaga's flockers: MASON's rule (mean offset, mean heading, avoidance by the inverse fourth
//! power, momentum) on its own schedule and `Field2D`, a wrapping world, a cell per radius.

use krabmaga::engine::agent::Agent;
use krabmaga::engine::fields::field::Field;
use krabmaga::engine::fields::field_2d::{
    Field2D, Location2D, toroidal_distance, toroidal_transform,
};
use krabmaga::engine::location::Real2D;
use krabmaga::engine::schedule::Schedule;
use krabmaga::engine::state::State;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};

#[derive(Clone, Copy)]
pub(crate) struct Bird {
    id: u32,
    at: Real2D,
    last: Real2D,
}

pub(crate) struct Sky {
    field: Field2D<Bird>,
    birds: Vec<(f32, f32)>,
    side: f32,
    radius: f32,
}

/// A running flock.
pub(crate) struct Flockers {
    sky: Sky,
    schedule: Schedule,
}

impl Flockers {
    /// Birds at these places of a square world, at rest.
    pub(crate) fn new(birds: Vec<(f32, f32)>, side: f32, radius: f32) -> Self {
        let field = Field2D::new(side, side, radius, true);
        let mut sky = Sky { field, birds, side, radius };
        let mut schedule = Schedule::new();
        sky.init(&mut schedule);
        Self { sky, schedule }
    }

    pub(crate) fn step(&mut self) {
        self.schedule.step(&mut self.sky);
    }

    /// The number of birds that are somewhere in the world.
    pub(crate) fn birds(&self) -> usize {
        let side = self.sky.side;
        let inside = |b: &&Bird| (0.0..=side).contains(&b.at.x) && (0.0..=side).contains(&b.at.y);
        let half = Real2D { x: side / 2.0, y: side / 2.0 };
        self.sky.field.get_neighbors_within_relax_distance(half, side).iter().filter(inside).count()
    }
}

impl Agent for Bird {
    fn step(&mut self, state: &mut dyn State) {
        let Some(sky) = state.as_any_mut().downcast_mut::<Sky>() else { return };
        let near = sky.field.get_neighbors_within_distance(self.at, sky.radius);
        let mut avoid = [0.0f32; 2];
        let mut offset = [0.0f32; 2];
        let mut along = [0.0f32; 2];
        let mut count = 0.0f32;
        for other in near.iter().filter(|other| other.id != self.id) {
            let d = [
                toroidal_distance(self.at.x, other.at.x, sky.side),
                toroidal_distance(self.at.y, other.at.y, sky.side),
            ];
            let square = d[0] * d[0] + d[1] * d[1];
            for axis in 0..2 {
                avoid[axis] += d[axis] / (square * square + 1.0);
                offset[axis] += d[axis];
            }
            along[0] += other.last.x;
            along[1] += other.last.y;
            count += 1.0;
        }
        let count = count.max(1.0);
        let mut way = [self.last.x, self.last.y];
        for axis in 0..2 {
            way[axis] +=
                400.0 * avoid[axis] / count - 0.1 * offset[axis] / count + along[axis] / count;
        }
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        if length > 0.0 {
            way = way.map(|c| c / length * 0.7);
        }
        self.last = Real2D { x: way[0], y: way[1] };
        self.at = Real2D {
            x: toroidal_transform(self.at.x + way[0], sky.side),
            y: toroidal_transform(self.at.y + way[1], sky.side),
        };
        sky.field.set_object_location(*self, self.at);
    }
}

impl State for Sky {
    fn init(&mut self, schedule: &mut Schedule) {
        for (id, &(x, y)) in self.birds.iter().enumerate() {
            let bird = Bird { id: id as u32, at: Real2D { x, y }, last: Real2D { x: 0.0, y: 0.0 } };
            self.field.set_object_location(bird, bird.at);
            schedule.schedule_repeating(Box::new(bird), 0.0, 0);
        }
    }
    fn update(&mut self, _step: u64) {
        self.field.lazy_update();
    }
    fn reset(&mut self) {}
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn as_state(&self) -> &dyn State {
        self
    }
    fn as_state_mut(&mut self) -> &mut dyn State {
        self
    }
}

impl Hash for Bird {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
impl PartialEq for Bird {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Bird {}
impl fmt::Display for Bird {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)
    }
}
impl Location2D<Real2D> for Bird {
    fn get_location(self) -> Real2D {
        self.at
    }
    fn set_location(&mut self, at: Real2D) {
        self.at = at;
    }
}
