//! Descriptions of APIs: Swagger 2.0, OpenAPI 3.0 and 3.1.

mod example;

use crate::build::Build;
use crate::draft::{Body, Exchange, Part, Step};
use crate::read::gentle;
use crate::text::{literal, short};
use crate::value::Value;
use crate::{json, urls, yaml};
use example::Document;

const METHODS: [&str; 8] = ["get", "head", "post", "put", "patch", "delete", "options", "trace"];

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let root = if source.trim_start().starts_with('{') {
        json::parse(source).or_else(|why| yaml::parse(source).map_err(|_| why))?
    } else {
        yaml::parse(source)?
    };
    let version = root
        .get("openapi")
        .or(root.get("swagger"))
        .and_then(Value::scalar)
        .ok_or("it has neither `openapi` nor `swagger`")?;
    let is_old = version.starts_with('2');
    if let Some(title) = root.at(&["info", "title"]).and_then(Value::text) {
        build.draft.title = short(title, 80);
    }
    build.draft.about = format!(
        "An API by its description (version {})",
        root.at(&["info", "version"]).and_then(Value::scalar).unwrap_or_default()
    );
    let document = Document { root: &root };
    let base = if is_old { old_base(&root, build) } else { base(&root, build) };
    let mut run = Vec::new();
    let mut changing = Vec::new();
    for (path, item) in root.get("paths").map_or(&[][..], Value::map) {
        let item = document.resolved(item);
        if let Some(reference) = item.get("$ref").and_then(Value::text) {
            build.place = short(path, 80);
            build.lose(
                short(reference, 80),
                "it is in another file, and references to those are not followed",
                "bundle the document into one file first",
            );
        }
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            build.draft.seen += 1;
            build.place = format!("{} {}", method.to_uppercase(), short(path, 80));
            let mut reader = Operation { document: &document, build, is_old, item, operation };
            let Some(name) = reader.exchange(&base, path, method) else { continue };
            let is_safe = ["get", "head", "options"].contains(&method);
            if is_safe || build.choices.changing {
                run.push(Step::Call(name));
            } else {
                changing.push(name);
            }
        }
    }
    build.place = String::new();
    if !root.get("webhooks").map_or(&[][..], Value::map).is_empty() {
        build.lose("webhooks", "they are requests that the API makes itself", "write a `listeners` for them");
    }
    if !changing.is_empty() {
        let shown: Vec<&str> = changing.iter().take(6).map(String::as_str).collect();
        let more = if changing.len() > 6 { ", …" } else { "" };
        build.lose(
            format!("{} operations: {}{more}", changing.len(), shown.join(", ")),
            "they may change something: they are written as exchanges, and stand in no `run`",
            "put those that you want into `run`, or have all of them there: `new --from … --changing`",
        );
        if run.is_empty() {
            // A study needs something to run, and whoever has only these means them.
            build.lose("the run", "no operation is safe, so the first one is in it; look at what it does", "");
            run.extend(changing.first().cloned().map(Step::Call));
        }
    }
    build.close();
    let name = build.names.give("steady", "load");
    build.draft.scenarios.push(gentle(name, run));
    Ok(())
}

/// The address of the first server.
fn base(root: &Value, build: &mut Build<'_>) -> String {
    let servers = root.get("servers").map_or(&[][..], Value::list);
    let Some(first) = servers.first() else { return String::new() };
    let mut url = first.text_of("url").to_owned();
    for (name, variable) in first.get("variables").map_or(&[][..], Value::map) {
        let value = variable.get("default").and_then(Value::scalar).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), &value);
    }
    if servers.len() > 1 {
        let others: Vec<&str> = servers[1..].iter().map(|server| server.text_of("url")).take(5).collect();
        build.lose(
            format!("other servers: {}", others.join(", ")),
            "load goes to the first one",
            "write another address under `vars`",
        );
    }
    literal(url.trim_end_matches('/'))
}

fn old_base(root: &Value, build: &mut Build<'_>) -> String {
    let host = root.text_of("host");
    let schemes: Vec<&str> = root.get("schemes").map_or(&[][..], Value::list).iter().filter_map(Value::text).collect();
    let scheme = if schemes.contains(&"https") || schemes.is_empty() { "https" } else { "http" };
    let _ = build;
    let path = root.text_of("basePath").trim_end_matches('/');
    let path = if path.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    if host.is_empty() { literal(&path) } else { literal(&format!("{scheme}://{host}{path}")) }
}

/// An operation while it becomes an exchange.
struct Operation<'r, 'b, 'a> {
    document: &'r Document<'r>,
    build: &'b mut Build<'a>,
    is_old: bool,
    item: &'r Value,
    operation: &'r Value,
}

impl Operation<'_, '_, '_> {
    fn exchange(&mut self, base: &str, path: &str, method: &str) -> Option<String> {
        let mut exchange = Exchange { method: method.to_owned(), ..Exchange::default() };
        let own = self.operation.get("servers").or(self.item.get("servers")).and_then(|servers| servers.list().first());
        let base = own.map_or(base.to_owned(), |server| literal(server.text_of("url").trim_end_matches('/')));
        let mut path = literal(path);
        let mut query: Vec<String> = Vec::new();
        let mut form: Vec<(String, Value)> = Vec::new();
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut made_up: Vec<String> = Vec::new();
        for parameter in self.parameters() {
            let name = parameter.text_of("name").to_owned();
            let place = parameter.text_of("in").to_owned();
            let is_required = place == "path" || parameter.get("required").is_some_and(Value::is_true);
            let given = self.document.of_parameter(&parameter);
            if !is_required && given.is_none() {
                continue;
            }
            let value =
                given.clone().unwrap_or_else(|| self.document.made(parameter.get("schema").unwrap_or(&parameter)));
            if given.is_none() {
                made_up.push(name.clone());
            }
            match place.as_str() {
                "path" => path = path.replace(&format!("{{{name}}}"), &urls::encoded(&literal(&joined(&value)))),
                "query" => match &value {
                    Value::List(members)
                        if parameter.text_of("collectionFormat") != "csv"
                            && (!self.is_old || parameter.text_of("collectionFormat") == "multi") =>
                    {
                        query.extend(members.iter().map(|member| {
                            format!("{}={}", urls::encoded(&literal(&name)), urls::encoded(&literal(&joined(member))))
                        }));
                    }
                    _ => query.push(format!(
                        "{}={}",
                        urls::encoded(&literal(&name)),
                        urls::encoded(&literal(&joined(&value)))
                    )),
                },
                "header"
                    if !["accept", "content-type", "authorization"].contains(&name.to_ascii_lowercase().as_str()) =>
                {
                    headers.push((name, literal(&joined(&value))));
                }
                "cookie" => headers.push(("cookie".to_owned(), literal(&format!("{name}={}", joined(&value))))),
                "formData" => form.push((name, if parameter.text_of("type") == "file" { Value::Null } else { value })),
                "body" => {
                    headers.push(("content-type".to_owned(), self.old_kind()));
                    self.json(value, &mut exchange);
                }
                _ => {}
            }
        }
        if !query.is_empty() {
            path.push(if path.contains('?') { '&' } else { '?' });
            path += &query.join("&");
        }
        if path.contains('{') {
            self.build.lose(
                "a parameter of the path",
                "the document does not describe it; it stands as it is",
                "write a value in the URL",
            );
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        let host = base.split('/').nth(2).unwrap_or_default();
        // A part of the host that has no value: the whole of it is to be written.
        let base = if host.contains('{') || base.starts_with('{') { String::new() } else { base };
        if !self.build.address(&format!("{base}{slash}{path}"), &mut exchange) {
            return None;
        }
        for (name, value) in headers {
            if name == "content-type" && value == "application/json" {
                continue;
            }
            self.build.header(&name, &value, &mut exchange);
        }
        if !form.is_empty() {
            self.old_form(form, &mut exchange);
        }
        if let Some(body) = self.operation.get("requestBody") {
            self.request_body(&self.document.resolved(body).clone(), &mut exchange, &mut made_up);
        }
        self.security(&mut exchange);
        self.statuses(&mut exchange);
        if !made_up.is_empty() {
            made_up.truncate(8);
            exchange.notes.push(format!("no example in the document, so made up: {}", made_up.join(", ")));
            self.build.lose(
                made_up.join(", "),
                "the document has no example of these values; the smallest that fit are in their place",
                "write values that the system knows, or a table under `data`",
            );
        }
        let id = self.operation.text_of("operationId").to_owned();
        let summary = self.operation.text_of("summary");
        if !summary.is_empty() {
            exchange.notes.insert(0, short(summary, 100));
        }
        self.build.exchange(exchange, &id)
    }

    /// Parameters of the operation and of its path; those of the operation count.
    fn parameters(&self) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        for of in [self.operation, self.item] {
            for parameter in of.get("parameters").map_or(&[][..], Value::list).iter().take(200) {
                let parameter = self.document.resolved(parameter);
                let is_same = |other: &Value| {
                    other.text_of("name") == parameter.text_of("name") && other.text_of("in") == parameter.text_of("in")
                };
                if !all.iter().any(is_same) {
                    all.push(parameter.clone());
                }
            }
        }
        all
    }

    fn old_kind(&self) -> String {
        let all = self.operation.get("consumes").or(self.document.root.get("consumes"));
        all.and_then(|all| all.list().first()).and_then(Value::text).unwrap_or("application/json").to_owned()
    }

    fn json(&mut self, value: Value, exchange: &mut Exchange) {
        let value = value.each_text(&mut |text| literal(&text));
        let value = without_credentials(self.build, value, "");
        exchange.body = match value {
            value @ (Value::Map(_) | Value::List(_)) => Body::Json(value),
            other => Body::Text(other.json()),
        };
    }

    fn old_form(&mut self, fields: Vec<(String, Value)>, exchange: &mut Exchange) {
        let is_multipart =
            self.old_kind().starts_with("multipart") || fields.iter().any(|(_, value)| *value == Value::Null);
        if !is_multipart {
            let fields = fields.into_iter().map(|(name, value)| (literal(&name), literal(&joined(&value)))).collect();
            self.build.form(fields, exchange);
            return;
        }
        self.multipart(fields, exchange);
    }

    fn multipart(&mut self, fields: Vec<(String, Value)>, exchange: &mut Exchange) {
        let mut parts = Vec::new();
        for (name, value) in fields {
            if value == Value::Null {
                let path = "bodies/upload.txt".to_owned();
                if !self.build.draft.files.iter().any(|(other, _)| *other == path) {
                    self.build.draft.files.push((path.clone(), b"to be replaced by a file to upload\n".to_vec()));
                }
                self.build.lose(
                    format!("the file of the field `{}`", short(&name, 40)),
                    "a small text is uploaded in its place",
                    "put a real file beside the study, and name it",
                );
                parts.push((literal(&name), Part::File(path, None, None)));
            } else {
                let value = self.build.field_without_credential(&name, literal(&joined(&value)));
                parts.push((literal(&name), Part::Text(value, None)));
            }
        }
        exchange.body = Body::Multipart(parts);
    }

    fn request_body(&mut self, body: &Value, exchange: &mut Exchange, made_up: &mut Vec<String>) {
        if exchange.method == "head" {
            return;
        }
        let all = body.get("content").map_or(&[][..], Value::map);
        let preferred = ["json", "x-www-form-urlencoded", "multipart", "xml", "text/plain"];
        let chosen = preferred.iter().find_map(|word| all.iter().find(|(kind, _)| kind.contains(word))).or(all.first());
        let Some((kind, media)) = chosen else { return };
        let given = self.document.of_media(media);
        let value = given.clone().unwrap_or_else(|| self.document.made(media.get("schema").unwrap_or(&Value::Null)));
        if given.is_none() {
            made_up.push("the body".to_owned());
        }
        if kind.contains("x-www-form-urlencoded") {
            let fields = value.map().iter().map(|(name, value)| (literal(name), literal(&joined(value)))).collect();
            self.build.form(fields, exchange);
        } else if kind.starts_with("multipart") {
            let schema = self.document.resolved(media.get("schema").unwrap_or(&Value::Null));
            let is_file = |name: &str| {
                let of = schema.at(&["properties", name]).map(|of| self.document.resolved(of));
                of.is_some_and(|of| {
                    ["binary", "base64"].contains(&of.text_of("format")) || of.get("contentMediaType").is_some()
                })
            };
            let fields = value
                .map()
                .iter()
                .map(|(name, value)| (name.clone(), if is_file(name) { Value::Null } else { value.clone() }));
            let fields: Vec<(String, Value)> = fields.collect();
            if !fields.is_empty() {
                self.multipart(fields, exchange);
            }
        } else if kind.contains("json") || *kind == "*/*" {
            if kind != "application/json" && !kind.contains('*') {
                self.build.header("content-type", kind, exchange);
            }
            self.json(value, exchange);
        } else {
            self.build.header("content-type", &kind.replace('*', "octet-stream"), exchange);
            let text = if let Value::Text(text) = &value { text.clone() } else { String::new() };
            if text.is_empty() {
                self.build.lose(
                    format!("a body of {}", short(kind, 60)),
                    "the document has no example of it",
                    "write it under `body`, or as a `file`",
                );
            } else {
                exchange.body = Body::Text(literal(&text));
            }
        }
    }

    /// What the document says of who may ask: the first way that it names.
    fn security(&mut self, exchange: &mut Exchange) {
        let all = self.operation.get("security").or(self.document.root.get("security"));
        let Some(first) = all.and_then(|all| all.list().first()) else { return };
        if all.is_some_and(|all| all.list().iter().any(|way| way.map().is_empty())) {
            return;
        }
        let schemes =
            self.document.root.at(&["components", "securitySchemes"]).or(self.document.root.get("securityDefinitions"));
        for (name, _) in first.map() {
            let Some(scheme) =
                schemes.and_then(|schemes| schemes.get(name)).map(|scheme| self.document.resolved(scheme))
            else {
                continue;
            };
            let about = format!("the way in that the document calls `{}`", short(name, 40));
            match (scheme.text_of("type"), scheme.text_of("scheme").to_ascii_lowercase().as_str()) {
                ("http", "basic") | ("basic", _) => {
                    let user = self.build.secret(
                        &format!("{name} USER"),
                        &format!("{name} user"),
                        &format!("{about}: the user"),
                    );
                    let password = self.build.secret(
                        &format!("{name} PASSWORD"),
                        &format!("{name} password"),
                        &format!("{about}: the password"),
                    );
                    exchange.keys.push(("basic".to_owned(), format!("{user}:{password}")));
                }
                ("http" | "oauth2" | "openIdConnect", _) => {
                    let token = self.build.secret(&format!("{name} TOKEN"), name, &format!("{about}: a token"));
                    exchange.keys.retain(|(key, _)| key != "bearer" && key != "basic");
                    exchange.keys.push(("bearer".to_owned(), token));
                }
                ("apiKey", _) => {
                    let key = scheme.text_of("name").to_owned();
                    let value = self.build.secret(name, name, &about);
                    match scheme.text_of("in") {
                        "query" => {
                            exchange.url.push(if exchange.url.contains('?') { '&' } else { '?' });
                            exchange.url += &format!("{}={value}", urls::encoded(&literal(&key)));
                        }
                        "cookie" => exchange.headers.push(("cookie".to_owned(), format!("{}={value}", literal(&key)))),
                        _ => self.build.header(&key, &value, exchange),
                    }
                }
                (other, _) => self.build.lose(
                    format!("the way in `{}` ({})", short(name, 40), short(other, 20)),
                    "it is not carried over",
                    "",
                ),
            }
        }
        let has_both = exchange.headers.iter().any(|(name, _)| name == "authorization");
        if has_both {
            exchange.keys.retain(|(key, _)| key != "bearer" && key != "basic");
        }
    }

    /// One success that the document names is the check; several, or a range, are what every exchange needs anyway.
    fn statuses(&self, exchange: &mut Exchange) {
        let all = self.operation.get("responses").map_or(&[][..], Value::map);
        let successes: Vec<&str> =
            all.iter().map(|(code, _)| code.as_str()).filter(|code| code.starts_with('2')).collect();
        if let [only] = successes[..]
            && only.len() == 3
            && only.bytes().all(|byte| byte.is_ascii_digit())
        {
            exchange.checks.push(format!("status = {only}"));
        }
    }
}

fn without_credentials(build: &mut Build<'_>, value: Value, name: &str) -> Value {
    match value {
        Value::Text(text) => Value::Text(build.field_without_credential(name, text)),
        Value::List(members) => {
            Value::List(members.into_iter().map(|member| without_credentials(build, member, name)).collect())
        }
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let value = without_credentials(build, value, &key);
                    (key, value)
                })
                .collect(),
        ),
        other => other,
    }
}

/// A value as it stands in an address or a field.
fn joined(value: &Value) -> String {
    match value {
        Value::List(members) => members.iter().map(joined).collect::<Vec<_>>().join(","),
        Value::Map(_) => value.json(),
        Value::Null => String::new(),
        other => other.scalar().unwrap_or_default(),
    }
}
