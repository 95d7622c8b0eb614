//! What is loaded: a fold over the messages, and nothing else.
//!
//! A result counts only when it answers a call of the search tool in the turn in which that call
//! was made. Text that anyone else wrote loads nothing, whatever it looks like.

use crate::catalogue::Catalogue;
use crate::names::any_glob;
use crate::options::{Calls, Handoff, Options, UnloadedCall};
use crate::transcript::{Answered, Call, Event, Format, Interest, Place};
use crate::value::Value;

/// What the messages say of the search tool and of deferred tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The loaded tools, in the order in which they were first loaded.
    pub loaded: Vec<u32>,
    /// The search tool was called at least once.
    pub began: bool,
    /// The results of search calls that the messages hold.
    pub results: Vec<SearchResult>,
    /// Loaded tools that the provider itself has seen natively.
    pub seen: Vec<u32>,
    /// Loaded tools whose parameters a result in the messages carries.
    pub schemas: Vec<u32>,
    /// Natively referenced names that the catalogue does not have.
    pub strangers: Vec<String>,
    /// The messages hold items of the provider's own client search.
    pub native_items: bool,
}

/// A result of the search tool.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// Where it stands.
    pub place: Place,
    /// The id of its call.
    pub call_id: Option<String>,
    /// The names it holds, of whatever catalogue.
    pub names: Vec<String>,
}

/// A call that waits for its result.
struct Open {
    id: Option<String>,
    name: String,
    place: Place,
    is_search: bool,
}

/// What a fold is told beside the messages.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The shape of the messages.
    pub format: Format,
    /// The tools.
    pub catalogue: &'a Catalogue,
    /// The host's options.
    pub options: &'a Options,
    /// Messages from this position on do not count yet.
    pub until: usize,
}

/// Reads the messages. `carried` are names that the messages can't show, in order; `forced` are
/// tools that count from their first call on.
pub fn read<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
) -> History {
    let search_names = search_names(&context);
    let mut wanted = search_names.clone();
    wanted.extend(forced.iter().map(|at| context.catalogue.name(*at)));
    let every_call = context.options.calls == Calls::Load
        || context.options.unloaded_call == UnloadedCall::Load
        || context.options.handoff == Handoff::Reset;
    let interest = if every_call {
        Interest::All
    } else {
        Interest::Calls(&wanted)
    };
    fold(context, messages, carried, forced, interest).0
}

/// The calls of the search tool in the last turn that nothing has answered.
pub fn pending<V: Value>(context: Context<'_>, messages: &V) -> Vec<Place> {
    fold(context, messages, &[], &[], Interest::All)
        .1
        .into_iter()
        .filter(|call| call.is_search)
        .map(|call| call.place)
        .collect()
}

/// The position of the message that holds this very call, where one does that nothing has answered
/// yet. Runtimes repeat ids or give none: an earlier call that looks alike has its result.
pub fn position_of<V: Value>(context: Context<'_>, messages: &V, call: &Call<V>) -> Option<usize> {
    fold(context, messages, &[], &[], Interest::All)
        .1
        .into_iter()
        .find(|open| open.id == call.id && open.name == call.name)
        .map(|open| open.place.message)
}

/// The names by which messages call our search tool. A host's own tool of such a name is not ours.
pub fn search_names<'a>(context: &Context<'a>) -> Vec<&'a str> {
    std::iter::once(&context.options.search_name)
        .chain(&context.options.former_names)
        .map(String::as_str)
        .filter(|name| !context.catalogue.is_taken(name))
        .collect()
}

/// The fold: what is loaded after the last message, and the calls that are still open then.
fn fold<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
    interest: Interest<'_>,
) -> (History, Vec<Open>) {
    let Context {
        format,
        catalogue,
        options,
        until,
    } = context;
    let search_names = search_names(&context);
    let calls_load = options.calls == Calls::Load || options.unloaded_call == UnloadedCall::Load;
    let resets = options.handoff == Handoff::Reset;
    let mut loaded = Loaded::new(catalogue);
    for name in carried {
        loaded.add(name);
    }
    let mut began = false;
    let mut results = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    format.read(messages, interest, &mut |event| match event {
        Event::Call(Call { place, .. }) | Event::Result(Answered { place, .. })
            if place.message >= until => {}
        Event::Turn => open.clear(),
        Event::Call(Call {
            place, id, name, ..
        }) => {
            let is_search = search_names.contains(&name.as_str());
            began |= is_search;
            let is_forced = || forced.iter().any(|at| catalogue.name(*at) == name);
            if calls_load || is_forced() {
                loaded.add(&name);
            }
            // Every call is kept, so that a result without an id finds the one that it is for.
            open.push(Open {
                id,
                name,
                place,
                is_search,
            });
        }
        Event::Result(result) => {
            let Some(call) = close(&mut open, &result) else {
                return;
            };
            if result.failed {
                return;
            }
            if call.is_search {
                let Some(names) = format.names(&result.content) else {
                    return;
                };
                for name in &names {
                    loaded.add(name);
                }
                results.push(SearchResult {
                    place: result.place,
                    call_id: result.id.or(call.id),
                    names,
                });
            } else if resets
                && any_glob(&options.handoffs, &call.name)
                && !format.is_failure(&result.content)
            {
                loaded.clear();
            }
        }
    });
    let history = History {
        loaded: loaded.order,
        began,
        results,
        ..History::default()
    };
    (history, open)
}

/// Deferred tools in the order in which they were first loaded.
struct Loaded<'a> {
    catalogue: &'a Catalogue,
    order: Vec<u32>,
    has: Vec<bool>,
}

impl Loaded<'_> {
    fn new(catalogue: &Catalogue) -> Loaded<'_> {
        Loaded {
            catalogue,
            order: Vec::new(),
            has: vec![false; catalogue.entries.len()],
        }
    }
    /// Adds the tool of this name, if there is one that is deferred.
    fn add(&mut self, name: &str) {
        let Some(position) = self.catalogue.position(name) else {
            return;
        };
        if self.catalogue.is_deferred(position)
            && !std::mem::replace(&mut self.has[position as usize], true)
        {
            self.order.push(position);
        }
    }
    fn clear(&mut self) {
        self.order.clear();
        self.has.fill(false);
    }
}

/// Takes the call that a result is for out of the open ones. An id is decisive: a result that has
/// one closes a call that has it, the first of its name where a turn uses an id twice. Without ids
/// results pair by name, in order.
fn close<V>(open: &mut Vec<Open>, result: &Answered<V>) -> Option<Open> {
    let of_its_name = |call: &Open| result.name.as_ref().is_some_and(|name| *name == call.name);
    let of_its_id = |call: &Open| call.id == result.id;
    let at = open
        .iter()
        .position(|call| of_its_id(call) && of_its_name(call));
    let by_id_alone = || {
        let nameless = result.id.is_some() || result.name.is_none();
        open.iter().position(|call| nameless && of_its_id(call))
    };
    let at = at.or_else(by_id_alone)?;
    Some(open.remove(at))
}
