//! Legs that a watched count closes: how many units are done is known, and not which of them.

use crate::model::{Carries, CountedLeg, Exchange};
use crate::rules::{FIGURES, World};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Kind, LegKind, Mistake, Mistakes, Node};

/// Keys of such a leg.
pub(crate) static COUNTED: [Key; 2] = [
    required("counted_by", Form::Text, "the watched count that closes it: `MONITOR.METRIC`, such as `store.entries`"),
    key("of", Form::Text, "the unit of `carries` that is counted; without it each exchange counts once"),
];

/// Reads one leg that has `counted_by`. Whether that is watched is seen later, by [`check`].
pub(crate) fn read(
    (exchange, legs): (&str, &[LegKind]),
    (key, node): (&Node, &Node),
    units: &[Carries],
    mistakes: &mut Mistakes,
) -> Option<CountedLeg> {
    let name = read::name(key, "a leg", mistakes)?;
    let is_taken = legs.iter().any(|leg| leg.name == name)
        || FIGURES.contains(&name.as_str())
        || units.iter().any(|known| known.unit == name);
    if is_taken {
        let text =
            format!("`{exchange}.{name}` would mean two things: `{name}` is a leg, a figure or a unit of it, too");
        mistakes.push(Mistake::at(key.place, "study::duplicate-name", text).label("choose another name for this leg"));
        return None;
    }
    let mut keys = Reader::of(node, &COUNTED, format!("leg `{name}`"), mistakes);
    let (by, of) = (keys.need("counted_by", mistakes), keys.take("of"));
    keys.finish(mistakes);
    let place = by?.place;
    let by = mistakes.keep(by?.as_text("`counted_by`"))?;
    let Some((monitor, metric)) = by.split_once('.') else {
        let text = format!("`{by}` does not name a metric of a monitor");
        mistakes.push(Mistake::at(place, "study::wrong-series", text).label("write `MONITOR.METRIC`"));
        return None;
    };
    let of = match of {
        None => None,
        Some(node) => {
            let known: Vec<String> = units.iter().map(|known| known.unit.clone()).collect();
            let found = read::one_of(node, &format!("unit that `{exchange}` carries"), &known, mistakes)?;
            Some(known[found].clone())
        }
    };
    Some(CountedLeg { name, monitor: monitor.to_owned(), metric: metric.to_owned(), of, place })
}

/// That each of them names a count that is watched.
pub(crate) fn check(world: &World<'_>, exchanges: &[Exchange], mistakes: &mut Mistakes) {
    for leg in exchanges.iter().flat_map(|exchange| &exchange.counted) {
        let CountedLeg { monitor, metric, place, .. } = leg;
        let Some(watch) = world.watch.iter().find(|watch| watch.name == *monitor) else {
            let known: Vec<String> = world.watch.iter().map(|watch| watch.name.clone()).collect();
            mistakes.push(read::unknown(monitor, "monitor", &known, *place));
            continue;
        };
        match world.metric(monitor, metric) {
            // One with a mistake of its own has no kind.
            None if watch.kind.is_empty() => {}
            None => {
                let known = world.metrics(watch);
                mistakes.push(read::unknown(metric, &format!("metric of `{monitor}`"), &known, *place));
            }
            Some(kind) if kind.kind == Kind::Counter || kind.name.is_empty() => {}
            Some(_) => mistakes.push(
                Mistake::at(*place, "study::wrong-series", format!("`{monitor}.{metric}` is a level, not a count"))
                    .label("name a counter, or a number that a query of the study counts")
                    .hint("for example `store: { sql: { values: { entries: select count(*) from log_entry } } }`"),
            ),
        }
    }
}
