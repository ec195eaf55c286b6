//! What became of an instance: from all events about it together, whoever noticed them and in whatever order.
//!
//! Several threads look after the instances: the launcher sees a process end or a socket close, monitors lose their
//! connection, and at the end of the run everybody is asked again who they are. Which of them notices a death first is
//! chance, and no verdict may depend on it.

use record::EventRow;

/// How an instance was when the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// The one meant, as far as anybody saw; it may have been restarted.
    There,
    /// It had gone and was not seen again. That is the system's own doing: what failed has failed.
    Gone,
    /// Somebody else answered for it: it is not the one meant, and nobody knows since when.
    Replaced,
}

/// From the events about an instance. Who it is, is asked again at the end, so of one that is gone by then nobody was
/// there to be asked: a question that failed is its death and no stranger.
pub(crate) fn presence(events: &[EventRow], instance: &str) -> Presence {
    let last = |kinds: &[&str]| {
        let own = events.iter().filter(|event| event.subject == instance && kinds.contains(&event.kind.as_str()));
        own.map(|event| event.at).max()
    };
    let (gone, back) = (last(&["gone"]), last(&["restart", "back", record::RENEWED]));
    if gone.is_some_and(|gone| back.is_none_or(|back| back < gone)) {
        Presence::Gone
    } else if last(&["identity"]).is_some() {
        Presence::Replaced
    } else {
        Presence::There
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::Nanos;

    fn event(second: i64, kind: &str) -> EventRow {
        let (kind, subject) = (kind.to_owned(), "shop".to_owned());
        EventRow { at: Nanos::from_secs(second), kind, subject, text: String::new() }
    }

    /// Every order in which some events can be recorded.
    fn orders(events: &[EventRow]) -> Vec<Vec<EventRow>> {
        let [first, rest @ ..] = events else { return vec![Vec::new()] };
        let insert = |order: Vec<EventRow>| {
            let first = first.clone();
            (0..=order.len()).map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, first.clone());
                longer
            })
        };
        orders(rest).into_iter().flat_map(insert).collect()
    }

    #[test]
    fn the_order_in_which_events_are_recorded_does_not_matter() {
        use Presence::{Gone, Replaced, There};
        for (events, expected) in [
            (vec![], There),
            (vec![event(40, "gone")], Gone),
            (vec![event(60, "identity")], Replaced),
            // It died, and the question at the end found nobody.
            (vec![event(40, "gone"), event(60, "identity")], Gone),
            // The same, noticed by others only when they looked next.
            (vec![event(60, "identity"), event(61, "gone")], Gone),
            (vec![event(40, "gone"), event(41, "gone"), event(60, "identity")], Gone),
            (vec![event(40, "gone"), event(45, "restart")], There),
            (vec![event(40, "gone"), event(45, "back")], There),
            (vec![event(40, "gone"), event(45, record::RENEWED)], There),
            (vec![event(40, record::RENEWED), event(45, "gone")], Gone),
            (vec![event(40, "gone"), event(45, "restart"), event(60, "identity")], Replaced),
            (vec![event(40, "gone"), event(45, "restart"), event(50, "gone"), event(60, "identity")], Gone),
            (vec![event(45, "restart"), event(60, "identity")], Replaced),
        ] {
            for order in orders(&events) {
                assert_eq!(presence(&order, "shop"), expected, "{order:?}");
                assert_eq!(presence(&order, "stock"), There);
            }
        }
    }
}
