//! What a search call asks for, however a model writes it.

use crate::options::Options;
use crate::sort::order;
use crate::terms::{is_stop_word, stem, words};
use crate::texts::Text;
use crate::value::{Json, Kind, Value, head};

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
    let wrong = |what: Text| Err(complaint(options, what));
    let json = match arguments.text() {
        Some(text) if text.trim().is_empty() => return wrong(Text::ArgumentsEmpty),
        Some(text) => match Json::parse(&text) {
            Ok(json) => json,
            Err(_) => return wrong(Text::ArgumentsNotJson),
        },
        None if !arguments.exists() => return wrong(Text::NoQuery),
        // So little that a copy costs less than code for values of two kinds; each by itself, as one of them may be no JSON.
        None if arguments.kind() == Kind::Object => {
            let keys = ["query", "limit", "arguments"].into_iter();
            let there = keys
                .map(|key| (key, arguments.get(key)))
                .filter(|(_, value)| value.exists());
            Json::Object(
                there
                    .map(|(key, value)| (key.to_owned(), value.json()))
                    .collect(),
            )
        }
        None => arguments.json(),
    };
    read(&Some(&json), options, 0)
}

/// What is wrong, and how it is right.
fn complaint(options: &Options, what: Text) -> String {
    let usage = options.say(Text::SearchUsage, &[]);
    [&options.say(what, &[]), " ", &usage].concat()
}

fn read(value: &Option<&Json>, options: &Options, depth: u8) -> Result<Request, String> {
    let wrong = |what: Text| Err(complaint(options, what));
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
                return wrong(Text::QueryEmpty);
            }
            Ok(Request {
                queries,
                limit: limit(&value.get("limit"), options),
            })
        }
        Kind::Object if depth < 2 => {
            let query = value.get("query");
            if !query.exists() {
                // AI SDK hands over the arguments of OpenAI's own search within the input.
                let inner = value.get("arguments");
                if inner.kind() == Kind::Object {
                    return read(&inner, options, depth + 1);
                }
                return wrong(Text::NoQuery);
            }
            let own = value.get("limit");
            let mut request = read(&query, options, depth + 1)?;
            if own.exists() {
                request.limit = limit(&own, options);
            }
            Ok(request)
        }
        Kind::Absent => wrong(Text::NoQuery),
        _ => wrong(Text::QueryNotText),
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

/// Of a query so many different words tell it from another.
const TERMS: usize = 128;
/// And of a longer one, such as a pasted document, its first pages.
const QUERY_BYTES: usize = 16 * 1024;

/// The words by which two queries are the same search: their stems, each once, whatever their order. Words that say
/// nothing count only where there are no others.
pub fn terms(query: &str) -> Vec<String> {
    let mut telling: Vec<String> = Vec::new();
    let mut filler: Vec<String> = Vec::new();
    words(head(query, QUERY_BYTES).unwrap_or(query), &mut |word, _| {
        let list = if is_stop_word(word) {
            &mut filler
        } else {
            &mut telling
        };
        let stem = stem(word);
        if list.len() < TERMS && !list.iter().any(|known| *known == stem) {
            list.push(stem.into_owned());
        }
    });
    let terms = if telling.is_empty() { filler } else { telling };
    let sorted = order(terms.len(), &|a, b| terms[a] < terms[b]);
    sorted.into_iter().map(|at| terms[at].clone()).collect()
}
