//! Tables of keys: what the checker reads and what the published schema says come from the same rows.

use contract::{Keys, Mistakes, Node, Place};

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
    /// A text, or a map from language to text.
    Localized,
    /// `200/s`.
    Rate,
    /// `30m`.
    Duration,
    /// A whole number.
    Count,
    /// `true` or `false`.
    Bool,
    /// A rule.
    Rule,
    /// Any scalar.
    Scalar,
    /// Anything.
    Free,
    /// A list.
    List(&'static Form),
    /// A list, or one member by itself.
    Some(&'static Form),
    /// A map by names that the study chooses.
    MapOf(&'static Form),
    /// A map with these keys.
    Table(&'static [Key]),
    /// One of several.
    Any(&'static [Form]),
    /// An item of `run`.
    Item,
    /// An exchange: these keys besides one `driver.operation`.
    Exchange(&'static [Key]),
    /// A monitor: these keys besides its kind.
    Monitor(&'static [Key]),
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
    node: &'a Node,
    table: &'static [Key],
    asked: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(crate) fn of(node: &'a Node, table: &'static [Key], name: impl Into<String>, mistakes: &mut Mistakes) -> Self {
        Self { keys: Keys::of(node, name, mistakes), node, table, asked: Vec::new() }
    }

    pub(crate) fn place(&self) -> Place {
        self.keys.place()
    }

    pub(crate) fn name(&self) -> &str {
        self.keys.name()
    }

    /// The value under a key; one that is written with nothing behind it counts as not written.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        debug_assert!(self.table.iter().any(|row| row.name == key), "the table of keys has no `{key}`");
        let node = if self.asked.contains(&key) {
            self.node.get(key)
        } else {
            self.asked.push(key);
            self.keys.take(key)
        };
        node.filter(|node| !node.is_missing())
    }

    pub(crate) fn need(&mut self, key: &'static str, mistakes: &mut Mistakes) -> Option<&'a Node> {
        debug_assert!(self.table.iter().any(|row| row.name == key), "the table of keys has no `{key}`");
        self.asked.push(key);
        self.keys.need(key, mistakes)
    }

    pub(crate) fn finish(self, mistakes: &mut Mistakes) {
        debug_assert!(
            self.table.iter().all(|row| self.asked.contains(&row.name)),
            "the table of {} has keys that the checker does not read: {:?}",
            self.keys.name(),
            self.table.iter().map(|row| row.name).filter(|name| !self.asked.contains(name)).collect::<Vec<_>>()
        );
        self.keys.finish(mistakes);
    }
}
