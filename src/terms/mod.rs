//! Words: the one way from text to search words, for documents and queries alike.
//!
//! `split` finds the words, `fold` makes the spellings of one word the same, `stem` brings its forms together,
//! `stop` names the words of a query that say nothing. None of them knows what a tool is.

mod fold;
mod fold_table;
mod split;
mod stem;
mod stop;

#[cfg(test)]
mod tests;

pub use fold::letters;
pub use split::{Kind, words};
pub use stem::stem;
pub use stop::is_stop_word;
