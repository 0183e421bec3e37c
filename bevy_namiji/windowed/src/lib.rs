//! What the three games share: a window, `--frames N` to end after so many frames, and
//! `--shot FILE.png` for a picture of the last one. One frame is one tick, so that every run is
//! the same.

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::PresentMode;
use bevy::winit::WinitSettings;
use bevy_namiji::{GridMap, NamijiGizmoPlugin, NamijiPlugins, Refused, WallsSet};

/// What the command line asks for.
#[derive(Resource, Clone, Debug, Default)]
struct Run {
    frames: Option<u32>,
    shot: Option<String>,
    frame: u32,
}

/// An app with a window of 1200 x 800, in which `rows` world units are high around `middle`.
///
/// # Errors
/// A sentence for an argument that is not known.
pub fn game(title: &str, middle: Vec2, rows: f32) -> Result<App, String> {
    let mut run = Run::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        match name.as_str() {
            "--frames" => run.frames = Some(value.parse().map_err(|e| format!("{name}: {e}"))?),
            "--shot" => run.shot = Some(value),
            _ => return Err(format!("{name} is not known: --frames N, --shot FILE.png")),
        }
    }
    let window = Window {
        title: title.to_owned(),
        resolution: (1200, 800).into(),
        // A run of so many frames waits for no screen.
        present_mode: if run.frames.is_some() { PresentMode::AutoNoVsync } else { default() },
        ..default()
    };
    let window = WindowPlugin { primary_window: Some(window), ..default() };
    let mut app = App::new();
    app.add_plugins(DefaultPlugins.set(window))
        .add_plugins((NamijiPlugins, NamijiGizmoPlugin))
        .insert_resource(ClearColor(Color::srgb(0.06, 0.07, 0.09)))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        // Without a window manager nothing has the focus.
        .insert_resource(WinitSettings::continuous())
        .insert_resource(run)
        .add_systems(Startup, move |mut commands: Commands| {
            let scale = rows / 800.0;
            let place = Transform::from_translation(middle.extend(100.0));
            commands.spawn((Camera2d, place.with_scale(Vec3::new(scale, scale, 1.0))));
        })
        .add_systems(Update, (end, report, show_walls));
    Ok(app)
}

fn end(mut run: ResMut<Run>, mut commands: Commands, mut exit: MessageWriter<AppExit>) {
    run.frame += 1;
    let Some(frames) = run.frames else { return };
    if run.frame == frames
        && let Some(file) = run.shot.clone()
    {
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(file));
    }
    // A picture takes some frames to come back from the graphics card.
    if run.frame >= frames + if run.shot.is_some() { 10 } else { 0 } {
        exit.write(AppExit::Success);
    }
}

/// Refusals are printed: doors that somebody stands in.
fn report(mut refused: MessageReader<Refused>) {
    refused.read().for_each(|refused| println!("{refused}"));
}

/// A sprite of a cell that is a wall.
#[derive(Component)]
struct WallSprite([usize; 2]);

/// Draws the walls of a new map, and follows edits.
fn show_walls(
    map: Option<Res<GridMap>>,
    mut drawn: Local<bool>,
    mut set: MessageReader<WallsSet>,
    sprites: Query<(Entity, &WallSprite)>,
    mut commands: Commands,
) {
    let Some(map) = map else { return };
    let [rows, columns] = map.shape();
    let cells: Vec<[usize; 2]> = if *drawn {
        set.read().flat_map(|set| set.cells.iter().map(|c| c.0).collect::<Vec<_>>()).collect()
    } else {
        (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])).collect()
    };
    *drawn = true;
    for cell in cells {
        sprites.iter().filter(|s| s.1.0 == cell).for_each(|s| commands.entity(s.0).despawn());
        if map.is_wall(cell) {
            let size = Some(Vec2::splat(map.medium().spacing() as f32));
            let sprite =
                Sprite { color: Color::srgb(0.27, 0.3, 0.36), custom_size: size, ..default() };
            commands.spawn((
                WallSprite(cell),
                sprite,
                Transform::from_translation(map.centre(cell).extend(-1.0)),
            ));
        }
    }
}

/// A square of a colour.
pub fn square(size: f32, color: Color) -> Sprite {
    Sprite { color, custom_size: Some(Vec2::splat(size)), ..default() }
}
