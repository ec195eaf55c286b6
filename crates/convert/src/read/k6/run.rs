//! The way of one iteration through a script.

use super::Script;
use super::parse::{Expr, Stmt, Target, What};
use super::values::{Val, json_text};
use crate::draft::{Body, Exchange, Step};
use crate::text::{duration, short};
use crate::value::Value;
use std::collections::HashMap;

/// Functions that call each other; calls that one script comes to.
const DEPTH_MAX: usize = 12;
const CALLS_MAX: usize = 3000;
/// A loop of so many passes is written out, since each may send something else.
const WRITTEN_OUT: usize = 10;

/// Values of local names.
#[derive(Clone, Default)]
pub(super) struct Scope(HashMap<String, Val>);

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&Val> {
        self.0.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Val) {
        self.0.insert(name.to_owned(), value);
    }
}

pub(super) struct Walk<'w, 'b, 'a> {
    pub(super) script: &'w mut Script<'b, 'a>,
    pub(super) scope: Scope,
    steps: Vec<Step>,
    depth: usize,
    /// Requests that are read where it is not known whether they are sent.
    is_maybe: bool,
}

impl<'w, 'b, 'a> Walk<'w, 'b, 'a> {
    pub(super) fn new(script: &'w mut Script<'b, 'a>) -> Self {
        Self { script, scope: Scope::default(), steps: Vec::new(), depth: 0, is_maybe: false }
    }

    pub(super) fn done(self) -> Vec<Step> {
        self.steps
    }

    /// Goes through a function with values for its parameters.
    pub(super) fn call(&mut self, function: &Expr, arguments: Vec<Val>) -> Val {
        let Expr::Function(parameters, body) = function else { return Val::Null };
        if self.depth >= DEPTH_MAX {
            self.script.build.lose("a function", format!("functions are followed {DEPTH_MAX} deep"), "");
            return Val::Null;
        }
        let before = self.scope.clone();
        for (index, parameter) in parameters.iter().enumerate() {
            let value = arguments.get(index).cloned().unwrap_or(Val::Null);
            self.bind(parameter, value);
        }
        self.depth += 1;
        let value = self.all(body);
        self.depth -= 1;
        self.scope = before;
        value.unwrap_or(Val::Null)
    }

    fn bind(&mut self, target: &Target, value: Val) {
        match target {
            Target::Name(name) => self.scope.set(name, value),
            Target::Fields(fields) => {
                for (field, local) in fields {
                    let of = match &value {
                        Val::Map(entries) => entries.iter().find(|(key, _)| key == field).map_or(Val::Null, |(_, value)| value.clone()),
                        Val::Json(exchange, path) => Val::Json(exchange.clone(), format!("{path}.{field}")),
                        _ => Val::Unknown(format!("`{field}`")),
                    };
                    self.scope.set(local, of);
                }
            }
            Target::Other => {}
        }
    }

    /// Statements in a row; what they return, if they do.
    fn all(&mut self, statements: &[Stmt]) -> Option<Val> {
        for statement in statements {
            if let Some(value) = self.statement(statement) {
                return Some(value);
            }
        }
        None
    }

    fn statement(&mut self, statement: &Stmt) -> Option<Val> {
        self.script.stand_at(statement.line);
        match &statement.what {
            What::Let(all) => {
                for (target, value) in all {
                    let value = value.as_ref().map_or(Val::Null, |value| self.value(value));
                    self.bind(target, value);
                }
            }
            What::Do(Expr::Assign(left, right)) => {
                let value = self.value(right);
                match &**left {
                    Expr::Name(name) => self.scope.set(name, value),
                    Expr::Member(of, field) => {
                        if let Expr::Name(name) = &**of
                            && let Some(Val::Map(entries)) = self.scope.0.get_mut(name)
                        {
                            entries.retain(|(key, _)| key != field);
                            entries.push((field.clone(), value));
                        }
                    }
                    _ => {}
                }
            }
            What::Do(expr) => {
                self.value(expr);
            }
            What::Block(body) => return self.all(body),
            What::If(condition, then, other) => self.condition(condition, then, other),
            What::Loop(Some((name, from, to)), body) => {
                let count = (to - from).max(0.0).round() as usize;
                if count <= WRITTEN_OUT {
                    for index in 0..count {
                        self.scope.set(name, Val::Number(from + index as f64));
                        self.all(body);
                    }
                } else {
                    self.scope.set(name, Val::Unknown(format!("the counter `{name}`")));
                    let inner = self.apart(body);
                    self.steps.push(Step::Times(count.min(10_000) as u64, inner));
                }
            }
            What::Loop(None, body) => self.maybe(body, "a loop whose passes only a run would show"),
            What::Of(name, list, body) => match self.value(list) {
                Val::List(all) if all.len() <= 50 => {
                    for value in all {
                        self.scope.set(name, value);
                        self.all(body);
                    }
                }
                _ => self.maybe(body, "a loop over what only a run would show"),
            },
            What::Return(value) => return Some(value.as_ref().map_or(Val::Null, |value| self.value(value))),
            What::Function(name, function) => {
                self.script.functions.insert(name.clone(), function.clone());
            }
            What::Import(..) | What::Default(_) | What::Nothing => {}
        }
        None
    }

    /// The steps of a body, apart from those before it.
    fn apart(&mut self, body: &[Stmt]) -> Vec<Step> {
        let before = std::mem::take(&mut self.steps);
        self.all(body);
        std::mem::replace(&mut self.steps, before)
    }

    fn condition(&mut self, condition: &Expr, then: &[Stmt], other: &[Stmt]) {
        // A condition may itself check or send something.
        match self.value(condition) {
            Val::Bool(true) => drop(self.all(then)),
            Val::Bool(false) | Val::Null => drop(self.all(other)),
            _ => {
                self.maybe(then, "a condition that only a run would show");
                self.maybe(other, "a condition that only a run would show");
            }
        }
    }

    /// Requests that may not be sent are written as exchanges, and stand in no `run`.
    fn maybe(&mut self, body: &[Stmt], why: &str) {
        let before = self.script.build.draft.seen;
        let place = self.script.build.place.clone();
        let was = std::mem::replace(&mut self.is_maybe, true);
        let scope = self.scope.clone();
        let steps = self.apart(body);
        self.scope = scope;
        self.is_maybe = was;
        if self.script.build.draft.seen > before && !steps.is_empty() {
            self.script.build.place = place;
            self.script.build.lose(why, "its requests are written as exchanges, and stand in no `run`", "write `if`, `choose`, `while` or `for each` in `run`");
        }
    }

    /// What an expression is worth; requests, waits and checks in it are steps.
    pub(super) fn value(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Call(of, arguments) => {
                if let Some(value) = self.known_call(of, arguments) {
                    return value;
                }
                self.script.value(expr, &self.scope)
            }
            Expr::Unary("!", inner) => match self.value(inner) {
                Val::Bool(is_true) => Val::Bool(!is_true),
                other => other,
            },
            Expr::Binary("&&", left, right) => {
                self.value(left);
                self.value(right);
                Val::Unknown("a condition".to_owned())
            }
            Expr::Binary(sign @ ("===" | "==" | "!==" | "!="), left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let is_fixed = |value: &Val| match value {
                    Val::Text(text) => crate::text::names_in(text).is_empty(),
                    Val::Number(_) | Val::Bool(_) => true,
                    _ => false,
                };
                if is_fixed(&left) && is_fixed(&right) {
                    return Val::Bool((left == right) == sign.starts_with('='));
                }
                Val::Unknown("a comparison".to_owned())
            }
            // A request within what is made of its answer: `http.get(u).json('id')`.
            Expr::Member(of, field) if has_call(of) => {
                let inner = self.value(of);
                let mut scope = self.scope.clone();
                scope.set("#", inner);
                self.script.value(&Expr::Member(Box::new(Expr::Name("#".to_owned())), field.clone()), &scope)
            }
            _ => self.script.value(expr, &self.scope),
        }
    }

    /// Calls that a run would notice; `None` for all others.
    fn known_call(&mut self, of: &Expr, arguments: &[Expr]) -> Option<Val> {
        match of {
            Expr::Name(name) => {
                let import = self.script.import_of(name).map(|(from, there)| (from.to_owned(), there.to_owned()));
                match import.as_ref().map(|(from, there)| (from.as_str(), there.as_str())) {
                    Some(("k6", "sleep")) => self.sleep(arguments.first()),
                    Some(("k6", "check")) => return Some(self.check(arguments)),
                    Some(("k6", "group")) => self.group(arguments),
                    Some(("k6", "fail")) => {}
                    Some(("k6/http", method)) => return Some(self.request(method, arguments)),
                    Some((from, _)) if from.contains("expect") => {}
                    _ => {
                        let function = self.script.functions.get(name).cloned()?;
                        let is_plain = matches!(&function, Expr::Function(_, body) if matches!(body.as_slice(), [Stmt { what: What::Return(Some(value)), .. }] if !has_call(value)));
                        if is_plain {
                            return None;
                        }
                        let values: Vec<Val> = arguments.iter().map(|argument| self.value(argument)).collect();
                        let scope = std::mem::take(&mut self.scope);
                        let value = self.call(&function, values);
                        self.scope = scope;
                        return Some(value);
                    }
                }
                Some(Val::Null)
            }
            Expr::Member(inner, method) => {
                if let Expr::Name(name) = &**inner {
                    let import = self.script.import_of(name).map(|(from, there)| (from.to_owned(), there.to_owned()));
                    match import.as_ref().map(|(from, there)| (from.as_str(), there.as_str())) {
                        Some(("k6/http", "default" | "*")) => {
                            if method == "url" {
                                return arguments.first().map(|argument| self.value(argument));
                            }
                            return Some(self.request(method, arguments));
                        }
                        Some(("k6", "default" | "*")) => {
                            let local = format!("#{method}");
                            self.script.imports.insert(local.clone(), ("k6".to_owned(), method.clone()));
                            return self.known_call(&Expr::Name(local), arguments);
                        }
                        Some((from, _)) if ["k6/ws", "k6/websockets", "k6/net/grpc", "k6/browser", "k6/experimental"].iter().any(|it| from.starts_with(it)) => {
                            self.script.build.draft.seen += 1;
                            self.script.build.lose(format!("{name}.{method}() of {from}"), "only requests over HTTP are carried over", "WebSockets are `ws.talk`, see the README of driver-ws");
                            return Some(Val::Unknown(format!("`{name}.{method}()`")));
                        }
                        _ => {}
                    }
                    if name == "console" {
                        return Some(Val::Null);
                    }
                }
                if method == "forEach" {
                    let list = self.value(inner);
                    let function = arguments.first().cloned()?;
                    match list {
                        Val::List(all) if all.len() <= 50 => all.into_iter().for_each(|value| drop(self.call(&function, vec![value]))),
                        _ => {
                            if let Expr::Function(_, body) = &function {
                                self.maybe(body, "a loop over what only a run would show");
                            }
                        }
                    }
                    return Some(Val::Null);
                }
                if has_call(inner) {
                    let value = self.value(inner);
                    let mut scope = self.scope.clone();
                    scope.set("#", value);
                    let call = Expr::Call(Box::new(Expr::Member(Box::new(Expr::Name("#".to_owned())), method.clone())), arguments.to_vec());
                    return Some(self.script.value(&call, &scope));
                }
                None
            }
            Expr::Function(..) => Some(self.call(of, Vec::new())),
            _ => None,
        }
    }

    fn sleep(&mut self, time: Option<&Expr>) {
        if self.is_maybe {
            return;
        }
        let Some(time) = time else { return };
        // `Math.random() * 3`, and `randomIntBetween(1, 3)`.
        let think = match time {
            Expr::Call(of, arguments) if matches!(&**of, Expr::Name(name) if name == "randomIntBetween") => {
                match (arguments.first().map(|it| self.value(it)), arguments.get(1).map(|it| self.value(it))) {
                    (Some(Val::Number(from)), Some(Val::Number(to))) if to > from && from >= 0.0 => Some(format!("{} to {}", duration(from), duration(to))),
                    _ => None,
                }
            }
            Expr::Binary("*", left, right) if is_random(left) || is_random(right) => {
                match self.value(if is_random(left) { right } else { left }) {
                    Val::Number(most) if most >= 0.001 => Some(format!("0s to {}", duration(most))),
                    _ => None,
                }
            }
            Expr::Binary("+", left, right) => match (&**left, &**right) {
                (Expr::Binary("*", a, b), base) | (base, Expr::Binary("*", a, b)) if is_random(a) || is_random(b) => {
                    match (self.value(if is_random(a) { b } else { a }), self.value(base)) {
                        (Val::Number(range), Val::Number(base)) if range >= 0.001 && base >= 0.0 => Some(format!("{} to {}", duration(base), duration(base + range))),
                        _ => None,
                    }
                }
                _ => self.fixed(time),
            },
            _ => self.fixed(time),
        };
        match think {
            Some(think) => {
                if think != "0s" {
                    self.steps.push(Step::Think(think));
                }
            }
            None => self.script.build.lose("a sleep", "how long it is only a run would show", "write `think: 1s to 3s`"),
        }
    }

    fn fixed(&mut self, time: &Expr) -> Option<String> {
        match self.value(time) {
            Val::Number(seconds) if seconds >= 0.0 => Some(duration(seconds)),
            Val::Text(text) => self.script.build.expanded(&text).parse::<f64>().ok().map(duration),
            _ => None,
        }
    }

    fn group(&mut self, arguments: &[Expr]) {
        let name = match arguments.first().map(|name| self.value(name)) {
            Some(Val::Text(name)) => name,
            _ => "group".to_owned(),
        };
        let Some(function) = arguments.get(1) else { return };
        let function = match function {
            Expr::Name(name) => self.script.functions.get(name).cloned().unwrap_or(Expr::Other),
            other => other.clone(),
        };
        let Expr::Function(_, body) = &function else { return };
        let inner = self.apart(body);
        let has_call = inner.iter().any(|step| !matches!(step, Step::Think(_)));
        if has_call {
            let name = self.script.build.names.give(&name, "group");
            self.steps.push(Step::Transaction(name, inner));
        } else {
            self.steps.extend(inner);
        }
    }

    fn request(&mut self, method: &str, arguments: &[Expr]) -> Val {
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
            "setResponseCallback" | "expectedStatuses" | "cookieJar" | "file" | "CookieJar" => Val::Unknown(format!("`http.{method}`")),
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
                self.script.build.lose("http.batch", "its list is computed in the script", "write `parallel: [ a, b ]`");
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
                    let of = |name: &str| fields.iter().find(|(key, _)| key == name).map_or(Val::Null, |(_, value)| value.clone());
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
                self.script.build.lose(format!("{} {what}", method.to_uppercase()), "its address is computed in the script", "write it by hand as an exchange");
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
            self.script.build.lose(format!("the parameters of a request: {what}"), "they are computed in the script", "write its `headers` by hand");
        }
        self.put_body(body, &mut exchange);
        let path = exchange.url.split_once(".url)").map_or("/", |(_, path)| path).to_owned();
        let wanted = if wanted.is_empty() || wanted.contains("://") { crate::names::of_request(&exchange.method, &path) } else { wanted };
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
                let is_time = text.strip_suffix("ms").or(text.strip_suffix('s')).or(text.strip_suffix('m')).is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 0));
                exchange.timeout = is_time.then_some(text);
            }
            ("timeout", Val::Number(millis)) if millis >= 1.0 => exchange.timeout = Some(duration(millis / 1000.0)),
            ("redirects", Val::Number(0.0)) => exchange.keys.push(("follow".to_owned(), "no".to_owned())),
            ("redirects", Val::Number(count)) if (1.0..=20.0).contains(&count) => exchange.keys.push(("follow".to_owned(), crate::text::number(count, 0))),
            ("cookies", Val::Map(cookies)) => {
                let mut pairs = Vec::new();
                for (name, value) in cookies {
                    let value = if let Val::Map(inner) = value { inner.into_iter().find(|(key, _)| key == "value").map_or(Val::Null, |(_, value)| value) } else { value };
                    let value = self.script.text(value);
                    let value = if crate::text::names_in(&value).is_empty() { self.script.build.secret(&format!("COOKIE {name}"), &value, &format!("the cookie `{name}`")) } else { value };
                    pairs.push(format!("{name}={value}"));
                }
                exchange.headers.push(("cookie".to_owned(), pairs.join("; ")));
            }
            ("responseType" | "responseCallback", _) => {}
            (other, _) => self.script.build.lose(format!("the parameter `{}`", short(other, 40)), "it is not carried over", "see the README of driver-http for what a request can have"),
        }
    }

    fn put_body(&mut self, body: Val, exchange: &mut Exchange) {
        let has_type = exchange.headers.iter().any(|(name, _)| name == "content-type");
        match body {
            Val::Null => {}
            Val::Map(fields) => {
                let fields: Vec<(String, String)> = fields.into_iter().map(|(name, value)| (name, self.script.text(value))).collect();
                self.script.build.form(fields, exchange);
            }
            Val::Written(value) => {
                let value = self.script.json(*value);
                let text = json_text(&value);
                if has_type && matches!(value, Value::Map(_) | Value::List(_)) {
                    self.script.build.body(&text, exchange);
                } else {
                    exchange.body = Body::Text(text);
                }
            }
            Val::Unknown(what) => {
                self.script.build.lose(format!("a body: {what}"), "it is computed in the script", "write it under `json`, `form`, `multipart` or `file`");
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

fn is_random(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(of, _) if matches!(&**of, Expr::Member(of, name) if name == "random" && matches!(&**of, Expr::Name(of) if of == "Math")))
}

/// Whether an expression calls something of which a run would notice.
fn has_call(expr: &Expr) -> bool {
    match expr {
        Expr::Call(of, _) => match &**of {
            Expr::Member(inner, _) => matches!(&**inner, Expr::Name(name) if name == "http") || has_call(inner),
            Expr::Name(_) => true,
            _ => false,
        },
        Expr::Member(of, _) | Expr::Index(of, _) => has_call(of),
        _ => false,
    }
}
