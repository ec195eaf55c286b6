//! The system that a conductor had started before it was killed: what of it is gone, and what outlived it.

use crate::nodes::local;
use crate::observer::{News, Observer};
use launch::Orphan;
use record::Head;

/// Ends what the run had started and is still there. Returns the instances that are gone by themselves, each with a
/// sentence.
pub(super) fn end(head: &Head, observer: &dyn Observer) -> Vec<(String, String)> {
    let started = || head.instances.iter().filter_map(|instance| Some((&instance.name, instance.pid?)));
    let meeting = head.meeting.clone().unwrap_or_default();
    if started().next().is_none() {
        return Vec::new();
    }
    if meeting.clock.is_empty() || meeting.clock != local::clock() {
        let names = started().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "the run had started {names} on {}, where nobody looked from here whether they are gone; end there what is left",
            meeting.host
        );
        observer.hear(News::Warning(&text));
        return Vec::new();
    }
    let mut gone = Vec::new();
    // Last first, as a run ends them.
    for (name, pid) in started().collect::<Vec<_>>().into_iter().rev() {
        match Orphan::find(pid, meeting.pid, name) {
            Some(orphan) => {
                let how = if orphan.end() { "" } else { ", and had to be killed" };
                observer.hear(News::Instance(&format!(
                    "`{name}` had outlived the process that started it; it is ended now{how}"
                )));
            }
            None => {
                let text =
                    format!("`{name}` ended with the process that had started it, or some time after; nobody saw when");
                observer.hear(News::Instance(&text));
                gone.push((name.clone(), text));
            }
        }
    }
    gone
}
