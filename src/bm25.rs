//! The arithmetic of BM25F, in free functions of numbers.
//!
//! Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields" (CIKM 2004):
//! the frequencies of a term in a document's fields are weighted and length-normalised one by one,
//! added, and only the sum is saturated.

/// Where repeating a term stops to matter: the customary value.
pub const K1: f64 = 1.2;

/// How rare a term is: the inverse document frequency in the form that is never negative.
/// `n` of `n_documents` documents hold the term.
pub fn idf(n: u32, n_documents: u32) -> f64 {
    let n = f64::from(n);
    let n_documents = f64::from(n_documents);
    libm::log(1.0 + (n_documents - n + 0.5) / (n + 0.5))
}

/// What a frequency in a field of `length` words is divided by, where fields of its kind have
/// `average` words. `b` says how far length matters, 0 not at all and 1 in full.
pub fn length_factor(length: f64, average: f64, b: f64) -> f64 {
    if average > 0.0 {
        1.0 - b + b * length / average
    } else {
        1.0
    }
}

/// A summed frequency, saturated: 0 for none, [`K1`] + 1 at most.
#[inline(always)]
pub fn saturated(frequency: f64) -> f64 {
    frequency * (K1 + 1.0) / (frequency + K1)
}
