//! Small readers that several parts of the study share: names, texts in languages, lists, waits.

use crate::model::Text;
use contract::{Mistake, Mistakes, Node, suggestion};
use terms::Nanos;

/// A name as a pattern, for the schema.
pub(crate) const NAME: &str = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";
/// Longest name; names appear in tables and figures.
const NAME_LENGTH_MAX: usize = 64;
/// Longest time of anything in a study: a year. Sums of times then stay far from overflow.
const TIME_MAX: Nanos = Nanos::from_secs(366 * 86_400);

/// A name that rules and `$(…)` can use: letters, digits and `_`, not beginning with a digit.
pub(crate) fn name(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<String> {
    let text = node.text().unwrap_or_default();
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name =
        starts && text.len() <= NAME_LENGTH_MAX && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name && !RESERVED.contains(&text) {
        return Some(text.to_owned());
    }
    let why = if RESERVED.contains(&text) { "is a word of the language and" } else { "is not a name and" };
    mistakes.push(
        Mistake::at(node.place, "study::bad-name", format!("`{text}` {why} cannot name {what}"))
            .label("choose another name")
            .hint("a name begins with a letter; letters, digits and `_` follow, 64 characters at most"),
    );
    None
}

/// Words that would make rules, `run` or `$(…)` ambiguous.
pub(crate) const RESERVED: &[&str] = &[
    "and",
    "in",
    "per",
    "for",
    "of",
    "where",
    "all",
    "think",
    "choose",
    "times",
    "run",
    "env",
    "secret",
    "scratch",
    "port",
    "replica",
    "nonce",
    "faults",
    "serial",
    "uuid",
    "now",
    "user",
    "connection",
    "node",
    "stream",
    "text",
    "bytes",
    "scale",
];

/// Whether a word means something in the language, so that nothing can be named by it.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// A text, or a map from language to text; `en` first.
pub(crate) fn localized(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<Text> {
    if let Some(entries) = node.map() {
        let mut texts = Vec::new();
        for (key, value) in entries {
            let language = key.text().unwrap_or_default();
            if language.len() != 2 || !language.chars().all(|c| c.is_ascii_lowercase()) {
                mistakes.push(
                    Mistake::at(key.place, "study::unknown-key", format!("`{language}` is not a language of {what}"))
                        .label("write a code such as `en`, `nl` or `da`"),
                );
            } else if let Some(text) = mistakes.keep(value.as_text(what)) {
                texts.push((language.to_owned(), text.to_owned()));
            }
        }
        texts.sort_by_key(|(language, _)| language != "en");
        return Some(Text(texts));
    }
    mistakes.keep(node.as_text(what)).map(|text| Text(vec![(String::new(), text.to_owned())]))
}

/// A list, or a single member.
pub(crate) fn members(node: &Node) -> Vec<&Node> {
    match node.list() {
        Some(members) => members.iter().collect(),
        None if node.is_missing() => Vec::new(),
        None => vec![node],
    }
}

/// The members of a list; anything else is a mistake.
pub(crate) fn list<'a>(node: &'a Node, what: &str, mistakes: &mut Mistakes) -> &'a [Node] {
    node.list().unwrap_or_else(|| {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("{what} is {}, not a list", node.what()))
                .label("write `[ a, b ]`"),
        );
        &[]
    })
}

/// A list of localized texts, or a single one.
pub(crate) fn texts(node: &Node, what: &str, mistakes: &mut Mistakes) -> Vec<Text> {
    members(node).into_iter().filter_map(|member| localized(member, what, mistakes)).collect()
}

/// One of a list of words.
pub(crate) fn word<'a>(node: &Node, what: &str, words: &[&'a str], mistakes: &mut Mistakes) -> Option<&'a str> {
    let text = mistakes.keep(node.as_text(what))?;
    if let Some(word) = words.iter().find(|word| **word == text) {
        return Some(word);
    }
    let mistake = Mistake::at(node.place, "study::unknown-word", format!("{what} cannot be `{text}`"));
    let mistake = match suggestion(text, words.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistakes.push(mistake.hint(format!("possible: {}", words.join(", "))));
    None
}

/// A number of something that was named; unknown ones get the nearest and the whole list.
pub(crate) fn one_of(node: &Node, what: &str, known: &[String], mistakes: &mut Mistakes) -> Option<usize> {
    let text = mistakes.keep(node.as_text(what))?;
    let found = known.iter().position(|name| name == text);
    if found.is_none() {
        mistakes.push(unknown(text, what, known, node.place));
    }
    found
}

/// The mistake for a name that is not among those known.
pub(crate) fn unknown(text: &str, what: &str, known: &[String], place: contract::Place) -> Mistake {
    let mistake = Mistake::at(place, "study::unknown-name", format!("there is no {what} `{text}`"));
    let mistake = match suggestion(text, known.iter().map(String::as_str)) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistake.hint(if known.is_empty() {
        format!("the study names no {what} at all")
    } else {
        format!("the study has: {}", known.join(", "))
    })
}

/// A duration within bounds.
pub(crate) fn duration(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<Nanos> {
    let span = mistakes.keep(node.as_duration(what))?;
    if span <= TIME_MAX {
        return Some(span);
    }
    mistakes.push(
        Mistake::at(node.place, "study::out-of-range", format!("{what} is longer than a year"))
            .label("write at most `366d`"),
    );
    None
}

/// A duration above zero.
pub(crate) fn some_duration(node: &Node, what: &str, mistakes: &mut Mistakes) -> Option<Nanos> {
    let span = duration(node, what, mistakes)?;
    if span > Nanos::ZERO {
        return Some(span);
    }
    mistakes.push(
        Mistake::at(
            node.place,
            "study::out-of-range",
            format!("{what} `{}` lasts no time", node.text().unwrap_or("0s")),
        )
        .label("write a duration above zero"),
    );
    None
}
