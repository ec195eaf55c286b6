//! `parallel`: calls of an iteration that are made at once.

use crate::model::Exchange;
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node};

/// Calls at a time where the study does not say: so many connections browsers open to a host over HTTP/1.1.
pub(crate) const AT_ONCE: u32 = 6;
/// Each user has so many sessions; browsers stay far below.
pub(crate) const AT_ONCE_MAX: u64 = 64;
/// Calls in one list: its transaction is named after them, and each is a line of the plan.
const CALLS_MAX: usize = 1_000;
/// A longer list of names is cut; two that differ only beyond are booked as one.
const NAME_CHARS: usize = 120;

/// What its transaction is called: no exchange and no other transaction can have a name with spaces.
pub(crate) fn name(listed: &Node) -> Option<String> {
    let members = read::members(listed);
    let names =
        members.iter().map(|member| member.text()).collect::<Option<Vec<&str>>>().filter(|names| !names.is_empty())?;
    let mut name = format!("parallel {}", names[0]);
    for (place, next) in names.iter().enumerate().skip(1) {
        if name.len() + next.len() > NAME_CHARS {
            name.push_str(&format!(" and {} more", names.len() - place));
            break;
        }
        name.push_str(", ");
        name.push_str(next);
    }
    Some(name)
}

/// The exchanges of a list, which has nothing else.
pub(crate) fn calls(
    listed: &Node,
    exchange: impl Fn(&Node, &mut Mistakes) -> Option<u16>,
    mistakes: &mut Mistakes,
) -> Option<Vec<u16>> {
    let members = read::members(listed);
    if members.is_empty() {
        mistakes.push(
            Mistake::at(listed.place, "study::empty", "`parallel` makes no call").label("name at least one exchange"),
        );
        return None;
    }
    if members.len() > CALLS_MAX {
        let text = format!("`parallel` has at most {CALLS_MAX} calls, and this one has {}", members.len());
        mistakes.push(Mistake::at(listed.place, "study::too-large", text));
        return None;
    }
    let call = |node: &&Node| {
        if node.text().is_some() {
            return exchange(node, &mut *mistakes);
        }
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", "`parallel` lists exchanges by their names, nothing else")
                .label("write waits, loops and choices before or after it")
                .hint("everything in one list begins together; `{ parallel: [ css, js ], at_once: 6 }`"),
        );
        None
    };
    let found: Vec<Option<u16>> = members.iter().map(call).collect();
    found.into_iter().collect()
}

/// Of two calls at once that take a value under one name, whichever ends last would decide what it is.
pub(crate) fn check_captures(calls: &[u16], members: &[&Node], exchanges: &[Exchange], mistakes: &mut Mistakes) {
    let names = |number: u16| {
        let captures = exchanges.get(usize::from(number)).map_or(&[][..], |exchange| &exchange.settings.captures);
        captures.iter().map(|capture| capture.name.as_str())
    };
    for (place, (&number, member)) in calls.iter().zip(members).enumerate() {
        let taken = |name: &&str| calls[..place].iter().any(|&other| names(other).any(|taken| taken == *name));
        let Some(name) = names(number).find(taken) else { continue };
        let text = format!("two of these calls at once capture `{name}`: the one that ends last would decide");
        mistakes.push(
            Mistake::at(member.place, "study::conflict", text)
                .label("use another name, or make this call before or after the others"),
        );
    }
}
