//! What a character is to a word: part of it or not, of which script, and what it folds to.
//!
//! Folding is lower case, compatibility decomposition and the loss of accents, so that every way to write a word
//! is one: `Résumé`, `RESUME` and full-width `ｒｅｓｕｍｅ`; Greek with either sigma; Arabic with and without vowel
//! points; half-width kana. Vowel signs of Devanagari, Thai and their kin are letters to their readers and stay.
//!
//! The table adds about 4 kB gzip to the wasm, where the crates that know all of Unicode add 40 (icu_normalizer)
//! and 72 (unicode-normalization). What it leaves out: Han compatibility forms, Arabic ligatures, enclosed letters,
//! and the decompositions above U+FFFF but for the styled Latin letters.

use super::fold_table::{ASTRAL_MARKS, CAPITALS, FIRST_MULTI, INDEX, MARKS, MULTI, PAGE, PAGES};

/// What a character becomes.
pub(super) enum Folded {
    /// Itself. It may not be a letter at all.
    Same,
    /// Nothing: it may be left out when writing.
    Nothing,
    /// Another character; whether it was a capital.
    One(char, bool),
    /// Up to four characters, padded with 0; whether it was a capital.
    Many([u16; 4], bool),
}

/// What a character that is not ASCII becomes. Constant time.
pub(super) fn fold(c: char) -> Folded {
    let code = c as u32;
    let Ok(unit) = u16::try_from(code) else {
        return fold_astral(code);
    };
    let place = usize::from(unit) % PAGE;
    let Some(page) = INDEX
        .get(usize::from(unit) / PAGE)
        .and_then(|&number| usize::from(number).checked_sub(1))
    else {
        return Folded::Same;
    };
    let (Some(values), Some(capitals)) = (PAGES.get(page), CAPITALS.get(page)) else {
        return Folded::Same;
    };
    let capital = capitals >> place & 1 == 1;
    match values[place] {
        0 => Folded::Same,
        1 => Folded::Nothing,
        multi if multi >= FIRST_MULTI && multi < FIRST_MULTI + MULTI.len() as u16 => {
            Folded::Many(MULTI[usize::from(multi - FIRST_MULTI)], capital)
        }
        value => {
            char::from_u32(u32::from(value)).map_or(Folded::Same, |to| Folded::One(to, capital))
        }
    }
}

/// Above U+FFFF arithmetic does it: styled Latin letters and digits (people write headings with them), and the case
/// of the scripts that have one.
fn fold_astral(code: u32) -> Folded {
    let (to, capital) = match code {
        0x1D400..=0x1D6A3 => (
            u32::from(b'a') + (code - 0x1D400) % 26,
            (code - 0x1D400) % 52 < 26,
        ),
        0x1D7CE..=0x1D7FF => (u32::from(b'0') + (code - 0x1D7CE) % 10, false),
        0x10400..=0x10427 | 0x104B0..=0x104D3 => (code + 0x28, true),
        0x10C80..=0x10CB2 => (code + 0x40, true),
        0x118A0..=0x118BF | 0x16E40..=0x16E5F => (code + 0x20, true),
        0x1E900..=0x1E921 => (code + 0x22, true),
        0xE0100..=0xE01EF => return Folded::Nothing,
        _ => return Folded::Same,
    };
    char::from_u32(to).map_or(Folded::Same, |to| Folded::One(to, capital))
}

/// Whether a character that folds to itself is a mark that belongs to the letter before it, and is not alphabetic to
/// Unicode: without these a Hindi word would break at every virama.
pub(super) fn is_mark(c: char) -> bool {
    let (runs, unit) = match c as u32 {
        code @ 0..=0xFFFF => (&MARKS[..], code as u16),
        code @ 0x10000..=0x1FFFF => (&ASTRAL_MARKS[..], (code - 0x10000) as u16),
        _ => return false,
    };
    let after = runs.partition_point(|&(first, _)| first <= unit);
    after > 0 && runs.get(after - 1).is_some_and(|&(_, last)| unit <= last)
}

/// The scripts that words are told apart by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Script {
    /// Nothing but digits so far.
    Digits,
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// The scripts of India, by their block of 128 characters.
    Indic(u8),
    /// Han, kana and bopomofo: one, because Japanese words change between them in their middle.
    Han,
    Hangul,
    /// Thai, Lao, Khmer and Myanmar, which put no spaces between words.
    Unspaced(u8),
    /// All the rest, which use spaces and hardly ever meet within a word.
    Other,
}

/// The script of a folded character.
pub(super) fn script(c: char) -> Script {
    match c as u32 {
        0..=0x36F | 0x1D00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF | 0xAB30..=0xAB6F => {
            Script::Latin
        }
        0x370..=0x3FF | 0x1F00..=0x1FFF => Script::Greek,
        0x400..=0x52F | 0xA640..=0xA69F => Script::Cyrillic,
        0x590..=0x5FF => Script::Hebrew,
        0x600..=0x6FF | 0x750..=0x77F | 0x870..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => {
            Script::Arabic
        }
        code @ 0x900..=0xDFF => Script::Indic((code >> 7) as u8),
        0xE00..=0xE7F => Script::Unspaced(0),
        0xE80..=0xEFF => Script::Unspaced(1),
        0x1000..=0x109F | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F => Script::Unspaced(2),
        0x1780..=0x17FF => Script::Unspaced(3),
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xFFA0..=0xFFDF => {
            Script::Hangul
        }
        0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x312F | 0x31A0..=0x31FF => {
            Script::Han
        }
        0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x1AFF0..=0x1B16F
        | 0x20000..=0x3FFFF => Script::Han,
        _ => Script::Other,
    }
}

/// The composed form of two characters, where the pair is another spelling of one: kana with a voicing mark, and the
/// jamo of a Hangul syllable. These two are letters of their own to their readers, so the mark must not fall away.
pub(super) fn compose(before: char, mark: char) -> Option<char> {
    let (first, second) = (before as u32, mark as u32);
    let code = match (first, second) {
        (0x3046 | 0x30A6, 0x3099) => first + 0x4E,
        (0x304B..=0x3062 | 0x30AB..=0x30C2, 0x3099) if first % 2 == 1 => first + 1,
        (0x3064..=0x3069 | 0x30C4..=0x30C9, 0x3099) if first % 2 == 0 => first + 1,
        (0x306F..=0x307D | 0x30CF..=0x30DD, 0x3099) if first % 3 == 0 => first + 1,
        (0x306F..=0x307D | 0x30CF..=0x30DD, 0x309A) if first % 3 == 0 => first + 2,
        (0x30EF..=0x30F2, 0x3099) => first + 8,
        (0x309D | 0x30FD, 0x3099) => first + 1,
        (0x1100..=0x1112, 0x1161..=0x1175) => {
            0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28
        }
        (0xAC00..=0xD7A3, 0x11A8..=0x11C2) if (first - 0xAC00) % 28 == 0 => {
            first + (second - 0x11A7)
        }
        _ => return None,
    };
    char::from_u32(code)
}

/// Whether a character of Thai, Lao, Khmer or Myanmar is written on the letter before it.
pub(super) fn is_stacked(c: char) -> bool {
    matches!(c as u32,
        0xE31 | 0xE34..=0xE3A | 0xE47..=0xE4E | 0xEB1 | 0xEB4..=0xEBC | 0xEC8..=0xECE
        | 0x102B..=0x103E | 0x1056..=0x1059 | 0x105E..=0x1060 | 0x1062..=0x1064 | 0x1067..=0x106D | 0x1071..=0x1074
        | 0x1082..=0x108D | 0x108F | 0x109A..=0x109D | 0x17B4..=0x17D3 | 0x17DD | 0xAA7B..=0xAA7D)
}

/// Whether the next letter too belongs to the letter before this sign: the stackers of Khmer and Myanmar.
pub(super) fn is_stacker(c: char) -> bool {
    matches!(c, '\u{17D2}' | '\u{1039}')
}

/// The letters and digits of a text, folded, and nothing else: what is left of a name when case, accents and
/// separators do not matter.
pub fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    if text.is_ascii() {
        // Most are, and need no reading of characters.
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() {
                letters.push(char::from(byte.to_ascii_lowercase()));
            }
        }
        return letters;
    }
    for c in text.chars() {
        // An accent written on its own.
        if ('\u{300}'..='\u{36F}').contains(&c) {
            continue;
        }
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                letters.push(c.to_ascii_lowercase());
            }
            continue;
        }
        match fold(c) {
            Folded::Nothing => {}
            Folded::One(to, _) => letters.push(to),
            Folded::Many(units, _) => letters.extend(
                char::decode_utf16(units)
                    .filter_map(Result::ok)
                    .take_while(|to| *to != '\0'),
            ),
            Folded::Same => {
                if is_mark(c) || c.is_alphanumeric() {
                    letters.push(c);
                }
            }
        }
    }
    letters
}
