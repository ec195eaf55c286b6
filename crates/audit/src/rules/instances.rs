//! SKEW and IDLE-CONS: servers that should be alike.

use crate::columns::has_word;
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Sentence, words};

/// How many times as often one server does what its twin does, to be worth a word.
const SKEWED: f64 = 10.0;

/// Servers of one name with numbers, such as `docker01` and `docker02`, that a sentence names.
fn servers(sentence: &Sentence) -> Vec<String> {
    let numbered = |word: &String| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() >= 3 && stem.len() < word.len() && stem.chars().all(char::is_alphabetic)
    };
    words(&sentence.text).filter(numbered).collect()
}

/// SKEW: two servers of one name, one of which collected all its garbage ten times as often; with its full heap, where the
/// report says that one was full.
pub(super) fn skew(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let of_collections = |sentence: &Sentence| {
        let is_full = sentence.lower.contains("full garbage")
            || sentence.lower.contains("full gc")
            || has_word(&sentence.lower, &["fgc"]);
        let [server] = &servers(sentence)[..] else { return None };
        let mut counts = sentence.quantities.iter().filter(|one| match &one.unit {
            Unit::Count(noun) => ["gange", "times", "keer"].iter().any(|word| noun.starts_with(word)),
            _ => false,
        });
        let count = counts.next()?.value();
        (is_full && counts.next().is_none()).then(|| (server.clone(), count))
    };
    for two in seen.sentences.windows(2) {
        let (Some((first, a)), Some((second, b))) = (of_collections(&two[0]), of_collections(&two[1])) else {
            continue;
        };
        let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let ratio = a.max(b) / a.min(b).max(1.0);
        if two[0].block != two[1].block || first == second || stem(&first) != stem(&second) || ratio < SKEWED {
            continue;
        }
        let (busy, idle) = if a > b { ((&first, a), (&second, b)) } else { ((&second, b), (&first, a)) };
        let mut quotes = vec![quote(&two[0].place, &two[0].text), quote(&two[1].place, &two[1].text)];
        let mut arithmetic =
            format!("{} / {} = {}", number(busy.1), number(idle.1), number((10.0 * ratio).round() / 10.0));
        if let Some((sentence, size)) = ceiling(seen, busy.0, two[0].block) {
            arithmetic.push_str(&format!(
                "; {} reached its ceiling of {} MiB",
                busy.0,
                number((10.0 * size / 1_048_576.0).round() / 10.0)
            ));
            quotes.push(quote(&sentence.place, &sentence.text));
        }
        found.push(Finding {
            code: "SKEW",
            weight: Weight::Question,
            says: format!(
                "{} collected all its garbage {} times as often as {}",
                busy.0,
                number(ratio.round()),
                idle.0
            ),
            arithmetic,
            remedy: format!("two servers under one load should be alike: look at {} alone, its memory first", busy.0),
            quotes,
        });
    }
}

/// A sentence near by in which a server reaches a size that is a ceiling. Sizes that Java's tools print in KB are of 1024.
fn ceiling<'a>(seen: &'a Input<'_>, server: &str, block: usize) -> Option<(&'a Sentence, f64)> {
    const CEILINGS: [&str; 6] = ["ceiling", "loftet", "loft", "plafond", "limit", "maximum"];
    let near = seen.sentences.iter().filter(|sentence| sentence.block.abs_diff(block) <= 3);
    near.filter(|sentence| has_word(&sentence.lower, &CEILINGS) && sentence.lower.contains(server)).find_map(
        |sentence| {
            let size = sentence.quantities.iter().find(|one| one.unit == Unit::Bytes)?;
            let text = &sentence.text[size.place.clone()];
            let scale = if text.ends_with("KB") { 1.024 } else { 1.0 };
            Some((sentence, size.value() * scale))
        },
    )
}

/// The number of a noun that begins with a stem.
fn count<'a>(sentence: &'a Sentence, stem: &str) -> Option<&'a Quantity> {
    sentence.quantities.iter().find(|one| matches!(&one.unit, Unit::Count(noun) if noun.split(' ').next().is_some_and(|word| word.starts_with(stem))))
}

/// IDLE-CONS: more consumers than partitions, so that some have nothing to read.
pub(super) fn consumers(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for (at, sentence) in seen.sentences.iter().enumerate() {
        let Some(partitions) = count(sentence, "partition").filter(|one| one.value() >= 1.0) else { continue };
        let near = || seen.sentences[at..].iter().take(4).filter(|other| other.block == sentence.block);
        let Some((each_at, each)) = near().find_map(|other| Some((other, count(other, "consumer")?))) else { continue };
        let is_each = ["per server", "on each server", "each server", "på hver server", "per node", "op hver server"]
            .iter()
            .any(|words| each_at.lower.contains(words));
        // `Altogether 24`, in the sentence itself or the next.
        let total = near().find_map(|other| {
            let is_total = ["ialt", "i alt", "altogether", "in total", "in totaal"]
                .iter()
                .any(|words| other.lower.contains(words));
            let makes = |one: &&Quantity| one.value() > each.value() && (one.value() / each.value()).fract() == 0.0;
            other.quantities.iter().find(makes).filter(|_| is_total).map(|one| (other, one.value()))
        });
        let (all, source) = match total {
            Some((source, all)) if is_each => (all, source),
            None if !is_each => (each.value(), each_at),
            _ => continue,
        };
        if all <= partitions.value() {
            continue;
        }
        found.push(Finding {
            code: "IDLE-CONS",
            weight: Weight::Question,
            says: format!(
                "{} consumers for {} partitions: {} of them have nothing to read",
                number(all),
                number(partitions.value()),
                number(all - partitions.value())
            ),
            arithmetic: format!(
                "{} − {} = {}; within a group each partition has one consumer",
                number(all),
                number(partitions.value()),
                number(all - partitions.value())
            ),
            remedy: format!(
                "{} consumers in all, spread evenly over the servers, or more partitions",
                number(partitions.value())
            ),
            quotes: vec![quote(&sentence.place, &sentence.text), quote(&source.place, &source.text)],
        });
        return;
    }
}
