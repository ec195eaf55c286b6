//! `count: 12000000 events`: a load that is counted in what its exchanges carry instead of iterations.

use crate::model::{Carried, Exchange, Item, IterationWork};
use crate::sections::load_key::LOAD;
use contract::{Mistake, Mistakes, Node, Shape, meant, suggestion};
use terms::{Quantity, Unit};

/// Keys of a load that may be counted so.
const KEYS: [&str; 2] = ["count", "warm_up"];

/// Writes iterations in place of units: so many as it takes, the last one whole.
pub(crate) fn in_iterations(
    load: &mut Node,
    (run, carries, exchanges): (&[Item], &[Carried], &[Exchange]),
    mistakes: &mut Mistakes,
) {
    let Shape::Map(entries) = &mut load.shape else { return };
    let possible = || LOAD.iter().map(|row| row.name);
    // A slip is reported, and read as what was meant, with the load.
    let is_counted = |key: &Node| {
        key.text()
            .is_some_and(|word| KEYS.contains(&word) || meant(word, possible()).is_some_and(|it| KEYS.contains(&it)))
    };
    for (_, value) in entries.iter_mut().filter(|(key, _)| is_counted(key)) {
        let Some(Ok(Quantity { value: units, unit: Unit::Of(unit) })) = value.text().map(Quantity::parse) else {
            continue;
        };
        if units <= 0.0 {
            mistakes.push(
                Mistake::at(value.place, "study::out-of-range", "a load carries one unit at least")
                    .label(format!("write for example `12000 {unit}`")),
            );
        }
        let each = each(&unit, (run, carries, exchanges), value, mistakes);
        // Where there was a mistake, it has been told, and whatever is here is not carried out.
        let iterations = each.map_or(1.0, |each| (units / each).ceil().max(1.0));
        value.shape = Shape::Text { text: format!("{iterations:.0}"), quoted: false };
    }
}

/// Units of an iteration.
fn each(
    unit: &str,
    (run, carries, exchanges): (&[Item], &[Carried], &[Exchange]),
    node: &Node,
    mistakes: &mut Mistakes,
) -> Option<f64> {
    let IterationWork { mean, most, .. } = IterationWork::of(run, exchanges.len());
    let own =
        carries.iter().filter(|carried| carried.unit == unit).map(|carried| (usize::from(carried.exchange), carried));
    let mut each = 0.0;
    for (exchange, carried) in own {
        let (usual, highest) = (mean.get(exchange).copied()?, most.get(exchange).copied()?);
        if usual < highest {
            let name = exchanges.get(exchange).map_or("", |exchange| exchange.name.as_str());
            let text =
                format!("how often an iteration carries out `{name}` is not known, so its {unit} cannot be counted");
            mistakes.push(
                Mistake::at(node.place, "study::unknown-unit", text)
                    .label("write a number of iterations")
                    .hint("chance or a condition decides in `run`"),
            );
            return None;
        }
        let Some(count) = carried.count else {
            let name = exchanges.get(exchange).map_or("", |exchange| exchange.name.as_str());
            let text = format!("how many {unit} `{name}` carries is known only from its answers");
            mistakes.push(
                Mistake::at(node.place, "study::unknown-unit", text)
                    .label("write a number of iterations, or a duration")
                    .hint(format!("`rate({name}.{unit})` and `count({name}.{unit})` are possible in rules")),
            );
            return None;
        };
        each += usual * count as f64;
    }
    if each > 0.0 {
        return Some(each);
    }
    let mut known: Vec<&str> = carries.iter().map(|carried| carried.unit.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    let mistake =
        Mistake::at(node.place, "study::unknown-unit", format!("no exchange of the scenario carries `{unit}`"));
    let hint = match known.as_slice() {
        [] => format!("write `carries: {{ {unit}: 100 }}` in an exchange of `run`, or a number of iterations"),
        known => format!("its exchanges carry {}", known.join(", ")),
    };
    mistakes.push(match suggestion(unit, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")).hint(hint),
        None => mistake.hint(hint),
    });
    None
}
