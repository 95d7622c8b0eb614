//! Mirrors js/options.ts for options that it takes.

use toolcrib::options::{
    Calls, Delivery, Fixed, Handoff, Lifetime, Limit, Limits, Options, Rank, Server, Threshold,
    UnloadedCall, WhenAllLoaded,
};

use super::node::Node;
use super::strings;

/// The default of `resident` is a list that the JavaScript face owns. Vectors for both faces have no
/// tool of such a name, so that it makes no difference here.
const RESIDENT: [String; 0] = [];

/// The options of a vector.
pub fn read_options(given: Option<&Node>) -> Options {
    let mut options = Options {
        resident: RESIDENT.to_vec(),
        ..Options::default()
    };
    for (key, value) in given.map_or(&[][..], Node::entries) {
        let word = value.str().unwrap_or_default();
        match key.plain.as_str() {
            "format" => options.format = Some(word.to_owned()),
            "delivery" => {
                options.delivery = choice(
                    word,
                    &[
                        ("append", Delivery::Append),
                        ("native", Delivery::Native),
                        ("proxy", Delivery::Proxy),
                        ("auto", Delivery::Auto),
                    ],
                );
            }
            "model" => options.model = Some(word.to_owned()),
            "callTool" => {
                if let Some(name) = value.get("name") {
                    options.call_name = name.str().unwrap().to_owned();
                }
            }
            "cacheBreakpoint" => {
                options.breakpoint = match value {
                    Node::Bool(false) => None,
                    Node::Bool(true) => Some(Lifetime::Standard),
                    _ => Some(choice(
                        word,
                        &[("5m", Lifetime::Minutes), ("1h", Lifetime::Hour)],
                    )),
                };
            }
            "contextWindow" => options.context_window = value.number(),
            // What `registerModel` was told before the engine was made.
            "registered" => {
                let models = value.entries().iter();
                let models =
                    models.map(|(name, tokens)| (name.plain.clone(), tokens.number().unwrap()));
                options.registered = models.collect();
            }
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
                        ("withdraw", Some(WhenAllLoaded::Withdraw)),
                        ("keep", Some(WhenAllLoaded::Keep)),
                    ],
                );
            }
            "maxSent" => options.max_sent = whole(Some(value)).map(|most| most as usize),
            "texts" => {
                let text = value.stringify();
                let json = toolcrib::value::Json::parse(&text).unwrap();
                options.texts = toolcrib::texts::Texts::read(&Some(&json));
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
