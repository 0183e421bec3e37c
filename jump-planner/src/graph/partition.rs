//! A partition of the cells that follows edits: parts that some relation between neighbours joins.

use crate::cell::NONE;
use crate::splice::Splice;
use std::ops::Range;

/// A label per cell, kept right when the moves between a few cells change.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// NONE where nobody can stand.
    pub(crate) labels: Vec<u32>,
    /// How many parts there are.
    pub(crate) count: usize,
    sizes: Vec<u32>,
    /// Labels that were given up; below `unused`, no others are free.
    free: Vec<u32>,
    unused: u32,
    /// Which search saw a cell last.
    stamps: Vec<u32>,
    last_stamp: u32,
}

impl Partition {
    /// Labels must be below the number of cells.
    pub(crate) fn new(labels: Vec<u32>) -> Self {
        let mut sizes = vec![0_u32; labels.len()];
        for &label in labels.iter().filter(|&&label| label != NONE) {
            sizes[label as usize] += 1;
        }
        let count = sizes.iter().filter(|&&size| size > 0).count();
        let stamps = vec![0; labels.len()];
        Self { labels, count, sizes, free: Vec::new(), unused: 0, stamps, last_stamp: 0 }
    }

    pub(crate) fn size(&self, label: u32) -> u32 {
        self.sizes[label as usize]
    }

    /// Follows places that come and go: those that go count as none before.
    ///
    /// # Complexity
    /// O(places).
    pub(crate) fn splice(&mut self, splice: Splice) {
        for i in splice.at..splice.at + splice.gone {
            self.assign(i, NONE, &mut Vec::new());
        }
        splice.follow(&mut self.labels, NONE);
        splice.follow(&mut self.stamps, 0);
        let places = self.labels.len();
        if places > self.sizes.len() {
            self.sizes.resize(places, 0);
            return;
        }
        // Labels stay below the number of places.
        self.free.retain(|&label| (label as usize) < places);
        self.unused = self.unused.min(places as u32);
        let left = self.sizes.split_off(places);
        for (label, size) in (places as u32..).zip(left).filter(|&(_, size)| size > 0) {
            let new = self.fresh();
            self.labels.iter_mut().filter(|known| **known == label).for_each(|known| *known = new);
            self.sizes[new as usize] = size;
        }
    }

    /// Follows an edit of some places, which may change the moves among the places of `block`, in
    /// order; `joined(i, each)` calls `each` with the cells that are joined to i now, none where
    /// nobody can stand at i. Appends the cells that changed their label.
    ///
    /// # Complexity
    /// O(block) where the block itself shows that no group falls apart; otherwise about twice the
    /// cells that fall off, or the length of the detours that hold a group together.
    pub(crate) fn follow(
        &mut self,
        edited: Range<usize>,
        block: &[usize],
        stands: impl Fn(usize) -> bool,
        joined: impl Fn(usize, &mut dyn FnMut(usize)),
        changed: &mut Vec<u32>,
    ) {
        // Edited cells are taken out, and come back by the cells that they are joined with now.
        for i in edited.clone() {
            if self.labels[i] != NONE {
                self.assign(i, NONE, changed);
            }
        }
        // Classes: cells that are joined within the block. A label that is in several classes may
        // have fallen apart.
        let mut class: Vec<usize> = (0..block.len()).collect();
        for (a, &i) in block.iter().enumerate() {
            joined(i, &mut |j| {
                if let Ok(b) = block.binary_search(&j)
                    && class[a] != class[b]
                {
                    let (one, other) = (class[a], class[b]);
                    class.iter_mut().filter(|c| **c == other).for_each(|c| *c = one);
                }
            });
        }
        let mut settled: Vec<u32> = Vec::new();
        for a in 0..block.len() {
            let label = self.labels[block[a]];
            if label == NONE || settled.contains(&label) {
                continue;
            }
            settled.push(label);
            let mut seeds: Vec<usize> = Vec::new();
            for b in 0..block.len() {
                let known = seeds.iter().any(|&s| class[s] == class[b]);
                if self.labels[block[b]] == label && !known {
                    seeds.push(b);
                }
            }
            if seeds.len() > 1 {
                let seeds: Vec<usize> = seeds.into_iter().map(|b| block[b]).collect();
                for part in self.fallen_apart(&seeds, &joined) {
                    let label = self.fresh();
                    for i in part {
                        self.assign(i as usize, label, changed);
                    }
                }
            }
        }
        self.merge(block, &class, joined, changed);
        // Joined with no other place.
        for i in edited {
            if stands(i) && self.labels[i] == NONE {
                let label = self.fresh();
                self.assign(i, label, changed);
            }
        }
    }

    /// One label for cells that are joined within the block: that of the most cells.
    fn merge(
        &mut self,
        block: &[usize],
        class: &[usize],
        joined: impl Fn(usize, &mut dyn FnMut(usize)),
        changed: &mut Vec<u32>,
    ) {
        for a in 0..block.len() {
            if class[a] != a && class[..a].contains(&class[a]) {
                continue;
            }
            let members: Vec<usize> =
                (0..block.len()).filter(|&b| class[b] == class[a]).map(|b| block[b]).collect();
            let labels = members.iter().map(|&i| self.labels[i]).filter(|&l| l != NONE);
            let Some(target) = labels.max_by_key(|&l| (self.size(l), std::cmp::Reverse(l))) else {
                continue;
            };
            for i in members {
                let label = self.labels[i];
                if label == target {
                    continue;
                }
                self.assign(i, target, changed);
                if label == NONE {
                    continue;
                }
                let mut open = vec![i];
                while let Some(i) = open.pop() {
                    joined(i, &mut |j| {
                        if self.labels[j] == label {
                            self.assign(j, target, changed);
                            open.push(j);
                        }
                    });
                }
            }
        }
    }

    /// Searches from all seeds in turn until all but one have met or come to an end; the cells of
    /// those that have come to an end.
    fn fallen_apart(
        &mut self,
        seeds: &[usize],
        joined: &impl Fn(usize, &mut dyn FnMut(usize)),
    ) -> Vec<Vec<u32>> {
        if self.last_stamp > u32::MAX - 64 {
            self.stamps.fill(0);
            self.last_stamp = 0;
        }
        let first = self.last_stamp + 1;
        self.last_stamp += seeds.len() as u32;
        let mut found: Vec<Vec<u32>> = seeds.iter().map(|&i| vec![i as u32]).collect();
        let mut next = vec![0; seeds.len()];
        let mut team: Vec<usize> = (0..seeds.len()).collect();
        for (k, &i) in seeds.iter().enumerate() {
            self.stamps[i] = first + k as u32;
        }
        loop {
            let open = |t: usize, team: &[usize], next: &[usize], found: &[Vec<u32>]| {
                (0..team.len()).any(|k| team[k] == t && next[k] < found[k].len())
            };
            let mut teams = team.clone();
            teams.sort_unstable();
            teams.dedup();
            let busy = teams.iter().filter(|&&t| open(t, &team, &next, &found)).count();
            if busy <= 1 {
                // Where nothing is left to search, the largest keeps its label.
                let keeps = teams.iter().copied().max_by_key(|&t| {
                    let size: usize =
                        (0..team.len()).filter(|&k| team[k] == t).map(|k| found[k].len()).sum();
                    (open(t, &team, &next, &found), size)
                });
                let gone = teams.iter().filter(|&&t| Some(t) != keeps);
                return gone
                    .map(|&t| {
                        let of = (0..team.len()).filter(|&k| team[k] == t);
                        of.flat_map(|k| found[k].iter().copied()).collect()
                    })
                    .collect();
            }
            for k in 0..seeds.len() {
                // A few at a time: a small part comes to an end before the others have gone far.
                for _ in 0..8 {
                    let Some(&i) = found[k].get(next[k]) else { break };
                    next[k] += 1;
                    joined(i as usize, &mut |j| {
                        let stamp = self.stamps[j];
                        if stamp < first {
                            self.stamps[j] = first + k as u32;
                            found[k].push(j as u32);
                        } else {
                            let (one, other) = (team[k], team[(stamp - first) as usize]);
                            team.iter_mut().filter(|t| **t == other).for_each(|t| *t = one);
                        }
                    });
                }
            }
        }
    }

    fn fresh(&mut self) -> u32 {
        if let Some(label) = self.free.pop() {
            return label;
        }
        // There are never more parts than cells.
        while self.sizes[self.unused as usize] > 0 {
            self.unused += 1;
        }
        self.unused += 1;
        self.unused - 1
    }

    fn assign(&mut self, i: usize, label: u32, changed: &mut Vec<u32>) {
        let old = std::mem::replace(&mut self.labels[i], label);
        if label != NONE {
            self.count += usize::from(self.sizes[label as usize] == 0);
            self.sizes[label as usize] += 1;
        }
        if old != NONE {
            self.sizes[old as usize] -= 1;
            if self.sizes[old as usize] == 0 {
                self.count -= 1;
                self.free.push(old);
            }
        }
        changed.push(i as u32);
    }
}
