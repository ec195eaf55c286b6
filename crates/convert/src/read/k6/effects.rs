//! What statements would do besides sending requests, for those of which it is not known whether they are reached.

use super::Script;
use super::parse::{Expr, Stmt, Target, What};

#[derive(Default)]
pub(super) struct Effects {
    /// Names from outside of the statements that they set, in order.
    pub(super) set: Vec<String>,
    /// Whether they leave the function.
    pub(super) returns: bool,
    /// Whether they wait.
    pub(super) waits: bool,
}

impl Effects {
    pub(super) fn of(body: &[Stmt], script: &Script<'_, '_>) -> Self {
        let (mut effects, mut own) = (Self::default(), Vec::new());
        effects.gather(body, script, &mut own);
        effects.set.retain(|name| !own.contains(name));
        effects
    }

    fn gather(&mut self, body: &[Stmt], script: &Script<'_, '_>, own: &mut Vec<String>) {
        for statement in body {
            match &statement.what {
                What::Let(all) => {
                    for (target, _) in all {
                        match target {
                            Target::Name(name) => own.push(name.clone()),
                            Target::Fields(fields) => own.extend(fields.iter().map(|(_, local)| local.clone())),
                            Target::Other => {}
                        }
                    }
                }
                What::Do(Expr::Assign(left, _)) => {
                    if let Some(name) = root(left).filter(|name| !self.set.iter().any(|other| other == name)) {
                        self.set.push(name.to_owned());
                    }
                }
                What::Do(Expr::Call(of, _)) => {
                    let is_sleep = |name: &String| script.import_of(name) == Some(("k6", "sleep"));
                    self.waits |= matches!(&**of, Expr::Name(name) if is_sleep(name));
                }
                What::Return(_) => self.returns = true,
                What::Block(body) | What::Loop(_, body) => self.gather(body, script, own),
                What::Of(name, _, body) => {
                    own.push(name.clone());
                    self.gather(body, script, own);
                }
                What::If(_, then, other) => {
                    self.gather(then, script, own);
                    self.gather(other, script, own);
                }
                _ => {}
            }
        }
    }
}

/// The name of which something is set.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name),
        Expr::Member(of, _) | Expr::Index(of, _) => root(of),
        _ => None,
    }
}
