//! Guards on their rounds by utility AI, and a thief who fears them. A guard that sees the thief
//! becomes a pursuer, and goes back to its round when it has lost sight of it.

use bevy::prelude::*;
use bevy_namiji::{
    AgentGoal, AgentState, DangerSource, GridMap, NamijiSystems, Pursuer, PursuitTarget,
    UtilityAgent,
};
use bevy_namiji_windowed::{game, square};

const HOUSE: &str = "
    ##############################
    #.......#..........#.........#
    #.......#..........#.........#
    #..##...#...####.......##....#
    #..##.......####.......##....#
    #.......#..........#.........#
    #.......#..........#.........#
    ####.########..########..#####
    #.......#..........#.........#
    #.......#..........#.........#
    #..........####..............#
    #...##..#..####....#....##...#
    #...##..#..........#....##...#
    #.......#..........#.........#
    ###..#######..#######..#######
    #.......#..........#.........#
    #..................#.........#
    #..##...#...####.......##....#
    #..##...#...####.......##....#
    #.......#..........#.........#
    ##############################";
/// Thieves fear guards. Guards fear other guards, so that they spread out.
const GUARD: u32 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut app = game("Guards by utility AI", Vec2::new(14.5, 10.0), 22.0)?;
    app.insert_resource(GridMap::from_drawing(HOUSE)?)
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (look, rounds, steal).chain().before(NamijiSystems::Edit));
    app.run();
    Ok(())
}

#[derive(Component)]
struct Guard {
    round: [Vec2; 3],
    next: usize,
}

#[derive(Component)]
struct Thief {
    loot: usize,
}

const LOOT: [Vec2; 4] =
    [Vec2::new(27.0, 19.0), Vec2::new(2.0, 11.0), Vec2::new(27.0, 2.0), Vec2::new(2.0, 2.0)];

/// A guard's mind while nobody is in sight.
fn patrol(guard: &Guard) -> (UtilityAgent, AgentGoal) {
    let mind = UtilityAgent { fears: GUARD, caution: 3.0, reach: 5.0, speed: 2.5 };
    (mind, AgentGoal(guard.round[guard.next % 3]))
}

fn spawn(mut commands: Commands) {
    let v = Vec2::new;
    let rounds = [
        [v(5.0, 18.0), v(13.0, 19.0), v(25.0, 18.0)],
        [v(25.0, 12.0), v(13.0, 8.0), v(3.0, 9.0)],
        [v(5.0, 5.0), v(15.0, 5.0), v(25.0, 5.0)],
    ];
    for (i, round) in rounds.into_iter().enumerate() {
        let guard = Guard { round, next: i };
        let place = Transform::from_translation(guard.round[i].extend(1.0));
        let danger = DangerSource { kinds: GUARD, strength: 1.0 };
        let mind = patrol(&guard);
        commands.spawn((guard, mind, danger, square(0.8, Color::srgb(0.3, 0.5, 1.0)), place));
    }
    for place in LOOT {
        let at = Transform::from_translation(place.extend(0.0));
        commands.spawn((square(0.5, Color::srgb(1.0, 0.8, 0.1)), at));
    }
    let mind = UtilityAgent { fears: GUARD, caution: 30.0, reach: 9.0, speed: 3.2 };
    let thief = (Thief { loot: 0 }, mind, AgentGoal(LOOT[0]), PursuitTarget);
    let look = square(0.7, Color::srgb(0.9, 0.9, 0.9));
    commands.spawn((thief, look, Transform::from_xyz(2.0, 2.0, 1.0)));
}

/// Whether the straight line between two places passes no wall, by steps of a tenth of a cell.
fn sees(map: &GridMap, from: Vec2, to: Vec2) -> bool {
    let steps = (from.distance(to) * 10.0).ceil().max(1.0) as usize;
    let at = |i: usize| from.lerp(to, i as f32 / steps as f32);
    (0..=steps).all(|i| map.cell_at(at(i)).is_some_and(|cell| !map.is_wall(cell)))
}

/// Guards that see the thief chase it; the others walk their rounds.
fn look(
    map: Res<GridMap>,
    thieves: Query<&Transform, With<Thief>>,
    mut guards: Query<(Entity, &Guard, &Transform, Has<Pursuer>, &mut Sprite), Without<Thief>>,
    mut commands: Commands,
) {
    for (entity, guard, transform, chases, mut sprite) in &mut guards {
        let here = transform.translation.truncate();
        let in_sight = thieves.iter().any(|thief| {
            let there = thief.translation.truncate();
            there.distance(here) < 8.0 && sees(&map, here, there)
        });
        let mut entity = commands.entity(entity);
        if in_sight && !chases {
            entity.remove::<(UtilityAgent, AgentGoal)>().insert(Pursuer { speed: 3.0 });
            sprite.color = Color::srgb(1.0, 0.25, 0.2);
        } else if !in_sight && chases {
            entity.remove::<Pursuer>().insert(patrol(guard));
            sprite.color = Color::srgb(0.3, 0.5, 1.0);
        }
    }
}

/// A guard that is there goes to the next place of its round.
fn rounds(mut guards: Query<(&mut Guard, &AgentState, &mut AgentGoal), With<UtilityAgent>>) {
    for (mut guard, state, mut goal) in &mut guards {
        if *state == AgentState::Arrived {
            guard.next += 1;
            goal.0 = guard.round[guard.next % 3];
        }
    }
}

/// A thief that is there goes for the next loot.
fn steal(mut thieves: Query<(&mut Thief, &AgentState, &mut AgentGoal)>) {
    for (mut thief, state, mut goal) in &mut thieves {
        if *state == AgentState::Arrived {
            thief.loot += 1;
            goal.0 = LOOT[thief.loot % LOOT.len()];
        }
    }
}
