//! What a host needs to compact a history.

use super::Engine;
use crate::loaded::{self, Context, History};
use crate::plan::Turn;
use crate::report::Keeping;
use crate::result;
use crate::value::{Json, Value};

impl Engine {
    /// The message that says what is loaded, for a history that loses the results which say so; `None` where the format
    /// has no system message among the others.
    pub fn kept(&self, history: &History) -> Option<Json> {
        let loaded = history.loaded.iter();
        let names: Vec<&str> = loaded
            .map(|position| self.catalogue.wire_name(*position))
            .collect();
        let way = self.choice.way;
        result::keep_note(self.format, &self.options, way, &names, &history.others)
    }

    /// Where in `after`, which is what a host leaves of `before`, a note has to stand so that the same is loaded; and
    /// which notes it replaces.
    pub fn keep_note<V: Value>(&self, before: &V, after: &V, turn: &Turn) -> Keeping {
        let notes = self.format.notes(after).into_iter();
        let whole = notes.filter(|note| note.is_whole);
        let mut keeping = Keeping {
            replaced: whole.map(|note| note.message).collect(),
            position: 0,
            note: None,
        };
        let mut history = self.history(before, turn);
        // What is forced is loaded, whether or not it has been called.
        for position in turn
            .forced()
            .filter_map(|name| self.catalogue.known(name, None))
        {
            if self.catalogue.is_deferred(position) && !history.loaded.contains(&position) {
                history.loaded.push(position);
            }
        }
        if !history.began && !self.turn(before, turn).deferral.applied {
            // Everything is sent, and a note would begin to defer.
            return keeping;
        }
        let context = Context {
            noted: turn.noted.as_deref(),
            notes: false,
            ..self.context()
        };
        let around = loaded::around(context, after, &history);
        let rest = &around.history;
        let is_lost = |name| !rest.others.contains(name);
        if rest.loaded == history.loaded
            && rest.began == history.began
            && !history.others.iter().any(is_lost)
        {
            return keeping;
        }
        keeping.note = self.kept(&history);
        // How many calls are open before each position.
        let mut changes = vec![0_i32; after.len() + 2];
        for (call, result) in &around.spans {
            // One that somebody has spoken after is not waited for.
            let end = result.unwrap_or_else(|| {
                let mut later = call + 1..after.len();
                let spoken = later.find(|at| self.format.begins(after, *at));
                spoken.map_or(after.len(), |at| at - 1)
            });
            if let Some(change) = changes.get_mut(call + 1) {
                *change += 1;
            }
            if let Some(change) = changes.get_mut(end + 1) {
                *change -= 1;
            }
        }
        let mut open = 0;
        let leading = self.format.leading(after);
        keeping.position = leading;
        // The first place from which on the messages say no more than the note; where there is none, the last one at all.
        for (position, change) in changes.iter().enumerate().take(after.len() + 1) {
            open += change;
            let is_free = position > leading
                && open == 0
                && (position == after.len() || self.format.begins(after, position));
            if keeping.position < around.settled && is_free {
                keeping.position = position;
            }
        }
        keeping
    }
}
