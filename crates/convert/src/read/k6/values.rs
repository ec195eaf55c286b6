//! What an expression of a script is worth, as far as the script itself says.

use super::Script;
use super::parse::{Expr, What};
use super::run::Scope;
use crate::draft::Capture;
use crate::read::json_path;
use crate::text::{literal, number, short};
use crate::value::Value;

const DEPTH_MAX: usize = 60;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::read) enum Val {
    /// A text of the study; may hold names.
    Text(String),
    Number(f64),
    Bool(bool),
    Null,
    List(Vec<Val>),
    Map(Vec<(String, Val)>),
    /// The answer of an exchange.
    Answer(String),
    /// A value of the answer: exchange, and a path.
    Json(String, String),
    Body(String),
    /// A header of the answer.
    Header(String, String),
    /// JSON of a value, as `JSON.stringify` makes it.
    Written(Box<Val>),
    /// What only a run would show; what it is in the script.
    Unknown(String),
}

impl Script<'_, '_> {
    pub(super) fn value(&mut self, expr: &Expr, scope: &Scope) -> Val {
        self.within(expr, scope, 0)
    }

    fn within(&mut self, expr: &Expr, scope: &Scope, depth: usize) -> Val {
        if depth > DEPTH_MAX {
            return Val::Unknown("an expression".to_owned());
        }
        let mut at = |expr: &Expr| self.within(expr, scope, depth + 1);
        match expr {
            Expr::Text(text) => Val::Text(literal(text)),
            Expr::Number(number) => Val::Number(*number),
            Expr::Bool(is_true) => Val::Bool(*is_true),
            Expr::Null => Val::Null,
            Expr::Template(texts, inner) => {
                let mut made = String::new();
                for (index, text) in texts.iter().enumerate() {
                    made += &literal(text);
                    if let Some(expr) = inner.get(index) {
                        let value = self.within(expr, scope, depth + 1);
                        made += &self.text(value);
                    }
                }
                Val::Text(made)
            }
            Expr::List(all) => Val::List(all.iter().take(5000).map(at).collect()),
            Expr::Map(entries) => {
                let mut made: Vec<(String, Val)> = Vec::new();
                for (key, value) in entries {
                    if let Expr::Spread(inner) = value {
                        match at(inner) {
                            Val::Map(more) => {
                                for (key, value) in more {
                                    made.retain(|(other, _)| *other != key);
                                    made.push((key, value));
                                }
                            }
                            _ => made.push(("...".to_owned(), Val::Unknown("a spread".to_owned()))),
                        }
                    } else {
                        let value = at(value);
                        made.retain(|(other, _)| other != key);
                        made.push((key.clone(), value));
                    }
                }
                Val::Map(made)
            }
            Expr::Name(name) => self.named(name, scope, depth),
            Expr::Member(of, field) => self.member(of, field, scope, depth),
            Expr::Index(of, index) => {
                let (of, index) = (at(of), at(index));
                match (of, index) {
                    (Val::List(all), Val::Number(index)) => all.get(index as usize).cloned().unwrap_or(Val::Null),
                    (Val::Map(entries), Val::Text(key)) => {
                        entries.into_iter().find(|(other, _)| *other == key).map_or(Val::Null, |(_, value)| value)
                    }
                    (Val::Json(exchange, path), Val::Number(index)) => Val::Json(exchange, format!("{path}[{index}]")),
                    (Val::Json(exchange, path), Val::Text(key)) if !key.contains(['\'', '$']) => {
                        Val::Json(exchange, format!("{path}['{key}']"))
                    }
                    (Val::Header(exchange, name), Val::Text(key)) if name.is_empty() => Val::Header(exchange, key),
                    _ => Val::Unknown("a member of a list".to_owned()),
                }
            }
            Expr::Binary("+", left, right) => {
                let (left, right) = (at(left), at(right));
                match (&left, &right) {
                    (Val::Number(a), Val::Number(b)) => Val::Number(a + b),
                    (Val::Unknown(_), Val::Unknown(_)) => left,
                    _ => {
                        let made = self.text(left);
                        Val::Text(made + self.text(right).as_str())
                    }
                }
            }
            Expr::Binary(sign @ ("-" | "*" | "/"), left, right) => match (at(left), at(right)) {
                (Val::Number(a), Val::Number(b)) => Val::Number(match *sign {
                    "-" => a - b,
                    "*" => a * b,
                    _ => a / b,
                }),
                _ => Val::Unknown("a computation".to_owned()),
            },
            Expr::Binary("||" | "??", left, right) => {
                if let Some(name) = environment(left) {
                    let default = at(right);
                    return self.environment(&name, Some(default));
                }
                match at(left) {
                    Val::Null | Val::Bool(false) => at(right),
                    Val::Text(text) if text.is_empty() => at(right),
                    other => other,
                }
            }
            Expr::Unary("-", inner) => match at(inner) {
                Val::Number(number) => Val::Number(-number),
                other => other,
            },
            Expr::Unary("+", inner) => at(inner),
            Expr::Choice(condition, then, other) => {
                // `__ENV.X ? __ENV.X : 'default'`.
                if let Some(name) = environment(condition) {
                    let default = at(other);
                    return self.environment(&name, Some(default));
                }
                match at(condition) {
                    Val::Bool(true) => at(then),
                    Val::Bool(false) | Val::Null => at(other),
                    _ => Val::Unknown("a choice".to_owned()),
                }
            }
            Expr::Call(of, arguments) => self.called(of, arguments, scope, depth),
            Expr::New(..) => Val::Unknown("an object".to_owned()),
            Expr::Assign(_, right) => at(right),
            _ => Val::Unknown("an expression".to_owned()),
        }
    }

    fn named(&mut self, name: &str, scope: &Scope, depth: usize) -> Val {
        if let Some(value) = scope.get(name) {
            return value.clone();
        }
        match name {
            "__VU" => return Val::Text("$(user.n)".to_owned()),
            "__ITER" => return Val::Text("$(serial)".to_owned()),
            _ => {}
        }
        match self.globals.get(name).cloned() {
            Some(expr) => self.within(&expr, &Scope::default(), depth + 1),
            None => Val::Unknown(format!("`{}`", short(name, 40))),
        }
    }

    fn member(&mut self, of: &Expr, field: &str, scope: &Scope, depth: usize) -> Val {
        if let Some(name) = environment(&Expr::Member(Box::new(of.clone()), field.to_owned())) {
            return self.environment(&name, None);
        }
        match self.within(of, scope, depth + 1) {
            Val::Map(entries) => {
                entries.into_iter().find(|(key, _)| key == field).map_or(Val::Null, |(_, value)| value)
            }
            Val::Answer(exchange) => match field {
                "body" => Val::Body(exchange),
                "headers" => Val::Header(exchange, String::new()),
                other => Val::Unknown(format!("`{}` of an answer", short(other, 40))),
            },
            Val::Json(exchange, path) if field != "length" => Val::Json(exchange, format!("{path}.{field}")),
            Val::Header(exchange, name) if name.is_empty() => Val::Header(exchange, field.to_owned()),
            Val::List(all) if field == "length" => Val::Number(all.len() as f64),
            Val::Unknown(what) => Val::Unknown(what),
            _ => Val::Unknown(format!("`{}`", short(field, 40))),
        }
    }

    fn called(&mut self, of: &Expr, arguments: &[Expr], scope: &Scope, depth: usize) -> Val {
        let mut argument =
            |index: usize| arguments.get(index).map_or(Val::Null, |expr| self.within(expr, scope, depth + 1));
        if let Expr::Member(inner, method) = of {
            let root = if let Expr::Name(name) = &**inner { name.as_str() } else { "" };
            match (root, method.as_str()) {
                ("JSON", "stringify") => return Val::Written(Box::new(argument(0))),
                ("JSON", "parse") => {
                    return match argument(0) {
                        Val::Body(exchange) => Val::Json(exchange, "$".to_owned()),
                        Val::Written(value) => *value,
                        _ => Val::Unknown("`JSON.parse`".to_owned()),
                    };
                }
                ("Date", "now") => return Val::Text("$(epoch_ms())".to_owned()),
                ("encoding", "b64encode") => {
                    let value = argument(0);
                    return self.wrapped("base64", value);
                }
                _ => {}
            }
            let value = self.within(inner, scope, depth + 1);
            return match (value, method.as_str()) {
                (Val::Answer(exchange), "json") => match arguments.first() {
                    None => Val::Json(exchange, "$".to_owned()),
                    Some(Expr::Text(path)) => Val::Json(exchange, gjson(path)),
                    Some(_) => Val::Unknown("a path that is computed".to_owned()),
                },
                (value @ (Val::Text(_) | Val::Number(_) | Val::Json(..)), "toString" | "trim") => value,
                (Val::List(all), "join") => {
                    let separator =
                        arguments.first().map_or(Val::Text(",".to_owned()), |expr| self.within(expr, scope, depth + 1));
                    let separator = self.text(separator);
                    let texts: Vec<String> = all.into_iter().map(|value| self.text(value)).collect();
                    Val::Text(texts.join(&separator))
                }
                _ => Val::Unknown(format!("`{}()`", short(method, 40))),
            };
        }
        let Expr::Name(name) = of else { return Val::Unknown("a call".to_owned()) };
        match name.as_str() {
            "encodeURIComponent" | "encodeURI" => {
                let value = argument(0);
                self.wrapped("url", value)
            }
            "b64encode" => {
                let value = argument(0);
                self.wrapped("base64", value)
            }
            "String" | "Number" | "parseInt" | "parseFloat" => match argument(0) {
                Val::Text(text) => text.parse::<f64>().map_or(Val::Text(text), Val::Number),
                other => other,
            },
            "uuidv4" => Val::Text("$(uuid)".to_owned()),
            "randomIntBetween" => match (argument(0), argument(1)) {
                (Val::Number(from), Val::Number(to)) => {
                    Val::Text(format!("$(random({}, {}))", from.round(), to.round()))
                }
                _ => Val::Unknown("`randomIntBetween`".to_owned()),
            },
            "randomString" => match argument(0) {
                Val::Number(length) if (1.0..60_000.0).contains(&length) => {
                    Val::Text(format!("$(random_text({}))", length.round()))
                }
                _ => Val::Unknown("`randomString`".to_owned()),
            },
            _ => {
                // A function that only returns something.
                let function = self.functions.get(name).cloned();
                if let Some(Expr::Function(parameters, body)) = function
                    && let [only] = body.as_slice()
                    && let What::Return(Some(value)) = &only.what
                {
                    let mut inside = Scope::default();
                    for (index, parameter) in parameters.iter().enumerate() {
                        if let super::parse::Target::Name(name) = parameter {
                            let value =
                                arguments.get(index).map_or(Val::Null, |expr| self.within(expr, scope, depth + 1));
                            inside.set(name, value);
                        }
                    }
                    return self.within(value, &inside, depth + 1);
                }
                Val::Unknown(format!("`{}()`", short(name, 40)))
            }
        }
    }

    fn wrapped(&mut self, function: &str, value: Val) -> Val {
        let text = self.text(value);
        let is_name = text.starts_with("$(") && crate::text::end_of_name(&text) == Some(text.len());
        if is_name {
            return Val::Text(format!("$({function}({}))", &text[2..text.len() - 1]));
        }
        if function == "url" {
            return Val::Text(crate::urls::encoded(&text));
        }
        if text.contains('\'') {
            Val::Unknown(format!("`{function}`"))
        } else {
            Val::Text(format!("$({function}('{text}'))"))
        }
    }

    /// A variable of the environment with its default.
    fn environment(&mut self, name: &str, default: Option<Val>) -> Val {
        if let Some(known) = self.environment.get(name) {
            return Val::Text(known.clone());
        }
        let value = match default {
            Some(Val::Null) | None => None,
            Some(value) => Some(self.text(value)),
        };
        let slot = match value {
            Some(value) => {
                format!("$({})", self.build.var(name, &value, &format!("of the environment in k6: --set or `{name}`")))
            }
            None if scrub::names::is_credential(name) => {
                self.build.secret(name, name, &format!("what k6 has from the environment as `{}`", short(name, 40)))
            }
            None => format!("$({})", self.build.names.give(name, "value")),
        };
        self.environment.insert(name.to_owned(), slot.clone());
        Val::Text(slot)
    }

    /// A value as a text of the study; what only a run would show is reported, and has a variable in its place.
    pub(super) fn text(&mut self, value: Val) -> String {
        match value {
            Val::Text(text) => text,
            Val::Number(value) => number(value, 10),
            Val::Bool(is_true) => is_true.to_string(),
            Val::Null => String::new(),
            Val::Json(exchange, path) => self.captured(&exchange, &path),
            Val::Header(exchange, name) if !name.is_empty() => {
                self.kept(&exchange, &format!("header({})", name.to_ascii_lowercase()), &name)
            }
            Val::Written(value) => {
                let value = self.json(*value);
                value.json()
            }
            Val::List(all) => {
                let texts: Vec<String> = all.into_iter().map(|value| self.text(value)).collect();
                texts.join(",")
            }
            Val::Unknown(what) => self.unknown(&what),
            _ => self.unknown("an answer"),
        }
    }

    fn unknown(&mut self, what: &str) -> String {
        let name = self.build.names.give(what, "computed");
        self.build.draft.vars.push(crate::draft::Var {
            name: name.clone(),
            value: "unset".to_owned(),
            note: format!("the script computes it: {what}"),
        });
        self.build.lose(
            what,
            "only a run of the script would show its value; `unset` is in its place",
            "write a value under `vars`, a table under `data`, or a function under `scripts`",
        );
        format!("$({name})")
    }

    /// A value of an answer as a capture.
    fn captured(&mut self, exchange: &str, path: &str) -> String {
        match json_path(path) {
            Some(path) => {
                let wanted = path
                    .rsplit(['.', '\'', ']'])
                    .find(|part| part.bytes().any(|byte| byte.is_ascii_alphabetic()))
                    .unwrap_or("value")
                    .to_owned();
                self.kept(exchange, &format!("json({path})"), &wanted)
            }
            None => self.unknown(&format!("{path} of the answer of {exchange}")),
        }
    }

    fn kept(&mut self, exchange: &str, from: &str, wanted: &str) -> String {
        let key = (exchange.to_owned(), from.to_owned());
        if let Some(name) = self.captured.get(&key) {
            return format!("$({name})");
        }
        let name = self.build.names.give(wanted, "value");
        if let Some(exchange) = self.build.taken(exchange) {
            exchange.captures.push(Capture { name: name.clone(), from: from.to_owned(), pick: None, optional: false });
        }
        self.captured.insert(key, name.clone());
        format!("$({name})")
    }

    /// A value as JSON of the study.
    pub(super) fn json(&mut self, value: Val) -> Value {
        match value {
            Val::Number(value) => Value::Number(number(value, 10)),
            Val::Bool(is_true) => Value::Bool(is_true),
            Val::Null => Value::Null,
            Val::List(all) => Value::List(all.into_iter().map(|value| self.json(value)).collect()),
            Val::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| (key, self.json(value))).collect()),
            // Whether it is a number, the answer says.
            value @ Val::Json(..) => Value::Number(self.text(value)),
            Val::Text(text)
                if text.starts_with("$(random(") && text.ends_with("))") && text.matches("$(").count() == 1 =>
            {
                Value::Number(text)
            }
            other => Value::Text(self.text(other)),
        }
    }
}

/// `__ENV.X` and `__ENV['X']`.
fn environment(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Member(of, name) if matches!(&**of, Expr::Name(of) if of == "__ENV") => Some(name.clone()),
        Expr::Index(of, index) => match (&**of, &**index) {
            (Expr::Name(of), Expr::Text(name)) if of == "__ENV" => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A path as k6 writes it: `data.0.id`.
fn gjson(path: &str) -> String {
    let mut made = "$".to_owned();
    for part in path.split('.') {
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() {
            made += &format!("[{part}]");
        } else {
            made += &format!(".{part}");
        }
    }
    made
}
