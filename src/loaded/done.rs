//! What came of the calls that a conversation holds, as the next search asks for it.

use super::{Context, Watch, fold};
use crate::transcript::Interest;
use crate::value::Value;

/// A call that was answered, as the next search asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The message that holds its result.
    pub message: usize,
    /// What came of it.
    pub came: Came,
    /// Its queries, where it is one of the last searches and did not fail.
    pub queries: Vec<String>,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// A search that loaded what was not loaded before.
    New,
    /// A search that loaded nothing new, or failed.
    Nothing,
    /// Another tool did its work.
    Work,
    /// Another tool failed.
    Failure,
}

/// The queries of calls further back are not kept: a model that repeats itself does so soon.
pub(super) const COMPARED: usize = 64;

/// How many searches in a row loaded nothing new, up to the last message: no other tool did its work between them, and no
/// person said anything. Reads every call, so that it is asked only where searches alone would make a row.
pub fn fruitless<V: Value>(context: Context<'_>, messages: &V) -> usize {
    let watch = Watch {
        calls: true,
        ..Watch::default()
    };
    let done = fold(context, messages, &[], &[], Interest::All, watch).done;
    // A message of the user's that hands results over is the host's.
    let mut people = messages.holding(&["role"], &["user"]);
    people.retain(|at| !done.iter().any(|done| done.message == *at));
    let said = people.last().copied();
    let since = done
        .iter()
        .position(|done| said.is_none_or(|said| done.message > said));
    since.map_or(0, |since| row(&done[since..]))
}

/// How many of the last searches loaded nothing new.
pub fn row(done: &[Done]) -> usize {
    (done.iter().rev())
        .take_while(|done| matches!(done.came, Came::Nothing | Came::Failure))
        .filter(|done| done.came == Came::Nothing)
        .count()
}
