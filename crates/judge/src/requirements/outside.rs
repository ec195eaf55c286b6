//! Why nothing was recorded of an imported monitor: its rows have no clock, or are not of the time of the run.

use super::decision::Decision;
use crate::Arg;
use crate::rows::Index;
use record::Outside;
use study::rule::{Clause, Rule, Subject};

/// Says of a verdict for want of samples what is known of the file in which they would be.
pub(super) fn explain(decision: &mut Decision, rule: &Rule, index: &Index<'_>) {
    if decision.reason.code != "no_samples" {
        return;
    }
    let Some((file, outside)) = file_of(rule, index) else { return };
    let text = |text: &str| Arg::Text(text.to_owned());
    let own = if outside.why.is_empty() {
        decision.reason.code = "outside_run".into();
        vec![
            ("from", text(&outside.from)),
            ("to", text(&outside.to)),
            ("run_from", text(&outside.run_from)),
            ("run_to", text(&outside.run_to)),
        ]
    } else {
        decision.reason.code = "no_clock".into();
        vec![
            ("why", text(&outside.why)),
            ("every", Arg::Seconds(outside.every_s)),
            ("needed", Arg::Count(outside.needed as f64)),
            ("correlation", Arg::Number((outside.correlation * 100.0).round() / 100.0)),
        ]
    };
    // A rule of several clauses has named the one that decided.
    let args = &mut decision.reason.args;
    args.extend(own.into_iter().map(|(name, arg)| (name.to_owned(), arg)));
    args.insert("file".into(), text(file));
    args.insert("rows".into(), Arg::Count(outside.rows as f64));
}

/// The first file of a monitor that the rule asks, if none of its rows lies within the run.
fn file_of<'a>(rule: &Rule, index: &'a Index<'_>) -> Option<(&'a str, &'a Outside)> {
    let imported = index.head().imported.as_ref()?;
    let mut asked = Vec::new();
    for clause in &rule.clauses {
        match clause {
            Clause::State { subject, .. } => asked.extend(monitor(&subject.subject)),
            Clause::Compare { .. } => {
                asked.extend(clause.statistics().into_iter().filter_map(|asked| monitor(&asked.series.subject)));
            }
            Clause::Change(change) => asked.extend(monitor(&change.of.statistic.series.subject)),
        }
    }
    let kinds = index.head().monitors.iter().filter(|monitor| asked.contains(&monitor.name.as_str()));
    let kinds: Vec<&str> = kinds.map(|monitor| monitor.kind.as_str()).collect();
    let file = imported.files.iter().find(|file| kinds.contains(&file.monitor.as_str()) && file.outside.is_some())?;
    Some((&file.name, file.outside.as_ref()?))
}

fn monitor(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Metric { monitor, .. } => Some(monitor),
        _ => None,
    }
}
