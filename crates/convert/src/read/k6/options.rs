//! `options` of a script: how much, for how long, and what must hold.

use super::Script;
use super::parse::Expr;
use super::run::Scope;
use super::values::Val;
use crate::draft::{Length, Load, Requirement};
use crate::text::{number, short};

/// A scenario as the options want it.
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) function: String,
    pub(super) load: Load,
    pub(super) after: f64,
    pub(super) notes: Vec<String>,
}

#[derive(Default)]
pub(super) struct Options {
    pub(super) scenarios: Vec<Wanted>,
    /// A metric, a rule of it, and whether a run stops by it.
    thresholds: Vec<(String, String, bool)>,
}

type Entries = Vec<(String, Val)>;

fn of<'v>(entries: &'v Entries, key: &str) -> Option<&'v Val> {
    entries.iter().find(|(other, _)| other == key).map(|(_, value)| value)
}

/// Seconds of `1m30s`, or of a number of milliseconds.
fn seconds(value: Option<&Val>, script: &Script<'_, '_>) -> Option<f64> {
    match value? {
        Val::Number(millis) => Some(millis / 1000.0),
        Val::Text(text) => {
            let text = script.build.expanded(text);
            let mut total = 0.0;
            let mut digits = String::new();
            let mut chars = text.trim().chars().peekable();
            while let Some(c) = chars.next() {
                if c.is_ascii_digit() || c == '.' {
                    digits.push(c);
                    continue;
                }
                let is_millis = c == 'm' && chars.next_if_eq(&'s').is_some();
                let unit = match c {
                    _ if is_millis => 0.001,
                    's' => 1.0,
                    'm' => 60.0,
                    'h' => 3600.0,
                    'd' => 86_400.0,
                    _ => return None,
                };
                total += digits.parse::<f64>().ok()? * unit;
                digits.clear();
            }
            if !digits.is_empty() {
                total += digits.parse::<f64>().ok()? / 1000.0;
            }
            (total.is_finite() && total < 1e7).then_some(total)
        }
        _ => None,
    }
}

fn count(value: Option<&Val>, script: &Script<'_, '_>) -> Option<f64> {
    let number = match value? {
        Val::Number(number) => *number,
        Val::Text(text) => script.build.expanded(text).trim().parse().ok()?,
        _ => return None,
    };
    (number.is_finite() && (0.0..=1e9).contains(&number)).then_some(number)
}

impl Options {
    pub(super) fn of(script: &mut Script<'_, '_>, expr: Option<&Expr>) -> Self {
        let mut made = Self::default();
        script.build.place = "options".to_owned();
        let value = expr.map(|expr| script.value(expr, &Scope::default()));
        let entries = match value {
            Some(Val::Map(entries)) => entries,
            None => Vec::new(),
            Some(_) => {
                script.build.lose(
                    "options",
                    "they are computed in the script",
                    "write `load` and `requirements` by hand",
                );
                Vec::new()
            }
        };
        for (key, value) in &entries {
            match (key.as_str(), value) {
                (
                    "scenarios"
                    | "thresholds"
                    | "stages"
                    | "vus"
                    | "duration"
                    | "iterations"
                    | "ext"
                    | "cloud"
                    | "tags"
                    | "summaryTrendStats"
                    | "systemTags"
                    | "setupTimeout"
                    | "teardownTimeout"
                    | "discardResponseBodies"
                    | "noUsageReport"
                    | "summaryTimeUnit"
                    | "minIterationDuration"
                    | "maxRedirects"
                    | "insecureSkipTLSVerify"
                    | "userAgent"
                    | "noCookiesReset"
                    | "batch"
                    | "batchPerHost",
                    _,
                ) => {}
                (other, _) => {
                    script.build.lose(format!("the option `{}`", short(other, 40)), "it is not carried over", "")
                }
            }
        }
        if of(&entries, "insecureSkipTLSVerify") == Some(&Val::Bool(true)) {
            script.keys.push(("tls".to_owned(), "{ insecure: true }".to_owned()));
        }
        if let Some(most) = count(of(&entries, "maxRedirects"), script) {
            let most = if most == 0.0 { "no".to_owned() } else { number(most.min(20.0), 0) };
            script.keys.push(("follow".to_owned(), most));
        }
        if let Some(Val::Text(agent)) = of(&entries, "userAgent") {
            script.agent = Some(agent.clone());
        }
        match of(&entries, "scenarios") {
            Some(Val::Map(scenarios)) => {
                for (name, value) in scenarios {
                    script.build.place = format!("scenario `{}`", short(name, 40));
                    match value {
                        Val::Map(scenario) => made.scenarios.extend(wanted(name, scenario, script)),
                        _ => script.build.lose(
                            format!("the scenario `{}`", short(name, 40)),
                            "it is computed in the script",
                            "write it by hand",
                        ),
                    }
                }
            }
            Some(_) => script.build.lose("scenarios", "they are computed in the script", "write them by hand"),
            None => made.scenarios.push(short_form(&entries, script)),
        }
        if made.scenarios.is_empty() {
            made.scenarios.push(gentle());
        }
        script.build.place = "thresholds".to_owned();
        if let Some(Val::Map(thresholds)) = of(&entries, "thresholds") {
            for (metric, rules) in thresholds {
                let rules = if let Val::List(rules) = rules { rules.clone() } else { vec![rules.clone()] };
                for rule in rules {
                    match rule {
                        Val::Text(rule) => made.thresholds.push((metric.clone(), rule, false)),
                        Val::Map(rule) => match of(&rule, "threshold") {
                            Some(Val::Text(text)) => made.thresholds.push((
                                metric.clone(),
                                text.clone(),
                                of(&rule, "abortOnFail") == Some(&Val::Bool(true)),
                            )),
                            _ => script.build.lose(
                                short(metric, 60),
                                "its rule is computed in the script",
                                "write it under `requirements`",
                            ),
                        },
                        _ => script.build.lose(
                            short(metric, 60),
                            "its rule is computed in the script",
                            "write it under `requirements`",
                        ),
                    }
                }
            }
        }
        made
    }

    /// Thresholds as requirements.
    pub(super) fn require(&self, script: &mut Script<'_, '_>) {
        script.build.place = "thresholds".to_owned();
        for (metric, rule, stops) in &self.thresholds {
            let Some((left, sign, right)) = rule_of(metric, rule, script, &self.scenarios) else {
                script.build.lose(
                    format!("{}: {}", short(metric, 60), short(rule, 60)),
                    "this threshold has no match that means the same",
                    "write it under `requirements`: `p95(x.response) < …`, `share(x.failed) < …`",
                );
                continue;
            };
            let name = script.build.names.give(&format!("{metric} {rule}"), "limit");
            script.build.draft.requirements.push(Requirement { name, rule: format!("{left} {sign} {right}") });
            if *stops {
                let opposite = match sign {
                    "<" => ">=",
                    "<=" => ">",
                    ">" => "<=",
                    _ => "<",
                };
                script.build.draft.abort.push(format!("{left} {opposite} {right} for 10s"));
            }
        }
    }
}

fn gentle() -> Wanted {
    Wanted {
        name: "steady".to_owned(),
        function: "default".to_owned(),
        load: Load::Users { users: 1, ramp: 0.0, length: Length::Hold(60.0), pacing: 1.0 },
        after: 0.0,
        notes: vec!["the script has no load: one user, to begin with".to_owned()],
    }
}

fn short_form(entries: &Entries, script: &mut Script<'_, '_>) -> Wanted {
    let users = count(of(entries, "vus"), script).unwrap_or(1.0).max(1.0) as u64;
    let mut made = Wanted { notes: Vec::new(), ..gentle() };
    let pacing = seconds(of(entries, "minIterationDuration"), script).unwrap_or(0.0);
    if let Some(Val::List(stages)) = of(entries, "stages") {
        let stages = stages.clone();
        if let Some(load) = ramping(&stages, of(entries, "vus").map(|_| users), script) {
            made.load = load;
            return made;
        }
    }
    if let Some(iterations) = count(of(entries, "iterations"), script) {
        made.load = Load::Users { users, ramp: 0.0, length: Length::Count(iterations.max(1.0) as u64), pacing };
    } else if let Some(length) = seconds(of(entries, "duration"), script).filter(|length| *length > 0.0) {
        made.load = Load::Users { users, ramp: 0.0, length: Length::Hold(length), pacing };
    } else if of(entries, "vus").is_some() {
        script.build.lose(
            "the end of the load",
            "the script does not say how long it lasts; a minute is in its place",
            "write `hold` as long as you need",
        );
        made.load = Load::Users { users, ramp: 0.0, length: Length::Hold(60.0), pacing: pacing.max(1.0) };
    } else {
        return gentle();
    }
    made
}

fn stages_of(stages: &[Val], script: &Script<'_, '_>) -> Option<Vec<(f64, f64)>> {
    let all = stages.iter().take(900).map(|stage| match stage {
        Val::Map(stage) => Some((count(of(stage, "target"), script)?, seconds(of(stage, "duration"), script)?)),
        _ => None,
    });
    all.collect()
}

/// Levels that are reached, from the one where the load begins.
fn pieces(stages: &[(f64, f64)], start: f64) -> Vec<(f64, f64, bool)> {
    let mut made = Vec::new();
    let mut before = start;
    if start > 0.0 {
        made.push((start, 0.001, true));
    }
    for (target, length) in stages {
        let is_same = (target - before).abs() < 1e-9;
        if *length <= 0.0 && is_same {
            continue;
        }
        made.push((*target, length.max(0.001), !is_same));
        before = *target;
    }
    made
}

fn ramping(stages: &[Val], start: Option<u64>, script: &mut Script<'_, '_>) -> Option<Load> {
    let Some(stages) = stages_of(stages, script) else {
        script.build.lose(
            "stages",
            "they are computed in the script; a gentle load is in their place",
            "write `users: [ { to, over }, { users, for } ]`",
        );
        return None;
    };
    // k6 begins with one user unless the script says otherwise.
    let start = start.unwrap_or(1) as f64;
    // A ramp from nobody to many has one user at once anyway.
    let begins = if start == 1.0 && stages.first().is_some_and(|(target, length)| *target > 1.0 && *length > 0.0) {
        0.0
    } else {
        start
    };
    let made = pieces(&stages, begins);
    let levels = made.into_iter().map(|(level, length, is_ramp)| (level.round() as u64, length, is_ramp));
    let levels: Vec<(u64, f64, bool)> = levels.collect();
    levels.iter().any(|(users, ..)| *users > 0).then_some(Load::Stages(levels))
}

fn wanted(name: &str, scenario: &Entries, script: &mut Script<'_, '_>) -> Option<Wanted> {
    let text = |key: &str| if let Some(Val::Text(text)) = of(scenario, key) { text.clone() } else { String::new() };
    let executor = text("executor");
    let function = text("exec");
    let function = if function.is_empty() { "default".to_owned() } else { function };
    let users = count(of(scenario, "vus"), script).unwrap_or(1.0).max(1.0) as u64;
    let unit = seconds(of(scenario, "timeUnit"), script).filter(|unit| *unit > 0.0).unwrap_or(1.0);
    let bound = count(of(scenario, "maxVUs"), script)
        .or(count(of(scenario, "preAllocatedVUs"), script))
        .filter(|bound| *bound >= 1.0)
        .map(|bound| bound as u64);
    let length = seconds(of(scenario, "duration"), script).filter(|length| *length > 0.0);
    let load = match executor.as_str() {
        "constant-vus" => {
            length.map(|length| Load::Users { users, ramp: 0.0, length: Length::Hold(length), pacing: 0.0 })
        }
        "shared-iterations" => {
            let all = count(of(scenario, "iterations"), script).unwrap_or(1.0).max(1.0) as u64;
            Some(Load::Users { users, ramp: 0.0, length: Length::Count(all), pacing: 0.0 })
        }
        "per-vu-iterations" => {
            let each = count(of(scenario, "iterations"), script).unwrap_or(1.0).max(1.0) as u64;
            if each > 1 && users > 1 {
                script.build.lose(
                    format!("{each} iterations of each of {users} users"),
                    "the users share all iterations; one that is quicker makes more of them",
                    "",
                );
            }
            Some(Load::Users {
                users,
                ramp: 0.0,
                length: Length::Count(each.saturating_mul(users).min(1_000_000_000)),
                pacing: 0.0,
            })
        }
        "constant-arrival-rate" => match (count(of(scenario, "rate"), script), length) {
            (Some(rate), Some(length)) if rate > 0.0 => {
                Some(Load::Arrivals { rate: rate / unit, ramp: 0.0, length: Length::Hold(length), bound })
            }
            _ => None,
        },
        "ramping-vus" => match of(scenario, "stages").cloned() {
            Some(Val::List(stages)) => {
                let start = count(of(scenario, "startVUs"), script).map(|start| start as u64);
                ramping(&stages, start, script)
            }
            _ => None,
        },
        "ramping-arrival-rate" => match of(scenario, "stages").cloned() {
            Some(Val::List(stages)) => stages_of(&stages, script).and_then(|stages| {
                let start = count(of(scenario, "startRate"), script).unwrap_or(0.0);
                let made: Vec<(f64, f64, bool)> = pieces(&stages, start)
                    .into_iter()
                    .map(|(rate, length, is_ramp)| (rate / unit, length, is_ramp))
                    .collect();
                made.iter().any(|(rate, ..)| *rate > 0.0).then_some(Load::Pieces(made, bound))
            }),
            _ => None,
        },
        _ => None,
    };
    let mut notes = Vec::new();
    let load = load.unwrap_or_else(|| {
        script.build.lose(
            format!("the load of `{}` ({})", short(name, 40), short(&executor, 40)),
            "what it says cannot be carried over; one user is in its place",
            "write `load` by hand",
        );
        notes.push("not the load of the script".to_owned());
        gentle().load
    });
    if of(scenario, "env").is_some() {
        script.build.lose(
            format!("`env` of the scenario `{}`", short(name, 40)),
            "variables of a scenario are not bound",
            "write `set: { NAME: … }` in the scenario",
        );
    }
    Some(Wanted {
        name: name.to_owned(),
        function,
        load,
        after: seconds(of(scenario, "startTime"), script).unwrap_or(0.0),
        notes,
    })
}

/// A threshold as a rule: its function, the comparison, the limit.
fn rule_of(
    metric: &str,
    rule: &str,
    script: &Script<'_, '_>,
    scenarios: &[Wanted],
) -> Option<(String, &'static str, String)> {
    let (base, tag) = match metric.split_once('{') {
        Some((base, tag)) => (base.trim(), Some(tag.trim_end_matches('}').trim())),
        None => (metric.trim(), None),
    };
    let mut which = "*".to_owned();
    let mut of_all = " of all";
    if let Some((key, value)) = tag.map(|tag| tag.split_once(':').unwrap_or((tag, ""))) {
        let (key, value) = (key.trim(), value.trim().trim_matches(['"', '\'']));
        match key {
            "expected_response" if value == "true" => of_all = "",
            "scenario" if scenarios.iter().any(|scenario| scenario.name == value) && scenarios.len() > 1 => {
                let name = crate::names::plain(value);
                which = format!("{name}/*");
            }
            "scenario" if scenarios.iter().any(|scenario| scenario.name == value) => {}
            "name" => {
                let name = crate::names::plain(value);
                which = script.build.draft.exchanges.iter().find(|exchange| exchange.name == name)?.name.clone();
            }
            _ => return None,
        }
    }
    let at = rule.find(['<', '>'])?;
    let (left, rest) = (rule[..at].trim(), &rule[at..]);
    let (sign, limit) =
        match (rest.strip_prefix("<="), rest.strip_prefix(">="), rest.strip_prefix('<'), rest.strip_prefix('>')) {
            (Some(limit), ..) => ("<=", limit),
            (_, Some(limit), ..) => (">=", limit),
            (_, _, Some(limit), _) => ("<", limit),
            (.., Some(limit)) => (">", limit),
            _ => return None,
        };
    let limit: f64 = limit.trim().parse().ok().filter(|limit: &f64| limit.is_finite() && *limit >= 0.0)?;
    match base {
        "http_req_duration" => {
            let function = match left {
                "avg" => "mean".to_owned(),
                "med" => "p50".to_owned(),
                "max" | "min" => left.to_owned(),
                _ => {
                    let percent: f64 = left
                        .strip_prefix("p(")?
                        .strip_suffix(')')?
                        .trim()
                        .parse()
                        .ok()
                        .filter(|it| *it > 0.0 && *it < 100.0)?;
                    format!("p{}", number(percent, 4))
                }
            };
            Some((format!("{function}({which}.service{of_all})"), sign, format!("{}ms", number(limit, 3))))
        }
        "http_req_failed" if left == "rate" && of_all == " of all" => {
            Some((format!("share({which}.failed)"), sign, format!("{}%", number(limit * 100.0, 6))))
        }
        "http_reqs" if left == "count" && of_all == " of all" => {
            Some((format!("count({which}.completed)"), sign, number(limit, 0)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choices, Kind, NoFolder};

    #[test]
    fn times_are_read_as_k6_does() {
        let mut build = crate::build::Build::new(Kind::K6, "a.js", &NoFolder, Choices::default());
        let script = Script {
            build: &mut build,
            imports: Default::default(),
            globals: Default::default(),
            functions: Default::default(),
            keys: Vec::new(),
            agent: None,
            captured: Default::default(),
            environment: Default::default(),
            calls: 0,
        };
        for (text, wanted) in
            [("1m30s", Some(90.0)), ("500ms", Some(0.5)), ("2h", Some(7200.0)), ("10", Some(0.01)), ("x", None)]
        {
            assert_eq!(seconds(Some(&Val::Text(text.to_owned())), &script), wanted, "{text}");
        }
        let rule = |metric: &str, rule: &str| {
            rule_of(metric, rule, &script, &[]).map(|(left, sign, right)| format!("{left} {sign} {right}"))
        };
        assert_eq!(rule("http_req_duration", "p(95)<500").as_deref(), Some("p95(*.service of all) < 500ms"));
        assert_eq!(
            rule("http_req_duration{expected_response:true}", "avg<=1.5").as_deref(),
            Some("mean(*.service) <= 1.5ms")
        );
        assert_eq!(rule("http_req_failed", "rate<0.01").as_deref(), Some("share(*.failed) < 1%"));
        assert_eq!(rule("my_trend", "p(95)<500"), None);
        assert_eq!(rule("http_req_duration{static:yes}", "p(95)<500"), None);
    }
}
