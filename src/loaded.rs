//! What is loaded: a fold over the messages, and nothing else.
//!
//! A result counts only when it answers a call of the search tool in the turn in which that call
//! was made. Text that anyone else wrote loads nothing, whatever it looks like.

mod cap;
mod done;
mod set;

use std::borrow::Cow;

pub use cap::Cap;
use done::COMPARED;
pub use done::{Came, Done, fruitless, row};

use crate::catalogue::Catalogue;
use crate::names::any_glob;
use crate::options::{Calls, Handoff, Options, UnloadedCall};
use crate::request::request;
use crate::transcript::{self, Answered, By, Call, Event, Format, Interest, Place};
use crate::value::{Json, Value};
use set::Loaded;

/// What the messages say of the search tool and of deferred tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The loaded tools, in the order in which they were first loaded.
    pub loaded: Vec<u32>,
    /// Tools that were loaded and that the cap has dropped, in the order in which they went.
    pub dropped: Vec<u32>,
    /// The search tool was called at least once.
    pub began: bool,
    /// The results of search calls that the messages hold.
    pub results: Vec<SearchResult>,
    /// Loaded tools that a provider has seen by a reference.
    pub seen: Vec<u32>,
    /// Loaded tools that a provider has seen by their definition.
    pub defined: Vec<u32>,
    /// Tools that a reference in the messages leads to, loaded or not any more.
    pub referred: Vec<u32>,
    /// The loaded tools whose parameters a result carries.
    pub schemas: Vec<u32>,
    /// The names of references that the provider resolves and that the catalogue no longer has.
    pub strangers: Vec<String>,
    /// Names that a result or a keep-note loaded and that are no deferred tools here, in order: those of a tool that has
    /// gone and may come back, or that another agent defers.
    pub others: Vec<String>,
    /// The messages hold items of the provider's own search, or tools that are found by it, and the host has no tool of that
    /// kind.
    pub native_items: bool,
    /// The message with the last handoff after which nothing was loaded any more.
    pub handed: Option<usize>,
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

/// Of a longer text it is not asked whether it says that a tool failed.
const LONGEST_ERROR: usize = 4000;

/// What a fold is to note beside what is loaded.
#[derive(Clone, Copy, Default)]
struct Watch<'a> {
    /// Also what was loaded before the message at this position.
    split: Option<usize>,
    /// Also what came of each call.
    calls: bool,
    /// Also from where on no more and no less than this is loaded.
    wanted: Option<&'a History>,
}

impl Watch<'_> {
    /// The last position that counts for the time before the split.
    fn before(self, place: Place) -> usize {
        let last = self.split.map_or(usize::MAX, |at| at.saturating_sub(1));
        place.message.min(last)
    }
}

/// What a fold gives.
struct Folded {
    history: History,
    open: Vec<Open>,
    /// `None` where nothing has happened since the split.
    before: Option<History>,
    done: Vec<Done>,
    settled: usize,
    spans: Vec<(usize, Option<usize>)>,
}

/// What a note has to know of the messages that it is put among.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// What they say without the notes that it replaces.
    pub history: History,
    /// The first position from which on nothing is loaded that the note does not name, and nothing unloaded that it names.
    pub settled: usize,
    /// The positions of calls and of their results, where they are two messages. A call that is still open has none.
    pub spans: Vec<(usize, Option<usize>)>,
}

/// A call that waits for its result.
struct Open {
    /// What it asks for, where it is a search and that is noted.
    queries: Vec<String>,
    id: Option<String>,
    /// Where the first call of its turn stands.
    turn: usize,
    name: String,
    /// The tool that it calls.
    known: Option<u32>,
    place: Place,
    by: By,
    is_search: bool,
    waits: bool,
    /// A handoff of the same turn, or of one while it waited, has succeeded: what it finds is the former agent's.
    is_former: bool,
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
    /// Messages from this position on do not count yet; of the one that stands there only what the
    /// provider ran within it.
    pub until: usize,
    /// Only what stands in messages from this position on loads anything.
    pub since: usize,
    /// The names of a keep-note that stands before all messages.
    pub noted: Option<&'a [String]>,
    /// Where the turn begins in which that stands: of a flat list it may be several items. Calls from here on do not count.
    pub turn: usize,
    /// Messages that are keep-notes and nothing else are read.
    pub notes: bool,
    /// How many loaded tools there is room for, if that is bounded.
    pub cap: Option<Cap>,
    /// The tool that calls others by a name in its arguments.
    pub proxy: Option<&'a str>,
}

/// Reads the messages. `carried` are names that the messages can't show, in order; `forced` are
/// tools that count from their first call on.
pub fn read<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
) -> History {
    watched(context, messages, carried, forced, Watch::default()).history
}

/// The same, and what it was when the last request was made: before the last assistant turn. That is `None` where there
/// was none, and where it was the same.
pub fn read_both<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
    last_turn: Option<usize>,
) -> (History, Option<History>) {
    let watch = Watch {
        split: last_turn,
        ..Watch::default()
    };
    let folded = watched(context, messages, carried, forced, watch);
    let before = match last_turn.and_then(|at| at.checked_sub(1)) {
        // What is carried gives way to what the messages show, and before the last turn they showed less.
        Some(until) if context.cap.is_some() && !carried.is_empty() => {
            let context = Context {
                until,
                turn: until,
                ..context
            };
            Some(read(context, messages, carried, forced))
        }
        _ => folded.before,
    };
    (folded.history, before)
}

/// The same as [`read`], and the searches that were answered, with what came of them.
pub fn read_searches<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
) -> (History, Vec<Done>) {
    let watch = Watch {
        calls: true,
        ..Watch::default()
    };
    let folded = watched(context, messages, carried, forced, watch);
    (folded.history, folded.done)
}

fn watched<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
    watch: Watch<'_>,
) -> Folded {
    let mut wanted = search_names(&context);
    wanted.extend(hosted_names(&context).unwrap_or_default());
    // A forced tool may be called by its alias, within its namespace or through the proxy.
    let every_call = !forced.is_empty()
        || context.options.calls == Calls::Load
        || context.options.unloaded_call == UnloadedCall::Load
        || context.options.handoff == Handoff::Reset;
    let interest = if every_call {
        Interest::All
    } else {
        Interest::Calls(&wanted)
    };
    let mut carried = carried.to_vec();
    if context.cap.is_some() && !carried.is_empty() {
        // What the messages show too goes by their order: whoever carries over all would bring back what was dropped.
        let uncapped = Context {
            cap: None,
            ..context
        };
        let folded = fold(uncapped, messages, &[], forced, interest, Watch::default());
        let known = |name: &String| context.catalogue.known(name, None);
        let shown = folded.history.loaded;
        carried.retain(|name| known(name).is_none_or(|at| !shown.contains(&at)));
    }
    fold(context, messages, &carried, forced, interest, watch)
}

/// Reads messages that a note of what `wanted` says is to be put among, in place of those that they hold.
pub fn around<V: Value>(context: Context<'_>, messages: &V, wanted: &History) -> Around {
    let watch = Watch {
        wanted: Some(wanted),
        ..Watch::default()
    };
    let folded = fold(context, messages, &[], &[], Interest::All, watch);
    let waiting = folded.open.iter().map(|call| (call.place.message, None));
    Around {
        spans: folded.spans.into_iter().chain(waiting).collect(),
        history: folded.history,
        settled: folded.settled,
    }
}

/// The calls of the search tool in the last turn that nothing has answered.
pub fn pending<V: Value>(context: Context<'_>, messages: &V) -> Vec<Place> {
    fold(context, messages, &[], &[], Interest::All, Watch::default())
        .open
        .into_iter()
        .filter(|call| call.is_search && call.by != By::Hosted)
        .map(|call| call.place)
        .collect()
}

/// The position of the message that holds this very call, where one does that nothing has answered
/// yet, and before it where its turn begins. Runtimes repeat ids or give none: an earlier call that looks alike has its result.
pub fn position_of<V: Value>(
    context: Context<'_>,
    messages: &V,
    call: &Call<V>,
) -> Option<(usize, usize)> {
    fold(context, messages, &[], &[], Interest::All, Watch::default())
        .open
        .into_iter()
        .find(|open| open.id == call.id && open.name == call.name)
        .map(|open| (open.turn, open.place.message))
}

/// The names by which messages call our search tool. A host's own tool of such a name is not ours.
pub fn search_names<'a>(context: &Context<'a>) -> Vec<&'a str> {
    std::iter::once(&context.options.search_name)
        .chain(&context.options.former_names)
        .map(String::as_str)
        .filter(|name| !context.catalogue.is_taken(name))
        .collect()
}

/// The names of searches that the provider ran, where its calls have the host's own names for them.
fn hosted_names<'a>(context: &Context<'a>) -> Option<Vec<&'a str>> {
    let hides = context.format.hides_search_items();
    let usual = || transcript::HOSTED.to_vec();
    hides.then(|| context.catalogue.provider_searches().unwrap_or_else(usual))
}

/// The fold: what is loaded after the last message, and the calls that are still open then.
fn fold<V: Value>(
    context: Context<'_>,
    messages: &V,
    carried: &[String],
    forced: &[u32],
    interest: Interest<'_>,
    watch: Watch<'_>,
) -> Folded {
    let Context {
        format,
        catalogue,
        options,
        until,
        since,
        noted,
        turn,
        notes: reads_notes,
        proxy,
        cap,
    } = context;
    let mut notes = format.notes(messages);
    notes.retain(|note| reads_notes || !note.is_whole);
    let mut began = noted.is_some() || notes.iter().any(|note| note.message <= until);
    // What stands before the last note loads nothing: that says all that is loaded there.
    let note = notes.iter().rfind(|note| note.message <= until);
    // Another one stands after it.
    let settled = note.map_or(0, |note| note.message + 1);
    let mut note = match (note, noted) {
        (Some(note), _) => Some((note.message, note.names.as_slice())),
        (None, Some(names)) => Some((0, names)),
        (None, None) => None,
    };
    let since = since.max(note.map_or(0, |(at, _)| at));
    note = note.filter(|(at, _)| *at >= since);
    let search_names = search_names(&context);
    let hosted_names = hosted_names(&context);
    let calls_load = options.calls == Calls::Load || options.unloaded_call == UnloadedCall::Load;
    let resets = options.handoff == Handoff::Reset;
    let mut loaded = Loaded::new(catalogue, watch.wanted);
    loaded.cap = cap;
    loaded.settled = settled;
    let mut spans = Vec::new();
    for name in carried {
        loaded.add(catalogue.known(name, None), Loaded::IN | Loaded::CARRIED);
    }
    loaded.settle(&[]);
    // Whether what stands at a position loads anything. The note is read where it stands, after what providers saw before it.
    let mut counts = |at: usize, loaded: &mut Loaded<'_>| {
        if at >= since
            && let Some((_, names)) = note.take()
        {
            loaded.note(names);
        }
        loaded.at = at;
        at >= since
    };
    let mut before: Option<History> = None;
    let mut done: Vec<Done> = Vec::new();
    let mut results = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut first = None;
    format.read(messages, interest, &mut |event| match event {
        Event::Turn => {
            open.retain(|call| call.waits);
            first = None;
        }
        Event::Call(call) => {
            let at = call.place.message;
            if at > until || at >= turn && call.by != By::Hosted {
                return;
            }
            counts(watch.before(call.place), &mut loaded);
            note_before(&mut before, watch, call.place, &loaded, began, &results);
            let first = *first.get_or_insert(at);
            let is_search = call.is_search(&search_names, hosted_names.as_deref());
            began |= is_search;
            let (name, namespace) = match proxy {
                Some(proxy) if call.name == proxy => (meant(&call.arguments).map(Cow::Owned), None),
                _ => (
                    Some(Cow::Borrowed(call.name.as_str())),
                    call.namespace.as_deref(),
                ),
            };
            let name = name.as_deref();
            let known = name.and_then(|name| catalogue.known(name, namespace));
            // What runs by another spelling counts as called.
            let found = match known {
                None if calls_load && call.by == By::Function => {
                    name.and_then(|name| catalogue.recovered(name, namespace, options))
                }
                known => known,
            };
            let is_wanted = calls_load || known.is_some_and(|at| forced.contains(&at));
            if counts(call.place.message, &mut loaded) && is_wanted {
                loaded.add(found, Loaded::IN);
                loaded.settle(&[]);
            }
            let asked = Some(&call.arguments).filter(|_| is_search && watch.calls);
            let asked = asked.and_then(|arguments| request(arguments, options).ok());
            let asked = asked.map_or_else(Vec::new, |asked| asked.queries);
            // Every call is kept, so that a result without an id finds the one that it is for.
            open.push(Open {
                queries: asked,
                id: call.id,
                turn: first,
                name: call.name,
                known,
                place: call.place,
                by: call.by,
                is_search,
                waits: false,
                is_former: false,
            });
        }
        Event::Result(result) => {
            if result.place.message > until {
                return;
            }
            counts(watch.before(result.place), &mut loaded);
            note_before(&mut before, watch, result.place, &loaded, began, &results);
            let Some(call) = close(&mut open, &result) else {
                return;
            };
            let message = result.place.message;
            let mut came = |came: Came, queries: Vec<String>| {
                if watch.calls && message >= since {
                    done.push(Done {
                        message,
                        came,
                        queries,
                    });
                    let old = done.len().checked_sub(COMPARED + 1);
                    if let Some(old) = old.and_then(|at| done.get_mut(at)) {
                        old.queries = Vec::new();
                    }
                }
            };
            if call.place.message != result.place.message {
                spans.push((call.place.message, Some(result.place.message)));
            }
            if result.failed {
                let what = if call.is_search {
                    Came::Nothing
                } else {
                    Came::Failure
                };
                came(what, Vec::new());
                return;
            }
            let counts = counts(result.place.message, &mut loaded);
            if call.is_search {
                let is_hosted = call.by == By::Hosted;
                let names = if is_hosted {
                    transcript::hosted_names(&result.content)
                } else {
                    transcript::names(&result.content)
                };
                let Some(mut names) = names else {
                    came(Came::Nothing, Vec::new());
                    return;
                };
                let mut is_new = false;
                for named in &mut names {
                    named.native |= is_hosted;
                    is_new |= loaded.name(named, counts && !call.is_former);
                }
                loaded.settle_by(&names);
                // What the former agent found was new to that one.
                let is_new = is_new || call.is_former;
                let what = if is_new { Came::New } else { Came::Nothing };
                came(what, call.queries);
                results.push(SearchResult {
                    place: result.place,
                    call_id: result.id.or(call.id),
                    names: names.into_iter().map(|named| named.name).collect(),
                });
            } else {
                let hands_over = resets
                    && counts
                    && (any_glob(&options.handoffs, &call.name)
                        || call
                            .known
                            .is_some_and(|at| any_glob(&options.handoffs, catalogue.name(at))));
                // A long text is no error message.
                let is_noted = watch.calls && result.content.head(LONGEST_ERROR).is_none();
                let is_failure =
                    (hands_over || is_noted) && transcript::is_failure(&result.content);
                let what = if is_failure {
                    Came::Failure
                } else {
                    Came::Work
                };
                came(what, Vec::new());
                if hands_over && !is_failure {
                    loaded.clear();
                    loaded.handed = Some(message);
                    open.iter_mut().for_each(|call| call.is_former = true);
                }
            }
        }
        Event::Waits(id) => {
            if let Some(call) = open
                .iter_mut()
                .rev()
                .find(|call| call.id.as_ref() == Some(&id))
            {
                call.waits = true;
            }
        }
        Event::Changes { place, changes } => {
            if place.message > until {
                return;
            }
            counts(watch.before(place), &mut loaded);
            note_before(&mut before, watch, place, &loaded, began, &results);
            let counts = counts(place.message, &mut loaded);
            for (adds, named) in &changes {
                if *adds {
                    loaded.name(named, counts);
                } else {
                    loaded.remove(&named.name, counts);
                }
            }
            loaded.settle(&[]);
        }
    });
    counts(usize::MAX, &mut loaded);
    let has_items = |until: usize| {
        catalogue.opaque(transcript::SEARCH).is_none() && format.holds_search_items(messages, until)
    };
    let mut history = loaded.history(began, results);
    history.native_items = has_items(until);
    if let (Some(before), Some(split)) = (&mut before, watch.split) {
        before.native_items = history.native_items && has_items(split);
    }
    Folded {
        history,
        open,
        before,
        done,
        settled: loaded.settled,
        spans,
    }
}

/// Notes what is so before the first thing that happens at the split or after it.
fn note_before(
    before: &mut Option<History>,
    watch: Watch<'_>,
    place: Place,
    loaded: &Loaded<'_>,
    began: bool,
    results: &[SearchResult],
) {
    if before.is_none() && watch.split.is_some_and(|at| place.message >= at) {
        *before = Some(loaded.history(began, results.to_vec()));
    }
}

/// The tool that a call of the proxy means. Its name stands first in what models write, and what it is called with may be
/// a whole file: no more of a longer text is read than any name takes.
fn meant<V: Value>(arguments: &V) -> Option<String> {
    const HEAD: usize = 2000;
    let head = arguments.head(HEAD);
    if let Some(name) = head.and_then(|head| Json::name_before_cut(&head)) {
        return Some(name);
    }
    match arguments.text() {
        Some(text) => Some(&Json::parse(&text).ok()?).text_at("name"),
        None => arguments.text_at("name"),
    }
}

/// Takes the call that a result is for out of the open ones. An id is decisive: a result that has
/// one closes a call that has it, the first of its name where a turn uses an id twice. Without ids, or
/// where only one of the two has one, they pair by name, in order. What the provider ran no host answers.
fn close<V>(open: &mut Vec<Open>, result: &Answered<V>) -> Option<Open> {
    let mut best: Option<(u8, usize)> = None;
    for (at, call) in open.iter().enumerate() {
        let is_its_name = result.name.as_ref() == Some(&call.name);
        let rank = match (call.id == result.id, is_its_name) {
            _ if call.by == By::Hosted && !result.hosted => continue,
            (true, true) => 0,
            (true, false) if result.id.is_some() || result.name.is_none() => 1,
            (false, true) if call.id.is_some() != result.id.is_some() => 2,
            _ => continue,
        };
        if best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, at));
        }
        if rank == 0 {
            break;
        }
    }
    Some(open.remove(best?.1))
}
