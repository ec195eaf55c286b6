//! Groups that run at once: whether they can be a mix, which is judged while all of its parts hold.

use crate::build::Build;
use crate::draft::{Length, Load, Scenario};
use crate::finish::has_call;
use crate::text::duration;

/// Seconds below which two moments are the same.
const SAME: f64 = 0.01;

/// Seconds from the beginning of the load.
struct Span {
    /// Its full load is reached.
    holds: f64,
    /// It no longer holds.
    ends: f64,
    /// Nothing more is sent.
    is_over: f64,
}

/// Keeps the groups of the source as a mix where they hold their load at the same time, and else one after another; what
/// either changes is reported.
pub(crate) fn together(build: &mut Build<'_>) {
    // A group of which nothing is carried over is not part of the study.
    let scenarios: Vec<Scenario> =
        build.draft.scenarios.iter().filter(|scenario| has_call(&scenario.run)).cloned().collect();
    if !build.draft.is_mix || scenarios.len() < 2 {
        return;
    }
    match span_of_all(&scenarios) {
        Ok((first, ends)) => {
            let later: Vec<(String, f64)> = scenarios
                .iter()
                .filter_map(|scenario| Some((scenario.name.clone(), span(scenario)?.is_over)))
                .filter(|(_, is_over)| *is_over > ends + SAME)
                .collect();
            for (name, is_over) in later {
                build.lose(
                    format!("the load of `{name}` from {} to {}", duration(ends), duration(is_over)),
                    format!("the groups are a mix, which ends when the first of them no longer holds: `{first}`"),
                    "let their holds end together, or write a scenario of its own for the rest",
                );
            }
        }
        Err(why) => {
            build.draft.is_mix = false;
            let count = scenarios.len();
            build.draft.scenarios.iter_mut().for_each(|scenario| scenario.after = 0.0);
            build.lose(
                format!("{count} groups at once"),
                format!("{why}, so they run one after another"),
                "write a `mix` of them, each with a `hold`",
            );
        }
    }
}

/// The group that ends a mix of all and when that is; or why they cannot be a mix.
fn span_of_all(scenarios: &[Scenario]) -> Result<(String, f64), String> {
    let spans: Vec<(&str, Span)> =
        scenarios.iter().filter_map(|scenario| Some((scenario.name.as_str(), span(scenario)?))).collect();
    let Some((first, last)) = spans.iter().min_by(|a, b| a.1.ends.total_cmp(&b.1.ends)) else {
        return Err(
            "each of them ends with a number of iterations, and nothing says how long a mix of them lasts".to_owned()
        );
    };
    if let Some((name, _)) = spans.iter().find(|(_, span)| span.ends <= span.holds) {
        return Err(format!("`{name}` only changes its load and never holds it, and a mix is judged while all hold"));
    }
    let holds = spans.iter().map(|(_, span)| span.holds).fold(0.0, f64::max);
    if last.ends <= holds + SAME {
        let each = spans
            .iter()
            .map(|(name, span)| format!("`{name}` holds from {} to {}", duration(span.holds), duration(span.ends)));
        return Err(format!("they never hold their load at the same time ({})", each.collect::<Vec<_>>().join(", ")));
    }
    if let Some(late) = scenarios.iter().find(|scenario| scenario.after >= last.ends) {
        return Err(format!(
            "`{}` begins after {}, and a mix of them ends after {}",
            late.name,
            duration(late.after),
            duration(last.ends)
        ));
    }
    Ok(((*first).to_owned(), last.ends))
}

/// As a mix counts it; `None` for a group that ends with a number of iterations, which runs beside the others.
fn span(scenario: &Scenario) -> Option<Span> {
    let after = scenario.after;
    match &scenario.load {
        Load::Users { ramp, length: Length::Hold(seconds), .. }
        | Load::Arrivals { ramp, length: Length::Hold(seconds), .. } => {
            let ends = after + ramp + seconds;
            Some(Span { holds: after + ramp, ends, is_over: ends })
        }
        Load::Users { .. } | Load::Arrivals { .. } => None,
        Load::Stages(stages) => {
            Some(of_pieces(after, stages.iter().map(|(users, seconds, is_ramp)| (*users as f64, *seconds, *is_ramp))))
        }
        Load::Pieces(pieces, _) => Some(of_pieces(after, pieces.iter().copied())),
    }
}

/// From the first piece whose level stays to the end of the last one.
fn of_pieces(after: f64, pieces: impl Iterator<Item = (f64, f64, bool)>) -> Span {
    let (mut at, mut holds, mut ends, mut before) = (after, None, after, 0.0);
    for (level, seconds, is_ramp) in pieces {
        let stays = !is_ramp || (level - before).abs() < 1e-9;
        if stays {
            holds = holds.or(Some(at));
        }
        at += seconds.max(0.001);
        if stays {
            ends = at;
        }
        before = level;
    }
    Span { holds: holds.unwrap_or(at), ends, is_over: at }
}
