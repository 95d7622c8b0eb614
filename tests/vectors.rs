//! Every vector through the native engine. `tests/js/vectors.test.mjs` runs the same files through
//! the built package.

// A vector that can't be read is a fault of the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use support::node::{Node, difference};

/// The JSON files in a folder below tests/vectors, by name.
fn files(folder: &str) -> Vec<(String, Node)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(folder);
    let mut files: Vec<(String, Node)> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, Node::parse(&fs::read_to_string(&path).unwrap()))
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(!files.is_empty(), "no vectors in \"{folder}\"");
    files
}

fn vectors() -> Vec<(String, Node)> {
    let mut vectors = Vec::new();
    for (name, file) in files("") {
        for vector in file.items() {
            vectors.push((name.clone(), vector.clone()));
        }
    }
    vectors
}

/// What is wrong with a vector, in one message.
fn fault(file: &str, vector: &Node, run: fn(&Node) -> Node) -> Option<String> {
    let word = |key: &str| {
        vector
            .get(key)
            .and_then(Node::str)
            .unwrap_or("?")
            .to_owned()
    };
    let steps = vector.get("steps").unwrap().items().iter();
    let want = Node::List(
        steps
            .map(|step| step.get("gives").unwrap().clone())
            .collect(),
    );
    let found = difference(&want, &run(&vector.expand()), "gives")?;
    Some(format!(
        "{file} {}: {found}\n    {}",
        word("id"),
        word("why")
    ))
}

fn check(run: fn(&Node) -> Node, wanted: fn(&Node) -> bool) {
    let faults: Vec<String> = vectors()
        .iter()
        .filter(|(_, vector)| wanted(vector))
        .filter_map(|(file, vector)| fault(file, vector, run))
        .collect();
    assert!(
        faults.is_empty(),
        "{} vectors differ:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Not about what only the JavaScript face does.
fn is_for_all(vector: &Node) -> bool {
    vector.get("face").is_none()
}

#[test]
fn values_as_wasm_reads_them() {
    check(support::run, is_for_all);
}

/// A native host passes JSON that the engine has parsed itself. It makes no difference but where
/// the vector says so.
#[test]
fn values_that_the_engine_parsed() {
    check(support::run_parsed, |vector| {
        is_for_all(vector) && vector.get("parsed").is_none()
    });
}

/// Threads that an earlier release wrote. What it gave for them is asked for, and no more: a later
/// release may say more and cost less.
#[test]
fn frozen_threads_are_read_as_they_were_written() {
    for (file, vector) in files("frozen") {
        let got = support::run(&vector.expand());
        for (index, step) in vector.get("steps").unwrap().items().iter().enumerate() {
            let want = step.get("gives").unwrap();
            let got = &got.items()[index];
            let found = match want {
                Node::Object(entries) => entries.iter().find_map(|(key, want)| {
                    difference(want, got.get(&key.plain).unwrap(), &key.plain)
                }),
                _ => difference(want, got, "gives"),
            };
            assert_eq!(found, None, "{file}, step {index}");
        }
    }
}

#[test]
fn every_vector_has_an_id_of_its_own_and_says_why() {
    let mut ids = BTreeSet::new();
    let mut vectors = vectors();
    vectors.extend(files("frozen"));
    for (file, vector) in vectors {
        let id = vector.get("id").and_then(Node::str).unwrap();
        assert!(
            ids.insert(id.to_owned()),
            "{file}: the id \"{id}\" is used twice"
        );
        let why = vector.get("why").and_then(Node::str).unwrap_or_default();
        assert!(why.len() > 20, "{file}: {id} does not say why");
    }
}
