//! A draft to the files of a study.

use crate::draft::{Body, Capture, Draft, Exchange, Length, Load, Part, Scenario, Step};
use crate::emit::{flow_map, json, quoted, scalar};
use crate::text::{duration, names_in, number, rate};
use crate::{Converted, Kind, Written, note};
use std::collections::BTreeMap;

/// Longest line of settings.
const LINE: usize = 116;

pub(crate) fn write(kind: Kind, name: &str, draft: Draft) -> Converted {
    let mut in_run = Vec::new();
    for scenario in &draft.scenarios {
        calls(&scenario.run, &mut in_run);
        in_run.extend(scenario.set_up.iter().chain(&scenario.clean_up).map(|(name, _)| name.clone()));
    }
    let loads =
        draft.scenarios.iter().map(|scenario| format!("{}: {}", scenario.name, load_words(&scenario.load))).collect();
    let mut converted = Converted {
        files: Vec::new(),
        seen: draft.seen,
        carried: 0,
        exchanges: draft.exchanges.iter().filter(|exchange| in_run.contains(&exchange.name)).count(),
        loads,
        hosts: draft.servers.iter().map(|server| origin(&server.origin).to_owned()).collect(),
        lost: draft.lost.clone(),
        secrets: draft.secrets.iter().map(|secret| (secret.name.clone(), secret.about.clone())).collect(),
    };
    converted.carried = carried(&draft, &in_run);
    let mut files = vec![Written { path: "study.yaml".to_owned(), bytes: study(kind, name, &draft).into_bytes() }];
    for (path, bytes) in &draft.files {
        files.push(Written { path: path.clone(), bytes: bytes.clone() });
    }
    for secret in &draft.secrets {
        let bytes = format!("{}\n", study::SECRET_PLACEHOLDER).into_bytes();
        files.push(Written { path: format!("secrets/{}", secret.name), bytes });
    }
    files.push(Written { path: "CONVERSION.md".to_owned(), bytes: note::note(kind, name, &converted).into_bytes() });
    converted.files = files;
    converted
}

/// Requests of the source that the study sends: as often as the steps name them, but no more than there were.
fn carried(draft: &Draft, in_run: &[String]) -> usize {
    in_run.len().min(draft.seen)
}

fn calls(steps: &[Step], found: &mut Vec<String>) {
    for step in steps {
        match step {
            Step::Call(name) => found.push(name.clone()),
            Step::Parallel(names, _) => found.extend(names.iter().cloned()),
            Step::Think(_) => {}
            Step::Transaction(_, steps) | Step::Times(_, steps) | Step::If(_, steps) => calls(steps, found),
            Step::Choose(ways) => ways.iter().for_each(|(_, _, steps)| calls(steps, found)),
        }
    }
}

/// An origin without what an unknown host was called.
fn origin(text: &str) -> &str {
    text.split("/#").next().unwrap_or(text)
}

fn study(kind: Kind, name: &str, draft: &Draft) -> String {
    let source = name.rsplit(['/', '\\']).next().unwrap_or(name).replace(['\n', '\r'], " ");
    let mut text = format!(
        "# Made of the {} {} by `loadproof new --from`. What was lost on the way: CONVERSION.md\n",
        kind.title(),
        comment(&source)
    );
    let hosts: Vec<&str> = draft.servers.iter().map(|server| origin(&server.origin)).collect();
    text += &format!("# Load goes to {}: make sure that you may do that.\n", comment(&hosts.join(", ")));
    text += &format!("study: {}\n", quoted_text(&draft.title));
    if !draft.about.is_empty() {
        text += &format!("about: {}\n", quoted_text(&draft.about));
    }
    text += "\nvars:\n";
    for server in &draft.servers {
        let value = origin(&server.origin);
        let note = if value.len() < server.origin.len() {
            "   # the source does not say which host: write it here"
        } else {
            ""
        };
        text += &format!("  {}_url: {}{note}\n", server.var, quoted(value));
    }
    for var in &draft.vars {
        let note = if var.note.is_empty() { String::new() } else { format!("   # {}", comment(&var.note)) };
        text += &format!("  {}: {}{note}\n", var.name, quoted(&var.value));
    }
    if !draft.secrets.is_empty() {
        text += "secrets:                                # or environment variables of these names\n";
        for secret in &draft.secrets {
            text += &format!("  {}: {{ file: secrets/{} }}   # {}\n", secret.name, secret.name, comment(&secret.about));
        }
    }
    if !draft.data.is_empty() {
        text += "data:\n";
        for set in &draft.data {
            let note = if set.note.is_empty() { String::new() } else { format!("   # {}", comment(&set.note)) };
            let mut entries = vec![("file".to_owned(), scalar(&set.path))];
            entries.extend(set.keys.iter().map(|(key, value)| (key.clone(), scalar(value))));
            text += &format!("  {}: {}{note}\n", set.name, flow_map(&entries));
        }
    }
    text += &system(draft);
    text += "\nwatch: { host: {} }                     # this machine; see the guide for the others\n\nexchanges:\n";
    let mut anchors = BTreeMap::new();
    for exchange in &draft.exchanges {
        text += &written_exchange(exchange, &mut anchors, draft);
    }
    text += "\nscenarios:\n";
    for scenario in &draft.scenarios {
        text += &written_scenario(scenario, &draft.abort);
    }
    if draft.is_mix && draft.scenarios.len() > 1 {
        let parts: Vec<&str> = draft.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        text += &format!("  all_at_once: {{ mix: [ {} ] }}\norder: [ all_at_once ]\n", parts.join(", "));
    }
    text += "\nrequirements:\n";
    if draft.requirements.is_empty() {
        text += "  # the source has none: write your own\n";
        text += "  right: share(*.failed) <= 1%\n";
        text += "  fast: { that: p95(*.response) < 1s, severity: informative }\n";
    }
    for requirement in &draft.requirements {
        text += &format!("  {}: {}\n", requirement.name, scalar_rule(&requirement.rule));
    }
    text
}

/// Texts in quotes, and `$(` in them as it is.
fn quoted_text(text: &str) -> String {
    let text = if text.trim().is_empty() { "Converted" } else { text };
    quoted(&text.replace("$(", "$ ("))
}

fn comment(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c) || c == '\u{feff}' { ' ' } else { c })
        .collect()
}

/// A rule is read as YAML first.
fn scalar_rule(rule: &str) -> String {
    let needs = rule.contains([',', '*', '#', ':', '[', '{', '"', '\''])
        && !rule.starts_with(|c: char| c.is_ascii_alphabetic());
    if needs || rule.contains([',', ':', '#']) { quoted(rule) } else { rule.to_owned() }
}

fn system(draft: &Draft) -> String {
    let mut text = format!("\nsystem:\n  name: {}\n  instances:\n", quoted_text(&draft.title));
    for server in &draft.servers {
        let prefix = format!("$({}.url)", server.var);
        let paths = draft.exchanges.iter().filter(|exchange| exchange.method == "get" && exchange.keys.is_empty());
        let fixed =
            paths.filter_map(|exchange| exchange.url.strip_prefix(&prefix)).find(|path| names_in(path).is_empty());
        let (path, status) = match &server.answered {
            Some((path, status)) => (path.as_str(), *status),
            None => (fixed.unwrap_or("/"), 200),
        };
        text += "    # load is sent only if this answers so: write what tells this system from others\n";
        text += &format!(
            "    {}: {{ url: \"$({}_url)\", identity: {{ path: {}, status: {status} }} }}\n",
            server.var,
            server.var,
            quoted(path)
        );
    }
    text
}

fn written_exchange(exchange: &Exchange, anchors: &mut BTreeMap<String, String>, draft: &Draft) -> String {
    let mut text = String::new();
    for note in &exchange.notes {
        text += &format!("  # {}\n", comment(note));
    }
    text += &format!("  {}:\n", exchange.name);
    let mut settings: Vec<(String, String)> = vec![("url".to_owned(), quoted(&exchange.url))];
    let headers = headers(exchange, anchors, draft);
    if let Some(headers) = &headers {
        settings.push(("headers".to_owned(), headers.clone()));
    }
    settings.extend(exchange.keys.iter().map(|(key, value)| (key.clone(), raw_key(key, value))));
    let mut below = String::new();
    match &exchange.body {
        Body::None => {}
        Body::Json(value) => {
            let line = json(value, 8);
            if line.starts_with('\n') {
                below = format!("      json:{line}");
            } else {
                settings.push(("json".to_owned(), line.trim().to_owned()));
            }
        }
        Body::Form(fields) => settings.push(("form".to_owned(), flow_map(&form(fields)))),
        Body::Multipart(parts) => settings.push(("multipart".to_owned(), flow_map(&multipart(parts)))),
        Body::Text(body) => settings.push(("body".to_owned(), quoted(body))),
        Body::File(path, true) => settings.push(("file".to_owned(), scalar(path))),
        Body::File(path, false) => {
            settings.push(("file".to_owned(), format!("{{ path: {}, fill: false }}", scalar(path))))
        }
    }
    let line = flow_map(&settings);
    if below.is_empty() && line.len() + 14 <= LINE {
        text += &format!("    http.{}: {line}\n", exchange.method);
    } else {
        text += &format!("    http.{}:\n", exchange.method);
        for (key, value) in &settings {
            text += &format!("      {key}: {value}\n");
        }
        text += &below;
    }
    if !exchange.checks.is_empty() {
        let checks: Vec<String> = exchange.checks.iter().map(|check| check_scalar(check)).collect();
        text += &format!("    check: [ {} ]\n", checks.join(", "));
    }
    if !exchange.captures.is_empty() {
        let captures: Vec<(String, String)> =
            exchange.captures.iter().map(|capture| (capture.name.clone(), capture_text(capture))).collect();
        text += &format!("    capture: {}\n", flow_map(&captures));
    }
    if let Some(timeout) = &exchange.timeout {
        text += &format!("    timeout: {timeout}\n");
    }
    text
}

/// The headers of an exchange; those of an earlier one by its anchor.
fn headers(exchange: &Exchange, anchors: &mut BTreeMap<String, String>, draft: &Draft) -> Option<String> {
    if exchange.headers.is_empty() {
        return None;
    }
    let entries: Vec<(String, String)> =
        exchange.headers.iter().map(|(name, value)| (name.clone(), scalar_value(value))).collect();
    let written = flow_map(&entries);
    if let Some(anchor) = anchors.get(&written) {
        return Some(format!("*{anchor}"));
    }
    let others = draft.exchanges.iter().filter(|other| other.headers == exchange.headers).count();
    if others < 2 || exchange.headers.len() < 2 {
        return Some(written);
    }
    let anchor = if anchors.is_empty() { "headers".to_owned() } else { format!("headers_{}", anchors.len() + 1) };
    let text = format!("&{anchor} {written}");
    anchors.insert(written, anchor);
    Some(text)
}

fn scalar_value(value: &str) -> String {
    if value.is_empty() { "\"\"".to_owned() } else { scalar(value) }
}

/// Keys that readers write as YAML themselves begin with a brace; all else is a text.
fn raw_key(key: &str, value: &str) -> String {
    match key {
        "tls" | "proxy" | "follow" | "version" | "cookies" => value.to_owned(),
        _ => scalar(value),
    }
}

fn check_scalar(check: &str) -> String {
    scalar(check)
}

fn form(fields: &[(String, String)]) -> Vec<(String, String)> {
    let mut made: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in fields {
        match made.iter_mut().find(|(other, _)| other == name) {
            Some((_, values)) => values.push(scalar_value(value)),
            None => made.push((name.clone(), vec![scalar_value(value)])),
        }
    }
    made.into_iter().map(|(name, values)| (name, one_or_list(values))).collect()
}

fn one_or_list(mut values: Vec<String>) -> String {
    if values.len() == 1 { values.remove(0) } else { format!("[ {} ]", values.join(", ")) }
}

fn multipart(parts: &[(String, Part)]) -> Vec<(String, String)> {
    let mut made: Vec<(String, Vec<String>)> = Vec::new();
    for (name, part) in parts {
        let value = match part {
            Part::Text(text, None) => scalar_value(text),
            Part::Text(text, Some(kind)) => format!("{{ value: {}, type: {} }}", scalar_value(text), scalar(kind)),
            Part::File(path, name, kind) => {
                let mut keys = vec![("file".to_owned(), scalar(path))];
                keys.extend(name.iter().map(|name| ("name".to_owned(), scalar(name))));
                keys.extend(kind.iter().map(|kind| ("type".to_owned(), scalar(kind))));
                flow_map(&keys)
            }
        };
        match made.iter_mut().find(|(other, _)| other == name) {
            Some((_, values)) => values.push(value),
            None => made.push((name.clone(), vec![value])),
        }
    }
    made.into_iter().map(|(name, values)| (name, one_or_list(values))).collect()
}

fn capture_text(capture: &Capture) -> String {
    if capture.pick.is_none() && !capture.optional {
        return scalar(&capture.from);
    }
    let mut keys = vec![("from".to_owned(), scalar(&capture.from))];
    keys.extend(capture.pick.map(|pick| ("pick".to_owned(), pick.to_owned())));
    if capture.optional {
        keys.push(("optional".to_owned(), "true".to_owned()));
    }
    flow_map(&keys)
}

fn written_scenario(scenario: &Scenario, abort: &[String]) -> String {
    let mut text = String::new();
    for note in &scenario.notes {
        text += &format!("  # {}\n", comment(note));
    }
    text += &format!("  {}:\n    load: {}\n", scenario.name, load(&scenario.load));
    for (key, calls) in [("set_up", &scenario.set_up), ("clean_up", &scenario.clean_up)] {
        if !calls.is_empty() {
            let calls: Vec<String> = calls.iter().map(|(name, when)| format!("{name}: {when}")).collect();
            text += &format!("    {key}: [ {} ]\n", calls.join(", "));
        }
    }
    if scenario.after > 0.0 {
        text += &format!("    after: {}\n", duration(scenario.after));
    }
    text += "    run:\n";
    text += &steps(&scenario.run, 6);
    let stop = "share(*.failed) > 50% for 10s".to_owned();
    let rules: Vec<String> = if abort.is_empty() { vec![stop] } else { abort.to_vec() };
    let rules: Vec<String> = rules.iter().map(|rule| scalar(rule)).collect();
    text += &format!("    abort: [ {} ]   # protects the system under test\n", rules.join(", "));
    text
}

fn steps(steps_of: &[Step], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let mut text = String::new();
    for step in steps_of {
        text += &match step {
            Step::Call(name) => format!("{pad}- {name}\n"),
            Step::Think(time) => format!("{pad}- think: {time}\n"),
            Step::Transaction(name, inner) => {
                format!("{pad}- transaction: {name}\n{pad}  run:\n{}", steps(inner, indent + 4))
            }
            Step::Times(count, inner) => format!("{pad}- times: {count}\n{pad}  run:\n{}", steps(inner, indent + 4)),
            Step::If(condition, inner) => {
                format!("{pad}- if: {}\n{pad}  then:\n{}", scalar(condition), steps(inner, indent + 4))
            }
            Step::Choose(ways) => {
                let mut made = format!("{pad}- choose:\n");
                for (name, share, inner) in ways {
                    let run = if inner.is_empty() { vec![Step::Think("1ms".to_owned())] } else { inner.clone() };
                    made += &format!("{pad}    {name}:\n{pad}      share: {}%\n{pad}      run:\n", number(*share, 4));
                    made += &steps(&run, indent + 8);
                }
                made
            }
            Step::Parallel(names, at_once) => {
                format!("{pad}- parallel: [ {} ]\n{pad}  at_once: {at_once}\n", names.join(", "))
            }
        };
    }
    text
}

fn load(load: &Load) -> String {
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut put = |key: &str, value: String| keys.push((key.to_owned(), value));
    match load {
        Load::Users { users, ramp, length, pacing } => {
            put("users", users.to_string());
            if *pacing > 0.0 {
                put("pacing", duration(*pacing));
            }
            if *ramp >= 0.001 {
                put("ramp", format!("{{ over: {} }}", duration(*ramp)));
            }
            put(length_key(length), length_value(length));
        }
        Load::Arrivals { rate: per_second, ramp, length, bound } => {
            put("arrivals", rate(*per_second));
            if *ramp >= 0.001 {
                put("ramp", format!("{{ over: {} }}", duration(*ramp)));
            }
            put(length_key(length), length_value(length));
            if let Some(bound) = bound {
                put("max_in_flight", bound.to_string());
            }
        }
        Load::Stages(stages) => {
            let stages: Vec<String> = stages
                .iter()
                .map(|(users, seconds, is_ramp)| stage(&users.to_string(), "users", *seconds, *is_ramp))
                .collect();
            put("users", format!("[ {} ]", stages.join(", ")));
        }
        Load::Pieces(pieces, bound) => {
            let pieces: Vec<String> = pieces
                .iter()
                .map(|(per_second, seconds, is_ramp)| stage(&rate(*per_second), "rate", *seconds, *is_ramp))
                .collect();
            put("arrivals", format!("[ {} ]", pieces.join(", ")));
            if let Some(bound) = bound {
                put("max_in_flight", bound.to_string());
            }
        }
    }
    flow_map(&keys)
}

fn stage(level: &str, key: &str, seconds: f64, is_ramp: bool) -> String {
    let time = duration(seconds.max(0.001));
    if is_ramp { format!("{{ to: {level}, over: {time} }}") } else { format!("{{ {key}: {level}, for: {time} }}") }
}

fn length_key(length: &Length) -> &'static str {
    match length {
        Length::Hold(_) => "hold",
        Length::Count(_) => "count",
    }
}

fn length_value(length: &Length) -> String {
    match length {
        Length::Hold(seconds) => duration(seconds.max(0.001)),
        Length::Count(count) => count.max(&1).to_string(),
    }
}

fn load_words(it: &Load) -> String {
    load(it).trim_matches(['{', '}', ' ']).to_owned()
}
