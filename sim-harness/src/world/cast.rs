//! All members that take part, and their activities.

use wave_track::PursuerState;

/// What a member does, or why it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Doing {
    /// There is no one to pursue.
    NoTarget,
    /// No wave has come yet.
    Waiting,
    /// Goes where a wave came from.
    Chasing,
    /// Sees its target nearby and goes straight for it.
    Closing,
    /// Has come to its target.
    Arrived,
    /// No way leads to its target, or its goal.
    Unreachable,
    /// Its straight course ends at a wall.
    Blocked,
    /// Stays where it is.
    Standing,
    /// Walks.
    Walking,
    /// Falls to lower ground.
    Falling,
    /// Is in the air.
    Jumping,
    /// Stands at its own goal.
    Home,
    /// Runs from pursuers.
    Fleeing,
    /// Follows a wave as one of a flock.
    Flocking,
    /// Jumps, falls or climbs to another level.
    OnLink,
}

impl Doing {
    /// All of them, by their number.
    pub const ALL: [Self; 15] = [
        Self::NoTarget,
        Self::Waiting,
        Self::Chasing,
        Self::Closing,
        Self::Arrived,
        Self::Unreachable,
        Self::Blocked,
        Self::Standing,
        Self::Walking,
        Self::Falling,
        Self::Jumping,
        Self::Home,
        Self::Fleeing,
        Self::Flocking,
        Self::OnLink,
    ];

    /// A word, as in traces, and its meaning.
    #[must_use]
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::NoTarget => ["no-target", "nobody is there to pursue"],
            Self::Waiting => ["waiting", "no wave has come yet"],
            Self::Chasing => ["chasing", "goes where the last wave came from"],
            Self::Closing => ["closing", "sees its target nearby and goes straight for it"],
            Self::Arrived => ["arrived", "has come to its target"],
            Self::Unreachable => ["unreachable", "no way leads to its target, or its goal"],
            Self::Blocked => ["blocked", "its straight course ends at a wall"],
            Self::Standing => ["standing", "stays where it is"],
            Self::Walking => ["walking", "walks to the next place of its way"],
            Self::Falling => ["falling", "falls to lower ground"],
            Self::Jumping => ["jumping", "is in the air"],
            Self::Home => ["home", "stands at its goal"],
            Self::Fleeing => ["fleeing", "runs to the refuge that pursuers reach late"],
            Self::Flocking => ["flocking", "follows the last wave as one of a flock"],
            Self::OnLink => ["on-link", "jumps, falls or climbs to another level"],
        }
    }
}

impl From<PursuerState> for Doing {
    fn from(state: PursuerState) -> Self {
        match state {
            PursuerState::NoTarget => Self::NoTarget,
            PursuerState::Waiting => Self::Waiting,
            PursuerState::Closing => Self::Closing,
            PursuerState::Arrived => Self::Arrived,
            PursuerState::TargetUnreachable => Self::Unreachable,
            PursuerState::Blocked => Self::Blocked,
            PursuerState::OnLink => Self::OnLink,
            _ => Self::Chasing,
        }
    }
}

/// A member: an evader or a pursuer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// `[units: world units]` `[x, y, z]`.
    pub position: [f64; 3],
    /// `[units: world units]` Where it stands, or will land if it is in the air: a member in the
    /// air cannot be met below.
    pub foothold: [f64; 3],
    /// What it does.
    pub doing: Doing,
    /// `[units: world units]` The length of its way.
    pub walked: f64,
    /// The frame in which a pursuer and an evader first met.
    pub met: Option<u64>,
    /// Whether they are in contact now.
    pub contact: bool,
    /// The number of its group in the scenario.
    pub group: usize,
}

impl Member {
    pub(super) fn new(position: [f64; 3], group: usize) -> Self {
        let (doing, foothold) = (Doing::Standing, position);
        Self { position, foothold, doing, walked: 0.0, met: None, contact: false, group }
    }

    /// Goes somewhere in a straight line.
    pub(super) fn go(&mut self, to: [f64; 3]) {
        self.walked += distance(self.position, to);
        self.stand(to);
    }

    /// Is somewhere on the ground.
    pub(super) fn stand(&mut self, at: [f64; 3]) {
        self.position = at;
        self.foothold = at;
    }
}

/// All members that take part, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    /// The members that are pursued.
    pub evaders: Vec<Member>,
    /// The members that pursue.
    pub pursuers: Vec<Member>,
}

impl Cast {
    /// Finds out which members are within `reach` of each other at the end of a frame.
    pub(super) fn meet(&mut self, reach: f64, frame: u64) {
        for evader in &mut self.evaders {
            evader.contact = false;
        }
        for pursuer in &mut self.pursuers {
            pursuer.contact = false;
            for evader in &mut self.evaders {
                if distance(pursuer.position, evader.position) <= reach {
                    for one in [&mut *pursuer, evader] {
                        one.contact = true;
                        one.met.get_or_insert(frame);
                    }
                }
            }
        }
    }
}

/// The distance between two positions.
pub(super) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z]: [f64; 3] = std::array::from_fn(|i| a[i] - b[i]);
    (x * x + y * y + z * z).sqrt()
}
