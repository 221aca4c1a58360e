//! An inverted index with the BM25 ranking (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BinaryHeap, HashMap},
    sync::Arc,
};

use super::{
    super::entry::CatalogueTool,
    words::{beginning, each_word},
};
use crate::ToolName;

/// How much a repeated word gains; the usual value.
const K1: f32 = 1.2;
/// How much a long document loses; the usual value.
const B: f32 = 0.75;

/// Bytes of a description that are indexed: what comes later is detail.
const MAX_INDEXED_BYTES: usize = 4_096;

/// What one word in each place counts.
const NAME: f32 = 4.0;
const TITLE: f32 = 3.0;
const TAG: f32 = 3.0;
const DESCRIPTION: f32 = 1.0;

/// What the beginning of a word counts against the word itself.
const BEGINNING: f32 = 0.5;
/// Least bytes of a beginning, and most words that it stands for.
const MIN_BEGINNING_BYTES: usize = 2;
const MAX_BEGUN: usize = 64;

/// What a tool gains when the query is its very name: more than any sum of words.
const EXACT_NAME: f32 = 1_000.0;

#[derive(Default)]
pub(super) struct Index {
    documents: Vec<Option<Document>>,
    free: Vec<u32>,
    slots: HashMap<ToolName, u32>,
    /// The documents that have a word, in the order of their slots.
    postings: BTreeMap<Box<str>, Vec<Posting>>,
    /// The lengths of all documents together.
    total_length: f64,
}

struct Document {
    name: ToolName,
    /// Its words, so that it can be taken out again.
    words: Vec<Box<str>>,
    length: f32,
}

#[derive(Clone, Copy)]
struct Posting {
    slot: u32,
    /// How often the word is there, by the weight of the place.
    weight: f32,
}

impl Index {
    /// Puts a tool in, which is not there.
    pub(super) fn put(&mut self, tool: &Arc<CatalogueTool>) {
        let Some(slot) = self.free_slot() else { return };
        let words = weighted_words(tool);
        let document = Document {
            name: tool.name().clone(),
            length: words.values().sum(),
            words: words.keys().cloned().collect(),
        };
        for (word, weight) in words {
            let list = self.postings.entry(word).or_default();
            let at = list.partition_point(|posting| posting.slot < slot);
            list.insert(at, Posting { slot, weight });
        }
        self.total_length += f64::from(document.length);
        self.slots.insert(document.name.clone(), slot);
        if let Some(place) = slot_of(&mut self.documents, slot) {
            *place = Some(document);
        }
    }

    /// Takes a tool out.
    pub(super) fn remove(&mut self, name: &ToolName) {
        let Some(slot) = self.slots.remove(name) else {
            return;
        };
        let Some(document) = slot_of(&mut self.documents, slot).and_then(Option::take) else {
            return;
        };
        self.total_length -= f64::from(document.length);
        for word in &document.words {
            if let Some(list) = self.postings.get_mut(word) {
                if let Ok(at) = list.binary_search_by_key(&slot, |posting| posting.slot) {
                    list.remove(at);
                }
                if list.is_empty() {
                    self.postings.remove(word);
                }
            }
        }
        self.free.push(slot);
    }

    /// The names of the tools that have one of the words, the best first. Only as much is sorted as is taken.
    pub(super) fn ranked(&self, words: &[String], query: &str) -> impl Iterator<Item = (&ToolName, f32)> {
        let mut scores = vec![0.0; self.documents.len()];
        for word in words {
            self.score_word(word, &mut scores);
        }
        if let Some(slot) = self.slots.get(query) {
            add(&mut scores, *slot, EXACT_NAME);
        }
        let found = scores.into_iter().zip(&self.documents);
        let mut ranked: BinaryHeap<_> = found
            .filter(|(score, _)| *score > 0.0)
            .filter_map(|(score, document)| {
                Some(Ranked {
                    score,
                    name: &document.as_ref()?.name,
                })
            })
            .collect();
        std::iter::from_fn(move || ranked.pop().map(|best| (best.name, best.score)))
    }

    /// Scores the documents that have a word, or, where none has it, words that begin with it.
    fn score_word(&self, word: &str, scores: &mut [f32]) {
        if let Some(list) = self.postings.get(word) {
            self.score(list, 1.0, scores);
        } else if word.len() >= MIN_BEGINNING_BYTES {
            let begun = self.postings.range(Box::from(word)..);
            let begun = begun.take_while(|(other, _)| other.starts_with(word));
            for (_, list) in begun.take(MAX_BEGUN) {
                self.score(list, BEGINNING, scores);
            }
        }
    }

    fn score(&self, list: &[Posting], factor: f32, scores: &mut [f32]) {
        let count = as_float(self.slots.len());
        let having = as_float(list.len());
        let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
        let average = average(self.total_length, count);
        for posting in list {
            let length = self
                .document(posting.slot)
                .map_or(average, |document| document.length);
            let weight =
                posting.weight * (K1 + 1.0) / (posting.weight + K1 * (1.0 - B + B * length / average));
            add(scores, posting.slot, factor * rarity * weight);
        }
    }

    fn document(&self, slot: u32) -> Option<&Document> {
        self.documents.get(usize::try_from(slot).ok()?)?.as_ref()
    }

    fn free_slot(&mut self) -> Option<u32> {
        if let Some(slot) = self.free.pop() {
            return Some(slot);
        }
        let slot = u32::try_from(self.documents.len()).ok()?;
        self.documents.push(None);
        Some(slot)
    }
}

/// A tool that was found; the greatest is the best.
struct Ranked<'a> {
    score: f32,
    name: &'a ToolName,
}

impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.name.cmp(self.name))
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked<'_> {}

fn add(scores: &mut [f32], slot: u32, gained: f32) {
    let score = usize::try_from(slot).ok().and_then(|slot| scores.get_mut(slot));
    if let Some(score) = score {
        *score += gained;
    }
}

fn slot_of(documents: &mut [Option<Document>], slot: u32) -> Option<&mut Option<Document>> {
    documents.get_mut(usize::try_from(slot).ok()?)
}

/// A count as a float; ranking needs no more digits.
fn as_float(count: usize) -> f32 {
    u32::try_from(count).unwrap_or(u32::MAX) as f32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "an average of lengths; ranking needs no more digits"
)]
fn average(total: f64, count: f32) -> f32 {
    (total / f64::from(count.max(1.0))).max(1.0) as f32
}

fn weighted_words(tool: &CatalogueTool) -> BTreeMap<Box<str>, f32> {
    let mut words: BTreeMap<Box<str>, f32> = BTreeMap::new();
    let mut note = |text: &str, weight: f32| {
        each_word(text, |word| *words.entry(word.into()).or_default() += weight);
    };
    note(tool.name().as_str(), NAME);
    note(tool.tool().title().unwrap_or_default(), TITLE);
    for tag in tool.tool().tags() {
        note(tag, TAG);
    }
    let description = tool.tool().description().unwrap_or_default();
    note(beginning(description, MAX_INDEXED_BYTES), DESCRIPTION);
    words
}
