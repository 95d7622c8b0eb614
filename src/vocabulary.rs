//! Texts, each with a number.

/// Most words fit into so many bytes. Packed into two integers they are compared and hashed at once;
/// byte by byte that is a fifth of the time that an index takes.
const PACKED: usize = 15;

/// Numbers texts in the order in which they are met. Empty it costs nothing; the seed is drawn for the first text.
///
/// A table of its own: the standard library's is made anew for each kind of key, at 3 kB gzip for the two there were,
/// and takes a tenth longer to build an index when it is compiled for size.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    seed: (u64, u64),
    /// By a text's hash, and from there on: its number plus one, or 0 where nothing stands. At least half are 0.
    slots: Vec<u32>,
    /// By number.
    keys: Vec<Key>,
    /// Texts that do not fit into a key, which has their place here.
    long: Vec<Box<str>>,
}

/// A text of up to [`PACKED`] bytes with its length, no two alike; of a longer one its hash, and its place with
/// [`LONG`] in the length's stead.
type Key = (u64, u64);
const LONG: u64 = 0xFF;

impl Vocabulary {
    /// The text's number, if it was met.
    pub fn number(&self, text: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let key = self.key(text);
        self.slots[self.find(key, text)].checked_sub(1)
    }

    /// The text's number, and whether it is new.
    pub fn intern(&mut self, text: &str) -> (u32, bool) {
        if self.keys.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mut key = self.key(text);
        let slot = self.find(key, text);
        let next = self.keys.len() as u32;
        let known = self.slots[slot];
        if known > 0 {
            return (known - 1, false);
        }
        self.slots[slot] = next + 1;
        if key.1 == LONG {
            key.1 |= (self.long.len() as u64) << 8;
            self.long.push(text.into());
        }
        self.keys.push(key);
        (next, true)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True when no text was met.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    // Asked for every word that is indexed, as are the next two.
    #[inline(always)]
    fn key(&self, text: &str) -> Key {
        let bytes = text.as_bytes();
        if bytes.len() <= PACKED {
            return packed(bytes);
        }
        let mut hash = 0;
        for piece in bytes.chunks(PACKED) {
            let (head, tail) = packed(piece);
            hash = self.mixed((hash ^ head, tail));
        }
        (hash, LONG)
    }

    /// The slot of a text, or the empty one where it belongs.
    #[inline(always)]
    fn find(&self, key: Key, text: &str) -> usize {
        let most = self.slots.len() - 1;
        let mut slot = self.hash(key) as usize & most;
        loop {
            let number = self.slots[slot];
            if number == 0 {
                return slot;
            }
            let other = self.keys[number as usize - 1];
            let is_it = if key.1 == LONG {
                other.0 == key.0
                    && other.1 & LONG == LONG
                    && *self.long[(other.1 >> 8) as usize] == *text
            } else {
                other == key
            };
            if is_it {
                return slot;
            }
            slot = (slot + 1) & most;
        }
    }

    #[inline(always)]
    fn hash(&self, key: Key) -> u64 {
        // The place of a long text says nothing of it.
        let is_long = key.1 & LONG == LONG;
        self.mixed((key.0, if is_long { LONG } else { key.1 }))
    }

    /// Both halves of a key as one number, which nobody can foresee who does not know the seed: the halves of a product.
    #[inline(always)]
    fn mixed(&self, key: Key) -> u64 {
        let (a, b) = (key.0 ^ self.seed.0, key.1 ^ self.seed.1);
        let half = |number: u64| number & 0xFFFF_FFFF;
        let across = half(a).wrapping_mul(b >> 32);
        let other = (a >> 32).wrapping_mul(half(b));
        let mixed = across ^ other.rotate_right(32);
        mixed ^ mixed >> 32
    }

    fn grow(&mut self) {
        if self.slots.is_empty() {
            self.seed = (seed(), seed());
        }
        let size = (self.slots.len() * 2).max(16);
        self.slots.clear();
        self.slots.resize(size, 0);
        for number in 0..self.keys.len() {
            let mut slot = self.hash(self.keys[number]) as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[inline(always)]
fn packed(bytes: &[u8]) -> Key {
    let (mut head, mut rest) = (0, bytes);
    if let Some((first, after)) = bytes.split_first_chunk() {
        (head, rest) = (u64::from_le_bytes(*first), after);
    }
    let mut tail = 0;
    for byte in rest {
        tail = tail << 8 | u64::from(*byte);
    }
    if bytes.len() < 8 {
        (head, tail) = (tail, 0);
    }
    (head, tail << 8 | bytes.len() as u64)
}

/// A seed that the strangers who write tool texts can't know, so that they can't make texts that
/// collide in the table. Where none can be had (a Worker's module scope) a fixed one serves:
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
