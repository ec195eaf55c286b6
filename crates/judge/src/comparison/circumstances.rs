//! In which circumstances two sides differ: load, data, validity, system, host, versions.

use super::sides::Replicate;
use super::{ASPECTS, Difference};
use crate::Scope;
use crate::rows::Each;
use contract::FactRole;
use record::{Head, ScenarioHead, StepHead};
use std::collections::{BTreeMap, BTreeSet};
use terms::process::LINEAGE;
use terms::{Phase, Validity};

/// Fields of an identity that differ between any two runs and say nothing about what was tested.
const FLEETING: [&str; 7] = ["started", "port", "pid", "nonce", "uptime", "sql_port", "data"];
/// The engine's own fact that its instances make way for it.
const WEIGHT: &str = "weight against the system";
/// Parts of the effective study that are compared in a way of their own, or that do not touch the measurement.
const UNTOUCHED: [&str; 11] = [
    "study",
    "about",
    "report",
    "requirements",
    "compare",
    "capacity",
    "trial",
    "validity",
    "secrets",
    "include",
    "repeat",
];
/// Longest value that a list of differences shows, in characters.
const SHOWN_MAX: usize = 160;

/// A circumstance: place of its aspect in [`ASPECTS`], its name, its scope.
type Key = (usize, String, Option<Scope>);

/// What holds for one run, or for one scenario of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Circumstances(BTreeMap<Key, String>);

impl Circumstances {
    fn add(&mut self, aspect: &str, name: impl Into<String>, scope: Option<&Scope>, value: impl Into<String>) {
        let aspect = ASPECTS.iter().position(|known| *known == aspect).expect("invariant: the aspect is listed");
        let value: String = value.into().chars().take(SHOWN_MAX).collect();
        self.0.insert((aspect, name.into(), scope.cloned()), value);
    }

    /// Everything about a run that does not depend on a scenario; `study` is its effective study.
    pub(super) fn of_run(head: &Head, study: &str) -> Self {
        let mut all = Self::of_data(head);
        let trial = head.trial.as_ref().map_or("no".to_owned(), |trial| format!("of {} s", trial.asked_s));
        all.add("length", "trial", None, trial);
        all.add("generator", "loadproof", None, head.version.clone());
        all.add("generator", "load threads", None, head.workers.to_string());
        all.system(head);
        all.facts(head);
        for (key, text) in blocks(study) {
            if !UNTOUCHED.contains(&key) {
                all.add("study", key, None, digest(text));
            }
        }
        all
    }

    /// Its data sets.
    pub(crate) fn of_data(head: &Head) -> Self {
        let mut all = Self::default();
        for set in &head.data {
            let sum: String = set.sha256.chars().take(12).collect();
            all.add("data", set.name.clone(), None, format!("{} rows, SHA-256 {sum}", set.rows));
        }
        all
    }

    /// What is known of the machines that were watched.
    pub(crate) fn of_machines(head: &Head) -> Self {
        let mut all = Self::default();
        all.facts(head);
        all.only(&["host"])
    }

    fn system(&mut self, head: &Head) {
        self.add("system", "name", None, head.system.clone());
        for instance in &head.instances {
            for (field, value) in &instance.identity {
                if !FLEETING.contains(&field.as_str()) {
                    self.add("system", format!("{} {field}", instance.name), None, value.clone());
                }
            }
            for (fault, value) in &instance.faults {
                self.add("system", format!("{} fault {fault}", instance.name), None, value.clone());
            }
        }
    }

    fn facts(&mut self, head: &Head) {
        let watched_by =
            |subject: &str| head.monitors.iter().find(|monitor| monitor.name == subject).map(|m| &m.watches);
        for (subject, name, value) in &head.facts {
            if name == WEIGHT
                || name == LINEAGE
                || matches!(head.fact_role(subject, name), Some(FactRole::Passing | FactRole::Label))
            {
                continue;
            }
            let aspect = match watched_by(subject).map(String::as_str) {
                Some("machine") => "host",
                Some("store") => "store",
                _ if subject == "generator" => "generator",
                _ if head.instances.iter().any(|instance| instance.name == *subject) => "system",
                _ => "study",
            };
            let value = if name == "command line" { without_places(value) } else { value.clone() };
            self.add(aspect, format!("{subject} {name}"), None, value);
        }
    }

    /// The load of one scenario, under a scope.
    pub(crate) fn of_scenario(head: &Head, scenario: &str, scope: Option<&Scope>) -> Self {
        let mut all = Self::default();
        let Some(number) = head.scenarios.iter().position(|known| known.name == scenario) else { return all };
        let of = &head.scenarios[number];
        let steps: Vec<&StepHead> = head.steps.iter().filter(|step| usize::from(step.scenario) == number).collect();
        if of.parts.is_empty() {
            for (name, value) in load(head, of, &steps) {
                all.add("load", name, scope, value);
            }
        }
        for (place, part) in of.parts.iter().enumerate() {
            let own: Vec<&StepHead> =
                steps.iter().copied().filter(|step| step.part.map(usize::from) == Some(place)).collect();
            let mut words: Vec<String> =
                load(head, part, &own).into_iter().map(|(name, value)| format!("{name} {value}")).collect();
            if part.after_s > 0.0 {
                words.push(format!("begins after {} s", rounded(part.after_s)));
            }
            all.add("parts", format!("part {}", part.name), scope, words.join("; "));
        }
        let mut seen = BTreeSet::new();
        let lengths = steps.iter().filter_map(|step| Some(format!("{} {}", step.id, length(step)?)));
        let lengths: Vec<String> = lengths.filter(|text| seen.insert(text.clone())).collect();
        all.add("length", "phases", scope, lengths.join(", "));
        all
    }

    /// Those of some aspects alone.
    pub(crate) fn only(mut self, aspects: &[&str]) -> Self {
        self.0.retain(|(aspect, ..), _| aspects.contains(&ASPECTS[*aspect]));
        self
    }

    /// Adds all of another.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// A load in words, each with what it is; what is not set is left out. The shares of a mix, and users that no file tells, are
/// results of an imported run: they differ from run to run without anybody's having asked for it.
fn load(head: &Head, of: &ScenarioHead, steps: &[&StepHead]) -> Vec<(&'static str, String)> {
    let each = (0..).map(|number| Each::of(Some(of), number));
    let carried = head.exchanges.iter().take(head.calls()).zip(each).filter(|(_, each)| each.is_possible());
    let imported = head.imported.as_ref();
    let are_users_told = imported.is_none_or(|imported| !imported.unknown.iter().any(|what| what == "users"));
    let mix: Vec<String> = carried
        .map(|(exchange, each)| match each {
            _ if imported.is_some() => exchange.name.clone(),
            Each { mean: 0.0, most } => format!("{} up to ×{most}", exchange.name),
            Each { mean, .. } => format!("{} ×{mean}", exchange.name),
        })
        .collect();
    let think = [(of.think_s, ""), (of.think_sd_s, "sd "), (of.think_more_s, "more up to ")];
    let think = think.iter().filter(|(seconds, _)| *seconds > 0.0);
    let think: Vec<String> = think.map(|(seconds, what)| format!("{what}{} s", rounded(*seconds))).collect();
    let is_hold = |step: &&&StepHead| step.phase == Phase::Hold.name();
    let holds: BTreeSet<String> = steps.iter().filter(is_hold).map(|step| arrivals(step)).collect();
    let told = |users: String| if are_users_told { users } else { String::new() };
    let all = [
        ("model", format!("{} {}", of.model, of.spacing).trim().to_owned()),
        ("full load", told(holds.into_iter().collect::<Vec<_>>().join(", "))),
        ("users", told(of.users.map_or(String::new(), |users| users.to_string()))),
        ("pacing", of.pacing_s.map_or(String::new(), |pacing| format!("{} s", rounded(pacing)))),
        ("think time", think.join(", ")),
        ("connections at most", of.max_in_flight.map_or(String::new(), |most| most.to_string())),
        ("mix of exchanges", mix.join(", ")),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// `200/s`, `16 users`; a rising one from and to.
fn arrivals(step: &StepHead) -> String {
    match (step.offered_from, step.offered_to, step.users) {
        (Some(from), Some(to), _) if from == to => format!("{from}/s"),
        (Some(from), Some(to), _) => format!("{from}/s to {to}/s"),
        (.., Some(users)) => format!("{users} users"),
        _ => String::new(),
    }
}

fn length(step: &StepHead) -> Option<String> {
    let count = step.iterations.filter(|_| step.seconds.is_none());
    step.seconds.map(|seconds| format!("{} s", rounded(seconds))).or(count.map(|count| format!("{count} iterations")))
}

/// Seconds for people: four significant digits, whole seconds from 1000 on. What a plan computed, a shortened warm-up
/// say, has as many digits as a number can hold.
fn rounded(seconds: f64) -> f64 {
    if !seconds.is_normal() {
        return seconds;
    }
    let decimals = (3.0 - seconds.abs().log10().floor()).clamp(0.0, 9.0);
    let scale = 10f64.powf(decimals);
    (seconds * scale).round() / scale
}

/// In what two sides differ, in the order of [`ASPECTS`]. `forbids`: aspects in which a difference forbids comparing.
pub(crate) fn differences(base: &Circumstances, other: &Circumstances, forbidding: &[&str]) -> Vec<Difference> {
    let keys: BTreeSet<&Key> = base.0.keys().chain(other.0.keys()).collect();
    let value = |of: &Circumstances, key: &Key| of.0.get(key).cloned().unwrap_or_default();
    let differs = |key: &&&Key| base.0.get(**key) != other.0.get(**key);
    let difference = |key: &Key| Difference {
        aspect: ASPECTS[key.0].to_owned(),
        name: key.1.clone(),
        scope: key.2.clone(),
        base: value(base, key),
        other: value(other, key),
        forbids: forbidding.contains(&ASPECTS[key.0]),
    };
    keys.iter().filter(differs).map(|key| difference(key)).collect()
}

/// Stores are compared only in an equal environment. Where the server that was watched differs between `heads`, or was seen
/// on one side alone, so that two stores stand against each other, every difference of machine or disk forbids, and what
/// runs a program where both sides have that program.
pub(super) fn forbid_between_stores(found: &mut [Difference], heads: &[&Head]) {
    let named = |role: FactRole| -> BTreeSet<String> {
        let facts = heads.iter().flat_map(|head| head.facts_of(role));
        facts.map(|(subject, name, _)| format!("{subject} {name}")).collect()
    };
    let servers = named(FactRole::Server);
    if !found.iter().any(|difference| difference.aspect == "store" && servers.contains(&difference.name)) {
        return;
    }
    let (disks, runtimes) = (named(FactRole::Disk), named(FactRole::Runtime));
    for difference in found {
        let is_of_both = !difference.base.is_empty() && !difference.other.is_empty();
        difference.forbids |= difference.aspect == "host"
            || disks.contains(&difference.name)
            || is_of_both && runtimes.contains(&difference.name);
    }
}

/// Validity is listed whenever either side is not valid; an invalid side forbids.
pub(super) fn validity(
    scope: Option<Scope>,
    base: &[Replicate<'_, '_>],
    other: &[Replicate<'_, '_>],
) -> Option<Difference> {
    let of = |side: &[Replicate<'_, '_>]| {
        let all = side.iter().map(|replicate| replicate.known.validity(&replicate.numbers()));
        all.max_by_key(|(validity, _)| *validity as u8).unwrap_or((Validity::Valid, String::new()))
    };
    let (base, other) = (of(base), of(other));
    let shown = |(validity, sign): &(Validity, String)| {
        if sign.is_empty() {
            validity.name().to_owned()
        } else {
            format!("{} ({})", validity.name(), sign.replace('_', " "))
        }
    };
    (base.0 != Validity::Valid || other.0 != Validity::Valid).then(|| Difference {
        aspect: "validity".into(),
        name: "validity".into(),
        scope,
        base: shown(&base),
        other: shown(&other),
        forbids: base.0 == Validity::Invalid || other.0 == Validity::Invalid,
    })
}

/// Top-level keys of an effective study with their text. The text is written by us: keys stand at the left edge.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(|first: char| first.is_ascii_alphabetic()) && line.contains(':') {
            starts.push(at);
        }
        at += line.len();
    }
    let end_of = |place: usize| starts.get(place + 1).copied().unwrap_or(text.len());
    let block = |(place, &start): (usize, &usize)| {
        let block = &text[start..end_of(place)];
        block.split_once(':')
    };
    starts.iter().enumerate().filter_map(block).collect()
}

/// A command line without what is another in every run: ports, and the run's own folder.
fn without_places(command: &str) -> String {
    let mut is_port = false;
    let word = |word: &str| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let shown = if is_number && std::mem::take(&mut is_port) { "*".to_owned() } else { without_place(word) };
        is_port = word.starts_with("--") && word.ends_with("port");
        shown
    };
    command.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// One word: digits of a port after a colon, and the path to the scratch folder.
fn without_place(word: &str) -> String {
    let mut text = word.to_owned();
    if let Some(end) = text.find("/scratch/") {
        let begin = text[..end].rfind([':', '=']).map_or(0, |at| at + 1);
        let slashes = if text[begin..].starts_with("///") { 2 } else { 0 };
        text.replace_range(begin + slashes..end, "$(run)");
    }
    let mut shown = String::with_capacity(text.len());
    for (place, part) in text.split(':').enumerate() {
        if place > 0 {
            shown.push(':');
        }
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_port = place > 0 && (2..=5).contains(&digits);
        shown.push_str(if is_port { "*" } else { &part[..digits] });
        shown.push_str(&part[digits..]);
    }
    shown
}

/// Enough of a text to see whether two are the same: its length and a checksum (FNV-1a, 64 bits).
fn digest(text: &str) -> String {
    let sum = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_study_is_cut_at_its_keys() {
        let text = "# comment\nstudy: A\nsystem:\n  name: shop\n  instances: {}\nexchanges:\n  x: 1\n";
        let found = blocks(text);
        assert_eq!(found[1], ("system", "\n  name: shop\n  instances: {}\n"));
        assert_eq!(found.iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["study", "system", "exchanges"]);
        assert_ne!(digest("a"), digest("b"));
    }

    #[test]
    fn a_command_line_is_compared_without_its_ports_and_folders() {
        let line = "inventory gateway --port 3306 --records 127.0.0.1:32779 --store sqlite:///a/b/scratch/x.db \
                    --data=/r/1/scratch/pg --pool 10 --fault delay=7%";
        let expected = "inventory gateway --port * --records 127.0.0.1:* --store sqlite://$(run)/scratch/x.db \
                        --data=$(run)/scratch/pg --pool 10 --fault delay=7%";
        assert_eq!(without_places(line), expected);
        assert_eq!(without_places("db postgres://lab@127.0.0.1:5432/lab ü:9"), "db postgres://lab@127.0.0.1:*/lab ü:9");
    }

    #[test]
    fn what_one_side_lacks_is_a_difference() {
        let (mut base, mut other) = (Circumstances::default(), Circumstances::default());
        let scope = Scope::whole("s");
        base.add("load", "model", Some(&scope), "open even");
        other.add("load", "model", Some(&scope), "closed");
        other.add("host", "host cores", None, "4");
        let found = differences(&base, &other, &["load", "data"]);
        assert_eq!(found.len(), 2);
        assert!(found[0].forbids && found[0].name == "model" && found[0].scope == Some(scope));
        assert!(!found[1].forbids && found[1].base.is_empty() && found[1].other == "4");
        assert!(differences(&base, &base, &["load"]).is_empty());
    }

    #[test]
    fn seconds_are_written_for_people() {
        let cases = [
            (1.291079812, "1.291"),
            (0.05, "0.05"),
            (0.000123456, "0.0001235"),
            (24.7139, "24.71"),
            (600.0, "600"),
            (86_401.6, "86402"),
            (0.0, "0"),
        ];
        for (seconds, said) in cases {
            assert_eq!(rounded(seconds).to_string(), said);
        }
    }
}
