//! Scripts of k6. The script is read, never run: what is fixed in it is carried over, and everything else is reported.

mod checks;
mod effects;
mod lex;
mod options;
mod parse;
mod requests;
mod run;
mod values;

use crate::build::Build;
use crate::draft::{Scenario, Step};
use parse::{Expr, Stmt, Target, What};
use run::Walk;
use std::collections::HashMap;
use values::Val;

/// A script while it is read.
pub(super) struct Script<'b, 'a> {
    pub(super) build: &'b mut Build<'a>,
    /// Local names of what is imported: `http` is `k6/http` and there `default`.
    imports: HashMap<String, (String, String)>,
    /// What the outermost level declares.
    globals: HashMap<String, Expr>,
    functions: HashMap<String, Expr>,
    /// Keys of every exchange: certificates that are not looked at, no redirects.
    pub(super) keys: Vec<(String, String)>,
    pub(super) agent: Option<String>,
    /// Captures that stand for a value of an answer: exchange and place.
    pub(super) captured: HashMap<(String, String), String>,
    /// Environment variables by their names.
    pub(super) environment: HashMap<String, String>,
    pub(super) calls: usize,
}

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let all = parse::parse(source)?;
    build.draft.about = "A script of k6".to_owned();
    let mut script = Script {
        build,
        imports: HashMap::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
        keys: Vec::new(),
        agent: None,
        captured: HashMap::new(),
        environment: HashMap::new(),
        calls: 0,
    };
    for statement in &all {
        script.declare(statement);
    }
    let options = script.globals.get("options").cloned();
    let options = options::Options::of(&mut script, options.as_ref());
    let (data, set_up) = script.once("setup", None);
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut ways: HashMap<String, Vec<Step>> = HashMap::new();
    for wanted in &options.scenarios {
        let steps = match ways.get(&wanted.function) {
            Some(steps) => steps.clone(),
            None => {
                let Some(function) = script.functions.get(&wanted.function).cloned() else {
                    script.build.place = String::new();
                    script.build.lose(
                        format!("the scenario `{}`", wanted.name),
                        format!("the script has no function `{}` that can be read", wanted.function),
                        "",
                    );
                    continue;
                };
                let mut walk = Walk::new(&mut script);
                walk.call(&function, data.iter().cloned().collect());
                let steps = walk.done();
                ways.insert(wanted.function.clone(), steps.clone());
                steps
            }
        };
        let name = script.build.names.give(&wanted.name, "load");
        scenarios.push(Scenario {
            name,
            notes: wanted.notes.clone(),
            load: wanted.load.clone(),
            set_up: Vec::new(),
            clean_up: Vec::new(),
            after: wanted.after,
            run: steps,
        });
    }
    let (_, tear_down) = script.once("teardown", data);
    if let Some(first) = scenarios.first_mut() {
        first.set_up = set_up.into_iter().map(|call| (call, "per study")).collect();
        first.clean_up = tear_down.into_iter().map(|call| (call, "per study")).collect();
    }
    options.require(&mut script);
    let build = script.build;
    build.place = String::new();
    build.draft.is_mix = scenarios.len() > 1;
    build.draft.scenarios = scenarios;
    super::together(build);
    build.close();
    Ok(())
}

impl Script<'_, '_> {
    /// Tells that nothing of a class is carried over.
    fn lose_class(&mut self, name: &str) {
        self.build.lose(
            format!("the class `{}`", crate::text::short(name, 40)),
            "what its methods send is not read",
            "write each request of it as an exchange, or as a function in the script",
        );
    }

    fn declare(&mut self, statement: &Stmt) {
        match &statement.what {
            What::Import(names, from) => {
                for (local, there) in names {
                    self.imports.insert(local.clone(), (from.clone(), there.clone()));
                }
                if !from.starts_with("k6") && !from.contains("jslib.k6.io") && !from.starts_with("https://") {
                    self.build.place = format!("line {}", statement.line);
                    self.build.lose(
                        crate::text::short(from, 80),
                        "what other files define is not read",
                        "bundle the script into one file first",
                    );
                }
            }
            What::Let(all) => {
                for (target, value) in all {
                    if let (Target::Name(name), Some(value)) = (target, value) {
                        if matches!(value, Expr::Function(..)) {
                            self.functions.insert(name.clone(), value.clone());
                        } else {
                            self.globals.insert(name.clone(), value.clone());
                        }
                    }
                }
            }
            What::Function(name, function) => {
                self.functions.insert(name.clone(), function.clone());
            }
            What::Class(name) => {
                self.build.place = format!("line {}", statement.line);
                self.lose_class(name);
            }
            What::Default(Expr::Name(name)) => {
                if let Some(function) = self.functions.get(name).cloned() {
                    self.functions.insert("default".to_owned(), function);
                }
            }
            What::Default(expr) => {
                // `export default function () {}` is read as an expression.
                self.functions.insert("default".to_owned(), expr.clone());
            }
            What::Do(Expr::Assign(left, right)) => {
                if let Expr::Member(of, name) = &**left
                    && matches!(&**of, Expr::Name(of) if of == "exports" || of == "module")
                {
                    self.globals.insert(name.clone(), (**right).clone());
                }
            }
            _ => {}
        }
    }

    /// A function that is called once: what it returns, and its calls.
    fn once(&mut self, name: &str, data: Option<Val>) -> (Option<Val>, Vec<String>) {
        let Some(function) = self.functions.get(name).cloned() else { return (None, Vec::new()) };
        let mut walk = Walk::new(self);
        let value = walk.call(&function, data.into_iter().collect());
        let steps = walk.done();
        (Some(value), flat(&steps))
    }

    pub(super) fn stand_at(&mut self, line: usize) {
        self.build.place = format!("line {line}");
    }

    /// Where a name comes from, if it is imported.
    pub(super) fn import_of(&self, name: &str) -> Option<(&str, &str)> {
        self.imports.get(name).map(|(from, there)| (from.as_str(), there.as_str()))
    }
}

fn flat(steps: &[Step]) -> Vec<String> {
    let mut calls = Vec::new();
    for step in steps {
        match step {
            Step::Call(name) => calls.push(name.clone()),
            Step::Parallel(names, _) => calls.extend(names.iter().cloned()),
            Step::Transaction(_, steps) | Step::Times(_, steps) | Step::If(_, steps) => calls.extend(flat(steps)),
            Step::Choose(_) | Step::Think(_) => {}
        }
    }
    calls
}
