//! Variables: `vars` and `assume`, rebound by `--set` and by a scenario's `set`.

use crate::model::Variable;
use crate::syntax::arithmetic::{self, Trouble};
use crate::syntax::text;
use contract::{Mistake, Mistakes, Node, Place, Shape, suggestion};
use std::collections::{BTreeMap, BTreeSet};
use terms::Quantity;

/// Variables that refer to each other, one after another.
const CHAIN_MAX: usize = 64;

/// Names that are known later than when the study is loaded.
pub(crate) const LATER: &[&str] = &[
    "scratch", "run", "secret", "port", "replica", "nonce", "faults", "serial", "uuid", "now", "user", "message",
    "node",
];

/// The values of all variables at one level: the study's, or a scenario's with its `set`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<String, String>,
    /// Instances, data sets and captures, for messages.
    later: BTreeSet<String>,
}

impl Scope {
    /// Computes all values. `set` overrides some of them, and every value that mentions those follows.
    pub(crate) fn new(variables: &[Variable], set: &[(String, String)], mistakes: &mut Mistakes) -> Self {
        let mut building = Building { variables, set, done: BTreeMap::new(), chain: Vec::new() };
        for variable in variables {
            mistakes.keep(building.value(&variable.name, variable.place));
        }
        let values = building.done.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Self { values, later: BTreeSet::new() }
    }

    /// Names that exist, but later.
    pub(crate) fn with_later(mut self, later: impl IntoIterator<Item = String>) -> Self {
        self.later.extend(later);
        self
    }

    /// The same names that exist later as another scope knows.
    pub(crate) fn with_later_of(mut self, other: &Self) -> Self {
        self.later.clone_from(&other.later);
        self
    }

    /// A value: text that may still contain names known only at start time.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The value of a variable as a quantity.
    pub(crate) fn quantity(&self, name: &str) -> Result<Quantity, Trouble> {
        let text = self.get(name).ok_or_else(|| Trouble::Unknown(name.to_owned()))?;
        as_quantity(name, text)
    }

    /// Fills in all variables of a text that must be known when the study is loaded.
    ///
    /// # Errors
    /// An unknown name, or one that is known only later.
    pub(crate) fn fill(&self, text: &str, place: Place) -> Result<String, Mistake> {
        if !text.contains("$(") {
            return Ok(text.to_owned());
        }
        let filled = text::expand(text, place, &mut |expression| {
            if let Some(value) = self.get(expression) {
                return Ok(Some(value.to_owned()));
            }
            if is_known_later(expression, &self.later) || !arithmetic::is_arithmetic(expression) {
                return Err(self.unknown(expression, place));
            }
            match arithmetic::evaluate(expression, &|name| self.quantity(name)) {
                Ok(quantity) => Ok(Some(arithmetic::exact(&quantity))),
                Err(Trouble::Unknown(name)) => Err(self.unknown(&name, place)),
                Err(Trouble::Other(text)) => Err(Mistake::at(place, "study::arithmetic", text)),
            }
        })?;
        if let Some(text::TextPiece::Expression(left)) =
            text::parts(&filled).into_iter().find(|part| matches!(part, text::TextPiece::Expression(_)))
        {
            return Err(self.unknown(left, place));
        }
        Ok(text::unescape(&filled))
    }

    /// Fills in variables and leaves names of start time as they are: the value of a `set`.
    pub(crate) fn fill_partly(&self, text: &str, place: Place) -> Result<String, Mistake> {
        text::expand(text, place, &mut |expression| {
            if let Some(value) = self.get(expression) {
                return Ok(Some(value.to_owned()));
            }
            if is_known_later(expression, &self.later) {
                return Ok(None);
            }
            self.fill(&format!("$({expression})"), place).map(|text| Some(text::escape(&text)))
        })
    }

    /// As [`Scope::fill`], for every scalar of a tree; what cannot be filled in becomes a mistake and stays.
    pub(crate) fn fill_node(&self, node: &Node, mistakes: &mut Mistakes) -> Node {
        let shape = match &node.shape {
            Shape::Text { text, quoted } if text.contains("$(") => match self.fill(text, node.place) {
                Ok(text) => Shape::Text { quoted: *quoted || text.is_empty(), text },
                Err(mistake) => {
                    // The text stays, so that its key counts as written; what reading it then says is dropped when
                    // the mistakes are handed over.
                    mistakes.push(mistake);
                    node.shape.clone()
                }
            },
            Shape::Text { .. } => node.shape.clone(),
            Shape::List(members) => Shape::List(members.iter().map(|m| self.fill_node(m, mistakes)).collect()),
            Shape::Map(entries) => {
                Shape::Map(entries.iter().map(|(k, v)| (k.clone(), self.fill_node(v, mistakes))).collect())
            }
        };
        Node { place: node.place, shape }
    }

    fn unknown(&self, name: &str, place: Place) -> Mistake {
        if is_known_later(name, &self.later) {
            return Mistake::at(
                place,
                "study::not-yet-known",
                format!("`$({name})` is not yet known here: this is decided before anything starts"),
            )
            .label("use a variable of `vars` here");
        }
        let mistake = Mistake::at(place, "study::unknown-name", format!("there is no variable `{name}`"));
        let mistake = match suggestion(name, self.names()) {
            Some(near) => mistake.label(format!("did you mean `$({near})`?")),
            None => mistake,
        };
        let known: Vec<_> = self.names().collect();
        mistake.hint(if known.is_empty() {
            format!("declare it: `vars: {{ {name}: … }}`")
        } else {
            format!("variables are: {}", known.join(", "))
        })
    }
}

fn is_known_later(expression: &str, later: &BTreeSet<String>) -> bool {
    let head = expression.split(['.', '(', ' ']).next().unwrap_or_default();
    LATER.contains(&head) || later.contains(head) || expression.starts_with("text(") || expression.starts_with("bytes(")
}

/// Reads a variable's value as a quantity.
pub(crate) fn as_quantity(name: &str, text: &str) -> Result<Quantity, Trouble> {
    Quantity::parse(text).map_err(|error| Trouble::Other(format!("the value of `{name}`, `{text}`, {error}")))
}

struct Building<'a> {
    variables: &'a [Variable],
    set: &'a [(String, String)],
    done: BTreeMap<String, Option<String>>,
    chain: Vec<String>,
}

impl Building<'_> {
    fn value(&mut self, name: &str, place: Place) -> Result<Option<String>, Mistake> {
        if let Some(done) = self.done.get(name) {
            return Ok(done.clone());
        }
        let Some(variable) = self.variables.iter().find(|variable| variable.name == name) else { return Ok(None) };
        if let Some((_, value)) = self.set.iter().find(|(set, _)| set == name) {
            // A new value was computed where it was written.
            self.done.insert(name.to_owned(), Some(value.clone()));
            return Ok(Some(value.clone()));
        }
        if self.chain.iter().any(|earlier| earlier == name) || self.chain.len() >= CHAIN_MAX {
            let chain = self.chain.join("` needs `");
            return Err(Mistake::at(
                place,
                "study::variable-loop",
                format!("variables need each other: `{chain}` needs `{name}`"),
            )
            .label("give one of them a value of its own"));
        }
        self.chain.push(name.to_owned());
        let written = variable.written.clone();
        let result = self.filled(&written, variable.place);
        self.chain.pop();
        self.done.insert(name.to_owned(), result.as_ref().ok().cloned());
        result.map(Some)
    }

    fn filled(&mut self, written: &str, place: Place) -> Result<String, Mistake> {
        text::expand(written, place, &mut |expression| {
            if let Some(value) = self.value(expression, place)? {
                return Ok(Some(value));
            }
            let is_sum = arithmetic::is_arithmetic(expression) && !is_known_later(expression, &BTreeSet::new());
            if !is_sum {
                return Ok(None);
            }
            let mut values = BTreeMap::new();
            for name in text::names_in(expression) {
                if let Some(value) = self.value(name, place)? {
                    values.insert(name.to_owned(), value);
                }
            }
            let lookup = |name: &str| match values.get(name) {
                Some(text) => as_quantity(name, text),
                None => Err(Trouble::Unknown(name.to_owned())),
            };
            match arithmetic::evaluate(expression, &lookup) {
                Ok(quantity) => Ok(Some(arithmetic::exact(&quantity))),
                Err(Trouble::Unknown(name)) => {
                    let known = Scope {
                        values: self.variables.iter().map(|v| (v.name.clone(), String::new())).collect(),
                        later: BTreeSet::new(),
                    };
                    Err(known.unknown(&name, place))
                }
                Err(Trouble::Other(text)) => Err(Mistake::at(place, "study::arithmetic", text)),
            }
        })
    }
}
