//! Requests of a script.

use super::parse::Expr;
use super::run::Walk;
use super::values::Val;
use crate::draft::{Body, Exchange, Step};
use crate::text::{duration, short};
use crate::value::Value;

/// Calls that one script comes to.
const CALLS_MAX: usize = 3000;

impl Walk<'_, '_, '_> {
    pub(super) fn request(&mut self, method: &str, arguments: &[Expr]) -> Val {
        let values: Vec<Val> = arguments.iter().map(|argument| self.value(argument)).collect();
        let at = |index: usize| values.get(index).cloned().unwrap_or(Val::Null);
        match method {
            "get" | "head" => self.send(method, at(0), Val::Null, at(1)),
            "post" | "put" | "patch" | "options" => self.send(method, at(0), at(1), at(2)),
            "del" => self.send("delete", at(0), at(1), at(2)),
            "request" | "asyncRequest" => {
                let method = self.script.text(at(0));
                self.send(&method, at(1), at(2), at(3))
            }
            "batch" => self.batch(at(0)),
            "setResponseCallback" | "expectedStatuses" | "cookieJar" | "file" | "CookieJar" => {
                Val::Unknown(format!("`http.{method}`"))
            }
            other => {
                self.script.build.lose(format!("http.{}", short(other, 40)), "it is not carried over", "");
                Val::Unknown(format!("`http.{}`", short(other, 40)))
            }
        }
    }

    fn batch(&mut self, of: Val) -> Val {
        let entries: Vec<(String, Val)> = match of {
            Val::List(all) => all.into_iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
            Val::Map(entries) => entries,
            _ => {
                self.script.build.draft.seen += 1;
                self.script.build.lose(
                    "http.batch",
                    "its list is computed in the script",
                    "write `parallel: [ a, b ]`",
                );
                return Val::Unknown("`http.batch`".to_owned());
            }
        };
        let before = std::mem::take(&mut self.steps);
        let mut answers = Vec::new();
        for (key, entry) in entries {
            let answer = match entry {
                Val::List(parts) => {
                    let at = |index: usize| parts.get(index).cloned().unwrap_or(Val::Null);
                    let method = self.script.text(at(0));
                    self.send(&method, at(1), at(2), at(3))
                }
                Val::Map(fields) => {
                    let of = |name: &str| {
                        fields.iter().find(|(key, _)| key == name).map_or(Val::Null, |(_, value)| value.clone())
                    };
                    let method = self.script.text(of("method"));
                    self.send(if method.is_empty() { "get" } else { &method }, of("url"), of("body"), of("params"))
                }
                url => self.send("get", url, Val::Null, Val::Null),
            };
            answers.push((key, answer));
        }
        let inner = std::mem::replace(&mut self.steps, before);
        let mut calls: Vec<String> = Vec::new();
        for step in inner {
            if let Step::Call(name) = step {
                calls.push(name);
            }
        }
        match calls.len() {
            0 => {}
            1 => self.steps.push(Step::Call(calls.remove(0))),
            _ => self.steps.push(Step::Parallel(calls, 20)),
        }
        let is_list = answers.iter().all(|(key, _)| key.bytes().all(|byte| byte.is_ascii_digit()));
        if is_list { Val::List(answers.into_iter().map(|(_, answer)| answer).collect()) } else { Val::Map(answers) }
    }

    fn send(&mut self, method: &str, url: Val, body: Val, params: Val) -> Val {
        self.script.build.draft.seen += 1;
        self.script.calls += 1;
        if self.script.calls > CALLS_MAX {
            self.script.build.lose("further requests", format!("{CALLS_MAX} are read"), "");
            return Val::Null;
        }
        let mut exchange = Exchange { method: method.to_lowercase(), ..Exchange::default() };
        let url = match url {
            Val::Unknown(what) => {
                self.script.build.lose(
                    format!("{} {what}", method.to_uppercase()),
                    "its address is computed in the script",
                    "write it by hand as an exchange",
                );
                return Val::Unknown("an answer".to_owned());
            }
            other => self.script.text(other),
        };
        if !self.script.build.address(&url, &mut exchange) {
            return Val::Unknown("an answer".to_owned());
        }
        if let Some(agent) = self.script.agent.clone() {
            exchange.headers.push(("user-agent".to_owned(), agent));
        }
        let is_tls = self.script.build.expanded(&url).starts_with("https");
        exchange.keys.extend(self.script.keys.iter().filter(|(key, _)| key != "tls" || is_tls).cloned());
        let mut wanted = String::new();
        if let Val::Map(entries) = params {
            for (key, value) in entries {
                self.param(&key, value, &mut exchange, &mut wanted);
            }
        } else if let Val::Unknown(what) = params {
            self.script.build.lose(
                format!("the parameters of a request: {what}"),
                "they are computed in the script",
                "write its `headers` by hand",
            );
        }
        self.put_body(body, &mut exchange);
        let path = exchange.url.split_once(".url)").map_or("/", |(_, path)| path).to_owned();
        let wanted = if wanted.is_empty() || wanted.contains("://") {
            crate::names::of_request(&exchange.method, &path)
        } else {
            wanted
        };
        match self.script.build.exchange(exchange, &wanted) {
            Some(name) => {
                self.steps.push(Step::Call(name.clone()));
                Val::Answer(name)
            }
            None => Val::Unknown("an answer".to_owned()),
        }
    }

    fn param(&mut self, key: &str, value: Val, exchange: &mut Exchange, wanted: &mut String) {
        match (key, value) {
            ("headers", Val::Map(headers)) => {
                for (name, value) in headers {
                    let value = self.script.text(value);
                    self.script.build.header(&name, &value, exchange);
                }
            }
            ("tags", Val::Map(tags)) => {
                if let Some((_, Val::Text(name))) = tags.into_iter().find(|(key, _)| key == "name") {
                    *wanted = name;
                }
            }
            ("timeout", Val::Text(text)) => {
                let is_time = text
                    .strip_suffix("ms")
                    .or(text.strip_suffix('s'))
                    .or(text.strip_suffix('m'))
                    .is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 0));
                exchange.timeout = is_time.then_some(text);
            }
            ("timeout", Val::Number(millis)) if millis >= 1.0 => exchange.timeout = Some(duration(millis / 1000.0)),
            ("redirects", Val::Number(0.0)) => exchange.keys.push(("follow".to_owned(), "no".to_owned())),
            ("redirects", Val::Number(count)) if (1.0..=20.0).contains(&count) => {
                exchange.keys.push(("follow".to_owned(), crate::text::number(count, 0)))
            }
            ("cookies", Val::Map(cookies)) => {
                let mut pairs = Vec::new();
                for (name, value) in cookies {
                    let value = if let Val::Map(inner) = value {
                        inner.into_iter().find(|(key, _)| key == "value").map_or(Val::Null, |(_, value)| value)
                    } else {
                        value
                    };
                    let value = self.script.text(value);
                    let value = if crate::text::names_in(&value).is_empty() {
                        self.script.build.secret(&format!("COOKIE {name}"), &value, &format!("the cookie `{name}`"))
                    } else {
                        value
                    };
                    pairs.push(format!("{name}={value}"));
                }
                exchange.headers.push(("cookie".to_owned(), pairs.join("; ")));
            }
            ("responseType" | "responseCallback", _) => {}
            (other, _) => self.script.build.lose(
                format!("the parameter `{}`", short(other, 40)),
                "it is not carried over",
                "see the README of driver-http for what a request can have",
            ),
        }
    }

    fn put_body(&mut self, body: Val, exchange: &mut Exchange) {
        let has_type = exchange.headers.iter().any(|(name, _)| name == "content-type");
        match body {
            Val::Null => {}
            Val::Map(fields) => {
                let fields: Vec<(String, String)> =
                    fields.into_iter().map(|(name, value)| (name, self.script.text(value))).collect();
                self.script.build.form(fields, exchange);
            }
            Val::Written(value) => {
                let value = self.script.json(*value);
                let text = value.json();
                if has_type && matches!(value, Value::Map(_) | Value::List(_)) {
                    self.script.build.body(&text, exchange);
                } else {
                    exchange.body = Body::Text(text);
                }
            }
            Val::Unknown(what) => {
                self.script.build.lose(
                    format!("a body: {what}"),
                    "it is computed in the script",
                    "write it under `json`, `form`, `multipart` or `file`",
                );
            }
            other => {
                let text = self.script.text(other);
                if has_type {
                    self.script.build.body(&text, exchange);
                } else if !text.is_empty() {
                    exchange.body = Body::Text(text);
                }
            }
        }
    }
}
