//! Tables of keys: what the checker reads and what the published schema says come from the same rows.

use contract::{Keys, Misspelt, Mistakes, Node, Place, Shape};

/// One key of a map.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) about: &'static str,
    pub(crate) required: bool,
}

/// What a value looks like, as far as a schema can say it.
#[derive(Debug)]
pub(crate) enum Form {
    /// Any text.
    Text,
    /// One of these words.
    Words(&'static [&'static str]),
    /// The same for those that are not supported yet: `profile nsp` in `not_yet`, where the first is `profile`.
    CarriedOut(&'static str, &'static [&'static str]),
    /// Name of a file with one of these endings.
    File(&'static [&'static str]),
    /// A check of an answer.
    Check,
    /// A capture of an answer.
    Probe,
    /// A text, or a map from language to text.
    Localized,
    /// `200/s`.
    Rate,
    /// `30m`.
    Duration,
    /// `ssh://user@host:port`, or a node.
    Machine,
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// `5 per node`.
    CountPerNode,
    /// `12000 events`.
    CountOf,
    /// `true` or `false`.
    Bool,
    Rule,
    /// Any scalar.
    Scalar,
    /// Anything.
    Free,
    /// Nothing: this version does not carry it out.
    NotYet,
    /// An exchange before or after the load, with how often.
    Around,
    List(&'static Form),
    /// A list, or a single member.
    Some(&'static Form),
    /// A map by whatever the study writes: headers, environment variables.
    MapOf(&'static Form),
    /// A map by names that rules and `$(…)` can use.
    Named(&'static Form),
    /// A map with these keys.
    Table(&'static [Key]),
    Any(&'static [Form]),
    /// An item of `run`.
    Item,
    /// An exchange: these keys besides one `driver.operation`.
    Exchange(&'static [Key]),
    /// Monitors by name, which may be that of their kind.
    Monitors,
}

/// A key that may be left out.
pub(crate) const fn key(name: &'static str, form: Form, about: &'static str) -> Key {
    Key { name, form, about, required: false }
}

/// A key that must be there.
pub(crate) const fn required(name: &'static str, form: Form, about: &'static str) -> Key {
    Key { name, form, about, required: true }
}

/// Reads one map after its table. A key that the checker reads and the table lacks, or the other way round, is a
/// defect that every test of that map finds.
pub(crate) struct Reader<'a> {
    keys: Keys<'a>,
    table: &'static [Key],
    values: Vec<Option<&'a Node>>,
    /// Keys that were written under another name; their values are read all the same.
    misspelt: Vec<&'static str>,
    asked: Vec<bool>,
}

impl<'a> Reader<'a> {
    pub(crate) fn of(node: &'a Node, table: &'static [Key], name: impl Into<String>, mistakes: &mut Mistakes) -> Self {
        let mut keys = Keys::of(node, name, mistakes);
        // All at once, so that messages list the keys in the table's order.
        let mut values: Vec<_> =
            table.iter().map(|row| keys.take(row.name).filter(|node| !node.is_missing())).collect();
        let mut misspelt = Vec::new();
        for Misspelt { meant, value, .. } in keys.misspelt(mistakes) {
            let row = table.iter().position(|row| row.name == meant);
            values[row.expect("invariant: only keys of the table are known")] =
                Some(value).filter(|it| !it.is_missing());
            misspelt.push(meant);
        }
        Self { keys, table, values, misspelt, asked: vec![false; table.len()] }
    }

    pub(crate) fn place(&self) -> Place {
        self.keys.place()
    }

    pub(crate) fn name(&self) -> &str {
        self.keys.name()
    }

    /// The value under a key; one that is written with nothing behind it counts as not written.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        let row = self.table.iter().position(|row| row.name == key);
        let row = row.expect("invariant: the checker reads only keys of its table");
        self.asked[row] = true;
        self.values[row]
    }

    /// The value of a key; a mistake if it is missing.
    pub(crate) fn need(&mut self, key: &'static str, mistakes: &mut Mistakes) -> Option<&'a Node> {
        let found = self.take(key);
        if found.is_none() && !self.misspelt.contains(&key) {
            self.keys.report_missing(key, mistakes);
        }
        found
    }

    /// Whether the key is there under a name with a slip.
    pub(crate) fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.contains(&key)
    }

    /// Whether an unknown key resembles this one, so that its report takes the place of one that this is missing.
    pub(crate) fn resembles(&self, key: &str) -> bool {
        self.keys.resembles(key)
    }

    pub(crate) fn finish(self, mistakes: &mut Mistakes) {
        debug_assert!(
            self.asked.iter().all(|asked| *asked),
            "the table of {} has keys that the checker does not read: {:?}",
            self.keys.name(),
            self.table
                .iter()
                .zip(&self.asked)
                .filter(|(_, asked)| !**asked)
                .map(|(row, _)| row.name)
                .collect::<Vec<_>>()
        );
        self.keys.finish(mistakes);
    }
}

/// Corrects the misspelt keys of a map, and reports them, for what is looked up by name before or beside its reader.
pub(crate) fn respell(node: &mut Node, table: &'static [Key], name: impl Into<String>, mistakes: &mut Mistakes) {
    if node.map().is_none() {
        return;
    }
    let mut keys = Keys::of(node, name, mistakes);
    for row in table {
        keys.take(row.name);
    }
    let found: Vec<_> = keys.misspelt(mistakes).into_iter().map(|found| (found.key.place, found.meant)).collect();
    let Shape::Map(entries) = &mut node.shape else { return };
    for (place, meant) in found {
        let written = entries.iter_mut().map(|(key, _)| key).find(|key| key.place == place);
        written.into_iter().for_each(|key| *key = Node::text_at(place, meant));
    }
}
