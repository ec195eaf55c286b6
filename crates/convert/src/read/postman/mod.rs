//! Collections of Postman, 2.0 and 2.1.

mod scripts;

use crate::build::Build;
use crate::draft::{Body, Exchange, Part, Step};
use crate::read::gentle;
use crate::text::{literal, short};
use crate::value::Value;
use crate::{json, urls};
use scripts::{script_of, set_line, statements};
use std::collections::HashMap;

/// Folders within folders.
const DEPTH_MAX: usize = 20;

struct Reader<'b, 'a> {
    build: &'b mut Build<'a>,
    /// Variables of the collection as expressions.
    known: HashMap<String, String>,
}

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let root = json::parse(source)?;
    let root = root.get("collection").unwrap_or(&root);
    let items = root.get("item").ok_or_else(|| {
        let is_first = root.get("requests").is_some();
        let why = if is_first { "it is a collection of version 1" } else { "it has no `item`, as collections have" };
        format!("{why}; export it from Postman as Collection v2.1")
    })?;
    if let Some(name) = root.at(&["info", "name"]).and_then(Value::text) {
        build.draft.title = short(name, 80);
    }
    build.draft.about = "A Postman collection".to_owned();
    let mut reader = Reader { build, known: HashMap::new() };
    reader.variables(root);
    // What scripts keep for later is known before any request is read.
    reader.kept(items, 0);
    let auth = root.get("auth").cloned();
    reader.scripts_of(root);
    let run = reader.items(items, auth.as_ref(), 0);
    reader.build.close();
    let name = build.names.give("steady", "load");
    build.draft.scenarios.push(gentle(name, run));
    Ok(())
}

impl Reader<'_, '_> {
    fn variables(&mut self, of: &Value) {
        for variable in of.get("variable").map_or(&[][..], Value::list) {
            let key = [variable.text_of("key"), variable.text_of("id")].into_iter().find(|key| !key.is_empty());
            let value = variable.get("value").and_then(Value::scalar).unwrap_or_default();
            if let Some(key) = key.filter(|key| !self.known.contains_key(*key)) {
                let value = self.text(&value);
                let own = self.build.var(key, &value, "");
                self.known.insert(key.to_owned(), own);
            }
        }
    }

    /// `{{name}}` as `$(name)`.
    fn text(&mut self, text: &str) -> String {
        let mut made = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            made += &literal(&rest[..start]);
            let Some(end) = rest[start..].find("}}") else {
                rest = &rest[start..];
                break;
            };
            let name = rest[start + 2..start + end].trim().to_owned();
            made += &self.named(&name);
            rest = &rest[start + end + 2..];
        }
        made + literal(rest).as_str()
    }

    fn named(&mut self, name: &str) -> String {
        if let Some(known) = self.known.get(name) {
            return format!("$({known})");
        }
        let of_itself = match name {
            "$guid" | "$randomUUID" => Some("uuid"),
            "$timestamp" => Some("epoch()"),
            "$randomInt" => Some("random(0, 1000)"),
            "$randomAlphaNumeric" => Some("random_text(1)"),
            "$randomPassword" => Some("random_text(15)"),
            _ => None,
        };
        if let Some(expression) = of_itself {
            return format!("$({expression})");
        }
        if scrub::names::is_credential(name) {
            let slot =
                self.build.secret(name, name, &format!("what the collection has as `{{{{{}}}}}`", short(name, 40)));
            self.known.insert(name.to_owned(), slot.trim_matches(['$', '(', ')']).to_owned());
            return slot;
        }
        if name.starts_with('$') {
            self.build.lose(
                format!("`{{{{{}}}}}`", short(name, 40)),
                "this value that Postman makes up has no match; a random text is in its place",
                "see the functions of `$(…)` in the guide",
            );
            self.known.insert(name.to_owned(), "random_text(10)".to_owned());
            return "$(random_text(10))".to_owned();
        }
        // Where it begins an address, the host is what is missing, which `address` tells.
        let own = self.build.names.give(name, "value");
        self.known.insert(name.to_owned(), own.clone());
        format!("$({own})")
    }

    /// Variables that scripts set from answers.
    fn kept(&mut self, items: &Value, depth: usize) {
        for item in items.list() {
            for line in statements(&script_of(item, "test")) {
                if let Some((name, _)) = set_line(&line).filter(|(name, _)| !self.known.contains_key(name)) {
                    let own = self.build.names.give(&name, "value");
                    self.known.insert(name, own);
                }
            }
            if let Some(inner) = item.get("item").filter(|_| depth < DEPTH_MAX) {
                self.kept(inner, depth + 1);
            }
        }
    }

    fn items(&mut self, items: &Value, auth: Option<&Value>, depth: usize) -> Vec<Step> {
        let mut run = Vec::new();
        for item in items.list() {
            let name = item.text_of("name");
            self.build.place = format!("`{}`", short(name, 80));
            if let Some(inner) = item.get("item") {
                if depth >= DEPTH_MAX {
                    self.build.lose("a folder", format!("folders are {DEPTH_MAX} deep at most"), "");
                    continue;
                }
                self.variables(item);
                self.scripts_of(item);
                let own = item.get("auth").filter(|auth| **auth != Value::Null).or(auth);
                let steps = self.items(inner, own, depth + 1);
                match steps.len() {
                    0 => {}
                    1 => run.extend(steps),
                    _ => {
                        let name = self.build.names.give(name, "folder");
                        run.push(Step::Transaction(name, steps));
                    }
                }
            } else if let Some(request) = item.get("request") {
                self.build.draft.seen += 1;
                if let Some(call) = self.request(item, request, auth) {
                    run.push(Step::Call(call));
                }
            }
        }
        run
    }

    fn scripts_of(&mut self, item: &Value) {
        for listen in ["prerequest", "test"] {
            if script_of(item, listen).lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("//")) {
                self.build.lose(
                    format!("the script `{listen}` of a folder or the collection"),
                    "scripts that run beside each request are not carried over",
                    "write what it computes as a function: `scripts`",
                );
            }
        }
    }

    fn request(&mut self, item: &Value, request: &Value, auth: Option<&Value>) -> Option<String> {
        let (url, method) = match request {
            Value::Text(url) => (url.clone(), "GET".to_owned()),
            _ => (address_of(request.get("url")?), request.text_of("method").to_owned()),
        };
        let method = if method.is_empty() { "GET".to_owned() } else { method };
        let mut exchange = Exchange { method: method.to_lowercase(), ..Exchange::default() };
        let url = self.with_path_variables(&url, request.get("url"));
        let url = self.text(&url);
        let has_scheme = self.build.expanded(&url).contains("://") || url.starts_with("$(") || url.is_empty();
        let url = if has_scheme { url } else { format!("http://{url}") };
        if url.is_empty() || !self.build.address(&url, &mut exchange) {
            if url.is_empty() {
                self.build.lose("a request", "it has no address", "");
            }
            return None;
        }
        for header in request.get("header").map_or(&[][..], Value::list) {
            if !header.get("disabled").is_some_and(Value::is_true) {
                let (name, value) = (self.text(header.text_of("key")), self.text(header.text_of("value")));
                if !name.is_empty() {
                    self.build.header(&name, &value, &mut exchange);
                }
            }
        }
        let own = request.get("auth").filter(|auth| **auth != Value::Null).or(auth).cloned();
        if let Some(auth) = own {
            self.auth(&auth, &mut exchange);
        }
        if let Some(body) = request.get("body") {
            self.body(body, &mut exchange);
        }
        self.test(&script_of(item, "test"), &mut exchange);
        if script_of(item, "prerequest").lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("//")) {
            self.build.lose(
                "its script before the request",
                "what it computes is not known here",
                "write it as a function: `scripts`",
            );
        }
        self.build.exchange(exchange, item.text_of("name"))
    }

    /// `/users/:id` with the value that the collection has for `id`.
    fn with_path_variables(&mut self, url: &str, of: Option<&Value>) -> String {
        let mut url = url.to_owned();
        for variable in of.and_then(|url| url.get("variable")).map_or(&[][..], Value::list) {
            let key = variable.text_of("key");
            let value = variable.get("value").and_then(Value::scalar).unwrap_or_default();
            let slot = format!("/:{key}");
            if key.is_empty() || !url.contains(&slot) {
                continue;
            }
            let value = if value.is_empty() {
                self.build.lose(
                    format!("the part `:{}` of the path", short(key, 40)),
                    "the collection gives it no value; 1 is in its place",
                    "write it in the URL",
                );
                "1".to_owned()
            } else {
                value
            };
            url = url.replacen(&slot, &format!("/{value}"), 1);
        }
        url
    }

    fn auth(&mut self, auth: &Value, exchange: &mut Exchange) {
        let kind = auth.text_of("type").to_owned();
        let field = |name: &str| -> String {
            let of = auth.get(&kind);
            let listed = of.map_or(&[][..], Value::list).iter().find(|entry| entry.text_of("key") == name);
            listed
                .and_then(|entry| entry.get("value"))
                .or(of.and_then(|of| of.get(name)))
                .and_then(Value::scalar)
                .unwrap_or_default()
        };
        match kind.as_str() {
            "noauth" | "" => {}
            "basic" => {
                let (user, password) = (self.text(&field("username")), self.text(&field("password")));
                self.build.basic(&format!("{user}:{password}"), exchange);
            }
            "bearer" => {
                let token = self.text(&field("token"));
                self.build.bearer(if token.is_empty() { "none" } else { &token }, exchange);
            }
            "apikey" => {
                let (key, value) = (self.text(&field("key")), self.text(&field("value")));
                let value = self.build.secret(&key, &value, &format!("the key `{}`", short(&key, 40)));
                if field("in") == "query" {
                    exchange.url.push(if exchange.url.contains('?') { '&' } else { '?' });
                    exchange.url += &format!("{}={value}", urls::encoded(&key));
                } else {
                    self.build.header(&key, &value, exchange);
                }
            }
            "oauth2" => {
                let token = self.text(&field("accessToken"));
                self.build.bearer(if token.is_empty() { "none" } else { &token }, exchange);
                self.build.lose(
                    "a login by OAuth 2",
                    "a token is sent, and none is fetched",
                    "the guide's chapter 13 has the steps of OAuth",
                );
            }
            other => self.build.lose(
                format!("a login by `{}`", short(other, 40)),
                "it is not carried over",
                "write a function that signs: `scripts`",
            ),
        }
    }

    fn body(&mut self, body: &Value, exchange: &mut Exchange) {
        let is_on = |field: &&Value| !field.get("disabled").is_some_and(Value::is_true);
        if body.get("disabled").is_some_and(Value::is_true) {
            return;
        }
        match body.text_of("mode") {
            "raw" => {
                let text = self.text(body.text_of("raw"));
                let language = body.at(&["options", "raw", "language"]).and_then(Value::text).unwrap_or_default();
                let kind = match language {
                    "json" => "application/json",
                    "xml" => "application/xml",
                    "html" => "text/html",
                    "javascript" => "application/javascript",
                    _ => "text/plain",
                };
                if !text.is_empty() && !exchange.headers.iter().any(|(name, _)| name == "content-type") {
                    exchange.headers.push(("content-type".to_owned(), kind.to_owned()));
                }
                self.build.body(&text, exchange);
            }
            "urlencoded" => {
                let fields: Vec<(String, String)> = match body.get("urlencoded") {
                    Some(Value::Text(text)) => urls::fields(text),
                    Some(list) => list
                        .list()
                        .iter()
                        .filter(is_on)
                        .map(|it| {
                            (it.text_of("key").to_owned(), it.get("value").and_then(Value::scalar).unwrap_or_default())
                        })
                        .collect(),
                    None => Vec::new(),
                };
                let fields: Vec<(String, String)> =
                    fields.into_iter().map(|(name, value)| (self.text(&name), self.text(&value))).collect();
                if !fields.is_empty() {
                    self.build.form(fields, exchange);
                }
            }
            "formdata" => {
                let mut parts = Vec::new();
                for field in body.get("formdata").map_or(&[][..], Value::list).iter().filter(is_on) {
                    let name = self.text(field.text_of("key"));
                    let kind = field
                        .get("contentType")
                        .and_then(Value::text)
                        .filter(|kind| !kind.is_empty())
                        .map(str::to_owned);
                    if field.text_of("type") == "file" {
                        let path = field
                            .get("src")
                            .map(|src| src.list().first().unwrap_or(src))
                            .and_then(Value::text)
                            .unwrap_or_default()
                            .to_owned();
                        if let Some(path) = self.build.copy(&path, "bodies") {
                            parts.push((name, Part::File(path, None, kind)));
                        }
                    } else {
                        let value = self.text(&field.get("value").and_then(Value::scalar).unwrap_or_default());
                        let value = self.build.field_without_credential(&name, value);
                        parts.push((name, Part::Text(value, kind)));
                    }
                }
                if !parts.is_empty() {
                    exchange.headers.retain(|(name, _)| name != "content-type");
                    exchange.body = Body::Multipart(parts);
                }
            }
            "graphql" => {
                let query = self.text(body.at(&["graphql", "query"]).and_then(Value::text).unwrap_or_default());
                let variables = self.text(body.at(&["graphql", "variables"]).and_then(Value::text).unwrap_or_default());
                let mut entries = vec![("query".to_owned(), Value::Text(query))];
                match json::parse_with_names(&variables) {
                    Ok(value) => entries.push(("variables".to_owned(), value)),
                    Err(_) if variables.trim().is_empty() => {}
                    Err(_) => self.build.lose(
                        "the variables of GraphQL",
                        "they are not JSON",
                        "write them under `json: { variables: … }`",
                    ),
                }
                exchange.headers.retain(|(name, _)| name != "content-type");
                exchange.body = Body::Json(Value::Map(entries));
            }
            "file" => {
                let path = body.at(&["file", "src"]).and_then(Value::text).unwrap_or_default().to_owned();
                if let Some(path) = self.build.copy(&path, "bodies") {
                    exchange.body = Body::File(path, false);
                }
            }
            _ => {}
        }
    }
}

fn address_of(url: &Value) -> String {
    if let Some(text) = url.text() {
        return text.to_owned();
    }
    let raw = url.text_of("raw");
    let disabled =
        url.get("query").map_or(&[][..], Value::list).iter().any(|it| it.get("disabled").is_some_and(Value::is_true));
    if !raw.is_empty() && !disabled {
        return raw.to_owned();
    }
    let join = |key: &str, sign: &str| match url.get(key) {
        Some(Value::Text(text)) => text.clone(),
        Some(list) => list
            .list()
            .iter()
            .map(|part| part.scalar().unwrap_or_else(|| part.text_of("value").to_owned()))
            .collect::<Vec<_>>()
            .join(sign),
        None => String::new(),
    };
    let protocol = url.text_of("protocol");
    let port = url.get("port").and_then(Value::scalar).map_or_else(String::new, |port| format!(":{port}"));
    let host = join("host", ".");
    let mut made = if protocol.is_empty() { String::new() } else { format!("{protocol}://") };
    made += &format!("{host}{port}/{}", join("path", "/").trim_start_matches('/'));
    for query in url
        .get("query")
        .map_or(&[][..], Value::list)
        .iter()
        .filter(|it| !it.get("disabled").is_some_and(Value::is_true))
    {
        made.push(if made.contains('?') { '&' } else { '?' });
        made += &format!("{}={}", query.text_of("key"), query.get("value").and_then(Value::scalar).unwrap_or_default());
    }
    made
}
