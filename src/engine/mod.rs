//! The engine: everything above, in the calls that a host makes.

mod answer;
mod bound;
mod change;
mod definition;
mod fit;
mod keep;
mod resolve;

pub use change::Change;

use crate::catalogue::Catalogue;
use crate::cost::{self, Own, provider::Factor};
use crate::deferral::{Deferral, decide};
use crate::delivery::{self, Choice, Way};
use crate::error::{Code, Error, Warning};
use crate::explain::{explain, reasons};
use crate::index::Index;
use crate::loaded::{self, Cap, Done, History};
use crate::names::Patterns;
use crate::options::{Delivery, Fixed, Options, Rank, Threshold};
use crate::plan::{
    CALL_TOOL, FIRST_STUB, Plan, SEARCH_TOOL, SearchTool, Turn, decide_turn, events, plan,
};
use crate::prefix::{self, Before, Now, Prefix};
use crate::report::{FoundTool, Report, ReportedTool, ResultPlace};
use crate::result::{self, Answering};
use crate::search::{Found, Hit, Query, Rule, search};
use crate::sort::order;
use crate::tool::{self, Parts, Read, Wire};
use crate::transcript::{self, Call, Format, Place};
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
    choice: Choice,
    /// How many loaded tools a turn has room for, if that is bounded.
    cap: Option<Cap>,
    search_tool: Json,
    /// The same in the provider's own form, where it has one.
    native_search: Option<Json>,
    call_tool: Json,
    note: String,
    own: Own,
    /// The schemas' texts, where a model reads them in an answer.
    schemas: Vec<Option<Box<str>>>,
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
        let (wire, format) = wire(&reads, &options)?;
        let choice = delivery::choose(&options, wire)?;
        let way = choice.way;
        let catalogue = Catalogue::new(reads, schemas, &options, wire)?;
        let factor = Factor::of(&options, wire);
        let costs = cost::costs(schemas, &catalogue, &options, factor);
        let made = |name: &str, description: &str, parameters: Json| {
            let parts = Parts {
                name,
                description: Some(description),
                strict: None,
            };
            let mut definition = (wire.write)(&parts);
            put(&mut definition, wire.schema_at, parameters);
            definition
        };
        let description = result::search_description(&options, way);
        let parameters = result::search_parameters(&options);
        let call_description = result::call_description(&options);
        let native = wire.native.and_then(|native| native.definition);
        let native_search = native.map(|native| native(&description, parameters.clone()));
        let search_tool = made(&options.search_name, &description, parameters);
        let note = result::note(&catalogue, &options, way);
        let keeps = way == Way::Proxy;
        let call_tool = made(
            &options.call_name,
            &call_description,
            result::call_parameters(&options),
        );
        let mut engine = Engine {
            own: cost::own(&search_tool, &note, &call_tool, &options, factor),
            call_tool,
            schemas: schemas
                .iter()
                .filter(|_| keeps)
                .map(|schema| schema.map(Box::from))
                .collect(),
            options,
            format,
            wire,
            catalogue,
            index: None,
            costs,
            choice,
            cap: None,
            search_tool,
            native_search,
            note,
        };
        engine.refuse_reserved_name()?;
        engine.bound()?;
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
        let call_name = &self.options.call_name;
        if self.choice.way == Way::Proxy
            && (self.catalogue.is_taken(call_name) || *call_name == self.options.search_name)
        {
            return Err(Error::new(
                Code::ReservedToolName,
                format!(
                    "tool \"{call_name}\" has the name of the tool that calls all others; rename it, or that by callTool.name"
                ),
            ));
        }
        let name = &self.options.search_name;
        if !self.catalogue.is_taken(name) {
            return Ok(());
        }
        let renamed = Options {
            search_name: String::new(),
            ..self.options.clone()
        };
        let would_apply = decide(&self.catalogue, &self.costs, &renamed, None, false).applied;
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
        decide(&self.catalogue, &self.costs, &self.options, None, false)
    }

    /// Whether tools are withheld in a turn.
    fn applies(&self, turn: &Turn, began: bool) -> bool {
        decide_turn(&self.catalogue, &self.costs, &self.options, turn, began).applied
    }

    /// How loaded tools reach the model, and why so.
    pub fn delivery(&self) -> &Choice {
        &self.choice
    }

    /// The format on the wire.
    pub fn format(&self) -> &'static str {
        self.wire.format
    }

    /// The names that go out as others, with those.
    pub fn aliases(&self) -> Vec<(&str, &str)> {
        self.catalogue.aliases()
    }

    /// How much of the tools a provider's cache keeps from the turn before.
    pub fn prefix(&self, before: &Before, now: &Now) -> Prefix {
        let label = |slot: i32| match slot {
            SEARCH_TOOL => self.options.search_name.clone(),
            CALL_TOOL => self.options.call_name.clone(),
            _ => u32::try_from(slot).map_or(String::new(), |position| {
                self.catalogue.entry_name(position).to_owned()
            }),
        };
        let cost = |slot: i32| match slot {
            SEARCH_TOOL => self.own.search,
            CALL_TOOL => self.own.call,
            _ if slot <= FIRST_STUB => 0,
            _ => usize::try_from(slot)
                .ok()
                .and_then(|at| self.costs.get(at).copied())
                .unwrap_or(0),
        };
        let used = match self.choice.used {
            Delivery::Native => "native",
            Delivery::Proxy => "proxy",
            Delivery::Append | Delivery::Auto => "append",
        };
        prefix::compare(&self.catalogue, used, before, now, &label, &cost)
    }

    /// The search tool's definition on the wire.
    pub fn search_tool(&self) -> &Json {
        match (&self.native_search, self.choice.way) {
            (Some(native), Way::Definition) => native,
            _ => &self.search_tool,
        }
    }

    /// The positions of the deferred tools but for those that a turn excludes.
    pub fn deferred(&self, turn: &Turn) -> Vec<u32> {
        let exclude = Patterns::of(turn.exclude.iter());
        let tools = self.catalogue.tools();
        let deferred = tools.filter(|(_, tool)| tool.deferred && !exclude.take(&tool.name));
        deferred.map(|(position, _)| position).collect()
    }

    /// All that is known of the catalogue.
    pub fn report(&self) -> Report {
        let positions = 0..self.catalogue.entries.len() as u32;
        Report {
            warnings: self.warnings().to_vec(),
            deferral: self.deferral(),
            delivery: self.choice.clone(),
            tools: positions
                .map(|position| {
                    let tool = self.catalogue.tool(position);
                    let name = self.catalogue.entry_name(position);
                    ReportedTool {
                        name: (!name.is_empty()).then(|| name.to_owned()),
                        server: tool.and_then(|tool| tool.server.clone()),
                        deferred: tool.is_some_and(|tool| tool.deferred),
                        tokens: self.costs.get(position as usize).copied().unwrap_or(0),
                        sent: self.definition(position as i32, 0, None),
                    }
                })
                .collect(),
            search_tool: self.search_tool().clone(),
            note: self.note.clone(),
        }
    }

    /// The tools of this turn.
    pub fn turn<V: Value>(&self, messages: &V, turn: &Turn) -> Plan {
        let last = self.format.last_turn(messages);
        let forced = self.forced(turn);
        let (history, before) =
            loaded::read_both(self.context_of(turn), messages, &turn.loaded, &forced, last);
        let unknown = self.format.unknown(messages);
        let mut plan = self.plan(messages, turn, &history, &unknown);
        let is_before = |at: &&usize| last.is_some_and(|last| **at < last);
        let unknown_before = unknown.iter().filter(is_before).count();
        plan.events = match (last, &before) {
            (None, _) => events(None, &plan),
            // Most requests find what the last one found.
            (_, None) if unknown_before == unknown.len() => Vec::new(),
            (_, before) => {
                let history = before.as_ref().unwrap_or(&history);
                let before = self.plan(messages, turn, history, &unknown[..unknown_before]);
                events(Some(&before), &plan)
            }
        };
        plan
    }

    /// The same where the messages say so much.
    fn plan<V: Value>(
        &self,
        messages: &V,
        turn: &Turn,
        history: &History,
        unknown: &[usize],
    ) -> Plan {
        let mut plan = plan(
            &self.catalogue,
            &self.costs,
            SearchTool {
                note: &self.note,
                tokens: self.own.search.saturating_add(self.own.note),
                call_tokens: self.own.call,
                way: self.choice.way,
                cap: self.cap,
                // Where a format is one provider's, it is that one's.
                refers: self.wire.is_anthropics()
                    || self.choice.model == Some(Way::Reference)
                    || self.choice.way == Way::Reference,
            },
            self.wire,
            &self.options,
            turn,
            history,
        );
        let gone: Vec<&String> = (history.others.iter())
            .filter(|name| !self.catalogue.has(name))
            .collect();
        if !gone.is_empty() {
            let names = result::strangers(&self.options, &gone);
            let message = [
                "loaded by the messages and gone from the catalogue: ",
                &names,
            ]
            .concat();
            let tool = (gone.len() == 1).then_some(names.as_str());
            plan.warnings.push(Warning::new("tool_gone", tool, message));
        }
        if let Some(first) = unknown.first() {
            plan.warnings.push(Warning::new(
                "unknown_messages",
                None,
                format!(
                    "messages passed over, as their role is none of {}'s: {} (the first at position {first})",
                    self.wire.format,
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

    /// Refuses messages that are no messages to a model.
    ///
    /// # Errors
    /// UIMessages of the AI SDK.
    pub fn check<V: Value>(&self, messages: &V) -> Result<(), Error> {
        check(messages)
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
    pub fn pending<V: Value>(&self, messages: &V) -> Vec<Place> {
        loaded::pending(self.context(), messages)
    }

    fn context(&self) -> loaded::Context<'_> {
        loaded::Context {
            format: self.format,
            catalogue: &self.catalogue,
            options: &self.options,
            until: usize::MAX,
            since: 0,
            noted: None,
            turn: usize::MAX,
            notes: true,
            proxy: self
                .is_proxied(&self.options.call_name)
                .then_some(self.options.call_name.as_str()),
            cap: self.cap,
        }
    }

    fn history<V: Value>(&self, messages: &V, turn: &Turn) -> History {
        self.history_until((usize::MAX, usize::MAX), messages, turn)
    }

    /// What counts for a call that stands there, as [`loaded::position_of`] says.
    fn history_until<V: Value>(
        &self,
        (begins, until): (usize, usize),
        messages: &V,
        turn: &Turn,
    ) -> History {
        let forced = self.forced(turn);
        let context = loaded::Context {
            until,
            turn: begins,
            ..self.context_of(turn)
        };
        loaded::read(context, messages, &turn.loaded, &forced)
    }

    fn context_of<'a>(&'a self, turn: &'a Turn) -> loaded::Context<'a> {
        loaded::Context {
            since: turn.since,
            noted: turn.noted.as_deref(),
            ..self.context()
        }
    }

    fn history_of_searches<V: Value>(&self, messages: &V, turn: &Turn) -> (History, Vec<Done>) {
        let forced = self.forced(turn);
        loaded::read_searches(self.context_of(turn), messages, &turn.loaded, &forced)
    }

    fn forced(&self, turn: &Turn) -> Vec<u32> {
        (turn.forced())
            .filter_map(|name| self.catalogue.known(name, None))
            .collect()
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
    // No wire refuses a name that nothing is sent under.
    let (wire, _) = wire(&[], &options)?;
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

/// Whom a result answers.
pub(crate) fn answering<V>(call: &Call<V>) -> Answering<'_> {
    Answering {
        id: call.id.as_deref(),
        name: &call.name,
        by: call.by,
    }
}

/// The format that is named, else the one whose shape the tools have, else Chat Completions.
fn wire(reads: &[Read], options: &Options) -> Result<(&'static Wire, Format), Error> {
    let format = match &options.format {
        Some(format) => format,
        None => detect(reads)?.unwrap_or(tool::WIRES[0].format),
    };
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

/// The format whose shape the tools have; `None` where they have no provider's.
///
/// # Errors
/// Tools of two providers' shapes.
pub fn detect(reads: &[Read]) -> Result<Option<&'static str>, Error> {
    let seen = tool::evidence(reads);
    match seen.as_slice() {
        [] => Ok(None),
        [(format, _)] => Ok(Some(format)),
        _ => {
            let shapes: Vec<String> = seen
                .iter()
                .map(|(shape, name)| format!("\"{name}\" is written as {shape} has it"))
                .collect();
            Err(Error::new(
                Code::AmbiguousFormat,
                format!(
                    "the tools are of several shapes, so that the format has to be named: {}; set format to the one that your messages have",
                    shapes.join(", ")
                ),
            ))
        }
    }
}

/// See [`Engine::check`].
fn check<V: Value>(messages: &V) -> Result<(), Error> {
    match transcript::ui_message(messages) {
        None => Ok(()),
        Some(position) => Err(Error::new(
            Code::UiMessages,
            format!(
                "messages[{position}] is a UIMessage of the AI SDK, which no model is sent: pass await convertToModelMessages(messages)"
            ),
        )),
    }
}

/// The format whose marks the messages bear; `None` where any of several could have been meant.
///
/// # Errors
/// Messages that bear the marks of two.
pub fn detect_messages<V: Value>(messages: &V) -> Result<Option<&'static str>, Error> {
    // They have parts, as Gemini's messages have.
    check(messages)?;
    let seen = transcript::detect(messages);
    match seen.as_slice() {
        [] => Ok(None),
        [(format, _)] => Ok(Some(format.name())),
        _ => {
            let places: Vec<String> = seen
                .iter()
                .map(|(format, position)| format!("messages[{position}] is {}'s", format.name()))
                .collect();
            Err(Error::new(
                Code::AmbiguousFormat,
                [
                    "the messages are of several formats: ",
                    &places.join(", "),
                    "; set format",
                ]
                .concat(),
            ))
        }
    }
}

/// Puts a value at a path of an object.
pub(crate) fn put(target: &mut Json, path: &[&str], value: Json) {
    let (Json::Object(entries), [key, rest @ ..]) = (target, path) else {
        return;
    };
    let at = entries
        .iter()
        .position(|(name, _)| name == key)
        .unwrap_or_else(|| {
            entries.push(((*key).to_owned(), Json::Object(Vec::new())));
            entries.len() - 1
        });
    if rest.is_empty() {
        entries[at].1 = value;
    } else {
        put(&mut entries[at].1, rest, value);
    }
}
