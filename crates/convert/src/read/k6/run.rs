//! The way of one iteration through a script.

use super::Script;
use super::effects::Effects;
use super::parse::{Expr, Stmt, Target, What};
use super::values::Val;
use crate::draft::Step;
use crate::text::{duration, short};
use std::collections::HashMap;

/// Functions that call each other.
const DEPTH_MAX: usize = 12;
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
    pub(super) steps: Vec<Step>,
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
                        Val::Map(entries) => {
                            entries.iter().find(|(key, _)| key == field).map_or(Val::Null, |(_, value)| value.clone())
                        }
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
                let mut path = Vec::new();
                match self.place_of(left, &mut path) {
                    Some(name) if path.is_empty() => self.scope.set(&name, value),
                    Some(name) => {
                        let mut whole = self.value(&Expr::Name(name.clone()));
                        if put(&mut whole, &path, value) {
                            self.scope.set(&name, whole);
                        } else {
                            self.script.build.lose(
                                format!("what is set of `{}`", short(&name, 40)),
                                "what it belongs to is not known here",
                                "write it by hand where it is sent",
                            );
                        }
                    }
                    None => self.script.build.lose(
                        "what is set",
                        "what it belongs to is not known here",
                        "write it by hand where it is sent",
                    ),
                }
            }
            What::Do(expr) => {
                let told = self.script.build.draft.lost.len();
                let seen = self.script.build.draft.seen;
                let value = self.value(expr);
                let is_told = self.script.build.draft.lost.len() > told || self.script.build.draft.seen > seen;
                if let (Val::Unknown(what), false, true) = (&value, is_told, matches!(expr, Expr::Call(..)))
                    && what != "a check"
                {
                    let what = called(expr).unwrap_or_else(|| what.clone());
                    self.script.build.lose(
                        what,
                        "what this call does is not carried over",
                        "measures of your own are requirements or units that a call carries (`carries`)",
                    );
                }
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
            What::Class(name) => self.script.lose_class(name),
            What::Import(..) | What::Default(_) | What::Nothing => {}
        }
        None
    }

    /// The name and the fields that something is set of.
    fn place_of(&mut self, expr: &Expr, path: &mut Vec<String>) -> Option<String> {
        match expr {
            Expr::Name(name) => Some(name.clone()),
            Expr::Member(of, field) => {
                let name = self.place_of(of, path)?;
                path.push(field.clone());
                Some(name)
            }
            Expr::Index(of, index) => {
                let name = self.place_of(of, path)?;
                match self.value(index) {
                    Val::Text(field) => path.push(field),
                    _ => return None,
                }
                Some(name)
            }
            _ => None,
        }
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

    /// Requests that may not be sent are written as exchanges, and stand in no `run`; everything else that the body would
    /// do is reported.
    fn maybe(&mut self, body: &[Stmt], why: &str) {
        let before = self.script.build.draft.seen;
        let place = self.script.build.place.clone();
        let was = std::mem::replace(&mut self.is_maybe, true);
        let scope = self.scope.clone();
        let steps = self.apart(body);
        self.scope = scope;
        self.is_maybe = was;
        self.script.build.place.clone_from(&place);
        let has_requests = self.script.build.draft.seen > before;
        if has_requests && !steps.is_empty() {
            self.script.build.lose(
                why,
                "its requests are written as exchanges, and stand in no `run`",
                "write `if`, `choose`, `while` or `for each` in `run`",
            );
        }
        let effects = Effects::of(body, self.script);
        for name in effects.set {
            self.script.build.lose(
                format!("what is set of `{}` under {why}", short(&name, 40)),
                "the value from before it is sent",
                "write the value in the study where it is sent",
            );
        }
        if effects.returns {
            self.script.build.lose(
                format!("a return under {why}"),
                "what follows it is sent all the same",
                "write `if` in `run`",
            );
        }
        if effects.waits && !has_requests {
            self.script.build.lose(
                format!("a sleep under {why}"),
                "it is left out",
                "write `think` under `if` in `run`",
            );
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
                        Some((from, _))
                            if ["k6/ws", "k6/websockets", "k6/net/grpc", "k6/browser", "k6/experimental"]
                                .iter()
                                .any(|it| from.starts_with(it)) =>
                        {
                            self.script.build.draft.seen += 1;
                            self.script.build.lose(
                                format!("{name}.{method}() of {from}"),
                                "only requests over HTTP are carried over",
                                "WebSockets are `ws.talk`, see the README of driver-ws",
                            );
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
                        Val::List(all) if all.len() <= 50 => {
                            all.into_iter().for_each(|value| drop(self.call(&function, vec![value])))
                        }
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
                    let call = Expr::Call(
                        Box::new(Expr::Member(Box::new(Expr::Name("#".to_owned())), method.clone())),
                        arguments.to_vec(),
                    );
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
                    (Some(Val::Number(from)), Some(Val::Number(to))) if to > from && from >= 0.0 => {
                        Some(format!("{} to {}", duration(from), duration(to)))
                    }
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
                        (Val::Number(range), Val::Number(base)) if range >= 0.001 && base >= 0.0 => {
                            Some(format!("{} to {}", duration(base), duration(base + range)))
                        }
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
            None => {
                self.script.build.lose("a sleep", "how long it is only a run would show", "write `think: 1s to 3s`")
            }
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
}

/// Sets a field within a value; `false` where there is no map to set it in.
fn put(whole: &mut Val, path: &[String], value: Val) -> bool {
    let Val::Map(entries) = whole else { return false };
    let Some((first, rest)) = path.split_first() else { return false };
    if !rest.is_empty() {
        return entries.iter_mut().find(|(key, _)| key == first).is_some_and(|(_, inner)| put(inner, rest, value));
    }
    entries.retain(|(key, _)| key != first);
    entries.push((first.clone(), value));
    true
}

/// What is called, as it stands in the script.
fn called(expr: &Expr) -> Option<String> {
    let Expr::Call(of, _) = expr else { return None };
    match &**of {
        Expr::Name(name) => Some(format!("{}()", short(name, 40))),
        Expr::Member(inner, method) => match &**inner {
            Expr::Name(name) => Some(format!("{}.{}()", short(name, 40), short(method, 40))),
            _ => Some(format!("{}()", short(method, 40))),
        },
        _ => None,
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
