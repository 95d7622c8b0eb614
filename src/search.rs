//! From a query to hits, best first.

use crate::bm25::idf;
use crate::catalogue::Catalogue;
use crate::fields::{Field, head};
use crate::index::{Index, Posting};
use crate::names::{Match, is_identifier, is_separator};
use crate::sort::{keep_best, order};
use crate::terms::{Kind, is_stop_word, stem, words};
use crate::vocabulary::Vocabulary;

/// A query is read so far: a pasted document is no query, and its first pages say what it is about.
pub(crate) const QUERY_BYTES: usize = 16 * 1024;
/// At most so many different words of a query count. The longest real request in the measured sets
/// has some ninety.
const QUERY_WORDS: usize = 128;
/// What the exact form of a word adds beside its stem.
const EXACT_FORM: f64 = 0.5;
/// Lifts a tool that the query names above every sum of words. One word is worth at most
/// (1 + EXACT_FORM) x (K1 + 1) x ln(2^32 + 1) = 73, a name covered in full doubles that, and there
/// are at most [`QUERY_WORDS`]: 18,700.
const NAMED: f64 = 100_000.0;

/// A query, read and scored against an index: once, whoever is then looked for.
pub struct Query<'i> {
    index: &'i Index,
    /// The text, cut if it was huge.
    text: String,
    /// Stems in the query's order, then exact forms: the one order in which scores are summed.
    lookups: Vec<Lookup<'i>>,
    /// How many different words the query has, joined forms of identifiers not counted.
    parts: usize,
    rule: Rule,
    /// What each tool scores by its words alone.
    scores: Vec<f64>,
}

/// How words are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// BM25F over all fields.
    Bm25,
    /// Each word counts three where a tool's name has it, one where its description has it.
    Keywords,
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The tool's position in the host's array.
    pub position: u32,
    /// How well it fits: higher is better, always above zero.
    pub score: f64,
    /// How the query names the tool, if it does.
    pub named: Option<Match>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The hits, best first; those that the query names come before all others.
    pub hits: Vec<Hit>,
    /// The query names tools and nothing else: what it does not name is not wanted.
    pub only_named: bool,
}

impl<'i> Query<'i> {
    /// Reads a query. Words that say nothing are left out; if nothing else is said, those of them
    /// stay that stand in a tool's name.
    pub fn read(text: &str, index: &'i Index, rule: Rule) -> Query<'i> {
        let text = head(text.trim(), QUERY_BYTES);
        let mut telling: Vec<(String, Kind)> = Vec::new();
        let mut filler: Vec<(String, Kind)> = Vec::new();
        words(text, &mut |word, kind| {
            let list = if is_stop_word(word) {
                &mut filler
            } else {
                &mut telling
            };
            if list.len() < QUERY_WORDS && !list.iter().any(|(known, _)| known == word) {
                list.push((word.to_owned(), kind));
            }
        });
        if telling.is_empty() {
            filler.retain(|(word, _)| index.word(word).iter().any(Posting::is_name_part));
            telling = filler;
        }
        let is_part = |(_, kind): &&(String, Kind)| *kind == Kind::Part;
        let mut query = Query {
            index,
            text: text.to_owned(),
            parts: telling.iter().filter(is_part).count(),
            lookups: lookups(telling, index),
            rule,
            scores: Vec::new(),
        };
        query.scores = match rule {
            Rule::Bm25 => query.bm25(),
            Rule::Keywords => query.keywords(),
        };
        query
    }

    fn bm25(&self) -> Vec<f64> {
        let mut scores = vec![0.0_f64; self.index.positions()];
        let mut matched = vec![0_u16; self.index.positions()];
        for lookup in &self.lookups {
            for posting in lookup.postings {
                let position = posting.position as usize;
                scores[position] += lookup.value(posting);
                if !lookup.exact && posting.is_name_part() {
                    matched[position] += 1;
                }
            }
        }
        for (position, score) in scores.iter_mut().enumerate() {
            if matched[position] > 0 {
                *score *= self.coverage(matched[position], position as u32);
            }
        }
        scores
    }

    fn keywords(&self) -> Vec<f64> {
        let mut scores = vec![0.0_f64; self.index.positions()];
        for lookup in self.lookups.iter().filter(|lookup| lookup.exact) {
            for posting in lookup.postings {
                scores[posting.position as usize] += keyword_value(posting);
            }
        }
        scores
    }

    /// What is found of the query in the tool at `position`, in the order of the sums.
    pub(crate) fn found_in(&self, position: u32) -> impl Iterator<Item = (&Lookup<'i>, &Posting)> {
        let counts = move |lookup: &Lookup<'_>, posting: &Posting| match self.rule {
            Rule::Bm25 => true,
            Rule::Keywords => lookup.exact && keyword_value(posting) > 0.0,
        };
        self.lookups
            .iter()
            .filter_map(move |lookup| Some((lookup, lookup.posting(position)?)))
            .filter(move |(lookup, posting)| counts(lookup, posting))
    }

    /// The index that the query was read against.
    pub(crate) fn index(&self) -> &Index {
        self.index
    }

    /// How its words are counted.
    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    /// What a name of which the query has `matched` stems multiplies a tool's score with: 1 when no
    /// part of the name is asked for, 2 when the name is all of the query and the query all of the
    /// name.
    #[inline(always)]
    pub(crate) fn coverage(&self, matched: u16, position: u32) -> f64 {
        let name_stems = self.index.name_stems(position);
        if matched == 0 || name_stems == 0 || self.parts == 0 {
            return 1.0;
        }
        let of_name = f64::from(matched) / f64::from(name_stems);
        let of_query = (f64::from(matched) / self.parts as f64).min(1.0);
        // The one root that IEEE 754 rounds alike everywhere; libm's took a third of a search.
        1.0 + of_name * of_query.sqrt()
    }
}

/// One thing that a query looks up, and what it counts.
pub(crate) struct Lookup<'i> {
    pub(crate) word: String,
    /// The word's stem, by its number among the stems.
    pub(crate) stem: usize,
    /// The exact form of a word rather than its stem.
    pub(crate) exact: bool,
    pub(crate) factor: f64,
    pub(crate) idf: f64,
    pub(crate) postings: &'i [Posting],
}

impl Lookup<'_> {
    // This and `coverage` are asked for every tool that has one of the words.
    #[inline(always)]
    fn posting(&self, position: u32) -> Option<&Posting> {
        self.postings
            .binary_search_by_key(&position, |posting| posting.position)
            .ok()
            .and_then(|at| self.postings.get(at))
    }
    #[inline(always)]
    pub(crate) fn value(&self, posting: &Posting) -> f64 {
        self.factor * self.idf * posting.impact
    }
}

/// The different stems of the words, then the words.
fn lookups(words: Vec<(String, Kind)>, index: &Index) -> Vec<Lookup<'_>> {
    let look = |word: String, stem: usize, exact: bool, postings| Lookup {
        word,
        stem,
        exact,
        factor: if exact { EXACT_FORM } else { 1.0 },
        idf: idf(<[Posting]>::len(postings) as u32, index.documents()),
        postings,
    };
    let mut stems: Vec<String> = Vec::new();
    let mut exact: Vec<Lookup<'_>> = Vec::new();
    for (word, _) in words {
        let stem = stem(&word).into_owned();
        let number = stems.iter().position(|known| *known == stem);
        let number = number.unwrap_or_else(|| {
            stems.push(stem);
            stems.len() - 1
        });
        let postings = index.word(&word);
        exact.push(look(word, number, true, postings));
    }
    let mut all: Vec<Lookup<'_>> = stems
        .into_iter()
        .enumerate()
        .map(|(number, stem)| {
            let postings = index.stem(&stem);
            look(stem, number, false, postings)
        })
        .collect();
    all.append(&mut exact);
    all.retain(|lookup| !lookup.postings.is_empty());
    all
}

/// What one word counts by the plain rule: a name is chosen to be called, a description is written
/// to be read.
pub(crate) fn keyword_value(posting: &Posting) -> f64 {
    const NAME: f64 = 3.0;
    const DESCRIPTION: f64 = 1.0;
    let described = posting.is_in(Field::Summary) || posting.is_in(Field::Description);
    f64::from(u8::from(posting.is_in(Field::Name))) * NAME
        + f64::from(u8::from(described)) * DESCRIPTION
}

/// Finds the tools that `keep` takes in, at most `limit` of them besides those that the query names.
pub fn search(
    query: &Query<'_>,
    catalogue: &Catalogue,
    keep: &dyn Fn(u32) -> bool,
    limit: usize,
) -> Found {
    let scores = &query.scores;
    let precedes = |a: &Hit, b: &Hit| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| catalogue.name(a.position).cmp(catalogue.name(b.position)))
            .is_lt()
    };
    let Named { tools, only } = named(&query.text, catalogue, keep);
    // What the query names is not cut by the limit: whoever cuts it says so.
    let unsorted: Vec<Hit> = tools
        .iter()
        .map(|(position, fit)| Hit {
            position: *position,
            score: scores[*position as usize] + bonus(*fit),
            named: Some(*fit),
        })
        .collect();
    let mut is_named = vec![false; scores.len()];
    for (position, _) in &tools {
        is_named[*position as usize] = true;
    }
    let mut hits: Vec<Hit> = order(unsorted.len(), &|a, b| precedes(&unsorted[a], &unsorted[b]))
        .into_iter()
        .map(|at| unsorted[at].clone())
        .collect();
    if !only {
        let room = limit.saturating_sub(hits.len());
        let mut others: Vec<Hit> = Vec::new();
        for (position, score) in scores.iter().enumerate() {
            let position = position as u32;
            if *score > 0.0 && keep(position) && !is_named[position as usize] {
                let hit = Hit {
                    position,
                    score: *score,
                    named: None,
                };
                keep_best(&mut others, hit, room, &precedes);
            }
        }
        hits.append(&mut others);
    }
    Found {
        hits,
        only_named: only,
    }
}

/// The closer a name is met the higher it stands.
pub(crate) fn bonus(fit: Match) -> f64 {
    match fit {
        Match::Equal => NAMED * 4.0,
        Match::Case => NAMED * 3.0,
        Match::Canonical => NAMED * 2.0,
        Match::Short => NAMED,
    }
}

/// The tools that a query names.
struct Named {
    tools: Vec<(u32, Match)>,
    /// The query names tools and says nothing else.
    only: bool,
}

fn named(text: &str, catalogue: &Catalogue, keep: &dyn Fn(u32) -> bool) -> Named {
    /// Longer than any name that a provider takes; a longer text is no name.
    const NAME_BYTES: usize = 512;
    let find = |text: &str| {
        if text.len() > NAME_BYTES {
            return (Vec::new(), false);
        }
        let name = |at| catalogue.name(at);
        let (found, is_name) = catalogue.names.find(text, name, keep);
        (one_per_server(found, catalogue), is_name)
    };
    let mut tools: Vec<(u32, Match)> = Vec::new();
    let mut known: Vec<Option<usize>> = vec![None; catalogue.entries.len()];
    let mut add = |found: Vec<(u32, Match)>| {
        for (position, fit) in found {
            match known[position as usize] {
                Some(at) => tools[at].1 = fit.min(tools[at].1),
                None => {
                    known[position as usize] = Some(tools.len());
                    tools.push((position, fit));
                }
            }
        }
    };
    if let Some(list) = strip_select(text) {
        for name in distinct(list) {
            add(find(name).0);
        }
        return Named { tools, only: true };
    }
    // Said twice a name is still a name.
    let words = distinct(text);
    let once = words.join(" ");
    for text in [text, &once] {
        let (found, is_name) = find(text);
        if is_name {
            return Named {
                tools: found,
                only: is_identifier(text),
            };
        }
    }
    let mut identifiers = 0;
    let mut plain: Vec<Vec<(u32, Match)>> = Vec::new();
    for word in &words {
        match find(word) {
            (_, false) => {}
            (found, true) if is_identifier(word) => {
                identifiers += 1;
                add(found);
            }
            (found, true) => plain.push(found),
        }
    }
    // `search` in "search invoices" is a word; in "search, fetch" with tools of these names it is
    // a name.
    let only = identifiers + plain.len() == words.len() && words.len() > 1;
    if only {
        plain.into_iter().for_each(add);
    }
    Named { tools, only }
}

/// The different words of a list of names or a sentence, at most [`QUERY_WORDS`] and one.
fn distinct(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(is_separator).filter(|word| !word.is_empty()) {
        if words.len() <= QUERY_WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// `a,b` in `select:a,b`, as models trained on another agent write it.
fn strip_select(text: &str) -> Option<&str> {
    let prefix = text.get(.."select:".len())?;
    prefix
        .eq_ignore_ascii_case("select:")
        .then(|| text.get(prefix.len()..))
        .flatten()
}

/// Of tools that share the part after the server, one for each server that the host assigned: the
/// first by name. Those without a server all stay.
fn one_per_server(found: Vec<(u32, Match)>, catalogue: &Catalogue) -> Vec<(u32, Match)> {
    let name = |at: usize| catalogue.name(found[at].0);
    let mut servers = Vocabulary::default();
    let mut kept = Vec::new();
    for at in order(found.len(), &|a, b| name(a) < name(b)) {
        let (position, fit) = found[at];
        let server = catalogue
            .tool(position)
            .and_then(|tool| tool.server.as_deref());
        if let (Match::Short, Some(server)) = (fit, server) {
            let (_, is_first) = servers.intern(server);
            if !is_first {
                continue;
            }
        }
        kept.push((position, fit));
    }
    kept
}
