//! The engine of toolcrib: tool definitions and messages in, the tools of this turn out, and
//! answers to `tool_search`.
//!
//! Four types are enough to use it natively: [`engine::Engine`] over a catalogue,
//! [`options::Options`] for how it behaves, [`plan::Turn`] for what a host says of one turn, and
//! [`value::Json`] for tools and messages.
//!
//! ```
//! use toolcrib::engine::Engine;
//! use toolcrib::options::{Fixed, Options, Threshold};
//! use toolcrib::plan::{SEARCH_TOOL, Turn};
//! use toolcrib::value::Json;
//!
//! let tools = [
//!     r#"{"name": "read_file", "description": "Read a text file"}"#,
//!     r#"{"name": "create_invoice", "description": "Bill a customer", "deferLoading": true}"#,
//!     r#"{"name": "get_weather", "description": "Forecast for a city", "deferLoading": true}"#,
//! ]
//! .map(|text| Json::parse(text).unwrap());
//! let tools: Vec<Option<&Json>> = tools.iter().map(Some).collect();
//! let schemas = [None; 3];
//! // So few tools are not worth deferring; this does it all the same.
//! let options = Options { threshold: Threshold::Fixed(Fixed::Always), ..Options::default() };
//! let engine = Engine::new(&tools, &schemas, options).unwrap();
//!
//! // What to send: positions in `tools`.
//! let asked = r#"{"role": "user", "content": "Charge ACME 300 euros"}"#;
//! let messages = Json::parse(&format!("[{asked}]")).unwrap();
//! assert_eq!(engine.turn(&Some(&messages), &Turn::default()).tools, [0, SEARCH_TOOL]);
//!
//! // The model searches. Its message and the answer are appended to the messages.
//! let said = r#"{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function",
//!     "function": {"name": "tool_search", "arguments": "{\"query\": \"bill customer\"}"}}]}"#;
//! let call = Json::parse(said).unwrap();
//! let replies = engine.answer(&Some(&call), &Some(&messages), &Turn::default(), None);
//! assert_eq!(replies[0].loaded, ["create_invoice"]);
//!
//! // What is loaded is read back from there.
//! let part = serde_json::to_string(&replies[0].part).unwrap();
//! let messages = Json::parse(&format!("[{asked}, {said}, {part}]")).unwrap();
//! assert_eq!(engine.turn(&Some(&messages), &Turn::default()).tools, [0, SEARCH_TOOL, 1]);
//!
//! // The same ranking without a model.
//! let query = Json::Text("charge a customer".into());
//! assert_eq!(engine.search(&Some(&query), &None, false)[0].name, "create_invoice");
//! ```
//!
//! The modules stand in reading order, which is the only order in which they may use each other:
//! a module knows none that comes after it (`tests/tidy.rs`). Nothing here does I/O, reads a clock
//! or draws a random number that could change an answer.

// See `terms::split::part`.
#![cfg_attr(not(test), warn(clippy::string_slice))]

pub mod error;
mod json;
pub mod value;
pub mod texts;
pub mod options;
pub mod sort;
pub mod vocabulary;
pub mod terms;
pub mod request;
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
pub mod models;
pub mod delivery;
pub mod deferral;
pub mod choice;
pub mod plan;
pub mod prefix;
pub mod fit;
pub mod result;
pub mod report;
pub mod engine;
#[cfg(target_arch = "wasm32")]
mod wasm;
