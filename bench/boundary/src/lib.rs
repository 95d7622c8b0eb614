//! The ways in which values could cross between JavaScript and the engine.
//!
//! Each group of functions does one job, and all of a group return the same; `run.mjs` proves that and then times them
//! against each other. README.md has what came of it.

mod keys;
mod messages;
mod results;
mod tools;

/// Whatever is read goes into a number, so that nothing of it is optimised away and all ways can be compared.
/// FNV-1a, 32 bits.
pub(crate) struct Digest(u32);

impl Digest {
    pub(crate) fn new() -> Digest {
        Digest(0x811c_9dc5)
    }
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
    pub(crate) fn text(&mut self, text: &str) {
        // A sample of a long text: the digest must not be what is timed.
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes().get(..8).unwrap_or(text.as_bytes()));
    }
    pub(crate) fn value(self) -> u32 {
        self.0
    }
}
