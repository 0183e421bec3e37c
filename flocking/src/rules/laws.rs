//! The settings in the flock's own number format, ready for the kernels.

use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector};
use crate::rules::config::{FlockConfig, Heed, Neighbours, Species};
use crate::rules::steering::{Pull, Push, Share, SteeringRule};
use std::f64::consts::{PI, TAU};

#[derive(Clone, Debug)]
pub(crate) struct Laws<S: Scalar> {
    pub(crate) species: Vec<SpeciesLaw<S>>,
    /// How a reacts to b, row by row; not read where all reactions are plain.
    pub(crate) heeds: Vec<HeedLaw<S>>,
    /// One bit per species that is heeded at all.
    pub(crate) masks: Vec<u32>,
    /// One species with a turning rule that heeds itself in full: weights of 1 are left out, which
    /// changes no bit.
    pub(crate) plain: bool,
    /// A velocity rule reads its neighbours' velocities.
    pub(crate) velocities: bool,
    /// 0: all.
    pub(crate) nearest: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct HeedLaw<S> {
    pub(crate) cohesion: S,
    pub(crate) alignment: S,
    pub(crate) separation: S,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SpeciesLaw<S> {
    pub(crate) rule: RuleLaw<S>,
    pub(crate) reach: f64,
    pub(crate) reach2: S,
    /// The cosine of half the view angle; -2 where all is seen.
    pub(crate) cosine: S,
    pub(crate) max_turn: S,
    pub(crate) max_acceleration: S,
    pub(crate) avoid_weight: S,
    pub(crate) look_ahead: S,
    pub(crate) clearance: S,
    pub(crate) avoid_turn: S,
    pub(crate) avoid_behind: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleLaw<S> {
    Turning(TurningLaw<S>),
    Velocity(VelocityLaw<S>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TurningLaw<S> {
    pub(crate) cohesion: S,
    pub(crate) alignment: S,
    pub(crate) separation: S,
    pub(crate) radius: S,
    /// The turn at distance 0 over the radius.
    pub(crate) slope: S,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct VelocityLaw<S> {
    pub(crate) cohesion: PullLaw<S>,
    pub(crate) alignment: PullLaw<S>,
    pub(crate) separation: S,
    pub(crate) radius: S,
    pub(crate) radius2: S,
    pub(crate) push: Push,
    pub(crate) min_speed: S,
    pub(crate) max_speed: S,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PullLaw<S> {
    pub(crate) weight: S,
    pub(crate) radius2: S,
    pub(crate) share: Share,
}

fn squared<S: Scalar>(value: f64) -> S {
    let value = S::from_f64(value);
    value * value
}

impl<S: Scalar> Laws<S> {
    pub(crate) fn new<V: Vector<Scalar = S>>(config: &FlockConfig<V>) -> Self {
        let n = config.species.len();
        let all = vec![Heed::FULL; n * n];
        let heeds = if config.heeds.is_empty() { &all } else { &config.heeds };
        let none = |h: &Heed| h.cohesion == 0.0 && h.alignment == 0.0 && h.separation == 0.0;
        let velocities = config.species.iter().any(|s| matches!(s.rule, SteeringRule::Velocity(_)));
        Self {
            species: config.species.iter().map(SpeciesLaw::new).collect(),
            heeds: heeds
                .iter()
                .map(|h| HeedLaw {
                    cohesion: S::from_f64(h.cohesion),
                    alignment: S::from_f64(h.alignment),
                    separation: S::from_f64(h.separation),
                })
                .collect(),
            masks: heeds
                .chunks(n)
                .map(|row| (0..n).filter(|&b| !none(&row[b])).map(|b| 1 << b).sum())
                .collect(),
            plain: n == 1 && heeds[0] == Heed::FULL && !velocities,
            velocities,
            nearest: match config.neighbours {
                Neighbours::All => 0,
                Neighbours::Nearest { most } => most,
            },
        }
    }
}

impl<S: Scalar> SpeciesLaw<S> {
    fn new(species: &Species) -> Self {
        let angle = species.rule.view_angle();
        let number = S::from_f64;
        let cosine = if angle >= TAU {
            -2.0
        } else if angle == PI {
            0.0
        } else {
            libm::cos(angle / 2.0)
        };
        let rule = match species.rule {
            SteeringRule::Turning(t) => RuleLaw::Turning(TurningLaw {
                cohesion: number(t.cohesion),
                alignment: number(t.alignment),
                separation: number(t.separation),
                radius: number(t.separation_radius),
                slope: if t.separation_radius > 0.0 {
                    number(t.separation_turn / t.separation_radius)
                } else {
                    S::ZERO
                },
            }),
            SteeringRule::Velocity(v) => {
                let pull = |pull: Pull| PullLaw {
                    weight: number(pull.weight),
                    radius2: squared(pull.radius),
                    share: pull.share,
                };
                RuleLaw::Velocity(VelocityLaw {
                    cohesion: pull(v.cohesion),
                    alignment: pull(v.alignment),
                    separation: number(v.separation),
                    radius: number(v.separation_radius),
                    radius2: squared(v.separation_radius),
                    push: v.push,
                    min_speed: number(v.min_speed),
                    max_speed: number(v.max_speed),
                })
            }
        };
        let reach = species.rule.reach();
        Self {
            rule,
            reach,
            reach2: squared(reach),
            cosine: number(cosine),
            max_turn: number(species.max_turn),
            max_acceleration: number(species.max_acceleration),
            avoid_weight: number(species.avoidance.weight),
            look_ahead: number(species.avoidance.look_ahead),
            clearance: number(species.avoidance.clearance),
            avoid_turn: number(species.avoidance.turn),
            avoid_behind: species.avoidance.behind,
        }
    }

    /// Nothing that is seen lies behind.
    pub(crate) fn ahead(&self) -> bool {
        self.cosine >= S::ZERO
    }
}

/// The bounds of a bounded world, and how offsets wrap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<V: Vector> {
    pub(crate) low: [ScalarOf<V>; 3],
    pub(crate) high: [ScalarOf<V>; 3],
    /// high - low.
    pub(crate) size: [ScalarOf<V>; 3],
    /// Half of it where the world wraps, infinite elsewhere.
    pub(crate) half: [ScalarOf<V>; 3],
}
