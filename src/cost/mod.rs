//! What definitions cost, in tokens.
//!
//! By an estimate of our own (`src/cost/estimate.rs`). The host's own counts take its place where given.

pub mod estimate;
pub mod provider;
mod weights;

use crate::catalogue::{Catalogue, Entry, Tool};
use crate::options::Options;
use crate::value::{Json, decimal, quote, write};

pub use estimate::estimate;
use provider::Factor;

/// The tokens of each definition, by position: those of the minified JSON of
/// `{name, description, parameters}`. What is not sent costs nothing.
pub fn costs(
    schemas: &[Option<&str>],
    catalogue: &Catalogue,
    options: &Options,
    factor: Factor,
) -> Vec<u32> {
    // One text for all of them, as each is soon done with it.
    let mut text = String::new();
    catalogue
        .entries
        .iter()
        .enumerate()
        .map(|(position, entry)| {
            let given = options
                .costs
                .as_ref()
                .and_then(|costs| costs.get(position).copied().flatten());
            match entry {
                Entry::Merged(_) | Entry::Excluded { .. } => 0,
                _ if given.is_some() => given.map_or(0, |cost| cost as u32),
                Entry::Tool(tool) => {
                    text.clear();
                    definition(tool, schemas.get(position).copied().flatten(), &mut text);
                    factor.apply(estimate(&text))
                }
                Entry::Opaque { bytes, .. } => factor.apply(opaque(*bytes)),
            }
        })
        .collect()
}

/// What is known of a hosted tool is its length: four bytes are a token of JSON, about.
fn opaque(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

/// The minified JSON of a definition.
fn definition(tool: &Tool, schema: Option<&str>, text: &mut String) {
    text.push_str(r#"{"name":"#);
    quote(&tool.name, text);
    if let Some(description) = &tool.description {
        text.push_str(r#","description":"#);
        quote(description, text);
    }
    if let Some(schema) = schema {
        text.push_str(r#","parameters":"#);
        text.push_str(schema);
    }
    text.push('}');
}

/// What our own texts cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// The search tool's definition.
    pub search: u32,
    /// The note on what is deferred.
    pub note: u32,
    /// The definition of the tool that calls all others.
    pub call: u32,
}

/// What they cost, by the host's counts where it counts.
pub fn own(search: &Json, note: &str, call: &Json, options: &Options, factor: Factor) -> Own {
    let given = |at: usize| options.own_costs.get(at).copied().flatten();
    let cost = |at: usize, estimate: u32| match given(at) {
        Some(cost) => cost as u32,
        None => factor.apply(estimate),
    };
    Own {
        search: cost(0, of_json(search)),
        note: cost(1, estimate(note)),
        call: cost(2, of_json(call)),
    }
}

/// The tokens of a definition that is JSON already, as o200k_base counts.
pub fn of_json(definition: &Json) -> u32 {
    let mut text = String::new();
    write(definition, &mut text, &decimal);
    estimate(&text)
}
