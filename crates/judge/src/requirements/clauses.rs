//! Which clause of a rule of several a verdict shows.

use super::decision::Decision;
use crate::Arg;
use crate::catalogue::{DECIDED_BY, SHOWN_OF};
use study::rule::Rule;
use terms::Verdict;

/// Adds to the reason of a verdict on several clauses the one that decided it (`decided_by`), or, where all hold, the
/// one whose figures are shown (`shown_of`).
pub(super) fn name(decision: &mut Decision, rule: &Rule, place: usize) {
    let texts = texts(&rule.text);
    // A text that does not fall into as many parts as the rule has clauses names nothing.
    if rule.clauses.len() < 2 || texts.len() != rule.clauses.len() {
        return;
    }
    let Some(text) = texts.get(place) else { return };
    let name = if decision.verdict == Verdict::Met { SHOWN_OF } else { DECIDED_BY };
    decision.reason.args.insert(name.to_owned(), Arg::Text((*text).to_owned()));
}

/// The clauses of a rule as they are written, without the window and the split behind the last.
fn texts(rule: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    let (mut depth, mut from, mut end) = (0i32, 0, rule.len());
    for (at, letter) in rule.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth != 0 || letter != ' ' {
            continue;
        }
        let rest = &rule[at..];
        if rest.starts_with(" and ") {
            texts.push(rule[from..at].trim());
            from = at + " and ".len();
        } else if at >= from && (rest.starts_with(" in ") || rest.starts_with(" per ")) {
            end = at;
            break;
        }
    }
    texts.push(rule[from..end].trim());
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_falls_into_its_clauses() {
        let rule =
            "alive(adapter) and share(x.failed) <= 1% and steady(rate(x), growth: 5%) in last 10s of hold per step";
        assert_eq!(texts(rule), ["alive(adapter)", "share(x.failed) <= 1%", "steady(rate(x), growth: 5%)"]);
        assert_eq!(texts("share(x.ok) >= 95%"), ["share(x.ok) >= 95%"]);
        assert_eq!(texts("count(x) per s >= 1/s"), ["count(x)"]);
        assert_eq!(texts(""), [""]);
    }
}
