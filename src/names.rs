//! Names: when two spellings are one name, and when a pattern takes a name in.

use sha2::{Digest, Sha256};

use crate::terms::{Kind, letters, words};
use crate::vocabulary::Vocabulary;

/// A name without case and separators: `createInvoice`, `create_invoice` and `create-invoice`
/// are one. A name of separators alone stays as it is.
pub fn canonical(name: &str) -> String {
    let plain = letters(name);
    if plain.is_empty() {
        name.to_owned()
    } else {
        plain
    }
}

/// What stands after the last `__`, `.` or `/` of a name: `create_issue` in
/// `mcp__github__create_issue`. `None` when nothing stands before or after.
pub fn short(name: &str) -> Option<&str> {
    let after = [
        pairs(name).rposition(is_double).map(|at| at + 2),
        name.rfind(['.', '/']).map(|at| at + 1),
    ];
    let start = after.into_iter().flatten().max()?;
    let rest = name.get(start..)?;
    (!rest.is_empty() && rest.len() < name.len()).then_some(rest)
}

/// Every two bytes that stand side by side. Two are found among them; a search for a text of any length is 2 kB gzip.
fn pairs(text: &str) -> std::slice::Windows<'_, u8> {
    text.as_bytes().windows(2)
}

fn is_double(pair: &[u8]) -> bool {
    pair == b"__"
}

/// What stands after the first separator of a name's parts; `None` when there is no part after it.
fn inner(name: &str) -> Option<&str> {
    let ends = [
        pairs(name).position(is_double).map(|at| at + 2),
        name.find(['.', '/', ':']).map(|at| at + 1),
    ];
    let rest = name.get(ends.into_iter().flatten().min()?..)?;
    (!rest.is_empty()).then_some(rest)
}

/// A name without what models write before any name, as they have seen it in other hosts' prompts.
pub fn bare(name: &str) -> &str {
    const HOLDERS: [&str; 5] = ["functions", "function", "tools", "tool", "default_api"];
    match inner(name) {
        Some(rest) => {
            let before = name.get(..name.len() - rest.len()).unwrap_or_default();
            let before = before.trim_end_matches(['_', '.', '/', ':']);
            if HOLDERS
                .iter()
                .any(|holder| before.eq_ignore_ascii_case(holder))
            {
                rest
            } else {
                name
            }
        }
        None => name,
    }
}

/// True when a text is a name but for case, separators and what models write before it.
pub fn is_spelling(text: &str, name: &str) -> bool {
    let plain = canonical(name);
    canonical(text) == plain || canonical(bare(text)) == plain
}

/// True when a text reads as an identifier rather than a word: it has a separator inside, a change
/// from small to capital letters, or a digit after a letter.
pub fn is_identifier(text: &str) -> bool {
    let mut before = ' ';
    for c in text.chars() {
        if c.is_whitespace() {
            return false;
        }
        let joins = matches!(before, '_' | '-' | '.' | '/') && c.is_alphanumeric();
        let camel = before.is_ascii_lowercase() && c.is_ascii_uppercase();
        let numbered = before.is_alphabetic() && c.is_ascii_digit();
        if joins || camel || numbered {
            return true;
        }
        before = c;
    }
    false
}

/// True when a text has a name in it, however both are spelled: the words of `Google Drive` and `google_drive_upload`
/// have `google-drive`. A part of a word is none: `google` does not have `go`.
pub fn mentions(text: &str, name: &str) -> bool {
    let plain = letters(name);
    if !plain.is_ascii() {
        // Scripts without spaces come in pairs of characters, which do not add up to the name.
        let text = letters(text);
        return (text.as_bytes().windows(plain.len())).any(|part| part == plain.as_bytes());
    }
    let mut parts: Vec<String> = Vec::new();
    words(text, &mut |word, kind| {
        if kind == Kind::Part {
            parts.push(word.to_owned());
        }
    });
    (0..parts.len()).any(|start| {
        let mut rest = plain.as_str();
        for part in &parts[start..] {
            match rest.strip_prefix(part.as_str()) {
                Some(after) => rest = after,
                None => return false,
            }
            if rest.is_empty() {
                return true;
            }
        }
        false
    })
}

/// True for a name that every provider takes, so that it needs no alias anywhere.
pub fn is_safe(name: &str, longest: usize) -> bool {
    // By bytes, as none of another character passes.
    let bytes = name.as_bytes();
    if bytes.len() > longest
        || !bytes
            .first()
            .is_some_and(|byte| is_first(char::from(*byte)))
    {
        return false;
    }
    for byte in bytes {
        if !is_plain(char::from(*byte)) {
            return false;
        }
    }
    true
}

fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The name under which a tool goes out where its own is refused: what may stand of it, and `digits` of its hash. It is
/// the same for every format and depends on nothing but the name, so that a conversation can go on elsewhere.
pub fn alias(name: &str, longest: usize, digits: usize) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut text = String::new();
    if !name.starts_with(is_first) {
        text.push('_');
    }
    let room = longest.saturating_sub(digits + 1 + text.len());
    text.extend(
        name.chars()
            .take(room)
            .map(|c| if is_plain(c) { c } else { '_' }),
    );
    text.push('_');
    let hash = Sha256::digest(name.as_bytes());
    // Five bits a digit.
    let bit = |at: usize| hash.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    for digit in 0..digits {
        let number = (0..5).fold(0, |number, at| {
            number * 2 + usize::from(bit(digit * 5 + at))
        });
        text.push(char::from(ALPHABET[number]));
    }
    text
}

/// What stands between the names of a list, as models write one.
pub fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '"' | '`' | '\'' | '(' | ')' | '[' | ']')
}

/// True when `pattern` takes `name` in: `*` stands for any run of characters, `?` for one; all
/// else for itself. Linear in pattern times name, as patterns and names may be a stranger's.
pub fn glob(pattern: &str, name: &str) -> bool {
    if pattern == name {
        return true;
    }
    if !is_pattern(pattern) {
        return false;
    }
    let first = |text: &str, at: usize| text.get(at..).and_then(|rest| rest.chars().next());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(wanted) = first(name, n) {
        match first(pattern, p) {
            Some('*') => {
                p += 1;
                retry = Some((p, n));
            }
            Some(c) if c == '?' || c == wanted => {
                p += c.len_utf8();
                n += wanted.len_utf8();
            }
            _ => {
                // The star takes one more.
                let Some((after, taken)) = retry else {
                    return false;
                };
                p = after;
                n = taken + first(name, taken).map_or(1, char::len_utf8);
                retry = Some((after, n));
            }
        }
    }
    pattern.bytes().skip(p).all(|byte| byte == b'*')
}

/// True when a text stands for more than itself.
pub fn is_pattern(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?'))
}

/// True when one of `patterns` takes `name` in.
pub fn any_glob(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| glob(pattern, name))
}

/// Many patterns for many names: those without a star or question mark are looked up at once.
pub struct Patterns<'a> {
    exact: Vocabulary,
    globs: Vec<&'a str>,
}

impl<'a> Patterns<'a> {
    /// Sorts the patterns.
    pub fn of(patterns: impl Iterator<Item = &'a String>) -> Patterns<'a> {
        let mut sorted = Patterns {
            exact: Vocabulary::default(),
            globs: Vec::new(),
        };
        for pattern in patterns {
            if is_pattern(pattern) {
                sorted.globs.push(pattern);
            } else {
                sorted.exact.intern(pattern);
            }
        }
        sorted
    }

    /// True when one of the patterns takes `name` in.
    pub fn take(&self, name: &str) -> bool {
        self.exact.number(name).is_some() || self.globs.iter().any(|pattern| glob(pattern, name))
    }
}

/// How well a text names a tool, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The name itself.
    Equal,
    /// The name in other case.
    Case,
    /// The name with other separators.
    Canonical,
    /// The part of the name after its server.
    Short,
}

/// The names of a catalogue, by the ways in which people write them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    full: Spellings,
    short: Spellings,
}

/// The tools of each spelling.
#[derive(Clone, Debug, Default)]
struct Spellings {
    numbers: Vocabulary,
    positions: Vec<Vec<u32>>,
}

impl Spellings {
    fn insert(&mut self, spelling: &str, position: u32) {
        let (number, is_new) = self.numbers.intern(spelling);
        if is_new {
            self.positions.push(Vec::new());
        }
        if let Some(positions) = self.positions.get_mut(number as usize) {
            positions.push(position);
        }
    }
    fn get(&self, spelling: &str) -> Option<&Vec<u32>> {
        self.positions.get(self.numbers.number(spelling)? as usize)
    }
}

impl Names {
    /// Adds the name of the tool at `position`.
    pub fn insert(&mut self, name: &str, position: u32) {
        self.full.insert(&canonical(name), position);
        if let Some(short) = short(name) {
            self.short.insert(&canonical(short), position);
        }
    }

    /// The tools that a name may mean which none has: those of which it is the whole name but for case and separators;
    /// where there is none, those of which it is the last parts, and those whose whole name is its last parts. Of the
    /// latter `is_from` says whether what stands before can be.
    pub fn near<'a>(
        &self,
        text: &str,
        name_of: &dyn Fn(u32) -> &'a str,
        is_from: &dyn Fn(u32, &str) -> bool,
    ) -> Vec<u32> {
        /// Longer than any name that a provider takes, with all that may stand before it.
        const LONGEST: usize = 512;
        /// Two are one too many; of more, so many are kept to be named.
        const MOST: usize = 16;
        fn add(found: &mut Vec<u32>, at: u32) {
            // By its name and by its alias it is the same.
            if found.len() < MOST && !found.contains(&at) {
                found.push(at);
            }
        }
        let mut found = Vec::new();
        if text.len() > LONGEST {
            return found;
        }
        let bare = bare(text);
        let plain = canonical(bare);
        for whole in [&canonical(text), &plain] {
            for at in self.full.get(whole).into_iter().flatten() {
                add(&mut found, *at);
            }
        }
        if !found.is_empty() {
            return found;
        }
        let last = canonical(short(bare).unwrap_or(bare));
        for at in self.short.get(&last).into_iter().flatten() {
            let mut rest = inner(name_of(*at));
            while let Some(end) = rest {
                if canonical(end) == plain {
                    add(&mut found, *at);
                }
                rest = inner(end);
            }
        }
        let mut rest = inner(bare);
        while let Some(end) = rest {
            let before = bare.get(..bare.len() - end.len()).unwrap_or_default();
            for at in self.full.get(&canonical(end)).into_iter().flatten() {
                if is_from(*at, before) {
                    add(&mut found, *at);
                }
            }
            rest = inner(end);
        }
        found
    }

    /// The tools that `text` names, each with how well, and whether it is a name at all: it is even
    /// when `keep` takes none of its tools in. When a whole name fits, names of which only the part
    /// after the server fits are not given.
    pub fn find<'a>(
        &self,
        text: &str,
        name_of: impl Fn(u32) -> &'a str,
        keep: &dyn Fn(u32) -> bool,
    ) -> (Vec<(u32, Match)>, bool) {
        let mut is_name = false;
        let mut kept = |found: Option<&Vec<u32>>| -> Vec<u32> {
            let found = found.map_or(&[][..], Vec::as_slice);
            is_name |= !found.is_empty();
            found.iter().copied().filter(|at| keep(*at)).collect()
        };
        let plain = canonical(text);
        let full = kept(self.full.get(&plain));
        if !full.is_empty() {
            let fits = full.into_iter().map(|position| {
                let name = name_of(position);
                let fit = if name == text {
                    Match::Equal
                } else if name.eq_ignore_ascii_case(text) {
                    Match::Case
                } else {
                    Match::Canonical
                };
                (position, fit)
            });
            return (fits.collect(), true);
        }
        let mut short = kept(self.short.get(&plain));
        // `mcp__github__create_issue` where the catalogue says `create_issue` or
        // `github__create_issue`: a prefix the catalogue lacks is cut off, part by part. A list of
        // names has no prefix.
        let is_one = !text.contains(is_separator);
        let mut rest = text;
        while short.is_empty() && is_one {
            let Some(at) = pairs(rest).position(is_double) else {
                break;
            };
            rest = rest.get(at + 2..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            short = kept(self.full.get(&canonical(rest)));
        }
        let fits = short.into_iter().map(|at| (at, Match::Short));
        (fits.collect(), is_name)
    }
}
