//! Context windows by the names that providers and gateways give their models.
//!
//! A name is read as its words, so that whatever stands before the model (`openai/`, `us.anthropic.`, `models/`,
//! `@cf/meta/`) and after it (a date, `-v1:0`, `:latest`, `@20250929`) is passed over and need not be known.

mod table;

use crate::names::{glob, is_pattern};
use crate::options::Options;

/// Assumed where nothing tells the window: that of most models in use. Named in a warning.
pub const ASSUMED: f64 = 128_000.0;

/// The window of the model that a turn names, else of the engine's, in tokens, and where it comes from: `contextWindow`,
/// `registered`, `model` or `default`. The option stands above any model.
pub fn window(options: &Options, model: Option<&str>) -> (f64, &'static str) {
    if let Some(tokens) = options.context_window {
        return (tokens, "contextWindow");
    }
    let Some(name) = model.or(options.model.as_deref()) else {
        return (ASSUMED, "default");
    };
    let words = words(name);
    if let Some(tokens) = registered(options, name, &words) {
        return (tokens, "registered");
    }
    match listed(&words) {
        0 => (ASSUMED, "default"),
        tokens => (f64::from(tokens), "model"),
    }
}

/// What the host has registered under this name: in whatever spelling first, then by a glob. The last one counts.
fn registered(options: &Options, name: &str, spelt: &str) -> Option<f64> {
    let small = name.to_ascii_lowercase();
    let slash = small.bytes().rposition(|byte| byte == b'/');
    let last = small
        .get(slash.map_or(0, |at| at + 1)..)
        .unwrap_or_default();
    let mut by_glob = None;
    for (known, tokens) in options.registered.iter().rev() {
        if !is_pattern(known) {
            if stands(spelt, &words(known), is_stamp) {
                return Some(*tokens);
            }
        } else if by_glob.is_none() {
            let known = known.to_ascii_lowercase();
            by_glob = (glob(&known, &small) || glob(&known, last)).then_some(*tokens);
        }
    }
    by_glob
}

/// The window of the longest pattern of the table that stands among the words; 0 where none does.
fn listed(words: &str) -> u32 {
    let (mut longest, mut found) = (0, 0);
    for (window, patterns) in table::TABLE {
        for pattern in patterns.split('|') {
            if pattern.len() > longest && stands(words, pattern, is_kind) {
                (longest, found) = (pattern.len(), window);
            }
        }
    }
    found
}

/// The words of a name, each after a space but the first: small letters, and numbers apart from the letters before them, as
/// `llama3.1`, `Llama-3.1` and Fireworks' `llama-v3p1` are written.
pub fn words(name: &str) -> String {
    /// No model has a longer name; what is longer was not written for one.
    const LONGEST: usize = 256;
    let bytes = name.as_bytes();
    let bytes = bytes.get(..LONGEST).unwrap_or(bytes);
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut words = String::new();
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        let is_point = matches!(byte, b'p' | b'P') && before.is_ascii_digit() && is_digit(at + 1);
        let starts_number = byte.is_ascii_digit() && before.is_ascii_alphabetic();
        let ends_word = !byte.is_ascii_alphanumeric() || is_point || starts_number;
        if ends_word && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        if byte.is_ascii_alphanumeric() && !is_point {
            words.push(char::from(byte.to_ascii_lowercase()));
        }
        before = if is_point { b' ' } else { *byte };
    }
    if words.ends_with(' ') {
        words.pop();
    }
    words
}

/// True when `wanted` stands among the words and what comes after may.
fn stands(words: &str, wanted: &str, fits: fn(&str) -> bool) -> bool {
    let (words, wanted) = (words.as_bytes(), wanted.as_bytes());
    let mut before = b' ';
    for at in 0..words.len() {
        let rest = words.get(at..).unwrap_or_default();
        if before == b' ' && !wanted.is_empty() && rest.starts_with(wanted) {
            let after = rest.get(wanted.len()..).unwrap_or_default();
            let next = after.get(1..).unwrap_or_default();
            let is_end = after.first().is_none_or(|byte| *byte == b' ');
            if is_end && fits(str::from_utf8(next).unwrap_or_default()) {
                return true;
            }
        }
        before = words[at];
    }
    false
}

/// A version has one or two digits; a date or a revision has more, or a zero first.
fn is_version(word: &str) -> bool {
    is_number(word) && !is_date(word)
}

fn is_date(number: &str) -> bool {
    is_number(number) && (number.len() > 2 || number.len() == 2 && number.starts_with('0'))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A kind of the model may follow, not more of its version: gpt-5.9 is no gpt-5.
fn is_kind(after: &str) -> bool {
    !after.split(' ').next().is_some_and(is_version)
}

/// Only a date, a revision or `latest` may follow: of a registered model every kind is another.
fn is_stamp(after: &str) -> bool {
    let mut is_dated = false;
    for word in after.split(' ') {
        match word {
            "v" => is_dated = true,
            "" | "latest" | "default" => {}
            _ if is_date(word) || is_dated && is_number(word) => is_dated = true,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(model: &str) -> Option<f64> {
        let (tokens, from) = window(&Options::default(), Some(model));
        (from == "model").then_some(tokens)
    }

    #[test]
    fn names_as_providers_and_gateways_write_them() {
        let claude = 200_000.0;
        for (model, wanted) in [
            ("openai/gpt-5.4", 1_050_000.0),
            ("gpt-5.4-2026-03-01", 1_050_000.0),
            ("GPT-5.4-Mini", 400_000.0),
            ("azure/gpt-4o", 128_000.0),
            ("ft:gpt-4o-mini-2024-07-18:acme::abc", 128_000.0),
            ("gpt-35-turbo", 16_385.0),
            ("openai:o3", 200_000.0),
            ("o1-mini", 128_000.0),
            ("claude-sonnet-4-5-20250929", claude),
            ("claude-sonnet-4-20250514", claude),
            ("claude-sonnet-4-5@20250929", claude),
            ("anthropic.claude-sonnet-4-5-20250929-v1:0", claude),
            ("us.anthropic.claude-opus-4-5-v1:0", claude),
            ("anthropic/claude-3.5-sonnet:beta", claude),
            ("claude-3-5-haiku-latest", claude),
            ("claude-opus-4-6", 1_000_000.0),
            ("models/gemini-2.5-pro", 1_048_576.0),
            ("google/gemini-2.5-flash-preview-09-2025", 1_048_576.0),
            (
                "publishers/google/models/gemini-2.5-pro@default",
                1_048_576.0,
            ),
            ("gemini-2.0-flash-001", 1_000_000.0),
            (
                "accounts/fireworks/models/llama-v3p1-8b-instruct",
                131_000.0,
            ),
            ("accounts/fireworks/models/kimi-k2p5", 262_144.0),
            ("@cf/meta/llama-3.1-8b-instruct", 128_000.0),
            ("llama3.1:8b", 128_000.0),
            ("ollama_chat/llama3.1:latest", 128_000.0),
            ("meta-llama/Meta-Llama-3.3-70B-Instruct-Turbo", 128_000.0),
            ("us.meta.llama3-3-70b-instruct-v1:0", 128_000.0),
            ("mistral-large-latest", 262_144.0),
            ("mistral-large-2411", 128_000.0),
            ("deepseek-chat", 64_000.0),
            ("qwen2.5-coder:7b", 32_768.0),
            ("x-ai/grok-4", 256_000.0),
            ("xai/grok-4-0709", 256_000.0),
            ("us.amazon.nova-pro-v1:0", 300_000.0),
        ] {
            assert_eq!(tokens(model), Some(wanted), "{model}");
        }
    }

    #[test]
    fn a_version_that_is_not_listed_is_not_known() {
        for model in [
            "",
            "gpt-5.9",
            "gpt-9",
            "claude-opus-4-9",
            "claude-sonnet-6",
            "gemini-9-pro",
            "acme-1",
            "model",
            "gpt",
            "claude",
            "ö",
        ] {
            assert_eq!(tokens(model), None, "{model}");
        }
    }

    #[test]
    fn a_registered_name_is_met_in_every_spelling_and_in_no_other_kind() {
        let options = Options {
            registered: vec![
                ("Acme-Large".to_owned(), 1000.0),
                ("acme-mini*".to_owned(), 2000.0),
                ("gpt-5.4".to_owned(), 3000.0),
                ("Gw/*-small".to_owned(), 4000.0),
            ],
            ..Options::default()
        };
        let found = |model: &str| {
            let (tokens, from) = window(&options, Some(model));
            (from == "registered").then_some(tokens)
        };
        for (model, wanted) in [
            ("acme-large", Some(1000.0)),
            ("gateway/ACME_LARGE:latest", Some(1000.0)),
            ("eu.acme-large-20260101-v1:0", Some(1000.0)),
            ("acme-large-2026-12-31", Some(1000.0)),
            ("acme-large@20260101", Some(1000.0)),
            ("acme-large-2", None),
            ("acme-large-turbo", None),
            ("acme-mini-2", Some(2000.0)),
            ("x/Acme-Mini", Some(2000.0)),
            ("openai/gpt-5.4-2026-03-01", Some(3000.0)),
            ("gpt-5.4-mini", None),
            ("gw/a-small", Some(4000.0)),
            ("a-small", None),
        ] {
            assert_eq!(found(model), wanted, "{model}");
        }
    }

    #[test]
    fn words_are_those_of_whatever_separates_them() {
        assert_eq!(
            words("US.Anthropic.claude-4--5@v1:0"),
            "us anthropic claude 4 5 v 1 0"
        );
        assert_eq!(words("llama-v3p1"), "llama v 3 1");
        assert_eq!(words("  gpt4o 1p 2px "), "gpt 4o 1p 2px");
        assert_eq!(words("…"), "");
        assert!(words(&"a1".repeat(1000)).len() < 400);
    }
}
