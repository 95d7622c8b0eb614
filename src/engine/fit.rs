//! A history cut so that it fits with its tools into the window.

use super::Engine;
use crate::choice::ToolChoice;
use crate::cost::provider::Factor;
use crate::deferral::{Deferral, Reason};
use crate::error::Warning;
use crate::fit::{self, Cut, History};
use crate::options::{Calls, UnloadedCall};
use crate::plan::{Turn, assumed_window};
use crate::report::{Fitted, Room};
use crate::value::{Json, Told, Value, decimal};

/// A note that turned out longer than was thought needs another cut; it hardly ever needs a third.
const ATTEMPTS: u8 = 8;
/// What a turn says where the window is assumed and it matters to it.
const ASSUMED: [&str; 2] = ["unknown_context_window", "unknown_model"];

impl Engine {
    /// What stays of the messages so that they fit into the window with the tools of their turn. `window` is the context
    /// window where it is not the engine's, `reserve` what has to stay free of it; a tenth where it is not said.
    pub fn fit<V: Value>(
        &self,
        messages: &V,
        turn: &Turn,
        window: Option<f64>,
        reserve: Option<f64>,
    ) -> Fitted {
        let plan = self.turn(messages, turn);
        let history = self.history(messages, turn);
        let mut warnings = plan.warnings;
        warnings.retain(|warning| !ASSUMED.contains(&warning.code));
        if window.is_none() && plan.deferral.context_window_from == "default" {
            let model = turn.model.as_ref().or(self.options.model.as_ref());
            warnings.insert(0, assumed_window(model));
        }
        let window = window.unwrap_or(plan.deferral.context_window);
        let reserve = reserve.unwrap_or_else(|| (window * fit::RESERVE).floor());
        let budget = (window - reserve).max(0.0).floor();
        let tools = f64::from(plan.tokens.sent);
        let factor = Factor::of(&self.options, self.wire);
        let tokens: Vec<u32> = (0..messages.len())
            .map(|at| fit::message(&messages.at(at).told(), factor))
            .collect();
        let before = tokens.iter().map(|tokens| u64::from(*tokens)).sum::<u64>() as f64;
        let loaded = history.loaded.iter();
        let mut fitted = Fitted {
            from: 0,
            kept: Vec::new(),
            note: None,
            note_at: 0,
            loaded: loaded
                .map(|position| self.catalogue.name(*position).to_owned())
                .collect(),
            cut: 0,
            since: turn.since,
            tokens: Room {
                before,
                messages: before,
                tools,
                budget,
            },
            fits: before + tools <= budget,
            warnings,
        };
        if !fitted.fits {
            self.shorten(messages, turn, &tokens, &plan.deferral, &mut fitted);
        }
        let Room {
            messages,
            tools,
            budget,
            ..
        } = fitted.tokens;
        fitted.fits = messages + tools <= budget;
        if !fitted.fits {
            fitted.warnings.push(Warning::new(
                "over_budget",
                None,
                format!(
                    "what has to stay takes {} tokens and the tools {}, the budget is {} (a context window of {} less a reserve of {}): shorten what stands in it, or load fewer tools",
                    decimal(messages),
                    decimal(tools),
                    decimal(budget),
                    decimal(window),
                    decimal(reserve)
                ),
            ));
        }
        fitted
    }

    fn shorten<V: Value>(
        &self,
        messages: &V,
        turn: &Turn,
        tokens: &[u32],
        deferral: &Deferral,
        fitted: &mut Fitted,
    ) {
        let began = deferral.reason == Reason::Begun;
        let factor = Factor::of(&self.options, self.wire);
        let seats = self.format.seats(messages);
        let Room {
            before,
            tools,
            budget,
            ..
        } = fitted.tokens;
        let over = (before + tools - budget) as u64;
        let budget = budget as u64;
        // What the messages alone say, so that the note stays as it is while the cut does.
        let own = Turn {
            loaded: Vec::new(),
            forced: Vec::new(),
            choice: ToolChoice::default(),
            ..turn.clone()
        };
        let all = self.history(messages, &own);
        let takes_notes = self.kept(&all).is_some();
        // Where no note can say that the conversation has searched, its first search does.
        let mut searches = (all.results.iter()).map(|result| result.place.message);
        let bound: Vec<usize> = (searches.next().into_iter())
            .filter(|_| began && !takes_notes)
            .collect();
        let numbers = History {
            tokens,
            seats: &seats,
            opens_with_user: self.format.opens_with_user(),
            bound: &bound,
        };
        let note = |until: usize| {
            let history = self.history_until((until, until), messages, &own);
            let says = !history.loaded.is_empty()
                || !history.others.is_empty()
                || history.handed.is_some()
                || began && history.began;
            // A note is a sign of a search: where no tool is withheld and none was made, it would begin deferral.
            let may = deferral.applied || history.began;
            self.kept(&history).filter(|_| says && may)
        };
        let price = |note: &Option<Json>| {
            note.as_ref()
                .map_or(0, |note| u64::from(fit::message(&told(note), factor)))
        };
        let mut need = over + price(&note(usize::MAX));
        let mut cut = Cut::default();
        let mut said = None;
        for _ in 0..ATTEMPTS {
            cut = fit::cut(&numbers, need, budget);
            said = note(cut.from);
            let missing = (over + price(&said)).saturating_sub(cut.saved);
            if cut.from == 0 || missing == 0 || cut.saved < need {
                break;
            }
            // More than this cut saves, so that the next is another.
            need = over + price(&said);
        }
        let calls_load =
            self.options.calls == Calls::Load || self.options.unloaded_call == UnloadedCall::Load;
        // A handoff or a search that stays for another reason would be read without those that went: they stay together.
        let stays = |at: &usize| seats[*at].calls || seats[*at].results;
        if let Some(handed) = all
            .handed
            .filter(|_| !takes_notes && cut.kept.iter().any(stays))
        {
            let results = (all.results.iter()).map(|result| result.place.message);
            // Each call may have loaded its tool.
            let calls = (0..seats.len()).filter(|at| calls_load && seats[*at].calls);
            let together = results
                .chain(calls)
                .filter(|at| *at > handed)
                .chain([handed]);
            let bound: Vec<usize> = bound.iter().copied().chain(together).collect();
            let unbound = numbers;
            let numbers = History {
                bound: &bound,
                ..numbers
            };
            cut = fit::cut(&numbers, over, budget);
            if over > cut.saved {
                // Together they are too much. Where none of their like has to stay, the turn's `loaded` says all.
                let most = fit::cut(&unbound, before as u64, budget);
                if !most.kept.iter().any(stays) {
                    cut = most;
                }
            }
        }
        // Where the note itself is what is too much, the turn's `loaded` says as much, but that the conversation has searched.
        let is_too_much = over + price(&said) > cut.saved && over <= cut.saved && !began;
        if cut.from == 0 || is_too_much {
            said = None;
        }
        let Cut {
            from,
            mut kept,
            mut saved,
        } = cut;
        if said.is_some() {
            // It says all that those before it did.
            for note in self.format.notes(messages) {
                let own = kept
                    .iter()
                    .position(|at| note.is_whole && *at == note.message);
                if let Some(own) = own {
                    kept.remove(own);
                    saved += u64::from(tokens[note.message]);
                }
            }
        }
        fitted.note_at = kept
            .iter()
            .rposition(|at| seats[*at].stays)
            .map_or(0, |at| at + 1);
        fitted.cut = from - kept.len();
        fitted.since = since(turn.since, tokens.len(), from, &kept);
        // Before what stood there, the note is no part of it.
        if said.is_some() && (fitted.note_at < fitted.since) {
            fitted.since += 1;
        }
        fitted.tokens.messages = before - saved as f64 + price(&said) as f64;
        fitted.from = from;
        fitted.kept = kept;
        fitted.note = said;
    }
}

/// Where the position `at` of `all` is among those that stay.
fn since(at: usize, all: usize, from: usize, kept: &[usize]) -> usize {
    let before = kept.iter().filter(|kept| **kept < at).count();
    before + at.min(all).saturating_sub(from)
}

/// What [`Value::told`] gives of a note, which is a message of texts alone: the walk for all others need not be there twice.
fn told(note: &Json) -> Told {
    let mut told = Told::default();
    if let Json::Object(entries) = note {
        for (_, value) in entries {
            if let Json::Text(text) = value {
                told.text.push_str(text);
                told.text.push('\n');
            }
        }
    }
    told
}
