//! What a cap on the tools that a turn sends leaves of those that are loaded.

use super::set::Loaded;
use crate::transcript::Named;

/// How many loaded tools a turn has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// At most.
    pub room: usize,
    /// So many stay when there are more. Fewer than there is room for, as each dropped tool empties the provider's cache.
    pub kept: usize,
}

impl Cap {
    /// Beside `fixed` tools that are always sent, of `most` in all: dropping leaves 80 % of those.
    pub fn of(most: usize, fixed: usize) -> Cap {
        let room = most.saturating_sub(fixed);
        let kept = (most * 4 / 5).saturating_sub(fixed);
        Cap {
            room,
            // What is always sent may be more than that: then of the room for the others.
            kept: kept.max(room * 4 / 5).max(1).min(room),
        }
    }
}

impl Loaded<'_> {
    /// The same, when a result names these.
    pub(super) fn settle_by(&mut self, names: &[Named]) {
        if self.cap.is_some_and(|cap| self.order.len() > cap.room) {
            let known = |named: &Named| self.catalogue.known(&named.name, None);
            let named: Vec<u32> = names.iter().filter_map(known).collect();
            self.settle(&named);
        }
    }

    /// Drops those loaded first, where there are more than there is room for; last of all those of the result that has just
    /// come, `named`.
    pub(super) fn settle(&mut self, named: &[u32]) {
        let Some(cap) = self.cap.filter(|cap| self.order.len() > cap.room) else {
            return;
        };
        let of_this = |at: &u32| named.contains(at);
        let new = self.order.iter().filter(|at| of_this(at)).count();
        let kept = cap.kept.max(new.min(cap.room));
        let mut surplus = self.order.len() - kept;
        for spared in [true, false] {
            self.order.retain(|at| {
                let goes = surplus > 0 && !(spared && of_this(at));
                if goes {
                    surplus -= 1;
                    self.flags[*at as usize] &= !Loaded::IN;
                    self.dropped.push(*at);
                }
                !goes
            });
        }
    }
}
