//! What the model reads: the search tool, the note, and the answers to its searches.
//!
//! What differs by provider stands in one file per format; a new format is a new file and its line
//! in [`part`].

mod ai_sdk;
mod answer;
mod anthropic;
mod bedrock;
mod gemini;
mod keep;
mod neutral;
mod openai_chat;
mod openai_responses;

pub use crate::request::{Request, limit, request};
pub use answer::{Answer, Context, HOPELESS, answer, strangers, unlisted};
pub use keep::keep_note;

use crate::catalogue::Catalogue;
use crate::delivery::Way;
use crate::fields::head;
use crate::options::Options;
use crate::sort::order;
use crate::texts::Text;
use crate::transcript::{By, Format};
use crate::value::{Json, decimal, quote, write};

/// A result stays under this many bytes, whatever it found: it stands in the history for the rest
/// of the run.
const RESULT_BYTES: usize = 2000;
/// The same where schemas stand in it: as much as twenty large definitions.
const PROXY_BYTES: usize = 32_000;
/// The longest description in a result: a sentence or two, enough to choose by.
const DESCRIPTION_CHARS: usize = 200;
/// The shortest description worth its quotes.
const DESCRIPTION_LEAST: usize = 24;
/// Names listed in a note before it says "n more".
const LISTED: usize = 10;
/// A name listed in a note is cut after so many characters.
const LISTED_CHARS: usize = 80;

/// The search tool's description.
pub fn search_description(options: &Options, way: Way) -> String {
    let text = match way {
        Way::Proxy => Text::SearchDescriptionProxy,
        _ => Text::SearchDescription,
    };
    options.say(text, &[])
}

/// The description of the tool through which all others are called.
pub fn call_description(options: &Options) -> String {
    options.say(Text::CallDescription, &[])
}

/// Its parameters.
pub fn call_parameters(options: &Options) -> Json {
    let property = |kind: &str, description: Text| {
        vec![
            ("type".to_owned(), Json::string(kind)),
            (
                "description".to_owned(),
                Json::Text(options.say(description, &[])),
            ),
        ]
    };
    let mut arguments = property("object", Text::CallArguments);
    arguments.push(("additionalProperties".to_owned(), Json::Bool(true)));
    Json::object([
        ("type", Json::string("object")),
        (
            "properties",
            Json::object([
                ("name", Json::Object(property("string", Text::CallName))),
                ("arguments", Json::Object(arguments)),
            ]),
        ),
        (
            "required",
            Json::Array(vec![Json::string("name"), Json::string("arguments")]),
        ),
    ])
}

/// The search tool's parameters.
pub fn search_parameters(options: &Options) -> Json {
    let integer = |value: f64| Json::Number(value);
    let limit = [("limit", &*decimal(options.limit.default))];
    Json::object([
        ("type", Json::string("object")),
        (
            "properties",
            Json::object([
                (
                    "query",
                    Json::object([
                        ("type", Json::string("string")),
                        (
                            "description",
                            Json::Text(options.say(Text::SearchQuery, &[])),
                        ),
                    ]),
                ),
                (
                    "limit",
                    Json::object([
                        ("type", Json::string("integer")),
                        (
                            "description",
                            Json::Text(options.say(Text::SearchLimit, &limit)),
                        ),
                        ("minimum", integer(1.0)),
                        ("maximum", integer(options.limit.max)),
                    ]),
                ),
            ]),
        ),
        ("required", Json::Array(vec![Json::string("query")])),
    ])
}

/// The paragraph for the system prompt: that there is more, where it comes from and how to get it.
pub fn note(catalogue: &Catalogue, options: &Options, way: Way) -> String {
    let mut deferred = 0_u32;
    let mut servers: Vec<(&str, u32)> = Vec::new();
    for (_, tool) in catalogue.tools().filter(|(_, tool)| tool.deferred) {
        deferred += 1;
        let Some(server) = tool.server.as_deref() else {
            continue;
        };
        let is_hosts = options.servers.iter().any(|known| known.name == server);
        if is_hosts || is_plain(server) {
            match servers.iter_mut().find(|(known, _)| *known == server) {
                Some((_, count)) => *count += 1,
                None => servers.push((server, 1)),
            }
        }
    }
    if deferred == 0 {
        return String::new();
    }
    let precedes = |a: usize, b: usize| {
        let ((a_name, a_count), (b_name, b_count)) = (servers[a], servers[b]);
        (b_count, a_name) < (a_count, b_name)
    };
    let named: Vec<String> = order(servers.len(), &precedes)
        .into_iter()
        .take(LISTED)
        .map(|at| {
            let (name, count) = servers[at];
            let name = clean(name, SERVER_CHARS);
            let fill = [("name", &*name), ("count", &count.to_string())];
            options.say(Text::NoteServer, &fill)
        })
        .collect();
    let from = match named.is_empty() {
        true => String::new(),
        false => {
            let servers = some(options, &named, servers.len());
            options.say(Text::NoteFrom, &[("servers", &servers)])
        }
    };
    let text = match deferred {
        1 => Text::NoteOne,
        _ => Text::Note,
    };
    let then = match way {
        Way::Proxy => Text::NoteThenProxy,
        _ => Text::NoteThen,
    };
    let fill = [
        ("count", &*deferred.to_string()),
        ("from", &from),
        ("then", &options.say(then, &[])),
    ];
    options.say(text, &fill)
}

/// The names that are shown of `all`, and how many more there are.
fn some(options: &Options, shown: &[String], all: usize) -> String {
    let names = shown.join(&options.say(Text::Separator, &[]));
    match all - shown.len() {
        0 => names,
        more => {
            let fill = [("names", &*names), ("count", &more.to_string())];
            options.say(Text::More, &fill)
        }
    }
}

/// The longest name of a server in the note.
const SERVER_CHARS: usize = 64;

/// A server's name that can stand in a prompt although the options do not hold it: strangers may
/// have written it.
fn is_plain(name: &str) -> bool {
    name.len() <= SERVER_CHARS
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// A stranger's text in one line: no control or direction characters, white space in one, cut at a
/// character.
fn clean(text: &str, most: usize) -> String {
    let text = head(text, most.saturating_mul(16));
    let mut line = String::new();
    let mut length = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
            continue;
        }
        if is_invisible(c) {
            continue;
        }
        if length + usize::from(gap) >= most {
            line.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
            length += 1;
        }
        line.push(c);
        length += 1;
    }
    line
}

/// Characters that show nothing and change how the rest is read: direction marks, zero-width
/// ones, tags, interlinear marks.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// What was wrong, in a line for the model. A host's own ranking may fail at any length.
pub fn error_message(message: &str) -> String {
    /// Long enough to say what is wrong.
    const ERROR_CHARS: usize = 400;
    clean(message, ERROR_CHARS)
}

/// What we write holds whole numbers only.
pub(crate) fn text(json: &Json) -> String {
    let mut text = String::new();
    write(json, &mut text, &decimal);
    text
}

/// What is answered.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// An answer. Formats that take text write it as minified JSON.
    Object(&'a Json),
    /// What was wrong, in the form that the format has for it.
    Failure(&'a str),
    /// References to tools by the names that they have on the wire, which the provider expands.
    References(&'a [String]),
    /// Whole definitions, which the provider adds.
    Definitions(&'a [Json]),
}

/// The call that is answered.
#[derive(Clone, Copy, Debug)]
pub struct Answering<'a> {
    /// Its id.
    pub id: Option<&'a str>,
    /// The name that was called.
    pub name: &'a str,
    /// Whose call it is.
    pub by: By,
}

/// How a format writes a result: JSON in which a `$` and a letter stand for what is filled in.
struct Form {
    /// The key of the call's id.
    id: &'static str,
    /// The key of the name where there is no id, if any.
    no_id: &'static str,
    /// An answer.
    answer: &'static str,
    /// What was wrong, where the format has a form of its own for it.
    failure: &'static str,
    /// References, and each of them.
    references: &'static str,
    reference: &'static str,
    /// The answer to the provider's own search item.
    item: &'static str,
    /// A system message among the others, where the format has them.
    system: &'static str,
}

impl Form {
    /// One form for all that is said.
    const fn of(id: &'static str, answer: &'static str) -> Form {
        Form {
            id,
            no_id: "",
            answer,
            failure: answer,
            references: answer,
            reference: r#"{"name":$n}"#,
            item: answer,
            system: "",
        }
    }
}

fn form(format: Format) -> &'static Form {
    match format {
        Format::OpenaiChat => &openai_chat::FORM,
        Format::OpenaiResponses => &openai_responses::FORM,
        Format::Anthropic => &anthropic::FORM,
        Format::Gemini => &gemini::FORM,
        Format::Bedrock => &bedrock::FORM,
        Format::AiSdk => &ai_sdk::FORM,
        Format::Neutral => &neutral::FORM,
    }
}

/// A result as the format wants it.
pub fn part(format: Format, to: Answering<'_>, said: Said<'_>) -> Json {
    let form = form(format);
    let template = match said {
        _ if to.by == By::Search => form.item,
        Said::Failure(_) => form.failure,
        Said::References(_) => form.references,
        Said::Object(_) | Said::Definitions(_) => form.answer,
    };
    let mut out = String::new();
    fill(template, &mut out, &mut |letter, out| match letter {
        // With the comma after it, as some calls have none.
        b'i' => {
            let (key, value) = match to.id {
                Some(id) => (form.id, id),
                None => (form.no_id, to.name),
            };
            if !key.is_empty() {
                quote(key, out);
                out.push(':');
                quote(value, out);
                out.push(',');
            }
        }
        b'n' => quote(to.name, out),
        b't' => {
            let mut text = String::new();
            said.write(form, &mut text);
            quote(&text, out);
        }
        b'l' if !matches!(said, Said::Definitions(_)) => out.push_str("[]"),
        b'e' | b'l' => said.write_bare(form, out),
        _ => said.write(form, out),
    });
    Json::parse(&out).unwrap_or(Json::Null)
}

/// Writes the form, and `word` what a letter stands for.
fn fill(form: &str, out: &mut String, word: &mut dyn FnMut(u8, &mut String)) {
    for (index, piece) in form.split('$').enumerate() {
        let mut rest = piece;
        if index > 0 {
            word(*piece.as_bytes().first().unwrap_or(&0), out);
            rest = piece.get(1..).unwrap_or_default();
        }
        out.push_str(rest);
    }
}

impl Said<'_> {
    /// Writes what is said as one object; references as a list.
    fn write(self, form: &Form, out: &mut String) {
        let key = match self {
            Said::Failure(_) => r#"{"error":"#,
            Said::Definitions(_) => r#"{"tools":"#,
            Said::Object(_) | Said::References(_) => return self.write_bare(form, out),
        };
        out.push_str(key);
        self.write_bare(form, out);
        out.push('}');
    }

    fn write_bare(self, form: &Form, out: &mut String) {
        match self {
            Said::Object(object) => write(object, out, &decimal),
            Said::Failure(error) => quote(&error_message(error), out),
            Said::Definitions(tools) => {
                list(tools, out, &mut |tool, out| write(tool, out, &decimal))
            }
            Said::References(names) => list(names, out, &mut |name, out| {
                fill(form.reference, out, &mut |_, out| quote(name, out));
            }),
        }
    }
}

fn list<T>(items: &[T], out: &mut String, each: &mut dyn FnMut(&T, &mut String)) {
    for (index, item) in items.iter().enumerate() {
        out.push(if index > 0 { ',' } else { '[' });
        each(item, out);
    }
    out.push_str(if items.is_empty() { "[]" } else { "]" });
}
