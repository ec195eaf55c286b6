//! `check(answer, { 'name': (r) => r.status === 200 })`.

use super::parse::{Expr, Stmt, What};
use super::run::Walk;
use super::values::Val;
use crate::read::expected;
use crate::text::{names_in, number, short};

impl Walk<'_, '_, '_> {
    /// Checks of an answer; whether they hold only a run would show.
    pub(super) fn check(&mut self, arguments: &[Expr]) -> Val {
        let of = arguments.first().map_or(Val::Null, |of| self.value(of));
        let Some(Expr::Map(entries)) = arguments.get(1) else {
            self.script.build.lose("check", "what it checks is computed in the script", "write it under `check`");
            return Val::Unknown("a check".to_owned());
        };
        for (name, expr) in entries {
            let Val::Answer(exchange) = &of else {
                self.script.build.lose(
                    format!("the check `{}`", short(name, 60)),
                    "it is not of the answer of a request that was carried over",
                    "write it under `check`",
                );
                continue;
            };
            let (parameter, value) = match expr {
                Expr::Function(parameters, body) => match body.as_slice() {
                    [Stmt { what: What::Return(Some(value)), .. }] => (parameters.first().cloned(), Some(value)),
                    _ => (None, None),
                },
                other => (None, Some(other)),
            };
            let before = self.scope.clone();
            if let Some(super::parse::Target::Name(name)) = parameter {
                self.scope.set(&name, of.clone());
            }
            let checks = value.and_then(|value| self.condition_of(value, exchange));
            self.scope = before;
            match checks {
                Some(checks) => {
                    let exchange = exchange.clone();
                    if let Some(exchange) = self.script.build.taken(&exchange) {
                        for check in checks {
                            if !exchange.checks.contains(&check) {
                                exchange.checks.push(check);
                            }
                        }
                    }
                }
                None => {
                    let is_time = value.is_some_and(is_about_time);
                    let (why, hint) = if is_time {
                        (
                            "how long an answer may take is judged by a requirement here, not by a check",
                            match value.and_then(limit_of) {
                                Some((sign, millis)) => format!(
                                    "write it under `requirements`: `max({exchange}.service) {sign} {limit}`, or how large \
                                     the share must be: `share({exchange}.service {sign} {limit}) >= …`",
                                    limit = format_args!("{}ms", number(millis, 3))
                                ),
                                None => format!("write it under `requirements`: `share({exchange}.service < …) >= …`"),
                            },
                        )
                    } else {
                        (
                            "this check cannot be carried over exactly",
                            "write it under `check`: `status = …`, `json($.…) = …`, `body contains …`".to_owned(),
                        )
                    };
                    self.script.build.lose(format!("the check `{}` of {exchange}", short(name, 60)), why, hint);
                }
            }
        }
        Val::Unknown("a check".to_owned())
    }

    fn condition_of(&mut self, expr: &Expr, exchange: &str) -> Option<Vec<String>> {
        match expr {
            Expr::Binary("&&", left, right) => {
                let mut both = self.condition_of(left, exchange)?;
                both.extend(self.condition_of(right, exchange)?);
                Some(both)
            }
            Expr::Binary(sign @ ("===" | "==" | ">=" | "<" | ">" | "<=" | "!==" | "!="), left, right) => {
                if let Some(check) = self.searched(sign, left, right, exchange) {
                    return Some(vec![check]);
                }
                let sign = match *sign {
                    "===" | "==" => "=",
                    "!==" | "!=" => "!=",
                    other => other,
                };
                if self.is_status(left, exchange) {
                    let Val::Number(status) = self.script.value(right, &self.scope.clone()) else { return None };
                    let is_status = (100.0..=999.0).contains(&status) && status.fract() == 0.0;
                    // 2xx is what every answer needs, unless a check says otherwise.
                    let is_usual = (sign == ">=" && status == 200.0) || (sign == "<" && status == 300.0);
                    return match (is_status, is_usual) {
                        (_, true) => Some(Vec::new()),
                        (true, _) => Some(vec![format!("status {sign} {status}")]),
                        _ => None,
                    };
                }
                let place = match self.script.value(left, &self.scope.clone()) {
                    Val::Json(of, path) if of == exchange => {
                        crate::read::json_path(&path).map(|path| format!("json({path})"))
                    }
                    Val::Header(of, name) if of == exchange && !name.is_empty() && (sign == "=" || sign == "!=") => {
                        Some(format!("header({})", name.to_ascii_lowercase()))
                    }
                    Val::Body(of) if of == exchange && sign == "=" => Some("body".to_owned()),
                    _ => None,
                }?;
                let value = match self.script.value(right, &self.scope.clone()) {
                    Val::Number(value) => number(value, 10),
                    Val::Bool(is_true) => is_true.to_string(),
                    Val::Text(text) if names_in(&text).is_empty() && (sign == "=" || sign == "!=") => expected(&text)?,
                    // `!== undefined`: that something is there.
                    Val::Null if sign == "!=" => return Some(vec![place]).filter(|_| *expr != Expr::Null),
                    _ => return None,
                };
                Some(vec![format!("{place} {sign} {value}")])
            }
            Expr::Call(of, arguments) => {
                let Expr::Member(inner, method) = &**of else { return None };
                if !["includes", "contains"].contains(&method.as_str()) {
                    return None;
                }
                self.contains(inner, arguments.first()?, exchange).map(|check| vec![check])
            }
            _ => None,
        }
    }

    fn contains(&mut self, inner: &Expr, value: &Expr, exchange: &str) -> Option<String> {
        let scope = self.scope.clone();
        let place = match self.script.value(inner, &scope) {
            Val::Body(of) if of == exchange => "body".to_owned(),
            Val::Json(of, path) if of == exchange && path != "$" => format!("json({})", crate::read::json_path(&path)?),
            Val::Header(of, name) if of == exchange && !name.is_empty() => {
                format!("header({})", name.to_ascii_lowercase())
            }
            _ => return None,
        };
        let Val::Text(text) = self.script.value(value, &scope) else { return None };
        (!text.is_empty() && names_in(&text).is_empty())
            .then(|| expected(&text))
            .flatten()
            .map(|value| format!("{place} contains {value}"))
    }

    /// `r.body.indexOf('x') !== -1`, and `> -1`, `>= 0`.
    fn searched(&mut self, sign: &str, left: &Expr, right: &Expr, exchange: &str) -> Option<String> {
        let Expr::Call(of, arguments) = left else { return None };
        let Expr::Member(inner, method) = &**of else { return None };
        let scope = self.scope.clone();
        let Val::Number(bound) = self.script.value(right, &scope) else { return None };
        let is_found = (bound == -1.0 && ["!==", "!=", ">"].contains(&sign)) || (bound == 0.0 && sign == ">=");
        if method != "indexOf" || !is_found {
            return None;
        }
        self.contains(inner, arguments.first()?, exchange)
    }

    fn is_status(&mut self, expr: &Expr, exchange: &str) -> bool {
        let Expr::Member(of, field) = expr else { return false };
        let scope = self.scope.clone();
        field == "status" && self.script.value(of, &scope) == Val::Answer(exchange.to_owned())
    }
}

/// `r.timings.duration < 200`: the sign and the milliseconds.
fn limit_of(expr: &Expr) -> Option<(&'static str, f64)> {
    let Expr::Binary(sign @ ("<" | "<="), left, right) = expr else { return None };
    let is_whole = matches!(&**left, Expr::Member(of, name) if name == "duration" && is_about_time(of));
    match &**right {
        Expr::Number(millis) if is_whole && *millis >= 0.0 => Some((sign, *millis)),
        _ => None,
    }
}

fn is_about_time(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(_, left, right) => is_about_time(left) || is_about_time(right),
        Expr::Member(of, name) => name == "timings" || is_about_time(of),
        _ => false,
    }
}
