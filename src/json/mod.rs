//! JSON text, one value after the other as it streams by.
//!
//! It reads what serde_json reads, as the same doubles, and refuses what serde_json refuses, in its words and at its
//! places: the tests hold the two side by side. serde_json's own parser is made anew for each thing that is read with
//! it and brings a table of powers of ten, an error that can be one of the file system, and a printer for it: 9 kB
//! gzip of wasm where this is 2.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

const EOF_VALUE: &str = "EOF while parsing a value";
const EOF_STRING: &str = "EOF while parsing a string";
const EOF_OBJECT: &str = "EOF while parsing an object";
const EOF_LIST: &str = "EOF while parsing a list";
const NO_VALUE: &str = "expected value";
const NO_KEY: &str = "key must be a string";
const NO_LIST_END: &str = "expected `,` or `]`";
const NO_OBJECT_END: &str = "expected `,` or `}`";
const LAST_COMMA: &str = "trailing comma";
const NUMBER: &str = "invalid number";
const LARGE: &str = "number out of range";
const ESCAPE: &str = "invalid escape";
const LONE: &str = "lone leading surrogate in hex escape";

/// The largest power of ten that a double holds.
const LARGEST_POWER: i32 = 308;

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fault {
    what: &'static str,
    at: usize,
}

impl Fault {
    /// In words, with the place in the text that was read.
    pub(crate) fn message(self, text: &str) -> String {
        let before = text.as_bytes().get(..self.at).unwrap_or_default();
        let breaks = before.iter().filter(|byte| **byte == b'\n').count();
        let column = before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count();
        format!("{} at line {} column {column}", self.what, breaks + 1)
    }
}

/// A value, or the beginning of one that holds others.
#[derive(Debug, PartialEq)]
pub(crate) enum Item<'t> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'t, str>),
    /// Its elements follow: see [`Reader::element`].
    Array,
    /// Its properties follow: see [`Reader::key`].
    Object,
}

/// Stands at a place of a text and reads on from there.
pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Reader<'t> {
        Reader { text, at: 0 }
    }

    /// The next value.
    pub(crate) fn item(&mut self) -> Result<Item<'t>, Fault> {
        Ok(match self.space() {
            None => return self.ahead(EOF_VALUE),
            Some(b'n') => self.word(b"null", Item::Null)?,
            Some(b't') => self.word(b"true", Item::Bool(true))?,
            Some(b'f') => self.word(b"false", Item::Bool(false))?,
            Some(b'-' | b'0'..=b'9') => Item::Number(self.number(true)?),
            Some(b'"') => Item::Text(self.string(true)?),
            Some(b'[') => self.past(Item::Array),
            Some(b'{') => self.past(Item::Object),
            Some(_) => return self.ahead(NO_VALUE),
        })
    }

    /// Whether an array has another element; `first` before its first.
    pub(crate) fn element(&mut self, first: bool) -> Result<bool, Fault> {
        match self.space() {
            None => self.ahead(EOF_LIST),
            Some(b']') => Ok(self.past(false)),
            Some(_) if first => Ok(true),
            Some(b',') => {
                self.at += 1;
                match self.space() {
                    None => self.ahead(EOF_VALUE),
                    Some(b']') => self.ahead(LAST_COMMA),
                    Some(_) => Ok(true),
                }
            }
            Some(_) => self.ahead(NO_LIST_END),
        }
    }

    /// The key of an object's next property, whose value is the next one; `first` before its first.
    pub(crate) fn key(&mut self, first: bool) -> Result<Option<Cow<'t, str>>, Fault> {
        match self.space() {
            None => return self.ahead(EOF_OBJECT),
            Some(b'}') => return Ok(self.past(None)),
            Some(_) if first => {}
            Some(b',') => {
                self.at += 1;
                match self.space() {
                    None => return self.ahead(EOF_VALUE),
                    Some(b'}') => return self.ahead(LAST_COMMA),
                    Some(_) => {}
                }
            }
            Some(_) => return self.ahead(NO_OBJECT_END),
        }
        self.property(true).map(Some)
    }

    /// Passes over the next value, however deep it is: no nesting costs stack.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let mut after = true;
            match self.space() {
                None => return self.ahead(EOF_VALUE),
                Some(b'n') => self.word(b"null", ())?,
                Some(b't') => self.word(b"true", ())?,
                Some(b'f') => self.word(b"false", ())?,
                Some(b'-' | b'0'..=b'9') => drop(self.number(false)?),
                Some(b'"') => drop(self.string(false)?),
                Some(opening @ (b'[' | b'{')) => {
                    self.at += 1;
                    open.push(opening);
                    after = false;
                }
                Some(_) => return self.ahead(NO_VALUE),
            }
            // What was begun and ends here; then what comes next in what is left.
            let within = loop {
                let Some(&within) = open.last() else {
                    return Ok(());
                };
                match self.space() {
                    None if within == b'[' => return self.ahead(EOF_LIST),
                    None => return self.ahead(EOF_OBJECT),
                    Some(b',') if after => break self.past(within),
                    // Two after the opening bracket stands the closing one, for both kinds.
                    Some(closing) if closing == within + 2 => self.at += 1,
                    Some(_) if !after => break within,
                    Some(_) if within == b'[' => return self.ahead(NO_LIST_END),
                    Some(_) => return self.ahead(NO_OBJECT_END),
                }
                open.pop();
                after = true;
            };
            if within == b'{' {
                self.space();
                self.property(false)?;
            }
        }
    }

    /// Passes over the next value and gives its text.
    pub(crate) fn raw(&mut self) -> Result<&'t str, Fault> {
        self.space();
        let start = self.at;
        self.skip()?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// That nothing follows.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.space() {
            None => Ok(()),
            Some(_) => self.ahead("trailing characters"),
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    /// A value, one byte further on.
    fn past<T>(&mut self, value: T) -> T {
        self.at += 1;
        value
    }

    /// What stands after the spaces. Minified text has none.
    #[inline(always)]
    fn space(&mut self) -> Option<u8> {
        match self.peek() {
            Some(b' ' | b'\n' | b'\t' | b'\r') => self.spaces(),
            other => other,
        }
    }

    fn spaces(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other,
            }
        }
    }

    /// A fault in what was read last.
    #[cold]
    fn behind<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { what, at: self.at })
    }

    /// A fault in what would be read next.
    #[cold]
    fn ahead<T>(&self, what: &'static str) -> Result<T, Fault> {
        let at = self.text.len().min(self.at + 1);
        Err(Fault { what, at })
    }

    /// The value of a word whose first letter was seen.
    fn word<T>(&mut self, word: &[u8], value: T) -> Result<T, Fault> {
        for letter in word {
            match self.next() {
                Some(next) if next == *letter => {}
                Some(_) => return self.behind("expected ident"),
                None => return self.behind(EOF_VALUE),
            }
        }
        Ok(value)
    }

    /// A key and the colon after it.
    fn property(&mut self, keep: bool) -> Result<Cow<'t, str>, Fault> {
        let key = match self.peek() {
            Some(b'"') => self.string(keep)?,
            Some(_) => return self.ahead(NO_KEY),
            None => return self.ahead(EOF_OBJECT),
        };
        match self.space() {
            Some(b':') => Ok(self.past(key)),
            Some(_) => self.ahead("expected `:`"),
            None => self.ahead(EOF_OBJECT),
        }
    }

    /// The string that starts here. One that is not kept is only passed over, and its surrogates may be lone.
    fn string(&mut self, keep: bool) -> Result<Cow<'t, str>, Fault> {
        self.at += 1;
        let mut start = self.at;
        let mut copied = String::new();
        loop {
            self.at += plain(self.text.as_bytes().get(self.at..).unwrap_or_default());
            let run = self.text.get(start..self.at).unwrap_or_default();
            match self.next() {
                None => return self.behind(EOF_STRING),
                Some(b'"') if copied.is_empty() => return Ok(Cow::Borrowed(run)),
                Some(b'"') => {
                    copied.push_str(run);
                    return Ok(Cow::Owned(copied));
                }
                Some(b'\\') => {
                    copied.push_str(if keep { run } else { "" });
                    if let (Some(c), true) = (self.escape(keep)?, keep) {
                        copied.push(c);
                    }
                    start = self.at;
                }
                Some(_) => {
                    self.at -= usize::from(!keep);
                    return self.behind(
                        "control character (\\u0000-\\u001F) found while parsing a string",
                    );
                }
            }
        }
    }

    /// What stands for a character after a backslash; none only where it isn't kept.
    #[inline(never)]
    fn escape(&mut self, keep: bool) -> Result<Option<char>, Fault> {
        Ok(Some(match self.next() {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.unit()?;
                if keep {
                    return self.scalar(unit).map(Some);
                }
                return Ok(None);
            }
            Some(_) => return self.behind(ESCAPE),
            None => return self.behind(EOF_STRING),
        }))
    }

    /// The character that a code unit stands for, with the unit after it where it is a leading surrogate.
    fn scalar(&mut self, unit: u32) -> Result<char, Fault> {
        if let Some(c) = char::from_u32(unit) {
            return Ok(c);
        }
        if unit >= 0xDC00 {
            return self.behind(LONE);
        }
        for expected in [b'\\', b'u'] {
            match self.next() {
                None => return self.behind(EOF_STRING),
                Some(next) if next == expected => {}
                Some(_) => return self.behind("unexpected end of hex escape"),
            }
        }
        let second = self.unit()?;
        let code = 0x10000 + ((unit & 0x3FF) << 10 | second & 0x3FF);
        match char::from_u32(code).filter(|_| (0xDC00..=0xDFFF).contains(&second)) {
            Some(c) => Ok(c),
            None => self.behind(LONE),
        }
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, Fault> {
        let Some(digits) = self.text.as_bytes().get(self.at..self.at + 4) else {
            self.at = self.text.len();
            return self.behind(EOF_STRING);
        };
        self.at += 4;
        let mut unit = 0;
        for digit in digits {
            match char::from(*digit).to_digit(16) {
                Some(digit) => unit = unit << 4 | digit,
                None => return self.behind(ESCAPE),
            }
        }
        Ok(unit)
    }

    fn digit(&self) -> Option<u64> {
        self.peek()
            .filter(u8::is_ascii_digit)
            .map(|digit| u64::from(digit - b'0'))
    }

    /// The number that starts here. One that is not kept may be too large.
    fn number(&mut self, keep: bool) -> Result<f64, Fault> {
        let eof = if keep { EOF_VALUE } else { NUMBER };
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let mut significand = match self.next() {
            Some(digit @ b'0'..=b'9') => u64::from(digit - b'0'),
            Some(_) => return self.behind(NUMBER),
            None => return self.behind(eof),
        };
        let mut exponent: i32 = 0;
        if significand == 0 && self.digit().is_some() {
            return self.ahead(NUMBER);
        }
        // Digits that no longer fit are worth their places.
        let mut full = false;
        while let Some(digit) = self.digit() {
            self.at += 1;
            match with(significand, digit).filter(|_| !full) {
                Some(more) => significand = more,
                None => (full, exponent) = (true, exponent.saturating_add(1)),
            }
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            let first = self.at;
            let mut full = false;
            while let Some(digit) = self.digit() {
                self.at += 1;
                match with(significand, digit).filter(|_| !full) {
                    Some(more) => (significand, exponent) = (more, exponent.saturating_sub(1)),
                    None => full = true,
                }
            }
            if self.at == first {
                return self.ahead(self.peek().map_or(eof, |_| NUMBER));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            let sign = self.peek().filter(|sign| matches!(sign, b'+' | b'-'));
            self.at += usize::from(sign.is_some());
            let mut power = match self.next() {
                Some(digit @ b'0'..=b'9') => i32::from(digit - b'0'),
                Some(_) => return self.behind(NUMBER),
                None => return self.behind(eof),
            };
            while let Some(digit) = self.digit() {
                self.at += 1;
                let more = power
                    .checked_mul(10)
                    .and_then(|power| power.checked_add(digit as i32));
                match more {
                    Some(more) => power = more,
                    None if keep && significand != 0 && sign != Some(b'-') => {
                        return self.behind(LARGE);
                    }
                    // So small, or zero in any case.
                    None => (significand, power) = (0, 0),
                }
            }
            exponent = match sign {
                Some(b'-') => exponent.saturating_sub(power),
                _ => exponent.saturating_add(power),
            };
        }
        let size = scaled(significand as f64, exponent);
        if keep && size.is_infinite() {
            return self.behind(LARGE);
        }
        Ok(if negative { -size } else { size })
    }
}

/// How many bytes of a string stand for themselves.
fn plain(bytes: &[u8]) -> usize {
    // Eight at a time (Mycroft's test): a quarter of the time that one by one takes.
    const ONES: u64 = u64::MAX / 255;
    let (chunks, _) = bytes.as_chunks::<8>();
    let mut at = 0;
    for chunk in chunks {
        let chunk = u64::from_le_bytes(*chunk);
        let quote = chunk ^ (ONES * u64::from(b'"'));
        let slash = chunk ^ (ONES * u64::from(b'\\'));
        let marked = chunk.wrapping_sub(ONES * 0x20) & !chunk
            | quote.wrapping_sub(ONES) & !quote
            | slash.wrapping_sub(ONES) & !slash;
        let marked = marked & ONES << 7;
        if marked != 0 {
            return at + marked.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < bytes.len() && !matches!(bytes[at], b'"' | b'\\' | 0..=0x1F) {
        at += 1;
    }
    at
}

/// A number with one more digit, if it fits.
fn with(significand: u64, digit: u64) -> Option<u64> {
    significand.checked_mul(10)?.checked_add(digit)
}

/// `significand * 10^exponent` as serde_json works it out, which is off by the last bit at times; infinite where it is
/// too large.
fn scaled(mut significand: f64, mut exponent: i32) -> f64 {
    while exponent < -LARGEST_POWER && significand != 0.0 {
        significand /= power_of_ten(LARGEST_POWER);
        exponent += LARGEST_POWER;
    }
    match exponent {
        _ if significand == 0.0 => significand,
        ..0 => significand / power_of_ten(-exponent),
        0..=LARGEST_POWER => significand * power_of_ten(exponent),
        _ => f64::INFINITY,
    }
}

/// The double nearest to a power of ten, from 0 to [`LARGEST_POWER`]. A table of them is 2.5 kB that nothing compresses.
fn power_of_ten(exponent: i32) -> f64 {
    // The power is `high * 2^shift`, with 124 bits: 71 more than count, of which at most nine are wrong at the end. That
    // rounds none of these powers wrongly, as a test holds.
    let (mut high, mut shift) = (1_u128 << 64, -64);
    for _ in 0..exponent {
        high *= 10;
        let over = 4_u32.saturating_sub(high.leading_zeros());
        high >>= over;
        shift += over as i32;
    }
    high as f64 * f64::from_bits(((1023 + shift) as u64) << 52)
}
