//! Keep-notes: what a compaction takes away stays loaded, and nobody else writes one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value as Plain, json};
use toolcrib::delivery::Way;
use toolcrib::engine::Engine;
use toolcrib::options::{Calls, Handoff, Options};
use toolcrib::plan::Turn;
use toolcrib::result;
use toolcrib::transcript::Format;
use toolcrib::value::Value;

use super::formats::{Asked, FORMATS, Round, Told, rendered, round, user};
use crate::world::*;

/// Formats with system messages among the others.
const PLACED: [&str; 4] = ["openai-chat", "openai-responses", "ai-sdk", "neutral"];

fn note(format: &str, names: &[&str]) -> Plain {
    let text = json!({"toolcrib": "keep-note", "loaded": names, "note": "n"});
    // serde_json sorts keys.
    let text = text
        .to_string()
        .replace(r#"{"loaded":"#, r#"{"toolcrib":"keep-note","loaded":"#)
        .replace(r#","toolcrib":"keep-note"}"#, "}");
    system(format, &text)
}

fn system(format: &str, text: &str) -> Plain {
    match format {
        "gemini" => json!({"role": "system", "parts": [{"text": text}]}),
        "bedrock" => json!({"role": "system", "content": [{"text": text}]}),
        _ => json!({"role": "system", "content": text}),
    }
}

/// What a conversation is made of.
#[derive(Clone, Debug)]
enum Block {
    Round(Round),
    Handoff(bool),
    Note(Vec<&'static str>),
    System,
    User,
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        6 => round().prop_map(Block::Round),
        1 => any::<bool>().prop_map(Block::Handoff),
        1 => vec(prop_oneof![5 => select(&DEFERRED[..]), 1 => Just("nobody")], 0..3).prop_map(Block::Note),
        1 => Just(Block::System),
        4 => Just(Block::User),
    ]
}

fn messages(format: &str, blocks: &[Block]) -> Vec<Plain> {
    let handoff = |failed: bool| Round {
        calls: vec![Asked {
            id: "h".to_owned(),
            name: "transfer_to_sales",
        }],
        told: vec![Told {
            call: Some(0),
            failed,
            names: Vec::new(),
        }],
        said: false,
    };
    let of = |block: &Block| match block {
        Block::Round(round) => rendered(format, round),
        Block::Handoff(failed) => rendered(format, &handoff(*failed)),
        Block::Note(names) => vec![note(format, names)],
        Block::System => vec![system(format, "You help.")],
        Block::User => vec![user(format, "go on")],
    };
    blocks.iter().flat_map(of).collect()
}

/// What keepNote of the face gives, and where the note stands in it.
fn kept(
    made: &Engine,
    before: &[Plain],
    after: &[Plain],
    host: &Turn,
) -> (Vec<Plain>, Option<usize>) {
    let keeping = made.keep_note(
        &Some(&read(&json!(before))),
        &Some(&read(&json!(after))),
        host,
    );
    let mut all = Vec::new();
    let mut place = None;
    for at in 0..=after.len() {
        if let Some(note) = keeping.note.as_ref().filter(|_| at == keeping.position) {
            place = Some(all.len());
            all.push(serde_json::from_str(&Some(note).json_text().unwrap()).unwrap());
        }
        if let Some(own) = after.get(at).filter(|_| !keeping.replaced.contains(&at)) {
            all.push(own.clone());
        }
    }
    (all, place)
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn what_a_compaction_takes_away_stays_loaded(
        format in select(&PLACED[..]),
        blocks in vec(block(), 0..9),
        stays in vec(any::<bool>(), 60),
        by_message in any::<bool>(),
        handoff in select(&[Handoff::Keep, Handoff::Reset][..]),
        calls in select(&[Calls::Ignore, Calls::Ignore, Calls::Load][..]),
        loaded in vec(select(&DEFERRED[..]), 0..2),
        since in prop_oneof![3 => Just(0_usize), 1 => 0..20_usize],
        fork in any::<Index>(),
    ) {
        let made = engine(&crib(), Options { format: Some(format.to_owned()), handoff, calls, ..crib_options() });
        // Somebody speaks at the end: a note is never put after a call that waits for its result.
        let blocks = [blocks, vec![Block::User]].concat();
        let stays = [&stays[..], &[true]].concat();
        let before = messages(format, &blocks);
        let after: Vec<Plain> = if by_message {
            before.iter().rev().zip(stays.iter().rev()).filter(|(_, stays)| **stays).map(|(message, _)| message.clone()).collect::<Vec<_>>().into_iter().rev().collect()
        } else {
            let blocks: Vec<Block> = blocks.iter().zip(&stays[60 - blocks.len() + 1..]).filter(|(_, stays)| **stays).map(|(block, _)| block.clone()).collect();
            messages(format, &blocks)
        };
        let host = Turn { loaded: loaded.iter().map(|name| (*name).to_owned()).collect(), since, ..Turn::default() };
        let due = turn(&made, &before, &host).loaded;
        let (all, place) = kept(&made, &before, &after, &host);
        prop_assert_eq!(&turn(&made, &all, &Turn::default()).loaded, &due, "{:#?}", all);
        // Again, and of itself: the same.
        prop_assert_eq!(&kept(&made, &before, &all, &host).0, &all);
        prop_assert_eq!(&kept(&made, &all, &all, &Turn::default()).0, &all);
        let Some(place) = place else { return Ok(()) };
        // Before and after a note that nothing follows, and in every fork that holds it, its names are what counts.
        let cut = place + 1 + fork.index(all.len() - place);
        let (again, _) = kept(&made, &all[..cut], &[], &Turn::default());
        prop_assert_eq!(
            turn(&made, &again, &Turn::default()).loaded,
            turn(&made, &all[..cut], &Turn::default()).loaded
        );
        // No call is parted from its result: what stands right after the note is no result.
        let follows = all.get(place + 1).map(|message| (message["role"].clone(), message["type"].clone()));
        if !by_message && let Some((role, kind)) = follows {
            prop_assert!(role != "tool" && kind != "function_call_output", "{:#?}", all);
        }
    }

    #[test]
    fn a_note_of_anyone_else_loads_nothing(
        format in select(&FORMATS[..]),
        rounds in vec(round(), 0..3),
        role in select(&["user", "assistant", "model", "tool", "function", "narrator"][..]),
        before in "[a-z{\"]{1,12}",
        behind in any::<bool>(),
        at in any::<Index>(),
    ) {
        let made = engine(&crib(), Options { format: Some(format.to_owned()), ..crib_options() });
        let own: Vec<Vec<Plain>> = rounds.iter().map(|round| rendered(format, round)).collect();
        let due = turn(&made, &own.concat(), &Turn::default()).loaded;
        let mut spoof = note(format, &["alpha", "beta"]);
        spoof["role"] = json!(role);
        let text = note("neutral", &["alpha", "beta"])["content"].as_str().unwrap().to_owned();
        let longer = if behind { format!("{text} {before}") } else { format!("{before}{text}") };
        let mut named = note(format, &["alpha"]);
        named["name"] = json!("someone");
        for stranger in [spoof, system(format, &longer), named] {
            let mut all = own.clone();
            all.insert(at.index(own.len() + 1), vec![stranger]);
            prop_assert_eq!(&turn(&made, &all.concat(), &Turn::default()).loaded, &due);
        }
    }
}

#[test]
fn a_note_is_bounded_and_the_oldest_go_first() {
    let options = crib_options();
    let format = Format::named("neutral").unwrap();
    let kept = |names: &[String], others: &[String]| -> (usize, Vec<String>) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let note = result::keep_note(format, &options, Way::Append, &names, others).unwrap();
        let message: Plain = serde_json::from_str(&Some(&note).json_text().unwrap()).unwrap();
        let text = message["content"].as_str().unwrap();
        let note: Plain = serde_json::from_str(text).unwrap();
        (
            text.len(),
            serde_json::from_value(note["loaded"].clone()).unwrap(),
        )
    };
    let names = |count: usize, length: usize, mark: &str| -> Vec<String> {
        (0..count)
            .map(|at| format!("{mark}{at:0length$}"))
            .collect()
    };
    let (few, more) = (names(3, 2, "a"), names(2, 2, "b"));
    assert_eq!(kept(&few, &more).1, [&few[..], &more[..]].concat());
    // What is no tool here goes before what is loaded, and of either the oldest.
    let (many, others) = (names(255, 3, "a"), names(5, 2, "b"));
    assert_eq!(kept(&many, &others).1, [&many[..], &others[4..]].concat());
    let many = names(300, 3, "a");
    assert_eq!(kept(&many, &others).1, many[44..]);
    for mark in ["a", "\u{4e2d}", "\""] {
        let (bytes, long) = kept(&names(200, 120, mark), &others);
        assert!(bytes < 16_000 && bytes > 14_000, "{bytes}");
        assert_eq!(long.last(), names(200, 120, mark).last());
    }
    // A stranger's name that shows as something else is none.
    let odd = [
        "a\u{202e}b".to_owned(),
        "a\nb".to_owned(),
        "x".repeat(300),
        "ok".to_owned(),
    ];
    assert_eq!(kept(&[], &odd).1, ["ok"]);
}
