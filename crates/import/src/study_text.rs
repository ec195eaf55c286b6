//! The study of an imported run: what the files show was done, in the language of studies, so that everything that reads
//! a run finds what it is used to.

use crate::error::ImportError;
use crate::latin;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use study::{Options, Registry, SecretSource, Study};
use terms::Nanos;

/// Name of the scenario of an imported run.
pub(crate) const SCENARIO: &str = "load";
/// Longest name that is made of a label; a number may follow.
const NAME_CHARS: usize = 48;

/// One exchange to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchange {
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) calls: u64,
    pub(crate) timeout: Option<Nanos>,
}

/// A monitor to be written: its name, and its settings as YAML.
pub(crate) type Watch = (String, String);

/// All that the study says.
pub(crate) struct Facts<'a> {
    pub(crate) title: &'a str,
    pub(crate) system: &'a str,
    pub(crate) exchanges: &'a [Exchange],
    pub(crate) watch: &'a [Watch],
    pub(crate) users: u64,
    pub(crate) warm_up: Nanos,
    pub(crate) hold: Nanos,
    /// File with requirements and whatever else goes with the run.
    pub(crate) beside: Option<&'a Path>,
}

/// Names that studies can use for labels, in their order: each a word, no two alike.
pub(crate) fn names(labels: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let unused = |label: String| {
        let word = word(&label);
        let mut name = word.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{word}_{number}");
            number += 1;
        }
        name
    };
    labels.map(unused).collect()
}

/// A label as a name of the language. Words that mean something there, names of monitors, and what begins with a digit get
/// `call_` before them.
fn word(label: &str) -> String {
    let word: String = latin::plain(label)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    // Between runs of anything else.
    let word = word.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    let word = match word.as_str() {
        "" => "call".to_owned(),
        plain if plain.starts_with(|c: char| c.is_ascii_digit()) || is_taken(plain) => {
            format!("call_{plain}")
        }
        _ => word,
    };
    word.chars().take(NAME_CHARS).collect::<String>().trim_end_matches('_').to_owned()
}

/// Whether a word is one of the language or of YAML, or names a monitor that an import may have.
fn is_taken(word: &str) -> bool {
    const YAML: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    study::is_reserved(word)
        || YAML.contains(&word)
        || crate::KINDS.iter().any(|(_, kind, _)| kind.monitor() == Some(word))
}

/// A text of a stranger as YAML: JSON's strings are some of its own.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The same where names are filled in: `$(` is none.
fn escaped(text: &str) -> String {
    quoted(&text.replace("$(", "$$("))
}

/// A duration that a study reads back: whole milliseconds, for which the bounds of a run are rounded.
fn duration(length: Nanos) -> String {
    format!("{}ms", (length.0 / 1_000_000).max(1))
}

fn text(facts: &Facts<'_>) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    if let Some(beside) = facts.beside {
        line(format!("include: [{}]", quoted(&beside.to_string_lossy())));
    }
    line(format!("study: {}", quoted(facts.title)));
    line(format!("system: {{ name: {} }}", quoted(facts.system)));
    if !facts.watch.is_empty() {
        line("watch:".into());
        facts.watch.iter().for_each(|(name, settings)| line(format!("  {name}: {settings}")));
    }
    line("exchanges:".into());
    for exchange in facts.exchanges {
        let timeout = exchange.timeout.map(|timeout| format!(", timeout: {}", duration(timeout))).unwrap_or_default();
        line(format!("  {}: {{ imported.call: {{ label: {} }}{timeout} }}", exchange.name, escaped(&exchange.label)));
    }
    line("scenarios:".into());
    line(format!("  {SCENARIO}:"));
    let warm_up =
        if facts.warm_up > Nanos::ZERO { format!("warm_up: {}, ", duration(facts.warm_up)) } else { String::new() };
    line(format!("    load: {{ users: {}, {warm_up}hold: {} }}", facts.users, duration(facts.hold)));
    line(format!("    run: [{}]", run(facts.exchanges)));
    out
}

/// One iteration is one call: which one, the shares of the calls say.
fn run(exchanges: &[Exchange]) -> String {
    if let [only] = exchanges {
        return only.name.clone();
    }
    // Whole millionths, of which the last gets what is left, so that they add up.
    const WHOLE: u64 = 100_000_000;
    let all: u64 = exchanges.iter().map(|exchange| exchange.calls).sum::<u64>().max(1);
    let mut left = WHOLE;
    let mut text = "choose: { ".to_owned();
    for (place, exchange) in exchanges.iter().enumerate() {
        let share = if place + 1 == exchanges.len() {
            left
        } else {
            ((exchange.calls as f64 / all as f64 * WHOLE as f64).round() as u64).min(left)
        };
        left -= share;
        let between = if place == 0 { "" } else { ", " };
        // Writing to memory does not fail.
        let _ = write!(text, "{between}{}: {}.{:06}%", exchange.name, share / 1_000_000, share % 1_000_000);
    }
    format!("{text} }}")
}

/// Reads the study of these facts.
///
/// # Errors
/// Mistakes of the file beside it; a file that is a study of its own.
pub(crate) fn load(facts: &Facts<'_>, registry: &Registry<'_>) -> Result<Study, ImportError> {
    let options = Options { set: Vec::new(), trial: None, secrets: SecretSource::Ignore };
    let base = facts.beside.and_then(Path::parent).unwrap_or(Path::new("."));
    let (study, _) = study::load_text("import.yaml", &text(facts), base, registry, &options)?;
    let (found, expected): (Vec<&str>, Vec<&str>) = (
        study.exchanges.iter().map(|exchange| exchange.name.as_str()).collect(),
        facts.exchanges.iter().map(|exchange| exchange.name.as_str()).collect(),
    );
    if found != expected || study.scenarios.len() != 1 {
        let beside = facts.beside.map(|file| file.display().to_string()).unwrap_or_default();
        return Err(ImportError::Asked(format!(
            "`{beside}` has exchanges or scenarios of its own, and those of an imported run are what its files show: {}\n\
             write `requirements`, `report`, `compare` and what else belongs to both into a file of their own, name it \
             here, and let the study `include` it",
            expected.join(", ")
        )));
    }
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_no_two_are_alike() {
        let labels = ["Home page", "home-page", "/api/v1/users?id=7", "  ", "日本", "2nd", "a__b"];
        let found = names(labels.iter().map(|label| (*label).to_owned()));
        assert_eq!(found, ["home_page", "home_page_2", "api_v1_users_id_7", "call", "call_2", "call_2nd", "a_b"]);
    }

    #[test]
    fn letters_of_europe_keep_what_they_are_written_for() {
        let labels = ["Æøå", "Læs kørekort", "Größe", "Café Zürich", "Łódź", "Cafe\u{301}", "İstanbul", "Œuvre №5"];
        let found = names(labels.iter().map(|label| (*label).to_owned()));
        let expected = ["aeoeaa", "laes_koerekort", "groesse", "cafe_zuerich", "lodz", "cafe", "istanbul", "oeuvre_5"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_label_that_is_a_word_of_the_language_is_a_name_all_the_same() {
        // Words of the language, and names that the study itself gives.
        let labels = [
            "User",
            "Node",
            "Text",
            "Port",
            "Connection",
            "Run",
            "in",
            "all",
            "(all)",
            "think",
            "where",
            "load",
            "hold",
            "imported",
            "users",
            "host",
            "answer",
            "response",
            "step",
            "iteration",
            "iterations",
            "true",
            "null",
            "~",
            "choose",
            "request",
            "started",
            "failed",
            "call",
            "call_user",
            "include",
            "total",
            "warm_up",
        ];
        let found = names(labels.iter().map(|label| (*label).to_owned()));
        assert_eq!(found[..3], ["call_user", "call_node", "call_text"]);
        assert!(found.contains(&"call_user_2".to_owned()), "{found:?}");
        let exchange = |(name, label): (String, &str)| Exchange { name, label: label.into(), calls: 1, timeout: None };
        let exchanges: Vec<Exchange> = found.into_iter().zip(labels).map(exchange).collect();
        for chosen in exchanges.iter().map(std::slice::from_ref).chain([&exchanges[..]]) {
            let facts = Facts {
                title: "x",
                system: "y",
                exchanges: chosen,
                watch: &[("imported".into(), "{ values: { users: {} } }".into())],
                users: 5,
                warm_up: Nanos::SECOND,
                hold: Nanos::SECOND,
                beside: None,
            };
            let registry = Registry { drivers: &[crate::IMPORTED], monitors: &[crate::IMPORTED_VALUES], blocks: &[] };
            if let Err(error) = load(&facts, &registry) {
                panic!("{error}\n{}", text(&facts));
            }
        }
    }

    #[test]
    fn shares_add_up_whatever_the_counts() {
        for counts in [vec![1, 1, 1], vec![7, 0, 3], vec![1, 999_999_999], vec![1; 300]] {
            let exchange = |(place, calls): (usize, &u64)| Exchange {
                name: format!("x{place}"),
                label: String::new(),
                calls: *calls,
                timeout: None,
            };
            let exchanges: Vec<Exchange> = counts.iter().enumerate().map(exchange).collect();
            let text = run(&exchanges);
            let shares = text.trim_start_matches("choose: { ").trim_end_matches(" }").split(", ");
            let millionths = |share: &str| {
                let number = share.split_once(": ").unwrap().1.trim_end_matches('%');
                let (whole, part) = number.split_once('.').unwrap();
                whole.parse::<u64>().unwrap() * 1_000_000 + part.parse::<u64>().unwrap()
            };
            assert_eq!(shares.map(millionths).sum::<u64>(), 100_000_000);
        }
    }

    #[test]
    fn a_study_of_any_label_is_read() {
        let labels = ["say \"hi\" $(secret.X)", "#{x: y}\t\u{1}\n- [&a *b", "ordinary"];
        let found = names(labels.iter().map(|label| (*label).to_owned()));
        let exchanges: Vec<Exchange> = found
            .into_iter()
            .zip(labels)
            .map(|(name, label)| Exchange { name, label: label.into(), calls: 3, timeout: Some(Nanos(15_000_000)) })
            .collect();
        let facts = Facts {
            title: "a $(b",
            system: "shop: 'x'",
            exchanges: &exchanges,
            watch: &[("imported".into(), "{ values: { users: {} } }".into())],
            users: 5,
            warm_up: Nanos::SECOND,
            hold: Nanos(60_123_000_000),
            beside: None,
        };
        let registry = Registry { drivers: &[crate::IMPORTED], monitors: &[crate::IMPORTED_VALUES], blocks: &[] };
        let study = load(&facts, &registry).unwrap_or_else(|error| panic!("{error}\n{}", text(&facts)));
        assert_eq!(study.title.in_language("en"), "a $(b");
        assert_eq!(study.exchanges[0].settings.timeout, Nanos(15_000_000));
        // The archived study is the same once more.
        let judging = Options { set: Vec::new(), trial: None, secrets: SecretSource::Ignore };
        let again = study::load_text("study.yaml", &study.effective, ".".as_ref(), &registry, &judging);
        assert_eq!(again.unwrap().0.effective, study.effective);
        // It is judged, and never run.
        let running = study::load_text("study.yaml", &study.effective, ".".as_ref(), &registry, &Options::default());
        let mistakes = running.err().unwrap().to_string();
        assert!(mistakes.contains("import::not-sent") && mistakes.contains("import::not-watched"), "{mistakes}");
    }
}
