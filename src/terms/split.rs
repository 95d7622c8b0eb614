//! Text to words.

use super::fold::{Folded, Script, compose, fold, is_mark, is_stacked, is_stacker, script};

/// What a word is to the text it came from.
///
/// The parts of a text are the words that a person would read in it, and are the same however a name is spelled:
/// `createInvoice`, `create_invoice` and `create-invoice` all have the parts `create` and `invoice`. A whole is
/// one more form of what has parts already, there to be found by whoever writes it: `createinvoice`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A word that splits no further.
    Part,
    /// A longer form of the parts beside it (`createinvoice`, `oauth2`, a Korean word with its particle), or what
    /// follows the single letter that a part starts with (`auth` in `OAuth`).
    Whole,
}

/// No word is longer than this many characters; the rest is cut off. What is longer is data (a key, an encoded
/// file), which nobody searches for, and an index of strangers' text must not be made to keep it.
pub(super) const LONGEST_WORD: usize = 64;

/// Fewer letters than this beside a digit are no word of their own: `s3`, `v2`, `k8s`, `2fa` and `h264` mean
/// something only together, while `oauth2` and `sha256` are looked for without their digits too.
const SHORTEST_BESIDE_DIGITS: usize = 3;

/// A single digit within an identifier tells nothing: every catalogue is full of them, and the form with its letters
/// is there. Years and numbers are looked for. A number that stands alone is a word, whatever its length.
const SHORTEST_NUMBER_WITHIN: usize = 2;

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const WORD: u8 = LOWER | UPPER | DIGIT;
const APOSTROPHE: u8 = 8;
const WIDE: u8 = 16;

/// What each byte is: part of an ASCII word, the start of another character, or a separator (0).
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'\'' => APOSTROPHE,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Calls `each(word, kind)` for every word of `text`, in order. Words are folded: lower case, no accents, one width.
///
/// Identifiers are split at a change of case, before an acronym's last capital, and around digits; a change of script
/// splits too. Han and kana come as pairs of characters, Korean words whole and as pairs, Thai, Lao, Khmer and
/// Myanmar as pairs of letters with what is written on them: a word within a sentence without spaces is found by its
/// pairs. A single character comes alone only where it stands alone. Everything that is not a letter, mark or digit
/// separates words.
///
/// Each word gives itself again; no text panics; the words of an ASCII text have at most four times its bytes, those
/// of any text at most twelve times. Linear, no allocation per word, some 200 MB/s on plain English.
pub fn words(text: &str, each: &mut dyn FnMut(&str, Kind)) {
    let bytes = text.as_bytes();
    let mut run = Run {
        text: String::new(),
        shape: Vec::new(),
        script: Script::Digits,
        each,
    };
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let first = class_at(bytes, at);
        if first == WIDE {
            at = run.chunk(text, start);
            continue;
        }
        at += 1;
        if first & WORD == 0 {
            continue;
        }
        let mut rest = 0;
        let after = loop {
            let class = class_at(bytes, at);
            if class & WORD == 0 {
                break class;
            }
            rest |= class;
            at += 1;
        };
        if after != 0 {
            at = run.chunk(text, start);
            continue;
        }
        let word = part(text, start, at);
        match first | rest {
            LOWER | DIGIT => (run.each)(cut(word), Kind::Part),
            // All capitals, or one and then none: nothing to split.
            mixed if mixed == UPPER || first == UPPER && rest == LOWER => {
                run.text.clear();
                run.text.push_str(word);
                run.text.make_ascii_lowercase();
                (run.each)(cut(&run.text), Kind::Part);
                run.text.clear();
            }
            _ => {
                run.shape
                    .extend(word.bytes().map(|byte| CLASS[usize::from(byte)]));
                run.text.push_str(word);
                run.text.make_ascii_lowercase();
                run.flush();
            }
        }
    }
}

/// What the byte at a place is; nothing where the text ends. Asked of every byte, so that a call would be felt.
#[inline(always)]
fn class_at(bytes: &[u8], at: usize) -> u8 {
    match bytes.get(at) {
        Some(byte) => CLASS[usize::from(*byte)],
        None => 0,
    }
}

/// The letters and digits of one script that stand together, folded, with the class of every byte.
struct Run<'a> {
    text: String,
    shape: Vec<u8>,
    script: Script,
    each: &'a mut dyn FnMut(&str, Kind),
}

impl Run<'_> {
    /// Reads from `start` to the first separator and past it. Returns where that is, always beyond `start`.
    fn chunk(&mut self, text: &str, start: usize) -> usize {
        let mut at = start;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let before = at;
            at += c.len_utf8();
            if is_apostrophe(c) {
                let rest = text.get(at..).unwrap_or_default();
                if let Some((kept, length)) = english_ending(&self.text, rest) {
                    self.text.push_str(kept);
                    let class = self.shape.last().copied().unwrap_or(LOWER);
                    self.shape.resize(self.text.len(), class);
                    at += length;
                    break;
                }
                if before > start && self.spells_with_apostrophe(rest) {
                    continue;
                }
                break;
            }
            if !self.push_any(c) {
                break;
            }
        }
        self.flush();
        at
    }

    /// Outside Latin an apostrophe between two letters is spelling (Ukrainian, Hebrew), not elision or a quote.
    fn spells_with_apostrophe(&self, rest: &str) -> bool {
        !matches!(
            self.script,
            Script::Latin | Script::Digits | Script::Han | Script::Hangul
        ) && rest
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() && script(c) == self.script)
    }

    /// Adds a character as it stands in the text. False for a separator, which is not added.
    fn push_any(&mut self, c: char) -> bool {
        if c.is_ascii() {
            let class = CLASS[c as usize & 0x7F] & WORD;
            if class != 0 {
                self.push(c.to_ascii_lowercase(), class, Script::Latin);
            }
            return class != 0;
        }
        if let '\u{4E00}'..='\u{9FFF}' = c {
            self.push(c, LOWER, Script::Han);
            return true;
        }
        if let Some(composed) = self
            .text
            .chars()
            .next_back()
            .and_then(|last| compose(last, c))
        {
            self.text.pop();
            self.text.push(composed);
            self.shape.resize(self.text.len(), LOWER);
            return true;
        }
        match fold(c) {
            Folded::Nothing => {}
            Folded::One(to, capital) if to != '\u{3099}' && to != '\u{309A}' => {
                self.push_folded(to, capital)
            }
            // The half-width voicing marks: what they fold to has yet to meet its letter.
            Folded::One(to, _) => return self.push_any(to),
            Folded::Many(units, capital) => {
                let letters = char::decode_utf16(units)
                    .filter_map(Result::ok)
                    .take_while(|&to| to != '\0');
                // One capital, though it is written with two letters: `Ægir` is no acronym.
                letters
                    .enumerate()
                    .for_each(|(place, to)| self.push_folded(to, capital && place == 0));
            }
            Folded::Same if is_mark(c) => self.push_mark(c),
            Folded::Same if c.is_alphanumeric() => self.push(c, LOWER, script(c)),
            Folded::Same => return false,
        }
        true
    }

    fn push_folded(&mut self, c: char, capital: bool) {
        if is_mark(c) {
            self.push_mark(c);
        } else if c.is_ascii_digit() {
            self.push(c, DIGIT, Script::Digits);
        } else {
            self.push(c, if capital { UPPER } else { LOWER }, script(c));
        }
    }

    /// A mark is of the script and class of what it stands on; on nothing, or on Han or Hangul, it is left out.
    fn push_mark(&mut self, c: char) {
        if let (Some(&class), false) = (
            self.shape.last(),
            matches!(self.script, Script::Han | Script::Hangul),
        ) {
            self.append(c, class);
        }
    }

    /// Adds a folded letter or digit; where it can't stand in one run with what is there, that ends first.
    fn push(&mut self, c: char, class: u8, script: Script) {
        let alone = |script| matches!(script, Script::Han | Script::Hangul | Script::Unspaced(_));
        let digits = self.script == Script::Digits;
        let fits = match class {
            // Digits are part of a name in scripts with spaces, and stand alone in the others.
            DIGIT => !alone(self.script),
            _ => self.script == script || digits && (self.text.is_empty() || !alone(script)),
        };
        if !fits {
            self.flush();
        }
        if class != DIGIT {
            self.script = script;
        }
        self.append(c, class);
    }

    fn append(&mut self, c: char, class: u8) {
        self.text.push(c);
        self.shape.resize(self.text.len(), class);
    }

    /// Hands out the words of the run and empties it.
    fn flush(&mut self) {
        match self.script {
            Script::Han => pairs(&self.text, |_, _| true, self.each),
            Script::Hangul => {
                pairs(&self.text, |_, _| true, self.each);
                if self.text.chars().nth(2).is_some() {
                    (self.each)(cut(&self.text), Kind::Whole);
                }
            }
            Script::Unspaced(_) => {
                pairs(
                    &self.text,
                    |before, c| !is_stacked(c) && !is_mark(c) && !is_stacker(before),
                    self.each,
                );
            }
            _ => identifier(&self.text, &self.shape, self.each),
        }
        self.text.clear();
        self.shape.clear();
        self.script = Script::Digits;
    }
}

/// The text from one place to another, which lie between characters. Indexing says the same, and would link how Rust
/// prints a text that was cut within one: 5 kB gzip, with tables of what is printable.
#[inline(always)]
fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// The part of a word that is kept.
#[inline(always)]
fn cut(word: &str) -> &str {
    if word.len() <= LONGEST_WORD {
        return word;
    }
    cut_long(word)
}

fn cut_long(word: &str) -> &str {
    word.char_indices()
        .nth(LONGEST_WORD)
        .and_then(|(end, _)| word.get(..end))
        .unwrap_or(word)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{FF07}' | '\u{5F3}')
}

/// English contractions and the possessive, after their apostrophe: what is kept of the ending and its length.
/// `don't` becomes `dont`; `user's`, `we're` and `I'll` lose the ending, which says nothing. Everywhere else in Latin
/// an apostrophe separates, so that the noun in `l'utilisateur` is found.
fn english_ending(before: &str, rest: &str) -> Option<(&'static str, usize)> {
    let length = rest
        .bytes()
        .take(3)
        .take_while(u8::is_ascii_alphabetic)
        .count();
    let ending = rest.get(..length).filter(|_| length <= 2)?;
    let after = rest.get(length..)?.chars().next();
    if before.is_empty()
        || after.is_some_and(|c| c.is_alphanumeric() || is_mark(c) || is_apostrophe(c))
    {
        return None;
    }
    let is = |other: &str| ending.eq_ignore_ascii_case(other);
    if is("t") && before.ends_with('n') {
        Some(("t", length))
    } else if ["s", "re", "ve", "ll", "d", "m"].into_iter().any(is) {
        Some(("", length))
    } else {
        None
    }
}

/// Every two letters that stand side by side, or the letter that stands alone. `starts(before, c)` says whether `c`
/// begins a letter or is written on the one before it.
fn pairs(text: &str, starts: impl Fn(char, char) -> bool, each: &mut dyn FnMut(&str, Kind)) {
    // Where the letter before the present one and the present one begin.
    let (mut first, mut second) = (0, None);
    let mut before = '\0';
    for (at, c) in text.char_indices() {
        if at > 0 && starts(before, c) {
            if let Some(second) = second {
                each(cut(part(text, first, at)), Kind::Part);
                first = second;
            }
            second = Some(at);
        }
        before = c;
    }
    if !text.is_empty() {
        each(cut(part(text, first, text.len())), Kind::Part);
    }
}

/// The words of a run in a script with spaces. `shape` has the class of every byte.
///
/// A boundary lies where a capital follows a small letter or digit, and before the last capital of several when a
/// small letter follows (`HTTP|Server`). Digits stay with what precedes them (`listS3|Buckets`). Exceptions that
/// names in use ask for:
/// - a plural acronym is one word (`URLs`, `listIDs`);
/// - a single letter before a capitalised word belongs to it (`OAuth`, `iPhone`, `xAxis`), but for the article
///   (`createAUser`, `aUser`); what follows the letter is given as well;
/// - digits that start a word belong to it, among them the two that stand within names (`create3DModel`, `send2FACode`).
fn identifier(text: &str, shape: &[u8], each: &mut dyn FnMut(&str, Kind)) {
    let class_at = |at: usize| shape.get(at).copied().unwrap_or(0);
    // Where the present word began, and where the rest of it after a single letter does.
    let (mut start, mut tail) = (0, None);
    // Of the capitals that stand together: where they began, how many, where the last one is.
    let (mut capitals, mut count, mut last) = (0, usize::from(class_at(0) == UPPER), 0);
    for (at, c) in text.char_indices().skip(1) {
        // A mark has the class of its letter and is no other capital.
        if !c.is_ascii() && is_mark(c) {
            continue;
        }
        let (previous, class) = (class_at(at - 1), class_at(at));
        let boundary = match class {
            UPPER if previous == UPPER => None,
            UPPER if previous == DIGIT && shape[start..at].iter().all(|&class| class == DIGIT) => {
                None
            }
            UPPER
                if previous == LOWER
                    && start == 0
                    && is_single(part(text, 0, at))
                    && !text.starts_with('a') =>
            {
                tail = Some(at);
                None
            }
            UPPER => Some(at),
            DIGIT
                if previous == LOWER
                    && is_numbered_word(part(text, at, text.len()), &shape[at..]) =>
            {
                Some(at)
            }
            LOWER if previous == UPPER && count > 1 && !(c == 's' && class_at(at + 1) != LOWER) => {
                if count == 2
                    && capitals == start
                    && !(start > 0 && part(text, start, at).starts_with('a'))
                {
                    tail = Some(last);
                    None
                } else {
                    Some(last)
                }
            }
            _ => None,
        };
        if let Some(boundary) = boundary {
            piece(
                part(text, start, boundary),
                &shape[start..boundary],
                tail.map(|tail| tail - start),
                each,
            );
            (start, tail) = (boundary, None);
        }
        if class == UPPER {
            if previous != UPPER {
                (capitals, count) = (at, 0);
            }
            (count, last) = (count + 1, at);
        }
    }
    if start < text.len() {
        piece(
            part(text, start, text.len()),
            &shape[start..],
            tail.map(|tail| tail - start),
            each,
        );
    }
    if start > 0 {
        each(cut(text), Kind::Whole);
    }
}

fn is_single(text: &str) -> bool {
    text.chars().nth(1).is_none()
}

/// `2D`, `3D` and `2FA`, wherever they stand: else `create3DModel` would hold `create3` and a model D.
fn is_numbered_word(text: &str, shape: &[u8]) -> bool {
    ["2d", "3d", "2fa"].into_iter().any(|word| {
        text.starts_with(word)
            && shape[1..word.len()].iter().all(|&class| class == UPPER)
            && shape.get(word.len()).is_none_or(|&class| class != LOWER)
    })
}

/// One word of an identifier. With digits in it, its letters and numbers are the parts when any are long enough to
/// mean something (`oauth2`: `oauth`), else it is one itself (`s3`).
fn piece(text: &str, shape: &[u8], tail: Option<usize>, each: &mut dyn FnMut(&str, Kind)) {
    // How far the letters, or the digits, that start at a place go.
    let end_from = |start: usize| {
        let digits = shape.get(start) == Some(&DIGIT);
        let length = shape[start..]
            .iter()
            .take_while(|&&class| (class == DIGIT) == digits)
            .count();
        (start + length, digits)
    };
    let long = |letters: &str| letters.chars().nth(SHORTEST_BESIDE_DIGITS - 1).is_some();
    let mut found = false;
    if shape.contains(&DIGIT) {
        let mut start = 0;
        while start < text.len() && !found {
            let (end, digits) = end_from(start);
            found = !digits && long(part(text, start, end));
            start = end;
        }
    }
    if found {
        let mut start = 0;
        while start < text.len() {
            let (end, digits) = end_from(start);
            let run = part(text, start, end);
            if if digits {
                run.chars().count() >= SHORTEST_NUMBER_WITHIN
            } else {
                long(run)
            } {
                each(cut(run), Kind::Part);
            }
            start = end;
        }
        each(cut(text), Kind::Whole);
    } else {
        each(cut(text), Kind::Part);
    }
    if let Some(tail) = tail {
        let letters = part(text, tail, end_from(tail).0);
        if long(letters) {
            each(cut(letters), Kind::Whole);
        }
    }
}
