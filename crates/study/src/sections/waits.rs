//! The waits around a load: how long each is, and the rule that may end it.

use crate::model::Wait;
use crate::model::rule::Rule;
use crate::names::variables::Scope;
use crate::rules::{self, Where, World};
use crate::syntax::keys::{Form, Key, Reader, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node};
use std::collections::BTreeMap;
use terms::Nanos;

/// Keys of a wait that a rule may end.
pub(crate) static WAIT: [Key; 2] = [
    required("until", Form::Rule, "what ends it: `settled(metric)`, `drained(metric)`, or both with `and`"),
    required("at_most", Form::Duration, "the longest wait"),
];

/// So long it must have been quiet before an idle phase is over that a rule ends: these seconds are the baseline.
pub const QUIET: Nanos = Nanos::from_secs(10);

/// How long a wait is, at most where a rule may end it; the rule is read afterwards. `None` where the study says nothing,
/// and for a drain that is automatic.
pub(crate) fn longest(node: Option<&Node>, wait: Wait, scope: &Scope, mistakes: &mut Mistakes) -> Option<Nanos> {
    let (node, what) = (node?, format!("`{}`", wait.name()));
    if node.map().is_none() {
        let node = scope.fill_node(node, mistakes);
        let is_automatic = wait == Wait::Drain && node.text() == Some("automatic");
        return if is_automatic { None } else { read::duration(&node, &what, mistakes) };
    }
    let mut keys = Reader::of(node, &WAIT, what, mistakes);
    keys.need("until", mistakes);
    let most = keys.need("at_most", mistakes).map(|node| scope.fill_node(node, mistakes));
    keys.finish(mistakes);
    read::some_duration(&most?, "`at_most`", mistakes)
}

/// Refuses an idle phase that its rule can never end.
pub(crate) fn check_idle(node: &Node, idle: Nanos, mistakes: &mut Mistakes) {
    let most = node.get("idle").and_then(|idle| idle.get("at_most"));
    if let Some(most) = most.filter(|_| Nanos::ZERO < idle && idle <= QUIET) {
        let text = format!("`at_most` ends this idle phase after {idle}, and it has to be quiet for {QUIET}");
        mistakes.push(
            Mistake::at(most.place, "study::out-of-range", text)
                .label("write a longer time, such as `5m`")
                .hint(format!("the last {QUIET} are the baseline, and the rule must hold in all of them")),
        );
    }
}

/// The rules that may end the waits of scenario `number`, which is written in `node`.
pub(crate) fn until(
    node: Option<&Node>,
    number: usize,
    world: &World<'_>,
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> BTreeMap<Wait, Rule> {
    let mut of = |wait: Wait| {
        let until = node?.get(wait.name())?.get("until").filter(|until| !until.is_missing())?;
        let draft = mistakes.keep(rules::parse(until, scope))?;
        let rule = rules::resolve(&draft, world, (number, None), Where::Wait(wait), mistakes)?;
        Some((wait, rule))
    };
    Wait::ALL.into_iter().filter_map(&mut of).collect()
}
