//! Stop rules of a scenario, as they are written, with what each of them did.

use crate::charts::moment;
use crate::document::{Block, Cell, Column, NoteKind, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::{bounded, clean};
use judge::Arg;
use record::EventRow;
use study::rule::{Clause, Expression, Rule, State, Subject};
use terms::Unit;

/// Kind of the event that a stop rule leaves when it holds.
const EVENT: &str = "abort";
/// Longest rule that is printed.
const RULE_CHARS: usize = 400;

/// The rules in a table, or a sentence where the study has none; nothing where the study cannot be read and no rule held.
pub(super) fn stops(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Option<Block> {
    let held = held(cx, scenario);
    let Some(study) = cx.input.study else {
        let text = say!(cx.m, "stops-unread", text = &clean(&held?.text));
        return Some(Block::Note { kind: NoteKind::Missing, text });
    };
    let rules = study.scenarios.get(usize::from(scenario.index))?.aborts();
    if rules.is_empty() {
        let text = say!(cx.m, "stops-none");
        return Some(Block::Paragraph { text, findings: Vec::new(), is_lead: false });
    }
    Some(Block::Table(Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-stops", scenario = scenario.name),
        columns: vec![Column::text(say!(cx.m, "col-stop-rule")), Column::text(say!(cx.m, "col-did"))],
        rows: rows(cx, scenario, &rules, held),
        notes: vec![say!(cx.m, "note-stops")],
    }))
}

/// The event of a rule that held in this scenario; the first ends the run, so there is one at most.
fn held<'a>(cx: &Context<'a>, scenario: &ScenarioContext<'_>) -> Option<&'a EventRow> {
    let is_here = |event: &&EventRow| event.kind == EVENT && scenario.from <= event.at && event.at <= scenario.to;
    cx.input.views.events.iter().find(is_here)
}

fn rows(cx: &Context<'_>, scenario: &ScenarioContext<'_>, rules: &[Rule], held: Option<&EventRow>) -> Vec<Row> {
    // Parts of a mix may have the same rule; the event does not say whose it was, and so it is the first one's.
    let which = held.and_then(|event| rules.iter().position(|rule| of_rule(event, &rule.text).is_some()));
    let row = |(number, rule): (usize, &Rule)| {
        let asked: Vec<String> =
            rule.asked.iter().map(|(name, asked)| format!("{}: {}", clean(name), clean(&asked.text))).collect();
        let did = match held.filter(|_| which == Some(number)) {
            None => Cell::text(say!(cx.m, "stop-never")),
            Some(event) => {
                let at = moment(scenario.since(event.at)).text;
                let seen = of_rule(event, &rule.text).unwrap_or_default();
                Cell::text(say!(cx.m, "stop-held", at = &at)).with_detail(value(cx, rule, seen))
            }
        };
        let is_strong = which == Some(number);
        let cells = vec![Cell::code(bounded(&rule.text, RULE_CHARS)).with_detail(asked.join("; ")), did];
        Row { cells, x: None, is_strong }
    };
    rules.iter().enumerate().map(row).collect()
}

/// What an event says of a rule, when it is that rule's: the value that it had. `` `RULE` held (value 0.0712) ``; what
/// fell, and from where, stands behind that.
fn of_rule<'a>(event: &'a EventRow, rule: &str) -> Option<&'a str> {
    let rest = event.text.strip_prefix('`')?.strip_prefix(rule)?.strip_prefix('`')?;
    let inside = rest.split_once('(').map_or("", |(_, inside)| inside);
    // The rule of a requirement, in backticks, has parentheses of its own.
    let mut is_quoted = false;
    let end = inside.find(|c: char| {
        is_quoted ^= c == '`';
        c == ')' && !is_quoted
    });
    Some(&inside[..end.unwrap_or(inside.len())])
}

/// The unit of the value that a rule had when it held: that of what its first clause with a value is compared with.
/// `None` where nothing tells it.
fn unit_of(rule: &Rule) -> Option<Unit> {
    let own = |clause: &Clause| match clause {
        Clause::State { state: State::Alive, .. } => None,
        Clause::State { state: State::Met | State::Broken, subject, .. } => {
            let Subject::Requirement(name) = &subject.subject else { return Some(None) };
            let (_, asked) = rule.asked.iter().find(|(known, _)| known == name)?;
            let mut units = asked.clauses.iter().map(limit_unit);
            // Which of its clauses the value is of, the event does not say.
            let first = units.next().flatten();
            Some(first.filter(|first| units.all(|other| other.as_ref() == Some(first))))
        }
        clause => Some(limit_unit(clause)),
    };
    rule.clauses.iter().find_map(own).flatten()
}

/// The unit of what a clause compares with; of a drift the part by which something changed.
fn limit_unit(clause: &Clause) -> Option<Unit> {
    match clause {
        Clause::Compare { sums, .. } => sums.iter().find_map(|sum| match sum {
            Expression::Number(number) => Some(number.unit.clone()),
            _ => None,
        }),
        Clause::Change(_) | Clause::State { state: State::Steady, .. } => Some(Unit::Share),
        Clause::State { .. } => None,
    }
}

/// The value that a rule had when it held, in its unit; and which requirement's rule it was. `value 0.9731` or
/// ``value 0.9731, of `RULE` ``.
fn value(cx: &Context<'_>, rule: &Rule, seen: &str) -> String {
    let (number, of) = seen.split_once(", of ").unwrap_or((seen, ""));
    let of = of.trim_matches('`');
    let Some(value) = number.strip_prefix("value ").and_then(|number| number.parse::<f64>().ok()) else {
        return clean(seen);
    };
    let value = match unit_of(rule) {
        Some(Unit::Time) => Arg::Seconds(value),
        Some(Unit::Share) => Arg::Share(value),
        Some(Unit::PerSecond | Unit::OfPerSecond(_)) => Arg::PerSecond(value),
        Some(Unit::Bytes) => Arg::Bytes(value),
        Some(Unit::Cores) => Arg::Cores(value),
        Some(Unit::Count | Unit::Of(_)) | None => Arg::Number(value),
    };
    match of {
        "" => say!(cx.m, "stop-value", value = value),
        of => say!(cx.m, "stop-value-of", value = value, rule = &bounded(of, RULE_CHARS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::Nanos;

    #[test]
    fn an_event_belongs_to_the_rule_whose_text_it_has() {
        let event =
            |text: &str| EventRow { at: Nanos::SECOND, kind: EVENT.into(), subject: "run".into(), text: text.into() };
        let rule = "share(ping.failed) > 5% for 30s";
        assert_eq!(of_rule(&event(&format!("`{rule}` held (value 0.0712)")), rule), Some("value 0.0712"));
        let asked = "broken(cpu) for 1m";
        let text = format!("`{asked}` held (value 0.9731, of `mean(host.cpu) <= 65%`)");
        assert_eq!(of_rule(&event(&text), asked), Some("value 0.9731, of `mean(host.cpu) <= 65%`"));
        assert_eq!(of_rule(&event(&text), rule), None);
        assert_eq!(of_rule(&event("something else"), rule), None);
        let fall = "drop(store.rows) >= 30% for 30s";
        let text = format!("`{fall}` held (value 0.4210): store.rows fell from 100/s to 57.9/s (after 120 s)");
        assert_eq!(of_rule(&event(&text), fall), Some("value 0.4210"));
        let both = format!("`{asked}` held (value 0.9731, of `mean(host.cpu) <= 65%`): it fell (by much)");
        assert_eq!(of_rule(&event(&both), asked), Some("value 0.9731, of `mean(host.cpu) <= 65%`"));
        assert_eq!(of_rule(&event(&format!("`{rule}`")), rule), Some(""));
    }
}
