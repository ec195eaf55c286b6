//! Reading a map by its keys, with unknown keys as mistakes and a suggestion for each.

use crate::mistake::KEPT_MAX;
use crate::{Mistake, Mistakes, Node, Place};
use std::cmp::Ordering;
use terms::{Nanos, Quantity, Unit};

/// Reads the keys of one map. What is not taken by the end is unknown.
pub struct Keys<'a> {
    entries: Vec<(&'a Node, &'a Node)>,
    taken: Vec<bool>,
    known: Vec<&'static str>,
    /// Keys that were needed and are not there.
    missing: Vec<&'static str>,
    place: Place,
    of: String,
}

/// An unknown key that is a known one which is not there, but for one slip.
pub struct Misspelt<'a> {
    /// The key as written.
    pub key: &'a Node,
    /// The key that was meant.
    pub meant: &'static str,
    /// What stands under it.
    pub value: &'a Node,
}

/// Words this short are close to too many others: `on` is not taken for `of`.
const MISSPELT_LETTERS_MIN: usize = 3;
/// In words shorter than this, one letter in the place of another makes too many other words: `about` is not taken for
/// `abort`, nor `date` for `data`.
const OTHER_LETTER_MIN: usize = 6;
/// Nor is a letter more, unless it is doubled: `runs`.
const MORE_LETTER_MIN: usize = 5;

impl<'a> Keys<'a> {
    /// Starts to read a map. `of` names it in messages, such as `scenario `busy``. Anything but a map is a mistake.
    pub fn of(node: &'a Node, of: impl Into<String>, mistakes: &mut Mistakes) -> Self {
        let of = of.into();
        let entries = match node.map() {
            Some(entries) => entries.iter().map(|(key, value)| (key, value)).collect::<Vec<_>>(),
            None if node.is_missing() => Vec::new(),
            None => {
                mistakes.push(
                    Mistake::at(node.place, "study::wrong-type", format!("{of} is {}, not a map", node.what()))
                        .hint("write `{ key: value }`, or the keys indented on lines of their own"),
                );
                Vec::new()
            }
        };
        let taken = vec![false; entries.len()];
        Self { entries, taken, known: Vec::new(), missing: Vec::new(), place: node.place, of }
    }

    /// Place of the map.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The name of the map in messages.
    pub fn name(&self) -> &str {
        &self.of
    }

    /// The value under `key`, if it was written.
    pub fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        let index = self.entries.iter().position(|(k, _)| k.text() == Some(key))?;
        self.taken[index] = true;
        Some(self.entries[index].1)
    }

    /// The value under `key`; a mistake when it is missing.
    pub fn need(&mut self, key: &'static str, mistakes: &mut Mistakes) -> Option<&'a Node> {
        let found = self.take(key).filter(|node| !node.is_missing());
        if found.is_none() {
            self.report_missing(key, mistakes);
        }
        found
    }

    /// Reports that a key which must be there is not. Where [`Keys::finish`] finds that it is only misspelt, the report of
    /// the misspelling takes the place of this one.
    pub fn report_missing(&mut self, key: &'static str, mistakes: &mut Mistakes) {
        mistakes.push(self.lacks(key));
        self.missing.push(key);
    }

    /// Reports the unknown keys that are, but for one slip, a known one which is not there, and returns them, so that a
    /// reader can go on with their values: what else is wrong is found too, and no key is missed. All known keys must have
    /// been taken. A key that only resembles a known one may mean something else, and is left to [`Keys::finish`].
    pub fn misspelt(&mut self, mistakes: &mut Mistakes) -> Vec<Misspelt<'a>> {
        let is_there = |known: &&str| self.entries.iter().any(|(key, _)| key.text() == Some(*known));
        let mut absent: Vec<&'static str> = self.known.iter().copied().filter(|known| !is_there(known)).collect();
        let mut found = Vec::new();
        let unknown: Vec<usize> = (0..self.entries.len()).filter(|index| !self.taken[*index]).take(KEPT_MAX).collect();
        for index in unknown {
            let (key, value) = self.entries[index];
            let meant = key.text().and_then(|name| meant(name, self.known.iter().copied()));
            let Some(meant) = meant else { continue };
            if absent.contains(&meant) {
                absent.retain(|key| *key != meant);
                mistakes.push(self.does_not_know(key));
                self.taken[index] = true;
                found.push(Misspelt { key, meant, value });
            }
        }
        found
    }

    /// Whether an unknown key resembles this one, so that its report takes the place of one that this is missing.
    pub fn resembles(&self, key: &str) -> bool {
        let unknown = self.entries.iter().zip(&self.taken).filter(|(_, taken)| !**taken).take(KEPT_MAX);
        let names = unknown.filter_map(|((name, _), _)| name.text());
        names.into_iter().any(|name| suggestion(name, self.known.iter().copied()) == Some(key))
    }

    /// Reports every key that was not taken, with the nearest known one.
    pub fn finish(self, mistakes: &mut Mistakes) {
        for ((key, _), taken) in self.entries.iter().zip(&self.taken) {
            if *taken {
                continue;
            }
            let mistake = self.does_not_know(key);
            let near = suggestion(key.text().unwrap_or_default(), self.known.iter().copied());
            let missing = self.missing.iter().find(|key| Some(**key) == near).map(|key| self.lacks(key));
            let reported = mistakes.0.iter_mut().find(|known| Some(&**known) == missing.as_ref());
            match reported {
                Some(missing) => *missing = mistake,
                None => mistakes.push(mistake),
            }
        }
    }

    fn lacks(&self, key: &str) -> Mistake {
        Mistake::at(self.place, "study::missing-key", format!("{} has no `{key}`", self.of))
            .hint(format!("add `{key}: …`"))
    }

    fn does_not_know(&self, key: &Node) -> Mistake {
        let name = key.text().unwrap_or("?");
        let mistake = Mistake::at(key.place, "study::unknown-key", format!("{} has no key `{name}`", self.of));
        let mistake = match suggestion(name, self.known.iter().copied()) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake,
        };
        mistake.hint(format!("possible here: {}", self.known.join(", ")))
    }
}

impl Node {
    /// The scalar's text, or a mistake that says what `what` should be.
    ///
    /// # Errors
    /// When the node is a list or a map, or nothing.
    pub fn as_text(&self, what: &str) -> Result<&str, Mistake> {
        self.text().filter(|_| !self.is_missing()).ok_or_else(|| {
            Mistake::at(self.place, "study::wrong-type", format!("{what} is {}, not a text", self.what()))
        })
    }

    /// A quantity of one unit; `example` shows what to write.
    ///
    /// # Errors
    /// When it is not a quantity, or one of another unit; a bare number gets its unit as a hint.
    pub fn as_quantity(&self, what: &str, unit: &Unit, example: &str) -> Result<Quantity, Mistake> {
        let text = self.as_text(what)?;
        let read = Quantity::parse(text).map_err(|error| {
            Mistake::at(self.place, "study::no-quantity", format!("{what} `{text}` {error}"))
                .label(format!("write `{example}`"))
        })?;
        if read.unit == *unit {
            return Ok(read);
        }
        let code = if read.unit == Unit::Count { "study::missing-unit" } else { "study::wrong-unit" };
        let found = if read.unit == Unit::Count { "has no unit" } else { "has the wrong unit" };
        Err(Mistake::at(self.place, code, format!("{what} `{text}` {found}")).label(format!("write `{example}`")))
    }

    /// A duration, at least zero.
    ///
    /// # Errors
    /// As [`Node::as_quantity`], and when it is negative.
    pub fn as_duration(&self, what: &str) -> Result<Nanos, Mistake> {
        let text = self.text().unwrap_or_default().trim();
        let example = match text.parse::<f64>() {
            // Other tools take milliseconds.
            Ok(number) if number >= 1000.0 => format!("{text}ms` or `{text}s"),
            Ok(_) => format!("{text}s` or `{text}m"),
            Err(_) => "30s` or `5m".into(),
        };
        let read = self.as_quantity(what, &Unit::Time, &example)?;
        if read.value < 0.0 {
            return Err(Mistake::at(self.place, "study::out-of-range", format!("{what} `{text}` is negative"))
                .label("write a duration of at least `0s`"));
        }
        Ok(Nanos::from_secs_f64(read.value))
    }

    /// A whole number from `least` to `most`.
    ///
    /// # Errors
    /// When it is not a whole number or lies outside.
    pub fn as_count(&self, what: &str, least: u64, most: u64) -> Result<u64, Mistake> {
        let text = self.as_text(what)?;
        let read = text.replace('_', "").parse::<u64>().map_err(|_| {
            Mistake::at(self.place, "study::no-count", format!("{what} `{text}` is not a whole number"))
                .label(format!("write a whole number from {least} to {most}"))
        })?;
        if (least..=most).contains(&read) {
            return Ok(read);
        }
        Err(Mistake::at(self.place, "study::out-of-range", format!("{what} `{text}` is outside {least} to {most}"))
            .label(format!("write a whole number from {least} to {most}")))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// When it is anything else, `yes` and `on` included.
    pub fn as_bool(&self, what: &str) -> Result<bool, Mistake> {
        match self.as_text(what)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => {
                Err(Mistake::at(self.place, "study::wrong-type", format!("{what} `{other}` is neither true nor false"))
                    .label("write `true` or `false`"))
            }
        }
    }
}

/// What one of some known words stands for; `what` is shown as what it was found as: "`unit`".
///
/// # Errors
/// What is not text, and a word that is not known, with the nearest of those that are.
pub fn one_of<T: Copy>(node: &Node, what: &str, known: &[(&'static str, T)]) -> Result<T, Mistake> {
    let text = node.as_text(what)?;
    known.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let found = format!("{what} is `{}`, which is not known here", text.escape_debug());
        let mistake = Mistake::at(node.place, "study::unknown-word", found);
        match suggestion(text, words.iter().copied()) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake.label(format!("possible are {}", words.join(", "))),
        }
    })
}

/// Among so many known words the nearest is looked for: comparing takes its time, and every wrong word asks.
const SUGGESTED_AMONG_MAX: usize = 1000;

/// The known word nearest to `found`, if one is near enough to be meant: at most a third of its letters differ, capital or
/// not.
pub fn suggestion<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let length = lower.chars().count();
    let bound = (length / 3).max(1);
    known
        .into_iter()
        .take(SUGGESTED_AMONG_MAX)
        .filter(|word| word.chars().count().abs_diff(length) <= bound)
        .map(|word| (edit_distance(&lower, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= bound)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The one known word that `found` is but for a single slip: a letter too many, too few, wrong, or swapped with its
/// neighbour, capital or not. `None` where there are several: then nobody can tell which of them was meant.
pub fn slip_of<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let length = lower.chars().count();
    let mut near = known
        .into_iter()
        .take(SUGGESTED_AMONG_MAX)
        .filter(|word| word.chars().count().abs_diff(length) <= 1)
        .filter(|word| edit_distance(&lower, &word.to_lowercase()) <= 1);
    near.next().filter(|_| near.next().is_none())
}

/// The one known word that `found` can be read as: that of [`slip_of`], unless so small a difference makes too many other
/// words of ones as short as these.
pub fn meant<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower: Vec<char> = found.to_lowercase().chars().collect();
    let length = lower.len();
    if length < MISSPELT_LETTERS_MIN {
        return None;
    }
    let meant = slip_of(found, known)?;
    let wanted: Vec<char> = meant.to_lowercase().chars().collect();
    let is_sure = match length.cmp(&wanted.len()) {
        Ordering::Less => true,
        Ordering::Equal => {
            let differing = lower.iter().zip(&wanted).filter(|(found, wanted)| found != wanted).count();
            // Two differ where neighbours are swapped.
            differing != 1 || length >= OTHER_LETTER_MIN
        }
        Ordering::Greater => {
            let at = lower.iter().zip(&wanted).take_while(|(found, wanted)| found == wanted).count();
            length > MORE_LETTER_MIN || (at > 0 && lower[at] == lower[at - 1])
        }
    };
    is_sure.then_some(meant)
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::Shape;

    fn map(keys: &[&str]) -> Node {
        let entry = |(line, key): (u32, &&str)| {
            let place = Place { file: 0, line, column: 1, length: 1 };
            (Node::text_at(place, *key), Node::text_at(place, "5"))
        };
        Node { place: Place::default(), shape: Shape::Map((1..).zip(keys).map(entry).collect()) }
    }

    fn told(mistakes: &Mistakes) -> Vec<&str> {
        mistakes.0.iter().map(|mistake| mistake.message.as_str()).collect()
    }

    #[test]
    fn a_needed_key_that_is_misspelt_is_one_mistake() {
        let node = map(&["ulr", "headres", "body"]);
        let mut mistakes = Mistakes::default();
        let mut keys = Keys::of(&node, "it", &mut mistakes);
        keys.need("url", &mut mistakes);
        keys.need("method", &mut mistakes);
        for key in ["headers", "body"] {
            keys.take(key);
        }
        keys.finish(&mut mistakes);
        assert_eq!(told(&mistakes), ["it has no key `ulr`", "it has no `method`", "it has no key `headres`"]);
        assert_eq!(mistakes.0[0].label.as_deref(), Some("did you mean `url`?"));
    }

    #[test]
    fn a_misspelt_key_is_read_as_the_one_that_is_meant_unless_that_is_there() {
        let node = map(&["arivals", "arrivls", "hold", "hlod", "on"]);
        let mut mistakes = Mistakes::default();
        let mut keys = Keys::of(&node, "it", &mut mistakes);
        for key in ["arrivals", "hold", "of"] {
            keys.take(key);
        }
        let found: Vec<_> =
            keys.misspelt(&mut mistakes).iter().map(|found| (found.key.place.line, found.meant)).collect();
        assert_eq!(found, [(1, "arrivals")]);
        keys.finish(&mut mistakes);
        let all = ["arivals", "arrivls", "hlod", "on"].map(|key| format!("it has no key `{key}`"));
        assert_eq!(told(&mistakes), all);
    }

    #[test]
    fn one_slip_tells_which_word_was_meant_if_there_is_no_other() {
        let known = ["http.get", "http.post", "http.put"];
        for found in ["http.GETT", "htpp.get", "http.gte", "https.get", "HTTP.GET"] {
            assert_eq!(slip_of(found, known), Some("http.get"), "{found}");
        }
        assert_eq!(slip_of("http.pot", known), None, "`post` or `put`");
        assert_eq!(slip_of("htp.gte", known), None);
    }

    #[test]
    fn a_short_word_that_may_be_another_is_not_taken_for_a_known_one() {
        for (found, known) in [
            ("max", "mix"),
            ("about", "abort"),
            ("search", "each"),
            ("notes", "nodes"),
            ("date", "data"),
            ("far", "for"),
            ("runs", "run"),
            ("on", "of"),
        ] {
            assert_eq!(meant(found, [known]), None, "{found}");
        }
        for (found, known) in [
            ("ulr", "url"),
            ("rat", "rate"),
            ("runn", "run"),
            ("laod", "load"),
            ("arivals", "arrivals"),
            ("scenarois", "scenarios"),
            ("requirememts", "requirements"),
            ("recoverry", "recovery"),
            ("Load", "load"),
        ] {
            assert_eq!(meant(found, [known]), Some(known), "{found}");
        }
        assert_eq!(meant("too", ["to"]), Some("to"), "doubled");
    }

    #[test]
    fn a_needed_key_that_is_only_resembled_is_one_mistake_and_stays_missing() {
        let node = map(&["far"]);
        let mut mistakes = Mistakes::default();
        let mut keys = Keys::of(&node, "it", &mut mistakes);
        keys.take("for");
        assert!(keys.misspelt(&mut mistakes).is_empty() && keys.resembles("for"));
        assert!(keys.need("for", &mut mistakes).is_none());
        keys.finish(&mut mistakes);
        assert_eq!(told(&mistakes), ["it has no key `far`"]);
    }

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        assert_eq!(suggestion("arrvials", ["arrivals", "users"]), Some("arrivals"));
        assert_eq!(suggestion("raet", ["rate", "hold"]), Some("rate"));
        assert_eq!(suggestion("http.GET", ["http.post", "http.get"]), Some("http.get"));
        assert_eq!(suggestion("colour", ["rate", "hold"]), None);
    }
}
