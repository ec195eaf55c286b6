//! An attribute in a study: its type, and what its values are.

use super::filled;
use crate::stream::Type;
use crate::values::Values;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, suggestion};
use terms::Unit;

/// Texts to choose from.
const CHOICES_MAX: usize = 10_000;
const TEXT_BYTES_MAX: f64 = 16.0 * 1024.0 * 1024.0;
/// Deviation of the logarithm of a length, unless said: as of articles, whose longest tenth has three times the mean.
const SPREAD: f64 = 1.0;
/// Of log-normal lengths none is longer than so many times the mean, unless said.
const MOST: f64 = 100.0;

/// An attribute of an event.
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) values: Values,
}

/// Reads `{ TYPE: VALUES }`.
pub(super) fn read(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<(Type, Values)> {
    let one = node.map().filter(|entries| entries.len() == 1).and_then(|entries| entries.first());
    let Some((key, value)) = one else {
        mistakes.push(
            Mistake::at(node.place, "thrift::attribute", "an attribute is one type with its values")
                .label("write for example `{ int: { from: 1, to: 40000 } }` or `{ string: [Boston, Austin] }`"),
        );
        return None;
    };
    let word = key.text().unwrap_or_default();
    let Some(kind) = Type::ALL.into_iter().find(|kind| kind.name() == word) else {
        let mistake = Mistake::at(key.place, "thrift::attribute", format!("`{word}` is not a type of attributes"))
            .hint("possible are int, long, float, double, bool and string");
        let near = suggestion(word, Type::ALL.map(Type::name));
        mistakes.push(match near {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake,
        });
        return None;
    };
    let values = match kind {
        Type::Bool => mistakes.keep(filled(value, context).and_then(|value| share(&value))).map(Values::Share),
        Type::String => texts(value, context, mistakes),
        Type::Int | Type::Long | Type::Float | Type::Double => numbers(kind, value, context, mistakes),
    };
    Some((kind, values?))
}

fn share(node: &Node) -> Result<f64, Mistake> {
    let read = node.as_quantity("the share of a `bool`", &Unit::Share, "30%")?;
    if (0.0..=1.0).contains(&read.value) {
        Ok(read.value)
    } else {
        Err(out_of_range(node, "a share is outside 0% to 100%", "30%"))
    }
}

fn numbers(kind: Type, node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Values> {
    match node.text() {
        Some("number") => return Some(Values::Number),
        Some("now") if kind != Type::Int && kind != Type::Float => return Some(Values::Now),
        Some("now") => {
            mistakes.push(
                Mistake::at(node.place, "thrift::attribute", format!("a moment does not fit into `{}`", kind.name()))
                    .label("write `long`"),
            );
            return None;
        }
        _ => {}
    }
    let mut keys = Keys::of(node, format!("`{}`", kind.name()), mistakes);
    let is_whole = matches!(kind, Type::Int | Type::Long);
    if let Some(mean) = keys.take("mean") {
        let mean = mistakes.keep(number(mean, "`mean`", context));
        let deviation =
            keys.need("deviation", mistakes).and_then(|node| mistakes.keep(number(node, "`deviation`", context)));
        keys.finish(mistakes);
        return Some(Values::Normal { mean: mean?, deviation: deviation? });
    }
    let (from, to) = (keys.need("from", mistakes), keys.need("to", mistakes));
    keys.finish(mistakes);
    let (from_node, to) = (from?, to?);
    if is_whole {
        let values = whole_range(kind, (from_node, to), context, mistakes)?;
        return Some(Values::Whole { from: values.0, to: values.1 });
    }
    let (from, to) =
        (mistakes.keep(number(from_node, "`from`", context))?, mistakes.keep(number(to, "`to`", context))?);
    if from > to {
        mistakes.push(out_of_range(from_node, "`from` is above `to`", "0"));
        return None;
    }
    Some(Values::Between { from, to })
}

fn whole_range(
    kind: Type,
    (from, to): (&Node, &Node),
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<(i64, i64)> {
    let within = if kind == Type::Int { i64::from(i32::MIN)..=i64::from(i32::MAX) } else { i64::MIN..=i64::MAX };
    let mut read = |node: &Node, what: &str| {
        let node = mistakes.keep(filled(node, context))?;
        let node = &node;
        let number = node.text().and_then(|text| text.parse::<i64>().ok()).filter(|number| within.contains(number));
        if number.is_none() {
            let found = node.text().map_or_else(|| node.what().to_owned(), |text| format!("`{text}`"));
            mistakes.push(out_of_range(
                node,
                &format!("{what} is {found}, not a whole number that fits into `{}`", kind.name()),
                "1",
            ));
        }
        number
    };
    let (low, high) = (read(from, "`from`"), read(to, "`to`"));
    let (low, high) = (low?, high?);
    if low > high {
        mistakes.push(out_of_range(from, "`from` is above `to`", "1"));
        return None;
    }
    Some((low, high))
}

fn texts(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Values> {
    if let Some(choices) = node.list() {
        if choices.is_empty() || choices.len() > CHOICES_MAX {
            mistakes.push(out_of_range(
                node,
                &format!("there are {} texts to choose from; 1 to {CHOICES_MAX} are possible", choices.len()),
                "[Boston, Austin]",
            ));
            return None;
        }
        let texts: Option<Vec<_>> =
            choices.iter().map(|one| mistakes.keep(context.text(one, "a text to choose from"))).collect();
        return Some(Values::OneOf(texts?.into_iter().map(|text| text.into_bytes().into()).collect()));
    }
    if node.text().is_some() {
        let text = mistakes.keep(context.text(node, "the text of an attribute"))?;
        return Some(Values::OneOf(vec![text.into_bytes().into()]));
    }
    let mut keys = Keys::of(node, "`string`", mistakes);
    if let Some(before) = keys.take("before") {
        let before = mistakes.keep(context.text(before, "`before`"));
        let (from, to) = (keys.need("from", mistakes), keys.need("to", mistakes));
        keys.finish(mistakes);
        let (from, to) = whole_range(Type::Long, (from?, to?), context, mistakes)?;
        return Some(Values::Numbered { before: before?.into_bytes().into(), from, to });
    }
    if let Some(length) = keys.take("length") {
        keys.finish(mistakes);
        return mistakes.keep(bytes(length, "`length`", context)).map(|length| Values::Length(length as u32));
    }
    let mean = keys.need("mean", mistakes).and_then(|node| mistakes.keep(bytes(node, "`mean`", context)));
    let spread = keys.take("spread").map_or(Some(SPREAD), |node| {
        let read = mistakes.keep(number(node, "`spread`", context))?;
        if (0.0..=3.0).contains(&read) {
            return Some(read);
        }
        mistakes.push(out_of_range(node, "`spread` is outside 0 to 3", "0.8"));
        None
    });
    let most = keys.take("most").map(|node| mistakes.keep(bytes(node, "`most`", context)));
    keys.finish(mistakes);
    let (mean, spread) = (mean?, spread?);
    let most = most.unwrap_or(Some((MOST * mean).min(TEXT_BYTES_MAX)))?;
    Some(Values::log_normal(mean.max(1.0), spread, most as u32))
}

fn number(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<f64, Mistake> {
    let node = &filled(node, context)?;
    let read = node.as_text(what)?.parse::<f64>().ok().filter(|number| number.is_finite());
    read.ok_or_else(|| out_of_range(node, &format!("{what} is not a number"), "12.5"))
}

fn bytes(node: &Node, what: &str, context: &BuildContext<'_>) -> Result<f64, Mistake> {
    let node = &filled(node, context)?;
    let read = node.as_quantity(what, &Unit::Bytes, "3.5kB")?;
    if (0.0..=TEXT_BYTES_MAX).contains(&read.value) {
        Ok(read.value)
    } else {
        Err(out_of_range(node, &format!("{what} is outside 0 B to 16 MiB"), "3.5kB"))
    }
}

fn out_of_range(node: &Node, what: &str, example: &str) -> Mistake {
    Mistake::at(node.place, "study::out-of-range", what.to_owned()).label(format!("write for example `{example}`"))
}
