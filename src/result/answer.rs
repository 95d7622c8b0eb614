//! The answer to a search: what is loaded by it, what the model is told of it, and how long it may be.

use super::{
    DESCRIPTION_CHARS, DESCRIPTION_LEAST, LISTED, LISTED_CHARS, PROXY_BYTES, RESULT_BYTES, Request,
    SERVER_CHARS, clean, some, text,
};
use crate::catalogue::Catalogue;
use crate::delivery::Way;
use crate::fields::head;
use crate::names::{is_separator, mentions};
use crate::options::Options;
use crate::request::terms;
use crate::search::{Found, Hit, QUERY_BYTES};
use crate::texts::Text;
use crate::value::Json;

/// An answer to one search call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The tools found, best first, those already loaded among them.
    pub hits: Vec<Hit>,
    /// The query of each hit, as its position among the queries.
    pub by: Vec<usize>,
    /// The positions of the tools that this answer loads.
    pub fresh: Vec<u32>,
    /// Their names.
    pub loaded: Vec<String>,
    /// The names among the hits that were loaded before.
    pub already_loaded: Vec<String>,
    /// The names of resident tools that fit.
    pub available: Vec<String>,
    /// How many deferred tools are not loaded after this answer.
    pub more: usize,
    /// What to do now.
    pub note: String,
    /// What the model reads.
    pub content: Json,
}

/// What an answer is made from.
pub struct Context<'a> {
    /// The tools.
    pub catalogue: &'a Catalogue,
    /// The options.
    pub options: &'a Options,
    /// How loaded tools reach the model.
    pub way: Way,
    /// The schemas' texts, where the model reads them in the answer.
    pub schemas: &'a [Option<Box<str>>],
    /// What is loaded already.
    pub loaded: &'a [u32],
    /// Of what is loaded, that whose schema the model has read in an answer.
    pub shown: &'a [u32],
    /// How many deferred tools are not loaded.
    pub left: usize,
    /// The servers whose tools could not be listed.
    pub unavailable: &'a [String],
    /// How many loaded tools a turn has room for, if that is bounded.
    pub room: Option<usize>,
    /// What earlier answers of the same reply load. Each answer stands alone, as any of them may get
    /// lost; only the count of what is left goes on.
    pub also: Vec<u32>,
    /// The words of the queries that were answered before, in this reply too.
    pub searched: Vec<Vec<String>>,
    /// How many searches in a row have loaded nothing new.
    pub fruitless: usize,
}

impl Context<'_> {
    /// How many tools one answer loads at most.
    pub fn most_loaded(&self) -> usize {
        let most = self.options.limit.max.max(1.0) as usize;
        most.min(self.room.unwrap_or(most)).max(1)
    }

    /// Notes what an answer has come to, for the next one of the same reply.
    pub fn note(&mut self, request: &Request, answer: &Answer) {
        let known = self.also.len();
        for position in &answer.fresh {
            if !self.also.contains(position) {
                self.also.push(*position);
            }
        }
        self.fruitless = match self.also.len() > known {
            true => 0,
            false => self.fruitless + 1,
        };
        self.searched
            .extend(request.queries.iter().map(|query| terms(query)));
    }

    /// True where one more search that loads nothing new is one too many.
    pub fn is_hopeless(&self) -> bool {
        self.fruitless + 1 >= HOPELESS
    }

    /// Whether all that this search would find is what an earlier one of the same words has loaded, if that was anything.
    fn is_repeated(&self, request: &Request, chosen: &[Chosen]) -> bool {
        let is_searched = |query: &String| {
            let terms = terms(query);
            !terms.is_empty() && self.searched.contains(&terms)
        };
        let is_there =
            |position: &u32| self.loaded.contains(position) || self.also.contains(position);
        let is_all_there = chosen.iter().all(|chosen| is_there(&chosen.hit.position));
        // Where nothing is found at all, the same words will find it no sooner.
        is_all_there && request.queries.iter().all(is_searched)
    }
}

/// So many searches in a row that load nothing new are enough: the first asks, the second tries other words.
pub const HOPELESS: usize = 3;

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
    let names = |positions: &[u32]| -> Vec<String> {
        let names = positions.iter().map(|position| catalogue.name(*position));
        names.map(str::to_owned).collect()
    };
    // As if nothing were loaded: what is takes no place, and the next best would come at every repetition.
    let (mut chosen, mut left_out) = choose(context, request, found, &[]);
    let is_repeated = context.is_repeated(request, &chosen);
    // A twin within one reply says all that its sibling does, as that may get lost.
    let is_there = |chosen: &Chosen| context.loaded.contains(&chosen.hit.position);
    if is_repeated && chosen.iter().all(is_there) {
        chosen.iter_mut().for_each(|chosen| chosen.is_fresh = false);
    } else if !context.loaded.is_empty() {
        (chosen, left_out) = choose(context, request, found, context.loaded);
    }
    let best = chosen.first().map_or(0.0, |chosen| chosen.hit.score);
    let mut available: Vec<u32> = Vec::new();
    for hit in residents.iter().flat_map(|found| &found.hits) {
        if (hit.named.is_some() || hit.score >= best) && !available.contains(&hit.position) {
            available.push(hit.position);
        }
    }
    let of = |chosen: &[Chosen], is_fresh: bool| -> Vec<u32> {
        let chosen = chosen.iter().filter(|chosen| chosen.is_fresh == is_fresh);
        chosen.map(|chosen| chosen.hit.position).collect()
    };
    let already_loaded = of(&chosen, false);
    let most_bytes = match context.way {
        Way::Proxy => PROXY_BYTES,
        _ => RESULT_BYTES,
    };
    // The host's longer words take no place from the tools.
    let most_bytes = most_bytes + context.options.texts.excess();
    let mut most_listed = LISTED;
    loop {
        let fresh = of(&chosen, true);
        let mut answer = Answer {
            loaded: names(&fresh),
            fresh: fresh.clone(),
            already_loaded: names(&already_loaded),
            available: names(&available),
            more: {
                let new = fresh
                    .iter()
                    .filter(|position| !context.also.contains(position));
                context
                    .left
                    .saturating_sub(context.also.len() + new.count())
            },
            hits: chosen.iter().map(|chosen| chosen.hit.clone()).collect(),
            by: chosen.iter().map(|chosen| chosen.query).collect(),
            note: String::new(),
            content: Json::Null,
        };
        let told = Told {
            fresh: &fresh,
            already_loaded: &already_loaded,
            available: &available,
            left_out: &left_out,
            more: answer.more,
            is_repeated,
        };
        answer.note = advice(context, &told, request, most_listed);
        answer.content = content(context, &answer, &told, most_bytes);
        let is_single = fresh.len() <= 1;
        if text(&answer.content).len() < most_bytes {
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

/// What an answer tells of, by position.
struct Told<'a> {
    fresh: &'a [u32],
    already_loaded: &'a [u32],
    available: &'a [u32],
    left_out: &'a [u32],
    more: usize,
    is_repeated: bool,
}

/// The tools to load and those to name: first what a query names, up to the largest limit, then the
/// rest in turn from each query. What was loaded before takes no place. Also what is named and finds
/// no place.
fn choose(
    context: &Context<'_>,
    request: &Request,
    found: &[Found],
    loaded: &[u32],
) -> (Vec<Chosen>, Vec<u32>) {
    let most = context.most_loaded();
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
                let is_fresh = !loaded.contains(&hit.position);
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
fn advice(context: &Context<'_>, told: &Told<'_>, request: &Request, most: usize) -> String {
    let options = context.options;
    let is_proxy = context.way == Way::Proxy;
    let listed = |positions: &[u32]| listed(context, positions, most);
    let say = |text: Text| options.say(text, &[]);
    let name = |text: Text, positions: &[u32]| options.say(text, &[("names", &listed(positions))]);
    let asked: Vec<&String> = (context.unavailable.iter())
        .filter(|server| is_asked(context.options, &request.queries, server))
        .collect();
    let mut sentences = Vec::new();
    if !told.fresh.is_empty() {
        sentences.push(say(if is_proxy {
            Text::LoadedProxy
        } else {
            Text::Loaded
        }));
    }
    if !told.already_loaded.is_empty() {
        let text = if is_proxy {
            Text::AlreadyLoadedProxy
        } else {
            Text::AlreadyLoaded
        };
        sentences.push(name(text, told.already_loaded));
    }
    if !told.available.is_empty() {
        sentences.push(name(Text::Available, told.available));
    }
    if !told.left_out.is_empty() {
        let count = told.left_out.len().to_string();
        let fill = [("count", &*count), ("names", &listed(told.left_out))];
        sentences.push(options.say(Text::LeftOut, &fill));
    }
    // Whether it is there nobody can say, so that other words are no help.
    let missing: Vec<&String> = match asked.as_slice() {
        [] if sentences.is_empty() => context.unavailable.iter().collect(),
        _ => asked,
    };
    let unlisted = |text: Text| {
        let names = servers(options, &missing, most);
        options.say(text, &[("servers", &names)])
    };
    let is_hopeless = told.fresh.is_empty() && context.is_hopeless();
    if (is_hopeless || told.is_repeated) && !missing.is_empty() {
        sentences.push(unlisted(Text::Unavailable));
    }
    if is_hopeless {
        sentences.push(say(Text::Hopeless));
    } else if told.is_repeated {
        // In place of "nothing else was found".
        sentences.push(say(Text::Repeated));
    } else if sentences.is_empty() {
        let wordless = request
            .queries
            .iter()
            .all(|query| !query.chars().any(char::is_alphanumeric));
        sentences.push(if wordless {
            say(Text::NoWords)
        } else if !missing.is_empty() {
            unlisted(Text::NoMatchUnavailable)
        } else if told.more == 0 {
            say(Text::NothingLeft)
        } else {
            say(Text::NoMatch)
        });
    } else if !missing.is_empty() {
        sentences.push(unlisted(Text::Unavailable));
    } else if told.fresh.is_empty() && told.left_out.is_empty() {
        sentences.push(say(Text::NothingElse));
    }
    sentences.join(" ")
}

/// True when a query names a server, by its name or by the prefix that its tools have.
fn is_asked(options: &Options, queries: &[String], server: &str) -> bool {
    let known = options.servers.iter().find(|known| known.name == server);
    let prefix = known.and_then(|known| known.prefix.as_deref());
    queries.iter().any(|query| {
        let query = head(query, QUERY_BYTES);
        let begins = |prefix| {
            query
                .split(is_separator)
                .any(|word| word.starts_with(prefix))
        };
        mentions(query, server) || prefix.is_some_and(begins)
    })
}

/// That the servers could not be listed which a call names; empty where it names none of them.
pub fn unlisted(options: &Options, called: &str, unavailable: &[String]) -> String {
    let called = [called.to_owned()];
    let named = unavailable.iter();
    let named: Vec<&String> = named
        .filter(|server| is_asked(options, &called, server))
        .collect();
    if named.is_empty() {
        return String::new();
    }
    let names = servers(options, &named, LISTED);
    options.say(Text::Unavailable, &[("servers", &names)])
}

/// At most `most` of the servers' names, which a configuration may have from a stranger.
fn servers(options: &Options, names: &[&String], most: usize) -> String {
    plainly(options, names, most, SERVER_CHARS)
}

/// Names of tools that the catalogue need not have.
pub fn strangers(options: &Options, names: &[&String]) -> String {
    plainly(options, names, LISTED, LISTED_CHARS)
}

fn plainly(options: &Options, names: &[&String], most: usize, chars: usize) -> String {
    let cleaned = |name: &&String| clean(name, chars);
    let shown: Vec<String> = names.iter().take(most).map(cleaned).collect();
    some(options, &shown, names.len())
}

/// At most `most` of the names.
fn listed(context: &Context<'_>, positions: &[u32], most: usize) -> String {
    let shown: Vec<String> = positions
        .iter()
        .take(most)
        .map(|position| clean(context.catalogue.wire_name(*position), LISTED_CHARS))
        .collect();
    some(context.options, &shown, positions.len())
}

/// The result. Names stand before anything long, so that one which a host has cut short still loads
/// what it shows; descriptions share what room there is.
fn content(context: &Context<'_>, answer: &Answer, told: &Told<'_>, most_bytes: usize) -> Json {
    let catalogue = context.catalogue;
    let write = |description_bytes: usize| {
        let loaded = answer.hits.iter().map(|hit| {
            let position = hit.position;
            let is_fresh = told.fresh.contains(&position);
            let mut item = vec![(
                "name".to_owned(),
                Json::string(catalogue.wire_name(position)),
            )];
            if is_fresh {
                let tool = catalogue.tool(position);
                let description = tool.and_then(|tool| tool.description.as_deref());
                let text = clean(
                    description.unwrap_or_default(),
                    DESCRIPTION_CHARS.min(description_bytes),
                );
                if description_bytes >= DESCRIPTION_LEAST && !text.is_empty() {
                    item.push(("description".to_owned(), Json::Text(text)));
                }
            }
            if context.way == Way::Proxy && (is_fresh || !context.shown.contains(&position)) {
                let schema = context
                    .schemas
                    .get(position as usize)
                    .and_then(Option::as_deref);
                let schema = schema.unwrap_or(r#"{"type":"object"}"#);
                item.push(("parameters".to_owned(), Json::Raw(schema.to_owned())));
            }
            Json::Object(item)
        });
        Json::object([
            ("loaded", Json::Array(loaded.collect())),
            ("more", Json::Number(answer.more as f64)),
            ("note", Json::string(answer.note.as_str())),
        ])
    };
    let bare = text(&write(0)).len();
    let mut each = most_bytes.saturating_sub(bare) / answer.loaded.len().max(1);
    loop {
        each = each.saturating_sub(r#","description":"""#.len());
        let json = write(each);
        // Characters of several bytes and escapes take more than was shared out.
        if each == 0 || text(&json).len() < most_bytes {
            return json;
        }
        each = each * 2 / 3;
    }
}
