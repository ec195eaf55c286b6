//! JavaScript as far as scripts of k6 need it. What is not understood is [`Expr::Other`]; a script whose brackets do not
//! fit is refused.

mod expressions;

use super::lex::{Kind, Token, tokens};

/// Expressions and statements within each other.
const DEPTH_MAX: usize = 120;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Text(String),
    Number(f64),
    Bool(bool),
    Null,
    Template(Vec<String>, Vec<Expr>),
    List(Vec<Expr>),
    Map(Vec<(String, Expr)>),
    Name(String),
    Member(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    New(Box<Expr>, Vec<Expr>),
    Function(Vec<Target>, Vec<Stmt>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Unary(&'static str, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    Regex(String),
    Spread(Box<Expr>),
    Other,
}

/// What a declaration or a parameter binds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    Name(String),
    /// Fields of an object, with the names that they get.
    Fields(Vec<(String, String)>),
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stmt {
    pub(super) line: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Let(Vec<(Target, Option<Expr>)>),
    Do(Expr),
    Block(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// What is before the `;`s of a `for`, or of any other loop nothing.
    Loop(Option<(String, f64, f64)>, Vec<Stmt>),
    /// Name, list, body.
    Of(String, Expr, Vec<Stmt>),
    Return(Option<Expr>),
    Function(String, Expr),
    /// Its name; what is in it is not read.
    Class(String),
    /// Local name, name there (`default`, `*`), from where.
    Import(Vec<(String, String)>, String),
    Default(Expr),
    Nothing,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, String>;

/// Statements of a script.
///
/// # Errors
/// What cannot be read, with its line.
pub(super) fn parse(source: &str) -> Read<Vec<Stmt>> {
    let mut parser = Parser { tokens: tokens(source, 1)?, at: 0, depth: 0 };
    let mut all = Vec::new();
    while parser.at < parser.tokens.len() {
        all.push(parser.statement()?);
    }
    Ok(all)
}

fn expression_of(source: &str, line: usize, depth: usize) -> Read<Expr> {
    let mut parser = Parser { tokens: tokens(source, line)?, at: 0, depth };
    let expr = parser.expression()?;
    if parser.at < parser.tokens.len() { Ok(Expr::Other) } else { Ok(expr) }
}

impl Parser {
    fn kind(&self) -> Option<&Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Some(Kind::Sign(it)) if *it == sign)
    }

    fn is_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead).map(|token| &token.kind), Some(Kind::Sign(it)) if *it == sign)
    }

    fn word(&self) -> &str {
        if let Some(Kind::Name(name)) = self.kind() { name } else { "" }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_it = self.is(sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = self.word() == word;
        self.at += usize::from(is_it);
        is_it
    }

    fn need(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.wrong(&format!("`{sign}` is expected"))) }
    }

    fn wrong(&self, why: &str) -> String {
        format!("line {}: {why}; TypeScript and JSX are not read", self.line())
    }

    fn name(&mut self) -> Read<String> {
        let name = self.word().to_owned();
        if name.is_empty() {
            return Err(self.wrong("a name is expected"));
        }
        self.at += 1;
        Ok(name)
    }

    fn down<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.wrong("it is nested too deep"));
        }
        let made = read(self);
        self.depth -= 1;
        made
    }

    fn end(&mut self) {
        self.takes(";");
    }

    fn block(&mut self) -> Read<Vec<Stmt>> {
        self.need("{")?;
        let mut all = Vec::new();
        while !self.takes("}") {
            if self.at >= self.tokens.len() {
                return Err(self.wrong("a `}` is missing"));
            }
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn body(&mut self) -> Read<Vec<Stmt>> {
        if self.is("{") { self.block() } else { Ok(vec![self.statement()?]) }
    }

    fn statement(&mut self) -> Read<Stmt> {
        self.down(|it| {
            let line = it.line();
            it.what().map(|what| Stmt { line, what })
        })
    }

    fn what(&mut self) -> Read<What> {
        if self.is("{") {
            return self.block().map(What::Block);
        }
        if self.takes(";") {
            return Ok(What::Nothing);
        }
        let word = self.word().to_owned();
        match word.as_str() {
            "import" if !self.is_at(1, "(") && !self.is_at(1, ".") => self.import(),
            "export" => {
                self.at += 1;
                if self.takes_word("default") {
                    let expr = self.expression()?;
                    self.end();
                    return Ok(What::Default(expr));
                }
                if self.is("{") || self.is("*") {
                    while self.at < self.tokens.len()
                        && !self.is(";")
                        && !(self.tokens[self.at].is_first && !self.is("}") && !self.is("{"))
                    {
                        self.at += 1;
                    }
                    self.end();
                    return Ok(What::Nothing);
                }
                self.what()
            }
            "const" | "let" | "var" => {
                self.at += 1;
                let declared = self.declared()?;
                self.end();
                Ok(What::Let(declared))
            }
            "function" => self.function_statement(),
            "async" if matches!(self.tokens.get(self.at + 1).map(|token| &token.kind), Some(Kind::Name(name)) if name == "function") =>
            {
                self.at += 1;
                self.function_statement()
            }
            "class" => {
                self.at += 1;
                let name = self.name()?;
                while self.at < self.tokens.len() && !self.is("{") {
                    self.at += 1;
                }
                self.skip_brackets()?;
                Ok(What::Class(name))
            }
            "if" => {
                self.at += 1;
                self.need("(")?;
                let condition = self.sequence()?;
                self.need(")")?;
                let then = self.body()?;
                let other = if self.takes_word("else") { self.body()? } else { Vec::new() };
                Ok(What::If(condition, then, other))
            }
            "for" => self.for_loop(),
            "while" => {
                self.at += 1;
                self.need("(")?;
                self.sequence()?;
                self.need(")")?;
                Ok(What::Loop(None, self.body()?))
            }
            "do" => {
                self.at += 1;
                let body = self.body()?;
                self.takes_word("while");
                self.need("(")?;
                self.sequence()?;
                self.need(")")?;
                self.end();
                Ok(What::Loop(None, body))
            }
            "switch" => {
                self.at += 1;
                self.need("(")?;
                let _ = self.sequence()?;
                self.need(")")?;
                self.need("{")?;
                let mut body = Vec::new();
                while !self.takes("}") {
                    if self.takes_word("case") {
                        self.sequence()?;
                        self.need(":")?;
                    } else if self.takes_word("default") {
                        self.need(":")?;
                    } else {
                        body.push(self.statement()?);
                    }
                }
                Ok(What::If(Expr::Other, body, Vec::new()))
            }
            "try" => {
                self.at += 1;
                let mut body = self.block()?;
                if self.takes_word("catch") {
                    if self.is("(") {
                        self.skip_brackets()?;
                    }
                    self.block()?;
                }
                if self.takes_word("finally") {
                    body.extend(self.block()?);
                }
                Ok(What::Block(body))
            }
            "return" => {
                self.at += 1;
                let is_bare =
                    self.is(";") || self.is("}") || self.tokens.get(self.at).is_none_or(|token| token.is_first);
                let value = if is_bare { None } else { Some(self.sequence()?) };
                self.end();
                Ok(What::Return(value))
            }
            "break" | "continue" => {
                self.at += 1;
                self.end();
                Ok(What::Nothing)
            }
            "throw" => {
                self.at += 1;
                self.sequence()?;
                self.end();
                Ok(What::Nothing)
            }
            _ => {
                let expr = self.sequence()?;
                let is_over =
                    self.is(";") || self.is("}") || self.tokens.get(self.at).is_none_or(|token| token.is_first);
                if !is_over {
                    return Err(self.wrong("this is not understood here"));
                }
                self.end();
                Ok(What::Do(expr))
            }
        }
    }

    fn import(&mut self) -> Read<What> {
        self.at += 1;
        let mut names = Vec::new();
        loop {
            match self.kind().cloned() {
                Some(Kind::Text(from)) => {
                    self.at += 1;
                    self.end();
                    return Ok(What::Import(names, from));
                }
                Some(Kind::Sign("{")) => {
                    self.at += 1;
                    while !self.takes("}") {
                        let there = self.name()?;
                        let local = if self.takes_word("as") { self.name()? } else { there.clone() };
                        names.push((local, there));
                        self.takes(",");
                    }
                }
                Some(Kind::Sign("*")) => {
                    self.at += 1;
                    self.takes_word("as");
                    names.push((self.name()?, "*".to_owned()));
                }
                Some(Kind::Sign(",")) => self.at += 1,
                Some(Kind::Name(name)) if name == "from" => self.at += 1,
                Some(Kind::Name(name)) => {
                    self.at += 1;
                    names.push((name, "default".to_owned()));
                }
                _ => return Err(self.wrong("this import is not understood")),
            }
        }
    }

    fn function_statement(&mut self) -> Read<What> {
        self.at += 1;
        self.takes("*");
        let name = self.name()?;
        let function = self.function()?;
        Ok(What::Function(name, function))
    }

    fn function(&mut self) -> Read<Expr> {
        let parameters = self.parameters()?;
        let body = self.block()?;
        Ok(Expr::Function(parameters, body))
    }

    fn parameters(&mut self) -> Read<Vec<Target>> {
        self.need("(")?;
        let mut all = Vec::new();
        while !self.takes(")") {
            self.takes("...");
            all.push(self.target()?);
            if self.takes("=") {
                self.expression()?;
            }
            if !self.is(")") {
                self.need(",")?;
            }
        }
        Ok(all)
    }

    fn target(&mut self) -> Read<Target> {
        if self.is("[") {
            self.skip_brackets()?;
            return Ok(Target::Other);
        }
        if !self.takes("{") {
            return self.name().map(Target::Name);
        }
        let mut fields = Vec::new();
        let mut is_odd = false;
        while !self.takes("}") {
            is_odd |= self.takes("...");
            let field = self.name()?;
            let local = if self.takes(":") {
                if self.is("{") || self.is("[") {
                    self.skip_brackets()?;
                    is_odd = true;
                    String::new()
                } else {
                    self.name()?
                }
            } else {
                field.clone()
            };
            if self.takes("=") {
                self.expression()?;
            }
            fields.push((field, local));
            self.takes(",");
        }
        Ok(if is_odd { Target::Other } else { Target::Fields(fields) })
    }

    fn declared(&mut self) -> Read<Vec<(Target, Option<Expr>)>> {
        let mut all = Vec::new();
        loop {
            let target = self.target()?;
            let value = if self.takes("=") { Some(self.expression()?) } else { None };
            all.push((target, value));
            if !self.takes(",") {
                return Ok(all);
            }
        }
    }

    fn for_loop(&mut self) -> Read<What> {
        self.at += 1;
        self.takes_word("await");
        self.need("(")?;
        let from = self.at;
        let is_let = ["const", "let", "var"].contains(&self.word());
        self.at += usize::from(is_let);
        if is_let && let Some(Kind::Name(name)) = self.kind().cloned() {
            let after = self.tokens.get(self.at + 1).map(|token| token.kind.clone());
            if after == Some(Kind::Name("of".to_owned())) {
                self.at += 2;
                let list = self.expression()?;
                self.need(")")?;
                return Ok(What::Of(name, list, self.body()?));
            }
        }
        self.at = from;
        let header = self.counted();
        self.at = from - 1;
        self.skip_brackets()?;
        Ok(What::Loop(header, self.body()?))
    }

    /// `let i = 0; i < 5; i++`.
    fn counted(&mut self) -> Option<(String, f64, f64)> {
        self.takes_word("let");
        self.takes_word("var");
        let name = self.name().ok()?;
        let number = |it: &mut Self| match it.kind().cloned() {
            Some(Kind::Number(number)) => {
                it.at += 1;
                Some(number)
            }
            _ => None,
        };
        self.takes("=").then_some(())?;
        let from = number(self)?;
        (self.takes(";") && self.takes_word(&name)).then_some(())?;
        let is_closed = self.is("<=");
        (self.takes("<") || self.takes("<=")).then_some(())?;
        let to = number(self)? + if is_closed { 1.0 } else { 0.0 };
        (self.takes(";")
            && ((self.takes_word(&name) && self.takes("++")) || (self.takes("++") && self.takes_word(&name)))
            && self.is(")"))
        .then_some((name, from, to))
    }

    fn skip_brackets(&mut self) -> Read<()> {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Some(Kind::Sign("(" | "[" | "{")) => depth += 1,
                Some(Kind::Sign(")" | "]" | "}")) => depth = depth.saturating_sub(1),
                Some(_) => {}
                None => return Err(self.wrong("a bracket is not closed")),
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn sequence(&mut self) -> Read<Expr> {
        let first = self.expression()?;
        if !self.is(",") {
            return Ok(first);
        }
        while self.takes(",") {
            self.expression()?;
        }
        Ok(Expr::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script = "import http, { x as y } from 'k6/http';\nexport const options = { vus: 1, 'a-b': [1, ...c], f() { return 1 } };\n\
            export default async function ({ a, b: c }) {\n  const r = await http.get(`${base}/x?${`n${1}`}`, { h: /a[/]b/ })\n  if (!r) { throw new Error('x') } else r.x?.y[0]++\n\
            for (let i = 0; i < 3; i++) { z(i) }\n for (const u of list) z(u)\n  return r.a / 2 / 3 ? (q) => q : async () => ({})\n}\n";
        let all = parse(script).unwrap();
        assert_eq!(all.len(), 3);
        let What::Default(Expr::Function(parameters, body)) = &all[2].what else { panic!("{all:?}") };
        assert_eq!(
            parameters[0],
            Target::Fields(vec![("a".to_owned(), "a".to_owned()), ("b".to_owned(), "c".to_owned())])
        );
        assert_eq!(
            body[2].what,
            What::Loop(
                Some(("i".to_owned(), 0.0, 3.0)),
                match &body[2].what {
                    What::Loop(_, body) => body.clone(),
                    _ => Vec::new(),
                }
            )
        );
        assert_eq!(body.len(), 5);
    }

    #[test]
    fn what_is_no_script_is_told() {
        for script in ["const a: string = 'x'", "f(", "const a = 'x", "a b", "`${a", "}", "x = {"] {
            assert!(parse(script).is_err(), "{script}");
        }
        assert!(parse(&"(".repeat(5000)).is_err());
        assert!(parse(&format!("x{}", ".a".repeat(5000))).is_err());
        assert!(parse(&"!".repeat(5000)).is_err());
    }
}
