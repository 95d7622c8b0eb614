//! Runs a vector through the native engine. `tests/conform.mjs` does the same through the package.
//!
//! A vector is `{id, why, tools, options, messages?, steps}`; `tests/vectors/README.md` has its
//! words. What the JavaScript face does before and after the engine (options to settings, positions
//! to objects) is mirrored here, so that one outcome can be asked of both.

// Each test that includes this module uses a part of it, and a vector that can't be read is a fault
// of the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod node;

use toolcrib::engine::{Engine, rank_tools};
use toolcrib::error::{Code, Error};
use toolcrib::identity::identity;
use toolcrib::options::{
    Calls, Fixed, Handoff, Limit, Limits, Options, Rank, Server, Threshold, UnloadedCall,
    WhenAllLoaded,
};
use toolcrib::plan::Turn;
use toolcrib::report::{Definition, FoundTool, Report, Resolved};
use toolcrib::tool::{self, Read};
use toolcrib::value::{Json, Value};

use node::{Living, Node};

/// The default of `resident` is a list that the JavaScript face owns. Vectors for both faces have no
/// tool of such a name, so that it makes no difference here.
const RESIDENT: [String; 0] = [];

/// What the steps of a vector come to, with values read as the wasm reads them.
pub fn run(vector: &Node) -> Node {
    outcome(vector, &|node| Living(node))
}

/// The same with values that the engine has parsed itself, as a native host passes them.
pub fn run_parsed(vector: &Node) -> Node {
    outcome(vector, &|node| {
        // Leaked, as the values have to outlive the call; a test ends soon.
        node.map(|node| &*Box::leak(Box::new(Json::parse(&node.stringify()).unwrap())))
    })
}

type Wrap<'w, 'n, V> = &'w dyn Fn(Option<&'n Node>) -> V;

fn outcome<'n, V: Value>(vector: &'n Node, wrap: Wrap<'_, 'n, V>) -> Node {
    let vector = Vector {
        options: vector.get("options"),
        tools: vector.get("tools").map_or(&[][..], Node::items),
        messages: vector.get("messages"),
        steps: vector.get("steps").map_or(&[][..], Node::items),
    };
    let made = Made::new(vector.tools, vector.options, wrap);
    let steps = vector.steps.iter().map(|step| {
        let own = (step.get("tools").is_some() || step.get("options").is_some()).then(|| {
            Made::new(
                step.get("tools").map_or(vector.tools, Node::items),
                step.get("options").or(vector.options),
                wrap,
            )
        });
        match own.as_ref().unwrap_or(&made) {
            Ok(made) => vector.step(step, made, wrap),
            Err(error) => fault(error),
        }
    });
    Node::List(steps.collect())
}

struct Vector<'n> {
    options: Option<&'n Node>,
    tools: &'n [Node],
    messages: Option<&'n Node>,
    steps: &'n [Node],
}

/// An engine and what it was made from.
struct Made<'n, V> {
    engine: Engine,
    report: Report,
    /// Those of the face, then the engine's.
    warnings: Vec<Node>,
    options: Options,
    tools: &'n [Node],
    values: Vec<V>,
    schemas: Vec<Option<&'n Node>>,
    texts: Vec<Option<String>>,
}

impl<'n, V: Value> Made<'n, V> {
    fn new(
        tools: &'n [Node],
        options: Option<&Node>,
        wrap: Wrap<'_, 'n, V>,
    ) -> Result<Made<'n, V>, Error> {
        let options = read_options(options);
        let values: Vec<V> = tools.iter().map(|tool| wrap(Some(tool))).collect();
        let (schemas, mut warnings) = schemas(tools, &values);
        let texts: Vec<Option<String>> = schemas
            .iter()
            .map(|schema| schema.map(Node::stringify))
            .collect();
        let engine = Engine::new(&values, &borrowed(&texts), options.clone())?;
        let report = engine.report();
        warnings.extend_from_slice(Node::of(&report.warnings).items());
        Ok(Made {
            report,
            warnings,
            engine,
            options,
            tools,
            values,
            schemas,
            texts,
        })
    }

    fn name(&self, position: i32) -> Node {
        match usize::try_from(position) {
            Ok(position) => optional(self.report.tools[position].name.as_deref()),
            Err(_) => Node::text(&self.options.search_name),
        }
    }

    /// What goes on the wire for a position of a turn; see js/definitions.ts.
    fn sent(&self, position: i32) -> Node {
        let Ok(position) = usize::try_from(position) else {
            return Node::of(&self.report.search_tool);
        };
        let own = &self.tools[position];
        match &self.report.tools[position].sent {
            Definition::Own | Definition::Merged { .. } | Definition::Excluded => own.clone(),
            Definition::Strip { paths } => paths
                .iter()
                .fold(own.clone(), |tool, path| tool.without(path)),
            Definition::Convert { template, at } => {
                let mut tool = Node::of(template);
                if let Some(schema) = self.schemas[position].filter(|schema| **schema != Node::Null)
                {
                    tool.put(at, schema.clone());
                }
                tool
            }
        }
    }

    /// The digest of each name, in the host's order; the last one where a name comes twice.
    fn digests(&self) -> Vec<(String, String)> {
        let digests = identity(&self.values, &borrowed(&self.texts)).digests;
        let mut named: Vec<(String, String)> = Vec::new();
        for (read, digest) in reads(&self.values).into_iter().zip(digests) {
            let Some(name) = read.name() else { continue };
            match named.iter_mut().find(|(known, _)| *known == name) {
                Some((_, earlier)) => *earlier = digest,
                None => named.push((name.to_owned(), digest)),
            }
        }
        named
    }
}

impl<'n> Vector<'n> {
    fn step<V: Value>(&self, step: &'n Node, made: &Made<'n, V>, wrap: Wrap<'_, 'n, V>) -> Node {
        let Made { engine, report, .. } = made;
        let turn = Turn {
            loaded: strings(step.get("loaded")),
            forced: strings(step.get("forced")),
            exclude: strings(step.get("exclude")),
        };
        let empty: &'static Node = const { &Node::List(Vec::new()) };
        // The first messages of the vector's, as many as the step says; a copy lives long enough
        // only when leaked.
        let at = step.get("at").and_then(Node::number);
        let messages: Option<&'n Node> = match (step.get("messages"), self.messages) {
            (Some(own), _) => Some(own),
            (None, Some(all)) => match step.get("upTo").and_then(Node::number).or(at) {
                Some(count) => Some(Box::leak(Box::new(Node::List(
                    all.items().iter().take(count as usize).cloned().collect(),
                )))),
                None => Some(all),
            },
            (None, None) => None,
        };
        let message = at.map(|at| &self.messages.unwrap().items()[at as usize]);
        let with_definitions = step.get("definitions").is_some_and(Node::is_true);
        match step.get("do").and_then(Node::str).unwrap() {
            "create" => {
                let deferred = report.tools.iter().filter(|tool| tool.deferred);
                let deferred = Node::texts(deferred.filter_map(|tool| tool.name.as_deref()));
                let mut entries = vec![
                    ("warnings", Node::List(made.warnings.clone())),
                    ("deferral", Node::of(&report.deferral)),
                    ("note", Node::text(&report.note)),
                    ("deferred", deferred),
                ];
                if with_definitions {
                    entries.push(("searchTool", Node::of(&report.search_tool)));
                }
                object(entries)
            }
            "turn" => {
                let plan = engine.turn(&wrap(messages), &turn);
                let names = plan.tools.iter().map(|at| made.name(*at));
                let mut entries = vec![("tools", Node::List(names.collect()))];
                if with_definitions {
                    let sent = plan.tools.iter().map(|at| made.sent(*at));
                    entries.push(("definitions", Node::List(sent.collect())));
                }
                entries.extend([
                    ("note", optional(plan.note.as_deref())),
                    ("loaded", Node::of(&plan.loaded)),
                    ("deferral", Node::of(&plan.deferral)),
                    ("tokens", Node::of(&plan.tokens)),
                    ("warnings", Node::of(&plan.warnings)),
                ]);
                object(entries)
            }
            "search" => {
                let explain = step.get("explain").is_some_and(Node::is_true);
                let hits =
                    engine.search(&wrap(step.get("query")), &wrap(step.get("limit")), explain);
                hits_of(&hits)
            }
            "answer" => {
                let calls = wrap(step.get("calls").or(message));
                let messages = wrap(messages.or(Some(empty)));
                let replies = engine.answer(&calls, &messages, &turn, None);
                let results = replies.iter().map(|reply| {
                    Node::object([
                        ("part", Node::of(&reply.part)),
                        ("error", optional(reply.error.as_deref())),
                        ("loaded", Node::of(&reply.loaded)),
                        ("alreadyLoaded", Node::of(&reply.already_loaded)),
                        ("available", Node::of(&reply.available)),
                        ("more", Node::Number(reply.more as f64)),
                        ("note", Node::text(&reply.note)),
                        ("hits", hits_of(&reply.hits)),
                    ])
                });
                let Some(others) = step.get("others") else {
                    return Node::List(results.collect());
                };
                let parts: Vec<Node> = replies.iter().map(|reply| Node::of(&reply.part)).collect();
                let all: Vec<&'n Node> = parts
                    .into_iter()
                    .map(|part| &*Box::leak(Box::new(part)))
                    .chain(others.items())
                    .collect();
                let values: Vec<V> = all.iter().map(|part| wrap(Some(part))).collect();
                let order = engine.order(&calls, &values).into_iter();
                Node::object([
                    ("results", Node::List(results.collect())),
                    (
                        "messages",
                        Node::List(order.map(|at| all[at].clone()).collect()),
                    ),
                ])
            }
            "resolve" => {
                let call = step.get("call");
                let call = match (message, call.and_then(Node::number)) {
                    (Some(message), number) => message
                        .get("tool_calls")
                        .and_then(|calls| calls.items().get(number.unwrap_or(0.0) as usize)),
                    (None, _) => call,
                };
                let messages = wrap(messages.or(Some(empty)));
                match engine.resolve(&wrap(call), &messages, &turn) {
                    Resolved::Tool(target) => Node::object([
                        ("name", Node::text(&target.name)),
                        ("deferred", Node::Bool(target.deferred)),
                        ("loaded", Node::Bool(target.loaded)),
                        ("args", arguments(&target.args)),
                    ]),
                    Resolved::Refused(refusal) => Node::object([
                        ("code", Node::text(refusal.code)),
                        ("error", Node::text(&refusal.error)),
                        ("part", Node::of(&refusal.part)),
                    ]),
                }
            }
            "searchResults" => Node::of(&engine.search_results(&wrap(messages))),
            "pending" => {
                let found = engine.pending(&wrap(messages));
                let calls = found.iter().flat_map(|pending| {
                    let message = &messages.unwrap().items()[pending.message];
                    let calls = message.get("tool_calls").map_or(&[][..], Node::items);
                    // The message itself where it is the call, as with the older function_call.
                    let call = |at: &usize| calls.get(*at).unwrap_or(message).clone();
                    pending.calls.iter().map(call)
                });
                Node::List(calls.collect())
            }
            "fingerprint" => {
                Node::text(&identity(&made.values, &borrowed(&made.texts)).fingerprint)
            }
            "update" => self.update(step, made, wrap),
            by @ ("rankTools" | "rankToolsByKeywords") => {
                let query = step.get("query").and_then(Node::str).unwrap_or("");
                let limit = step.get("limit").and_then(Node::number);
                let ranked = rank_tools(
                    query,
                    &made.values,
                    &borrowed(&made.texts),
                    limit.map(|limit| limit as usize),
                    by == "rankToolsByKeywords",
                );
                ranked.map_or_else(|error| fault(&error), |names| Node::of(&names))
            }
            "estimateTokens" => {
                let value = step.get("value").unwrap();
                let text = value.str().map_or_else(|| value.stringify(), str::to_owned);
                Node::Number(f64::from(toolcrib::cost::estimate(&text)))
            }
            other => panic!("no step is called \"{other}\""),
        }
    }

    /// Mirrors `update` of js/index.ts.
    fn update<V: Value>(&self, step: &'n Node, made: &Made<'n, V>, wrap: Wrap<'_, 'n, V>) -> Node {
        let next = step.get("next").map_or(&[][..], Node::items);
        let options = step.get("options").or(self.options);
        let mut warnings = Vec::new();
        let updated = match Made::new(next, options, wrap) {
            Err(error) if error.code() == Code::ReservedToolName => {
                let name = &made.options.search_name;
                warnings.push(Node::object([
                    ("code", Node::text(error.code().as_str())),
                    (
                        "message",
                        Node::text(&format!("{}: left out", error.message())),
                    ),
                    ("tool", Node::text(name)),
                ]));
                let reads = next.iter().map(|tool| reads(&[wrap(Some(tool))]));
                let kept = next
                    .iter()
                    .zip(reads)
                    .filter(|(_, read)| read[0].name() != Some(name.as_str()))
                    .map(|(tool, _)| tool.clone());
                let kept: &'n [Node] = Vec::leak(kept.collect());
                Made::new(kept, options, wrap)
            }
            other => other,
        };
        let updated = match updated {
            Ok(updated) => updated,
            Err(error) => return fault(&error),
        };
        warnings.extend_from_slice(&updated.warnings);
        let (before, after) = (made.digests(), updated.digests());
        let digest = |digests: &[(String, String)], name: &str| {
            let found = digests.iter().find(|(known, _)| known == name);
            found.map(|(_, digest)| digest.clone())
        };
        let names = |from: &[(String, String)], keep: &dyn Fn(&str) -> bool| {
            Node::texts(
                from.iter()
                    .map(|(name, _)| name.as_str())
                    .filter(|name| keep(name)),
            )
        };
        let differs = |name: &str| {
            let earlier = digest(&before, name);
            earlier.is_some() && earlier != digest(&after, name)
        };
        Node::object([
            (
                "added",
                names(&after, &|name| digest(&before, name).is_none()),
            ),
            (
                "removed",
                names(&before, &|name| digest(&after, name).is_none()),
            ),
            ("changed", names(&after, &differs)),
            ("warnings", Node::List(warnings)),
        ])
    }
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

fn reads<V: Value>(values: &[V]) -> Vec<Read> {
    values.iter().map(tool::read).collect()
}

/// Mirrors js/schemas.ts: the schema of each tool, and what it says of odd ones.
fn schemas<'n, V: Value>(tools: &'n [Node], values: &[V]) -> (Vec<Option<&'n Node>>, Vec<Node>) {
    let mut warnings = Vec::new();
    let reads = reads(values);
    let schemas = tools.iter().zip(&reads).map(|(tool, read)| {
        let schema = tool.path(read.schema_at()?)?;
        if matches!(schema, Node::Number(_) | Node::Text(_) | Node::List(_)) {
            let name = read.name().unwrap_or("?");
            let what = "its schema is no object, so its parameters are not searched";
            warnings.push(Node::object([
                ("code", Node::text("schema_not_object")),
                ("message", Node::text(&format!("tool \"{name}\": {what}"))),
                ("tool", Node::text(name)),
            ]));
        }
        Some(schema)
    });
    (schemas.collect(), warnings)
}

/// Mirrors js/options.ts for options that it takes.
fn read_options(given: Option<&Node>) -> Options {
    let mut options = Options {
        resident: RESIDENT.to_vec(),
        ..Options::default()
    };
    for (key, value) in given.map_or(&[][..], Node::entries) {
        let word = value.str().unwrap_or_default();
        match key.plain.as_str() {
            "format" => options.format = word.to_owned(),
            "contextWindow" => options.context_window = value.number(),
            "threshold" => options.threshold = threshold(value),
            "limit" => {
                let max = whole(value.get("max")).unwrap_or(20.0);
                let default = whole(value.get("default")).unwrap_or(max.min(5.0));
                options.limit = Limit { default, max };
            }
            "searchTool" => {
                if let Some(name) = value.get("name") {
                    options.search_name = name.str().unwrap().to_owned();
                }
                options.former_names = strings(value.get("formerNames"));
            }
            "resident" => options.resident = strings(Some(value)),
            "handoffs" => options.handoffs = strings(Some(value)),
            "handoff" => {
                options.handoff =
                    choice(word, &[("keep", Handoff::Keep), ("reset", Handoff::Reset)])
            }
            "calls" => {
                options.calls = choice(word, &[("ignore", Calls::Ignore), ("load", Calls::Load)])
            }
            "unloadedCall" => {
                options.unloaded_call = choice(
                    word,
                    &[
                        ("run", UnloadedCall::Run),
                        ("load", UnloadedCall::Load),
                        ("refuse", UnloadedCall::Refuse),
                    ],
                );
            }
            "deferred" => match value.get("above") {
                Some(above) => options.deferred_above = whole(Some(above)),
                None => options.deferred_names = strings(Some(value)),
            },
            "servers" => {
                let servers = value.entries().iter().map(|(name, server)| Server {
                    name: name.plain.clone(),
                    defer_loading: server.get("deferLoading").map(Node::is_true),
                    prefix: server.get("prefix").and_then(Node::str).map(str::to_owned),
                    tools: strings(server.get("tools")),
                });
                options.servers = servers.collect();
            }
            "whenAllLoaded" => {
                options.when_all_loaded = choice(
                    word,
                    &[
                        ("withdraw", WhenAllLoaded::Withdraw),
                        ("keep", WhenAllLoaded::Keep),
                    ],
                );
            }
            "aliases" => options.refuse_names = *value == Node::Bool(false),
            "maxNameLength" => options.name_limit = whole(Some(value)),
            "rank" => {
                options.rank = choice(word, &[("bm25", Rank::Bm25), ("keywords", Rank::Keywords)])
            }
            other => panic!("option \"{other}\" is not mirrored here"),
        }
    }
    options
}

fn choice<T: Copy>(word: &str, of: &[(&str, T)]) -> T {
    of.iter().find(|(name, _)| *name == word).expect(word).1
}

fn whole(value: Option<&Node>) -> Option<f64> {
    Some(value?.number()?.min(2_147_483_647.0))
}

fn threshold(value: &Node) -> Threshold {
    let limits = match value {
        Node::Bool(false) => return Threshold::Fixed(Fixed::Never),
        Node::Number(share) => Limits {
            share: Some(*share),
            ..Limits::default()
        },
        _ => Limits {
            share: value.get("share").and_then(Node::number),
            tokens: value.get("tokens").and_then(Node::number),
            tools: value.get("tools").and_then(Node::number),
        },
    };
    let values = [limits.share, limits.tokens, limits.tools];
    if values.contains(&Some(0.0)) {
        Threshold::Fixed(Fixed::Always)
    } else if values == [None; 3] {
        Threshold::default()
    } else {
        Threshold::Limits(limits)
    }
}
