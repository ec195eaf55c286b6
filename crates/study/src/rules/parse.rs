//! The grammar of rules (language page, A.3): recursive descent, one token ahead.

mod change;
mod endings;
mod steps;

use super::draft::{Call, Draft, DraftClause, DraftSeries, Sum};
use super::token::{Token, What, tokens};
use crate::model::rule::{Comparison, Function, Of, State};
use crate::names::variables::Scope;
use crate::syntax::{arithmetic, not_yet};
use contract::{Mistake, Node, Place, suggestion};
use terms::Quantity;

/// Brackets within each other; the parser is recursive.
const DEPTH_MAX: usize = 32;

const FUNCTIONS: [(&str, Function); 16] = [
    ("share", Function::Share),
    ("count", Function::Count),
    ("rate", Function::Rate),
    ("mean", Function::Mean),
    ("min", Function::Min),
    ("max", Function::Max),
    ("sd", Function::Sd),
    ("last", Function::Last),
    ("growth", Function::Growth),
    ("slope", Function::Slope),
    ("drain_time", Function::DrainTime),
    ("settle_time", Function::SettleTime),
    ("drop_at", Function::DropAt),
    ("drop", Function::Drop),
    ("working_rate", Function::WorkingRate),
    ("capacity", Function::Capacity),
];

/// Compares two scenarios; always a whole clause.
const CHANGE: &str = "change";
const CHANGE_LOOKS: &str = "write `change(p95(x.response), base, other) <= 10%`";

const STATES: [(&str, State); 6] = [
    ("steady", State::Steady),
    ("alive", State::Alive),
    ("drained", State::Drained),
    ("settled", State::Settled),
    ("met", State::Met),
    ("broken", State::Broken),
];

const FUNCTION_HINT: &str = "functions are: share, count, rate, p50 … p99.9, mean, min, max, sd, last, growth, slope, drain_time, settle_time, drop_at, working_rate, drop in abort rules, and change by itself; states are: steady(series), drained(metric), settled(metric), alive(instance), met(requirement), broken(requirement)";

/// Reads a rule. Variables have the values of `scope`.
///
/// # Errors
/// The first thing that is not understood.
pub(crate) fn parse(node: &Node, scope: &Scope) -> Result<Draft, Mistake> {
    let text = node.as_text("a rule")?;
    let tokens = tokens(text, node.place, scope)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let mut draft = Draft {
        text: text.to_owned(),
        place: node.place,
        clauses: vec![parser.clause()?],
        window: None,
        per: Vec::new(),
        sliding: None,
    };
    while parser.eat_word("and") {
        draft.clauses.push(parser.clause()?);
    }
    parser.endings(&mut draft)?;
    Ok(draft)
}

/// Reads a sum, such as `rate(x.ok)`; `in window` may follow. Variables have the values of `scope`.
///
/// # Errors
/// The first thing that is not understood.
pub(crate) fn parse_sum(node: &Node, scope: &Scope) -> Result<Draft, Mistake> {
    let text = node.as_text("a sum of values")?;
    let tokens = tokens(text, node.place, scope)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let sums = vec![parser.sum()?];
    let mut draft = Draft {
        text: text.to_owned(),
        place: node.place,
        clauses: vec![DraftClause::Compare { sums, operators: Vec::new() }],
        window: None,
        per: Vec::new(),
        sliding: None,
    };
    if parser.eat_word("in") {
        draft.window = Some((parser.window()?, node.place));
    }
    if parser.peek().what == What::End { Ok(draft) } else { Err(parser.expected("`in WINDOW` or the end")) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_second(&self) -> &'a Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().what, What::Symbol(found) if found == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek().what == What::Word && self.peek().text == word;
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, symbol: &str) -> Result<(), Mistake> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn expected(&self, what: &str) -> Mistake {
        let token = self.peek();
        let found =
            if token.what == What::End { "the rule ends".to_owned() } else { format!("`{}` found", token.text) };
        // Whoever knows another language writes two.
        let is_second = token.text == "=" && self.at > 0 && self.tokens[self.at - 1].text == "=";
        let found = if is_second { "a second `=` found".to_owned() } else { found };
        Mistake::at(token.place, "study::rule-syntax", format!("{found} where {what} is expected"))
            .label(format!("{what} is expected here"))
            .hint("a rule reads like `share(search.response < 300ms) >= 95%`, `p95(search.response) < 1s` or `alive(shop)`")
    }

    fn clause(&mut self) -> Result<DraftClause, Mistake> {
        let token = self.peek();
        let is_call = token.what == What::Word && self.peek_second().what == What::Symbol("(");
        if let Some((_, state)) = STATES.iter().find(|(word, _)| is_call && *word == token.text) {
            return self.state(*state);
        }
        if is_call && token.text == CHANGE {
            return Ok(DraftClause::Change(self.change()?));
        }
        let place = token.place;
        let mut sums = vec![self.sum()?];
        let mut operators = Vec::new();
        while let Some(operator) = self.comparison() {
            operators.push(operator);
            sums.push(self.sum()?);
        }
        if operators.is_empty() {
            return Err(self.expected("a comparison (`<`, `<=`, `>`, `>=`, `=`)"));
        }
        if operators.len() > 1 && operators.iter().any(|operator| *operator != Comparison::Equal) {
            return Err(Mistake::at(place, "study::rule-syntax", "only `=` joins more than two sides")
                .hint("write two clauses: `a < b and b < c`"));
        }
        if !sums.iter().any(Sum::has_call) {
            return Err(Mistake::at(
                place,
                "study::rule-syntax",
                "this compares numbers and says nothing about the run",
            )
            .hint(FUNCTION_HINT));
        }
        Ok(DraftClause::Compare { sums, operators })
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let What::Symbol(symbol) = self.peek().what else { return None };
        let found = match symbol {
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            "=" => Comparison::Equal,
            _ => return None,
        };
        self.at += 1;
        Some(found)
    }

    fn state(&mut self, state: State) -> Result<DraftClause, Mistake> {
        self.at += 1;
        self.need("(")?;
        let function = self.function_over_time(state);
        let subject = self.series()?;
        if function.is_some() {
            self.need(")")?;
        }
        let mut options = Vec::new();
        while self.eat(",") {
            let name = self.word("the name of an option")?;
            self.need(":")?;
            options.push((name.text.clone(), self.constant()?.0, name.place));
        }
        self.need(")")?;
        Ok(DraftClause::State { state, function, subject, options })
    }

    /// `rate(` or `mean(` within `steady(…)`.
    fn function_over_time(&mut self, state: State) -> Option<(Function, Place)> {
        let token = self.peek();
        let is_call = state == State::Steady && self.peek_second().what == What::Symbol("(");
        let found = function(&token.text).filter(|found| matches!(found, Function::Rate | Function::Mean));
        let found = found.filter(|_| is_call)?;
        self.at += 2;
        Some((found, token.place))
    }

    fn word(&mut self, what: &str) -> Result<&'a Token, Mistake> {
        if self.peek().what == What::Word { Ok(self.next()) } else { Err(self.expected(what)) }
    }

    fn sum(&mut self) -> Result<Sum, Mistake> {
        let mut left = self.product()?;
        loop {
            let place = self.peek().place;
            let operator = if self.eat("+") {
                '+'
            } else if self.eat("-") {
                '-'
            } else {
                return Ok(left);
            };
            left = join(operator, left, self.product()?, place)?;
        }
    }

    fn product(&mut self) -> Result<Sum, Mistake> {
        let mut left = self.value()?;
        loop {
            let place = self.peek().place;
            let operator = if self.eat("*") {
                '*'
            } else if self.eat("/") {
                '/'
            } else {
                return Ok(left);
            };
            left = join(operator, left, self.value()?, place)?;
        }
    }

    fn value(&mut self) -> Result<Sum, Mistake> {
        let token = self.peek();
        match &token.what {
            What::Number(quantity) => {
                self.at += 1;
                Ok(Sum::Number(quantity.clone(), token.place))
            }
            What::Symbol("(") => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(Mistake::at(token.place, "study::too-large", "brackets are nested too deeply"));
                }
                self.at += 1;
                let inner = self.sum()?;
                self.need(")")?;
                self.depth -= 1;
                Ok(inner)
            }
            What::Word => Ok(Sum::Call(Box::new(self.call()?))),
            _ => Err(self.expected("a number or a function")),
        }
    }

    fn call(&mut self) -> Result<Call, Mistake> {
        let token = self.next();
        if !self.is_symbol("(") {
            return Err(Mistake::at(token.place, "study::rule-syntax", format!("`{}` needs a function", token.text))
                .label(format!("write what of it: `mean({})`, `share({} < 2s)`", token.text, token.text))
                .hint(FUNCTION_HINT));
        }
        if token.text == CHANGE {
            return Err(Mistake::at(token.place, "study::rule-not-here", "`change` cannot be part of a sum")
                .label(CHANGE_LOOKS));
        }
        let Some(function) = function(&token.text) else {
            let words = FUNCTIONS.iter().map(|(word, _)| *word).chain(STATES.iter().map(|(word, _)| *word));
            let known = words.chain([CHANGE]);
            let mistake =
                Mistake::at(token.place, "study::unknown-function", format!("there is no function `{}`", token.text));
            let mistake = match suggestion(&token.text, known) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake,
            };
            return Err(mistake.hint(FUNCTION_HINT));
        };
        let row = if function == Function::Capacity { "capacity()" } else { token.text.as_str() };
        if let Some(mistake) = not_yet::mistake(row, token.place) {
            return Err(mistake);
        }
        self.need("(")?;
        let series = self.series()?;
        let mut call = Call {
            function,
            word: token.text.clone(),
            place: token.place,
            series,
            condition: None,
            of: None,
            conditions: Vec::new(),
        };
        self.arguments(&mut call)?;
        self.need(")")?;
        Ok(call)
    }

    fn arguments(&mut self, call: &mut Call) -> Result<(), Mistake> {
        let at = self.peek().place;
        if let Some(comparison) = self.comparison() {
            let (limit, _) = self.constant()?;
            call.condition = Some((comparison, limit, at));
        }
        if self.eat_word("of") {
            let word = self.word("`ok`, `failed` or `all`")?;
            let of = match word.text.as_str() {
                "ok" => Of::Ok,
                "failed" => Of::Failed,
                "all" => Of::All,
                other => {
                    return Err(Mistake::at(
                        word.place,
                        "study::unknown-word",
                        format!("a population cannot be `{other}`"),
                    )
                    .hint("possible: ok, failed, all"));
                }
            };
            call.of = Some((of, word.place));
        }
        let place = self.peek().place;
        if self.eat_word("where") {
            if let Some(mistake) = not_yet::mistake("where", place) {
                return Err(mistake);
            }
            let label = self.word("a label")?.text.clone();
            self.need("=")?;
            call.conditions.push((label, self.word("a word")?.text.clone()));
        }
        if self.is_symbol(",") {
            self.at += 1;
            let extra = self.series()?;
            return Err(Mistake::at(extra.place, "study::rule-syntax", format!("`{}` takes one series", call.word))
                .label("remove this"));
        }
        Ok(())
    }

    /// A sum of numbers alone.
    fn constant(&mut self) -> Result<(Quantity, Place), Mistake> {
        let place = self.peek().place;
        match self.sum()? {
            Sum::Number(quantity, place) => Ok((quantity, place)),
            _ => {
                Err(Mistake::at(place, "study::rule-syntax", "a limit inside a function is a number")
                    .label("write `< 2s`"))
            }
        }
    }

    fn series(&mut self) -> Result<DraftSeries, Mistake> {
        let first = self.at;
        let start = self.peek();
        let mut segments = vec![self.segment()?];
        let (mut scenario, mut part) = (None, None);
        let is_step = self.is_symbol("(");
        if is_step && (function(&start.text).is_some() || start.text == CHANGE) {
            return Err(Mistake::at(
                start.place,
                "study::rule-syntax",
                format!("`{}` cannot be used inside another function", start.text),
            )
            .label("write a series here")
            .hint("over time, use `steady(rate(x))` or `steady(mean(x.response))`"));
        }
        if is_step || self.is_symbol("/") {
            let place = self.place((start.text.clone(), start.place))?;
            if !self.eat("/") {
                let text = format!("`{}` is a step of a grid, not a series", place.name);
                return Err(Mistake::at(place.place, "study::rule-syntax", text)
                    .label("write `/` and a series after it")
                    .hint("a step comes before the series: `p95(busy(rate: 200/s)/search.response)`"));
            }
            scenario = Some(place);
            segments = vec![self.segment()?];
            if self.eat("/") {
                part = segments.pop();
                segments.push(self.segment()?);
            }
        }
        while self.eat(".") {
            segments.push(self.segment()?);
        }
        let tokens = &self.tokens[first..self.at];
        let text = written(tokens);
        let last = tokens.last().expect("a series has at least one token").place;
        let length = (last.column + last.length).saturating_sub(start.place.column).max(1);
        Ok(DraftSeries { text, place: Place { length, ..start.place }, scenario, part, segments })
    }

    fn segment(&mut self) -> Result<(String, Place), Mistake> {
        let token = self.peek();
        let is_name = match &token.what {
            What::Word | What::Symbol("*") => true,
            What::Number(_) => token.text.bytes().all(|b| b.is_ascii_digit()),
            _ => false,
        };
        if !is_name {
            return Err(self.expected("a name"));
        }
        self.at += 1;
        Ok((token.text.clone(), token.place))
    }
}

/// Tokens as they are written, with one space where there is any.
fn written(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (number, token) in tokens.iter().enumerate() {
        if token.is_apart && number > 0 {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// Joins two sides; numbers alone are computed at once.
fn join(operator: char, left: Sum, right: Sum, place: Place) -> Result<Sum, Mistake> {
    if let (Sum::Number(a, at), Sum::Number(b, _)) = (&left, &right) {
        let joined =
            arithmetic::combine(operator, a, b).map_err(|text| Mistake::at(place, "study::arithmetic", text))?;
        return Ok(Sum::Number(joined, *at));
    }
    Ok(Sum::Binary { operator, left: Box::new(left), right: Box::new(right), place })
}

/// The function of a word; `p95`, `p99.9` and `p99_9` are percentiles.
fn function(word: &str) -> Option<Function> {
    if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == word) {
        return Some(*function);
    }
    let digits = word.strip_prefix('p')?;
    let (whole, decimals) = digits.split_once(['.', '_']).unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 2 || decimals.len() > 6 || !is_number(whole) || !is_number(decimals) {
        return None;
    }
    // Read as a decimal fraction: 99.9 / 100 would not be 0.999.
    let quantile: f64 = format!("0.{whole:0>2}{decimals}").parse().ok()?;
    (quantile > 0.0).then_some(Function::Percentile(quantile))
}
