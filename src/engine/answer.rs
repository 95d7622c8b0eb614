//! Answers to searches.

use super::{Engine, answering};
use crate::delivery::Way;
use crate::index::Index;
use crate::loaded;
use crate::names::{Patterns, is_safe};
use crate::plan::{DEFERRED, INNER, NATIVE, Turn};
use crate::report::{Definition, Ranked, Reply, SearchCall};
use crate::request::terms;
use crate::result::{self, Answer, HOPELESS, Said};
use crate::search::{Found, Hit, Query};
use crate::texts::Text;
use crate::tool;
use crate::transcript::{By, Call};
use crate::value::{Json, Value};

impl Engine {
    /// The search calls among `calls`, read, for a host that ranks itself.
    pub fn calls<V: Value>(&self, calls: &V) -> Vec<SearchCall> {
        self.search_calls(calls)
            .into_iter()
            .map(
                |call| match result::request(&call.arguments, &self.options) {
                    Ok(request) => SearchCall {
                        id: call.id,
                        query: request.queries,
                        limit: request.limit,
                        error: None,
                    },
                    Err(error) => SearchCall {
                        id: call.id,
                        query: Vec::new(),
                        limit: 0,
                        error: Some(error),
                    },
                },
            )
            .collect()
    }

    /// Answers every search call among `calls`. `ranked` has what the host's own ranking said of
    /// each of them, in their order. An engine without an index answers none.
    pub fn answer<V: Value>(
        &self,
        calls: &V,
        messages: &V,
        turn: &Turn,
        ranked: Option<&[Option<Ranked>]>,
    ) -> Vec<Reply> {
        match &self.index {
            Some(index) => self.answer_by(index, calls, messages, turn, ranked),
            None => Vec::new(),
        }
    }

    /// The same by an index that [`Engine::index`] of this engine gave.
    pub fn answer_by<V: Value>(
        &self,
        index: &Index,
        calls: &V,
        messages: &V,
        turn: &Turn,
        ranked: Option<&[Option<Ranked>]>,
    ) -> Vec<Reply> {
        let calls = self.search_calls(calls);
        if calls.is_empty() {
            return Vec::new();
        }
        let (history, done) = self.history_of_searches(messages, turn);
        let exclude = Patterns::of(turn.exclude.iter());
        let excluded = |position: u32| exclude.take(self.catalogue.entry_name(position));
        let is_wanted = |position: u32| self.catalogue.is_deferred(position) && !excluded(position);
        let is_resident = |position: u32| {
            self.catalogue
                .tool(position)
                .is_some_and(|tool| !tool.deferred)
                && !excluded(position)
        };
        let loaded: Vec<u32> = history
            .loaded
            .iter()
            .copied()
            .filter(|position| is_wanted(*position))
            .collect();
        let deferred = self
            .catalogue
            .tools()
            .filter(|(position, _)| is_wanted(*position))
            .count();
        let mut context = result::Context {
            catalogue: &self.catalogue,
            options: &self.options,
            way: self.choice.way,
            schemas: &self.schemas,
            loaded: &loaded,
            shown: &history.schemas,
            left: deferred - loaded.len(),
            unavailable: &turn.unavailable,
            room: self.cap.map(|cap| cap.room),
            also: Vec::new(),
            searched: done
                .iter()
                .flat_map(|done| &done.queries)
                .map(|query| terms(query))
                .collect(),
            fruitless: loaded::row(&done),
        };
        // Whether others worked in between, and whether a person spoke, takes a look at every call.
        if context.fruitless + calls.len() >= HOPELESS {
            context.fruitless = loaded::fruitless(self.context_of(turn), messages);
        }
        let most_loaded = context.most_loaded();
        calls
            .into_iter()
            .enumerate()
            .map(|(number, call)| {
                let request = match result::request(&call.arguments, &self.options) {
                    Ok(request) => result::Request {
                        // What has no room would be dropped at once.
                        limit: request.limit.min(most_loaded),
                        ..request
                    },
                    Err(error) => return self.failed(&call, &error, &mut context),
                };
                let ranked = ranked.and_then(|ranked| ranked.get(number).and_then(Option::as_ref));
                let queries: Vec<Query<'_>> = request
                    .queries
                    .iter()
                    .map(|text| self.query(index, text))
                    .collect();
                let most = (self.options.limit.max.max(1.0) as usize).saturating_add(loaded.len());
                let found: Vec<Found> = match ranked {
                    Some(Ranked::Failed(error)) => {
                        let error = self.options.say(Text::SearchFailed, &[("error", error)]);
                        return self.failed(&call, &error, &mut context);
                    }
                    Some(Ranked::Names(names)) => {
                        // What a query names comes first here too, and `select:` asks for nothing
                        // else: the host's ranking is for words.
                        let mut found: Vec<Found> = queries
                            .iter()
                            .map(|query| self.find(query, &is_wanted, 0))
                            .collect();
                        if found.iter().any(|found| !found.only_named) {
                            found.push(self.given(names, &is_wanted));
                        }
                        found
                    }
                    None => queries
                        .iter()
                        .map(|query| self.find(query, &is_wanted, most))
                        .collect(),
                };
                /// A hint, not a list: the model has these tools before its eyes.
                const RESIDENTS: usize = 3;
                let residents: Vec<Found> = queries
                    .iter()
                    .map(|query| {
                        let mut found = self.find(query, &is_resident, RESIDENTS);
                        found.hits.truncate(RESIDENTS);
                        if ranked.is_some() {
                            // Scores of two rankings can't be compared: only what is named counts.
                            found.hits.retain(|hit| hit.named.is_some());
                        }
                        found
                    })
                    .collect();
                let answer = result::answer(&context, &request, &found, &residents);
                context.note(&request, &answer);
                let hits = answer.hits.iter().zip(&answer.by).map(|(hit, query)| {
                    match (ranked, queries.get(*query)) {
                        (None, Some(query)) => self.found(query, hit, false),
                        _ => self.bare(hit),
                    }
                });
                let (part, fill) = self.part(&call, &answer);
                Reply {
                    part,
                    fill,
                    id: call.id,
                    failed: false,
                    query: request.queries,
                    hits: hits.collect(),
                    loaded: answer.loaded,
                    already_loaded: answer.already_loaded,
                    available: answer.available,
                    more: answer.more,
                    note: answer.note,
                    error: None,
                }
            })
            .collect()
    }

    /// The answer in the format's shape and in the form in which the provider loads what it names; and where in it
    /// definitions are to be put.
    fn part<V: Value>(
        &self,
        call: &Call<V>,
        answer: &Answer,
    ) -> (Json, Option<&'static [&'static str]>) {
        let part = |said: Said<'_>| result::part(self.format, answering(call), said);
        let way = self.choice.way;
        if call.by == By::Search || (way == Way::Definition && self.format.hides_search_items()) {
            let definitions = self.definitions(answer);
            return (
                part(Said::Definitions(&definitions)),
                Some(self.format.definitions_at()),
            );
        }
        if way == Way::Reference && !answer.fresh.is_empty() {
            let fresh = answer.fresh.iter();
            let names: Vec<String> = fresh
                .map(|position| self.catalogue.wire_name(*position).to_owned())
                .collect();
            return (part(Said::References(&names)), None);
        }
        (part(Said::Object(&answer.content)), None)
    }

    /// The positions of what is newly loaded, or of all hits where nothing is: there is no room for a word about them.
    /// Those of a namespace stand in it.
    fn definitions(&self, answer: &Answer) -> Vec<Json> {
        let position = |position: u32| Json::Number(f64::from(position));
        let is_wanted = |position: u32| answer.fresh.is_empty() || answer.fresh.contains(&position);
        let mut namespaces: Vec<&str> = Vec::new();
        let mut all: Vec<Json> = Vec::new();
        let mut at: Vec<usize> = Vec::new();
        for hit in answer.hits.iter().filter(|hit| is_wanted(hit.position)) {
            let Some(tool) = self.catalogue.tool(hit.position) else {
                continue;
            };
            let Some(namespace) = tool.namespace.as_ref().filter(|namespace| {
                tool.shape == tool::IN_RESULTS.shape && is_safe(&namespace.name, 64)
            }) else {
                all.push(position(hit.position));
                continue;
            };
            let known = namespaces.iter().position(|known| *known == namespace.name);
            let place = match known {
                Some(known) => at[known],
                None => {
                    namespaces.push(&namespace.name);
                    at.push(all.len());
                    all.push(Json::object([
                        ("type", Json::string("namespace")),
                        ("name", Json::string(namespace.name.as_str())),
                        (
                            "description",
                            Json::string(namespace.description.as_deref().unwrap_or_default()),
                        ),
                        ("tools", Json::Array(Vec::new())),
                    ]));
                    all.len() - 1
                }
            };
            if let Json::Object(entries) = &mut all[place]
                && let Some((_, Json::Array(tools))) = entries.last_mut()
            {
                tools.push(position(hit.position));
            }
        }
        all
    }

    /// How a definition goes out within a result.
    pub fn definition_in_result(&self, position: u32, is_inner: bool) -> Definition {
        let inner = if is_inner { INNER } else { 0 };
        self.definition(position as i32, DEFERRED | NATIVE | inner, None)
    }

    /// What could not be searched for loads nothing new either.
    fn failed<V: Value>(
        &self,
        call: &Call<V>,
        error: &str,
        context: &mut result::Context<'_>,
    ) -> Reply {
        let mut error = result::error_message(error);
        if context.is_hopeless() {
            error = [&error, " ", &self.options.say(Text::Hopeless, &[])].concat();
        }
        context.fruitless += 1;
        Reply {
            part: result::part(self.format, answering(call), Said::Failure(&error)),
            fill: None,
            id: call.id.clone(),
            failed: true,
            query: Vec::new(),
            hits: Vec::new(),
            loaded: Vec::new(),
            already_loaded: Vec::new(),
            available: Vec::new(),
            more: 0,
            note: String::new(),
            error: Some(error),
        }
    }

    fn search_calls<V: Value>(&self, calls: &V) -> Vec<Call<V>> {
        let mut calls = self.format.calls(calls);
        calls.retain(|call| self.is_search(call));
        calls
    }

    /// True for a call of our search tool, in whatever form.
    pub(super) fn is_search<V>(&self, call: &Call<V>) -> bool {
        call.by != By::Hosted && call.is_search(&loaded::search_names(&self.context()), None)
    }

    /// What the host's own ranking gave, without what is unknown or twice.
    fn given(&self, names: &[String], keep: &dyn Fn(u32) -> bool) -> Found {
        let mut hits: Vec<Hit> = Vec::new();
        for name in names {
            if let Some(position) = self.catalogue.position(name)
                && keep(position)
                && !hits.iter().any(|hit| hit.position == position)
            {
                hits.push(Hit {
                    position,
                    score: 1.0 / (hits.len() + 1) as f64,
                    named: None,
                });
            }
        }
        Found {
            hits,
            only_named: false,
        }
    }
}
