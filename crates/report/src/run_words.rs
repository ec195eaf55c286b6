//! Sentences that a run wrote down while it went on, in the language of the report.
//!
//! The run folder has them in English, since whoever writes there has no catalogue. What is not known here, as from
//! another version, stays as it is.

use crate::messages::{Messages, say};
use judge::Arg;

/// A pattern with one gap for each `*`; what the gaps of a text hold.
fn gaps<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split('*');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let pieces: Vec<&str> = pieces.collect();
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let is_last = index + 1 == pieces.len();
        let at = if is_last { rest.strip_suffix(piece)?.len() } else { rest.find(piece)? };
        found.push(&rest[..at]);
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty().then_some(found)
}

/// What a trial left out; `None` where the mark of the trial says it already.
pub(crate) fn left_out(m: &Messages, text: &str) -> Option<String> {
    let of = |pattern: &str| gaps(pattern, text);
    if of("every phase, wait and count is *% of what the study plans (* instead of *)").is_some() {
        return None;
    }
    Some(if let Some(found) = of("the order is run once instead of * times") {
        say!(m, "trial-order", times = found[0])
    } else if let Some(found) = of("scenarios are carried out once instead of up to * times") {
        say!(m, "trial-repeat", times = found[0])
    } else if let Some(found) = of("scenario `*`: a hold stays at *, so the trial takes longer") {
        say!(m, "trial-hold", scenario = found[0], least = found[1])
    } else if let Some(found) = of("scenario `*` counts iterations of unknown length; its counts stay") {
        say!(m, "trial-counts", scenario = found[0])
    } else if let Some(found) = of("scenario `*`: * instead of * iterations in its *") {
        say!(m, "trial-fewer", scenario = found[0], fewer = found[1], count = found[2])
    } else {
        text.to_owned()
    })
}

/// Why a run ended.
pub(crate) fn ending(m: &Messages, text: &str) -> String {
    let of = |pattern: &str| gaps(pattern, text);
    if let Some(found) = of("the abort rule `*` held") {
        say!(m, "ended-rule", rule = found[0])
    } else if text == "stopped by the operator; what was open could end" {
        say!(m, "ended-drained")
    } else if text == "stopped at once by the operator" {
        say!(m, "ended-at-once")
    } else if let Some(found) = of("the load node * was lost: *") {
        say!(m, "ended-node", node = found[0])
    } else {
        text.to_owned()
    }
}

/// What happened while the run went on. The record has the kind and a sentence.
pub(crate) fn event(m: &Messages, kind: &str, text: &str) -> String {
    let said = if kind == judge::searches::ATTEMPT { attempt(m, text) } else { None };
    said.unwrap_or_else(|| text.to_owned())
}

/// What became of an attempt of a search, and what it tried next.
fn attempt(m: &Messages, text: &str) -> Option<String> {
    let [outcome, tried, rate, why, next] = gaps("* at * with */s (*); *", text)?.try_into().ok()?;
    let why = match gaps("throughput grew by *%, *% was wanted", why) {
        Some(found) => {
            let percent = |text: &str| Some(Arg::Share(text.parse::<i64>().ok()? as f64 / 100.0).given());
            say!(m, "attempt-grew", grew = percent(found[0])?, wanted = percent(found[1])?)
        }
        None => {
            let (why, name) = why_of(why)?;
            say!(m, "attempt-why", why = why, name = name)
        }
    };
    let next = if let Some(found) = gaps("the search is over (*)", next) {
        say!(m, "attempt-over", why = &found[0].replace(' ', "_"))
    } else if let Some(found) = gaps("once more, longer, at *", next) {
        say!(m, "attempt-next", how = "again", values = found[0])
    } else {
        say!(m, "attempt-next", how = "next", values = next.strip_prefix("next ")?)
    };
    let rate = Arg::PerSecond(rate.parse().ok()?);
    Some(say!(m, "attempt-told", outcome = outcome, tried = tried, rate = rate, why = &why, next = &next))
}

/// The code of why an attempt came out as it did, and the requirement or instance that it names.
fn why_of(text: &str) -> Option<(&'static str, &str)> {
    const ALONE: [(&str, &str); 8] = [
        ("answers fall behind the load", "behind"),
        ("every requirement is met", "met"),
        ("iterations were cut off", "left"),
        ("measured", "measured"),
        ("nothing asked", "nothing_asked"),
        ("nothing succeeded", "nothing_ok"),
        ("the measurement was disturbed", "invalid"),
        ("the rate cannot be told", "no_rate"),
    ];
    const OF_NAME: [(&str, &str); 9] = [
        ("the abort rule `*` held", "aborted"),
        ("`*` held of a disturbed measurement", "aborted_spoiled"),
        ("* is not met", "not_met"),
        ("* is within its limit, but not proven", "value_within"),
        ("* is beyond its limit, but not proven", "value_beyond"),
        ("* cannot be told", "no_value"),
        ("replica * was lost", "degraded"),
        ("* was still busy with work from before", "unrested"),
        // As an earlier version wrote it.
        ("* lost a replica", "degraded"),
    ];
    let alone = ALONE.iter().find(|(known, _)| *known == text).map(|(_, code)| (*code, ""));
    alone.or_else(|| OF_NAME.iter().find_map(|(pattern, code)| Some((*code, *gaps(pattern, text)?.first()?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_hold_what_stands_between_known_words() {
        assert_eq!(gaps("a `*`: * of *", "a `x/y`: 1 of 3 in all"), Some(vec!["x/y", "1", "3 in all"]));
        assert_eq!(gaps("a * b", "a  b"), Some(vec![""]));
        assert_eq!(gaps("a * b", "a b"), None);
        assert_eq!(gaps("plain", "plain"), Some(vec![]));
        assert_eq!(gaps("plain", "plainer"), None);
    }

    /// As it was written, with the rate as a report prints it.
    fn event_in_english(text: &str) -> String {
        let [before, rate, after] = gaps("* with */s*", text).unwrap().try_into().unwrap();
        let rate = Messages::of("en").numbers.per_second(rate.parse().unwrap());
        format!("{before} with {rate}{after}").replace("/s", "")
    }

    #[test]
    fn every_sentence_has_its_words_in_every_language() {
        let trials = [
            "the order is run once instead of 3 times",
            "scenarios are carried out once instead of up to 3 times",
            "scenario `peak/orders`: a hold stays at 1s, so the trial takes longer",
            "scenario `peak` counts iterations of unknown length; its counts stay",
            "scenario `peak`: 10 instead of 300 iterations in its hold",
        ];
        let endings = [
            "the abort rule `mean(host.cpu) > 90% for 2m` held",
            "stopped by the operator; what was open could end",
            "stopped at once by the operator",
            "the load node node-2 was lost: its process ended",
        ];
        let attempts = [
            "passed at threads 5, nodes 2 with 97.1/s (measured); next threads 8, nodes 2",
            "failed at rate 400/s with 312.0/s (fast is not met); once more, longer, at rate 200/s",
            "void at rate 400/s with 0.0/s (the measurement was disturbed); the search is over (generator)",
            "passed at rate 400/s with 400.0/s (every requirement is met); the search is over (attempts used up)",
            "failed at rate 400/s with 9.0/s (fast is beyond its limit, but not proven); next rate 200/s",
            "passed at rate 40/s with 9.0/s (fast is within its limit, but not proven); next rate 200/s",
            "void at rate 400/s with 9.0/s (fast cannot be told); the search is over (unjudged)",
            "failed at rate 400/s with 9.0/s (replica lookup.2 was lost); the search is over (degraded)",
            "passed at threads 8, nodes 2 with 9.0/s (throughput grew by 12%, 15% was wanted); the search is over (target missed)",
            "failed at rate 400/s with 9.0/s (answers fall behind the load); the search is over (found)",
            "failed at rate 400/s with 9.0/s (iterations were cut off); the search is over (target missed)",
            "void at threads 5, nodes 2 with 9.0/s (the rate cannot be told); next threads 5, nodes 2",
            "failed at rate 400/s with 9.0/s (the abort rule `p95(find.response) > 2s for 10s` held); next rate 200/s",
            "void at rate 400/s with 9.0/s (`p95(find.response) > 2s for 10s` held of a disturbed measurement); next rate 400/s",
            "failed at threads 5, nodes 2 with 0.0/s (the abort rule `mean(host.cpu) > 90% for 1m` held); the search is over (aborted)",
            "passed at threads 5, nodes 4 with 9.0/s (measured); the search is over (disturbed)",
            "passed at rate 400/s with 9.0/s (nothing asked); the search is over (most reached)",
            "failed at rate 400/s with 9.0/s (nothing succeeded); next rate 200/s",
        ];
        for text in attempts {
            assert_eq!(event(&Messages::of("en"), "attempt", text).replace("/s", ""), event_in_english(text));
            assert_eq!(event(&Messages::of("da"), "other", text), text);
        }
        let earlier = "failed at rate 400/s with 9.0/s (lookup.2 lost a replica); the search is over (degraded)";
        assert!(event(&Messages::of("en"), "attempt", earlier).contains("(replica lookup.2 was lost)"));
        for language in ["nl", "da"] {
            let m = Messages::of(language);
            for text in attempts {
                let told = event(&m, "attempt", text);
                let english = [" at ", " not ", "next ", "once ", "search", "_", "passed", "failed", "void"];
                assert!(english.iter().all(|word| !told.contains(word)), "{language}: {told}");
            }
            for text in trials {
                let told = left_out(&m, text).unwrap();
                assert!(told != text && !told.contains("instead"), "{told}");
            }
            for text in endings {
                let told = ending(&m, text);
                assert!(told != text && !told.contains("stopped"), "{told}");
            }
        }
        let m = Messages::of("nl");
        let known = "every phase, wait and count is 3.5% of what the study plans (15m instead of 7h)";
        assert_eq!(left_out(&m, known), None, "the mark of the trial says it");
        assert_eq!(left_out(&m, "something else"), Some("something else".into()));
        assert_eq!(ending(&m, "adapter ended"), "adapter ended");
    }
}
