//! Expressions.

use super::{DEPTH_MAX, Expr, Parser, Read, Stmt, Target, What, expression_of};
use crate::read::k6::lex::Kind;

impl Parser {
    pub(super) fn is_arrow(&self) -> bool {
        if matches!(self.kind(), Some(Kind::Name(_))) {
            return self.is_at(1, "=>");
        }
        let mut depth = 0usize;
        for ahead in 0.. {
            match self.tokens.get(self.at + ahead).map(|token| &token.kind) {
                Some(Kind::Sign("(" | "[" | "{")) => depth += 1,
                Some(Kind::Sign(")" | "]" | "}")) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.is_at(ahead + 1, "=>");
                    }
                }
                Some(_) => {}
                None => return false,
            }
        }
        false
    }

    pub(super) fn expression(&mut self) -> Read<Expr> {
        self.down(Self::assignment)
    }

    fn assignment(&mut self) -> Read<Expr> {
        if self.word() == "async" && !self.is_at(1, ".") && !self.is_at(1, ",") {
            self.at += 1;
        }
        if (self.is("(") || !self.word().is_empty()) && self.is_arrow() {
            let parameters = if self.is("(") { self.parameters()? } else { vec![Target::Name(self.name()?)] };
            self.need("=>")?;
            if self.is("{") {
                return Ok(Expr::Function(parameters, self.block()?));
            }
            let line = self.line();
            let value = self.expression()?;
            return Ok(Expr::Function(parameters, vec![Stmt { line, what: What::Return(Some(value)) }]));
        }
        let left = self.binary(0)?;
        if self.takes("?") {
            let then = self.expression()?;
            self.need(":")?;
            let other = self.expression()?;
            return Ok(Expr::Choice(Box::new(left), Box::new(then), Box::new(other)));
        }
        if self.takes("=") {
            let right = self.expression()?;
            return Ok(Expr::Assign(Box::new(left), Box::new(right)));
        }
        for sign in ["+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??="] {
            if self.takes(sign) {
                self.expression()?;
                return Ok(Expr::Assign(Box::new(left), Box::new(Expr::Other)));
            }
        }
        Ok(left)
    }

    fn binary(&mut self, least: u8) -> Read<Expr> {
        const LEVELS: [(&str, u8); 23] = [
            ("||", 1),
            ("??", 1),
            ("&&", 2),
            ("|", 3),
            ("^", 4),
            ("&", 5),
            ("===", 6),
            ("!==", 6),
            ("==", 6),
            ("!=", 6),
            ("<", 7),
            (">", 7),
            ("<=", 7),
            (">=", 7),
            ("<<", 8),
            (">>", 8),
            (">>>", 8),
            ("+", 9),
            ("-", 9),
            ("*", 10),
            ("/", 10),
            ("%", 10),
            ("**", 11),
        ];
        let mut left = self.unary()?;
        loop {
            let is_word = self.word() == "in" || self.word() == "instanceof";
            if is_word && least <= 7 {
                self.at += 1;
                self.down(|it| it.binary(8))?;
                left = Expr::Other;
                continue;
            }
            let found = LEVELS.iter().find(|(sign, level)| *level > least && self.is(sign));
            let Some((sign, level)) = found else { return Ok(left) };
            self.at += 1;
            let right = self.down(|it| it.binary(*level))?;
            left = Expr::Binary(sign, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Read<Expr> {
        for sign in ["!", "-", "+", "~", "++", "--"] {
            if self.is(sign) {
                self.at += 1;
                let inner = self.down(Self::unary)?;
                return Ok(Expr::Unary(sign, Box::new(inner)));
            }
        }
        if ["typeof", "void", "delete"].contains(&self.word()) {
            self.at += 1;
            self.down(Self::unary)?;
            return Ok(Expr::Other);
        }
        if self.takes_word("await") {
            return self.down(Self::unary);
        }
        let mut expr = self.primary()?;
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > 2000 {
                return Err(self.wrong("a chain of calls is too long"));
            }
            if self.takes(".") || self.takes("?.") {
                if self.is("[") || self.is("(") {
                    continue;
                }
                expr = Expr::Member(Box::new(expr), self.name()?);
            } else if self.takes("[") {
                let index = self.sequence()?;
                self.need("]")?;
                expr = Expr::Index(Box::new(expr), Box::new(index));
            } else if self.is("(") {
                expr = Expr::Call(Box::new(expr), self.arguments()?);
            } else if let Some(Kind::Template(texts, sources)) = self.kind().cloned() {
                let template = self.template(texts, sources)?;
                expr = Expr::Call(Box::new(expr), vec![template]);
            } else if (self.is("++") || self.is("--")) && !self.tokens[self.at].is_first {
                self.at += 1;
                expr = Expr::Other;
            } else {
                return Ok(expr);
            }
        }
    }

    pub(super) fn arguments(&mut self) -> Read<Vec<Expr>> {
        self.need("(")?;
        let mut all = Vec::new();
        while !self.takes(")") {
            let is_spread = self.takes("...");
            let value = self.expression()?;
            all.push(if is_spread { Expr::Spread(Box::new(value)) } else { value });
            if !self.is(")") {
                self.need(",")?;
            }
        }
        Ok(all)
    }

    fn template(&mut self, texts: Vec<String>, sources: Vec<String>) -> Read<Expr> {
        let line = self.line();
        self.at += 1;
        let depth = self.depth + 1;
        if depth > DEPTH_MAX {
            return Err(self.wrong("it is nested too deep"));
        }
        let inner: Read<Vec<Expr>> = sources.iter().map(|source| expression_of(source, line, depth)).collect();
        Ok(Expr::Template(texts, inner?))
    }

    fn primary(&mut self) -> Read<Expr> {
        let Some(kind) = self.kind().cloned() else { return Err(self.wrong("it ends in the middle")) };
        match kind {
            Kind::Text(text) => {
                self.at += 1;
                Ok(Expr::Text(text))
            }
            Kind::Number(number) => {
                self.at += 1;
                Ok(Expr::Number(number))
            }
            Kind::Regex(text) => {
                self.at += 1;
                Ok(Expr::Regex(text))
            }
            Kind::Template(texts, sources) => self.template(texts, sources),
            Kind::Sign("(") => {
                self.at += 1;
                let inner = self.sequence()?;
                self.need(")")?;
                Ok(inner)
            }
            Kind::Sign("[") => {
                self.at += 1;
                let mut all = Vec::new();
                while !self.takes("]") {
                    if self.takes(",") {
                        continue;
                    }
                    let is_spread = self.takes("...");
                    let value = self.expression()?;
                    all.push(if is_spread { Expr::Spread(Box::new(value)) } else { value });
                    if !self.is("]") {
                        self.need(",")?;
                    }
                }
                Ok(Expr::List(all))
            }
            Kind::Sign("{") => self.object(),
            Kind::Name(name) => {
                self.at += 1;
                match name.as_str() {
                    "true" => Ok(Expr::Bool(true)),
                    "false" => Ok(Expr::Bool(false)),
                    "null" | "undefined" => Ok(Expr::Null),
                    "function" => {
                        self.takes("*");
                        if !self.word().is_empty() {
                            self.at += 1;
                        }
                        self.function()
                    }
                    "new" => {
                        let mut of = Expr::Name(self.name()?);
                        while self.takes(".") {
                            of = Expr::Member(Box::new(of), self.name()?);
                        }
                        let arguments = if self.is("(") { self.arguments()? } else { Vec::new() };
                        Ok(Expr::New(Box::new(of), arguments))
                    }
                    "class" => {
                        while self.at < self.tokens.len() && !self.is("{") {
                            self.at += 1;
                        }
                        self.skip_brackets()?;
                        Ok(Expr::Other)
                    }
                    _ => Ok(Expr::Name(name)),
                }
            }
            Kind::Sign(sign) => Err(self.wrong(&format!("`{sign}` is not expected here"))),
        }
    }

    fn object(&mut self) -> Read<Expr> {
        self.need("{")?;
        let mut entries = Vec::new();
        while !self.takes("}") {
            if self.takes("...") {
                let value = self.expression()?;
                entries.push(("...".to_owned(), Expr::Spread(Box::new(value))));
            } else {
                let mut is_computed = false;
                while ["async", "get", "set"].contains(&self.word())
                    && !self.is_at(1, ":")
                    && !self.is_at(1, ",")
                    && !self.is_at(1, "(")
                    && !self.is_at(1, "}")
                {
                    self.at += 1;
                }
                let key = match self.kind().cloned() {
                    Some(Kind::Name(name)) | Some(Kind::Text(name)) => name,
                    Some(Kind::Number(number)) => crate::text::number(number, 6),
                    Some(Kind::Sign("[")) => {
                        self.skip_brackets()?;
                        self.at -= 1;
                        is_computed = true;
                        "...".to_owned()
                    }
                    Some(Kind::Template(texts, sources)) if sources.is_empty() => texts.concat(),
                    _ => return Err(self.wrong("a key is expected")),
                };
                self.at += 1;
                let value = if self.takes(":") {
                    self.expression()?
                } else if self.is("(") {
                    self.function()?
                } else {
                    Expr::Name(key.clone())
                };
                entries.push((key, if is_computed { Expr::Spread(Box::new(Expr::Other)) } else { value }));
            }
            if !self.is("}") {
                self.need(",")?;
            }
        }
        Ok(Expr::Map(entries))
    }
}
