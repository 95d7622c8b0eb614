//! What goes into a turn: the decision to defer, and the tools in their order.

use serde::Serialize;

use crate::catalogue::{Catalogue, Entry};
use crate::error::Warning;
use crate::loaded::History;
use crate::names::Patterns;
use crate::options::{Fixed, Limits, Options, Threshold, WhenAllLoaded, texts};
use crate::value::{Value, decimal};

/// Assumed where the host names no window: that of most models in use. Named in a warning.
const WINDOW: f64 = 128_000.0;

/// Stands for the search tool among positions.
pub const SEARCH_TOOL: i32 = -1;

/// What a host says for one turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Names that are loaded although the messages can't show it, in order.
    pub loaded: Vec<String>,
    /// Names of tools that this turn must send, as the model is made to call one of them.
    pub forced: Vec<String>,
    /// Names or globs of tools that this turn must neither send nor find.
    pub exclude: Vec<String>,
}

impl Turn {
    /// Reads what a host has set for a turn, by the names of the fields.
    pub fn read<V: Value>(value: &V) -> Turn {
        Turn {
            loaded: texts(&value.get("loaded")),
            forced: texts(&value.get("forced")),
            exclude: texts(&value.get("exclude")),
        }
    }
}

/// Why deferral applies or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The threshold is 0.
    Always,
    /// The threshold is false.
    Never,
    /// The deferred definitions reach the share of the window.
    Share,
    /// The deferred definitions reach the number of tokens.
    Tokens,
    /// The catalogue passes the number of tools.
    Tools,
    /// No limit is reached.
    Below,
    /// The transcript holds a search, so deferral stays.
    Begun,
    /// No tool is deferred.
    NothingDeferred,
    /// A tool of the host's has the search tool's name.
    ReservedName,
}

/// The decision with its numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deferral {
    /// Deferred tools are withheld.
    pub applied: bool,
    /// Why, as a stable name.
    pub reason: Reason,
    /// Why, with the numbers, for a person.
    pub message: String,
    /// How many tools are deferred.
    pub deferred_tools: u32,
    /// What their definitions cost, in tokens.
    pub deferred_tokens: u32,
    /// How many tools there are in all.
    pub catalogue_tools: u32,
    /// The context window, in tokens.
    pub context_window: f64,
    /// Where that number comes from: `contextWindow` or `default`.
    pub context_window_from: &'static str,
    /// The limits it was measured against.
    pub limits: Limits,
}

impl Serialize for Limits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut limits = serializer.serialize_struct("Limits", 3)?;
        limits.serialize_field("share", &self.share)?;
        limits.serialize_field("tokens", &self.tokens)?;
        limits.serialize_field("tools", &self.tools)?;
        limits.end()
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
pub struct Plan {
    /// Positions in the host's array, in the order to send; [`SEARCH_TOOL`] for the search tool.
    pub tools: Vec<i32>,
    /// The paragraph for the system prompt, where the search tool is among them.
    pub note: Option<String>,
    /// The names of what is loaded, in order: what to pass on.
    pub loaded: Vec<String>,
    /// The decision.
    pub deferral: Deferral,
    /// What it costs.
    pub tokens: Tokens,
    /// What was assumed or left out this turn.
    pub warnings: Vec<Warning>,
}

/// Whether deferral applies. `began`: the transcript holds a search.
pub fn decide(catalogue: &Catalogue, costs: &[u32], options: &Options, began: bool) -> Deferral {
    let mut deferred_tools = 0;
    let mut deferred_tokens = 0;
    for (position, tool) in catalogue.tools() {
        if tool.deferred {
            deferred_tools += 1;
            deferred_tokens = u32::saturating_add(deferred_tokens, cost(costs, position));
        }
    }
    let catalogue_tools = catalogue
        .entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Tool(_) | Entry::Opaque { .. }))
        .count() as u32;
    let window = options.context_window.unwrap_or(WINDOW);
    let limits = match &options.threshold {
        Threshold::Limits(limits) => *limits,
        Threshold::Fixed(_) => Limits::default(),
    };
    let zero = |limit: Option<f64>| limit == Some(0.0);
    let always = matches!(options.threshold, Threshold::Fixed(Fixed::Always))
        || zero(limits.share)
        || zero(limits.tokens)
        || zero(limits.tools);
    let share = limits.share.map(|share| share * window);
    let reached =
        |limit: Option<f64>| limit.is_some_and(|limit| f64::from(deferred_tokens) >= limit);
    let passed = |limit: Option<f64>| limit.is_some_and(|limit| f64::from(catalogue_tools) > limit);
    let (applied, reason, why) = if deferred_tools == 0 {
        (
            false,
            Reason::NothingDeferred,
            "no tool is deferred".to_owned(),
        )
    } else if catalogue.is_taken(&options.search_name) {
        (
            false,
            Reason::ReservedName,
            format!("a tool of the host's is called \"{}\"", options.search_name),
        )
    } else if matches!(options.threshold, Threshold::Fixed(Fixed::Never)) {
        (false, Reason::Never, "the threshold is false".to_owned())
    } else if always {
        (true, Reason::Always, "the threshold is 0".to_owned())
    } else if reached(share) {
        let share = share.unwrap_or_default();
        (
            true,
            Reason::Share,
            format!(
                "the deferred definitions take {deferred_tokens} tokens, the limit is {} ({} % of the context window of {})",
                decimal(share.round()),
                decimal(limits.share.unwrap_or_default() * 100.0),
                decimal(window)
            ),
        )
    } else if reached(limits.tokens) {
        (
            true,
            Reason::Tokens,
            format!(
                "the deferred definitions take {deferred_tokens} tokens, the limit is {}",
                decimal(limits.tokens.unwrap_or_default())
            ),
        )
    } else if passed(limits.tools) {
        (
            true,
            Reason::Tools,
            format!(
                "the catalogue has {catalogue_tools} tools, the limit is {}",
                decimal(limits.tools.unwrap_or_default())
            ),
        )
    } else if began {
        (
            true,
            Reason::Begun,
            "the conversation has searched before".to_owned(),
        )
    } else {
        (
            false,
            Reason::Below,
            format!(
                "the deferred definitions take {deferred_tokens} tokens, which is below the threshold"
            ),
        )
    };
    Deferral {
        applied,
        reason,
        message: format!(
            "{}: {why}",
            if applied {
                "tools are deferred"
            } else {
                "every tool is sent"
            }
        ),
        deferred_tools,
        deferred_tokens,
        catalogue_tools,
        context_window: window,
        context_window_from: if options.context_window.is_some() {
            "contextWindow"
        } else {
            "default"
        },
        limits,
    }
}

/// What goes out while tools are withheld.
#[derive(Clone, Copy, Debug)]
pub struct SearchTool<'a> {
    /// The note.
    pub note: &'a str,
    /// What the search tool's definition and the note cost.
    pub tokens: u32,
}

/// The tools of a turn, in their order: residents, the search tool, then what was loaded as it was
/// loaded, so that the array only grows at its end.
pub fn plan(
    catalogue: &Catalogue,
    costs: &[u32],
    search: SearchTool<'_>,
    options: &Options,
    turn: &Turn,
    history: &History,
) -> Plan {
    let deferral = decide(catalogue, costs, options, history.began);
    let mut warnings = Vec::new();
    let asks_share = matches!(&options.threshold, Threshold::Limits(limits) if limits.share.is_some_and(|share| share > 0.0));
    if asks_share && options.context_window.is_none() && deferral.deferred_tools > 0 {
        warnings.push(Warning::new(
            "unknown_context_window",
            None,
            format!(
                "the context window is taken to be {} tokens; set the option contextWindow",
                decimal(WINDOW)
            ),
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
    for name in &turn.forced {
        match catalogue.position(name) {
            Some(position) if excluded(position) => warnings.push(Warning::new(
                "forced_excluded",
                Some(name),
                format!("tool \"{name}\" is forced and excluded: it is left out"),
            )),
            Some(position) if catalogue.is_deferred(position) => {
                if !loaded.contains(&position) {
                    loaded.push(position);
                }
            }
            Some(_) => {}
            None if *name == options.search_name && deferral.applied => search_forced = true,
            None => warnings.push(Warning::new(
                "forced_unknown",
                Some(name),
                format!("there is no tool \"{name}\" to force"),
            )),
        }
    }
    let mut tools: Vec<i32> = Vec::new();
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
        } else {
            tools.push(position as i32);
            tokens.sent = tokens.sent.saturating_add(cost(costs, position));
        }
    }
    let mut with_note = false;
    if deferral.applied {
        let all_loaded = loaded.len() >= deferred;
        with_note = !all_loaded || search_forced || options.when_all_loaded == WhenAllLoaded::Keep;
        if with_note {
            tools.push(SEARCH_TOOL);
            tokens.sent = tokens.sent.saturating_add(search.tokens);
        }
        for position in &loaded {
            tools.push(*position as i32);
            tokens.sent = tokens.sent.saturating_add(cost(costs, *position));
            tokens.withheld = tokens.withheld.saturating_sub(cost(costs, *position));
        }
    }
    Plan {
        tools,
        note: with_note.then(|| search.note.to_owned()),
        loaded: loaded
            .iter()
            .map(|position| catalogue.name(*position).to_owned())
            .collect(),
        deferral,
        tokens,
        warnings,
    }
}

fn cost(costs: &[u32], position: u32) -> u32 {
    costs.get(position as usize).copied().unwrap_or(0)
}
