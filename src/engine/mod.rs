//! The engine: everything above, in the calls that a host makes.

mod answer;

use crate::catalogue::Catalogue;
use crate::cost;
use crate::error::{Code, Error, Warning};
use crate::explain::{explain, reasons};
use crate::index::Index;
use crate::loaded::{self, History};
use crate::names::{Patterns, any_glob};
use crate::options::{Fixed, Options, Rank, Threshold, UnloadedCall};
use crate::plan::{Deferral, Plan, SearchTool, Turn, decide, plan};
use crate::report::{
    Definition, FoundTool, Pending, Refusal, Report, ReportedTool, Resolved, ResultPlace, Target,
};
use crate::result::{self, Answering, Said};
use crate::search::{Found, Hit, Query, Rule, search};
use crate::sort::order;
use crate::tool::{self, Read, Wire};
use crate::transcript::{By, Call, Format};
use crate::value::{Json, Kind, Value};

/// An immutable engine over one catalogue. It remembers nothing of a conversation.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    format: Format,
    wire: &'static Wire,
    catalogue: Catalogue,
    /// `None` of an engine that was made without; see [`Engine::unindexed`].
    index: Option<Index>,
    costs: Vec<u32>,
    search_tool: Json,
    note: String,
    search_tokens: u32,
}

impl Engine {
    /// Makes an engine. `schemas` are the JSON texts of the tools' parameter schemas, one for each
    /// tool, `None` where there is none.
    ///
    /// # Errors
    /// Two different tools with one name; a tool with the search tool's name while deferral
    /// applies; an unknown format.
    pub fn new<V: Value>(
        tools: &[V],
        schemas: &[Option<&str>],
        options: Options,
    ) -> Result<Engine, Error> {
        let reads = tools.iter().map(tool::read).collect();
        let mut engine = Engine::unindexed(reads, schemas, options)?;
        let (index, faults) = engine.index(schemas);
        engine.index = Some(index);
        for (position, fault) in faults {
            let name = engine.catalogue.name(position).to_owned();
            engine.catalogue.warnings.push(Warning::new(
                "unreadable_schema",
                Some(&name),
                format!("tool \"{name}\" is found without its parameters: its schema can't be read ({fault})"),
            ));
        }
        Ok(engine)
    }

    /// The same of tools that were read before, without an index: an index is most of what making
    /// an engine costs, and an agent that searches nothing needs none. [`Engine::index`] makes it,
    /// [`Engine::search_by`] and [`Engine::answer_by`] take it. An engine stays as it was made, so
    /// whoever builds the index late keeps it beside.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    pub fn unindexed(
        reads: Vec<Read>,
        schemas: &[Option<&str>],
        options: Options,
    ) -> Result<Engine, Error> {
        let (wire, format) = wire(&options.format)?;
        let catalogue = Catalogue::new(reads, schemas, &options, wire)?;
        let costs = cost::costs(schemas, &catalogue, &options);
        let written = (wire.write)(&options.search_name, Some(result::search_description()));
        let mut search_tool = written.template;
        put(
            &mut search_tool,
            written.schema_at,
            result::search_parameters(&options),
        );
        let note = result::note(&catalogue, &options);
        let search_tokens = cost::of_json(&search_tool) + cost::estimate(&note);
        let mut engine = Engine {
            options,
            format,
            wire,
            catalogue,
            index: None,
            costs,
            search_tool,
            note,
            search_tokens,
        };
        engine.refuse_reserved_name()?;
        Ok(engine)
    }

    /// The index of the engine's tools. `schemas` are those that the engine was made with. Also
    /// which of them can't be read, by position, and why.
    pub fn index(&self, schemas: &[Option<&str>]) -> (Index, Vec<(u32, String)>) {
        Index::build(&self.catalogue, schemas)
    }

    /// A host tool of the search tool's name is shadowed by it, so it is refused as soon as both
    /// would be sent.
    fn refuse_reserved_name(&mut self) -> Result<(), Error> {
        let name = &self.options.search_name;
        if !self.catalogue.is_taken(name) {
            return Ok(());
        }
        let renamed = Options {
            search_name: String::new(),
            ..self.options.clone()
        };
        let would_apply = decide(&self.catalogue, &self.costs, &renamed, false).applied;
        let defers = self.catalogue.tools().any(|(_, tool)| tool.deferred);
        let is_off = matches!(self.options.threshold, Threshold::Fixed(Fixed::Never));
        if !would_apply && defers && !is_off {
            self.catalogue.warnings.push(Warning::new(
                "reserved_name",
                Some(name),
                format!(
                    "tool \"{name}\" has the name of the search tool: nothing is deferred, and it is an error once enough is; rename one of them"
                ),
            ));
        }
        if !would_apply {
            return Ok(());
        }
        Err(Error::new(
            Code::ReservedToolName,
            format!(
                "tool \"{name}\" has the name of the search tool; rename it, or the search tool by searchTool.name"
            ),
        ))
    }

    /// What was skipped or left out of the catalogue.
    pub fn warnings(&self) -> &[Warning] {
        &self.catalogue.warnings
    }

    /// The decision for an empty transcript.
    pub fn deferral(&self) -> Deferral {
        decide(&self.catalogue, &self.costs, &self.options, false)
    }

    /// The search tool's definition on the wire.
    pub fn search_tool(&self) -> &Json {
        &self.search_tool
    }

    /// The positions of the deferred tools but for those that a turn excludes.
    pub fn deferred(&self, turn: &Turn) -> Vec<u32> {
        let exclude = Patterns::of(turn.exclude.iter());
        let tools = self.catalogue.tools();
        let deferred = tools.filter(|(_, tool)| tool.deferred && !exclude.take(&tool.name));
        deferred.map(|(position, _)| position).collect()
    }

    /// How the definition at `position` goes on the wire.
    pub fn definition(&self, position: u32) -> Definition {
        Definition::of(&self.catalogue, position, self.wire)
    }

    /// All that is known of the catalogue.
    pub fn report(&self) -> Report {
        let positions = 0..self.catalogue.entries.len() as u32;
        Report {
            warnings: self.warnings().to_vec(),
            deferral: self.deferral(),
            tools: positions
                .map(|position| {
                    let tool = self.catalogue.tool(position);
                    let name = self.catalogue.entry_name(position);
                    ReportedTool {
                        name: (!name.is_empty()).then(|| name.to_owned()),
                        server: tool.and_then(|tool| tool.server.clone()),
                        deferred: tool.is_some_and(|tool| tool.deferred),
                        tokens: self.costs.get(position as usize).copied().unwrap_or(0),
                        sent: self.definition(position),
                    }
                })
                .collect(),
            search_tool: self.search_tool.clone(),
            note: self.note.clone(),
        }
    }

    /// The tools of this turn.
    pub fn turn<V: Value>(&self, messages: &V, turn: &Turn) -> Plan {
        let history = self.history(messages, turn);
        let mut plan = plan(
            &self.catalogue,
            &self.costs,
            SearchTool {
                note: &self.note,
                tokens: self.search_tokens,
            },
            &self.options,
            turn,
            &history,
        );
        let unknown = self.format.unknown(messages);
        if let Some(first) = unknown.first() {
            plan.warnings.push(Warning::new(
                "unknown_messages",
                None,
                format!(
                    "messages passed over, as their role is none of {}'s: {} (the first at position {first})",
                    self.options.format,
                    unknown.len()
                ),
            ));
        }
        if !matches!(messages.kind(), Kind::Array) {
            plan.warnings.push(Warning::new(
                "unreadable_messages",
                None,
                "messages is not an array: nothing is read from it".to_owned(),
            ));
        }
        plan
    }

    /// The note of a turn that has the search tool.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Finds deferred tools. An engine without an index finds nothing.
    pub fn search<V: Value>(&self, query: &V, limit: &V, with_explanation: bool) -> Vec<FoundTool> {
        match &self.index {
            Some(index) => self.search_by(index, query, limit, with_explanation),
            None => Vec::new(),
        }
    }

    /// The same by an index that [`Engine::index`] of this engine gave.
    pub fn search_by<V: Value>(
        &self,
        index: &Index,
        query: &V,
        limit: &V,
        with_explanation: bool,
    ) -> Vec<FoundTool> {
        let Some(text) = query.text() else {
            return Vec::new();
        };
        let query = self.query(index, &text);
        let limit = result::limit(limit, &self.options);
        let keep = |position: u32| self.catalogue.is_deferred(position);
        let mut hits = self.find(&query, &keep, limit).hits;
        hits.truncate(limit);
        hits.iter()
            .map(|hit| self.found(&query, hit, with_explanation))
            .collect()
    }

    /// Where a call leads: to the tool and its arguments, or to a result that says what is wrong.
    pub fn resolve<V: Value>(&self, call: &V, messages: &V, turn: &Turn) -> Resolved {
        let Some(call) = self.format.calls(call).into_iter().next() else {
            return self.refuse(
                None,
                None,
                "unreadable_call",
                format!(
                    "This is no call of a tool as {} has it.",
                    self.options.format
                ),
            );
        };
        let name = call.name.clone();
        let refuse = |code, error| self.refuse(call.id.as_deref(), Some(&name), code, error);
        let search = &self.options.search_name;
        if loaded::search_names(&self.context()).contains(&name.as_str()) {
            return refuse(
                "search_call",
                format!("{name} is answered by answer(), not resolve()."),
            );
        }
        let is_excluded = any_glob(&turn.exclude, &name);
        let position = self.catalogue.position(&name).filter(|_| !is_excluded);
        let opaque = self.catalogue.opaque(&name).filter(|_| !is_excluded);
        if let (None, Some(position)) = (position, opaque) {
            // A tool without a schema takes any text.
            let args = arguments(&call.arguments).unwrap_or_else(|_| {
                let text = call.arguments.text().unwrap_or_default();
                result::text(&Json::object([("input", Json::string(text))]))
            });
            return Resolved::Tool(Target {
                index: position,
                name,
                deferred: false,
                loaded: true,
                args,
            });
        }
        let Some(position) = position else {
            let began = self.history(messages, turn).began;
            let deferral = decide(&self.catalogue, &self.costs, &self.options, began);
            let more = if deferral.applied {
                format!(" Call {search} to find one.")
            } else {
                String::new()
            };
            return refuse(
                "unknown_tool",
                format!("There is no tool of this name.{more}"),
            );
        };
        let deferred = self.catalogue.is_deferred(position);
        // What is found in the same turn was not before the model's eyes when it made the call.
        let until = loaded::position_of(self.context(), messages, &call).unwrap_or(usize::MAX);
        let history = self.history_until(until, messages, turn);
        let is_loaded = !deferred
            || history.loaded.contains(&position)
            || turn.forced.contains(&name)
            || !decide(&self.catalogue, &self.costs, &self.options, history.began).applied;
        if !is_loaded && self.options.unloaded_call == UnloadedCall::Refuse {
            return refuse(
                "not_loaded",
                format!("This tool is not loaded yet. Call {search} with \"select:{name}\" first."),
            );
        }
        match arguments(&call.arguments) {
            Ok(args) => Resolved::Tool(Target {
                index: position,
                name,
                deferred,
                loaded: is_loaded,
                args,
            }),
            Err(error) => refuse("invalid_arguments", error),
        }
    }

    fn refuse(
        &self,
        id: Option<&str>,
        name: Option<&str>,
        code: &'static str,
        error: String,
    ) -> Resolved {
        Resolved::Refused(Refusal {
            name: name.map(str::to_owned),
            code,
            part: result::part(
                self.format,
                Answering {
                    id,
                    name: name.unwrap_or_default(),
                    by: By::Function,
                },
                Said::Failure(&error),
            ),
            error,
        })
    }

    /// For each part its place in the order of the calls that they answer; a part that answers none
    /// of them comes after all others.
    pub fn order<V: Value>(&self, calls: &V, parts: &[V]) -> Vec<usize> {
        let mut calls: Vec<Option<Call<V>>> =
            self.format.calls(calls).into_iter().map(Some).collect();
        let places: Vec<usize> = parts
            .iter()
            .map(|part| {
                let (id, name) = self.format.answers(part);
                let is_its = |call: &Option<Call<V>>| {
                    call.as_ref().is_some_and(|call| match &id {
                        Some(_) => call.id == id,
                        None => call.id.is_none() && Some(&call.name) == name.as_ref(),
                    })
                };
                let place = calls.iter().position(is_its);
                // Without ids several calls may look alike: each is answered once.
                if let (None, Some(place)) = (&id, place) {
                    calls[place] = None;
                }
                place.unwrap_or(calls.len())
            })
            .collect();
        order(places.len(), &|a, b| places[a] < places[b])
    }

    /// Where the results of searches stand, so that whoever clears tool outputs leaves them.
    pub fn search_results<V: Value>(&self, messages: &V) -> Vec<ResultPlace> {
        loaded::read(self.context(), messages, &[], &[])
            .results
            .into_iter()
            .map(|result| ResultPlace {
                message: result.place.message,
                part: result.place.part,
                call_id: result.call_id,
                names: result.names,
            })
            .collect()
    }

    /// The search calls of the last turn that nothing has answered, as after a crash.
    pub fn pending<V: Value>(&self, messages: &V) -> Option<Pending> {
        let places = loaded::pending(self.context(), messages);
        let first = places.first()?;
        Some(Pending {
            message: first.message,
            calls: places.iter().filter_map(|place| place.part).collect(),
        })
    }

    fn context(&self) -> loaded::Context<'_> {
        loaded::Context {
            format: self.format,
            catalogue: &self.catalogue,
            options: &self.options,
            until: usize::MAX,
            proxy: None,
        }
    }

    fn history<V: Value>(&self, messages: &V, turn: &Turn) -> History {
        self.history_until(usize::MAX, messages, turn)
    }

    fn history_until<V: Value>(&self, until: usize, messages: &V, turn: &Turn) -> History {
        let forced: Vec<u32> = turn
            .forced
            .iter()
            .filter_map(|name| self.catalogue.position(name))
            .collect();
        let context = loaded::Context {
            until,
            ..self.context()
        };
        loaded::read(context, messages, &turn.loaded, &forced)
    }

    fn query<'a>(&self, index: &'a Index, text: &str) -> Query<'a> {
        let rule = match self.options.rank {
            Rank::Keywords => Rule::Keywords,
            Rank::Bm25 | Rank::Custom => Rule::Bm25,
        };
        Query::read(text, index, rule)
    }

    fn find(&self, query: &Query<'_>, keep: &dyn Fn(u32) -> bool, limit: usize) -> Found {
        search(query, &self.catalogue, keep, limit)
    }

    fn found(&self, query: &Query<'_>, hit: &Hit, with_explanation: bool) -> FoundTool {
        FoundTool {
            terms: reasons(query, hit),
            explanation: with_explanation.then(|| explain(query, &self.catalogue, hit)),
            ..self.bare(hit)
        }
    }

    fn bare(&self, hit: &Hit) -> FoundTool {
        FoundTool {
            index: hit.position,
            name: self.catalogue.name(hit.position).to_owned(),
            score: hit.score,
            exact: hit.named.is_some(),
            terms: Vec::new(),
            explanation: None,
        }
    }
}

/// The arguments of a call as JSON text of an object. Models write an empty text, or `null`, where
/// a tool takes none.
fn arguments<V: Value>(arguments: &V) -> Result<String, String> {
    const NONE: &str = "{}";
    match arguments.kind() {
        Kind::Absent | Kind::Null => Ok(NONE.to_owned()),
        Kind::Object => arguments
            .json_text()
            .ok_or_else(|| "The arguments can't be read.".to_owned()),
        Kind::Text => {
            let text = arguments.text().unwrap_or_default();
            if text.trim().is_empty() {
                return Ok(NONE.to_owned());
            }
            match Json::parse(&text) {
                Ok(Json::Object(_)) => Ok(text.into_owned()),
                Ok(Json::Null) => Ok(NONE.to_owned()),
                Ok(_) => Err("The arguments are JSON, but no object.".to_owned()),
                Err(fault) => Err(format!("The arguments are not JSON: {fault}.")),
            }
        }
        _ => Err("The arguments are neither an object nor JSON text.".to_owned()),
    }
}

/// The names of the tools that fit a query, best first: by BM25F, or by the plain rule.
///
/// # Errors
/// Two different tools with one name.
pub fn rank_tools<V: Value>(
    query: &str,
    tools: &[V],
    schemas: &[Option<&str>],
    limit: Option<usize>,
    by_keywords: bool,
) -> Result<Vec<String>, Error> {
    let reads = tools.iter().map(tool::read).collect();
    rank_reads(query, reads, schemas, limit, by_keywords)
}

/// The same of tools that were read before.
///
/// # Errors
/// Those of [`rank_tools`].
pub fn rank_reads(
    query: &str,
    reads: Vec<Read>,
    schemas: &[Option<&str>],
    limit: Option<usize>,
    by_keywords: bool,
) -> Result<Vec<String>, Error> {
    let options = Options::default();
    let (wire, _) = wire(&options.format)?;
    let catalogue = Catalogue::new(reads, schemas, &options, wire)?;
    let (index, _) = Index::build(&catalogue, schemas);
    let rule = if by_keywords {
        Rule::Keywords
    } else {
        Rule::Bm25
    };
    let query = Query::read(query, &index, rule);
    let limit = limit.unwrap_or(catalogue.entries.len());
    let keep = |position: u32| catalogue.tool(position).is_some();
    let mut found = search(&query, &catalogue, &keep, limit);
    found.hits.truncate(limit);
    let hits = found.hits.iter();
    Ok(hits
        .map(|hit| catalogue.name(hit.position).to_owned())
        .collect())
}

fn wire(format: &str) -> Result<(&'static Wire, Format), Error> {
    match (tool::wire(format), Format::named(format)) {
        (Some(wire), Some(format)) => Ok((wire, format)),
        _ => Err(Error::new(
            Code::InvalidOption,
            format!(
                "format \"{format}\" is not known; known: {}",
                tool::WIRES
                    .iter()
                    .map(|wire| wire.format)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        )),
    }
}

/// Puts a value at a path of an object.
pub(crate) fn put(target: &mut Json, path: &[&str], value: Json) {
    let (Json::Object(entries), [key, rest @ ..]) = (target, path) else {
        return;
    };
    if rest.is_empty() {
        entries.push(((*key).to_owned(), value));
    } else if let Some((_, inner)) = entries.iter_mut().find(|(name, _)| name == key) {
        put(inner, rest, value);
    }
}
