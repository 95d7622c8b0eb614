//! How much of a request's tools a provider's cache keeps from the request before, and why not more.

use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::names::any_glob;
use crate::options::texts;
use crate::plan::{CALL_TOOL, DEFERRED, SEARCH_TOOL};
use crate::value::Value;

/// What a host kept of the turn before, beside the tools of this one.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// The names of the tools that were sent, in order.
    pub names: Vec<String>,
    /// The names of those that were loaded.
    pub loaded: Vec<String>,
    /// Deferral applied.
    pub applied: bool,
    /// The delivery that was used.
    pub used: String,
    /// How many definitions from the first on are the same now, byte by byte.
    pub unchanged: usize,
}

impl Before {
    /// Reads what the face compared.
    pub fn read<V: Value>(value: &V) -> Before {
        let number = value.get("unchanged").number().unwrap_or(0.0);
        Before {
            names: texts(&value.get("names")),
            loaded: texts(&value.get("loaded")),
            applied: value.get("applied").flag().unwrap_or(false),
            used: value.text_at("used").unwrap_or_default(),
            unchanged: number.max(0.0) as usize,
        }
    }
}

/// This turn, as far as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// The tools, as a plan has them.
    pub tools: Vec<i32>,
    /// How each goes out, as a plan has it.
    pub forms: Vec<u8>,
    /// The names of what is loaded.
    pub loaded: Vec<String>,
    /// Deferral applies.
    pub applied: bool,
    /// Names or globs that this turn excludes.
    pub exclude: Vec<String>,
}

impl Now {
    /// Reads what the face was given for this turn.
    pub fn read<V: Value>(value: &V) -> Now {
        let numbers = |key: &'static str| -> Vec<i32> {
            let list = value.get(key);
            let numbers = (0..list.len()).filter_map(|at| list.at(at).number());
            numbers.map(|number| number as i32).collect()
        };
        Now {
            tools: numbers("tools"),
            forms: numbers("forms")
                .into_iter()
                .map(|form| form as u8)
                .collect(),
            loaded: texts(&value.get("loaded")),
            applied: value.get("applied").flag().unwrap_or(false),
            exclude: texts(&value.get("exclude")),
        }
    }
}

/// What became of the prefix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prefix {
    /// How many tools from the first on are the same.
    pub unchanged: usize,
    /// How many there were.
    pub before: usize,
    /// How many there are.
    pub now: usize,
    /// Why it is no longer, as a stable name.
    pub reason: &'static str,
    /// The same for a person.
    pub message: String,
    /// What the definitions cost.
    pub tokens: Tokens,
}

/// Tokens of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Of those that are the same.
    pub unchanged: u32,
    /// Of the rest, which are new to the cache.
    pub changed: u32,
}

/// Compares two turns. `label` names what stands in the plan, `cost` says what it costs.
pub fn compare(
    catalogue: &Catalogue,
    used: &str,
    before: &Before,
    now: &Now,
    label: &dyn Fn(i32) -> String,
    cost: &dyn Fn(i32) -> u32,
) -> Prefix {
    let names: Vec<String> = now.tools.iter().map(|slot| label(*slot)).collect();
    let unchanged = before.unchanged.min(names.len()).min(before.names.len());
    // A flagged definition costs nothing until the provider loads it.
    let is_free = |at: usize| now.forms.get(at).is_some_and(|form| form & DEFERRED != 0);
    let sum = |from: usize, to: usize| {
        let slots = now.tools.iter().enumerate().skip(from).take(to - from);
        let costs = slots
            .filter(|(at, _)| !is_free(*at))
            .map(|(_, slot)| cost(*slot));
        costs.fold(0, u32::saturating_add)
    };
    let gone = before.names.get(unchanged);
    let came = names.get(unchanged);
    let is_search = |name: &String| {
        [SEARCH_TOOL, CALL_TOOL]
            .iter()
            .any(|slot| label(*slot) == *name)
    };
    let (reason, why) = match (gone, came) {
        (None, None) => ("same", String::new()),
        (None, Some(_)) => ("appended", String::new()),
        _ if before.used != used => ("delivery", String::new()),
        _ if before.applied != now.applied => ("deferral", String::new()),
        (Some(gone), _) if !names.contains(gone) => {
            let reason = if is_search(gone) {
                "withdrawn"
            } else if any_glob(&now.exclude, gone) {
                "excluded"
            } else if catalogue.position(gone).is_none() && catalogue.opaque(gone).is_none() {
                "removed"
            } else if before.loaded.contains(gone) && !now.loaded.contains(gone) {
                "unloaded"
            } else {
                "removed"
            };
            (reason, gone.clone())
        }
        (Some(gone), Some(came)) if gone == came => ("changed", gone.clone()),
        (_, Some(came)) if !before.names.contains(came) => ("added", came.clone()),
        (_, came) => ("reordered", came.cloned().unwrap_or_default()),
    };
    let what = match reason {
        "same" => "nothing changed",
        "appended" => "tools came at the end",
        "delivery" => "another delivery is used",
        "deferral" => "whether tools are deferred changed",
        "withdrawn" => "is withdrawn, as nothing is left to load",
        "excluded" => "is excluded this turn",
        "unloaded" => "is no longer loaded: its search result is gone from the messages",
        "changed" => "has another definition",
        "added" => "is new and stands before others",
        "reordered" => "stands in another place",
        _ => "is no longer there",
    };
    Prefix {
        unchanged,
        before: before.names.len(),
        now: names.len(),
        reason,
        message: if why.is_empty() {
            what.to_owned()
        } else {
            ["tool \"", &why, "\" ", what].concat()
        },
        tokens: Tokens {
            unchanged: sum(0, unchanged),
            changed: sum(unchanged, names.len()),
        },
    }
}
