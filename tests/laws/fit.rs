//! Fit: what is left of a history takes no more than there is, and is still one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Plain, json};
use toolcrib::engine::Engine;
use toolcrib::options::{Calls, Handoff, Limits, Options, Threshold, UnloadedCall};
use toolcrib::plan::Turn;
use toolcrib::report::Fitted;
use toolcrib::value::Json;

use crate::world::*;

const FORMATS: [&str; 7] = [
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "bedrock",
    "ai-sdk",
    "neutral",
];
/// They have system messages among their messages.
const NOTED: [&str; 4] = ["openai-chat", "openai-responses", "ai-sdk", "neutral"];
/// Results stand in the user's messages, and a person may speak there too.
const MIXED: [&str; 3] = ["anthropic", "gemini", "bedrock"];

/// What is told, whatever the format.
#[derive(Clone, Debug)]
enum Say {
    Human(usize),
    System(usize),
    /// Calls with what each gives, whether the model reasons, whether a person speaks in the message of the results.
    Calls(Vec<Called>, bool, bool),
    Text(usize),
    /// A compaction, which in some formats stands in the model's message, beside a call.
    Compaction,
    /// What the provider holds.
    Reference,
}

#[derive(Clone, Debug)]
enum Called {
    Search(Vec<&'static str>),
    Other(&'static str, usize),
}

fn say() -> impl Strategy<Value = Say> {
    let called = prop_oneof![
        1 => vec(select(&DEFERRED[..]), 0..3).prop_map(Called::Search),
        2 => (select(&["home", "alpha", "transfer_to_sales"][..]), 0..900_usize).prop_map(|(name, long)| Called::Other(name, long)),
    ];
    prop_oneof![
        4 => (0..400_usize).prop_map(Say::Human),
        1 => (0..60_usize).prop_map(Say::System),
        8 => (vec(called, 1..4), any::<bool>(), proptest::bool::weighted(0.2)).prop_map(|(calls, thinks, speaks)| Say::Calls(calls, thinks, speaks)),
        4 => (0..400_usize).prop_map(Say::Text),
        1 => Just(Say::Compaction),
        1 => Just(Say::Reference),
    ]
}

/// A message and what the test knows of it.
#[derive(Clone, Debug)]
struct Said {
    message: Plain,
    /// What it can't be parted from.
    unit: usize,
    lead: bool,
    human: bool,
    binds: bool,
    open: bool,
}

fn words(count: usize) -> String {
    "seven ".repeat(count / 4)
}

/// The thread in a format; what a format can't say is left out.
fn told(format: &str, says: &[Say]) -> Vec<Said> {
    let mut thread: Vec<Said> = Vec::new();
    let mut units = 0;
    // The turn that the model is in.
    let mut model_unit = 0;
    let mut is_model = false;
    for (turn, say) in says.iter().enumerate() {
        let text = |text: String| match format {
            "gemini" | "bedrock" => json!([{ "text": text }]),
            _ => json!(text),
        };
        let list = if format == "gemini" {
            "parts"
        } else {
            "content"
        };
        let model = if format == "gemini" {
            "model"
        } else {
            "assistant"
        };
        let said = |message: Plain, unit: usize| Said {
            message,
            unit,
            lead: false,
            human: false,
            binds: false,
            open: false,
        };
        let merges = MIXED.contains(&format) || format == "openai-responses";
        let is_told = match say {
            Say::System(_) => NOTED.contains(&format),
            Say::Reference => format == "openai-responses",
            Say::Compaction => ["openai-responses", "anthropic"].contains(&format),
            _ => true,
        };
        if !is_told {
            continue;
        }
        // Assistant messages in a row are one turn where the provider merges them.
        let speaks = matches!(say, Say::Text(_) | Say::Calls(..))
            || matches!(say, Say::Compaction) && format == "anthropic";
        units += 1;
        let unit = if speaks && is_model && merges {
            model_unit
        } else {
            units
        };
        if speaks {
            model_unit = unit;
        }
        match say {
            Say::Human(long) => {
                let message = json!({"role": "user", list: text(words(*long) + "?")});
                thread.push(Said {
                    human: true,
                    ..said(message, unit)
                });
                is_model = false;
            }
            Say::System(long) => {
                let message = json!({"role": "system", "content": words(*long)});
                thread.push(Said {
                    lead: true,
                    ..said(message, unit)
                });
            }
            Say::Text(long) => {
                thread.push(said(
                    json!({"role": model, list: text(words(*long) + ".")}),
                    unit,
                ));
                is_model = true;
            }
            Say::Reference => {
                let message = json!({"type": "item_reference", "id": format!("item_{turn}")});
                thread.push(Said {
                    lead: true,
                    ..said(message, unit)
                });
            }
            Say::Compaction => match format {
                "openai-responses" => {
                    let message =
                        json!({"type": "compaction", "encrypted_content": "x".repeat(400)});
                    thread.push(Said {
                        lead: true,
                        ..said(message, unit)
                    });
                }
                "anthropic" => {
                    let blocks = json!([{"type": "compaction", "content": words(100)}]);
                    thread.push(Said {
                        binds: true,
                        ..said(json!({"role": "assistant", "content": blocks}), unit)
                    });
                    is_model = true;
                }
                _ => continue,
            },
            Say::Calls(calls, thinks, speaks) => {
                calls_told(format, turn, calls, *thinks, *speaks, &mut thread, unit);
                is_model = false;
            }
        }
    }
    // What binds a turn binds all of it.
    for at in 0..thread.len() {
        let mut its = thread.iter().filter(|said| said.unit == thread[at].unit);
        thread[at].binds = its.any(|said| said.binds);
    }
    thread
}

fn calls_told(
    format: &str,
    turn: usize,
    calls: &[Called],
    thinks: bool,
    speaks: bool,
    thread: &mut Vec<Said>,
    unit: usize,
) {
    let said = |message: Plain| Said {
        message,
        unit,
        lead: false,
        human: false,
        binds: false,
        open: true,
    };
    let query = json!({"query": "x"});
    let parts: Vec<(String, &str, String)> = calls
        .iter()
        .enumerate()
        .map(|(at, called)| {
            let id = format!("call_{turn}_{at}");
            match called {
                Called::Search(names) => (id, "tool_search", result_text(names, "loaded")),
                Called::Other(name, long) => (id, *name, words(*long)),
            }
        })
        .collect();
    let each = |write: &dyn Fn(&str, &str) -> Plain| -> Vec<Plain> {
        parts.iter().map(|(id, name, _)| write(id, name)).collect()
    };
    let results = |write: &dyn Fn(&str, &str, &str) -> Plain| -> Vec<Plain> {
        parts
            .iter()
            .map(|(id, name, text)| write(id, name, text))
            .collect()
    };
    let mut pair = |message: Plain, list: &str, mut results: Vec<Plain>, part: Plain| {
        thread.push(said(message));
        if speaks {
            results.push(part);
        }
        let mut answer = said(json!({"role": "user", list: results}));
        answer.human = speaks;
        thread.push(answer);
    };
    match format {
        "openai-chat" => {
            let calls = each(
                &|id, name| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"query\":\"x\"}"}}),
            );
            thread.push(said(
                json!({"role": "assistant", "content": null, "tool_calls": calls}),
            ));
            thread.extend(
                results(
                    &|id, _, text| json!({"role": "tool", "tool_call_id": id, "content": text}),
                )
                .into_iter()
                .map(said),
            );
        }
        "neutral" => {
            let calls = each(&|id, name| json!({"id": id, "name": name, "arguments": query}));
            thread.push(said(json!({"role": "assistant", "toolCalls": calls})));
            thread.extend(results(&|id, name, text| json!({"role": "tool", "toolCallId": id, "name": name, "content": text})).into_iter().map(said));
        }
        "openai-responses" => {
            if thinks {
                thread.push(said(json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "y".repeat(300)})));
            }
            thread.extend(each(&|id, name| json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{\"query\":\"x\"}"})).into_iter().map(said));
            thread.extend(results(&|id, _, text| json!({"type": "function_call_output", "call_id": id, "output": text})).into_iter().map(said));
        }
        "anthropic" => pair(
            json!({"role": "assistant", "content": each(&|id, name| json!({"type": "tool_use", "id": id, "name": name, "input": query}))}),
            "content",
            results(
                &|id, _, text| json!({"type": "tool_result", "tool_use_id": id, "content": text}),
            ),
            json!({"type": "text", "text": "and this?"}),
        ),
        "bedrock" => pair(
            json!({"role": "assistant", "content": each(&|id, name| json!({"toolUse": {"toolUseId": id, "name": name, "input": query}}))}),
            "content",
            results(
                &|id, _, text| json!({"toolResult": {"toolUseId": id, "content": [{"text": text}]}}),
            ),
            json!({"text": "and this?"}),
        ),
        "gemini" => pair(
            json!({"role": "model", "parts": each(&|id, name| json!({"functionCall": {"id": id, "name": name, "args": query}, "thoughtSignature": "z"}))}),
            "parts",
            results(
                &|id, name, text| json!({"functionResponse": {"id": id, "name": name, "response": {"output": text}}}),
            ),
            json!({"text": "and this?"}),
        ),
        "ai-sdk" => {
            let calls = each(
                &|id, name| json!({"type": "tool-call", "toolCallId": id, "toolName": name, "input": query}),
            );
            thread.push(said(json!({"role": "assistant", "content": calls})));
            let results = results(
                &|id, name, text| json!({"type": "tool-result", "toolCallId": id, "toolName": name, "output": {"type": "text", "value": text}}),
            );
            // Each in a message of its own, as some hosts have them.
            thread.extend(
                results
                    .into_iter()
                    .map(|part| said(json!({"role": "tool", "content": [part]}))),
            );
        }
        other => panic!("{other}"),
    }
}

fn messages(thread: &[Said]) -> Vec<Plain> {
    thread.iter().map(|said| said.message.clone()).collect()
}

fn fit(engine: &Engine, messages: &[Plain], turn: &Turn, window: usize) -> Fitted {
    engine.fit(
        &Some(&read(&json!(messages))),
        turn,
        Some(window as f64),
        Some(0.0),
    )
}

/// The messages that a host sends.
fn left(messages: &[Plain], fitted: &Fitted) -> Vec<Plain> {
    let mut left: Vec<Plain> = fitted.kept.iter().map(|at| messages[*at].clone()).collect();
    let note = fitted.note.as_ref().map(|note: &Json| message(note));
    left.splice(fitted.note_at..fitted.note_at, note);
    left.extend_from_slice(&messages[fitted.from..]);
    left
}

fn options() -> impl Strategy<Value = Options> {
    // A conversation that has begun stays deferred although the threshold is not reached.
    let below = Threshold::Limits(Limits {
        tokens: Some(1e9),
        ..Limits::default()
    });
    (readings(), proptest::bool::weighted(0.3)).prop_map(
        move |(options, is_below)| match is_below {
            true => Options {
                threshold: below.clone(),
                ..options
            },
            false => options,
        },
    )
}

const HUGE: usize = 1_000_000_000;

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn what_is_left_fits_and_is_a_history(
        format in select(&FORMATS[..]),
        says in vec(say(), 0..24),
        options in options(),
        share in 0.0..1.1,
        carried in prop_oneof![3 => Just(Vec::new()), 1 => names_or_globs()],
    ) {
        let thread = told(format, &says);
        let all = messages(&thread);
        // Calls that load can't be told from others, and no `loaded` outlives a handoff.
        let resets = options.handoff == Handoff::Reset;
        let calls_load = options.calls == Calls::Load || options.unloaded_call == UnloadedCall::Load;
        prop_assume!(!(resets && calls_load && MIXED.contains(&format)));
        let made = engine(&crib(), Options { format: Some(format.to_owned()), ..options });
        let turn_of = |loaded: &[String]| Turn { loaded: loaded.to_vec(), ..Turn::default() };
        let given = turn_of(&carried);
        let whole = fit(&made, &all, &given, HUGE);
        prop_assert_eq!((whole.cut, whole.fits), (0, true));
        let window = ((whole.tokens.before + whole.tokens.tools) * share) as usize;
        let fitted = fit(&made, &all, &given, window);
        let left = left(&all, &fitted);

        // What it says of itself is so.
        prop_assert_eq!(fitted.tokens.before, whole.tokens.before);
        prop_assert_eq!(fitted.tokens.tools, whole.tokens.tools);
        prop_assert_eq!(fitted.fits, fitted.tokens.messages + fitted.tokens.tools <= window as f64);
        prop_assert_eq!(fitted.cut + left.len() - usize::from(fitted.note.is_some()), all.len());
        prop_assert_eq!(fit(&made, &left, &turn_of(&fitted.loaded), HUGE).tokens.before, fitted.tokens.messages);
        prop_assert_eq!(fitted.warnings.iter().any(|warning| warning.code == "over_budget"), !fitted.fits);
        prop_assert!(fitted.note.is_none() || NOTED.contains(&format));

        // Calls, results and reasoning stay together.
        let stays = |at: usize| at >= fitted.from || fitted.kept.contains(&at);
        for (at, said) in thread.iter().enumerate() {
            let belongs = thread.iter().enumerate().filter(|(_, other)| other.unit == said.unit);
            for (other, _) in belongs {
                prop_assert_eq!(stays(at), stays(other), "{} and {} are of one turn", at, other);
            }
            prop_assert!(stays(at) || !(said.lead || said.binds), "{} stays", at);
        }
        let last_human = thread.iter().rposition(|said| said.human);
        prop_assert!(last_human.is_none_or(stays), "the last human message stays");
        if MIXED.contains(&format) && thread.first().is_some_and(|said| said.human) {
            let first = (0..thread.len()).find(|at| stays(*at)).unwrap();
            prop_assert!(thread[first].human && !thread[first].open, "the first message is the user's");
        }
        // The answer that is under way is not begun again.
        let last = thread.last().filter(|said| said.open).map(|said| said.unit);
        prop_assert!((0..thread.len()).all(|at| Some(thread[at].unit) != last || stays(at)));

        // Where it does not fit, all that can go has gone.
        if !fitted.fits {
            let says = |unit: usize, word: &str| {
                let mut its = thread.iter().filter(|said| said.unit == unit);
                its.any(|said| said.message.to_string().contains(word))
            };
            let is_human = last_human.map(|at| thread[at].unit);
            // What is done for it stays.
            let is_answered = |unit: usize| {
                let its = || (0..thread.len()).filter(|at| thread[*at].unit == unit);
                let end = its().next_back().unwrap_or(0) + 1;
                let mut after = (end..thread.len()).filter(|after| stays(*after) && !thread[*after].lead);
                its().any(|at| thread[at].human)
                    && after.next().is_some_and(|after| !thread[after].human)
            };
            let first_search = thread.iter().map(|said| said.unit).find(|unit| says(*unit, "tool_search"));
            for (at, said) in thread.iter().enumerate().filter(|(at, _)| stays(*at)) {
                let is_needed = said.lead || said.binds || Some(said.unit) == last || Some(said.unit) == is_human
                    || is_answered(said.unit)
                    || !NOTED.contains(&format) && (first_search == Some(said.unit) || resets && (says(said.unit, "transfer_to") || says(said.unit, "tool_search")));
                prop_assert!(is_needed, "{} could go: {:?}", at, said);
            }
        }

        // What was loaded stays loaded, in order, and nothing is cut a second time.
        let before = turn(&made, &all, &given);
        let after = turn(&made, &left, &turn_of(&fitted.loaded));
        prop_assert_eq!(&before.loaded, &after.loaded);
        prop_assert_eq!(before.deferral.applied, after.deferral.applied);
        prop_assert!(after.tokens.sent <= before.tokens.sent);
        if NOTED.contains(&format) && carried.is_empty() && (fitted.cut == 0 || fitted.note.is_some()) {
            prop_assert_eq!(&before.loaded, &turn(&made, &left, &Turn::default()).loaded, "the note says it alone");
        }
        if fitted.fits {
            let again = fit(&made, &left, &turn_of(&fitted.loaded), window);
            prop_assert_eq!((again.cut, &again.note, again.fits), (0, &None, true));
        }
    }

    #[test]
    fn the_cut_stays_where_it_is_while_a_thread_grows(
        format in select(&FORMATS[..]),
        says in vec(say(), 30..60),
        window in 3000..6000_usize,
        is_carried in any::<bool>(),
    ) {
        let says: Vec<Say> = says.into_iter().filter(|say| !matches!(say, Say::System(_) | Say::Compaction | Say::Reference)).collect();
        let made = engine(&crib(), Options {
            format: Some(format.to_owned()),
            // Tools that cost less again would let a cut go back.
            when_all_loaded: Some(toolcrib::options::WhenAllLoaded::Keep),
            ..crib_options()
        });
        let thread = told(format, &says);
        let all = messages(&thread);
        let mut cuts: Vec<usize> = Vec::new();
        let mut before: Option<(usize, Vec<Plain>)> = None;
        let mut loaded = Vec::new();
        let mut grown = 0.0;
        for end in 1..=all.len() {
            // A turn is whole when the model is asked.
            if thread.get(end).is_some_and(|next| next.unit == thread[end - 1].unit) {
                continue;
            }
            let given = Turn { loaded: if is_carried { loaded.clone() } else { Vec::new() }, ..Turn::default() };
            let fitted = fit(&made, &all[..end], &given, window);
            let now = left(&all[..end], &fitted);
            grown = fitted.tokens.before;
            loaded = fitted.loaded.clone();
            match &before {
                Some((from, before)) if *from == fitted.from => {
                    prop_assert!(now.starts_with(before), "the prefix holds at {}", end);
                }
                _ => cuts.push(fitted.from),
            }
            before = Some((fitted.from, now));
        }
        // The first is no cut at all. Calls and results that came meanwhile and the tools that they loaded are allowed for.
        let steps = grown as usize / (window / 4);
        prop_assert!(cuts.len() <= steps + 3, "{:?} in {} steps", cuts, steps);
        prop_assert!(cuts.windows(2).all(|pair| pair[0] < pair[1]), "it only moves on: {:?}", cuts);
    }
}
