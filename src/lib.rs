//! The engine of toolcrib: tool definitions and messages in, the tools of this turn out, and
//! answers to `tool_search`.
//!
//! Three types are enough to use it natively: [`engine::Engine`] over a catalogue,
//! [`options::Options`] for how it behaves, and [`value::Json`] for tools and messages.
//!
//! ```
//! use toolcrib::engine::Engine;
//! use toolcrib::options::Options;
//! use toolcrib::value::Json;
//!
//! let tools = [
//!     r#"{"name": "create_invoice", "description": "Bill a customer", "deferLoading": true}"#,
//!     r#"{"name": "get_weather", "description": "Forecast for a city", "deferLoading": true}"#,
//! ]
//! .map(|text| Json::parse(text).unwrap());
//! let tools: Vec<Option<&Json>> = tools.iter().map(Some).collect();
//! let engine = Engine::new(&tools, &[None, None], Options::default()).unwrap();
//!
//! let query = Json::Text("charge a customer".into());
//! let hits = engine.search(&Some(&query), &None, false);
//! assert_eq!(hits[0].name, "create_invoice");
//! ```
//!
//! The modules stand in reading order, which is the only order in which they may use each other:
//! a module knows none that comes after it (`tests/tidy.rs`). Nothing here does I/O, reads a clock
//! or draws a random number that could change an answer.

pub mod error;
pub mod value;
pub mod options;
pub mod sort;
pub mod vocabulary;
pub mod terms;
pub mod tool;
pub mod names;
pub mod catalogue;
pub mod fields;
pub mod bm25;
pub mod index;
pub mod transcript;
pub mod loaded;
pub mod search;
pub mod explain;
pub mod cost;
pub mod identity;
pub mod plan;
pub mod result;
pub mod report;
pub mod engine;
#[cfg(target_arch = "wasm32")]
mod wasm;
