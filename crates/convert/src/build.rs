//! What all readers do the same way: addresses, headers, bodies, credentials, names, losses.

use crate::draft::{Body, Draft, Exchange, Lost, Secret, Server, Var};
use crate::files::Folder;
use crate::names::{self, Names};
use crate::text::{literal, names_in, short, without_names};
use crate::urls::{self, Address};
use crate::value::Value;
use crate::{Choices, Kind, json};
use scrub::names::is_credential;
use std::collections::HashMap;

/// Different requests of one study; the language allows 1,000 exchanges.
const EXCHANGES_MAX: usize = 900;
/// Losses that are kept one by one.
const LOST_MAX: usize = 2000;
/// A text longer than this goes into a file of its own.
const BODY_INLINE: usize = 400;
/// Where something is to be typed that the source does not say.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:8080";

/// Headers that the driver sends by itself, or that belong to one connection or one moment of a browser.
const OWN_HEADERS: [&str; 22] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "upgrade",
    "proxy-connection",
    "proxy-authorization",
    "expect",
    "trailer",
    "if-none-match",
    "if-modified-since",
    "if-match",
    "if-unmodified-since",
    "if-range",
    "upgrade-insecure-requests",
    "priority",
    "dnt",
    "http2-settings",
    "purpose",
    "x-requested-with-none",
];

/// A draft under construction.
pub(crate) struct Build<'a> {
    pub(crate) draft: Draft,
    pub(crate) names: Names,
    pub(crate) choices: Choices,
    pub(crate) folder: &'a dyn Folder,
    /// Where the reader is, for losses.
    pub(crate) place: String,
    secrets: HashMap<(String, String), String>,
    lost_more: usize,
}

impl<'a> Build<'a> {
    pub(crate) fn new(kind: Kind, name: &str, folder: &'a dyn Folder, choices: Choices) -> Self {
        let stem = name.rsplit(['/', '\\']).next().unwrap_or(name).split('.').next().unwrap_or_default();
        let title = if stem.is_empty() || stem == "-" { kind.title() } else { stem };
        let draft = Draft { title: short(title, 80), ..Draft::default() };
        let mut names = Names::default();
        // The monitor of this machine.
        names.give("host_monitor", "x");
        Self { draft, names, choices, folder, place: String::new(), secrets: HashMap::new(), lost_more: 0 }
    }

    /// Notes a loss at the place where the reader is.
    pub(crate) fn lose(&mut self, what: impl Into<String>, why: impl Into<String>, hint: impl Into<String>) {
        if self.draft.lost.len() >= LOST_MAX {
            self.lost_more += 1;
            return;
        }
        let lost =
            Lost { place: short(&self.place, 120), what: short(&what.into(), 160), why: why.into(), hint: hint.into() };
        if !self.draft.lost.contains(&lost) {
            self.draft.lost.push(lost);
        }
    }

    /// A variable of the study; its name, which may differ from the one wanted.
    pub(crate) fn var(&mut self, wanted: &str, value: &str, note: &str) -> String {
        let name = self.names.give(wanted, "value");
        let is_secret = is_credential(wanted) && !value.is_empty() && value != "unset" && names_in(value).is_empty();
        let value =
            if is_secret { self.secret(wanted, value, &format!("the variable `{wanted}`")) } else { value.to_owned() };
        self.draft.vars.push(Var { name: name.clone(), value, note: note.to_owned() });
        name
    }

    /// Fills in variables whose values are known, so that an address can be taken apart.
    pub(crate) fn expanded(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..8 {
            let known = names_in(&text).into_iter().find_map(|name| {
                let var = self.draft.vars.iter().find(|var| var.name == name)?;
                let is_fit = !var.value.contains("secret.") && !var.value.contains("env.") && var.value.len() < 2000;
                is_fit.then(|| (format!("$({name})"), var.value.clone()))
            });
            let Some((name, value)) = known else { return text };
            text = text.replacen(&name, &value, 1);
            if text.len() > 20_000 {
                return text;
            }
        }
        text
    }

    /// A place for a credential: `$(secret.NAME)`. What stands there already as a name stays.
    pub(crate) fn secret(&mut self, hint: &str, value: &str, about: &str) -> String {
        if !names_in(value).is_empty() && without_names(value).trim().len() < 8 {
            return value.to_owned();
        }
        let wanted = names::loud(hint);
        let wanted = if wanted.is_empty() { "SECRET".to_owned() } else { wanted };
        let key = (wanted.clone(), value.to_owned());
        let name = match self.secrets.get(&key) {
            Some(name) => name.clone(),
            None => {
                let mut name = wanted.clone();
                let mut number = 2;
                while self.draft.secrets.iter().any(|secret| secret.name == name) {
                    name = format!("{wanted}_{number}");
                    number += 1;
                }
                self.draft.secrets.push(Secret { name: name.clone(), about: about.to_owned() });
                self.secrets.insert(key, name.clone());
                name
            }
        };
        format!("$(secret.{name})")
    }

    /// The places `$(secret.NAME)` of secrets that have a value.
    pub(crate) fn secrets_of(&self, value: &str) -> Vec<String> {
        let all = self.secrets.iter().filter(|((_, known), _)| known == value);
        all.map(|(_, name)| format!("$(secret.{name})")).collect()
    }

    /// The variable of a server, made once for each.
    pub(crate) fn server(&mut self, origin: &str) -> String {
        if let Some(server) = self.draft.servers.iter().find(|server| server.origin == origin) {
            return server.var.clone();
        }
        let var = self.names.give_server(&urls::name_of(origin));
        self.draft.servers.push(Server { var: var.clone(), origin: origin.to_owned(), answered: None });
        var
    }

    /// The server and path of a URL that may hold names. Where the host is not known, a place for it is made, and told.
    pub(crate) fn address(&mut self, url: &str, exchange: &mut Exchange) -> bool {
        let url = url.trim().replace('\\', "%5C");
        let expanded = self.with_known_origin(&url);
        if let Some(Address { origin, path, user }) = urls::split(&expanded) {
            if let Some(user) = user {
                self.basic(&urls::decoded(&user, false), exchange);
            }
            self.place_at(&origin, &path, exchange);
            return true;
        }
        if let Some(rest) = expanded.strip_prefix("//") {
            return self.address(&format!("https://{rest}"), exchange);
        }
        if let Some(name) = names_in(&expanded).first().filter(|_| expanded.starts_with("$(")) {
            let rest = expanded.get(name.len() + 3..).unwrap_or_default().to_owned();
            let name = (*name).to_owned();
            self.unknown_host(&name);
            self.place_at(&format!("{NOWHERE}/#{name}"), &urls::path_of(&rest), exchange);
            return true;
        }
        let scheme = expanded.split(':').next().unwrap_or_default();
        if expanded.contains("://$(")
            || expanded.contains("://") && expanded.split('/').nth(2).is_some_and(|it| it.contains("$("))
        {
            let host = expanded.split('/').nth(2).unwrap_or_default().to_owned();
            let rest = expanded.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
            self.unknown_host(&host);
            self.place_at(&format!("{NOWHERE}/#{host}"), &urls::path_of(&rest), exchange);
            return true;
        }
        let what = format!("{} {}", exchange.method.to_uppercase(), short(&url, 80));
        if expanded.starts_with('/') {
            self.unknown_host("the server");
            self.place_at(&format!("{NOWHERE}/#"), &urls::path_of(&expanded), exchange);
            return true;
        }
        let why = if expanded.contains("://") && !scheme.starts_with("http") {
            format!("`{scheme}` is not HTTP")
        } else {
            "its address is not understood".to_owned()
        };
        self.lose(what, why, "write it by hand as an exchange: `http.get: { url: … }`");
        false
    }

    fn with_known_origin(&self, url: &str) -> String {
        // Only what stands before the path needs values; behind it names stay names.
        let end = url.find("://").map_or(0, |at| at + 3);
        let end = url[end..].find(['/', '?']).map_or(url.len(), |at| at + end);
        let (front, rest) = url.split_at(end);
        format!("{}{rest}", self.expanded(front))
    }

    fn unknown_host(&mut self, name: &str) {
        self.lose(
            format!("the host `{}`", short(name, 60)),
            format!("the source does not say which it is; {NOWHERE} is in its place"),
            "write it under `vars`, or set it: `loadproof run … --set NAME=https://…`",
        );
    }

    fn place_at(&mut self, origin: &str, path: &str, exchange: &mut Exchange) {
        // Behind `#` is what an unknown host was called, so that two of them stay two.
        let var = match origin.split_once("/#") {
            Some((_, name)) if !name.is_empty() => {
                let key = format!("{NOWHERE}/#{name}");
                match self.draft.servers.iter().find(|server| server.origin == key) {
                    Some(server) => server.var.clone(),
                    None => {
                        let var = self.names.give_server(name);
                        self.draft.servers.push(Server { var: var.clone(), origin: key, answered: None });
                        var
                    }
                }
            }
            Some(_) => self.server(NOWHERE),
            None => self.server(origin),
        };
        let path = self.query_without_credentials(path);
        exchange.url = format!("$({var}.url){path}");
    }

    fn query_without_credentials(&mut self, path: &str) -> String {
        let Some((front, query)) = path.split_once('?') else { return path.to_owned() };
        let mut parts = Vec::new();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if value.len() > 2 && is_credential(&urls::decoded(name, true)) && names_in(value).is_empty() {
                let secret = self.secret(name, value, &format!("the parameter `{}` of an address", short(name, 40)));
                parts.push(format!("{name}={secret}"));
            } else {
                parts.push(part.to_owned());
            }
        }
        format!("{front}?{}", parts.join("&"))
    }

    /// `user:password` as `basic`, the password as a secret.
    pub(crate) fn basic(&mut self, pair: &str, exchange: &mut Exchange) {
        let (user, password) = pair.split_once(':').unwrap_or((pair, ""));
        let hint = format!("{}_PASSWORD", names::loud(user));
        let hint = hint.trim_start_matches('_').to_owned();
        let password = if password.is_empty() {
            String::new()
        } else {
            self.secret(&hint, password, &format!("the password of the user `{user}`"))
        };
        exchange.keys.retain(|(key, _)| key != "basic" && key != "bearer");
        exchange.keys.push(("basic".to_owned(), format!("{user}:{password}")));
    }

    /// A token as `bearer`.
    pub(crate) fn bearer(&mut self, token: &str, exchange: &mut Exchange) {
        let token = self.secret("TOKEN", token.trim(), "the token behind `Authorization: Bearer`");
        exchange.keys.retain(|(key, _)| key != "basic" && key != "bearer");
        exchange.keys.push(("bearer".to_owned(), token));
    }

    /// Adds a header: those of the driver are left out, credentials become secrets.
    pub(crate) fn header(&mut self, name: &str, value: &str, exchange: &mut Exchange) {
        let plain = name.trim().to_ascii_lowercase();
        let is_token =
            !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
        if OWN_HEADERS.contains(&plain.as_str()) || plain.starts_with("sec-") || plain.starts_with(':') {
            return;
        }
        if !is_token {
            self.lose(format!("the header `{}`", short(name, 60)), "this cannot be the name of a header", "");
            return;
        }
        let value: String = value.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if plain == "authorization" {
            return self.authorization(&value, exchange);
        }
        let is_given = !names_in(&value).is_empty();
        let value = if is_credential(&plain) && !value.is_empty() && !is_given {
            self.secret(name, &value, &format!("the header `{}`", name.trim()))
        } else {
            value
        };
        exchange.headers.retain(|(other, _)| *other != plain);
        exchange.headers.push((plain, value));
    }

    fn authorization(&mut self, value: &str, exchange: &mut Exchange) {
        let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
        if scheme.eq_ignore_ascii_case("bearer") && !rest.is_empty() {
            return self.bearer(rest, exchange);
        }
        let pair = urls::from_base64(rest).and_then(|bytes| String::from_utf8(bytes).ok());
        if scheme.eq_ignore_ascii_case("basic")
            && let Some(pair) = pair.filter(|pair| pair.contains(':') && names_in(rest).is_empty())
        {
            return self.basic(&literal(&pair), exchange);
        }
        let value = self.secret("AUTHORIZATION", value, "the whole header `Authorization`");
        exchange.headers.retain(|(other, _)| other != "authorization");
        exchange.headers.push(("authorization".to_owned(), value));
    }

    /// The body that a text is, by its content type.
    pub(crate) fn body(&mut self, text: &str, exchange: &mut Exchange) {
        let at = exchange.headers.iter().position(|(name, _)| name == "content-type");
        let kind = at.map(|at| exchange.headers[at].1.to_ascii_lowercase()).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        if kind.contains("json") || (kind.is_empty() && text.trim_start().starts_with(['{', '['])) {
            let value = json::parse_with_names(text).ok().filter(|value| !has_twice(value));
            if let Some(value @ (Value::Map(_) | Value::List(_))) = value {
                exchange.body = Body::Json(self.json_without_credentials(value, ""));
                let is_usual = |value: &str| {
                    let value = value.replace(' ', "").to_ascii_lowercase();
                    value == "application/json" || value == "application/json;charset=utf-8"
                };
                if let Some(at) = at.filter(|at| is_usual(&exchange.headers[*at].1)) {
                    exchange.headers.remove(at);
                }
                return;
            }
        }
        if kind.contains("x-www-form-urlencoded") && text.contains('=') && !text.contains(['\n', '{', '<']) {
            let fields = urls::fields(text);
            self.form(fields, exchange);
            return;
        }
        exchange.body = Body::Text(text.to_owned());
    }

    /// Fields of a form, with credentials as secrets.
    pub(crate) fn form(&mut self, fields: Vec<(String, String)>, exchange: &mut Exchange) {
        let fields = fields.into_iter().map(|(name, value)| {
            let value = self.field_without_credential(&name, value);
            (name, value)
        });
        exchange.body = Body::Form(fields.collect());
        let is_form =
            |(name, value): &(String, String)| name == "content-type" && value.contains("x-www-form-urlencoded");
        exchange.headers.retain(|header| !is_form(header));
    }

    /// The value of a field, a secret if the field is one of those.
    pub(crate) fn field_without_credential(&mut self, name: &str, value: String) -> String {
        if is_credential(name) && !value.is_empty() && names_in(&value).is_empty() {
            return self.secret(name, &value, &format!("the field `{}`", short(name, 40)));
        }
        value
    }

    fn json_without_credentials(&mut self, value: Value, name: &str) -> Value {
        match value {
            Value::Text(text) => Value::Text(self.field_without_credential(name, text)),
            Value::List(members) => {
                Value::List(members.into_iter().map(|member| self.json_without_credentials(member, name)).collect())
            }
            Value::Map(entries) => {
                let made = entries.into_iter().map(|(key, value)| {
                    let value = self.json_without_credentials(value, &key);
                    (key, value)
                });
                Value::Map(made.collect())
            }
            other => other,
        }
    }

    /// Takes a finished request; its name. One like it that is there already stands for it.
    pub(crate) fn exchange(&mut self, mut exchange: Exchange, wanted: &str) -> Option<String> {
        const METHODS: [&str; 7] = ["get", "post", "put", "delete", "patch", "head", "options"];
        exchange.method = exchange.method.to_ascii_lowercase();
        if !METHODS.contains(&exchange.method.as_str()) {
            let what = format!("{} {}", exchange.method.to_uppercase(), exchange.url);
            self.lose(
                what,
                "loadproof cannot send this method",
                "possible are get, post, put, delete, patch, head and options",
            );
            return None;
        }
        // What is stated last counts.
        let keys = std::mem::take(&mut exchange.keys);
        for (key, value) in keys {
            exchange.keys.retain(|(other, _)| *other != key);
            exchange.keys.push((key, value));
        }
        if exchange.method == "head" && exchange.body != Body::None {
            exchange.body = Body::None;
            self.lose(format!("the body of `{wanted}`"), "a HEAD request has none", "");
        }
        let is_same = |other: &&Exchange| {
            let mut other = (*other).clone();
            other.name.clone_from(&exchange.name);
            other == exchange
        };
        if let Some(same) = self.draft.exchanges.iter().rev().find(|other| other.url == exchange.url && is_same(other))
        {
            return Some(same.name.clone());
        }
        if self.draft.exchanges.len() >= EXCHANGES_MAX {
            self.place = String::new();
            self.lose(
                "further requests",
                format!("a study has at most {EXCHANGES_MAX} different ones here"),
                "convert parts of the source",
            );
            return None;
        }
        let wanted = if names::plain(wanted).is_empty() {
            let path = exchange.url.split_once(".url)").map_or("/", |(_, path)| path);
            names::of_request(&exchange.method, path)
        } else {
            wanted.to_owned()
        };
        exchange.name = self.names.give(&wanted, "call");
        if let Body::Text(text) = &exchange.body
            && (text.len() > BODY_INLINE || text.lines().count() > 8)
        {
            let kind =
                exchange.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
            let end = match kind.unwrap_or_default() {
                kind if kind.contains("json") => "json",
                kind if kind.contains("xml") => "xml",
                _ => "txt",
            };
            let path = format!("bodies/{}.{end}", exchange.name);
            self.draft.files.push((path.clone(), text.clone().into_bytes()));
            exchange.body = Body::File(path, true);
        }
        let name = exchange.name.clone();
        self.draft.exchanges.push(exchange);
        Some(name)
    }

    /// An exchange that was taken.
    pub(crate) fn taken(&mut self, name: &str) -> Option<&mut Exchange> {
        self.draft.exchanges.iter_mut().find(|exchange| exchange.name == name)
    }

    /// Copies a file from beside the source to beside the study; its path there.
    pub(crate) fn copy(&mut self, path: &str, under: &str) -> Option<String> {
        match self.folder.read(path) {
            Ok(bytes) => {
                let leaf = path.rsplit(['/', '\\']).next().unwrap_or(path);
                let leaf: String = leaf
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' })
                    .take(80)
                    .collect();
                let target = format!("{under}/{}", leaf.trim_start_matches('.'));
                if !self.draft.files.iter().any(|(path, _)| *path == target) {
                    self.draft.files.push((target.clone(), bytes));
                }
                Some(target)
            }
            Err(why) => {
                self.lose(
                    format!("the file `{}`", short(path, 80)),
                    why,
                    "put it beside the study, and name it in the exchange",
                );
                None
            }
        }
    }

    /// A sentence about all losses beyond the bound.
    pub(crate) fn close(&mut self) {
        if self.lost_more > 0 {
            self.draft.lost.push(Lost {
                place: String::new(),
                what: format!("{} further losses", self.lost_more),
                why: format!("only {LOST_MAX} are listed"),
                hint: String::new(),
            });
            self.lost_more = 0;
        }
    }
}

/// Whether a key stands twice in a map, which a study cannot write.
fn has_twice(value: &Value) -> bool {
    match value {
        Value::List(members) => members.iter().any(has_twice),
        Value::Map(entries) => {
            let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
            keys.sort_unstable();
            keys.windows(2).any(|two| two[0] == two[1]) || entries.iter().any(|(_, value)| has_twice(value))
        }
        _ => false,
    }
}
