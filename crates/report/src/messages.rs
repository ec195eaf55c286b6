//! The message catalogue: every sentence of a report, by key, with typed arguments.
//!
//! Numbers are written by [`Numbers`] before they reach Fluent, so that a report's digits do not depend on a library.
//! For plural forms each count comes a second time as a number, under its name with `_n`; so does a share, since none at
//! all is stated in other words than a few.

use crate::number::{Numbers, clean};
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use judge::{Arg, Args};
use std::collections::BTreeMap;
use study::Text;

/// The catalogues that exist, by language.
const CATALOGUES: [(&str, &str); 3] = [
    ("en", include_str!("../messages/en.ftl")),
    ("nl", include_str!("../messages/nl.ftl")),
    ("da", include_str!("../messages/da.ftl")),
];

pub use study::LANGUAGES;

/// The messages of one language.
pub(crate) struct Messages {
    catalogue: Catalogue,
    /// Words of the profile that replace messages of the catalogue, by key.
    terms: BTreeMap<String, String>,
    /// How this language writes numbers.
    pub(crate) numbers: Numbers,
    /// Its tag, `en`.
    pub(crate) language: &'static str,
}

/// One catalogue in one language, ours or a plug-in's.
pub(crate) struct Catalogue {
    tag: &'static str,
    bundle: FluentBundle<FluentResource>,
}

impl Catalogue {
    /// The one of a language among several, or the English one.
    pub(crate) fn of(all: &[(&'static str, &'static str)], language: &str) -> Option<Self> {
        let of = |wanted: &str| all.iter().copied().find(|(tag, _)| *tag == wanted);
        let (tag, text) = of(language).or_else(|| of("en"))?;
        let resource =
            FluentResource::try_new(text.to_owned()).expect("invariant: embedded catalogues are parsed by a test");
        let identifier = tag.parse().expect("invariant: the tags of embedded catalogues are valid");
        let mut bundle = FluentBundle::new(vec![identifier]);
        bundle.set_use_isolating(false);
        bundle.add_resource(resource).expect("invariant: no key stands twice; a test loads every catalogue");
        Some(Self { tag, bundle })
    }

    /// A message without arguments, or an attribute of one as `key.attribute`; `None` where it is missing.
    pub(crate) fn say(&self, key: &str) -> Option<String> {
        self.format(key, &FluentArgs::new())
    }

    fn has(&self, key: &str) -> bool {
        match key.split_once('.') {
            Some((id, attribute)) => self.bundle.get_message(id).is_some_and(|m| m.get_attribute(attribute).is_some()),
            None => self.bundle.get_message(key).is_some_and(|m| m.value().is_some()),
        }
    }

    fn format(&self, key: &str, args: &FluentArgs<'_>) -> Option<String> {
        let (id, attribute) = key.split_once('.').map_or((key, None), |(id, attribute)| (id, Some(attribute)));
        let message = self.bundle.get_message(id)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(args), &mut errors);
        errors.is_empty().then(|| text.replace('\n', " "))
    }
}

/// An argument of a message.
pub(crate) enum Say<'a> {
    /// A quantity that is written by our rules.
    Quantity(Arg),
    /// A text that is ready to print.
    Text(&'a str),
}

impl From<Arg> for Say<'_> {
    fn from(arg: Arg) -> Self {
        Self::Quantity(arg)
    }
}

impl<'a> From<&'a str> for Say<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Say<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a judge::Scope> for Say<'a> {
    fn from(scope: &'a judge::Scope) -> Self {
        Self::Text(scope.as_str())
    }
}

impl From<u64> for Say<'_> {
    fn from(count: u64) -> Self {
        Self::Quantity(Arg::Count(count as f64))
    }
}

impl From<usize> for Say<'_> {
    fn from(count: usize) -> Self {
        Self::Quantity(Arg::Count(count as f64))
    }
}

/// Says a message by its key, with arguments by name.
macro_rules! say {
    ($messages:expr, $key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $messages.text($key, &[$((stringify!($name), $crate::messages::Say::from($value))),*])
    };
}
pub(crate) use say;

impl Messages {
    /// The catalogue of a language; English where there is none.
    pub(crate) fn of(language: &str) -> Self {
        let catalogue = Catalogue::of(&CATALOGUES, language).expect("invariant: there is a catalogue in English");
        let language = catalogue.tag;
        Self { catalogue, terms: BTreeMap::new(), numbers: Numbers::of(language), language }
    }

    /// With a profile's own words. `{ $name }` in them stands for that argument; they are text and no pattern.
    pub(crate) fn with_terms(mut self, terms: &[(String, Text)]) -> Self {
        let own = terms.iter().map(|(key, text)| (key.clone(), clean(text.in_language(self.language))));
        self.terms = own.filter(|(key, text)| self.has(key) && !text.trim().is_empty()).collect();
        self
    }

    fn own(&self, key: &str, args: &FluentArgs<'_>) -> Option<String> {
        let mut text = self.terms.get(key)?.clone();
        for (name, value) in args.iter() {
            if let FluentValue::String(value) = value {
                text = text.replace(&format!("{{ ${name} }}"), value);
            }
        }
        Some(text)
    }

    /// Whether there is a message, or `key.attribute`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.catalogue.has(key)
    }

    /// A message of our own with its arguments. A key that does not exist is a defect, which a test finds; a reader gets
    /// the key instead of a crash.
    pub(crate) fn text(&self, key: &str, args: &[(&str, Say<'_>)]) -> String {
        let mut fluent = FluentArgs::new();
        for (name, value) in args {
            match value {
                Say::Quantity(arg) => self.set(&mut fluent, name, arg),
                Say::Text(text) => fluent.set((*name).to_owned(), clean(text)),
            }
        }
        self.format(key, &fluent).unwrap_or_else(|| format!("[{key}]"))
    }

    /// A message whose arguments come from the judge; `None` when there is no such message or an argument is missing.
    pub(crate) fn judged(&self, key: &str, args: &Args, more: &[(&str, &str)]) -> Option<String> {
        let mut fluent = FluentArgs::new();
        for (name, arg) in args {
            self.set(&mut fluent, name, arg);
        }
        for (name, text) in more {
            fluent.set((*name).to_owned(), clean(text));
        }
        self.format(key, &fluent)
    }

    fn set(&self, fluent: &mut FluentArgs<'_>, name: &str, arg: &Arg) {
        if let Arg::Count(count) | Arg::Number(count) | Arg::Share(count) = arg.quantity() {
            fluent.set(format!("{name}_n"), FluentValue::from(*count));
        }
        fluent.set(name.to_owned(), self.numbers.arg(arg));
    }

    fn format(&self, key: &str, args: &FluentArgs<'_>) -> Option<String> {
        if let Some(own) = self.own(key, args) {
            return Some(own);
        }
        self.catalogue.format(key, args)
    }

    /// Arguments one after another, for a code that the catalogue does not know.
    pub(crate) fn list(&self, args: &Args) -> String {
        let each: Vec<_> =
            args.iter().map(|(name, arg)| format!("{} {}", name.replace('_', " "), self.numbers.arg(arg))).collect();
        each.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_has_words_of_its_own() {
        let said = |stalled: f64| {
            let number = |value| Arg::Number(value);
            let mut args: Args =
                [("tail", number(2.0)), ("extreme", number(3.0))].map(|(n, a)| (n.to_owned(), a)).into();
            args.insert("modes".into(), Arg::Count(1.0));
            args.insert("stalled".into(), Arg::Share(stalled));
            Messages::of("en").judged("finding-SHAPE.seen", &args, &[("scope", "a/hold")]).unwrap()
        };
        assert!(
            said(0.0).contains("1 mode;") && said(0.0).contains("in no second did calls take more"),
            "{}",
            said(0.0)
        );
        assert!(said(0.02).contains("in 2.00% of the seconds calls took more"), "{}", said(0.02));
    }
}
