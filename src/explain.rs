//! Why a hit has its score.

use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::index::Index;
use crate::search::{Hit, Query, at, bonus, coverage, keyword_value, lookups};

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
pub fn reasons(query: &Query, index: &Index, hit: &Hit, by_keywords: bool) -> Vec<Reason> {
    let mut reasons: Vec<(Reason, String)> = Vec::new();
    let found = lookups(query, index);
    for lookup in found.iter().rev() {
        let Some(posting) = lookup.posting(hit.position) else {
            continue;
        };
        if by_keywords && (!lookup.exact || keyword_value(posting) == 0.0) {
            continue;
        }
        let stem = if lookup.exact {
            crate::terms::stem(lookup.word).into_owned()
        } else {
            lookup.word.to_owned()
        };
        if !lookup.exact && reasons.iter().any(|(_, known)| *known == stem) {
            continue;
        }
        reasons.push((
            Reason {
                term: lookup.word.to_owned(),
                fields: posting.fields().map(|field| field.as_str()).collect(),
            },
            stem,
        ));
    }
    reasons.reverse();
    reasons.into_iter().map(|(reason, _)| reason).collect()
}

/// The score as a tree whose root is the score, bit for bit.
pub fn explain(
    query: &Query,
    index: &Index,
    catalogue: &Catalogue,
    hit: &Hit,
    by_keywords: bool,
) -> Explanation {
    let words = if by_keywords {
        keywords(query, index, hit)
    } else {
        bm25(query, index, hit)
    };
    match hit.named {
        None => words,
        Some(fit) => Explanation {
            value: words.value + bonus(fit),
            text: format!("\"{}\" is named by the query", catalogue.name(hit.position)),
            parts: vec![
                words,
                Explanation {
                    value: bonus(fit),
                    text: "a named tool stands above all others".to_owned(),
                    parts: Vec::new(),
                },
            ],
        },
    }
}

fn keywords(query: &Query, index: &Index, hit: &Hit) -> Explanation {
    let mut value = 0.0;
    let mut parts = Vec::new();
    for (word, posting) in query
        .words()
        .filter_map(|word| Some((word, at(index.word(word), hit.position)?)))
        .filter(|(_, posting)| keyword_value(posting) > 0.0)
    {
        value += keyword_value(posting);
        parts.push(Explanation {
            value: keyword_value(posting),
            text: format!("word \"{word}\": 3 in the name, 1 in the description"),
            parts: Vec::new(),
        });
    }
    Explanation {
        value,
        text: "sum of the words".to_owned(),
        parts,
    }
}

fn bm25(query: &Query, index: &Index, hit: &Hit) -> Explanation {
    let mut sum = 0.0;
    let mut matched = 0;
    let mut parts = Vec::new();
    for lookup in lookups(query, index) {
        let Some(posting) = lookup.posting(hit.position) else {
            continue;
        };
        let value = lookup.value(posting);
        sum += value;
        if !lookup.exact && posting.is_name_part() {
            matched += 1;
        }
        let fields: Vec<&str> = posting.fields().map(|field| field.as_str()).collect();
        parts.push(Explanation {
            value,
            text: format!(
                "{} \"{}\" in {}: {}idf x frequency",
                if lookup.exact { "word" } else { "stem" },
                lookup.word,
                fields.join(", "),
                if lookup.exact { "0.5 x " } else { "" },
            ),
            parts: vec![
                Explanation {
                    value: lookup.idf,
                    text: format!(
                        "idf: {} of {} tools have it: ln(1 + (N - n + 0.5) / (n + 0.5))",
                        lookup.postings.len(),
                        index.documents()
                    ),
                    parts: Vec::new(),
                },
                Explanation {
                    value: posting.impact,
                    text: "frequency over all fields, weighted and saturated".to_owned(),
                    parts: Vec::new(),
                },
            ],
        });
    }
    let words = Explanation {
        value: sum,
        text: "sum of the words".to_owned(),
        parts,
    };
    if matched == 0 {
        return words;
    }
    let stems = index.name_stems(hit.position);
    let factor = coverage(matched, stems, query.parts());
    Explanation {
        value: words.value * factor,
        text: "words x name".to_owned(),
        parts: vec![
            words,
            Explanation {
                value: factor,
                text: format!("the query has {matched} of the {stems} words of the name"),
                parts: Vec::new(),
            },
        ],
    }
}
