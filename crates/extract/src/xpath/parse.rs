//! Reads an expression: recursive descent over its tokens, without going back.

use super::functions::{FUNCTIONS, instead_of};
use super::lex::{Token, tokens};
use super::{
    Axis, Compare, DEEP_MAX, EXPRESSION_BYTES_MAX, Expression, Name, Operator, Path, Predicate, Start, Step, Test, Type,
};
use crate::xml::XML_URI;

/// Why an expression cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// One sentence, with the number of characters before the place at which it was seen.
    Unreadable { at: usize, why: String },
    /// A prefix that is not declared.
    Prefix { at: usize, prefix: String },
}

impl Wrong {
    pub(super) fn at(at: usize, why: impl Into<String>) -> Self {
        Self::Unreadable { at, why: why.into() }
    }
}

const EQUALITIES: [(&str, Compare); 2] = [("=", Compare::Equal), ("!=", Compare::NotEqual)];
const ORDERS: [(&str, Compare); 4] =
    [("<", Compare::Less), ("<=", Compare::AtMost), (">", Compare::Greater), (">=", Compare::AtLeast)];
const AXES: [(&str, Axis); 12] = [
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("attribute", Axis::Attribute),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("following", Axis::Following),
    ("following-sibling", Axis::FollowingSibling),
    ("parent", Axis::Parent),
    ("preceding", Axis::Preceding),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("self", Axis::Own),
];
const NODE_TYPES: [&str; 4] = ["comment", "node", "processing-instruction", "text"];

pub(super) fn read(text: &str, namespaces: &[(String, String)]) -> Result<Expression, Wrong> {
    if text.len() > EXPRESSION_BYTES_MAX {
        let why = format!("it has {} bytes; at most {EXPRESSION_BYTES_MAX} are possible", text.len());
        return Err(Wrong::at(0, why));
    }
    let whole = || {
        let mut reader = Reader { text, tokens: tokens(text)?, next: 0, depth: 0, namespaces };
        let whole = reader.expression()?;
        match reader.next < reader.tokens.len() {
            true => Err(reader.expected("an operator or the end")),
            false => Ok(whole),
        }
    };
    // Places are counted in bytes while reading: counting characters for each would be quadratic.
    let characters = |at: usize| text.get(..at).unwrap_or(text).chars().count();
    whole().map_err(|wrong| match wrong {
        Wrong::Unreadable { at, why } => Wrong::Unreadable { at: characters(at), why },
        Wrong::Prefix { at, prefix } => Wrong::Prefix { at: characters(at), prefix },
    })
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<(usize, Token<'t>)>,
    next: usize,
    depth: usize,
    namespaces: &'t [(String, String)],
}

impl<'t> Reader<'t> {
    fn peek(&self, ahead: usize) -> Option<&Token<'t>> {
        self.tokens.get(self.next + ahead).map(|(_, token)| token)
    }

    fn is(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek(ahead), Some(Token::Symbol(found)) if *found == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is_it = self.is(0, symbol);
        self.next += usize::from(is_it);
        is_it
    }

    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(at, _)| *at)
    }

    fn expected(&self, what: &str) -> Wrong {
        let Some((at, _)) = self.tokens.get(self.next) else {
            return Wrong::at(self.text.len(), format!("it ends where {what} is expected"));
        };
        let end = self.tokens.get(self.next + 1).map_or(self.text.len(), |(at, _)| *at);
        Wrong::at(*at, format!("expected {what}, found `{}`", self.text[*at..end].trim_end()))
    }

    fn need(&mut self, symbol: &str) -> Result<(), Wrong> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// An expression within brackets, a predicate or a function, or the whole one.
    fn expression(&mut self) -> Result<Expression, Wrong> {
        if self.depth >= DEEP_MAX {
            return Err(Wrong::at(self.place(), format!("brackets stand more than {DEEP_MAX} deep within each other")));
        }
        self.depth += 1;
        let mut any = vec![self.conjunction()?];
        while self.eat_word("or") {
            any.push(self.conjunction()?);
        }
        self.depth -= 1;
        Ok(one_or(any, Expression::Or))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(0), Some(Token::Word(found)) if *found == word);
        self.next += usize::from(is_it);
        is_it
    }

    fn conjunction(&mut self) -> Result<Expression, Wrong> {
        let mut all = vec![self.comparison(&EQUALITIES)?];
        while self.eat_word("and") {
            all.push(self.comparison(&EQUALITIES)?);
        }
        Ok(one_or(all, Expression::And))
    }

    /// Equalities, whose sides are orders, whose sides are sums.
    fn comparison(&mut self, symbols: &[(&str, Compare)]) -> Result<Expression, Wrong> {
        let side = |reader: &mut Self| match symbols.len() == EQUALITIES.len() {
            true => reader.comparison(&ORDERS),
            false => reader.sum(),
        };
        let first = side(self)?;
        let mut rest = Vec::new();
        while let Some((_, compare)) = symbols.iter().find(|(symbol, _)| self.is(0, symbol)) {
            self.next += 1;
            rest.push((*compare, side(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Comparison(Box::new(first), rest) })
    }

    fn sum(&mut self) -> Result<Expression, Wrong> {
        let first = self.product()?;
        let mut rest = Vec::new();
        loop {
            let operator = match () {
                () if self.eat("+") => Operator::Plus,
                () if self.eat("-") => Operator::Minus,
                () => break,
            };
            rest.push((operator, self.product()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Calculation(Box::new(first), rest) })
    }

    fn product(&mut self) -> Result<Expression, Wrong> {
        let first = self.signed()?;
        let mut rest = Vec::new();
        loop {
            let operator = match () {
                () if self.eat("*") => Operator::Times,
                () if self.eat_word("div") => Operator::Divided,
                () if self.eat_word("mod") => Operator::Modulo,
                () => break,
            };
            rest.push((operator, self.signed()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Calculation(Box::new(first), rest) })
    }

    fn signed(&mut self) -> Result<Expression, Wrong> {
        let mut signs = 0usize;
        while self.eat("-") {
            signs += 1;
        }
        let inner = self.union()?;
        Ok(match signs {
            0 => inner,
            // Twice negated it is a number, too, whatever it was.
            _ if signs.is_multiple_of(2) => Expression::Negative(Box::new(Expression::Negative(Box::new(inner)))),
            _ => Expression::Negative(Box::new(inner)),
        })
    }

    fn union(&mut self) -> Result<Expression, Wrong> {
        let mut at = self.place();
        let mut all = vec![self.path()?];
        while self.is(0, "|") {
            self.need_nodes(all.last(), at, "`|` joins nodes")?;
            self.next += 1;
            at = self.place();
            all.push(self.path()?);
            self.need_nodes(all.last(), at, "`|` joins nodes")?;
        }
        Ok(one_or(all, Expression::Union))
    }

    fn need_nodes(&self, expression: Option<&Expression>, at: usize, why: &str) -> Result<(), Wrong> {
        let what = match expression.map(Expression::of) {
            Some(Type::Nodes) | None => return Ok(()),
            Some(Type::Number) => "a number",
            Some(Type::Text) => "a text",
            Some(Type::Truth) => "true or false",
        };
        Err(Wrong::at(at, format!("{why}, and this is {what}")))
    }

    fn path(&mut self) -> Result<Expression, Wrong> {
        if self.is(0, "/") || self.is(0, "//") {
            let mut steps = Vec::new();
            if self.eat("//") {
                descend(&mut steps, self.step()?);
            } else {
                self.next += 1;
                if self.begins_step() {
                    steps.push(self.step()?);
                }
            }
            if !steps.is_empty() {
                self.steps(&mut steps)?;
            }
            return Ok(Expression::Path(Path { start: Start::Root, steps }));
        }
        if self.begins_step() {
            let mut steps = vec![self.step()?];
            self.steps(&mut steps)?;
            return Ok(Expression::Path(Path { start: Start::Here, steps }));
        }
        let at = self.place();
        let first = self.primary()?;
        if !(self.is(0, "[") || self.is(0, "/") || self.is(0, "//")) {
            return Ok(first);
        }
        self.need_nodes(Some(&first), at, "only nodes are followed by `[` or `/`")?;
        let predicates = self.predicates()?;
        let mut steps = Vec::new();
        self.steps(&mut steps)?;
        Ok(Expression::Path(Path { start: Start::Of(Box::new(first), predicates), steps }))
    }

    /// Whether a step begins here, and not a function, a text or a number.
    fn begins_step(&self) -> bool {
        match self.peek(0) {
            Some(Token::Any) => true,
            Some(Token::Name(prefix, name)) => !self.is(1, "(") || (prefix.is_none() && NODE_TYPES.contains(name)),
            Some(Token::Symbol(symbol)) => matches!(*symbol, "." | ".." | "@"),
            _ => false,
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) -> Result<(), Wrong> {
        loop {
            if self.eat("//") {
                descend(steps, self.step()?);
            } else if self.eat("/") {
                steps.push(self.step()?);
            } else {
                return Ok(());
            }
        }
    }

    fn step(&mut self) -> Result<Step, Wrong> {
        for (symbol, axis) in [("..", Axis::Parent), (".", Axis::Own)] {
            if self.eat(symbol) {
                if self.is(0, "[") {
                    let name = if symbol == "." { "self" } else { "parent" };
                    let why = format!("`{symbol}` takes no predicate; write `{name}::node()[…]`");
                    return Err(Wrong::at(self.place(), why));
                }
                return Ok(Step { axis, test: Test::Any, predicates: Vec::new() });
            }
        }
        let named = match self.peek(0) {
            Some(Token::Name(None, name)) if self.is(1, "::") => Some(self.axis(name)?),
            _ => None,
        };
        let axis = match named {
            Some(axis) => {
                self.next += 2;
                axis
            }
            None if self.eat("@") => Axis::Attribute,
            None => Axis::Child,
        };
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn axis(&self, name: &str) -> Result<Axis, Wrong> {
        if let Some((_, axis)) = AXES.iter().find(|(known, _)| *known == name) {
            return Ok(*axis);
        }
        if name == "namespace" {
            let why = "the axis `namespace` is not possible; a node's own is `namespace-uri(.)`";
            return Err(Wrong::at(self.place(), why));
        }
        let known: Vec<&str> = AXES.iter().map(|(name, _)| *name).collect();
        Err(Wrong::at(self.place(), format!("`{name}` is not an axis; there are {}", known.join(", "))))
    }

    fn test(&mut self) -> Result<Test, Wrong> {
        let at = self.place();
        match self.peek(0).cloned() {
            Some(Token::Any) => {
                self.next += 1;
                Ok(Test::Named)
            }
            Some(Token::Name(None, name)) if self.is(1, "(") => {
                if !NODE_TYPES.contains(&name) {
                    let why = format!("a step of a path is a name, and `{name}(…)` is a function or nothing");
                    return Err(Wrong::at(at, why));
                }
                self.next += 2;
                let target = match self.peek(0) {
                    Some(Token::Literal(target)) if name == "processing-instruction" => Some((*target).into()),
                    _ => None,
                };
                self.next += usize::from(target.is_some());
                self.need(")")?;
                Ok(match name {
                    "text" => Test::Text,
                    "comment" => Test::Comment,
                    "node" => Test::Any,
                    _ => Test::Instruction(target),
                })
            }
            Some(Token::Name(prefix, local)) => {
                let namespace = self.namespace(prefix, at)?;
                self.next += 1;
                Ok(match local {
                    "*" => Test::In(namespace),
                    _ => Test::Name(Name { namespace, local: local.into() }),
                })
            }
            _ => Err(self.expected("a name, `*`, `@` or `.`")),
        }
    }

    fn namespace(&self, prefix: Option<&str>, at: usize) -> Result<Box<str>, Wrong> {
        let Some(prefix) = prefix else { return Ok("".into()) };
        let declared = self.namespaces.iter().find(|(known, _)| known == prefix);
        match declared {
            Some((_, uri)) => Ok(uri.as_str().into()),
            None if prefix == "xml" => Ok(XML_URI.into()),
            None => Err(Wrong::Prefix { at, prefix: prefix.to_owned() }),
        }
    }

    fn predicates(&mut self) -> Result<Vec<Predicate>, Wrong> {
        let mut predicates = Vec::new();
        while self.eat("[") {
            let expression = self.expression()?;
            self.need("]")?;
            let is_positional = expression.of() == Type::Number || expression.asks_place();
            predicates.push(Predicate { expression, is_positional });
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Result<Expression, Wrong> {
        match self.peek(0).cloned() {
            Some(Token::Literal(text)) => {
                self.next += 1;
                Ok(Expression::Literal(text.into()))
            }
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(Expression::Number(number))
            }
            Some(Token::Name(prefix, name)) => self.call(prefix, name),
            _ if self.eat("(") => {
                let inner = self.expression()?;
                self.need(")")?;
                Ok(inner)
            }
            _ => Err(self.expected("a path, a function, a text or a number")),
        }
    }

    fn call(&mut self, prefix: Option<&str>, name: &str) -> Result<Expression, Wrong> {
        let at = self.place();
        let found = FUNCTIONS.iter().find(|spec| spec.0 == name && prefix.is_none());
        let Some(&(_, function, least, most, needs_nodes)) = found.filter(|_| self.is(1, "(")) else {
            return Err(unknown(prefix, name, at));
        };
        self.next += 2;
        let mut arguments = Vec::new();
        while !self.is(0, ")") {
            if !arguments.is_empty() {
                self.need(",")?;
            }
            let at = self.place();
            arguments.push(self.expression()?);
            if needs_nodes {
                self.need_nodes(arguments.last(), at, &format!("`{name}` is given nodes"))?;
            }
        }
        self.next += 1;
        if !(least..=most).contains(&arguments.len()) {
            let takes = match (least, most) {
                (_, usize::MAX) => format!("{least} arguments or more"),
                (0, 0) => "no argument".to_owned(),
                (1, 1) => "one argument".to_owned(),
                (0, 1) => "one argument or none".to_owned(),
                _ if least == most => format!("{least} arguments"),
                _ => format!("{least} or {most} arguments"),
            };
            return Err(Wrong::at(at, format!("`{name}` takes {takes}, and is given {}", arguments.len())));
        }
        Ok(Expression::Call(function, arguments))
    }
}

fn unknown(prefix: Option<&str>, name: &str, at: usize) -> Wrong {
    let name = prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}:{name}"));
    if let Some(instead) = instead_of(&name) {
        return Wrong::at(at, format!("`{name}` is not a function of XPath 1.0: {instead}"));
    }
    let known = FUNCTIONS.iter().map(|spec| spec.0);
    if let Some(near) = contract::suggestion(&name, known.clone()) {
        return Wrong::at(at, format!("`{name}` is not a function of XPath 1.0; did you mean `{near}`?"));
    }
    let known: Vec<&str> = known.collect();
    Wrong::at(at, format!("`{name}` is not a function of XPath 1.0; there are {}", known.join(", ")))
}

/// A step behind `//`. All nodes below are looked at once where no place among siblings is asked for.
fn descend(steps: &mut Vec<Step>, mut next: Step) {
    let is_plain = next.axis == Axis::Child && !next.predicates.iter().any(|predicate| predicate.is_positional);
    if is_plain {
        next.axis = Axis::Descendant;
    } else {
        steps.push(Step { axis: Axis::DescendantOrSelf, test: Test::Any, predicates: Vec::new() });
    }
    steps.push(next);
}

fn one_or(mut all: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    match (all.len(), all.pop()) {
        (1, Some(one)) => one,
        (_, last) => {
            all.extend(last);
            join(all)
        }
    }
}
