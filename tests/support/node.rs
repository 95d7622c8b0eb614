//! A JSON value as JavaScript holds it: texts may have lone surrogates, numbers that are whole go
//! first among keys, of two equal keys the last value counts, and nothing is too deep.
//!
//! The engine's own `Json` mends and bounds what it reads. A vector must reach both faces before
//! that has happened, so it is read by this instead.

use std::borrow::Cow;
use std::fmt::Write;

use toolcrib::value::{Json, Kind, Value};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(Text),
    List(Vec<Node>),
    Object(Vec<(Text, Node)>),
}

/// A text. `units` has its UTF-16 where that holds a lone surrogate, which `plain` can't.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub plain: String,
    units: Option<Vec<u16>>,
}

impl Text {
    fn new(units: Vec<u16>) -> Text {
        match String::from_utf16(&units) {
            Ok(plain) => Text { plain, units: None },
            // What TextEncoder makes of it on the way into wasm: one U+FFFD for each.
            Err(_) => Text {
                plain: String::from_utf16_lossy(&units),
                units: Some(units),
            },
        }
    }
}

impl From<&str> for Text {
    fn from(plain: &str) -> Text {
        Text {
            plain: plain.to_owned(),
            units: None,
        }
    }
}

impl Node {
    /// Reads JSON text.
    pub fn parse(text: &str) -> Node {
        let mut parser = Parser {
            bytes: text.as_bytes(),
            at: 0,
        };
        let node = parser.value();
        parser.space();
        assert_eq!(parser.at, text.len(), "text after the JSON value");
        node
    }

    /// What anything else says of itself.
    pub fn of(value: &impl serde::Serialize) -> Node {
        Node::parse(&serde_json::to_string(value).unwrap())
    }

    pub fn text(text: &str) -> Node {
        Node::Text(text.into())
    }

    pub fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Node {
        Node::List(texts.into_iter().map(Node::text).collect())
    }

    pub fn object<const N: usize>(entries: [(&str, Node); N]) -> Node {
        Node::Object(
            entries
                .into_iter()
                .map(|(key, node)| (key.into(), node))
                .collect(),
        )
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|(name, _)| name.plain == key)
            .map(|(_, node)| node)
    }

    pub fn entries(&self) -> &[(Text, Node)] {
        match self {
            Node::Object(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Node] {
        match self {
            Node::List(items) => items,
            _ => &[],
        }
    }

    pub fn str(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(&text.plain),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Node::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn is_true(&self) -> bool {
        *self == Node::Bool(true)
    }

    pub fn path(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// A copy without the key at the end of `path`.
    pub fn without(&self, path: &[&str]) -> Node {
        let (Node::Object(entries), [key, rest @ ..]) = (self, path) else {
            return self.clone();
        };
        let kept = entries
            .iter()
            .filter(|(name, _)| name.plain != *key || !rest.is_empty())
            .map(|(name, node)| match name.plain == *key {
                true => (name.clone(), node.without(rest)),
                false => (name.clone(), node.clone()),
            });
        Node::Object(kept.collect())
    }

    /// Puts a value at the end of `path`.
    pub fn put(&mut self, path: &[&str], value: Node) {
        let (Node::Object(entries), [key, rest @ ..]) = (self, path) else {
            return;
        };
        let found = entries.iter_mut().find(|(name, _)| name.plain == *key);
        match (found, rest.is_empty()) {
            (Some((_, node)), true) => *node = value,
            (Some((_, node)), false) => node.put(rest, value),
            (None, true) => entries.push(((*key).into(), value)),
            (None, false) => {}
        }
    }

    /// The text that `JSON.stringify` gives.
    pub fn stringify(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Node::Null => out.push_str("null"),
            Node::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Node::Number(number) => write_number(*number, out),
            Node::Text(text) => write_text(text, out),
            Node::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Node::Object(entries) => {
                out.push('{');
                for (index, (key, node)) in entries.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    node.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Says in words what a file can't or should not hold:
    /// `{"$repeat": [text, n]}`, `{"$number": "NaN"}`, `{"$concat": [list, ...]}`,
    /// `{"$list": [value, n]}` with "#" in texts as the number of the copy, and
    /// `{"$nest": [value, n, innermost]}` with the text "$inside" as the place of the next level.
    pub fn expand(&self) -> Node {
        if let Node::Object(entries) = self
            && let [(key, node)] = entries.as_slice()
        {
            let arguments = || -> Vec<Node> { node.items().iter().map(Node::expand).collect() };
            let times = |arguments: &[Node]| arguments[1].number().unwrap() as usize;
            match key.plain.as_str() {
                "$repeat" => {
                    let arguments = arguments();
                    return Node::text(&arguments[0].str().unwrap().repeat(times(&arguments)));
                }
                "$number" => return Node::Number(node.str().unwrap().parse().unwrap()),
                "$concat" => {
                    let lists = arguments();
                    return Node::List(lists.iter().flat_map(Node::items).cloned().collect());
                }
                "$list" => {
                    let arguments = arguments();
                    let copy = |number: usize| {
                        let number = number.to_string();
                        arguments[0].replace(&|text| {
                            text.contains('#')
                                .then(|| Node::text(&text.replace('#', &number)))
                        })
                    };
                    return Node::List((0..times(&arguments)).map(copy).collect());
                }
                "$nest" => {
                    let arguments = arguments();
                    return (0..times(&arguments)).fold(arguments[2].clone(), |inside, _| {
                        arguments[0].replace(&|text| (text == "$inside").then(|| inside.clone()))
                    });
                }
                _ => {}
            }
        }
        match self {
            Node::List(items) => Node::List(items.iter().map(Node::expand).collect()),
            Node::Object(entries) => Node::Object(
                entries
                    .iter()
                    .map(|(key, node)| (key.clone(), node.expand()))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    fn replace(&self, with: &dyn Fn(&str) -> Option<Node>) -> Node {
        match self {
            Node::Text(text) => with(&text.plain).unwrap_or_else(|| self.clone()),
            Node::List(items) => Node::List(items.iter().map(|item| item.replace(with)).collect()),
            Node::Object(entries) => Node::Object(
                entries
                    .iter()
                    .map(|(key, node)| (key.clone(), node.replace(with)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}

/// The first place where two values differ, the order of keys included.
pub fn difference(want: &Node, got: &Node, at: &str) -> Option<String> {
    match (want, got) {
        (Node::List(left), Node::List(right)) => {
            let inner = left.iter().zip(right).enumerate();
            inner
                .into_iter()
                .find_map(|(index, (want, got))| difference(want, got, &format!("{at}[{index}]")))
                .or_else(|| (left.len() != right.len()).then(|| unlike(want, got, at)))
        }
        (Node::Object(left), Node::Object(right)) => {
            if left
                .iter()
                .map(|(key, _)| key)
                .ne(right.iter().map(|(key, _)| key))
            {
                return Some(unlike(want, got, at));
            }
            left.iter().zip(right).find_map(|((key, want), (_, got))| {
                difference(want, got, &format!("{at}.{}", key.plain))
            })
        }
        (Node::Number(left), Node::Number(right)) => {
            (left.to_bits() != right.to_bits()).then(|| unlike(want, got, at))
        }
        _ => (want != got).then(|| unlike(want, got, at)),
    }
}

fn unlike(want: &Node, got: &Node, at: &str) -> String {
    let short = |node: &Node| -> String {
        let text = node.stringify();
        match text.char_indices().nth(600) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    format!("{at}: want {}, got {}", short(want), short(got))
}

/// As JavaScript writes it: the shortest digits that read back as the same number.
fn write_number(number: f64, out: &mut String) {
    if !number.is_finite() {
        return out.push_str("null");
    }
    if number == 0.0 {
        return out.push('0');
    }
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let digits = mantissa.replace('.', "");
    let count = digits.len() as i32;
    if number < 0.0 {
        out.push('-');
    }
    if (-6..21).contains(&exponent) {
        let point = exponent + 1;
        if point <= 0 {
            out.push_str("0.");
            out.push_str(&"0".repeat(-point as usize));
            out.push_str(&digits);
        } else if point >= count {
            out.push_str(&digits);
            out.push_str(&"0".repeat((point - count) as usize));
        } else {
            let (whole, fraction) = digits.split_at(point as usize);
            write!(out, "{whole}.{fraction}").unwrap();
        }
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(out, "{first}{point}{rest}e{exponent:+}").unwrap();
    }
}

fn write_text(text: &Text, out: &mut String) {
    out.push('"');
    match &text.units {
        None => text.plain.chars().for_each(|c| write_char(c, out)),
        Some(units) => {
            for unit in char::decode_utf16(units.iter().copied()) {
                match unit {
                    Ok(c) => write_char(c, out),
                    Err(lone) => write!(out, "\\u{:04x}", lone.unpaired_surrogate()).unwrap(),
                }
            }
        }
    }
    out.push('"');
}

fn write_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{C}' => out.push_str("\\f"),
        c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32).unwrap(),
        c => out.push(c),
    }
}

struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str, node: Node) -> Node {
        assert!(
            self.bytes[self.at..].starts_with(word.as_bytes()),
            "no JSON at byte {}",
            self.at
        );
        self.at += word.len();
        node
    }

    fn value(&mut self) -> Node {
        self.space();
        match self.bytes[self.at] {
            b'n' => self.word("null", Node::Null),
            b't' => self.word("true", Node::Bool(true)),
            b'f' => self.word("false", Node::Bool(false)),
            b'"' => Node::Text(self.string()),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.take(b']') {
                    assert!(items.is_empty() || self.take(b','), "no comma");
                    items.push(self.value());
                }
                Node::List(items)
            }
            b'{' => {
                self.at += 1;
                let mut entries: Vec<(Text, Node)> = Vec::new();
                let mut first = true;
                while !self.take(b'}') {
                    assert!(first || self.take(b','), "no comma");
                    first = false;
                    self.space();
                    let key = self.string();
                    assert!(self.take(b':'), "no colon");
                    let node = self.value();
                    match entries.iter_mut().find(|(name, _)| *name == key) {
                        Some((_, old)) => *old = node,
                        None => entries.push((key, node)),
                    }
                }
                // JavaScript keeps array indices before all other keys.
                entries.sort_by_key(|(key, _)| array_index(&key.plain).unwrap_or(u32::MAX));
                Node::Object(entries)
            }
            _ => {
                let length = self.bytes[self.at..]
                    .iter()
                    .take_while(|byte| {
                        matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
                    })
                    .count();
                let text = std::str::from_utf8(&self.bytes[self.at..self.at + length]).unwrap();
                self.at += length;
                Node::Number(text.parse().unwrap())
            }
        }
    }

    fn string(&mut self) -> Text {
        assert!(self.bytes[self.at] == b'"', "no text at byte {}", self.at);
        self.at += 1;
        let start = self.at;
        let end = start
            + self.bytes[start..]
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\'))
                .unwrap();
        if self.bytes[end] == b'"' {
            self.at = end + 1;
            return std::str::from_utf8(&self.bytes[start..end]).unwrap().into();
        }
        let mut units: Vec<u16> = Vec::new();
        let rest = std::str::from_utf8(&self.bytes[start..]).unwrap();
        let mut chars = rest.char_indices();
        loop {
            let (at, c) = chars.next().unwrap();
            match c {
                '"' => {
                    self.at = start + at + 1;
                    return Text::new(units);
                }
                '\\' => units.push(match chars.next().unwrap().1 {
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'b' => 8,
                    'f' => 12,
                    'u' => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        u16::from_str_radix(&digits, 16).unwrap()
                    }
                    other => other as u16,
                }),
                c => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            }
        }
    }
}

fn array_index(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    (index < u32::MAX && index.to_string() == key).then_some(index)
}

/// A value as `src/wasm.rs` and `src/reader.js` read it.
#[derive(Clone, Copy)]
pub struct Living<'a>(pub Option<&'a Node>);

impl Value for Living<'_> {
    fn absent() -> Self {
        Living(None)
    }
    fn kind(&self) -> Kind {
        match self.0 {
            None => Kind::Absent,
            Some(Node::Null) => Kind::Null,
            Some(Node::Bool(_)) => Kind::Bool,
            Some(Node::Number(_)) => Kind::Number,
            Some(Node::Text(_)) => Kind::Text,
            Some(Node::List(_)) => Kind::Array,
            Some(Node::Object(_)) => Kind::Object,
        }
    }
    fn get(&self, key: &'static str) -> Self {
        Living(self.0.and_then(|node| node.get(key)))
    }
    fn at(&self, index: usize) -> Self {
        Living(self.0.and_then(|node| node.items().get(index)))
    }
    fn len(&self) -> usize {
        self.0.map_or(0, |node| node.items().len())
    }
    fn text(&self) -> Option<Cow<'_, str>> {
        self.0.and_then(Node::str).map(Cow::Borrowed)
    }
    fn number(&self) -> Option<f64> {
        self.0.and_then(Node::number)
    }
    fn flag(&self) -> Option<bool> {
        match self.0 {
            Some(Node::Bool(flag)) => Some(*flag),
            _ => None,
        }
    }
    fn keys(&self) -> Vec<String> {
        let entries = self.0.map_or(&[][..], Node::entries).iter();
        entries.take(64).map(|(key, _)| key.plain.clone()).collect()
    }
    fn json(&self) -> Json {
        self.0
            .and_then(|node| Json::parse(&node.stringify()).ok())
            .unwrap_or(Json::Null)
    }
    fn json_text(&self) -> Option<String> {
        self.0.map(Node::stringify)
    }
    fn holding(&self, path: &[&str], words: &[&str]) -> Vec<usize> {
        let items = self.0.map_or(&[][..], Node::items).iter().enumerate();
        items
            .filter(|(_, item)| item.str().is_none() && holds(item, path, words))
            .map(|(index, _)| index)
            .collect()
    }
}

fn holds(node: &Node, path: &[&str], words: &[&str]) -> bool {
    if let Some(text) = node.str() {
        return words.contains(&text);
    }
    match path {
        [] => false,
        ["*", rest @ ..] => node.items().iter().any(|item| holds(item, rest, words)),
        [keys, rest @ ..] => keys
            .split('|')
            .filter_map(|key| node.get(key))
            .any(|inner| holds(inner, rest, words)),
    }
}
