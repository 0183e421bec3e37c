//! The numbers of the game, as data.

use serde::{Deserialize, Serialize};
use utility_ai::{
    AgentConfig, DangerConfig, DetourBudget, FillConfig, HealthConfig, StagnationConfig, Strategy,
};

/// The numbers of the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    /// `[units: seconds]` Between two ticks.
    pub(super) dt: f64,
    /// `[units: seconds]` A pursuer that arrives later counts as not arrived.
    pub(super) limit: f64,
    /// `[units: cells per second]`
    pub(super) evader_speed: f64,
    /// `[units: cells per second]`
    pub(super) pursuer_speed: f64,
    /// `[units: cells]` A pursuer this near is in contact.
    pub(super) attack_reach: f64,
    /// `[units: cells]` How far from its mark the evader may start, along each axis.
    pub(super) spread_evader: i64,
    /// `[units: cells]` The same of pursuers.
    pub(super) spread_pursuers: i64,
    /// `[units: cost per hop]` Weight of the distance.
    pub(super) alpha: f64,
    /// `[units: cost]` The upper value of the danger's weight, which is `beta * (1 - z)`.
    pub(super) beta: f64,
    /// `[units: hops]`
    pub(super) danger: DangerConfig,
    /// gamma = 0.3 and the other settings of the fill.
    pub(super) fill: FillConfig,
    /// Hit points.
    pub(super) health: HealthConfig,
    /// `[units: seconds]` Stagnation compares with so long ago.
    pub(super) stagnation: f64,
    /// How the source's text is read where it can be read in more than one way.
    #[serde(default)]
    pub(super) reading: Reading,
}

/// How the source's text is read where it can be read in more than one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Reading {
    /// Whether a pursuer within its attack reach stands; otherwise it runs on to the evader.
    pub(super) stands: bool,
    /// `[units: seconds]` A pursuer that has hit stands so long.
    pub(super) rest: f64,
    /// Z where no rule fires: 1/2 is the limit from inside, 0 the result of the appendix's sum.
    pub(super) unfired: f64,
    /// Whether danger goes by straight distance; otherwise by travel distance.
    pub(super) straight: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { stands: true, rest: 0.0, unfired: 0.5, straight: false }
    }
}

impl Setting {
    /// The setting under which games come out as the source's in absolute figures.
    ///
    /// # Errors
    /// Where the file that is part of the program is damaged.
    pub(super) fn load() -> Result<Self, toml::de::Error> {
        toml::from_str(include_str!("../../../furukawa/setting.toml"))
    }

    /// The setting under which the source's ordering holds.
    ///
    /// # Errors
    /// Where the file that is part of the program is damaged.
    pub(super) fn besieged() -> Result<Self, toml::de::Error> {
        toml::from_str(include_str!("../../../furukawa/besieged.toml"))
    }

    pub(super) fn config(&self, method: Method) -> AgentConfig {
        let (strategy, budget) = match method {
            Method::Published0 => (Strategy::Descend, None),
            Method::Published3 => (Strategy::Fill(self.fill), None),
            Method::Straight => (Strategy::Straight, None),
            Method::Flood => (Strategy::Flood, None),
            Method::Weighted => (Strategy::Weighted, None),
            Method::Ours => (Strategy::Weighted, Some(DetourBudget::half())),
        };
        AgentConfig {
            strategy,
            budget,
            hysteresis: 0.0,
            health: self.health,
            stagnation: StagnationConfig {
                ticks: (self.stagnation / self.dt).round() as u32,
                stride: self.evader_speed * self.dt,
            },
        }
    }
}

/// How the evader decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// gamma = 0.
    Published0,
    /// gamma = 0.3.
    Published3,
    Straight,
    Flood,
    Weighted,
    /// Weighted, with half of the way as detour budget.
    Ours,
}

pub(super) const METHODS: [Method; 6] = [
    Method::Published0,
    Method::Published3,
    Method::Straight,
    Method::Flood,
    Method::Weighted,
    Method::Ours,
];

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Published0 => "gamma = 0",
            Self::Published3 => "gamma = 0.3",
            Self::Straight => "straight",
            Self::Flood => "priority-flood",
            Self::Weighted => "weighted",
            Self::Ours => "ours (weighted + budget)",
        }
    }
}
