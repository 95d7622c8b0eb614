//! What goes into a turn: the decision to defer, and the tools in their order.

mod events;

pub use events::{TurnEvent, events};

use serde::Serialize;

use crate::catalogue::{Catalogue, Entry, Reach};
use crate::choice::ToolChoice;
use crate::deferral::{Deferral, Reason, decide};
use crate::delivery::Way;
use crate::error::Warning;
use crate::loaded::{Cap, History};
use crate::models::ASSUMED;
use crate::names::Patterns;
use crate::options::{Fixed, Options, Threshold, WhenAllLoaded, texts};
use crate::tool::Wire;
use crate::transcript::in_system;
use crate::value::{Value, decimal};

/// Stands for the search tool among positions.
pub const SEARCH_TOOL: i32 = -1;
/// Stands for the tool through which all others are called.
pub const CALL_TOOL: i32 = -2;
/// Stands for an entry up to which the provider's cache reaches.
pub const CACHE_POINT: i32 = -3;
/// The same where the host's option wants it, with the lifetime that it names.
pub const OWN_CACHE_POINT: i32 = -4;
/// Stands for the first of [`Plan::stubs`]; the next is one less.
pub const FIRST_STUB: i32 = -10;

/// A definition goes out with the provider's flag for a deferred one.
pub const DEFERRED: u8 = 1;
/// A definition goes out without its own cache breakpoint, as another has it.
pub const UNMARKED: u8 = 2;
/// The search tool goes out in the provider's own form, and so does a definition that a result holds.
pub const NATIVE: u8 = 4;

/// A definition goes out under its name within its namespace.
pub const INNER: u8 = 8;

/// The source of a breakpoint that no tool of the host's has.
pub const OWN_BREAKPOINT: i32 = -2;
/// The same behind another's, where it lives as long as the provider's do: a longer life may not come after a shorter.
pub const LATER_BREAKPOINT: i32 = -3;

/// How many deferred definitions Anthropic takes.
const MOST_DEFERRED: usize = 10_000;

/// What a host says for one turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Names that are loaded although the messages can't show it, in order.
    pub loaded: Vec<String>,
    /// Names of tools that this turn must send, as the model is made to call one of them.
    pub forced: Vec<String>,
    /// Names or globs of tools that this turn must neither send nor find.
    pub exclude: Vec<String>,
    /// Only what stands in messages from this position on loads anything.
    pub since: usize,
    /// The names of the keep-note in the system prompt.
    pub noted: Option<Vec<String>>,
    /// Servers whose tools could not be listed, so that they are missing from the catalogue for now.
    pub unavailable: Vec<String>,
    /// What the request makes the model call.
    pub choice: ToolChoice,
    /// The model of this turn, where it is not the engine's.
    pub model: Option<String>,
}

impl Turn {
    /// Reads what a host has set for a turn, by the names of the fields.
    pub fn read<V: Value>(value: &V) -> Turn {
        Turn {
            loaded: texts(&value.get("loaded")),
            forced: texts(&value.get("forced")),
            exclude: texts(&value.get("exclude")),
            // A position beyond all numbers of messages is the last of them.
            since: value.get("since").number().unwrap_or(0.0) as usize,
            noted: in_system(&value.get("system")),
            unavailable: texts(&value.get("unavailable")),
            choice: ToolChoice::read(&value.get("toolChoice")),
            model: value.text_at("model"),
        }
    }

    /// The names of all tools that this turn must send: those that are forced, and those that the tool choice names.
    pub fn forced(&self) -> impl Iterator<Item = &String> {
        self.forced.iter().chain(&self.choice.names)
    }
}

/// Tokens of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Those of this turn, the search tool's and the note's among them.
    pub sent: u32,
    /// Those of the tools that are held back.
    pub withheld: u32,
    /// What everything up front would cost.
    pub all: u32,
}

/// The tools of a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Positions in the host's array, in the order to send; [`SEARCH_TOOL`] and its like for what is none of the host's.
    pub tools: Vec<i32>,
    /// How each goes out, in bits such as [`DEFERRED`]; empty where all go out plainly.
    pub forms: Vec<u8>,
    /// Cache breakpoints that stand where the host has set none: at which of `tools`, and whose; see [`OWN_BREAKPOINT`].
    pub breakpoints: Vec<(u32, i32)>,
    /// Names that the messages refer to and that must be defined, though there is no such tool.
    pub stubs: Vec<String>,
    /// The paragraph for the system prompt, where the search tool is among them.
    pub note: Option<String>,
    /// The names of what is loaded, in order: what to pass on.
    pub loaded: Vec<String>,
    /// The names of what the option `max_sent` leaves out, in order.
    pub left_out: Vec<String>,
    /// The decision.
    pub deferral: Deferral,
    /// What it costs.
    pub tokens: Tokens,
    /// What was assumed or left out this turn.
    pub warnings: Vec<Warning>,
    /// What has changed since the last request.
    pub events: Vec<TurnEvent>,
}

/// Whether deferral applies in a turn. Once a transcript has searched, deferral outlasts a server that fails: what it had deferred is
/// not gone for good.
pub fn decide_turn(
    catalogue: &Catalogue,
    costs: &[u32],
    options: &Options,
    turn: &Turn,
    began: bool,
) -> Deferral {
    let mut deferral = decide(catalogue, costs, options, turn.model.as_deref(), began);
    let is_left = deferral.reason == Reason::NothingDeferred
        && !matches!(options.threshold, Threshold::Fixed(Fixed::Never))
        && !catalogue.is_taken(&options.search_name);
    if is_left && began && !turn.unavailable.is_empty() {
        deferral.applied = true;
        deferral.reason = Reason::Begun;
        deferral.message = "tools are deferred: the conversation has searched before, and a server's tools could not be listed".to_owned();
    }
    deferral
}

/// What goes out while tools are withheld.
#[derive(Clone, Copy, Debug)]
pub struct SearchTool<'a> {
    /// The note.
    pub note: &'a str,
    /// What the search tool's definition and the note cost.
    pub tokens: u32,
    /// What the tool costs through which all others are called.
    pub call_tokens: u32,
    /// How loaded tools reach the model.
    pub way: Way,
    /// How many loaded tools there is room for, if that is bounded.
    pub cap: Option<Cap>,
    /// The model's provider reads references, as far as it is known.
    pub refers: bool,
}

/// The tools of a turn, in their order: residents, the search tool, then what was loaded as it was
/// loaded, so that the array only grows at its end. Where the provider or one tool does the loading, the array stays.
pub fn plan(
    catalogue: &Catalogue,
    costs: &[u32],
    search: SearchTool<'_>,
    wire: &Wire,
    options: &Options,
    turn: &Turn,
    history: &History,
) -> Plan {
    let deferral = decide_turn(catalogue, costs, options, turn, history.began);
    let mut warnings = Vec::new();
    let is_never = matches!(options.threshold, Threshold::Fixed(Fixed::Never));
    if deferral.reason == Reason::NothingDeferred && !turn.unavailable.is_empty() && !is_never {
        warnings.push(Warning::new(
            "nothing_to_search",
            None,
            "a server's tools could not be listed and nothing else is deferred: there is no search tool this turn"
                .to_owned(),
        ));
    }
    let asks_share = matches!(&options.threshold, Threshold::Limits(limits) if limits.share.is_some_and(|share| share > 0.0));
    if asks_share && deferral.context_window_from == "default" && deferral.deferred_tools > 0 {
        warnings.push(assumed_window(
            turn.model.as_ref().or(options.model.as_ref()),
        ));
    }
    if turn.choice.is_unreadable {
        warnings.push(Warning::new(
            "unreadable_tool_choice",
            None,
            "toolChoice is of no form that is known, so that it forces nothing: name its tools by forced".to_owned(),
        ));
    }
    let exclude = Patterns::of(turn.exclude.iter());
    let excluded = |position: u32| exclude.take(catalogue.entry_name(position));
    let mut search_forced = false;
    let mut loaded: Vec<u32> = history
        .loaded
        .iter()
        .copied()
        .filter(|position| !excluded(*position))
        .collect();
    for name in turn.forced() {
        match catalogue.known(name, None) {
            Some(position) if excluded(position) => warnings.push(forced_excluded(name)),
            Some(position) if catalogue.is_deferred(position) => {
                if search.way == Way::Proxy && deferral.applied {
                    warnings.push(Warning::new(
                        "forced_by_proxy",
                        Some(name),
                        format!(
                            "tool \"{name}\" is not among the tools, as {} calls it: make the model call that",
                            options.call_name
                        ),
                    ));
                }
                if !loaded.contains(&position) {
                    loaded.push(position);
                }
            }
            Some(_) => {}
            None if *name == options.search_name && deferral.applied => search_forced = true,
            // Sent in any case.
            None if search.way == Way::Proxy && deferral.applied && *name == options.call_name => {}
            None if catalogue
                .opaque(name)
                .is_some_and(|position| !excluded(position)) => {}
            None if catalogue.opaque(name).is_some() => warnings.push(forced_excluded(name)),
            None => warnings.push(Warning::new(
                "forced_unknown",
                Some(name),
                format!("there is no tool \"{name}\" to force"),
            )),
        }
    }
    let mut left_out: Vec<u32> = Vec::new();
    let most = options.max_sent.filter(|_| deferral.applied);
    if search.way == Way::Append && most.is_some() {
        left_out = history.dropped.clone();
        // What is forced this turn is sent; of the others those loaded first go.
        let room = search.cap.map_or(usize::MAX, |cap| cap.room);
        let is_forced =
            |at: &u32| (turn.forced()).any(|name| catalogue.known(name, None) == Some(*at));
        let mut surplus = loaded.len().saturating_sub(room);
        loaded.retain(|at| {
            let goes = surplus > 0 && !is_forced(at);
            if goes {
                surplus -= 1;
                left_out.push(*at);
            }
            !goes
        });
        left_out.retain(|at| !excluded(*at) && !loaded.contains(at));
    }
    let mut tools: Vec<i32> = Vec::new();
    // A cache point has something before it, and two side by side are one.
    let mut point_waits = false;
    let mut tokens = Tokens {
        sent: 0,
        withheld: 0,
        all: 0,
    };
    let mut deferred = 0;
    for (position, entry) in catalogue.entries.iter().enumerate() {
        let position = position as u32;
        let is_deferred = match entry {
            Entry::Tool(tool) => tool.deferred,
            Entry::Opaque { .. } => false,
            Entry::Merged(_) => continue,
            // It stays deferred for good, so that not everything is loaded.
            Entry::Excluded {
                deferred: is_deferred,
            } => {
                deferred += usize::from(*is_deferred && deferral.applied);
                continue;
            }
        };
        if excluded(position) {
            continue;
        }
        tokens.all = tokens.all.saturating_add(cost(costs, position));
        if is_deferred && deferral.applied {
            deferred += 1;
            tokens.withheld = tokens.withheld.saturating_add(cost(costs, position));
        } else if is_cache_point(catalogue, position as i32)
            && tools
                .last()
                .is_none_or(|last| is_cache_point(catalogue, *last))
        {
            point_waits |= tools.is_empty();
        } else {
            tools.push(position as i32);
            tokens.sent = tokens.sent.saturating_add(cost(costs, position));
        }
    }
    let mut with_note = false;
    let mut forms: Vec<u8> = Vec::new();
    let mut stubs = Vec::new();
    // What a provider of the other kind has seen this one has not.
    let seen = match search.way {
        Way::Definition => &history.defined,
        _ => &history.seen,
    };
    let can_refer = search.refers && (wire.native).is_some_and(|native| native.reference.is_some());
    if deferral.applied {
        // What could not be listed is not loaded either.
        let all_loaded = loaded.len() >= deferred && turn.unavailable.is_empty();
        let keeps = match options.when_all_loaded {
            Some(when) => when == WhenAllLoaded::Keep,
            None => wire.bills_cache(),
        };
        let stays = keeps || history.native_items || search.way != Way::Append;
        with_note = !all_loaded || search_forced || stays;
        let points = |slot: &&i32| is_cache_point(catalogue, **slot);
        let fixed = tools.len() - tools.iter().filter(points).count() + usize::from(with_note);
        let mut send = |slot: i32, form: u8, tokens: &mut u32, cost: u32| {
            forms.resize(tools.len(), 0);
            tools.push(slot);
            forms.push(form);
            *tokens = tokens.saturating_add(cost);
        };
        if with_note {
            // Items of the provider's own search in the messages want its own tool in the request.
            let is_native = search.way == Way::Definition || history.native_items;
            let form = if is_native { NATIVE } else { 0 };
            send(SEARCH_TOOL, form, &mut tokens.sent, search.tokens);
        }
        // Its breakpoint is where it stays, whatever is loaded.
        let unmarked = |position: u32| {
            let marked = catalogue
                .tool(position)
                .is_some_and(|tool| tool.breakpoint.is_some());
            if marked { UNMARKED } else { 0 }
        };
        for position in &loaded {
            tokens.withheld = tokens.withheld.saturating_sub(cost(costs, *position));
        }
        let native = wire.native;
        let declares = match search.way {
            Way::Reference => true,
            Way::Definition => native.is_some_and(|native| native.declared.is_some()),
            Way::Append | Way::Proxy => false,
        };
        match search.way {
            Way::Append | Way::Definition if !declares => {
                for position in &loaded {
                    let price = cost(costs, *position);
                    if search.way == Way::Append || !seen.contains(position) {
                        send(
                            *position as i32,
                            unmarked(*position),
                            &mut tokens.sent,
                            price,
                        );
                    } else {
                        tokens.sent = tokens.sent.saturating_add(price);
                    }
                }
            }
            Way::Append | Way::Definition | Way::Reference => {
                let mut flagged = 0;
                // What the messages refer to has to be there.
                let most_unloaded =
                    MOST_DEFERRED.saturating_sub(loaded.len() + history.strangers.len());
                let taken = fixed + loaded.len() + history.strangers.len();
                let mut room = most.map_or(usize::MAX, |most| most.saturating_sub(taken));
                for (position, _) in catalogue.tools().filter(|(_, tool)| tool.deferred) {
                    if excluded(position) {
                        continue;
                    }
                    let is_loaded = loaded.contains(&position);
                    if !is_loaded && !history.referred.contains(&position) {
                        if room == 0 {
                            left_out.push(position);
                            continue;
                        }
                        room -= 1;
                    }
                    let is_plain = is_loaded && !seen.contains(&position);
                    flagged += usize::from(!is_plain);
                    if flagged > most_unloaded && !is_loaded {
                        continue;
                    }
                    let flag = if is_plain { 0 } else { DEFERRED };
                    let price = if is_loaded { cost(costs, position) } else { 0 };
                    send(
                        position as i32,
                        flag | unmarked(position),
                        &mut tokens.sent,
                        price,
                    );
                }
                if flagged > most_unloaded {
                    warnings.push(Warning::new(
                        "too_many_deferred",
                        None,
                        format!("the provider takes {MOST_DEFERRED} deferred tools, the others are left out: {}", flagged - most_unloaded),
                    ));
                }
            }
            Way::Proxy => {
                send(CALL_TOOL, 0, &mut tokens.sent, search.call_tokens);
                for position in &loaded {
                    tokens.sent = tokens.sent.saturating_add(cost(costs, *position));
                }
                // What the conversation has loaded by reference before it came here stays defined.
                for (position, _) in catalogue.tools().filter(|_| can_refer) {
                    if history.referred.contains(&position) && !excluded(position) {
                        let form = DEFERRED | unmarked(position);
                        send(position as i32, form, &mut tokens.sent, 0);
                    }
                }
            }
        }
    } else if history.native_items {
        // Items of the provider's own search in the messages want its tool in the request, even where nothing is deferred.
        forms.resize(tools.len(), 0);
        tools.push(SEARCH_TOOL);
        forms.push(NATIVE);
        tokens.sent = tokens.sent.saturating_add(search.tokens);
    }
    if let (Some(most), false) = (most, left_out.is_empty()) {
        let what = match search.way {
            Way::Append => {
                "loaded tools are left out, those loaded first, until a search finds them again"
            }
            _ => "deferred tools are left out, the last ones, until a search finds them",
        };
        warnings.push(Warning::new(
            "max_sent",
            None,
            format!(
                "a turn sends at most {most} tools; {what} ({} of them)",
                left_out.len()
            ),
        ));
    }
    if turn.choice.is_required && deferral.applied && loaded.is_empty() {
        let is_callable = |at: usize, slot: i32| {
            let is_withheld = forms.get(at).is_some_and(|form| form & DEFERRED != 0);
            slot >= 0 && !is_withheld && !is_cache_point(catalogue, slot)
        };
        let mut sent = tools.iter().enumerate();
        if !sent.any(|(at, slot)| is_callable(at, *slot)) {
            warnings.push(Warning::new(
                "required_only_search",
                None,
                format!(
                    "the tool choice makes the model call a tool, and there is none but {}: it can only search; make a tool resident, or force one by name",
                    options.search_name
                ),
            ));
        }
    }
    // A reference to what is not among the tools is refused, and with it the whole conversation.
    if can_refer && search.way != Way::Append {
        let gone = history.strangers.iter().map(String::as_str);
        let kept = (history.referred.iter()).filter(|position| excluded(**position));
        for name in gone.chain(kept.map(|position| catalogue.wire_name(*position))) {
            let is_ours = name == options.search_name || name == options.call_name;
            let is_sound = !name.is_empty() && wire.names.fault(name, wire.names.longest).is_none();
            if is_sound && !is_ours && catalogue.opaque(name).is_none() {
                stubs.push(name.to_owned());
            }
        }
        forms.resize(tools.len(), 0);
        for at in 0..stubs.len() {
            // Not all of them may be deferred.
            let is_first = tools.is_empty();
            tools.push(FIRST_STUB - at as i32);
            forms.push(if is_first { 0 } else { DEFERRED });
        }
    }
    forms.resize(tools.len(), 0);
    let mut breakpoints = breakpoints(catalogue, wire, options, deferral.applied, &tools, &forms);
    if wire.has_cache_points {
        let after_search = || tools.iter().position(|slot| *slot == SEARCH_TOOL);
        let waiting = point_waits.then(after_search).flatten();
        for at in (0..tools.len()).rev() {
            let source = breakpoints.iter().find(|(index, _)| *index as usize == at);
            let is_next = |at: usize| {
                tools
                    .get(at)
                    .is_some_and(|slot| is_cache_point(catalogue, *slot))
            };
            if (source.is_none() && waiting != Some(at)) || is_next(at) || is_next(at + 1) {
                continue;
            }
            let is_own = source.is_some_and(|(_, source)| *source == OWN_BREAKPOINT);
            tools.insert(at + 1, if is_own { OWN_CACHE_POINT } else { CACHE_POINT });
            forms.insert(at + 1, 0);
        }
        breakpoints.clear();
    }
    if forms.iter().all(|form| *form == 0) {
        forms.clear();
    }
    let is_tool = |slot: &&i32| {
        !matches!(**slot, CACHE_POINT | OWN_CACHE_POINT) && !is_cache_point(catalogue, **slot)
    };
    let sent = tools.iter().filter(is_tool).count();
    if let Some(most) = most.filter(|most| sent > *most) {
        warnings.push(Warning::new(
            "max_sent",
            None,
            format!("a turn sends {sent} tools, and maxSent is {most}: what is forced, or what the messages refer to, can't be left out"),
        ));
    }
    Plan {
        tools,
        forms,
        breakpoints,
        stubs,
        note: (with_note && !search.note.is_empty()).then(|| search.note.to_owned()),
        left_out: (left_out.iter())
            .map(|position| catalogue.name(*position).to_owned())
            .collect(),
        loaded: loaded
            .iter()
            .map(|position| catalogue.name(*position).to_owned())
            .collect(),
        deferral,
        tokens,
        warnings,
        events: Vec::new(),
    }
}

/// The window of the model is not known.
pub(crate) fn assumed_window(model: Option<&String>) -> Warning {
    let assumed = decimal(ASSUMED);
    match model {
        None => Warning::new(
            "unknown_context_window",
            None,
            format!(
                "the context window is taken to be {assumed} tokens; set the option contextWindow"
            ),
        ),
        Some(model) => Warning::new(
            "unknown_model",
            None,
            format!(
                "the context window of model \"{model}\" is not known and taken to be {assumed} tokens; set the option contextWindow, or tell it by registerModel"
            ),
        ),
    }
}

fn forced_excluded(name: &str) -> Warning {
    Warning::new(
        "forced_excluded",
        Some(name),
        format!("tool \"{name}\" is forced and excluded: it is left out"),
    )
}

fn is_cache_point(catalogue: &Catalogue, slot: i32) -> bool {
    let entry = usize::try_from(slot)
        .ok()
        .and_then(|at| catalogue.entries.get(at));
    matches!(
        entry,
        Some(Entry::Opaque {
            is_cache_point: true,
            ..
        })
    )
}

/// Where a breakpoint stands that the host has set elsewhere: one on a withheld tool moves to the last tool before it
/// that is sent, and one that another provider's shape has is written in the wire's. The option's own ends the stable part.
fn breakpoints(
    catalogue: &Catalogue,
    wire: &Wire,
    options: &Options,
    applied: bool,
    tools: &[i32],
    forms: &[u8],
) -> Vec<(u32, i32)> {
    let at = wire.breakpoint.map(|breakpoint| breakpoint.at);
    let mut found: Vec<(u32, i32)> = Vec::new();
    let mut is_marked = vec![false; tools.len()];
    if at.is_none() && !wire.has_cache_points {
        return found;
    }
    let can_make =
        wire.has_cache_points || wire.breakpoint.is_some_and(|breakpoint| breakpoint.is_own);
    for (index, slot) in tools.iter().enumerate() {
        let tool = u32::try_from(*slot)
            .ok()
            .and_then(|position| catalogue.tool(position));
        let entry = usize::try_from(*slot)
            .ok()
            .and_then(|at| catalogue.entries.get(at));
        if let Some(Entry::Opaque {
            is_breakpoint,
            is_cache_point,
            ..
        }) = entry
        {
            is_marked[index] = *is_breakpoint || *is_cache_point;
        }
        let Some(reach) = tool.and_then(|tool| tool.breakpoint) else {
            continue;
        };
        if forms.get(index).is_some_and(|form| form & UNMARKED != 0) {
            continue;
        }
        is_marked[index] = true;
        let is_own = tool.is_some_and(|tool| tool.shape == wire.shape);
        let stays = is_own && at.is_some_and(|at| reach == Reach::At(at));
        if !stays && can_make {
            found.push((index as u32, *slot));
        }
    }
    let mut set = is_marked.iter().filter(|is_marked| **is_marked).count();
    let mut mark = |index: Option<usize>, source: i32, set: &mut usize| {
        if let Some(index) = index
            && let Some(is_marked) = is_marked.get_mut(index)
            && !std::mem::replace(is_marked, true)
        {
            found.push((index as u32, source));
            *set += 1;
        }
    };
    let search = tools.iter().position(|slot| *slot == SEARCH_TOOL);
    let withheld = catalogue.tools().filter(|(_, tool)| {
        let is_known = can_make || tool.shape == wire.shape;
        applied && tool.deferred && is_known && tool.breakpoint.is_some()
    });
    for (position, _) in withheld {
        let is_before = |slot: &i32| {
            u32::try_from(*slot).is_ok_and(|slot| slot < position && !catalogue.is_deferred(slot))
        };
        mark(
            tools.iter().rposition(is_before).or(search),
            position as i32,
            &mut set,
        );
    }
    /// Anthropic takes no more in a request.
    const MOST_BREAKPOINTS: usize = 4;
    if options.breakpoint.is_some() && can_make && set < MOST_BREAKPOINTS {
        let is_stable = |slot: &i32| match u32::try_from(*slot) {
            Ok(position) => !applied || !catalogue.is_deferred(position),
            Err(_) => *slot > FIRST_STUB,
        };
        let source = if set == 0 {
            OWN_BREAKPOINT
        } else {
            LATER_BREAKPOINT
        };
        mark(tools.iter().rposition(is_stable), source, &mut set);
    }
    found
}

fn cost(costs: &[u32], position: u32) -> u32 {
    costs.get(position as usize).copied().unwrap_or(0)
}
