//! Texts, each with a number.

use std::hash::Hash;

use foldhash::fast::FixedState;

/// Most words fit into so many bytes. Packed into two integers they are compared and hashed at once;
/// byte by byte that is a fifth of the time that an index takes.
const PACKED: usize = 15;

/// Numbers texts in the order in which they are met. Never iterated: the order of its seeded hash
/// maps can't reach an answer. Empty it costs nothing; the seed is drawn for the first text.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    maps: Option<Maps>,
}

#[derive(Clone, Debug)]
struct Maps {
    short: Map<Packed>,
    long: Map<Box<str>>,
}

#[allow(clippy::disallowed_types)]
type Map<K> = std::collections::HashMap<K, u32, FixedState>;

impl Maps {
    fn new() -> Maps {
        fn map<K: Eq + Hash>(seed: u64) -> Map<K> {
            Map::with_hasher(FixedState::with_seed(seed))
        }
        let seed = seed();
        Maps {
            short: map(seed),
            long: map(seed),
        }
    }

    fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }
}

impl Vocabulary {
    /// The text's number, if it was met.
    pub fn number(&self, text: &str) -> Option<u32> {
        let maps = self.maps.as_ref()?;
        match packed(text) {
            Some(key) => maps.short.get(&key),
            None => maps.long.get(text),
        }
        .copied()
    }

    /// The text's number, and whether it is new.
    pub fn intern(&mut self, text: &str) -> (u32, bool) {
        let maps = self.maps.get_or_insert_with(Maps::new);
        let next = maps.len() as u32;
        match packed(text) {
            Some(key) => {
                let number = *maps.short.entry(key).or_insert(next);
                (number, number == next)
            }
            None => match maps.long.get(text) {
                Some(number) => (*number, false),
                None => {
                    maps.long.insert(text.into(), next);
                    (next, true)
                }
            },
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.maps.as_ref().map_or(0, Maps::len)
    }

    /// True when no text was met.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A short text with its length, no two alike.
type Packed = (u64, u64);

// Asked for every word that is indexed.
#[inline(always)]
fn packed(text: &str) -> Option<Packed> {
    let bytes = text.as_bytes();
    let pack = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0_u64, |packed, byte| packed << 8 | u64::from(*byte))
    };
    (bytes.len() <= PACKED).then(|| {
        let (head, tail) = bytes.split_at(bytes.len().min(8));
        (pack(head), pack(tail) << 8 | bytes.len() as u64)
    })
}

/// A seed that the strangers who write tool texts can't know, so that they can't make texts that
/// collide in the hash map. Where none can be had (a Worker's module scope) a fixed one serves:
/// then only time is at stake, never an answer.
fn seed() -> u64 {
    const FIXED: u64 = 0x746f_6f6c_6372_6962;
    getrandom::u64().unwrap_or(FIXED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_every_text_once() {
        let texts = [
            "",
            "\0",
            "\0\0",
            "a",
            "b",
            "ab",
            "ba",
            "abcdefghijklmno",
            "abcdefghijklmnop",
            "é",
            "tool",
            "toolcrib is a library",
        ];
        let mut vocabulary = Vocabulary::default();
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(vocabulary.number(text), None, "{text:?}");
            assert_eq!(vocabulary.intern(text), (number as u32, true), "{text:?}");
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(vocabulary.intern(text), (number as u32, false), "{text:?}");
            assert_eq!(vocabulary.number(text), Some(number as u32), "{text:?}");
        }
    }
}
