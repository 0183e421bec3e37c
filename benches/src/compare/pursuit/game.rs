//! One game: all contestants chase the same target, frame by frame in turn.

use super::contestant::Contestant;
use super::edits::{Edit, Edits};
use super::lattice::{Lattice, Place, distance};
use super::scene::Scene;
use crate::error::CompareError;
use std::time::Instant;

/// `[units: cells]` A pursuer this near to the target has captured it.
const REACH: f64 = 1.5;

/// The rules of a game.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// `[units: cells per frame]` The pursuers' speed.
    pub(crate) speed: f64,
    /// Frames from an edit to the next; 0 for none.
    pub(crate) edit_every: usize,
}

/// A contestant in a game, and its results so far.
pub(crate) struct Player {
    pub(crate) name: &'static str,
    pub(crate) contestant: Box<dyn Contestant>,
    /// `[units: seconds]` It gives up once it has played this long.
    pub(crate) patience: f64,
    /// Milliseconds, frame by frame.
    pub(crate) times: Vec<f64>,
    /// For each pursuer: the frame of its first capture, from 1, and how far it had walked.
    pub(crate) captures: Vec<Option<(usize, f64)>>,
    pub(crate) gave_up: bool,
    places: Vec<Place>,
}

impl Player {
    pub(crate) fn new(
        name: &'static str,
        contestant: Box<dyn Contestant>,
        scene: &Scene,
        patience: f64,
    ) -> Self {
        let places: Vec<Place> = scene.starts.iter().map(|&c| scene.lattice.centre(c)).collect();
        let captures = vec![None; places.len()];
        Self { name, contestant, patience, times: Vec::new(), captures, gave_up: false, places }
    }

    fn has_all(&self) -> bool {
        self.captures.iter().all(Option::is_some)
    }

    fn wrong(&self, how: String) -> CompareError {
        CompareError::Mismatch { one: self.name, other: "the game", how }
    }

    /// The timed part of a frame.
    fn play(&mut self, stride: usize, edit: Option<Edit>, target: Place) -> Result<(), String> {
        let start = Instant::now();
        if let Some(edit) = edit {
            for cell in edit.cells(stride) {
                self.contestant.set_wall(cell, edit.wall)?;
            }
        }
        self.contestant.frame(target)?;
        self.times.push(start.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }

    /// Checks that no pursuer stands in a wall or walked too far, and notes which ones capture the
    /// target.
    fn judge(&mut self, lattice: &Lattice, target: Place, speed: f64) -> Result<(), CompareError> {
        let frame = self.times.len();
        for pursuer in 0..self.places.len() {
            let at = self.contestant.place(pursuer);
            let walked = distance(self.places[pursuer], at);
            if !lattice.open[lattice.cell(at)] {
                return Err(self.wrong(format!("pursuer {pursuer} stands in a wall at {at:?}")));
            }
            if walked > speed * (1.0 + 1e-9) + 1e-9 {
                let how = format!("pursuer {pursuer} walked {walked} cells in a frame");
                return Err(self.wrong(how));
            }
            self.places[pursuer] = at;
            if self.captures[pursuer].is_none() && distance(at, target) <= REACH {
                self.captures[pursuer] = Some((frame, self.contestant.walked(pursuer)));
            }
        }
        Ok(())
    }
}

/// Plays until the course ends or all have captured the target, and returns the edits, frame by
/// frame. `script` are the edits of a game before, to be made again.
pub(crate) fn play(
    scene: &Scene,
    rules: &Rules,
    players: &mut [Player],
    script: Option<&[Option<Edit>]>,
    progress: impl Fn(),
) -> Result<Vec<Option<Edit>>, CompareError> {
    let mut lattice = scene.lattice.clone();
    let mut edits = Edits::new(scene, 1);
    let mut made = Vec::new();
    let frames = script.map_or(scene.course.len() - 1, <[_]>::len);
    for frame in 0..frames {
        if script.is_none() && players.iter().all(|p| p.gave_up || p.has_all()) {
            break;
        }
        let due = rules.edit_every > 0 && (frame + 1).is_multiple_of(rules.edit_every);
        let edit = match script {
            Some(script) => script[frame],
            None if due => {
                let playing = players.iter().filter(|p| !p.gave_up);
                edits.next(&lattice, &playing.flat_map(|p| p.places.iter().copied()))
            }
            None => None,
        };
        if let Some(edit) = edit {
            for cell in edit.cells(lattice.stride) {
                lattice.open[cell] = !edit.wall;
            }
        }
        made.push(edit);
        let target = scene.course[frame + 1];
        for player in players.iter_mut().filter(|p| !p.gave_up) {
            player.play(lattice.stride, edit, target).map_err(|how| player.wrong(how))?;
            player.judge(&lattice, target, rules.speed)?;
            player.gave_up = player.times.iter().sum::<f64>() > player.patience * 1e3;
        }
        progress();
    }
    Ok(made)
}
