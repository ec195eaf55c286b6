//! Each exchange of a study as it was asked for, for tables and for programs.

use contract::Node;
use judge::StepResult;
use serde_json::{Value, json};
use study::Study;

/// An exchange as the study has it.
pub(crate) struct Request<'a> {
    pub(crate) name: &'a str,
    /// `http.get`.
    pub(crate) operation: String,
    /// Its settings as written, in their order: what makes the request. A setting that is not a map has no name.
    pub(crate) settings: Vec<(String, String)>,
    /// What makes an answer right.
    pub(crate) checks: Vec<&'a str>,
    pub(crate) timeout_s: f64,
    /// Its part of all calls that the judged steps planned; `None` where none of them carries it out.
    pub(crate) share: Option<f64>,
}

/// Every exchange, in the order of the study.
pub(crate) fn requests<'a>(study: &'a Study, steps: &[StepResult]) -> Vec<Request<'a>> {
    let held = || steps.iter().filter(|step| step.phase == "hold").flat_map(|step| &step.exchanges);
    let all: f64 = held().map(|result| result.intended).sum();
    let one = |exchange: &'a study::Exchange| {
        let planned: f64 = held().filter(|result| result.id == exchange.name).map(|result| result.intended).sum();
        Request {
            name: &exchange.name,
            operation: format!("{}.{}", exchange.driver, exchange.settings.operation),
            settings: settings(&exchange.settings.node),
            checks: exchange.settings.checks.iter().map(|check| check.text.as_str()).collect(),
            timeout_s: exchange.settings.timeout.as_secs_f64(),
            share: (planned > 0.0 && all > 0.0).then(|| planned / all),
        }
    };
    study.exchanges.iter().map(one).collect()
}

/// The same for programs.
pub(crate) fn requests_json(study: Option<&Study>, steps: &[StepResult]) -> Value {
    let Some(study) = study else { return Value::Null };
    let one = |request: &Request<'_>| {
        json!({
            "id": request.name,
            "operation": request.operation,
            "settings": request.settings.iter().map(|(key, value)| json!([key, value])).collect::<Vec<_>>(),
            "checks": request.checks,
            "timeout_ms": request.timeout_s * 1e3,
            "share": request.share,
        })
    };
    requests(study, steps).iter().map(one).collect()
}

fn settings(node: &Node) -> Vec<(String, String)> {
    match node.map() {
        Some(entries) => {
            entries.iter().map(|(key, value)| (key.text().unwrap_or_default().to_owned(), written(value))).collect()
        }
        None => vec![(String::new(), written(node))],
    }
}

/// A setting on one line, as YAML in flow style would have it.
pub(crate) fn written(node: &Node) -> String {
    if let Some(entries) = node.map() {
        let all: Vec<String> =
            entries.iter().map(|(key, value)| format!("{}: {}", written(key), written(value))).collect();
        return format!("{{ {} }}", all.join(", "));
    }
    if let Some(list) = node.list() {
        return format!("[ {} ]", list.iter().map(written).collect::<Vec<_>>().join(", "));
    }
    node.text().unwrap_or_default().to_owned()
}
