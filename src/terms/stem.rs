//! The stem of an English word.
//!
//! The rules are Snowball's English (Porter 2) of 2026, written after the code that its compiler makes of them
//! (the notice for both is in THIRD_PARTY.md). They keep apart what the older ones in rust-stemmers merge,
//! such as university and universe, organization and organ, general and generate. What they still bring together
//! wrongly (author and authorize, execute and executive) is softened by the exact form that is indexed beside the
//! stem. Another stem is another score, so the tests hold every step to the crate frostem, which the Snowball compiler
//! wrote, pinned exactly. That is 6 kB gzip, most of it for texts that a folded word can't be; this is 2.

use std::borrow::Cow;

/// Below three letters English has no ending to take off.
const SHORTEST: usize = 3;

/// The stem of a folded word: `invoices`, `invoiced` and `invoicing` are one. A word that is not all ASCII letters
/// (another script, `s3`, `v2`) or has less than three of them is its own stem. Not idempotent. Allocates only when
/// the stem is not the word itself.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < SHORTEST {
        return Cow::Borrowed(word);
    }
    for byte in word.as_bytes() {
        if !byte.is_ascii_lowercase() {
            return Cow::Borrowed(word);
        }
    }
    // No exception is longer, so that most words need no look.
    if word.len() <= LONGEST_EXCEPTION
        && let Some((_, stem)) = EXCEPTIONS.iter().find(|(other, _)| *other == word)
    {
        return Cow::Borrowed(stem);
    }
    let mut english = English::new(word);
    english.plural();
    english.past_or_participle();
    english.final_y();
    english.derived();
    english.derived_again();
    english.ending();
    english.last_letter();
    let mut stem = english.letters;
    stem.make_ascii_lowercase();
    match String::from_utf8(stem) {
        Ok(stem) if stem != word => Cow::Owned(stem),
        _ => Cow::Borrowed(word),
    }
}

const LONGEST_EXCEPTION: usize = 6;

/// Words whose stem no rule gives.
const EXCEPTIONS: [(&str, &str); 15] = [
    ("skis", "ski"),
    ("skies", "sky"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
    ("singly", "singl"),
    ("sky", "sky"),
    ("news", "news"),
    ("howe", "howe"),
    ("atlas", "atlas"),
    ("cosmos", "cosmos"),
    ("bias", "bias"),
    ("andes", "andes"),
];

/// Beginnings after which the first region starts, wherever the rule would have it.
const BEGINNINGS: [&str; 9] = [
    "arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers",
];

/// Endings and what takes their place, within the first region. In all these lists the longest that fits is the one
/// that counts, and stands before those that are its own end.
const DERIVED: [(&str, &str); 25] = [
    ("ization", "ize"),
    ("ational", "ate"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("aliti", "al"),
    ("alism", "al"),
    ("ation", "ate"),
    ("entli", "ent"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ogist", "og"),
    ("ousli", "ous"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
];

/// As [`DERIVED`], after it.
const DERIVED_AGAIN: [(&str, &str); 9] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("ative", ""),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

/// Endings that go within the second region.
const ENDINGS: [&str; 18] = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
    "ive", "ize", "ous", "al", "er", "ic",
];

/// A word on its way to its stem. A `y` that is a consonant is written `Y`.
struct English {
    letters: Vec<u8>,
    /// Where the part begins that follows the first consonant after a vowel.
    first: usize,
    /// The same within that part.
    second: usize,
}

impl English {
    fn new(word: &str) -> English {
        let mut letters = word.as_bytes().to_vec();
        let mut after_vowel = true;
        for letter in &mut letters {
            if *letter == b'y' && after_vowel {
                *letter = b'Y';
            }
            after_vowel = is_vowel(*letter);
        }
        let first = BEGINNINGS
            .iter()
            .find(|beginning| word.starts_with(**beginning))
            .map_or_else(|| region(&letters, 0), |beginning| beginning.len());
        English {
            second: region(&letters, first),
            first,
            letters,
        }
    }

    /// The letters before an ending of this length.
    fn before(&self, length: usize) -> &[u8] {
        let end = self.letters.len().saturating_sub(length);
        self.letters.get(..end).unwrap_or_default()
    }

    /// The letters before this ending, if the word has it.
    // Most endings are told apart by their last letter, and without a call.
    #[inline(always)]
    fn without(&self, ending: &str) -> Option<&[u8]> {
        (self.letters.last() == ending.as_bytes().last())
            .then(|| self.letters.strip_suffix(ending.as_bytes()))?
    }

    /// Puts `letters` in the place of as many as `length` at the end.
    fn replace(&mut self, length: usize, letters: &str) {
        self.letters
            .truncate(self.letters.len().saturating_sub(length));
        self.letters.extend_from_slice(letters.as_bytes());
    }

    fn plural(&mut self) {
        if self.without("sses").is_some() {
            self.replace(2, "");
        } else if let Some(stem) = self.without("ied").or_else(|| self.without("ies")) {
            let goes = if stem.len() < 2 { 1 } else { 2 };
            self.replace(goes, "");
        } else if self.without("us").is_none()
            && self.without("ss").is_none()
            && self.without("s").is_some()
            && self.before(2).iter().any(|letter| is_vowel(*letter))
        {
            self.replace(1, "");
        }
    }

    fn past_or_participle(&mut self) {
        for ending in ["eedly", "eed"] {
            if let Some(stem) = self.without(ending) {
                if stem.len() >= self.first && !matches!(stem, b"succ" | b"proc" | b"exc") {
                    self.replace(ending.len(), "ee");
                }
                return;
            }
        }
        let Some(ending) = ["ingly", "edly", "ing", "ed"]
            .into_iter()
            .find(|ending| self.without(ending).is_some())
        else {
            return;
        };
        let stem = self.before(ending.len());
        if ending == "ing" {
            match stem {
                [consonant, b'y'] if !is_vowel(*consonant) => return self.replace(4, "ie"),
                b"even" | b"cann" | b"inn" | b"earr" | b"herr" | b"out" => return,
                _ => {}
            }
        }
        if !stem.iter().any(|letter| is_vowel(*letter)) {
            return;
        }
        self.replace(ending.len(), "");
        match self.letters.as_slice() {
            [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => self.replace(0, "e"),
            // Not from `add`, `egg` and `off`, whose first region begins too early for what follows.
            [rest @ .., a, b]
                if a == b && b"bdfgmnprt".contains(b) && !matches!(rest, [b'a' | b'e' | b'o']) =>
            {
                self.replace(1, "");
            }
            letters if letters.len() == self.first && is_short(letters) => self.replace(0, "e"),
            _ => {}
        }
    }

    fn final_y(&mut self) {
        if let [_, .., before, b'y' | b'Y'] = self.letters.as_slice()
            && !is_vowel(*before)
        {
            self.replace(1, "i");
        }
    }

    /// The first of these endings that the word has, if it stands within the first region.
    fn derivation(
        &self,
        endings: &[(&'static str, &'static str)],
    ) -> Option<(&'static str, &'static str)> {
        for (ending, to) in endings {
            if self.without(ending).is_some() {
                let is_within = self.before(ending.len()).len() >= self.first;
                return is_within.then_some((*ending, *to));
            }
        }
        None
    }

    fn derived(&mut self) {
        let Some((ending, to)) = self.derivation(&DERIVED) else {
            return;
        };
        let last = self.before(ending.len()).last();
        let fits = match ending {
            "ogi" => last == Some(&b'l'),
            "li" => last.is_some_and(|last| b"cdeghkmnrt".contains(last)),
            _ => true,
        };
        if fits {
            self.replace(ending.len(), to);
        }
    }

    fn derived_again(&mut self) {
        if let Some((ending, to)) = self.derivation(&DERIVED_AGAIN)
            && (ending != "ative" || self.before(ending.len()).len() >= self.second)
        {
            self.replace(ending.len(), to);
        }
    }

    fn ending(&mut self) {
        let mut found = None;
        for ending in &ENDINGS {
            if self.without(ending).is_some() {
                found = Some(ending);
                break;
            }
        }
        let Some(ending) = found else {
            return;
        };
        let stem = self.before(ending.len());
        if stem.len() >= self.second
            && (*ending != "ion" || matches!(stem.last(), Some(b's' | b't')))
        {
            self.replace(ending.len(), "");
        }
    }

    fn last_letter(&mut self) {
        let goes = match self.letters.as_slice() {
            [stem @ .., b'e'] => {
                stem.len() >= self.second || stem.len() >= self.first && !is_short(stem)
            }
            [stem @ .., b'l'] => stem.len() >= self.second && stem.last() == Some(&b'l'),
            _ => false,
        };
        if goes {
            self.replace(1, "");
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Where what follows the first consonant after a vowel begins, from a place on; the end if there is none.
fn region(letters: &[u8], from: usize) -> usize {
    let mut seen = false;
    for (at, letter) in letters.iter().enumerate().skip(from) {
        let vowel = is_vowel(*letter);
        if seen && !vowel {
            return at + 1;
        }
        seen |= vowel;
    }
    letters.len()
}

/// Whether letters end in a short syllable.
fn is_short(letters: &[u8]) -> bool {
    match letters {
        [vowel, last] => is_vowel(*vowel) && !is_vowel(*last),
        [.., before, vowel, last] => {
            let closed = !is_vowel(*last) && !matches!(last, b'w' | b'x' | b'Y');
            closed && is_vowel(*vowel) && !is_vowel(*before) || letters.ends_with(b"past")
        }
        _ => false,
    }
}
