//! By how much a provider's tokenizer differs from the one that the estimate follows.

use crate::options::Options;
use crate::tool::Wire;

/// So many tokens of the provider's for so many of o200k_base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    tokens: u64,
    of: u64,
}

/// The tokenizer of OpenAI's models, and what others are taken to have: whose differs by how much is not known.
const SAME: Factor = Factor { tokens: 1, of: 1 };

/// Claude up to 4.6. Measured for Claude 3.5 Sonnet beside GPT-4o: 1.16 for English, 1.21 for mathematics, 1.30 for
/// Python (published in May 2025). A definition lies between prose and code. Within 1.15 and 1.35.
const CLAUDE: Factor = Factor { tokens: 5, of: 4 };

/// The first of Claude's with the tokenizer of today.
const NEWER: (u32, u32) = (4, 7);

/// Claude from 4.7 on: Anthropic says 1.0 to 1.35 times the tokens of before; counted by its own endpoint it was 1.31
/// for JSON with much text, 1.13 to 1.33 for code, 1.2 to 1.47 for English, and 1.0 for Chinese, Japanese, Korean,
/// Arabic, Hindi and Russian (published in April 2026). 1.25 times 1.31. Another measurement of definitions has it at 1.6
/// to 2.1 times o200k_base. Within 1.4 and 2.1, and too much for a catalogue that is not in Latin letters.
const CLAUDE_NEWER: Factor = Factor { tokens: 33, of: 20 };

impl Factor {
    /// The factor for an engine: by its model, or by its format where that is one provider's. A Claude whose version
    /// is not told counts as a newer one: deferral that begins too early costs a search, too late a full window.
    pub fn of(options: &Options, wire: &Wire) -> Factor {
        match options.model.as_deref() {
            None | Some("") if wire.is_anthropics() => CLAUDE_NEWER,
            None => SAME,
            Some(model) => match claude(model) {
                None => SAME,
                Some(Some(version)) if version < NEWER => CLAUDE,
                Some(_) => CLAUDE_NEWER,
            },
        }
    }

    /// The provider's tokens, rounded to the nearest.
    pub fn apply(self, tokens: u32) -> u32 {
        let tokens = u64::from(tokens) * self.tokens + self.of / 2;
        u32::try_from(tokens / self.of).unwrap_or(u32::MAX)
    }
}

/// The version of a Claude, as far as its name tells it: `claude-3-5-sonnet-20241022`, `us.anthropic.claude-opus-4-7-v1:0`.
fn claude(model: &str) -> Option<Option<(u32, u32)>> {
    let model = model.to_ascii_lowercase();
    let mut words = model
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|word| *word != "claude");
    words.next()?;
    // A date has eight digits, a version one or two.
    let number = |word: &str| word.parse().ok().filter(|_| word.len() < 3);
    let mut rest = words.skip_while(|word| number(word).is_none());
    let major = rest.next().and_then(number);
    let minor = rest.next().and_then(number).unwrap_or(0);
    Some(major.map(|major| (major, minor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claude_is_known_by_its_name_and_version() {
        for (model, version) in [
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("us.anthropic.claude-opus-4-7-20260416-v1:0", Some((4, 7))),
            ("anthropic/claude-sonnet-4.6", Some((4, 6))),
            ("claude-opus-4-20250514", Some((4, 0))),
            ("Claude-Opus-5", Some((5, 0))),
            ("claude-latest", None),
        ] {
            assert_eq!(claude(model), Some(version), "{model}");
        }
        for model in ["gpt-5.4", "", "notclaude-4", "gemini-3-pro"] {
            assert_eq!(claude(model), None, "{model}");
        }
    }

    #[test]
    fn a_factor_rounds_to_the_nearest_and_never_overflows() {
        assert_eq!(SAME.apply(7), 7);
        assert_eq!(CLAUDE.apply(100), 125);
        assert_eq!(CLAUDE.apply(2), 3);
        assert_eq!(CLAUDE_NEWER.apply(20), 33);
        assert_eq!(CLAUDE_NEWER.apply(u32::MAX), u32::MAX);
    }
}
