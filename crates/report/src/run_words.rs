//! Sentences that a run wrote down while it went on, in the language of the report.
//!
//! The run folder has them in English, since whoever writes there has no catalogue. What is not known here, as from
//! another version, stays as it is.

use crate::messages::{Messages, say};

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
        for language in ["nl", "da"] {
            let m = Messages::of(language);
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
