//! The inverted index: which tools hold a word, in which fields, and how much that counts.
//!
//! Built once and never changed. What a posting is worth depends on the catalogue alone, so it is
//! computed here and a search only multiplies and adds.

use crate::bm25::{length_factor, saturated};
use crate::catalogue::Catalogue;
use crate::fields::{Field, Texts};
use crate::terms::{Kind, stem, words};
use crate::vocabulary::Vocabulary;

/// What a word in a field counts, and how far the field's length matters.
struct Weight {
    weight: f64,
    b: f64,
}

/// A description's ordinary sentence is the measure.
const DESCRIPTION: f64 = 1.0;
/// The first sentence says what a tool is for; the rest also says what it is not for.
const SUMMARY: f64 = DESCRIPTION * 2.5;
/// A name is chosen to be called, and is short: twice the summary.
const NAME: f64 = SUMMARY * 2.0;
/// A parameter is part of how, not of what: half a sentence. At full weight it hurts
/// (relevance measurements, DESIGN.md).
const PARAMETER: f64 = DESCRIPTION / 2.0;

/// In the order of [`Field::ALL`]. A long name or description is a fuller one, so length matters
/// little there (b .3); a schema's length says nothing of the tool's purpose (b .75).
const WEIGHTS: [Weight; 5] = [
    Weight {
        weight: NAME,
        b: 0.3,
    },
    Weight {
        weight: SUMMARY,
        b: 0.5,
    },
    Weight {
        weight: DESCRIPTION,
        b: 0.3,
    },
    Weight {
        weight: PARAMETER,
        b: 0.75,
    },
    Weight {
        weight: PARAMETER,
        b: 0.75,
    },
];

/// A set of fields, one bit each in the order of [`Field::ALL`].
pub type FieldSet = u8;
/// Beside the fields: the word is one of those that the tool's name is made of.
const NAME_PART: u8 = 1 << 7;

/// A tool that holds a term.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    /// The tool's position in the host's array.
    pub position: u32,
    fields: u8,
    /// The term's saturated frequency in the tool, over all fields.
    pub impact: f64,
}

impl Posting {
    const NONE: Posting = Posting {
        position: 0,
        fields: 0,
        impact: 0.0,
    };

    /// The fields that hold the term.
    pub fn fields(&self) -> impl Iterator<Item = Field> + use<> {
        let fields = self.fields;
        Field::ALL
            .into_iter()
            .filter(move |field| fields & (1 << (*field as u8)) != 0)
    }
    /// True when this field holds the term.
    pub fn is_in(&self, field: Field) -> bool {
        self.fields & (1 << (field as u8)) != 0
    }
    /// True when the tool's name is made of this term and others.
    #[inline(always)]
    pub fn is_name_part(&self) -> bool {
        self.fields & NAME_PART != 0
    }
}

/// The index of a catalogue.
#[derive(Debug)]
pub struct Index {
    documents: u32,
    positions: usize,
    words: Vocabulary,
    stems: Vocabulary,
    word_lists: Vec<List>,
    stem_lists: Vec<List>,
    postings: Vec<Posting>,
    /// How many different stems each tool's name is made of.
    name_stems: Vec<u16>,
    /// What the index of a changed catalogue takes over: how often each word's postings have it, which stand before
    /// those of the stems, what each word's stem is, and how long each tool's fields are.
    counts: Vec<[u8; 5]>,
    stem_of: Vec<u32>,
    lengths: Vec<[u32; 5]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct List {
    start: u32,
    end: u32,
}

impl List {
    fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A word in a tool before the average lengths are known.
#[derive(Clone, Copy, Default)]
struct Raw {
    position: u32,
    counts: [u8; 5],
    part: bool,
}

impl Raw {
    fn new(position: u32) -> Raw {
        Raw {
            position,
            counts: [0; 5],
            part: false,
        }
    }
}

/// Counts the words of each tool, one tool after the other.
struct Counter {
    words: Vocabulary,
    stems: Vocabulary,
    /// The stem of each word.
    stem_of: Vec<u32>,
    /// What was counted, with the word's number.
    raws: Vec<(u32, Raw)>,
    /// How many words each tool has in each field.
    lengths: Vec<[u32; 5]>,
    /// How many different stems each tool's name is made of.
    name_stems: Vec<u16>,
    /// The tool at hand, and how many of `raws` belong to those before it.
    position: u32,
    first: usize,
    /// Where in `raws`, plus one, a word was counted last; of the tool at hand if beyond `first`.
    counted_at: Vec<usize>,
    /// The last tool, plus one, whose name holds a stem.
    named_by: Vec<u32>,
}

impl Counter {
    fn new(positions: usize) -> Counter {
        Counter {
            words: Vocabulary::default(),
            stems: Vocabulary::default(),
            stem_of: Vec::new(),
            // Some fifty different words a tool; growing copies them all.
            raws: Vec::with_capacity(positions * 48),
            lengths: vec![[0; 5]; positions],
            name_stems: vec![0; positions],
            position: 0,
            first: 0,
            counted_at: Vec::new(),
            named_by: Vec::new(),
        }
    }

    /// Goes on with the words of an older index.
    fn with_words_of(index: &Index, positions: usize) -> Counter {
        Counter {
            words: index.words.clone(),
            stems: index.stems.clone(),
            stem_of: index.stem_of.clone(),
            counted_at: vec![0; index.words.len()],
            named_by: vec![0; index.stems.len()],
            ..Counter::new(positions)
        }
    }

    fn start(&mut self, position: u32) {
        self.position = position;
        self.first = self.raws.len();
    }

    fn count(&mut self, field: Field, text: &str) {
        words(text, &mut |word, kind| {
            let number = self.number(word);
            self.add(number, field);
            if field == Field::Name && kind == Kind::Part {
                self.name(number);
            }
        });
    }

    fn number(&mut self, word: &str) -> u32 {
        let (number, is_new) = self.words.intern(word);
        if is_new {
            let (stem, is_new_stem) = self.stems.intern(&stem(word));
            self.stem_of.push(stem);
            self.counted_at.push(0);
            if is_new_stem {
                self.named_by.push(0);
            }
        }
        number
    }

    fn add(&mut self, number: u32, field: Field) {
        let at = &mut self.counted_at[number as usize];
        if *at <= self.first {
            self.raws.push((number, Raw::new(self.position)));
            *at = self.raws.len();
        }
        let count = &mut self.raws[*at - 1].1.counts[field as usize];
        *count = count.saturating_add(1);
        self.lengths[self.position as usize][field as usize] += 1;
    }

    /// The word, counted just now, is one that the tool's name is made of.
    fn name(&mut self, number: u32) {
        self.raws[self.counted_at[number as usize] - 1].1.part = true;
        let mark = self.position + 1;
        let named_by = &mut self.named_by[self.stem_of[number as usize] as usize];
        if std::mem::replace(named_by, mark) != mark {
            let stems = &mut self.name_stems[self.position as usize];
            *stems = stems.saturating_add(1);
        }
    }
}

/// Two lists by position as one, with the counts of a tool that is in both added.
fn merge(mut a: &[Raw], mut b: &[Raw], merged: &mut Vec<Raw>) {
    merged.clear();
    merged.reserve(a.len() + b.len());
    while let ([left, a_rest @ ..], [right, b_rest @ ..]) = (a, b) {
        let mut raw = if left.position <= right.position {
            *left
        } else {
            *right
        };
        if left.position == right.position {
            raw.part |= right.part;
            for (count, more) in raw.counts.iter_mut().zip(right.counts) {
                *count = count.saturating_add(more);
            }
        }
        merged.push(raw);
        if left.position <= right.position {
            a = a_rest;
        }
        if right.position <= raw.position {
            b = b_rest;
        }
    }
    merged.extend_from_slice(a);
    merged.extend_from_slice(b);
}

impl Index {
    /// Indexes every tool of the catalogue, resident ones too: how rare a word is depends on all.
    /// `schemas` are the JSON texts of the parameters. Also which of them can't be read, and why.
    pub fn build(catalogue: &Catalogue, schemas: &[Option<&str>]) -> (Index, Vec<(u32, String)>) {
        Index::make(catalogue, schemas, None)
    }

    /// The index of a catalogue that was changed, with the same answers to the last bit as one that is built anew. `kept`
    /// has for each tool the position at which this index has it with just the same texts; only the others are split
    /// into words, so that their `schemas` alone are looked at, and only of them it says which can't be read.
    pub fn rebuild(
        &self,
        catalogue: &Catalogue,
        schemas: &[Option<&str>],
        kept: &[Option<u32>],
    ) -> (Index, Vec<(u32, String)>) {
        Index::make(catalogue, schemas, Some((self, kept)))
    }

    /// True when most of its words are of tools that are no more: they are carried along from one index to the next, so
    /// that one has to be built anew at some time.
    pub fn is_worn(&self) -> bool {
        let unused = self.word_lists.iter().filter(|list| list.len() == 0);
        unused.count() * 2 > self.words.len()
    }

    fn make(
        catalogue: &Catalogue,
        schemas: &[Option<&str>],
        older: Option<(&Index, &[Option<u32>])>,
    ) -> (Index, Vec<(u32, String)>) {
        let positions = catalogue.entries.len();
        let mut faults = Vec::new();
        let mut texts = Texts::default();
        let mut documents = 0;
        let kept_at = |position: u32| -> Option<(&Index, u32)> {
            let (index, kept) = older?;
            Some((index, kept.get(position as usize).copied().flatten()?))
        };
        let (mut counter, (places, counted)) = match older {
            None => (Counter::new(positions), Default::default()),
            Some((index, kept)) => (
                Counter::with_words_of(index, positions),
                index.counted(kept, positions),
            ),
        };
        for (position, tool) in catalogue.tools() {
            documents += 1;
            if let Some((index, at)) = kept_at(position) {
                let at = at as usize;
                counter.lengths[position as usize] =
                    index.lengths.get(at).copied().unwrap_or_default();
                counter.name_stems[position as usize] =
                    index.name_stems.get(at).copied().unwrap_or_default();
                counter
                    .raws
                    .extend_from_slice(&counted[places[position as usize].range()]);
                continue;
            }
            let schema = schemas.get(position as usize).copied().flatten();
            if let Err(fault) = texts.read(tool, schema) {
                faults.push((position, fault));
            }
            counter.start(position);
            for (field, text) in texts.iter() {
                counter.count(field, text);
            }
        }
        drop(counted);
        let Counter {
            words: words_seen,
            stems: stems_seen,
            stem_of,
            raws,
            lengths,
            name_stems,
            ..
        } = counter;
        let mut totals = [0_u64; 5];
        for length in &lengths {
            for (total, length) in totals.iter_mut().zip(length) {
                *total += u64::from(*length);
            }
        }
        let averages = totals.map(|total| total as f64 / f64::from(documents.max(1)));
        let factors: Vec<[f64; 5]> = lengths
            .iter()
            .map(|lengths| length_factors(lengths, &averages))
            .collect();
        let (word_lists, raws) = by_number(&raws, words_seen.len());
        // A stem of one word has that word's list. One of several has the sum of theirs.
        let forms: Vec<(u32, u32)> = stem_of.iter().copied().zip(0..).collect();
        let (forms, words_by_stem) = by_number(&forms, stems_seen.len());
        let length = |word: &u32| word_lists[*word as usize].len();
        let sums_at_most: usize = forms
            .iter()
            .filter(|form| form.len() > 1)
            .flat_map(|form| &words_by_stem[form.range()])
            .map(length)
            .sum();
        let mut postings: Vec<Posting> = Vec::with_capacity(raws.len() + sums_at_most);
        // Not by `extend` or `push`, which are a call for each.
        postings.resize(raws.len(), Posting::NONE);
        for (place, raw) in postings.iter_mut().zip(&raws) {
            *place = posting(raw, &factors);
        }
        let mut stem_lists = Vec::with_capacity(forms.len());
        let (mut sums, mut merged) = (Vec::new(), Vec::new());
        for form in &forms {
            let words = &words_by_stem[form.range()];
            if let [word] = words {
                stem_lists.push(word_lists[*word as usize]);
                continue;
            }
            sums.clear();
            for word in words {
                merge(
                    &sums,
                    &raws[word_lists[*word as usize].range()],
                    &mut merged,
                );
                std::mem::swap(&mut sums, &mut merged);
            }
            let start = postings.len() as u32;
            for raw in &sums {
                postings.push(posting(raw, &factors));
            }
            stem_lists.push(List {
                start,
                end: postings.len() as u32,
            });
        }
        postings.shrink_to_fit();
        let index = Index {
            documents,
            positions,
            counts: raws.iter().map(|raw| raw.counts).collect(),
            lengths,
            words: words_seen,
            stems: stems_seen,
            word_lists,
            stem_lists,
            postings,
            name_stems,
            stem_of,
        };
        (index, faults)
    }

    /// What was counted of the tools that are kept, by the positions that they have now.
    fn counted(&self, kept: &[Option<u32>], positions: usize) -> (Vec<List>, Vec<(u32, Raw)>) {
        const GONE: u32 = u32::MAX;
        let mut moved = vec![GONE; self.positions];
        for (position, at) in (0..positions as u32).zip(kept) {
            if let Some(place) = at.and_then(|at| moved.get_mut(at as usize)) {
                *place = position;
            }
        }
        let mut raws: Vec<(u32, (u32, Raw))> = Vec::with_capacity(self.counts.len());
        for (word, list) in (0..).zip(&self.word_lists) {
            for at in list.range() {
                let posting = &self.postings[at];
                let position = moved[posting.position as usize];
                if position != GONE {
                    let raw = Raw {
                        position,
                        counts: self.counts[at],
                        part: posting.is_name_part(),
                    };
                    raws.push((position, (word, raw)));
                }
            }
        }
        by_number(&raws, positions)
    }

    /// How many tools are indexed.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// One more than the highest position.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// The tools that hold exactly this word, by position.
    pub fn word(&self, word: &str) -> &[Posting] {
        self.words
            .number(word)
            .map_or(&[], |number| self.list(self.word_lists[number as usize]))
    }

    /// The tools that hold a word of this stem, by position.
    pub fn stem(&self, stem: &str) -> &[Posting] {
        self.stems
            .number(stem)
            .map_or(&[], |number| self.list(self.stem_lists[number as usize]))
    }

    /// How many different stems the name at `position` is made of.
    pub fn name_stems(&self, position: u32) -> u16 {
        self.name_stems.get(position as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn list(&self, list: List) -> &[Posting] {
        &self.postings[list.start as usize..list.end as usize]
    }
}

#[inline(always)]
fn posting(raw: &Raw, factors: &[[f64; 5]]) -> Posting {
    Posting {
        position: raw.position,
        fields: set(&raw.counts) | if raw.part { NAME_PART } else { 0 },
        impact: impact(&raw.counts, &factors[raw.position as usize]),
    }
}

#[inline(always)]
fn set(counts: &[u8; 5]) -> FieldSet {
    // Written out, as the loop is felt: it runs for every word of every tool.
    let [name, summary, description, parameter, text] = *counts;
    u8::from(name > 0)
        | u8::from(summary > 0) << 1
        | u8::from(description > 0) << 2
        | u8::from(parameter > 0) << 3
        | u8::from(text > 0) << 4
}

/// What a term's frequency in each field of a tool is divided by.
fn length_factors(lengths: &[u32; 5], averages: &[f64; 5]) -> [f64; 5] {
    let mut factors = [1.0; 5];
    for (field, factor) in factors.iter_mut().enumerate() {
        *factor = length_factor(f64::from(lengths[field]), averages[field], WEIGHTS[field].b);
    }
    factors
}

#[inline(always)]
fn impact(counts: &[u8; 5], factors: &[f64; 5]) -> f64 {
    let mut frequency = 0.0;
    // Most words stand in one field: one look for each that has it, not one for each there is.
    let mut fields = set(counts);
    while fields != 0 {
        let field = fields.trailing_zeros() as usize;
        frequency += WEIGHTS[field].weight * (f64::from(counts[field]) / factors[field]);
        fields &= fields - 1;
    }
    saturated(frequency)
}

/// Groups by number, in the order of positions within each, in time linear in both.
fn by_number<T: Copy + Default>(items: &[(u32, T)], numbers: usize) -> (Vec<List>, Vec<T>) {
    let mut lists = vec![List::default(); numbers];
    for (number, _) in items {
        lists[*number as usize].end += 1;
    }
    let mut start = 0;
    for list in &mut lists {
        let length = list.end;
        *list = List { start, end: start };
        start += length;
    }
    let mut grouped = vec![T::default(); items.len()];
    for (number, item) in items {
        let list = &mut lists[*number as usize];
        grouped[list.end as usize] = *item;
        list.end += 1;
    }
    (lists, grouped)
}
