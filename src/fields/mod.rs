//! What is searched of a tool: its texts, by the field they stand in.

mod schema;

use crate::catalogue::Tool;

/// A field of a tool. The order is that of [`Field::ALL`] and of the bits in a posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The tool's name.
    Name,
    /// The title and the first sentence of the description.
    Summary,
    /// The rest of the description.
    Description,
    /// The names of parameters.
    Parameter,
    /// What the schema says of parameters.
    ParameterText,
}

impl Field {
    /// Every field.
    pub const ALL: [Field; 5] = [
        Field::Name,
        Field::Summary,
        Field::Description,
        Field::Parameter,
        Field::ParameterText,
    ];

    /// What it is called in explanations.
    pub fn as_str(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Summary => "summary",
            Field::Description => "description",
            Field::Parameter => "parameter",
            Field::ParameterText => "parameter text",
        }
    }
}

/// Of one tool at most this many bytes of text are searched, so that one definition of a megabyte
/// costs no more than a thousand ordinary ones. The longest real definition seen holds 40 kB.
const TOOL_BYTES: usize = 64 * 1024;

/// Where one sentence ends and the next begins, in the scripts that mark it. A full stop counts
/// only before white space: `v1.2` and `e.g.x` are no ends.
const ENDS: [char; 6] = ['\n', '。', '！', '？', '।', '؟'];

/// The texts of one tool, each in its field; kept from tool to tool for its memory.
#[derive(Debug, Default)]
pub struct Texts {
    all: String,
    ends: Vec<(Field, usize)>,
}

impl Texts {
    fn add(&mut self, field: Field, text: &str) {
        let text = head(text, TOOL_BYTES.saturating_sub(self.all.len()));
        if !text.is_empty() {
            self.all.push_str(text);
            self.ends.push((field, self.all.len()));
        }
    }
    fn mark(&self) -> (usize, usize) {
        (self.all.len(), self.ends.len())
    }
    fn reset(&mut self, (all, ends): (usize, usize)) {
        self.all.truncate(all);
        self.ends.truncate(ends);
    }

    /// Reads a tool anew: its name, title and description, and the JSON text of its schema.
    ///
    /// # Errors
    /// Why the schema can't be read; the rest of the tool's texts are there.
    pub fn read(&mut self, tool: &Tool, schema: Option<&str>) -> Result<(), String> {
        self.reset((0, 0));
        self.add(Field::Name, &tool.name);
        self.add(Field::Summary, &tool.title);
        let (summary, rest) = first_sentence(tool.description.as_deref().unwrap_or_default());
        self.add(Field::Summary, summary);
        self.add(Field::Description, rest);
        schema.map_or(Ok(()), |schema| schema::read(schema, self))
    }

    /// The texts, in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = (Field, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |(field, end)| {
            let text = self.all.get(start..*end).unwrap_or_default();
            start = *end;
            (*field, text)
        })
    }
}

/// The first `most` bytes of a text, cut at a character.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A text's first sentence and what follows it.
pub fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let mut before = b' ';
    let mut at = 0;
    while at < bytes.len() {
        // Most is ASCII, which needs no reading of characters.
        let first = bytes[at];
        let (is_end, is_space, length) = if first < 0x80 {
            (first == b'\n', matches!(first, b'\t'..=b'\r' | b' '), 1)
        } else {
            let c = text.get(at..).and_then(|rest| rest.chars().next());
            let c = c.unwrap_or_default();
            (ENDS.contains(&c), c.is_whitespace(), c.len_utf8())
        };
        if is_end || (is_space && matches!(before, b'.' | b'!' | b'?') && at > 1) {
            let end = at + length;
            return (
                text.get(..end).unwrap_or_default(),
                text.get(end..).unwrap_or_default(),
            );
        }
        before = first;
        at += length;
    }
    (text, "")
}
