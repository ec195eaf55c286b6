//! Names in `$(…)`, and texts that hold them compiled into templates.

use crate::{Mistake, Place};
use recorder::{Piece, Script, Table, Template};
use std::sync::Arc;

/// What a name in `$(…)` stands for at this time.
#[derive(Clone, Debug, PartialEq)]
pub enum Name {
    /// A value that is known now.
    Text(String),
    /// Filled in for each exchange.
    Slot(Piece),
}

/// Resolves names in `$(…)`. Implemented by `study`, which knows variables, data sets, captures and instances.
pub trait Names {
    /// What `expression`, the text between `$(` and `)`, stands for.
    ///
    /// # Errors
    /// A mistake that says which names exist, or from when this one is known.
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake>;

    /// The function `NAME.FUNCTION` of the study's scripts that takes so many arguments.
    ///
    /// # Errors
    /// A mistake that says which scripts and functions exist, and what they take.
    fn script(&self, name: &str, _arguments: usize, place: Place) -> Result<Arc<dyn Script>, Mistake> {
        Err(Mistake::at(place, "study::unknown-function", format!("no script has a function `{name}`")))
    }

    /// The prefixes of namespaces that the study declares, with what they mean.
    fn namespaces(&self) -> &[(String, String)] {
        &[]
    }

    /// The data set of that number, where its rows are at hand: what a column will ever hold can then be looked at
    /// beforehand.
    fn table(&self, _number: u16) -> Option<&Table> {
        None
    }
}

/// Compiles a text. `$(name)` is a slot, `$$(` a literal `$(`.
///
/// # Errors
/// An unclosed `$(`, or what `names` says of an unknown name.
pub fn compile_template(text: &str, place: Place, names: &dyn Names) -> Result<Template, Mistake> {
    let mut pieces = Vec::new();
    let mut fixed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("$(") {
        if rest[..at].ends_with('$') {
            fixed.push_str(&rest[..at]);
            fixed.push('(');
            rest = &rest[at + 2..];
            continue;
        }
        fixed.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = closing_bracket(inner) else {
            return Err(Mistake::at(place, "study::open-variable", "a `$(` is never closed")
                .label("add `)`, or write `$$(` for the two characters themselves"));
        };
        match names.resolve(inner[..end].trim(), place)? {
            Name::Text(text) => fixed.push_str(&text),
            Name::Slot(piece) => {
                push_fixed(&mut pieces, &mut fixed);
                pieces.push(piece);
            }
        }
        rest = &inner[end + 1..];
    }
    fixed.push_str(rest);
    push_fixed(&mut pieces, &mut fixed);
    Ok(Template { pieces })
}

fn push_fixed(pieces: &mut Vec<Piece>, fixed: &mut String) {
    if !fixed.is_empty() {
        pieces.push(Piece::Fixed(std::mem::take(fixed).into_bytes().into()));
    }
}

/// Index of the `)` that closes a bracket already passed; inner brackets count. `None` where none does.
pub fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(index),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Names for Known {
        fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
            match expression {
                "host" => Ok(Name::Text("127.0.0.1".into())),
                "serial" => Ok(Name::Slot(Piece::Serial)),
                "text(5B)" => Ok(Name::Slot(Piece::Text(5))),
                other => Err(Mistake::at(place, "study::unknown-name", format!("`{other}` is not known"))),
            }
        }
    }

    fn compile(text: &str) -> Result<Template, Mistake> {
        compile_template(text, Place::default(), &Known)
    }

    #[test]
    fn fixed_parts_join_and_slots_stand_between_them() {
        let template = compile("http://$(host)/a?n=$(serial)&t=$(text(5B))!").unwrap();
        assert_eq!(
            template.pieces,
            [
                Piece::Fixed(b"http://127.0.0.1/a?n=".as_slice().into()),
                Piece::Serial,
                Piece::Fixed(b"&t=".as_slice().into()),
                Piece::Text(5),
                Piece::Fixed(b"!".as_slice().into()),
            ]
        );
    }

    #[test]
    fn doubled_dollar_is_literal() {
        assert_eq!(compile("a $$(host)").unwrap().as_fixed(), Some(b"a $(host)".as_slice()));
    }

    #[test]
    fn an_open_variable_is_a_mistake() {
        assert_eq!(compile("a $(host").unwrap_err().code, "study::open-variable");
        assert_eq!(compile("$(nobody)").unwrap_err().code, "study::unknown-name");
    }
}
