//! Elements that set something for others: variables, tables, headers, timers.

use super::{Node, Plan, Scope, answers, inner, is_enabled, is_true, prop};
use crate::draft::Data;
use crate::text::{duration, literal, short};
use crate::xml::Element;

/// Gathers the variables of the whole plan.
pub(super) fn gather(plan: &mut Plan<'_, '_>, node: &Node<'_>) {
    let element = node.element;
    if !is_enabled(element) {
        return;
    }
    plan.stand_at(element);
    match element.tag.as_str() {
        "TestPlan" => {
            if let Some(arguments) = inner(element, "TestPlan.user_defined_variables") {
                variables(plan, arguments);
            }
        }
        "Arguments" => variables(plan, element),
        "CSVDataSet" => table(plan, element),
        "RandomVariableConfig" => {
            let name = prop(element, "variableName").unwrap_or_default().to_owned();
            let whole = |plan: &mut Plan<'_, '_>, key: &str| plan.number(element, key).map(|number| number as i64);
            let format = prop(element, "outputFormat").unwrap_or_default();
            if let (Some(from), Some(to), true) =
                (whole(plan, "minimumValue"), whole(plan, "maximumValue"), format.is_empty())
            {
                plan.values.set(&name, &format!("random({from}, {to})"));
            }
        }
        "CounterConfig" => {
            let name = prop(element, "CounterConfig.name").unwrap_or_default().to_owned();
            plan.values.set(&name, "serial");
            plan.build.lose(
                format!("the counter `{}`", short(&name, 40)),
                "`$(serial)` counts the iterations from 0, of all users together",
                "",
            );
        }
        _ => {
            for name in answers::names_of(element) {
                let is_capture =
                    plan.values.get(&name).is_some_and(|own| plan.build.draft.vars.iter().all(|var| var.name != own));
                if !is_capture {
                    let own = plan.build.names.give(&name, "value");
                    plan.values.set(&name, &own);
                }
            }
        }
    }
    node.children.iter().for_each(|child| gather(plan, child));
}

fn variables(plan: &mut Plan<'_, '_>, element: &Element) {
    let all = inner(element, "Arguments.arguments");
    for argument in all.map_or(&[][..], |all| all.children.as_slice()) {
        let name = prop(argument, "Argument.name").unwrap_or_default().trim().to_owned();
        let value = prop(argument, "Argument.value").unwrap_or_default().to_owned();
        if name.is_empty() || plan.values.get(&name).is_some() {
            continue;
        }
        let is_sure =
            !value.contains("${__") || ["${__P(", "${__property(", "${__env("].iter().any(|it| value.contains(it));
        let value = plan.text(&value);
        // JMeter works a function out once, at the beginning; a study does so for each call.
        if !is_sure {
            plan.build.lose(
                format!("the variable `{}`", short(&name, 40)),
                "its function is worked out anew for each call, not once at the beginning",
                "",
            );
            if let Some(inner) =
                value.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).filter(|inner| !inner.contains("$("))
            {
                plan.values.set(&name, inner);
                continue;
            }
        }
        let value: String = value.chars().take(4000).collect();
        let own = plan.build.var(&name, &value, "");
        plan.values.set(&name, &own);
    }
}

fn table(plan: &mut Plan<'_, '_>, element: &Element) {
    let file = prop(element, "filename").unwrap_or_default().to_owned();
    let file = plan.text(&file);
    let file = plan.build.expanded(&file);
    let stem = file.rsplit(['/', '\\']).next().unwrap_or_default().split('.').next().unwrap_or_default().to_owned();
    let set = plan.build.names.give(&stem, "rows");
    let delimiter = match prop(element, "delimiter").unwrap_or(",") {
        "\\t" | "\t" => b'\t',
        "" => b',',
        text => text.bytes().next().unwrap_or(b','),
    };
    let written = prop(element, "variableNames").unwrap_or_default().to_owned();
    let mut columns: Vec<String> =
        written.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let mut rows: Vec<csv::StringRecord> = Vec::new();
    match plan.build.folder.read(&file) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut reader = csv::ReaderBuilder::new()
                .delimiter(delimiter)
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_bytes());
            rows.extend(reader.records().flatten());
            if columns.is_empty() && !rows.is_empty() {
                columns = rows.remove(0).iter().map(|name| name.trim().to_owned()).collect();
            } else if is_true(element, "ignoreFirstLine") && !rows.is_empty() {
                rows.remove(0);
            }
        }
        Err(why) => plan.build.lose(
            format!("the table `{}`", short(&file, 80)),
            format!("{why}; a row without values is in its place"),
            "put the rows into the file that the study names under `data`",
        ),
    }
    let own: Vec<String> = columns.iter().map(|column| column_name(column)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let _ = writer.write_record(&own);
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let is_empty = rows.is_empty();
    for row in &rows {
        let _ = writer.write_record((0..own.len()).map(|index| row.get(index).unwrap_or_default()));
    }
    if is_empty {
        let _ = writer.write_record(own.iter().map(|_| "unset"));
    }
    for (column, own) in columns.iter().zip(&own) {
        plan.values.set(column, &format!("{set}.{own}"));
    }
    if own.is_empty() {
        plan.build.lose(
            format!("the table `{}`", short(&file, 80)),
            "its columns have no names",
            "write the file with a row of names under `data`",
        );
        return;
    }
    let mut keys = Vec::new();
    if prop(element, "recycle") == Some("false") && is_true(element, "stopThread") {
        keys.push(("at_end".to_owned(), "stop".to_owned()));
    }
    if prop(element, "shareMode").is_some_and(|mode| mode != "shareMode.all" && !mode.is_empty()) {
        plan.build.lose(
            format!("the share mode of `{}`", short(&file, 60)),
            "rows are dealt to the iterations of all users in turn",
            "",
        );
    }
    let path = format!("data/{set}.csv");
    let note = if is_empty { "put your rows there" } else { "" };
    plan.build.draft.files.push((path.clone(), writer.into_inner().unwrap_or_default()));
    plan.build.draft.data.push(Data { name: set, path, keys, note: note.to_owned() });
}

fn column_name(column: &str) -> String {
    let plain = crate::names::plain(column);
    if plain.is_empty() { "column".to_owned() } else { plain }
}

/// Takes an element into the scope of what stands beside it.
pub(super) fn enter<'e>(plan: &mut Plan<'_, '_>, element: &'e Element, scope: &mut Scope<'e>) {
    match element.tag.as_str() {
        "ConfigTestElement"
            if element.attribute("guiclass") == "HttpDefaultsGui" || prop(element, "HTTPSampler.domain").is_some() =>
        {
            scope.defaults.push(element)
        }
        "HeaderManager" => {
            let all = inner(element, "HeaderManager.headers");
            for header in all.map_or(&[][..], |all| all.children.as_slice()) {
                let name = prop(header, "Header.name").unwrap_or_default().trim().to_owned();
                let value = plan.text(prop(header, "Header.value").unwrap_or_default());
                if !name.is_empty() {
                    scope.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
                    scope.headers.push((name, value));
                }
            }
        }
        "AuthManager" => {
            let all = inner(element, "AuthManager.auth_list");
            for login in all.map_or(&[][..], |all| all.children.as_slice()) {
                let text = |name: &str| prop(login, name).unwrap_or_default();
                if ["", "BASIC", "BASIC_DIGEST"].contains(&text("Authorization.mechanism")) {
                    let (place, user, password) = (
                        plan.text(text("Authorization.url")),
                        plan.text(text("Authorization.username")),
                        plan.text(text("Authorization.password")),
                    );
                    scope.logins.push((plan.build.expanded(&place), format!("{user}:{password}")));
                } else {
                    plan.build.lose(
                        format!("a login by {}", text("Authorization.mechanism")),
                        "only Basic is carried over",
                        "",
                    );
                }
            }
        }
        "CookieManager" => {
            let all = inner(element, "CookieManager.cookies");
            if all.is_some_and(|all| !all.children.is_empty()) {
                plan.build.lose(
                    "cookies of the cookie manager",
                    "cookies that answers set are kept by themselves; those of the plan are not written",
                    "write `headers: { cookie: … }`",
                );
            }
        }
        "ConstantTimer" => {
            if let Some(millis) = plan.number(element, "ConstantTimer.delay").filter(|millis| *millis >= 1.0) {
                scope.waits.push(duration(millis / 1000.0));
            }
        }
        "UniformRandomTimer" => {
            if let (Some(delay), Some(range)) =
                (plan.number(element, "ConstantTimer.delay"), plan.number(element, "RandomTimer.range"))
                && range + delay >= 1.0
            {
                scope.waits.push(between(delay, delay + range));
            }
        }
        "GaussianRandomTimer" => {
            if let (Some(delay), Some(deviation)) =
                (plan.number(element, "ConstantTimer.delay"), plan.number(element, "RandomTimer.range"))
            {
                plan.build.lose("a Gaussian timer", "waits are drawn evenly, with the same mean and deviation", "");
                let half = deviation * 3f64.sqrt();
                scope.waits.push(between((delay - half).max(0.0), delay + half));
            }
        }
        "PoissonRandomTimer" => {
            if let (Some(delay), Some(lambda)) =
                (plan.number(element, "ConstantTimer.delay"), plan.number(element, "RandomTimer.range"))
            {
                plan.build.lose(
                    "a Poisson timer",
                    "its mean is waited each time",
                    "write `think: exponential(3s)`, if that is meant",
                );
                scope.waits.push(duration((delay + lambda) / 1000.0));
            }
        }
        "ConstantThroughputTimer" => {
            let mode = prop(element, "calcMode")
                .or(prop(element, "ConstantThroughputTimer.calcMode"))
                .unwrap_or("0")
                .trim()
                .to_owned();
            match float(element, "throughput").or_else(|| plan.number(element, "throughput")) {
                Some(rate) if rate > 0.0 => plan.limits.push((rate, mode == "0")),
                _ => plan.build.lose(
                    "a constant throughput timer",
                    "its rate is not known",
                    "write `pacing`, or `arrivals`",
                ),
            }
        }
        "PreciseThroughputTimer" => {
            let period = plan.number(element, "throughputPeriod").or(float(element, "throughputPeriod"));
            match (plan.number(element, "throughput").or(float(element, "throughput")), period) {
                (Some(count), Some(seconds)) if count > 0.0 && seconds > 0.0 => {
                    plan.limits.push((count * 60.0 / seconds, false))
                }
                _ => plan.build.lose("a precise throughput timer", "its rate is not known", "write `arrivals`"),
            }
        }
        "kg.apc.jmeter.timers.VariableThroughputTimer" => {
            let all = inner(element, "load_profile");
            for row in all.map_or(&[][..], |all| all.children.as_slice()) {
                let cells: Vec<f64> = row.children.iter().filter_map(|cell| cell.text.trim().parse().ok()).collect();
                if let [from, to, seconds] = cells[..] {
                    plan.shape.push((from, to, seconds));
                }
            }
        }
        "SyncTimer" | "BeanShellTimer" | "JSR223Timer" => {
            plan.build.lose(element.tag.clone(), "users do not wait for each other, and run no scripts", "")
        }
        _ => {
            let mut answers = std::mem::take(&mut scope.answers);
            answers.enter(plan, element);
            scope.answers = answers;
        }
    }
}

fn between(from: f64, to: f64) -> String {
    let (from, to) = (from.max(0.0) / 1000.0, to.max(1.0) / 1000.0);
    if to - from < 0.001 { duration(to) } else { format!("{} to {}", duration(from), duration(to)) }
}

/// A number of a property that JMeter writes as an object.
pub(super) fn float(element: &Element, name: &str) -> Option<f64> {
    let plain = prop(element, name).and_then(|text| text.trim().parse().ok());
    plain.or_else(|| {
        element.children.iter().find_map(|child| {
            let key = child.children.iter().find(|part| part.tag == "name")?;
            let value = child.children.iter().find(|part| part.tag == "value")?;
            (key.text.trim() == name).then(|| value.text.trim().parse().ok())?
        })
    })
}

/// Elements that were taken in before, or say nothing; all others are reported.
pub(super) fn tell_unknown(plan: &mut Plan<'_, '_>, element: &Element) {
    const KNOWN: [&str; 30] = [
        "ConfigTestElement",
        "HeaderManager",
        "AuthManager",
        "CookieManager",
        "ConstantTimer",
        "UniformRandomTimer",
        "GaussianRandomTimer",
        "PoissonRandomTimer",
        "ConstantThroughputTimer",
        "PreciseThroughputTimer",
        "SyncTimer",
        "BeanShellTimer",
        "JSR223Timer",
        "Arguments",
        "CSVDataSet",
        "RandomVariableConfig",
        "CounterConfig",
        "ResponseAssertion",
        "JSONPathAssertion",
        "DurationAssertion",
        "SizeAssertion",
        "RegexExtractor",
        "JSONPostProcessor",
        "BoundaryExtractor",
        "TestPlan",
        "WorkBench",
        "CacheManager",
        "TestFragmentController",
        "kg.apc.jmeter.timers.VariableThroughputTimer",
        "MirrorServer",
    ];
    let is_answer = [
        "XPath",
        "Html",
        "JMESPath",
        "XML",
        "HTML",
        "MD5Hex",
        "Compare",
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpath",
    ];
    let tag = element.tag.as_str();
    if KNOWN.contains(&tag) || tag.contains("ThreadGroup") || is_answer.iter().any(|start| tag.starts_with(start)) {
        return;
    }
    let why = if tag.contains("Processor") || tag.contains("Assertion") || tag.contains("Listener") {
        "what it computes is not known here"
    } else if tag.contains("Collector") || tag.contains("Visualizer") || tag.contains("reporters") {
        "results are recorded and reported by loadproof itself"
    } else {
        "the language has nothing that means the same"
    };
    let hint = if tag.contains("223") || tag.contains("Shell") {
        "write what it computes as a function: `scripts`"
    } else {
        ""
    };
    plan.build.lose(literal(&short(tag, 80)), why, hint);
}
