//! What a host can set. The JavaScript face has checked names and values before they come here.

use serde::Serialize;

use crate::texts::{Text, Texts};
use crate::value::{Kind, Value};

/// Words of the options and their defaults.
#[derive(Clone, Debug)]
pub struct Options {
    /// The shape of tools and messages on the wire; where it is not named, what the tools' shapes say, else `openai-chat`.
    pub format: Option<String>,
    /// How loaded tools reach the model.
    pub delivery: Delivery,
    /// The model, as providers and gateways write its name.
    pub model: Option<String>,
    /// The name of the tool through which all others are called, where delivery is `proxy`. Default `call_tool`.
    pub call_name: String,
    /// A cache breakpoint at the end of the stable part of the tools.
    pub breakpoint: Option<Lifetime>,
    /// The search tool's name. Default `tool_search`.
    pub search_name: String,
    /// Names that the search tool had when older messages were written.
    pub former_names: Vec<String>,
    /// The model's context window in tokens; 128,000 is assumed when it is not given.
    pub context_window: Option<f64>,
    /// Models of the host's, or globs of their names, each with its context window in tokens. The last one counts.
    pub registered: Vec<(String, f64)>,
    /// When deferral applies.
    pub threshold: Threshold,
    /// How many tools a search loads.
    pub limit: Limit,
    /// Names or globs of tools that are always sent.
    pub resident: Vec<String>,
    /// Names or globs of tools that hand the conversation to another agent; never deferred.
    pub handoffs: Vec<String>,
    /// Whether what was loaded outlives a handoff.
    pub handoff: Handoff,
    /// Whether a call of a deferred tool that the messages hold counts as loading it.
    pub calls: Calls,
    /// What happens to a call of a tool that is not loaded.
    pub unloaded_call: UnloadedCall,
    /// Names or globs of tools that this agent defers.
    pub deferred_names: Vec<String>,
    /// A predicate's answers, one for each tool.
    pub deferred_flags: Option<Vec<Option<bool>>>,
    /// Defers everything that can be deferred once the catalogue has more tools than this.
    pub deferred_above: Option<f64>,
    /// The servers that tools come from.
    pub servers: Vec<Server>,
    /// Whether the search tool stays when nothing is left to load.
    ///
    /// Default: it goes, but where a provider bills what its cache writes, as its going empties that.
    pub when_all_loaded: Option<WhenAllLoaded>,
    /// The longest name that goes out, if shorter or longer than the format's own.
    pub name_limit: Option<f64>,
    /// Leaves out tools whose names the format refuses.
    pub refuse_names: bool,
    /// The ranking.
    pub rank: Rank,
    /// How many tools a turn sends at most.
    pub max_sent: Option<usize>,
    /// The host's own words for what a model reads.
    pub texts: Texts,
    /// The host's own token counts, one for each tool.
    pub costs: Option<Vec<Option<f64>>>,
    /// The same for the search tool, the note and the tool that calls all others.
    pub own_costs: Vec<Option<f64>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            delivery: Delivery::Append,
            model: None,
            call_name: "call_tool".to_owned(),
            breakpoint: None,
            search_name: "tool_search".to_owned(),
            former_names: Vec::new(),
            context_window: None,
            registered: Vec::new(),
            threshold: Threshold::default(),
            limit: Limit::default(),
            resident: Vec::new(),
            handoffs: vec!["transfer_to_*".to_owned()],
            handoff: Handoff::Keep,
            calls: Calls::Ignore,
            unloaded_call: UnloadedCall::Run,
            deferred_names: Vec::new(),
            deferred_flags: None,
            deferred_above: None,
            servers: Vec::new(),
            when_all_loaded: None,
            name_limit: None,
            refuse_names: false,
            rank: Rank::Bm25,
            max_sent: None,
            texts: Texts::default(),
            costs: None,
            own_costs: Vec::new(),
        }
    }
}

/// Reads texts out of an array, whatever else stands in it.
pub(crate) fn texts<V: Value>(value: &V) -> Vec<String> {
    (0..value.len())
        .filter_map(|index| value.at(index).text().map(|text| text.into_owned()))
        .collect()
}

/// The variant whose name the text is, else the first.
fn choice<V: Value, T: Copy, const N: usize>(value: &V, variants: [(&str, T); N]) -> T {
    let chosen = variants.iter().find(|(name, _)| value.is(name));
    chosen.unwrap_or(&variants[0]).1
}

impl Options {
    /// A text in the host's words or ours, with the names of the two tools of ours and what else is filled in.
    pub(crate) fn say(&self, text: Text, fill: &[(&str, &str)]) -> String {
        let ours = [
            ("search", self.search_name.as_str()),
            ("call", self.call_name.as_str()),
        ];
        self.texts.say(text, &[&ours, fill].concat())
    }

    /// Reads what a host has set, by the names of the fields in camel case. What is absent or of
    /// another type keeps its default.
    pub fn read<V: Value>(value: &V) -> Options {
        let defaults = Options::default();
        let text = |key: &'static str, default: String| value.text_at(key).unwrap_or(default);
        let list = |key: &'static str, default: Vec<String>| {
            let list = value.get(key);
            if list.kind() == Kind::Array {
                texts(&list)
            } else {
                default
            }
        };
        let limit = value.get("limit");
        let per_tool =
            |key: &'static str| Some(value.get(key)).filter(|list| list.kind() == Kind::Array);
        let servers = value.get("servers");
        let models = value.get("registered");
        let mut registered = Vec::new();
        for at in 0..models.len() {
            let model = models.at(at);
            let tokens = model.get("contextWindow").number();
            registered.extend(model.text_at("name").zip(tokens));
        }
        Options {
            format: value.text_at("format"),
            delivery: choice(
                &value.get("delivery"),
                [
                    ("append", Delivery::Append),
                    ("native", Delivery::Native),
                    ("proxy", Delivery::Proxy),
                    ("auto", Delivery::Auto),
                ],
            ),
            model: value.text_at("model"),
            call_name: text("callName", defaults.call_name),
            breakpoint: value
                .text_at("breakpoint")
                .map(|lifetime| match &*lifetime {
                    "5m" => Lifetime::Minutes,
                    "1h" => Lifetime::Hour,
                    _ => Lifetime::Standard,
                }),
            search_name: text("searchName", defaults.search_name),
            former_names: list("formerNames", defaults.former_names),
            context_window: value.get("contextWindow").number(),
            registered,
            threshold: Threshold::read(&value.get("threshold")),
            limit: Limit {
                default: limit
                    .get("default")
                    .number()
                    .unwrap_or(defaults.limit.default),
                max: limit.get("max").number().unwrap_or(defaults.limit.max),
            },
            resident: list("resident", defaults.resident),
            handoffs: list("handoffs", defaults.handoffs),
            handoff: choice(
                &value.get("handoff"),
                [("keep", Handoff::Keep), ("reset", Handoff::Reset)],
            ),
            calls: choice(
                &value.get("calls"),
                [("ignore", Calls::Ignore), ("load", Calls::Load)],
            ),
            unloaded_call: choice(
                &value.get("unloadedCall"),
                [
                    ("run", UnloadedCall::Run),
                    ("load", UnloadedCall::Load),
                    ("refuse", UnloadedCall::Refuse),
                ],
            ),
            deferred_names: list("deferredNames", defaults.deferred_names),
            deferred_flags: per_tool("deferredFlags")
                .map(|flags| (0..flags.len()).map(|at| flags.at(at).flag()).collect()),
            deferred_above: value.get("deferredAbove").number(),
            servers: (0..servers.len())
                .map(|at| Server::read(&servers.at(at)))
                .collect(),
            when_all_loaded: choice(
                &value.get("whenAllLoaded"),
                [
                    ("", None),
                    ("withdraw", Some(WhenAllLoaded::Withdraw)),
                    ("keep", Some(WhenAllLoaded::Keep)),
                ],
            ),
            name_limit: value.get("nameLimit").number(),
            refuse_names: value.get("refuseNames").flag().unwrap_or(false),
            rank: choice(
                &value.get("rank"),
                [
                    ("bm25", Rank::Bm25),
                    ("keywords", Rank::Keywords),
                    ("custom", Rank::Custom),
                ],
            ),
            max_sent: value.get("maxSent").number().map(|most| most as usize),
            texts: Texts::read(&value.get("texts")),
            costs: per_tool("costs")
                .map(|costs| (0..costs.len()).map(|at| costs.at(at).number()).collect()),
            own_costs: (0..value.get("ownCosts").len())
                .map(|at| value.get("ownCosts").at(at).number())
                .collect(),
        }
    }
}

/// When deferral applies: any limit that is set and reached, always, or never.
#[derive(Clone, Debug)]
pub enum Threshold {
    /// `"always"` or `"never"`.
    Fixed(Fixed),
    /// The limits; an unset one decides nothing.
    Limits(Limits),
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold::Limits(Limits {
            share: Some(0.1),
            // Ten per cent of a million-token window is more than real catalogues hold.
            tokens: Some(20_000.0),
            // The cap that most clients and the older Chat Completions API share.
            tools: Some(128.0),
        })
    }
}

impl Threshold {
    fn read<V: Value>(value: &V) -> Threshold {
        match value.kind() {
            Kind::Text if value.is("always") => Threshold::Fixed(Fixed::Always),
            Kind::Text if value.is("never") => Threshold::Fixed(Fixed::Never),
            Kind::Object => Threshold::Limits(Limits {
                share: value.get("share").number(),
                tokens: value.get("tokens").number(),
                tools: value.get("tools").number(),
            }),
            _ => Threshold::default(),
        }
    }
}

/// A threshold that asks nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Deferral applies whenever a tool is deferred.
    Always,
    /// Everything is always sent.
    Never,
}

/// The limits of a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// A share of the context window that the deferred definitions reach.
    pub share: Option<f64>,
    /// Tokens that the deferred definitions reach.
    pub tokens: Option<f64>,
    /// Tools that the catalogue passes.
    pub tools: Option<f64>,
}

/// How many tools a search loads.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// When the call does not say. Default 5.
    pub default: f64,
    /// At most. Default 20.
    pub max: f64,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit {
            default: 5.0,
            max: 20.0,
        }
    }
}

/// A server that tools come from.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// The name that the host gives it.
    pub name: String,
    /// Whether its tools are deferred, where nothing nearer says.
    pub defer_loading: Option<bool>,
    /// What the names of its tools start with.
    pub prefix: Option<String>,
    /// Names or globs of its tools.
    pub tools: Vec<String>,
}

impl Server {
    fn read<V: Value>(value: &V) -> Server {
        Server {
            name: value.text_at("name").unwrap_or_default(),
            defer_loading: value.get("deferLoading").flag(),
            prefix: value.text_at("prefix"),
            tools: texts(&value.get("tools")),
        }
    }
}

/// See [`Options::delivery`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// A loaded tool is appended to the request's tools.
    Append,
    /// The provider loads it itself, by what a search result says.
    Native,
    /// The tools of a request never change: a result holds schemas, and one tool calls all others.
    Proxy,
    /// Native where format and model can, else appended.
    Auto,
}

/// How long a provider keeps what a breakpoint marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the provider does when nothing is said.
    Standard,
    /// Five minutes.
    Minutes,
    /// An hour.
    Hour,
}

impl Lifetime {
    /// As providers write it; nothing where the provider's own applies.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Lifetime::Standard => None,
            Lifetime::Minutes => Some("5m"),
            Lifetime::Hour => Some("1h"),
        }
    }
}

/// See [`Options::handoff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handoff {
    /// A loaded tool stays loaded.
    Keep,
    /// Only what was loaded after the last successful handoff counts.
    Reset,
}

/// See [`Options::calls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// It does not count.
    Ignore,
    /// It counts.
    Load,
}

/// See [`Options::unloaded_call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnloadedCall {
    /// It runs.
    Run,
    /// It runs, and the definition is sent from the next turn on.
    Load,
    /// It is answered with an error that names the search tool.
    Refuse,
}

/// See [`Options::when_all_loaded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenAllLoaded {
    /// The search tool and the note go.
    Withdraw,
    /// Both stay.
    Keep,
}

/// See [`Options::rank`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// BM25F over all fields.
    Bm25,
    /// Words in the name count three, in the description one.
    Keywords,
    /// The host's own function, whose answer comes with the calls.
    Custom,
}
