//! What ARCHITECTURE.md says is absent, and the order of the modules, read from the sources.

// A test that fails may panic; the lint lets only functions marked as tests do so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

/// A longer file holds more than one idea.
const LONGEST: usize = 720;

struct Source {
    /// From the root of the crate: `src/tool/mod.rs`.
    path: String,
    text: String,
}

impl Source {
    /// The module of lib.rs that the file belongs to: `tool`.
    fn module(&self) -> &str {
        let inside = self.path.trim_start_matches("src/");
        inside.split(['/', '.']).next().unwrap()
    }

    /// Written by a script.
    fn is_generated(&self) -> bool {
        self.text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .any(|line| line.to_lowercase().contains("generated"))
    }

    /// Compiled for tests alone.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }

    /// The lines that are shipped, with their numbers: neither comments nor tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self
            .text
            .find("#[cfg(test)]\nmod tests {")
            .unwrap_or(self.text.len());
        let shipped = if self.is_test() {
            ""
        } else {
            &self.text[..tests]
        };
        shipped.lines().enumerate().filter_map(|(number, line)| {
            let comment = line.find("//").filter(|at| !line[..*at].ends_with(':'));
            let line = line[..comment.unwrap_or(line.len())].trim();
            (!line.is_empty()).then_some((number + 1, line))
        })
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The Rust files of a folder, in the order of their paths.
fn sources(folder: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    files(&root().join(folder), &mut paths);
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .into_iter()
        .map(|path| Source {
            path: path
                .strip_prefix(root())
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/"),
            text: fs::read_to_string(&path).unwrap(),
        })
        .collect()
}

/// The modules in the order in which lib.rs has them.
fn modules() -> Vec<String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules: Vec<String> = text
        .lines()
        .filter_map(|line| {
            line.trim_start_matches("pub ")
                .strip_prefix("mod ")?
                .strip_suffix(';')
        })
        .map(str::to_owned)
        .collect();
    assert!(modules.len() > 15, "lib.rs is not read: {modules:?}");
    modules
}

/// The identifiers that follow `before` in a line; several where braces hold them.
fn after<'a>(line: &'a str, before: &str) -> Vec<&'a str> {
    let word = |text: &'a str| {
        let end = text
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        &text[..end]
    };
    line.match_indices(before)
        .filter(|(at, _)| !line[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .flat_map(|(at, _)| {
            let rest = &line[at + before.len()..];
            match rest.strip_prefix('{') {
                Some(list) => list
                    .split(['}', ','])
                    .map(|item| word(item.trim()))
                    .collect(),
                None => vec![word(rest)],
            }
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Every place where the shipped code holds one of these, as `path:line: text`.
fn holding(sources: &[Source], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (number, line) in source.code() {
            let holds = words.iter().any(|word| {
                line.match_indices(word).any(|(at, _)| {
                    let starts_word = word.starts_with(|c: char| c.is_alphanumeric());
                    !starts_word || !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                })
            });
            if holds {
                found.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    found
}

fn assert_none(found: Vec<String>, why: &str) {
    assert!(found.is_empty(), "{why}:\n{}", found.join("\n"));
}

#[test]
fn a_module_knows_only_those_before_it() {
    let order = modules();
    let place = |module: &str| order.iter().position(|known| known == module);
    let mut wrong = Vec::new();
    let mut checked = 0;
    for source in sources("src")
        .iter()
        .filter(|source| source.path != "src/lib.rs")
    {
        let own = place(source.module())
            .unwrap_or_else(|| panic!("{} is no module of lib.rs", source.path));
        for (number, line) in source.code() {
            for used in after(line, "crate::") {
                let used = place(used)
                    .unwrap_or_else(|| panic!("{}:{number}: crate::{used}?", source.path));
                checked += 1;
                if used > own {
                    wrong.push(format!("{}:{number}: {line}", source.path));
                }
            }
        }
    }
    assert!(checked > 50, "only {checked} uses were seen");
    assert_none(wrong, "a module uses one that comes after it in lib.rs");
}

#[test]
fn every_file_is_a_module_of_lib_rs_and_every_module_a_file() {
    let sources = sources("src");
    for module in modules() {
        assert!(
            sources.iter().any(|source| source.module() == module),
            "{module} has no file"
        );
    }
}

#[test]
fn a_format_knows_no_other() {
    // Where what differs by provider stands in one file each: such a file uses its folder, never its siblings.
    let sources = sources("src");
    for folder in ["tool", "transcript", "result"] {
        let files: Vec<&Source> = sources
            .iter()
            .filter(|source| {
                source.module() == folder && !source.path.ends_with("/mod.rs") && !source.is_test()
            })
            .collect();
        assert!(!files.is_empty());
        for file in &files {
            for other in files.iter().filter(|other| other.path != file.path) {
                let sibling = other
                    .path
                    .rsplit('/')
                    .next()
                    .unwrap()
                    .trim_end_matches(".rs");
                let uses = file.code().find(|(_, line)| {
                    after(line, "super::").contains(&sibling)
                        || line.contains(&format!("{sibling}::"))
                });
                assert!(uses.is_none(), "{} uses {sibling}: {uses:?}", file.path);
            }
        }
    }
}

#[test]
fn a_format_is_named_in_its_own_files_and_the_registries() {
    let sources = sources("src");
    let formats: Vec<String> = sources
        .iter()
        .flat_map(|source| source.code())
        .filter_map(|(_, line)| {
            Some(
                line.strip_prefix("format: \"")?
                    .split_once('"')?
                    .0
                    .to_owned(),
            )
        })
        .filter(|format| !format.is_empty())
        .collect();
    assert!(formats.contains(&"openai-chat".to_owned()), "{formats:?}");
    for format in &formats {
        let file = format.replace('-', "_");
        let variant: String = format
            .split('-')
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect();
        let is_default = format == "openai-chat";
        let registries: [(String, &[&str]); 2] = [
            (
                format!("\"{format}\""),
                if is_default {
                    &["transcript/mod.rs", "options.rs"]
                } else {
                    &["transcript/mod.rs"]
                },
            ),
            (
                format!("Format::{variant}"),
                &["transcript/mod.rs", "result/mod.rs"],
            ),
        ];
        for (text, registries) in registries {
            for source in sources
                .iter()
                .filter(|source| !source.path.ends_with(&format!("/{file}.rs")))
            {
                let count: usize = source
                    .code()
                    .map(|(_, line)| line.matches(&text).count())
                    .sum();
                // The AI SDK's options stand under the names of its providers.
                if source.path.ends_with("/ai_sdk.rs") && text.starts_with('"') {
                    continue;
                }
                let is_registry = registries
                    .iter()
                    .any(|registry| source.path == format!("src/{registry}"));
                let most = usize::from(is_registry);
                assert!(
                    count <= most,
                    "{} says {text} {count} times: a new format would be a branch there",
                    source.path
                );
            }
        }
    }
}

#[test]
fn only_the_boundary_knows_javascript() {
    let sources = sources("src");
    let mut found = holding(
        &sources,
        &[
            "wasm_bindgen",
            "js_sys",
            "serde_wasm_bindgen",
            "JsValue",
            "web_sys",
        ],
    );
    found.retain(|place| !place.starts_with("src/wasm.rs:"));
    assert_none(found, "JavaScript outside src/wasm.rs");
}

#[test]
fn nothing_does_io_reads_a_clock_or_keeps_anything() {
    let sources = sources("src");
    let banned = [
        "std::fs",
        "std::net",
        "std::time",
        "std::env",
        "std::io",
        "std::process",
        "std::thread",
        "std::path",
        "Instant",
        "SystemTime",
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "dbg!",
        "thread",
        "thread_local!",
        "static mut",
        "OnceLock",
        "OnceCell",
        "LazyLock",
        "LazyCell",
        "Mutex",
        "RwLock",
        "RefCell",
        "Cell<",
        "AtomicU",
        "AtomicI",
        "AtomicB",
        "lazy_static",
    ];
    let mut found = holding(&sources, &banned);
    // The boundary keeps the engine's own static texts as JavaScript values, and nothing of a host's.
    found.retain(|place| {
        !(place.starts_with("src/wasm.rs:")
            && ["RefCell", "thread_local!"]
                .iter()
                .any(|word| place.contains(word)))
    });
    assert_none(found, "the engine answers from its arguments alone");
    let statics = holding(&sources, &["static "]);
    let kept: Vec<&String> = statics
        .iter()
        .filter(|place| place.contains("Cell"))
        .collect();
    assert!(kept.len() <= 1, "one cache of static texts: {kept:?}");
}

#[test]
fn a_random_number_seeds_one_table_and_nothing_else() {
    let sources = sources("src");
    for word in ["foldhash", "hashbrown", "HashMap", "HashSet"] {
        let found = holding(&sources, &[word]);
        assert_none(found, "a hash map has an order that an answer could see");
    }
    for word in ["getrandom", "rand::"] {
        let mut found = holding(&sources, &[word]);
        found.retain(|place| !place.starts_with("src/vocabulary.rs:"));
        assert_none(found, "random numbers stay in vocabulary.rs");
    }
    // Of its table only single slots are asked for: the order of hashes can't leak.
    let vocabulary = sources
        .iter()
        .find(|source| source.path == "src/vocabulary.rs")
        .unwrap();
    let slots: Vec<(usize, &str)> = vocabulary
        .code()
        .filter(|(_, line)| line.contains("slots"))
        .collect();
    assert!(slots.len() > 5, "vocabulary.rs has its table elsewhere now");
    let mut wrong = Vec::new();
    for (number, line) in &slots {
        for used in after_all(line, "self.slots") {
            let asks = ["[", ".len()", ".is_empty()", ".clear()", ".resize("]
                .iter()
                .any(|ask| used.starts_with(ask));
            if !asks {
                wrong.push(format!("src/vocabulary.rs:{number}: {line}"));
            }
        }
    }
    assert_none(wrong, "the table is walked");
}

/// What follows each place where a line holds `text`.
fn after_all<'a>(line: &'a str, text: &str) -> Vec<&'a str> {
    line.match_indices(text)
        .map(|(at, _)| &line[at + text.len()..])
        .collect()
}

#[test]
fn floating_point_is_the_same_everywhere() {
    let sources = sources("src");
    let methods = [
        ".ln()",
        ".log10()",
        ".log2()",
        ".exp()",
        ".powf(",
        ".powi(",
        ".cbrt()",
        ".sin(",
        ".mul_add(",
        "f32",
    ];
    assert_none(
        holding(&sources, &methods),
        "use libm, except for the square root, which IEEE 754 rounds alike everywhere",
    );
}

#[test]
fn arithmetic_knows_no_tools() {
    let sources = sources("src");
    let bm25 = sources
        .iter()
        .find(|source| source.path == "src/bm25.rs")
        .unwrap();
    for word in ["tool", "catalogue", "engine", "crate::", "super::"] {
        assert!(
            !bm25.text.to_lowercase().contains(word),
            "bm25.rs speaks of {word}"
        );
    }
    for source in sources
        .iter()
        .filter(|source| source.module() == "terms" && !source.is_test())
    {
        assert!(
            !source.code().any(|(_, line)| line.contains("crate::")),
            "{} knows the crate",
            source.path
        );
    }
}

#[test]
fn no_code_can_panic_on_purpose() {
    let sources = sources("src");
    let banned = [
        ".unwrap()",
        ".expect(",
        ".unwrap_err()",
        "panic!",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "assert!",
        "assert_eq!",
        "assert_ne!",
        "unsafe",
        "process::abort",
        "unwrap_unchecked",
    ];
    assert_none(
        holding(&sources, &banned),
        "a panic ends the instance for every conversation",
    );
}

#[test]
fn no_callback_crosses_the_boundary() {
    let sources = sources("src");
    let boundary: Vec<Source> = sources
        .into_iter()
        .filter(|source| source.path == "src/wasm.rs")
        .collect();
    assert_none(
        holding(
            &boundary,
            &[
                "Function", "Closure", "call0", "call1", "Promise", "async fn",
            ],
        ),
        "values in, values out",
    );
}

#[test]
fn every_file_says_what_it_is_and_holds_one_idea() {
    for folder in ["src", "tests", "builder/src"] {
        if !root().join(folder).exists() {
            continue;
        }
        for source in sources(folder) {
            assert!(
                source.text.starts_with("//! "),
                "{} does not say what it is",
                source.path
            );
            let lines = source.text.lines().count();
            let is_long = folder == "src" && !source.is_generated() && lines > LONGEST;
            assert!(
                !is_long,
                "{} has {lines} lines, at most {LONGEST} are one idea",
                source.path
            );
        }
    }
}

#[test]
fn no_file_names_a_machine() {
    // Their own words are put together here, so that this file does not hold them.
    let places = ["/wo", "/ro", "/ho"]
        .map(|start| start.to_owned())
        .into_iter()
        .zip(["rk/", "ot/", "me/"]);
    for (start, end) in places {
        let place = start + end;
        for source in ["src", "tests", "fuzz"]
            .into_iter()
            .filter(|folder| root().join(folder).exists())
            .flat_map(sources)
        {
            assert!(
                !source.text.contains(&place),
                "{} names {place}",
                source.path
            );
        }
    }
}

#[test]
fn the_code_map_is_the_code() {
    let Ok(map) = fs::read_to_string(root().join("ARCHITECTURE.md")) else {
        assert!(
            !root().join("README.md").exists(),
            "there is a README.md and no ARCHITECTURE.md"
        );
        return;
    };
    for module in modules() {
        let mentioned = [
            format!("`{module}`"),
            format!("`{module}/`"),
            format!("`{module}.rs`"),
            format!("src/{module}"),
        ];
        assert!(
            mentioned.iter().any(|mention| map.contains(mention)),
            "ARCHITECTURE.md does not say what {module} is"
        );
    }
    for word in map.split(|c: char| c.is_whitespace() || "`()[],;:".contains(c)) {
        let path = word.trim_end_matches(['.', '/']);
        let is_path = [
            "src/", "js/", "tests/", "scripts/", "builder/", "bench/", "demo/", "fuzz/",
        ]
        .iter()
        .any(|start| path.starts_with(start));
        if is_path && !path.contains(['*', '<', '{']) {
            assert!(
                root().join(path).exists(),
                "ARCHITECTURE.md speaks of {path}, which is not there"
            );
        }
    }
}

#[test]
fn every_fuzz_target_is_run_by_a_test_too() {
    let targets = fs::read_to_string(root().join("fuzz/targets.rs")).unwrap();
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let test = fs::read_to_string(root().join("tests/fuzz.rs")).unwrap();
    let names: Vec<&str> = targets
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub fn ")?
                .split_once("(data: &[u8])")
                .map(|(name, _)| name)
        })
        .collect();
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        assert!(
            test.contains(&format!("targets::{name}(")),
            "tests/fuzz.rs does not run {name}"
        );
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "fuzz/Cargo.toml has no {name}"
        );
        let file = fs::read_to_string(root().join(format!("fuzz/fuzz_targets/{name}.rs"))).unwrap();
        assert!(
            file.contains(&format!("targets::{name}(data)")),
            "fuzz_targets/{name}.rs runs something else"
        );
    }
}
