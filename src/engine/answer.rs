//! Answers to searches.

use super::Engine;
use crate::index::Index;
use crate::loaded;
use crate::names::Patterns;
use crate::plan::Turn;
use crate::report::{Ranked, Reply, SearchCall};
use crate::result::{self, Answering, Said};
use crate::search::{Found, Hit, Query};
use crate::transcript::{By, Call};
use crate::value::{Json, Value};

/// The call that an answer is for.
fn answering<V>(call: &Call<V>) -> Answering<'_> {
    Answering {
        id: call.id.as_deref(),
        name: &call.name,
        by: call.by,
    }
}

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
        let history = self.history(messages, turn);
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
            loaded: &loaded,
            left: deferred - loaded.len(),
            also: Vec::new(),
        };
        calls
            .into_iter()
            .enumerate()
            .map(|(number, call)| {
                let request = match result::request(&call.arguments, &self.options) {
                    Ok(request) => request,
                    Err(error) => return self.failed(call, error),
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
                        let error = format!("The search failed: {error}");
                        return self.failed(call, error);
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
                for name in &answer.loaded {
                    let position = self.catalogue.position(name);
                    context
                        .also
                        .extend(position.filter(|at| !context.also.contains(at)));
                }
                let hits = answer.hits.iter().zip(&answer.by).map(|(hit, query)| {
                    match (ranked, queries.get(*query)) {
                        (None, Some(query)) => self.found(query, hit, false),
                        _ => self.bare(hit),
                    }
                });
                Reply {
                    part: result::part(
                        self.format,
                        answering(&call),
                        Said::Object(&Json::Raw(answer.content)),
                    ),
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

    fn failed<V: Value>(&self, call: Call<V>, error: String) -> Reply {
        let error = result::error_message(&error);
        Reply {
            part: result::part(self.format, answering(&call), Said::Failure(&error)),
            id: call.id,
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
        let names = loaded::search_names(&self.context());
        let mut calls = self.format.calls(calls);
        calls.retain(|call| call.by != By::Hosted && call.is_search(&names));
        calls
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
