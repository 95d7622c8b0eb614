//! What the model reads: the search tool, the note, and the answers to its searches.
//!
//! What differs by provider stands in one file per format; a new format is a new file and its line
//! in [`part`].

mod ai_sdk;
mod anthropic;
mod bedrock;
mod gemini;
mod neutral;
mod openai_chat;
mod openai_responses;

use crate::catalogue::Catalogue;
use crate::fields::head;
use crate::options::Options;
use crate::search::{Found, Hit};
use crate::sort::order;
use crate::transcript::{By, Format};
use crate::value::{Json, Kind, Value, decimal, quote, write};

/// A result stays under this many bytes, whatever it found: it stands in the history for the rest
/// of the run.
const RESULT_BYTES: usize = 2000;
/// The longest description in a result: a sentence or two, enough to choose by.
const DESCRIPTION_CHARS: usize = 200;
/// The shortest description worth its quotes.
const DESCRIPTION_LEAST: usize = 24;
/// Names listed in a note before it says "n more".
const LISTED: usize = 10;
/// A name listed in a note is cut after so many characters.
const LISTED_CHARS: usize = 80;

/// The search tool's description.
pub fn search_description() -> &'static str {
    "Finds tools that are available but not listed yet, and loads them. \
     Use it when the task needs something that none of your listed tools does. \
     The tools it loads can be called from your next step on."
}

/// The search tool's parameters.
pub fn search_parameters(options: &Options) -> Json {
    let integer = |value: f64| Json::Number(value);
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
                            Json::string(
                                "A few words for what the tool should do and with what, \
                                 such as \"create calendar event\", or exact tool names.",
                            ),
                        ),
                    ]),
                ),
                (
                    "limit",
                    Json::object([
                        ("type", Json::string("integer")),
                        (
                            "description",
                            Json::string(format!(
                                "How many tools to load at most. Default {}.",
                                decimal(options.limit.default)
                            )),
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
pub fn note(catalogue: &Catalogue, options: &Options) -> String {
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
        .map(|at| format!("{} ({})", clean(servers[at].0, SERVER_CHARS), servers[at].1))
        .collect();
    let more = servers.len().saturating_sub(LISTED);
    let from = match (named.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(", from {}", named.join(", ")),
        (false, more) => format!(", from {} and {more} more", named.join(", ")),
    };
    let (tools, are) = if deferred == 1 {
        ("tool", "is")
    } else {
        ("tools", "are")
    };
    format!(
        "{deferred} more {tools} {are} available but not listed{from}. \
         When a task needs something that your listed tools can't do, call {} with a few words \
         for it before you say that it can't be done; what it finds can be called from your next \
         step on.",
        options.search_name
    )
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

/// What a search call asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// One search, or several whose hits are taken in turn.
    pub queries: Vec<String>,
    /// How many tools to load at most.
    pub limit: usize,
}

/// A call holds at most so many searches; models write two or three.
const QUERIES: usize = 16;

/// Reads the arguments of a search call, as models write them.
///
/// # Errors
/// A sentence for the model when there is no query in them.
pub fn request<V: Value>(arguments: &V, options: &Options) -> Result<Request, String> {
    let parsed;
    let usage = format!(
        "Call {} with {{\"query\": \"a few words\"}}.",
        options.search_name
    );
    match arguments.text() {
        Some(text) if text.trim().is_empty() => Err(format!("The arguments are empty. {usage}")),
        Some(text) => match Json::parse(&text) {
            Ok(json) => {
                parsed = json;
                read(&Some(&parsed), options, &usage, 0)
            }
            Err(_) => Err(format!("The arguments are not JSON. {usage}")),
        },
        None => read(arguments, options, &usage, 0),
    }
}

fn read<V: Value>(value: &V, options: &Options, usage: &str, depth: u8) -> Result<Request, String> {
    let wrong = |what: &str| Err(format!("{what} {usage}"));
    match value.kind() {
        Kind::Text => Ok(Request {
            queries: value
                .text()
                .into_iter()
                .map(|text| text.into_owned())
                .collect(),
            limit: limit(&value.get("limit"), options),
        }),
        Kind::Array => {
            let queries: Vec<String> = (0..value.len())
                .filter_map(|index| value.at(index).text().map(|text| text.into_owned()))
                .take(QUERIES)
                .collect();
            if queries.is_empty() {
                return wrong("The query holds no text.");
            }
            Ok(Request {
                queries,
                limit: limit(&value.get("limit"), options),
            })
        }
        Kind::Object if depth < 2 => {
            let query = value.get("query");
            if !query.exists() {
                return wrong("There is no query.");
            }
            let own = value.get("limit");
            let mut request = read(&query, options, usage, depth + 1)?;
            if own.exists() {
                request.limit = limit(&own, options);
            }
            Ok(request)
        }
        Kind::Absent => wrong("There is no query."),
        _ => wrong("The query is not text."),
    }
}

/// A limit as it may come: a number or a numeral, else the default; always within 1 and the most.
pub fn limit<V: Value>(value: &V, options: &Options) -> usize {
    let number = value
        .number()
        .or_else(|| match Json::parse(value.text()?.trim()) {
            Ok(Json::Number(number)) => Some(number),
            _ => None,
        })
        .filter(|number| number.is_finite())
        .unwrap_or(options.limit.default);
    // Not clamp, whose panic message alone links 15 kB of number formatting.
    number.min(options.limit.max).max(1.0) as usize
}

/// An answer to one search call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The tools found, best first, those already loaded among them.
    pub hits: Vec<Hit>,
    /// The query of each hit, as its position among the queries.
    pub by: Vec<usize>,
    /// The names that this answer loads.
    pub loaded: Vec<String>,
    /// The names among the hits that were loaded before.
    pub already_loaded: Vec<String>,
    /// The names of resident tools that fit.
    pub available: Vec<String>,
    /// How many deferred tools are not loaded after this answer.
    pub more: usize,
    /// What to do now.
    pub note: String,
    /// The text that the model reads.
    pub content: String,
}

/// What an answer is made from.
pub struct Context<'a> {
    /// The tools.
    pub catalogue: &'a Catalogue,
    /// The options.
    pub options: &'a Options,
    /// What is loaded already.
    pub loaded: &'a [u32],
    /// How many deferred tools are not loaded.
    pub left: usize,
    /// What earlier answers of the same reply load. Each answer stands alone, as any of them may get
    /// lost; only the count of what is left goes on.
    pub also: Vec<u32>,
}

/// A hit that goes into an answer.
struct Chosen {
    hit: Hit,
    /// The query that found it, as its position among the queries.
    query: usize,
    /// It was not loaded before.
    is_fresh: bool,
}

/// Answers a search. `found` has the deferred tools for each query, `residents` the resident ones.
pub fn answer(
    context: &Context<'_>,
    request: &Request,
    found: &[Found],
    residents: &[Found],
) -> Answer {
    let catalogue = context.catalogue;
    let name = |position: u32| catalogue.name(position).to_owned();
    let (mut chosen, mut left_out) = choose(context, request, found);
    let best = chosen.first().map_or(0.0, |chosen| chosen.hit.score);
    let mut available: Vec<String> = Vec::new();
    for hit in residents.iter().flat_map(|found| &found.hits) {
        let name = name(hit.position);
        if (hit.named.is_some() || hit.score >= best) && !available.contains(&name) {
            available.push(name);
        }
    }
    let already_loaded: Vec<String> = chosen
        .iter()
        .filter(|chosen| !chosen.is_fresh)
        .map(|chosen| name(chosen.hit.position))
        .collect();
    let mut most_listed = LISTED;
    loop {
        let fresh = || chosen.iter().filter(|chosen| chosen.is_fresh);
        let mut answer = Answer {
            loaded: fresh().map(|chosen| name(chosen.hit.position)).collect(),
            already_loaded: already_loaded.clone(),
            available: available.clone(),
            more: {
                let new = fresh().filter(|chosen| !context.also.contains(&chosen.hit.position));
                context
                    .left
                    .saturating_sub(context.also.len() + new.count())
            },
            hits: chosen.iter().map(|chosen| chosen.hit.clone()).collect(),
            by: chosen.iter().map(|chosen| chosen.query).collect(),
            note: String::new(),
            content: String::new(),
        };
        let left_out_names: Vec<String> = left_out.iter().map(|at| name(*at)).collect();
        answer.note = advice(&answer, &left_out_names, request, most_listed);
        answer.content = content(&answer, catalogue);
        let is_single = answer.loaded.len() <= 1;
        if answer.content.len() < RESULT_BYTES {
            return answer;
        }
        // Too long: fewer names in the note, then not again what was loaded before, then fewer
        // tools, and the note says so. A name is never cut.
        if most_listed > 1 {
            most_listed /= 3;
        } else if let Some(at) = chosen.iter().rposition(|chosen| !chosen.is_fresh) {
            chosen.remove(at);
        } else if is_single {
            return answer;
        } else if let Some(dropped) = chosen.pop() {
            left_out.insert(0, dropped.hit.position);
        }
    }
}

/// The tools to load and those to name: first what a query names, up to the largest limit, then the
/// rest in turn from each query. What was loaded before takes no place. Also what is named and finds
/// no place.
fn choose(context: &Context<'_>, request: &Request, found: &[Found]) -> (Vec<Chosen>, Vec<u32>) {
    let most = context.options.limit.max.max(1.0) as usize;
    let rows = found.iter().map(|found| found.hits.len()).max();
    let mut chosen: Vec<Chosen> = Vec::new();
    let mut left_out: Vec<u32> = Vec::new();
    let mut known = vec![false; context.catalogue.entries.len()];
    for is_named in [true, false] {
        let limit = if is_named { most } else { request.limit };
        for row in 0..rows.unwrap_or(0) {
            for (query, found) in found.iter().enumerate() {
                let Some(hit) = found.hits.get(row) else {
                    continue;
                };
                let is_known = &mut known[hit.position as usize];
                if hit.named.is_some() != is_named || *is_known {
                    continue;
                }
                let is_fresh = !context.loaded.contains(&hit.position);
                let taken = chosen.iter().filter(|other| other.is_fresh == is_fresh);
                if taken.count() < limit || (is_named && !is_fresh) {
                    *is_known = true;
                    chosen.push(Chosen {
                        hit: hit.clone(),
                        query,
                        is_fresh,
                    });
                } else if is_named {
                    *is_known = true;
                    left_out.push(hit.position);
                }
            }
        }
    }
    (chosen, left_out)
}

/// What the model should do now.
fn advice(answer: &Answer, left_out: &[String], request: &Request, most: usize) -> String {
    let mut sentences = Vec::new();
    if !answer.loaded.is_empty() {
        sentences.push("These tools can be called from your next step on.".to_owned());
    }
    if !answer.already_loaded.is_empty() {
        sentences.push(format!(
            "Loaded before, call directly: {}.",
            listed(&answer.already_loaded, most)
        ));
    }
    if !answer.available.is_empty() {
        sentences.push(format!(
            "Already available, call directly: {}.",
            listed(&answer.available, most)
        ));
    }
    if !left_out.is_empty() {
        sentences.push(format!(
            "{} named but not loaded, as no more fit into one answer: {}. Search for them by name.",
            left_out.len(),
            listed(left_out, most)
        ));
    }
    if sentences.is_empty() {
        let wordless = request
            .queries
            .iter()
            .all(|query| !query.chars().any(char::is_alphanumeric));
        sentences.push(if wordless {
            "The query holds no words. Say in a few words what the tool should do.".to_owned()
        } else if answer.more == 0 {
            "Nothing else is held back: what you have is all there is.".to_owned()
        } else {
            "No tool matches. Try other words for what the tool should do, once or twice; \
             if nothing matches then, there is no such tool."
                .to_owned()
        });
    } else if answer.loaded.is_empty() && left_out.is_empty() {
        sentences.push("Nothing else was found; do not search for this again.".to_owned());
    }
    sentences.join(" ")
}

/// At most `most` of the names.
fn listed(names: &[String], most: usize) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(most)
        .map(|name| clean(name, LISTED_CHARS))
        .collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The result as text. Names stand before anything long, so that a result which a host has cut
/// short still loads what it shows; descriptions share what room there is.
fn content(answer: &Answer, catalogue: &Catalogue) -> String {
    let write = |description_bytes: usize| {
        let loaded = answer.hits.iter().map(|hit| {
            let name = catalogue.name(hit.position);
            let mut item = vec![("name".to_owned(), Json::string(name))];
            if answer.loaded.iter().any(|fresh| fresh == name) {
                let tool = catalogue.tool(hit.position);
                let description = tool.and_then(|tool| tool.description.as_deref());
                let text = clean(
                    description.unwrap_or_default(),
                    DESCRIPTION_CHARS.min(description_bytes),
                );
                if description_bytes >= DESCRIPTION_LEAST && !text.is_empty() {
                    item.push(("description".to_owned(), Json::Text(text)));
                }
            }
            Json::Object(item)
        });
        text(&Json::object([
            ("loaded", Json::Array(loaded.collect())),
            ("more", Json::Number(answer.more as f64)),
            ("note", Json::string(answer.note.as_str())),
        ]))
    };
    let bare = write(0).len();
    let mut each = RESULT_BYTES.saturating_sub(bare) / answer.loaded.len().max(1);
    loop {
        each = each.saturating_sub(r#","description":"""#.len());
        let text = write(each);
        // Characters of several bytes and escapes take more than was shared out.
        if text.len() < RESULT_BYTES || each == 0 {
            return text;
        }
        each = each * 2 / 3;
    }
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
        }
    }
}

/// A result as the format wants it.
pub fn part(format: Format, to: Answering<'_>, said: Said<'_>) -> Json {
    let form = match format {
        Format::OpenaiChat => &openai_chat::FORM,
        Format::OpenaiResponses => &openai_responses::FORM,
        Format::Anthropic => &anthropic::FORM,
        Format::Gemini => &gemini::FORM,
        Format::Bedrock => &bedrock::FORM,
        Format::AiSdk => &ai_sdk::FORM,
        Format::Neutral => &neutral::FORM,
    };
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
