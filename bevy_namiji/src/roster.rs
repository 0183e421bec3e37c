//! Members in the order in which they came, found by their entities.

use bevy_ecs::entity::{Entity, EntityHashMap};

#[derive(Debug)]
pub(crate) struct Roster<M> {
    members: Vec<M>,
    /// Where in `members` an entity is.
    index: EntityHashMap<usize>,
}

impl<M> Default for Roster<M> {
    fn default() -> Self {
        Self { members: Vec::new(), index: EntityHashMap::default() }
    }
}

impl<M> Roster<M> {
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, M> {
        self.members.iter()
    }
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, M> {
        self.members.iter_mut()
    }
    pub(crate) fn get_mut(&mut self, entity: Entity) -> Option<&mut M> {
        self.index.get(&entity).map(|&i| &mut self.members[i])
    }
    /// The member with this number, in order.
    pub(crate) fn at(&mut self, i: usize) -> &mut M {
        &mut self.members[i]
    }
    /// Adds a member at the end, or takes the place of the one that the entity has.
    pub(crate) fn set(&mut self, entity: Entity, member: M) {
        if let Some(before) = self.get_mut(entity) {
            *before = member;
        } else {
            self.index.insert(entity, self.members.len());
            self.members.push(member);
        }
    }
    /// # Complexity
    /// O(members).
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<M> {
        let at = self.index.remove(&entity)?;
        self.index.values_mut().filter(|i| **i > at).for_each(|i| *i -= 1);
        Some(self.members.remove(at))
    }
}
