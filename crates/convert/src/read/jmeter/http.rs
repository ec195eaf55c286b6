//! Requests over HTTP.

use super::{Plan, Scope, inner, is_true, prop};
use crate::draft::{Body, Exchange, Part};
use crate::text::{duration, names_in, short};
use crate::urls;
use crate::xml::Element;

/// An argument of a request.
struct Argument {
    name: String,
    value: String,
    is_encoded: bool,
    has_equals: bool,
}

/// The exchange of a sampler; its name.
pub(super) fn sampler(plan: &mut Plan<'_, '_>, element: &Element, scope: &Scope<'_>) -> Option<String> {
    let title = element.attribute("testname").to_owned();
    let method = setting(element, scope, "HTTPSampler.method").unwrap_or("GET").trim().to_owned();
    let method = plan.text(&method).to_lowercase();
    let mut exchange =
        Exchange { method: if method.is_empty() { "get".to_owned() } else { method }, ..Exchange::default() };
    let is_raw = is_true(element, "HTTPSampler.postBodyRaw");
    let mut arguments = arguments(plan, element);
    if !is_raw {
        let mut before = Vec::new();
        for defaults in &scope.defaults {
            before.extend(
                self::arguments(plan, defaults)
                    .into_iter()
                    .filter(|default| !arguments.iter().any(|own| own.name == default.name)),
            );
        }
        arguments.splice(0..0, before);
    }
    let in_query = ["get", "head", "options", "delete"].contains(&exchange.method.as_str()) && !is_raw;
    let url = address(plan, element, scope, if in_query { &arguments } else { &[] });
    if !plan.build.address(&url, &mut exchange) {
        return None;
    }
    for (name, value) in &scope.headers {
        plan.build.header(name, value, &mut exchange);
    }
    let login = scope.logins.iter().rev().find(|(place, _)| place.is_empty() || url.starts_with(place.as_str()));
    if let Some((_, pair)) = login.filter(|_| !exchange.headers.iter().any(|(name, _)| name == "authorization")) {
        plan.build.basic(pair, &mut exchange);
    }
    if !in_query {
        body(plan, element, is_raw, arguments, &mut exchange);
    }
    if prop(element, "HTTPSampler.follow_redirects") == Some("false")
        && prop(element, "HTTPSampler.auto_redirects") != Some("true")
    {
        exchange.keys.push(("follow".to_owned(), "no".to_owned()));
    }
    if let Some(millis) = setting(element, scope, "HTTPSampler.response_timeout").filter(|it| !it.trim().is_empty()) {
        let text = plan.text(millis);
        let millis = plan
            .build
            .expanded(&text)
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|millis| *millis >= 1.0 && *millis < 3_600_000.0);
        exchange.timeout = millis.map(|millis| duration(millis / 1000.0));
    }
    if setting(element, scope, "HTTPSampler.image_parser") == Some("true") {
        plan.build.lose(
            "the parts of a page (embedded resources)",
            "what a page consists of is not looked for in it",
            "write each as an exchange, and `parallel: [ css, js, logo ]` behind the page",
        );
    }
    if setting(element, scope, "HTTPSampler.proxyHost").is_some_and(|host| !host.is_empty()) {
        plan.build.lose("a proxy", "it is not carried over", "write `proxy: http://host:port` beside the URL");
    }
    scope.answers.put(&mut exchange);
    let wanted = if title.contains("://") || title.starts_with('/') { String::new() } else { title };
    let name = plan.build.exchange(exchange, &wanted)?;
    scope.answers.require(&name, plan.build);
    Some(name)
}

/// A setting of the sampler, or of the nearest defaults.
fn setting<'e>(element: &'e Element, scope: &Scope<'e>, name: &str) -> Option<&'e str> {
    let own = prop(element, name).filter(|text| !text.trim().is_empty());
    own.or_else(|| {
        scope.defaults.iter().rev().find_map(|defaults| prop(defaults, name).filter(|text| !text.trim().is_empty()))
    })
}

fn address(plan: &mut Plan<'_, '_>, element: &Element, scope: &Scope<'_>, arguments: &[Argument]) -> String {
    let mut part = |name: &str| {
        setting(element, scope, name).map(str::trim).map(|text| plan.values.text(text, plan.build)).unwrap_or_default()
    };
    let (protocol, domain, port, path) =
        (part("HTTPSampler.protocol"), part("HTTPSampler.domain"), part("HTTPSampler.port"), part("HTTPSampler.path"));
    let is_whole = plan.build.expanded(&path).to_ascii_lowercase();
    let mut url = if is_whole.starts_with("http://") || is_whole.starts_with("https://") {
        path
    } else {
        let protocol = plan.build.expanded(&protocol).trim_end_matches(['/', ':']).to_owned();
        let protocol = if protocol.is_empty() { "http".to_owned() } else { protocol };
        let domain = plan.build.expanded(&domain);
        let domain =
            domain.trim_end_matches('/').split_once("://").map_or(domain.trim_end_matches('/'), |(_, rest)| rest);
        let port = plan.build.expanded(&port);
        let port = if port.is_empty() || port == "0" || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            String::new()
        } else {
            format!(":{port}")
        };
        let slash = if path.starts_with('/') || path.is_empty() || path.starts_with('?') { "" } else { "/" };
        if domain.is_empty() {
            format!("/{}", path.trim_start_matches('/'))
        } else {
            format!("{protocol}://{domain}{port}{slash}{path}")
        }
    };
    for argument in arguments {
        url.push(if url.contains('?') { '&' } else { '?' });
        let part = |text: &str| {
            if argument.is_encoded || needs_encoding(text) { urls::encoded(text) } else { text.to_owned() }
        };
        url += &part(&argument.name);
        if !argument.name.is_empty() && argument.has_equals {
            url.push('=');
        }
        url += &part(&argument.value);
    }
    url
}

/// Whether a value that the plan does not encode would mean something else where it stands.
fn needs_encoding(text: &str) -> bool {
    names_in(text).is_empty() && text.contains(['#', ' ', '"', '<', '>'])
}

fn arguments(plan: &mut Plan<'_, '_>, element: &Element) -> Vec<Argument> {
    let all = inner(element, "HTTPsampler.Arguments").and_then(|it| inner(it, "Arguments.arguments"));
    let mut found = Vec::new();
    for argument in all.map_or(&[][..], |all| all.children.as_slice()) {
        found.push(Argument {
            name: plan.text(prop(argument, "Argument.name").unwrap_or_default()),
            value: plan.text(prop(argument, "Argument.value").unwrap_or_default()),
            is_encoded: is_true(argument, "HTTPArgument.always_encode"),
            has_equals: prop(argument, "HTTPArgument.use_equals") != Some("false"),
        });
    }
    found
}

fn body(plan: &mut Plan<'_, '_>, element: &Element, is_raw: bool, arguments: Vec<Argument>, exchange: &mut Exchange) {
    let files = inner(element, "HTTPsampler.Files").and_then(|it| inner(it, "HTTPFileArgs.files"));
    let files = files.map_or(&[][..], |files| files.children.as_slice());
    let is_multipart = is_true(element, "HTTPSampler.DO_MULTIPART_POST");
    let named = files.iter().any(|file| prop(file, "File.paramname").is_some_and(|name| !name.is_empty()));
    let old = prop(element, "HTTPSampler.FILE_NAME").filter(|name| !name.is_empty());
    if let Some(name) = old {
        plan.build.lose(
            format!("the file `{}`", short(name, 60)),
            "uploads of old plans are not read",
            "write `multipart: { NAME: { file: … } }`",
        );
    }
    let only = files.iter().find(|file| prop(file, "File.path").is_some_and(|path| !path.is_empty()));
    if let Some(only) = only.filter(|_| !named && !is_multipart) {
        let path = plan.text(prop(only, "File.path").unwrap_or_default());
        if let Some(path) = plan.build.copy(&path, "bodies") {
            exchange.body = Body::File(path, false);
        }
        return;
    }
    if is_multipart || named {
        let mut parts = Vec::new();
        for argument in arguments {
            let value = plan.build.field_without_credential(&argument.name, argument.value);
            parts.push((argument.name, Part::Text(value, None)));
        }
        for file in files {
            let path = plan.text(prop(file, "File.path").unwrap_or_default());
            let kind = prop(file, "File.mimetype").filter(|kind| !kind.is_empty()).map(str::to_owned);
            if let Some(path) = plan.build.copy(&path, "bodies") {
                let name = plan.text(prop(file, "File.paramname").unwrap_or("file"));
                parts.push((name, Part::File(path, None, kind)));
            }
        }
        if !parts.is_empty() {
            exchange.headers.retain(|(name, value)| name != "content-type" || !value.contains("multipart"));
            exchange.body = Body::Multipart(parts);
        }
        return;
    }
    let is_nameless = !arguments.is_empty() && arguments.iter().all(|argument| argument.name.is_empty());
    if is_raw || is_nameless {
        let text: String = arguments.into_iter().map(|argument| argument.value).collect();
        let is_typed = exchange.headers.iter().any(|(name, _)| name == "content-type");
        if is_typed {
            plan.build.body(&text, exchange);
        } else if !text.is_empty() {
            // JMeter sends a body without a type as one of a form, or as plain text.
            exchange.body = Body::Text(text);
        }
    } else if !arguments.is_empty() {
        let fields: Vec<(String, String)> = arguments
            .into_iter()
            .map(|argument| {
                // What is written encoded already would be encoded twice.
                let plain = |text: String| if argument.is_encoded { text } else { urls::decoded(&text, true) };
                (plain(argument.name), plain(argument.value))
            })
            .collect();
        plan.build.form(fields, exchange);
    }
}
