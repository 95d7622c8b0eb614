//! The laws of DESIGN.md, as properties. Each was seen red once by breaking what it guards.

// A test that fails may panic; the lint lets only functions marked as tests do so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../world/mod.rs"]
mod world;

mod aliases;
mod answer;
mod bad_input;
mod changes;
mod containers;
mod deliveries;
mod fit;
mod formats;
mod keep;
mod loaded;
mod max_sent;
mod prefix;
mod schemas;
mod search;
mod terms;
mod turn;
mod values;
mod wires;
