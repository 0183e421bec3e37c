//! The picture with which the documentation begins, by a game without a window:
//! `cargo run --manifest-path bevy_namiji/Cargo.toml --example front` writes it.
use bevy_app::{TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3};
use bevy_namiji::{
    AgentGoal, Boid, BoidGoal, DangerSource, GridMap, NamijiError, NamijiPlugins, Pursuer,
    PursuitTarget, SetWalls, UtilityAgent,
};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

const MAP: &str = "
    ##########################################
    #............#.............#.............#
    #............#.............#.............#
    #..........................#.............#
    #..........................#.............#
    #............#...##........#....##.......#
    #............#...##.............##.......#
    ######..######..................##.......#
    #............#.............#.............#
    #............#.............#.............#
    #.........................##.............#
    #............#.............#.............#
    ##########################################";
/// Cells `[y, x]` of the door that shuts.
const DOOR: [[usize; 2]; 2] = [[8, 13], [9, 13]];
/// `[units: ticks]` When it shuts, how often a trail is noted, and when the picture is taken.
const TIMES: [usize; 3] = [70, 6, 300];
const INK: &str = "#343a46";
const COLOURS: [&str; 4] = ["#1c6cc4", "#0f9d75", "#c2255c", "#7048e8"];

/// The picture as SVG that may stand in Markdown: it has no empty line.
pub(crate) fn front() -> Result<String, NamijiError> {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, NamijiPlugins))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(GridMap::from_drawing(MAP)?);
    let walkers = spawn(app.world_mut());
    let mut trails = vec![Vec::new(); walkers.len()];
    let [shut, every, end] = TIMES;
    for tick in 0..end {
        if tick == shut {
            app.world_mut().write_message(SetWalls::all(DOOR, true));
        }
        app.update();
        for (trail, walker) in trails.iter_mut().zip(&walkers) {
            if let Some(transform) = app.world().get::<Transform>(*walker)
                && (tick % every == 0 || tick + 1 == end)
            {
                trail.push(transform.translation);
            }
        }
    }
    let mut boids = app.world_mut().query_filtered::<&Transform, With<Boid>>();
    let boids: Vec<_> = boids.iter(app.world()).map(|t| t.translation).collect();
    Ok(app.world().get_resource::<GridMap>().map_or_else(String::new, |m| draw(m, &trails, &boids)))
}

/// Pursuers and a guard, whose trails are drawn, a flock behind the first pursuer, and a target.
fn spawn(world: &mut World) -> Vec<Entity> {
    let at = |x: f32, y: f32| Transform::from_xyz(x, y, 0.0);
    world.spawn((PursuitTarget, at(38.0, 10.0)));
    let pursuer = |i: u8| (Pursuer { speed: 6.0 }, at(2.0 + 2.0 * f32::from(i), 11.0));
    let mut walkers: Vec<_> = (0..5).map(|i| world.spawn(pursuer(i)).id()).collect();
    for i in 0..24u8 {
        let goal = BoidGoal { to: walkers[0], pull: 0.3 };
        let place = at(1.0 + f32::from(i % 8), 2.0 + f32::from(i / 8));
        world.spawn((Boid::new(Vec2::X), goal, place));
    }
    let danger = DangerSource { strength: 1.0, ..DangerSource::default() };
    world.spawn((danger, at(20.0, 8.0)));
    let guard = (UtilityAgent::new(6.0), AgentGoal(Vec2::new(36.0, 2.0)), at(15.0, 11.0));
    walkers.push(world.spawn(guard).id());
    walkers
}

fn draw(map: &GridMap, trails: &[Vec<Vec3>], boids: &[Vec3]) -> String {
    let [rows, columns] = map.shape();
    // In hundredths of a cell, y downwards.
    let place =
        |at: Vec3| [at.x + 0.5, rows as f32 - 0.5 - at.y].map(|v| (100.0 * v).round() as i32);
    let cells = |of_door: bool, colour: &str| {
        let all = (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
        let these = all.filter(|c| map.is_wall(*c) && DOOR.contains(c) == of_door);
        let runs: Vec<_> = these.map(|[y, x]| format!("M{x} {}.5h1", rows - 1 - y)).collect();
        let data = runs.concat();
        format!(
            "<path transform=\"scale(100)\" stroke=\"{colour}\" shape-rendering=\"crispEdges\" \
             d=\"{data}\"></path>\n"
        )
    };
    let line = |trail: &[Vec3], colour: &str| {
        let mut places: Vec<_> = trail.iter().map(|at| place(*at)).collect();
        places.dedup();
        let points: Vec<_> = places.iter().map(|[x, y]| format!("{x},{y}")).collect();
        let points = points.join(" ");
        format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"14\" points=\"{points}\">\
             </polyline>\n"
        )
    };
    let dots = |places: &[Vec3], radius: u32, colour: &str| -> String {
        let dot = |at: &Vec3| {
            let [x, y] = place(*at);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\"></circle>\n")
        };
        places.iter().map(dot).collect()
    };
    let (width, height) = (100 * columns, 100 * rows);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         style=\"display:block;width:100%;max-width:720px\">\n<title>Pursuers, a flock behind one \
         of them, an agent that keeps away from a danger, and a door that shut</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fbfaf6\"></rect>\n"
    );
    svg += &(cells(false, INK) + &cells(true, "#d9363e"));
    for (i, trail) in trails.iter().enumerate() {
        let colour = if i + 1 == trails.len() { "#e8820c" } else { COLOURS[i % COLOURS.len()] };
        svg += &line(trail, colour);
        svg += &dots(&trail[trail.len().saturating_sub(1)..], 34, colour);
    }
    svg += &dots(boids, 20, "#5c940d");
    svg += &dots(&[Vec3::new(20.0, 8.0, 0.0)], 45, "#d9363e");
    svg += &dots(&[Vec3::new(38.0, 10.0, 0.0)], 45, "#16181d");
    svg + "</svg>\n"
}

#[allow(dead_code, reason = "the test takes the picture alone")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/pictures/front.svg");
    let picture = front()?;
    std::fs::write(file, &picture)?;
    println!("{file}: {} bytes", picture.len());
    Ok(())
}
