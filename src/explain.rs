//! Why a hit has its score.

use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::search::{Hit, Lookup, Query, Rule, bonus, keyword_value};

/// A value, the formula that made it and the values that went into it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The value.
    pub value: f64,
    /// What it is and how it is made.
    pub text: String,
    /// What it is made of.
    pub parts: Vec<Explanation>,
}

/// A word of the query that the tool holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The word as the query has it, or its stem.
    pub term: String,
    /// The fields that hold it.
    pub fields: Vec<&'static str>,
}

/// The words by which the tool was found: the exact ones where it has them, else their stems.
pub fn reasons(query: &Query<'_>, hit: &Hit) -> Vec<Reason> {
    let found: Vec<_> = query.found_in(hit.position).collect();
    found
        .iter()
        .filter(|(lookup, _)| {
            let of_its_stem = |other: &Lookup<'_>| other.exact && other.stem == lookup.stem;
            lookup.exact || !found.iter().any(|(other, _)| of_its_stem(other))
        })
        .map(|(lookup, posting)| Reason {
            term: lookup.word.clone(),
            fields: posting.fields().map(|field| field.as_str()).collect(),
        })
        .collect()
}

/// The score as a tree whose root is the score, bit for bit.
pub fn explain(query: &Query<'_>, catalogue: &Catalogue, hit: &Hit) -> Explanation {
    let words = match query.rule() {
        Rule::Bm25 => bm25(query, hit.position),
        Rule::Keywords => keywords(query, hit.position),
    };
    match hit.named {
        None => words,
        Some(fit) => Explanation {
            value: words.value + bonus(fit),
            text: format!("\"{}\" is named by the query", catalogue.name(hit.position)),
            parts: vec![
                words,
                leaf(
                    bonus(fit),
                    "a named tool stands above all others".to_owned(),
                ),
            ],
        },
    }
}

fn leaf(value: f64, text: String) -> Explanation {
    Explanation {
        value,
        text,
        parts: Vec::new(),
    }
}

/// The parts added up, in their order.
fn sum(parts: Vec<Explanation>) -> Explanation {
    Explanation {
        value: parts.iter().fold(0.0, |sum, part| sum + part.value),
        text: "sum of the words".to_owned(),
        parts,
    }
}

fn keywords(query: &Query<'_>, position: u32) -> Explanation {
    let words = query.found_in(position).map(|(lookup, posting)| {
        let word = &lookup.word;
        leaf(
            keyword_value(posting),
            format!("word \"{word}\": 3 in the name, 1 in the description"),
        )
    });
    sum(words.collect())
}

fn bm25(query: &Query<'_>, position: u32) -> Explanation {
    let mut matched = 0;
    let mut parts = Vec::new();
    for (lookup, posting) in query.found_in(position) {
        if !lookup.exact && posting.is_name_part() {
            matched += 1;
        }
        let fields: Vec<&str> = posting.fields().map(|field| field.as_str()).collect();
        let (kind, factor) = if lookup.exact {
            ("word", "0.5 x ")
        } else {
            ("stem", "")
        };
        parts.push(Explanation {
            value: lookup.value(posting),
            text: format!(
                "{kind} \"{}\" in {}: {factor}idf x frequency",
                lookup.word,
                fields.join(", "),
            ),
            parts: vec![
                leaf(
                    lookup.idf,
                    format!(
                        "idf: {} of {} tools have it: ln(1 + (N - n + 0.5) / (n + 0.5))",
                        lookup.postings.len(),
                        query.index().documents()
                    ),
                ),
                leaf(
                    posting.impact,
                    "frequency over all fields, weighted and saturated".to_owned(),
                ),
            ],
        });
    }
    let words = sum(parts);
    if matched == 0 {
        return words;
    }
    let factor = query.coverage(matched, position);
    let stems = query.index().name_stems(position);
    Explanation {
        value: words.value * factor,
        text: "words x name".to_owned(),
        parts: vec![
            words,
            leaf(
                factor,
                format!("the query has {matched} of the {stems} words of the name"),
            ),
        ],
    }
}
