//! Waves, ways, dangers and arcs, drawn with Bevy's gizmos.

use crate::agent::{AgentGoal, DangerSource, UtilityAgent};
use crate::level::{JumpPath, LegKind};
use crate::map::to_f32;
use crate::pursuit::{Pursuer, Pursuit};
use bevy_app::prelude::*;
use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::gizmos::Gizmos;
use bevy_math::{Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use wave_track::ndarray::Ix2;
use wave_track::{Tracker, TrackerFront};

/// Points of a way or an arc.
const POINTS: usize = 24;

/// The parts that are drawn. Turn any of them off at any time.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // switches, each for itself
pub struct NamijiGizmos {
    /// The front of every wave that is on its way: the cells that it has just reached.
    pub waves: bool,
    /// The way home of every pursuer, by the newest wave, and from agents to their goals.
    pub ways: bool,
    /// Where dangers are.
    pub dangers: bool,
    /// The rest of every jump path.
    pub arcs: bool,
    /// Whether arcs are drawn with x and z in place of x and y: for games seen from the side.
    pub from_the_side: bool,
    /// `[units: pursuers] suggested: 200` Of more, only so many ways are drawn.
    pub most_ways: usize,
    /// `[units: cells] suggested: 20000` On a larger map no waves are drawn: every cell is looked
    /// at for each of them.
    pub most_cells: usize,
}

impl Default for NamijiGizmos {
    fn default() -> Self {
        Self {
            waves: true,
            ways: true,
            dangers: true,
            arcs: true,
            from_the_side: false,
            most_ways: 200,
            most_cells: 20_000,
        }
    }
}

/// Draws what [`NamijiGizmos`] says in every `Update`. Needs Bevy's own `GizmoPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NamijiGizmoPlugin;

impl Plugin for NamijiGizmoPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<NamijiGizmos>()
            .init_resource::<NamijiGizmos>()
            .add_systems(Update, (waves, ways, dangers, arcs));
    }
}

fn tracker<'a>(pursuit: Option<&'a Res<Pursuit>>) -> Option<&'a Tracker<Ix2>> {
    pursuit.and_then(|pursuit| pursuit.tracker())
}

fn waves(settings: Res<NamijiGizmos>, pursuit: Option<Res<Pursuit>>, mut gizmos: Gizmos) {
    let Some(tracker) = tracker(pursuit.as_ref()).filter(|_| settings.waves) else { return };
    let [rows, columns] = tracker.medium().shape();
    if rows * columns > settings.most_cells {
        return;
    }
    let size = Vec2::splat(0.3 * tracker.medium().spacing() as f32);
    for front in tracker.fronts().filter(|front| !front.has_ended()) {
        let now = front.steps() as f64;
        for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])) {
            if front.arrival(cell).is_some_and(|at| at + 3.0 > now) {
                let at = to_f32(tracker.medium().centre(cell));
                gizmos.rect_2d(at, size, Color::srgba(0.35, 0.75, 1.0, 0.6));
            }
        }
    }
}

/// The way home by a wave, cell by cell.
fn way(tracker: &Tracker<Ix2>, front: &TrackerFront<Ix2>, from: Vec2) -> Vec<Vec2> {
    let medium = tracker.medium();
    let mut at = crate::map::to_f64(from);
    let mut way = vec![from];
    for _ in 1..POINTS {
        let Some(home) = medium.cell_at(at).and_then(|cell| front.direction(cell)) else { break };
        at += home * medium.spacing();
        way.push(to_f32(at));
    }
    way
}

fn ways(
    settings: Res<NamijiGizmos>,
    pursuit: Option<Res<Pursuit>>,
    pursuers: Query<&Transform, With<Pursuer>>,
    agents: Query<(&Transform, &AgentGoal), With<UtilityAgent>>,
    mut gizmos: Gizmos,
) {
    if !settings.ways {
        return;
    }
    if let Some(tracker) = tracker(pursuit.as_ref())
        && let Some(front) = tracker.fronts().next()
    {
        for transform in pursuers.iter().take(settings.most_ways) {
            let way = way(tracker, front, transform.translation.truncate());
            gizmos.linestrip_2d(way, Color::srgba(1.0, 0.75, 0.2, 0.35));
        }
    }
    for (transform, goal) in &agents {
        let from = transform.translation.truncate();
        gizmos.line_2d(from, goal.0, Color::srgba(0.5, 1.0, 0.5, 0.25));
    }
}

fn dangers(
    settings: Res<NamijiGizmos>,
    sources: Query<&Transform, With<DangerSource>>,
    agents: Query<&UtilityAgent>,
    mut gizmos: Gizmos,
) {
    if !settings.dangers {
        return;
    }
    // As far as the most careful agent fears them, as the crow flies; walls keep danger off.
    let reach = agents.iter().fold(0.0f32, |most, agent| most.max(agent.reach));
    for transform in &sources {
        let at = transform.translation.truncate();
        for part in [0.33, 0.66, 1.0] {
            let color = Color::srgba(1.0, 0.2, 0.2, 0.6 * (1.1 - part));
            gizmos.circle_2d(at, part * reach, color);
        }
    }
}

fn arcs(settings: Res<NamijiGizmos>, paths: Query<&JumpPath>, mut gizmos: Gizmos) {
    if !settings.arcs {
        return;
    }
    for path in &paths {
        for leg in path.legs.iter().skip(path.leg) {
            let color = match leg.kind {
                LegKind::Walk => Color::srgb(0.6, 0.6, 0.6),
                LegKind::Fall => Color::srgb(0.9, 0.5, 0.2),
                LegKind::Jump => Color::srgb(1.0, 0.9, 0.2),
            };
            let point = |i: usize| {
                let at = leg.position_at(leg.time() * i as f32 / (POINTS - 1) as f32);
                if settings.from_the_side { Vec3::new(at.x, at.z, 0.0) } else { at }
            };
            gizmos.linestrip((0..POINTS).map(point).collect::<Vec<Vec3>>(), color);
        }
    }
}
