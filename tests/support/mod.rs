//! Runs a vector through the native engine. `tests/conform.mjs` does the same through the package.
//!
//! A vector is `{id, why, tools, options, messages?, steps}`; `tests/vectors/README.md` has its
//! words. What the JavaScript face does before and after the engine (options to settings, positions
//! to objects) is mirrored here, so that one outcome can be asked of both.

// Each test that includes this module uses a part of it, and a vector that can't be read is a fault
// of the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod face;
pub mod node;
mod options;
mod wire;

use std::rc::Rc;

use toolcrib::choice::ToolChoice;
use toolcrib::error::Error;
use toolcrib::plan::Turn;
use toolcrib::report::{FoundTool, Resolved};
use toolcrib::transcript::in_system;
use toolcrib::value::Value;

use face::{Given, Search, rank};
use node::{Living, Node};
use options::read_options;

/// What the steps of a vector come to, with values read as the wasm reads them.
pub fn run(vector: &Node) -> Node {
    outcome(vector, &|node| Living(node))
}

/// The same with values that the engine has parsed itself, as a native host passes them.
pub fn run_parsed(vector: &Node) -> Node {
    outcome(vector, &|node| node.map(face::parsed))
}

type Wrap<'w, 'n, V> = &'w dyn Fn(Option<&'n Node>) -> V;

const NOTHING: &Node = &Node::List(Vec::new());
const EMPTY: &Node = &Node::Null;

/// The options of an agent: its own, and for the rest those of the catalogue. What a server has is joined.
fn merged(options: Option<&Node>, own: &Node) -> Node {
    let mut all = options.cloned().unwrap_or(Node::Object(Vec::new()));
    for (key, value) in own.entries() {
        if key.plain != "servers" {
            all.put(&[key.plain.as_str()], value.clone());
            continue;
        }
        for (server, marks) in value.entries() {
            let path = ["servers", server.plain.as_str()];
            let mut known = all.path(&path).cloned().unwrap_or(Node::Object(Vec::new()));
            for (key, value) in marks.entries() {
                known.put(&[key.plain.as_str()], value.clone());
            }
            all.put(&path, known);
        }
    }
    all
}

fn outcome<'n, V: Value>(vector: &'n Node, wrap: Wrap<'_, 'n, V>) -> Node {
    let mut vector = Vector {
        options: vector.get("options"),
        tools: vector.get("tools").unwrap_or(NOTHING),
        messages: vector.get("messages"),
        steps: vector.get("steps").map_or(&[][..], Node::items),
        wrap,
        made: None,
    };
    vector.made = Some(vector.open(vector.tools, vector.options));
    let steps = vector.steps.iter();
    Node::List(steps.map(|step| vector.outcome(step)).collect())
}

/// An engine with the options that it was made with, or why there is none.
#[derive(Clone)]
struct Made<'n, V> {
    search: Rc<Result<Search<'n, V>, Error>>,
    options: Option<&'n Node>,
}

struct Vector<'w, 'n, V> {
    options: Option<&'n Node>,
    tools: &'n Node,
    messages: Option<&'n Node>,
    steps: &'n [Node],
    wrap: Wrap<'w, 'n, V>,
    made: Option<Made<'n, V>>,
}

/// The messages of a step, what it says per turn, and the message or messages that it is about.
struct Input<'n> {
    messages: Option<&'n Node>,
    turn: Turn,
    message: Option<&'n Node>,
}

impl<'n, V: Value> Vector<'_, 'n, V> {
    fn open(&self, tools: &'n Node, options: Option<&'n Node>) -> Made<'n, V> {
        Made {
            search: Rc::new(Search::open(tools, read_options(options), self.wrap)),
            options,
        }
    }

    /// The vector's engine, or one of a step's own tools or options, or another agent's, or the one that updates led to.
    fn made(&self, step: &'n Node) -> Made<'n, V> {
        let (tools, options) = (step.get("tools"), step.get("options"));
        let mut made = match (tools, options) {
            (None, None) => self.made.clone().unwrap(),
            _ => self.open(tools.unwrap_or(self.tools), options.or(self.options)),
        };
        let mut tools = tools.unwrap_or(self.tools);
        type Step<'a, 'n, V> = dyn Fn(&Search<'n, V>) -> Result<Search<'n, V>, Error> + 'a;
        let derive = |made: &mut Made<'n, V>, to: &Step<'_, 'n, V>| {
            if let Ok(search) = &*made.search {
                // So that there is an index to go by.
                search
                    .standard()
                    .search(&(self.wrap)(Some(EMPTY)), &(self.wrap)(None), false);
                made.search = Rc::new(to(search));
            }
        };
        for next in step.get("updates").map_or(&[][..], Node::items) {
            tools = next;
            derive(&mut made, &|search| search.updated(next, self.wrap));
        }
        if let Some(own) = step.get("agent") {
            let options: &'n Node = merged(made.options, own).leak();
            made.options = Some(options);
            derive(&mut made, &|search| {
                Search::agent(tools, read_options(Some(options)), self.wrap, search)
            });
        }
        made
    }

    /// The first messages of the vector's, as many as the step says, or its own.
    fn input(&self, step: &'n Node) -> Input<'n> {
        let whole = |node: &Node| node.number().unwrap() as usize;
        let at = step.get("at").map(|at| match at {
            Node::List(both) => (whole(&both[0]), Some(whole(&both[1]))),
            at => (whole(at), None),
        });
        let all = || self.messages.unwrap().items();
        let up_to = step.get("upTo").map(whole).or(at.map(|(at, _)| at));
        Input {
            messages: match (step.get("messages"), up_to) {
                (Some(own), _) => Some(own),
                (None, Some(count)) => Some(list(all().iter().take(count))),
                (None, None) => self.messages,
            },
            turn: Turn {
                loaded: strings(step.get("loaded")),
                forced: strings(step.get("forced")),
                exclude: strings(step.get("exclude")),
                since: step.get("since").map_or(0, whole),
                noted: in_system(&(self.wrap)(step.get("system"))),
                unavailable: strings(step.get("unavailable")),
                choice: ToolChoice::read(&(self.wrap)(step.get("toolChoice"))),
                model: step.get("model").and_then(Node::str).map(str::to_owned),
            },
            message: at.map(|at| match at {
                (at, None) => &all()[at],
                (at, Some(end)) => list(all()[at..end].iter()),
            }),
        }
    }

    fn outcome(&self, step: &'n Node) -> Node {
        let made = self.made(step);
        let gives = match &*made.search {
            Ok(search) => self.step(step, search, made.options),
            Err(error) => return fault(error),
        };
        match (gives, step.get("only")) {
            (Err(error), _) => fault(&error),
            (Ok(gives), Some(keys)) => only(&gives, keys),
            (Ok(gives), None) => gives,
        }
    }

    fn step(
        &self,
        step: &'n Node,
        search: &Search<'n, V>,
        options: Option<&Node>,
    ) -> Result<Node, Error> {
        let wrap = self.wrap;
        let is_true = |key: &str| step.get(key).is_some_and(Node::is_true);
        let Input {
            messages,
            turn,
            message,
        } = self.input(step);
        Ok(match step.get("do").and_then(Node::str).unwrap() {
            "create" => {
                let engine = &search.standard().engine;
                let mut entries = vec![
                    ("warnings", search.warnings()),
                    ("deferral", Node::of(&engine.deferral())),
                    ("note", Node::text(engine.note())),
                    ("deferred", search.deferred()),
                ];
                if is_true("definitions") {
                    entries.push(("searchTool", search.search_tool()));
                }
                object(entries)
            }
            "turn" => {
                let previous = self.previous(step)?;
                let given = search.turn(&wrap(messages), &turn, previous.as_ref())?;
                let mut entries = vec![("tools", given.names)];
                if is_true("definitions") {
                    entries.push(("definitions", given.tools));
                }
                entries.extend([("note", given.note), ("loaded", given.loaded)]);
                if options.is_some_and(|options| options.get("maxSent").is_some()) {
                    entries.push(("leftOut", given.left_out));
                }
                entries.push(("deferral", given.deferral));
                if options.is_some_and(|options| options.get("delivery").is_some()) {
                    entries.push(("delivery", given.delivery));
                }
                if previous.is_some() {
                    entries.push(("cache", given.cache));
                }
                entries.push(("tokens", given.tokens));
                if is_true("events") {
                    entries.push(("events", given.events));
                }
                entries.push(("warnings", given.warnings));
                object(entries)
            }
            "fit" => {
                let number = |key| step.get(key).and_then(Node::number);
                let (window, reserve) = (number("contextWindow"), number("reserve"));
                let all = messages.unwrap_or(NOTHING);
                let wired = search.on(&wrap(messages))?;
                wired.engine.check(&wrap(messages))?;
                let fitted = wired.engine.fit(&wrap(messages), &turn, window, reserve);
                let mut kept: Vec<Node> = fitted
                    .kept
                    .iter()
                    .map(|at| Node::Number(*at as f64))
                    .collect();
                if let Some(note) = &fitted.note {
                    kept.insert(fitted.note_at, Node::of(note));
                }
                kept.extend((fitted.from..all.items().len()).map(|at| Node::Number(at as f64)));
                let since = Some(("since", Node::Number(fitted.since as f64)))
                    .filter(|_| step.get("since").is_some());
                let mut gives = vec![
                    ("messages", Node::List(kept)),
                    ("loaded", Node::of(&fitted.loaded)),
                ];
                gives.extend(since);
                gives.extend([
                    ("cut", Node::Number(fitted.cut as f64)),
                    ("tokens", Node::of(&fitted.tokens)),
                    ("fits", Node::Bool(fitted.fits)),
                    ("warnings", Node::of(&fitted.warnings)),
                ]);
                object(gives)
            }
            "search" => {
                let (query, limit) = (wrap(step.get("query")), wrap(step.get("limit")));
                let wired = search.standard();
                hits_of(&wired.search(&query, &limit, is_true("explain")))
            }
            "answer" => {
                let messages = messages.unwrap_or(NOTHING);
                let calls = step.get("calls").or(message);
                let wired = search.on(&wrap(Some(with(messages, calls))))?;
                let calls = wrap(calls);
                let replies = wired.answer(&calls, &wrap(Some(messages)), &turn)?;
                let parts = replies.iter().map(|reply| search.part(&wired, reply));
                let parts: Vec<Node> = parts.collect();
                let results = replies.iter().zip(&parts).map(|(reply, part)| {
                    object(vec![
                        ("part", part.clone()),
                        ("error", optional(reply.error.as_deref())),
                        ("loaded", Node::of(&reply.loaded)),
                        ("alreadyLoaded", Node::of(&reply.already_loaded)),
                        ("available", Node::of(&reply.available)),
                        ("more", Node::Number(reply.more as f64)),
                        ("note", Node::text(&reply.note)),
                        ("hits", hits_of(&reply.hits)),
                    ])
                });
                let results = Node::List(results.collect());
                match step.get("others") {
                    None => results,
                    Some(others) => Node::object([
                        ("results", results),
                        ("messages", wired.messages(&calls, parts, others, wrap)),
                    ]),
                }
            }
            "resolve" => {
                let messages = messages.unwrap_or(NOTHING);
                let call = step.get("call");
                let call = match message {
                    Some(message) => {
                        let number = call.and_then(Node::number).unwrap_or(0.0);
                        wire::calls_in(message).get(number as usize).copied()
                    }
                    None => call,
                };
                let wired = search.on(&wrap(Some(with(messages, call))))?;
                let resolved = wired
                    .engine
                    .resolve(&wrap(call), &wrap(Some(messages)), &turn);
                match resolved {
                    // Whether the arguments fit is the face's to find: in the vectors that both run they do.
                    Resolved::Tool(target) => {
                        let mut gives = vec![("name", Node::text(&target.name))];
                        if let Some(called) = &target.recovered {
                            gives.push(("recovered", Node::text(called)));
                        }
                        gives.push(("deferred", Node::Bool(target.deferred)));
                        gives.push(("loaded", Node::Bool(target.loaded)));
                        gives.push(("args", arguments(&target.args)));
                        if !target.warnings.is_empty() {
                            gives.push(("warnings", Node::of(&target.warnings)));
                        }
                        object(gives)
                    }
                    Resolved::Refused(refusal) => Node::object([
                        ("code", Node::text(refusal.code)),
                        ("error", Node::text(&refusal.error)),
                        ("part", Node::of(&refusal.part)),
                    ]),
                }
            }
            "keepNote" => {
                let before = messages.unwrap_or(NOTHING);
                let after = step.get("after").unwrap();
                let of = |each: &Node| match each.number() {
                    Some(at) => before.items()[at as usize].clone(),
                    None => each.clone(),
                };
                let own = list(after.items().iter().map(of).collect::<Vec<_>>().iter());
                let before = wrap(Some(before));
                let wired = search.on(&before)?;
                let engine = &wired.engine;
                let keeping = engine.keep_note(&before, &wrap(Some(own)), &turn);
                let note = keeping.note.as_ref().map(Node::of);
                let mut kept: Vec<Node> = Vec::new();
                let mut places: Vec<Node> = Vec::new();
                let both = own.items().iter().zip(after.items());
                for (at, both) in both.map(Some).chain([None]).enumerate() {
                    if let Some(note) = note.as_ref().filter(|_| at == keeping.position) {
                        kept.push(note.clone());
                        places.push(note.clone());
                    }
                    if let Some((own, place)) = both.filter(|_| !keeping.replaced.contains(&at)) {
                        kept.push(own.clone());
                        places.push(place.clone());
                    }
                }
                let bare = Turn {
                    noted: turn.noted.clone(),
                    ..Turn::default()
                };
                let given = search.turn(&wrap(Some(list(kept.iter()))), &bare, None)?;
                Node::object([("messages", Node::List(places)), ("loaded", given.loaded)])
            }
            "searchResults" => {
                let messages = wrap(messages);
                let wired = search.on(&messages)?;
                Node::of(&wired.engine.search_results(&messages))
            }
            "pending" => {
                let values = wrap(messages);
                let wired = search.on(&values)?;
                wired.pending(messages.unwrap_or(NOTHING), &values)
            }
            "fingerprint" => Node::text(&search.identity().fingerprint),
            "update" => search.update(step.get("next").unwrap_or(NOTHING), wrap)?,
            by @ ("rankTools" | "rankToolsByKeywords") => {
                let query = step.get("query").and_then(Node::str).unwrap_or("");
                let limit = step.get("limit").and_then(Node::number);
                let limit = limit.map(|limit| limit as usize);
                rank(search, wrap, query, limit, by == "rankToolsByKeywords")?
            }
            "estimateTokens" => {
                let value = step.get("value").unwrap();
                let text = value.str().map_or_else(|| value.stringify(), str::to_owned);
                Node::Number(f64::from(toolcrib::cost::estimate(&text)))
            }
            other => panic!("no step is called \"{other}\""),
        })
    }

    /// The turn before, where a step names one, as its JSON.
    fn previous(&self, step: &'n Node) -> Result<Option<Node>, Error> {
        if let Some(given) = step.get("previousAs") {
            return Ok(Some(given.clone()));
        }
        let Some(before) = step.get("previous") else {
            return Ok(None);
        };
        let made = self.made(before);
        let search = match &*made.search {
            Ok(search) => search,
            Err(error) => return Err(error.clone()),
        };
        let Input { messages, turn, .. } = self.input(before);
        let given: Given = search.turn(&(self.wrap)(messages), &turn, None)?;
        Ok(Some(object(vec![
            ("tools", given.tools),
            ("names", given.names),
            ("loaded", given.loaded),
            ("deferral", given.deferral),
            ("delivery", given.delivery),
        ])))
    }
}

/// A list of these, which lives as long as the test.
fn list<'l, 'n>(nodes: impl Iterator<Item = &'l Node>) -> &'n Node {
    Node::List(nodes.cloned().collect()).leak()
}

/// The messages and a call after them.
fn with<'n>(messages: &Node, call: Option<&Node>) -> &'n Node {
    list(messages.items().iter().chain(call))
}

/// What a step asks for of what it gives, in a list of each.
fn only(gives: &Node, keys: &Node) -> Node {
    if let Node::List(all) = gives {
        return Node::List(all.iter().map(|each| only(each, keys)).collect());
    }
    let keys = keys.items().iter().filter_map(Node::str);
    let entries = keys.filter_map(|key| Some((key, gives.get(key)?.clone())));
    object(entries.collect())
}

fn hits_of(hits: &[FoundTool]) -> Node {
    let hits = hits.iter().map(|hit| {
        let mut entries = vec![
            ("name", Node::text(&hit.name)),
            ("score", Node::of(&hit.score)),
            ("exact", Node::Bool(hit.exact)),
            ("terms", Node::of(&hit.terms)),
        ];
        if let Some(explanation) = &hit.explanation {
            entries.push(("explanation", Node::of(explanation)));
        }
        object(entries)
    });
    Node::List(hits.collect())
}

fn object(entries: Vec<(&str, Node)>) -> Node {
    Node::Object(
        entries
            .into_iter()
            .map(|(key, node)| (key.into(), node))
            .collect(),
    )
}

fn fault(error: &Error) -> Node {
    Node::object([(
        "error",
        Node::object([
            ("code", Node::text(error.code().as_str())),
            ("message", Node::text(error.message())),
        ]),
    )])
}

/// Through JSON, as a file can't hold the -0 and the infinity that a text can mean.
fn arguments(text: &str) -> Node {
    assert!(!text.is_empty(), "arguments that are no JSON");
    Node::parse(&Node::parse(text).stringify())
}

fn optional(text: Option<&str>) -> Node {
    text.map_or(Node::Null, Node::text)
}

fn strings(list: Option<&Node>) -> Vec<String> {
    let items = list.map_or(&[][..], Node::items).iter();
    items.map(|name| name.str().unwrap().to_owned()).collect()
}

fn borrowed(texts: &[Option<String>]) -> Vec<Option<&str>> {
    texts.iter().map(Option::as_deref).collect()
}
