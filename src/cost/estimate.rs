//! How many tokens a text is, about: as o200k_base would count it, without its vocabulary.
//!
//! A tokenizer cuts a text into pieces by a pattern (a word with the space before it, up to three
//! digits, a run of punctuation) and each piece into tokens by a vocabulary of megabytes. Here the
//! pieces are cut as o200k_base cuts them, and what a piece comes to is a sum of learned weights: one
//! for its length and shape, one for every three letters in a row, one for the whole. A rare row of
//! letters adds, a common word takes off. The weights are some 5 kB, of which many share one:
//! what they are is looked up by a hash. `tests/estimates/fit.mjs` fits them and
//! `tests/estimates/run.mjs` prints how far off they are.
//!
//! One pass over the text, whole numbers only, no memory.

use super::weights::WEIGHTS;

/// What a token is in the units of the weights.
const TOKEN: i64 = 8;
/// The bytes of a long word, or of much white space, for each token at least: few tokens have more.
const LONGEST_TOKEN: i64 = 16;

// Where in the table the weights of each kind begin.

/// Words of ASCII letters, by what stands before, by case and by length.
const LENGTH: usize = 0;
/// Before a word stands nothing, a space, `_`, `\` or anything else.
const LEADS: usize = 5;
/// A word is in small letters, begins with a capital, is in capitals, or mixed.
const CASES: usize = 4;
/// Longer ones pay for each letter more.
const LONGEST: usize = 16;
/// A letter beyond the longest.
const LETTER: usize = LENGTH + LEADS * CASES * LONGEST;
/// What English contracts: `'s`, `'ll`.
const CONTRACTION: usize = LETTER + 1;
/// Up to three digits.
const DIGITS: usize = CONTRACTION + 1;
/// White space: one space, one line break, another one, several with a break, and runs of spaces.
const SPACE: usize = DIGITS + 1;
const SPACES: usize = 8;
/// So many characters of white space more.
const WIDE: usize = SPACE + SPACES;
const WIDTH: usize = 64;
/// Punctuation by its length.
const SIGNS: usize = WIDE + 1;
/// Longer runs pay for each sign more.
const MOST_SIGNS: usize = 16;
/// A sign beyond those that is another than the one before.
const SIGN: usize = SIGNS + MOST_SIGNS + 1;
/// So many beyond those that are the same: rules of dashes are long tokens.
const RULE: usize = SIGN + 1;
const RULED: usize = 8;
/// Signs that are not ASCII, by block.
const SYMBOL: usize = RULE + 1;
const SYMBOLS: usize = 9;
/// Words with other letters, by script and length.
const SCRIPT: usize = SYMBOL + SYMBOLS;
const SCRIPTS: usize = 15;
/// A longer word, and any of a script without spaces, pays for each letter.
const MOST_LETTERS: usize = 12;
/// Each letter of a script.
const SCRIPT_LETTER: usize = SCRIPT + SCRIPTS * (MOST_LETTERS + 1);

// What is found by a hash: two to the power of these. Half of any costs up to a per cent of accuracy.

/// Runs of punctuation as a whole: JSON has few, and they are a third of a definition.
const RUN: usize = SCRIPT_LETTER + SCRIPTS;
const RUN_BITS: u32 = 10;
/// Words as a whole.
const WORD: usize = RUN + (1 << RUN_BITS);
const WORD_BITS: u32 = 10;
/// Three letters in a row.
const PART: usize = WORD + (1 << WORD_BITS);
const PART_BITS: u32 = 11;
/// Letters of other scripts, alone and after the one before.
const PAIR: usize = PART + (1 << PART_BITS);
const PAIR_BITS: u32 = 11;
/// How many weights there are.
pub const COUNT: usize = PAIR + (1 << PAIR_BITS);

/// What takes the weights of a text.
pub trait Sum {
    /// The piece has this weight.
    fn weight(&mut self, number: usize);
    /// The piece ends. Of a word or of white space the bytes, else 0.
    fn end(&mut self, bytes: usize);
}

/// The estimated tokens of a text.
pub fn estimate(text: &str) -> u32 {
    let mut tokens = Tokens { all: 0, piece: 0 };
    walk(text, &mut tokens);
    u32::try_from((tokens.all + TOKEN / 2) / TOKEN).unwrap_or(u32::MAX)
}

struct Tokens {
    all: i64,
    piece: i64,
}

impl Sum for Tokens {
    #[inline(always)]
    fn weight(&mut self, number: usize) {
        // Printable letters, around `@`, so that the table is text that any file can hold.
        self.piece += i64::from(WEIGHTS.get(number).copied().unwrap_or(b'@')) - i64::from(b'@');
    }

    #[inline(always)]
    fn end(&mut self, bytes: usize) {
        // No piece is less than a token, and no token of such a piece is longer, whatever its weights add up to.
        let least = TOKEN.max(bytes as i64 / (LONGEST_TOKEN / TOKEN));
        self.all += self.piece.max(least);
        self.piece = 0;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    /// A letter without case, or a mark on one.
    Letter,
    Digit,
    Space,
    Break,
    Sign,
    /// Not ASCII, and not looked at yet.
    Wide,
}

impl Kind {
    #[inline(always)]
    fn is_letter(self) -> bool {
        matches!(self, Kind::Lower | Kind::Upper | Kind::Letter)
    }

    #[inline(always)]
    fn is_space(self) -> bool {
        matches!(self, Kind::Space | Kind::Break)
    }
}

/// A character, its kind and its length.
#[derive(Clone, Copy)]
struct Seen {
    code: u32,
    kind: Kind,
    bytes: usize,
}

/// The kind that a byte begins; what it is of other scripts is seen later.
static CLASSES: [Kind; 256] = {
    let mut classes = [Kind::Wide; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Kind::Lower,
            b'A'..=b'Z' => Kind::Upper,
            b'0'..=b'9' => Kind::Digit,
            b'\n' | b'\r' => Kind::Break,
            b' ' | b'\t' | 0x0b | 0x0c => Kind::Space,
            _ => Kind::Sign,
        };
        byte += 1;
    }
    classes
};

/// The class of a byte of the text; at its end that of a line break, which goes on with nothing.
#[inline(always)]
fn class(bytes: &[u8], at: usize) -> Kind {
    match bytes.get(at) {
        Some(byte) => CLASSES[usize::from(*byte)],
        None => Kind::Break,
    }
}

/// The character at a byte of the text; `None` at its end.
fn seen(text: &str, at: usize) -> Option<Seen> {
    let byte = *text.as_bytes().get(at)?;
    match CLASSES[usize::from(byte)] {
        Kind::Wide => other(text, at),
        kind => Some(Seen {
            code: u32::from(byte),
            kind,
            bytes: 1,
        }),
    }
}

#[inline(never)]
fn other(text: &str, at: usize) -> Option<Seen> {
    let letter = text.get(at..)?.chars().next()?;
    let code = u32::from(letter);
    Some(Seen {
        code,
        kind: kind(code),
        bytes: letter.len_utf8(),
    })
}

/// The kind of a character that is not ASCII. By blocks and not by Unicode's tables: what is wrong
/// cuts a rare piece elsewhere.
fn kind(code: u32) -> Kind {
    let by_parity = |upper_is_even: bool| match (code & 1 == 0) == upper_is_even {
        true => Kind::Upper,
        false => Kind::Lower,
    };
    match code {
        0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 | 0xfeff => {
            Kind::Space
        }
        0xb2
        | 0xb3
        | 0xb9
        | 0xbc..=0xbe
        | 0x660..=0x669
        | 0x6f0..=0x6f9
        | 0x966..=0x96f
        | 0x9e6..=0x9ef
        | 0xe50..=0xe59
        | 0x2070..=0x2089
        | 0x2150..=0x218b
        | 0x2460..=0x249b
        | 0xff10..=0xff19 => Kind::Digit,
        0xaa | 0xba => Kind::Letter,
        0xb5 | 0xdf..=0xf6 | 0xf8..=0xff => Kind::Lower,
        0x80..=0xbf
        | 0xd7
        | 0xf7
        | 0x2c2..=0x2df
        | 0x37e
        | 0x387
        | 0x589
        | 0x5be
        | 0x60c
        | 0x61b
        | 0x61f
        | 0x66a..=0x66d
        | 0x6d4
        | 0x964
        | 0x965
        | 0xe3f
        | 0xe5a
        | 0xe5b
        | 0x2010..=0x2bff
        | 0x2e00..=0x2fff
        | 0x200b..=0x200f
        | 0x3001..=0x3004
        | 0x3007..=0x3020
        | 0x3030
        | 0x303d..=0x303f
        | 0x30a0
        | 0x30fb
        | 0xe000..=0xf8ff
        | 0xfe10..=0xfe1f
        | 0xfe30..=0xfe6f
        | 0xff01..=0xff20
        | 0xff3b..=0xff40
        | 0xff5b..=0xff65
        | 0xffe0..=0xffff
        | 0x1f000..=0x1faff => Kind::Sign,
        0xc0..=0xde | 0x391..=0x3ab | 0x400..=0x42f | 0x531..=0x556 | 0xff21..=0xff3a => {
            Kind::Upper
        }
        0x139..=0x148 | 0x179..=0x17e => by_parity(false),
        0x100..=0x17f | 0x460..=0x52f | 0x1e00..=0x1fff => by_parity(true),
        0x180..=0x2af | 0x3ac..=0x3ce | 0x430..=0x45f | 0x561..=0x587 | 0xff41..=0xff5a => {
            Kind::Lower
        }
        _ => Kind::Letter,
    }
}

/// Which script a letter is of, as far as o200k_base counts it otherwise than its neighbours.
fn script(code: u32) -> usize {
    match code {
        ..0x250 | 0x1e00..=0x1eff => 0,
        0x370..=0x3ff | 0x1f00..=0x1fff => 1,
        0x400..=0x52f => 2,
        0x530..=0x58f | 0x10a0..=0x10ff => 3,
        0x590..=0x5ff => 4,
        0x600..=0x77f => 5,
        0x900..=0x97f => 6,
        0x980..=0xdff => 7,
        0xe00..=0xe7f => 8,
        0xe80..=0x109f | 0x1780..=0x17ff => 9,
        0x3040..=0x30ff => KANA,
        0x3400..=0x9fff => 11,
        0xac00..=0xd7a3 => HANGUL,
        0x10000.. => 13,
        _ => 14,
    }
}

const KANA: usize = 10;
const HANGUL: usize = 12;

/// Gives the sum the weights of a text, piece by piece.
pub fn walk<S: Sum>(text: &str, sum: &mut S) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let mut kind = class(bytes, at);
        let mut next = at + 1;
        if kind == Kind::Wide {
            let Some(first) = other(text, at) else { break };
            (kind, next) = (first.kind, at + first.bytes);
        }
        let is_lead = matches!(kind, Kind::Sign | Kind::Space);
        let mut after = Kind::Break;
        if is_lead {
            after = class(bytes, next);
            if after == Kind::Wide {
                after = other(text, next).map_or(Kind::Break, |next| next.kind);
            }
        }
        if kind.is_letter() || after.is_letter() {
            let end = word(text, at, if is_lead { next } else { at }, sum);
            sum.end(end - at);
            at = end;
            continue;
        }
        let is_run = match kind {
            Kind::Sign => true,
            Kind::Space => after == Kind::Sign && bytes.get(at) == Some(&b' '),
            _ => false,
        };
        if is_run {
            at = signs(text, at, sum);
        } else if kind == Kind::Digit {
            at = digits(text, at, sum);
        } else {
            let end = spaces(text, at, sum);
            // Thousands of spaces are many tokens, too.
            sum.end(end - at);
            at = end;
            continue;
        }
        sum.end(0);
    }
}

/// The golden ratio: multiplied by it, neighbours lie far apart. The upper bits are the good ones.
const SPREAD: u32 = 0x9e37_79b1;

#[inline(always)]
fn mix(hash: u32, value: u32) -> u32 {
    (hash.rotate_left(5) ^ value).wrapping_mul(SPREAD)
}

#[inline(always)]
fn slot(hash: u32, bits: u32) -> usize {
    (hash >> (32 - bits)) as usize
}

// Three letters are looked at together. Four are rarer, so that a language with few words in the table is taken for
// English: with them Italian, Polish and Turkish are off by a third more.

/// Those after a space, and those that end a word, are others: tokens mostly begin with the one and end with the other.
const FIRST: u32 = 0x8000_0000;
const LAST: u32 = 0x0000_0080;

/// A word from `start`, with what leads it from `at`: capitals, then small letters. Gives where it ends.
#[inline(always)]
fn word<S: Sum>(text: &str, at: usize, start: usize, sum: &mut S) -> usize {
    let bytes = text.as_bytes();
    let lead = match bytes.get(at) {
        _ if at == start => 0,
        Some(b' ') => 1,
        Some(b'_') => 2,
        Some(b'\\') => 3,
        _ => 4,
    };
    let mut lower = start;
    let mut stop = class(bytes, lower);
    while stop == Kind::Upper {
        lower += 1;
        stop = class(bytes, lower);
    }
    let mut end = lower;
    while stop == Kind::Lower {
        end += 1;
        stop = class(bytes, end);
    }
    if stop == Kind::Wide && other(text, end).is_some_and(|next| next.kind.is_letter()) {
        return foreign(text, start, lead, sum);
    }
    let length = end - start;
    let case = match lower - start {
        0 => 0,
        1 if length > 1 => 1,
        capitals if capitals == length => 2,
        _ => 3,
    };
    sum.weight(LENGTH + (lead * CASES + case) * LONGEST + length.min(LONGEST) - 1);
    for _ in LONGEST..length {
        sum.weight(LETTER);
    }
    if let Some([first, second, rest @ ..]) = bytes.get(start..end)
        && rest.len() > 1
    {
        // Capitals are another vocabulary; one at the beginning is the same word.
        let fold = if case == 2 { 0 } else { 0x0020_2020 };
        let mut whole = lead.min(2) as u32;
        let mut seed = if lead == 1 { FIRST } else { 0 };
        let mut letters = u32::from(*first) << 8 | u32::from(*second) << 16;
        let (last, rest) = rest.split_last().unwrap_or((first, rest));
        for letter in rest {
            letters = letters >> 8 | u32::from(*letter) << 16;
            whole = mix(whole, letters);
            sum.weight(PART + slot(((letters | fold) ^ seed).wrapping_mul(SPREAD), PART_BITS));
            seed = 0;
        }
        letters = letters >> 8 | u32::from(*last) << 16;
        whole = mix(whole, letters ^ length as u32);
        let ended = (letters | fold) ^ seed ^ LAST;
        sum.weight(PART + slot(ended.wrapping_mul(SPREAD), PART_BITS));
        sum.weight(WORD + slot(whole, WORD_BITS));
    }
    if bytes.get(end) == Some(&b'\'') {
        return contraction(bytes, end, sum);
    }
    end
}

#[inline(never)]
fn contraction<S: Sum>(bytes: &[u8], at: usize, sum: &mut S) -> usize {
    if bytes.get(at) != Some(&b'\'') {
        return at;
    }
    let letter = |offset: usize| bytes.get(at + offset).map_or(0, u8::to_ascii_lowercase);
    let length = match (letter(1), letter(2)) {
        (b's' | b't' | b'm' | b'd', _) => 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => 3,
        _ => return at,
    };
    sum.weight(CONTRACTION);
    at + length
}

/// A word that has other letters than ASCII's.
#[inline(never)]
fn foreign<S: Sum>(text: &str, start: usize, lead: usize, sum: &mut S) -> usize {
    let mut at = start;
    let mut length = 0;
    let mut of = None;
    let mut before = lead as u32;
    let mut is_small = false;
    while let Some(next) = seen(text, at).filter(|next| next.kind.is_letter()) {
        if is_small && next.kind == Kind::Upper {
            break;
        }
        is_small |= next.kind == Kind::Lower;
        let script = if next.code < 0x80 {
            0
        } else {
            let script = script(next.code);
            of = of.or(Some(script));
            script
        };
        length += 1;
        // Where words are not apart, a piece is a clause, whose length is the sum of its letters.
        let is_dense = (KANA..=HANGUL).contains(&script);
        if is_dense || length > MOST_LETTERS {
            sum.weight(SCRIPT_LETTER + script);
        }
        sum.weight(PAIR + slot(mix(before.wrapping_mul(0x1_003f), next.code), PAIR_BITS));
        if is_dense {
            sum.weight(PAIR + slot(mix(0x5bd1, next.code), PAIR_BITS));
        }
        before = next.code;
        at += next.bytes;
    }
    sum.weight(SCRIPT + of.unwrap_or(0) * (MOST_LETTERS + 1) + length.min(MOST_LETTERS));
    contraction(text.as_bytes(), at, sum)
}

/// Up to three digits.
#[inline(never)]
fn digits<S: Sum>(text: &str, mut at: usize, sum: &mut S) -> usize {
    sum.weight(DIGITS);
    for _ in 0..3 {
        let Some(next) = seen(text, at).filter(|next| next.kind == Kind::Digit) else {
            break;
        };
        if next.code >= 0x80 {
            sum.weight(SYMBOL + SYMBOLS - 1);
        }
        at += next.bytes;
    }
    at
}

/// A run of signs, with a space before it and line breaks and slashes after it.
#[inline(always)]
fn signs<S: Sum>(text: &str, mut at: usize, sum: &mut S) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    let mut hash = 0;
    let mut before = 0;
    let mut ruled = 0;
    let mut is_ending = false;
    while let Some(byte) = bytes.get(at) {
        let (code, size) = match CLASSES[usize::from(*byte)] {
            Kind::Sign if !is_ending || *byte == b'/' => (u32::from(*byte), 1),
            // Only as the first; after it the run is one of signs.
            Kind::Space if length == 0 => (0x20, 1),
            Kind::Break => {
                is_ending = true;
                (u32::from(*byte), 1)
            }
            Kind::Wide if !is_ending => match other(text, at) {
                Some(next) if next.kind == Kind::Sign => (next.code, next.bytes),
                _ => break,
            },
            _ => break,
        };
        length += 1;
        hash = mix(hash, code);
        if length > MOST_SIGNS {
            if code != before {
                sum.weight(SIGN);
            } else {
                if ruled % RULED == 0 {
                    sum.weight(RULE);
                }
                ruled += 1;
            }
        }
        if code >= 0x80 {
            sum.weight(SYMBOL + block(code));
        }
        before = code;
        at += size;
    }
    sum.weight(SIGNS + length.min(MOST_SIGNS));
    sum.weight(RUN + slot(hash, RUN_BITS));
    at
}

/// The block of a sign that is not ASCII.
fn block(code: u32) -> usize {
    const ENDS: [u32; SYMBOLS - 2] = [0x2000, 0x2070, 0x2500, 0x3000, 0x3040, 0xff00, 0x1_0000];
    ENDS.iter().take_while(|end| code >= **end).count()
}

/// White space: up to its last line break, or all but the last, which leads what follows.
#[inline(never)]
fn spaces<S: Sum>(text: &str, start: usize, sum: &mut S) -> usize {
    let mut at = start;
    let mut last = start;
    let mut broken = None;
    let mut length = 0_usize;
    let mut first = 0;
    while let Some(next) = seen(text, at).filter(|next| next.kind.is_space()) {
        if length == 0 {
            first = next.code;
        }
        last = at;
        at += next.bytes;
        length += 1;
        if next.kind == Kind::Break {
            broken = Some((at, length));
        }
    }
    let (end, length) = match broken {
        Some(broken) => broken,
        None if at < text.len() && length > 1 => (last, length - 1),
        None => (at, length),
    };
    sum.weight(
        SPACE
            + match (length, first) {
                (1, 0x20) => 0,
                (1, 0x0a) => 1,
                (1, _) => 2,
                _ if broken.is_some() => 3,
                _ => 4 + (length / 8).min(3),
            },
    );
    for _ in 0..length / WIDTH {
        sum.weight(WIDE);
    }
    end
}
