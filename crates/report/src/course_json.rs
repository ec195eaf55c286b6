//! Trends over iterations in `result.json`.

use crate::json_values::{args, number, optional, pair};
use judge::Judgement;
use judge::trends::{Collecting, Course, Said, Subject, Trend};
use serde_json::{Value, json};

/// `courses`: one for each kind of work that had several loads.
pub(crate) fn courses(judgement: &Judgement) -> Vec<Value> {
    judgement.courses.iter().map(course).collect()
}

fn course(course: &Course) -> Value {
    json!({
        "scopes": course.scopes,
        "users": course.is_users,
        "trends": course.trends.iter().map(trend).collect::<Vec<_>>(),
        "collecting": course.collecting.iter().map(collecting).collect::<Vec<_>>(),
    })
}

fn trend(trend: &Trend) -> Value {
    let (of, series, instance, limit) = match &trend.subject {
        Subject::Throughput => ("throughput", None, None, None),
        Subject::Time => ("time_ms", None, None, None),
        Subject::High { exchange } => ("p95_ms", Some(exchange), None, None),
        Subject::Watched { series, instance, .. } => ("watched", Some(series), Some(instance), None),
        Subject::OldHeap { series, instance, limit } => ("old_heap", Some(series), Some(instance), *limit),
    };
    let (said, reason) = match &trend.said {
        Said::Rises => ("rises", None),
        Said::Falls => ("falls", None),
        Said::Hardly => ("hardly", None),
        Said::CannotTell(reason) => ("cannot_tell", Some(reason)),
    };
    json!({
        "of": of,
        "series": series,
        "instance": instance,
        "limit": optional(limit),
        "over": if of == "old_heap" { "hours" } else { "load" },
        "points": trend.points.iter().map(|(at, value)| json!([number(*at), number(*value)])).collect::<Vec<_>>(),
        "slope": optional(trend.slope.as_ref().map(|slope| slope.value)),
        "interval": pair(trend.slope.as_ref().map(|slope| (slope.low, slope.high))),
        "said": said,
        "reason": reason.map(|reason| json!({ "code": reason.code, "args": args(&reason.args) })),
    })
}

fn collecting(of: &Collecting) -> Value {
    json!({
        "instance": of.instance,
        "shares": of.shares.iter().map(|share| number(*share)).collect::<Vec<_>>(),
        "full": of.full.as_ref().map(|full| full.iter().map(|count| number(*count)).collect::<Vec<_>>()),
        "keeps_up": of.keeps_up(),
    })
}
