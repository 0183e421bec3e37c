//! Pursuers on the navigation graph.

use super::cast::{Cast, Doing, Member};
use super::decide::doing;
use super::error::Refusal;
use super::nav::{Nav, Walker};
use super::party::Party;
use super::stage::Stage;
use crate::scenario::Legs;
use utility_ai::DistanceField;
use wave_core::Space;

pub(super) struct Travellers {
    nav: Nav,
    speed: f64,
    /// The distance to the nearest evader, shared by all.
    field: Option<DistanceField>,
    members: Vec<(usize, Walker)>,
}

impl Travellers {
    pub(super) fn new<D: Space>(
        legs: &Legs,
        speed: f64,
        stage: &Stage<D>,
        key: &str,
    ) -> Result<Self, Refusal> {
        let nav = Nav::new(stage, legs, speed, &format!("{key}.mind.travel"))?;
        Ok(Self { nav, speed, field: None, members: Vec::new() })
    }
}

impl<D: Space> Party<D> for Travellers {
    fn enter(&mut self, _: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal> {
        self.members.push((member, Walker::from(&self.nav, me.position)));
        Ok(())
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        let Self { nav, field, members, speed } = self;
        let mut goals: Vec<usize> = cast.evaders.iter().map(|e| nav.node(e.foothold)).collect();
        goals.sort_unstable();
        goals.dedup();
        let field = match field {
            Some(field) => {
                field.update(&nav.graph)?;
                if field.goals() != goals {
                    field.set_goals(&nav.graph, &goals)?;
                }
                field
            }
            None => field.insert(DistanceField::new(&nav.graph, &goals)?),
        };
        for (member, walker) in members {
            let me = &mut cast.pursuers[*member];
            let left = walker.walk(stage.dt, |node| {
                Ok(field.successor(&nav.graph, node).map(|to| nav.leg(node, to)))
            })?;
            me.position = walker.position(nav);
            me.foothold = walker.foothold(nav);
            me.walked += *speed * (stage.dt - left.unwrap_or(0.0));
            me.doing = match &walker.leg {
                Some(leg) => doing(leg.kind),
                None if field.distance(walker.node) == f64::INFINITY => Doing::Unreachable,
                None => Doing::Arrived,
            };
        }
        Ok(())
    }

    fn heads_for(&self, [_, y, x]: [usize; 3]) -> bool {
        let node = self.nav.index([y, x]);
        self.members.iter().any(|(_, walker)| walker.ahead() == node)
    }

    fn follow_edit(&mut self, stage: &Stage<D>, [_, y, x]: [usize; 3]) -> Result<(), Refusal> {
        self.nav.follow_edit([y, x], stage.is_wall([0, y, x]))
    }
}
