//! Draws for one thing: numbers and words in a fixed order.

use terms::seed::{hash, uniform};

/// A sequence of draws that follows from its key.
pub(crate) struct Draws {
    key: u64,
    next: u64,
}

impl Draws {
    pub(crate) fn new(key: u64, number: u64) -> Self {
        Self { key: hash(key, number), next: 0 }
    }

    /// A number from 0 to below `bound`; `bound` must not be 0. The bias of the product is below 2^-32 for small bounds.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next += 1;
        ((u128::from(hash(self.key, self.next)) * u128::from(bound)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        self.next += 1;
        uniform(self.key, self.next)
    }

    pub(crate) fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// So many words, the first with a capital.
    pub(crate) fn words(&mut self, count: u64) -> String {
        let mut text = String::with_capacity(count as usize * 8);
        for _ in 0..count {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.one_of(WORDS));
        }
        text[..1].make_ascii_uppercase();
        text
    }

    /// A text of exactly so many bytes, words and a full stop.
    pub(crate) fn text_of(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(self.one_of(WORDS));
            text.push(' ');
        }
        text.truncate(bytes);
        // The cut may leave a space at the end; texts of fields have none.
        if text.pop().is_some() {
            text.push('.');
        }
        text
    }
}

/// Plain ASCII, so that texts can be cut at any byte.
pub(crate) const WORDS: &[&str] = &[
    "account",
    "air",
    "analysis",
    "archive",
    "art",
    "atlas",
    "balance",
    "bibliography",
    "birds",
    "border",
    "bridge",
    "building",
    "calendar",
    "canal",
    "catalogue",
    "chapter",
    "choir",
    "city",
    "climate",
    "coast",
    "collected",
    "commerce",
    "common",
    "comparative",
    "concise",
    "contemporary",
    "correspondence",
    "country",
    "court",
    "craft",
    "critical",
    "culture",
    "design",
    "dialogue",
    "dictionary",
    "early",
    "economy",
    "edition",
    "education",
    "energy",
    "essays",
    "ethics",
    "evidence",
    "exploration",
    "family",
    "field",
    "fiction",
    "forest",
    "foundations",
    "garden",
    "geography",
    "glass",
    "grammar",
    "handbook",
    "harbour",
    "harvest",
    "history",
    "house",
    "hydrology",
    "illustrated",
    "index",
    "industry",
    "inquiry",
    "introduction",
    "island",
    "journal",
    "journey",
    "kingdom",
    "labour",
    "landscape",
    "language",
    "law",
    "lectures",
    "letters",
    "library",
    "light",
    "literature",
    "local",
    "logic",
    "machine",
    "manual",
    "manuscript",
    "map",
    "maritime",
    "market",
    "mathematics",
    "measure",
    "medicine",
    "medieval",
    "memory",
    "method",
    "migration",
    "mill",
    "mind",
    "modern",
    "mountain",
    "museum",
    "music",
    "narrative",
    "natural",
    "navigation",
    "north",
    "notes",
    "novel",
    "observation",
    "ocean",
    "orchard",
    "order",
    "painting",
    "papers",
    "parish",
    "perspective",
    "philosophy",
    "physics",
    "poems",
    "politics",
    "practice",
    "press",
    "principles",
    "problems",
    "proceedings",
    "public",
    "quarterly",
    "railway",
    "reader",
    "reform",
    "region",
    "register",
    "religion",
    "report",
    "research",
    "review",
    "river",
    "rural",
    "science",
    "selected",
    "settlement",
    "ship",
    "sketches",
    "society",
    "sources",
    "south",
    "statistics",
    "stone",
    "structure",
    "studies",
    "summer",
    "survey",
    "system",
    "tables",
    "textile",
    "theatre",
    "theory",
    "trade",
    "tradition",
    "travel",
    "treatise",
    "university",
    "urban",
    "valley",
    "village",
    "voyage",
    "water",
    "weather",
    "winter",
    "women",
    "workshop",
    "world",
    "yearbook",
];
