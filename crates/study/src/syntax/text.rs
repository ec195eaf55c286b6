//! Texts with `$(…)`: finding the expressions, filling some of them in, listing what they mention.

use contract::{Mistake, Mistakes, Node, Place, Shape};

/// Defaults within defaults: `$(env.A:-$(env.B:-…))`.
const DEPTH_MAX: usize = 16;
/// A text with all its variables filled in; variables that double each other would otherwise fill the memory.
pub(crate) const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A part of a text.
#[derive(Debug, PartialEq)]
pub(crate) enum TextPiece<'a> {
    /// As written; `$$(` is still doubled.
    Literal(&'a str),
    /// The text between `$(` and `)`.
    Expression(&'a str),
}

/// Takes a text apart. An unclosed `$(` ends up as literal; compiling the template reports it.
pub(crate) fn parts(text: &str) -> Vec<TextPiece<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest[from..].find("$(").map(|at| at + from) {
        if rest[..at].ends_with('$') {
            from = at + 2;
            continue;
        }
        let Some(end) = contract::closing_bracket(&rest[at + 2..]) else { break };
        if at > 0 {
            found.push(TextPiece::Literal(&rest[..at]));
        }
        found.push(TextPiece::Expression(rest[at + 2..at + 2 + end].trim()));
        rest = &rest[at + 3 + end..];
        from = 0;
    }
    if !rest.is_empty() {
        found.push(TextPiece::Literal(rest));
    }
    found
}

/// Fills in the expressions for which `fill` has a text; the others stay as they are.
///
/// # Errors
/// What `fill` says, or a result beyond [`TEXT_BYTES_MAX`].
pub(crate) fn expand(
    text: &str,
    place: Place,
    fill: &mut dyn FnMut(&str) -> Result<Option<String>, Mistake>,
) -> Result<String, Mistake> {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            TextPiece::Literal(literal) => out.push_str(literal),
            TextPiece::Expression(expression) => match fill(expression)? {
                Some(value) => out.push_str(&value),
                None => {
                    out.push_str("$(");
                    out.push_str(expression);
                    out.push(')');
                }
            },
        }
        if out.len() > TEXT_BYTES_MAX {
            return Err(Mistake::at(
                place,
                "study::too-large",
                format!("with its variables filled in, this text is longer than {TEXT_BYTES_MAX} bytes"),
            ));
        }
    }
    Ok(out)
}

/// Makes any text literal.
pub(crate) fn escape(text: &str) -> String {
    text.replace("$(", "$$(")
}

/// Undoes [`escape`].
pub(crate) fn unescape(text: &str) -> String {
    text.replace("$$(", "$(")
}

/// Every expression in the scalars of a tree, with its place; those inside a default included.
pub(crate) fn expressions<'a>(node: &'a Node, found: &mut Vec<(&'a str, Place)>) {
    match &node.shape {
        Shape::Text { text, .. } => expressions_of(text, node.place, found, 0),
        Shape::List(members) => members.iter().for_each(|member| expressions(member, found)),
        Shape::Map(entries) => entries.iter().for_each(|(key, value)| {
            expressions(key, found);
            expressions(value, found);
        }),
    }
}

pub(crate) fn expressions_of<'a>(text: &'a str, place: Place, found: &mut Vec<(&'a str, Place)>, depth: usize) {
    if depth > DEPTH_MAX || !text.contains("$(") {
        return;
    }
    for part in parts(text) {
        if let TextPiece::Expression(expression) = part {
            found.push((expression, place));
            expressions_of(expression, place, found, depth + 1);
        }
    }
}

/// The names in an expression: `streams` and `average` in `streams * average`, `cpas.cpa` whole.
pub(crate) fn names_in(expression: &str) -> impl Iterator<Item = &str> {
    expression
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Fills in `$(env.X)` and `$(env.X:-default)` in every scalar of a tree.
///
/// With `read` off (an archived study is judged elsewhere) nothing is asked of this machine: defaults hold.
pub(crate) fn fill_environment(node: &mut Node, read: bool, mistakes: &mut Mistakes) {
    match &mut node.shape {
        Shape::Text { text, quoted } => {
            if text.contains("env.")
                && let Some(filled) = mistakes.keep(environment(text, node.place, read, 0))
            {
                // A value from outside is a text, also when it is empty.
                *quoted |= filled.is_empty();
                *text = filled;
            }
        }
        Shape::List(members) => members.iter_mut().for_each(|member| fill_environment(member, read, mistakes)),
        Shape::Map(entries) => entries.iter_mut().for_each(|(_, value)| fill_environment(value, read, mistakes)),
    }
}

/// As [`fill_environment`], for one text.
pub(crate) fn environment(text: &str, place: Place, read: bool, depth: usize) -> Result<String, Mistake> {
    if depth > DEPTH_MAX {
        return Err(Mistake::at(place, "study::too-large", "defaults are nested too deeply"));
    }
    expand(text, place, &mut |expression| {
        if !expression.contains("env.") {
            return Ok(None);
        }
        if let Some(named) = expression.strip_prefix("env.") {
            let end = named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(named.len());
            let (name, rest) = named.split_at(end);
            if let Some(default) = rest.strip_prefix(":-") {
                return match value_of(name, read).filter(|value| !value.is_empty()) {
                    Some(value) => Ok(Some(escape(&value))),
                    None => environment(default, place, read, depth + 1).map(Some),
                };
            }
            if rest.is_empty() {
                return needed(name, place, read).map(|value| Some(escape(&value)));
            }
        }
        in_arithmetic(expression, place, read).map(Some)
    })
}

/// `$(env.N * 2)`: the value takes the name's place, still to be computed.
fn in_arithmetic(expression: &str, place: Place, read: bool) -> Result<String, Mistake> {
    let mut out = String::new();
    let mut rest = expression;
    while let Some(at) = rest.find("env.") {
        let named = &rest[at + 4..];
        let end = named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(named.len());
        let starts_word = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        out.push_str(&rest[..at]);
        if starts_word {
            out.push_str(&needed(&named[..end], place, read)?);
        } else {
            out.push_str(&rest[at..at + 4 + end]);
        }
        rest = &named[end..];
    }
    out.push_str(rest);
    Ok(format!("$({out})"))
}

fn needed(name: &str, place: Place, read: bool) -> Result<String, Mistake> {
    value_of(name, read).or_else(|| (!read).then(String::new)).ok_or_else(|| {
        Mistake::at(place, "study::missing-environment", format!("the environment has no variable `{name}`"))
            .label(format!("set `{name}`, or write `$(env.{name}:-default)`"))
    })
}

fn value_of(name: &str, read: bool) -> Option<String> {
    if read && !name.is_empty() { std::env::var(name).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_found_and_doubled_dollars_are_not() {
        assert_eq!(
            parts("a$(b)c$$(d)$(e (f))"),
            [
                TextPiece::Literal("a"),
                TextPiece::Expression("b"),
                TextPiece::Literal("c$$(d)"),
                TextPiece::Expression("e (f)")
            ]
        );
        assert_eq!(parts("$(open"), [TextPiece::Literal("$(open")]);
        assert_eq!(names_in("streams * cpas.cpa + 5s").collect::<Vec<_>>(), ["streams", "cpas.cpa"]);
    }

    #[test]
    fn the_environment_is_filled_in_with_defaults() {
        let filled = |text| environment(text, Place::default(), true, 0).map_err(|mistake| mistake.code);
        // Cargo sets the package's name for tests.
        assert_eq!(filled("<$(env.CARGO_PKG_NAME)>").as_deref(), Ok("<study>"));
        assert_eq!(filled("$(env.NO_SUCH_VALUE:-sqlite://$(scratch)/x)").as_deref(), Ok("sqlite://$(scratch)/x"));
        assert_eq!(filled("$(env.NO_SUCH_VALUE:-$(env.CARGO_PKG_NAME))").as_deref(), Ok("study"));
        assert_eq!(filled("$(env.CARGO_PKG_VERSION_MINOR * 2)").as_deref(), Ok("$(1 * 2)"));
        assert_eq!(filled("$(env.NO_SUCH_VALUE)"), Err("study::missing-environment"));
        let elsewhere = environment("$(env.CARGO_PKG_NAME)", Place::default(), false, 0);
        assert_eq!(elsewhere.as_deref(), Ok(""));
    }
}
