//! Whether deferral applies, and why.

use serde::Serialize;

use crate::catalogue::{Catalogue, Entry};
use crate::models;
use crate::options::{Fixed, Limits, Options, Threshold};
use crate::value::decimal;

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
    /// There are more tools than a turn may send.
    MaxSent,
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
    /// Where that number comes from: `contextWindow`, `registered` or `model` (by the model's name), or `default`.
    pub context_window_from: &'static str,
    /// The model whose window it is, where its name told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
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

/// Whether deferral applies. `model` is the turn's, where it names one; `began`: the transcript holds a search.
pub fn decide(
    catalogue: &Catalogue,
    costs: &[u32],
    options: &Options,
    model: Option<&str>,
    began: bool,
) -> Deferral {
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
    let (window, from) = models::window(options, model);
    let is_named = from == "model" || from == "registered";
    let model = model.or(options.model.as_deref()).filter(|_| is_named);
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
                "the deferred definitions take {deferred_tokens} tokens, the limit is {} ({} % of the context window of {}{})",
                decimal(share.round()),
                decimal(limits.share.unwrap_or_default() * 100.0),
                decimal(window),
                model.map_or(String::new(), |model| [", that of ", model].concat())
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
    } else if let Some(most) = options
        .max_sent
        .filter(|most| catalogue_tools as usize > *most)
    {
        (
            true,
            Reason::MaxSent,
            format!("the catalogue has {catalogue_tools} tools, and a turn sends at most {most}"),
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
        context_window_from: from,
        model: model.map(str::to_owned),
        limits,
    }
}

fn cost(costs: &[u32], position: u32) -> u32 {
    costs.get(position as usize).copied().unwrap_or(0)
}
