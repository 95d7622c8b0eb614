//! Texts, each with a number.

use foldhash::fast::FixedState;

/// Numbers texts in the order in which they are met. Never iterated: the order of its seeded hash
/// map can't reach an answer.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    #[allow(clippy::disallowed_types)]
    numbers: std::collections::HashMap<Box<str>, u32, FixedState>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        #[allow(clippy::disallowed_types)]
        let numbers = std::collections::HashMap::with_hasher(FixedState::with_seed(seed()));
        Vocabulary { numbers }
    }
}

impl Vocabulary {
    /// The text's number, if it was met.
    pub fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The text's number, and whether it is new.
    pub fn intern(&mut self, text: &str) -> (u32, bool) {
        if let Some(number) = self.numbers.get(text) {
            return (*number, false);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(text.into(), number);
        (number, true)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True when no text was met.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// A seed that the strangers who write tool texts can't know, so that they can't make texts that
/// collide in the hash map. Where none can be had (a Worker's module scope) a fixed one serves:
/// then only time is at stake, never an answer.
fn seed() -> u64 {
    const FIXED: u64 = 0x746f_6f6c_6372_6962;
    getrandom::u64().unwrap_or(FIXED)
}
