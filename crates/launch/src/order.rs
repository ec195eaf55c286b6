//! The order of start.

use contract::Mistake;
use study::Instance;

/// Numbers of the instances in an order in which each comes after all that it `needs`; otherwise as written.
///
/// # Errors
/// A name in `needs` that no instance has, or a circle, with its members in order.
pub(crate) fn order(instances: &[Instance]) -> Result<Vec<usize>, Mistake> {
    let mut state = vec![State::New; instances.len()];
    let mut ordered = Vec::with_capacity(instances.len());
    for index in 0..instances.len() {
        visit(index, instances, &mut state, &mut Vec::new(), &mut ordered)?;
    }
    Ok(ordered)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth first; recursion is as deep as the longest chain of needs, at most the number of instances.
fn visit(
    index: usize,
    instances: &[Instance],
    state: &mut [State],
    path: &mut Vec<usize>,
    ordered: &mut Vec<usize>,
) -> Result<(), Mistake> {
    match state[index] {
        State::Done => return Ok(()),
        State::Open => return Err(circle(index, instances, path)),
        State::New => state[index] = State::Open,
    }
    path.push(index);
    for need in &instances[index].needs {
        let needed = instances.iter().position(|instance| instance.name == *need);
        visit(needed.ok_or_else(|| unknown(&instances[index], need, instances))?, instances, state, path, ordered)?;
    }
    path.pop();
    state[index] = State::Done;
    ordered.push(index);
    Ok(())
}

fn circle(index: usize, instances: &[Instance], path: &[usize]) -> Mistake {
    let from = path.iter().position(|&earlier| earlier == index).unwrap_or_default();
    let names: Vec<_> =
        path[from..].iter().chain([&index]).map(|&member| format!("`{}`", instances[member].name)).collect();
    let message = format!("{} need each other in a circle", names.join(" → "));
    Mistake::at(instances[index].place, "launch::needs-circle", message)
        .hint("an instance starts when all it needs is ready; take one name out of a `needs`")
}

fn unknown(instance: &Instance, need: &str, instances: &[Instance]) -> Mistake {
    let message = format!("`{}` needs `{need}`, which is not an instance", instance.name);
    let names: Vec<_> = instances.iter().map(|instance| format!("`{}`", instance.name)).collect();
    let mistake = Mistake::at(instance.place, "launch::needs-unknown", message);
    let mistake = match contract::suggestion(need, instances.iter().map(|instance| instance.name.as_str())) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistake.hint(format!("possible here: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::instance;
    use proptest::prelude::*;

    fn system(needs: &[(&str, &[&str])]) -> Vec<Instance> {
        let one = |(name, needs): &(&str, &[&str])| {
            let mut made = instance(name);
            made.needs = needs.iter().map(|&need| need.to_owned()).collect();
            made
        };
        needs.iter().map(one).collect()
    }

    #[test]
    fn what_is_needed_starts_first_else_the_order_written_holds() {
        let system = system(&[("front", &["lookup", "store"]), ("lookup", &["store"]), ("store", &[]), ("jobs", &[])]);
        assert_eq!(order(&system).unwrap(), [2, 1, 0, 3]);
    }

    #[test]
    fn a_circle_is_named_in_order() {
        let system = system(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
        let mistake = order(&system).unwrap_err();
        assert_eq!(mistake.message, "`b` → `c` → `b` need each other in a circle");
    }

    #[test]
    fn an_unknown_need_gets_a_suggestion() {
        let mistake = order(&system(&[("front", &["lokup"]), ("lookup", &[])])).unwrap_err();
        assert_eq!(mistake.message, "`front` needs `lokup`, which is not an instance");
        assert_eq!(mistake.label.unwrap(), "did you mean `lookup`?");
    }

    proptest! {
        #[test]
        fn every_instance_once_and_after_its_needs(edges in prop::collection::vec((0usize..12, 0usize..12), 0..30)) {
            // Needs point to smaller numbers only, so there is no circle.
            let mut system: Vec<_> = (0..12).map(|number| instance(&format!("i{number}"))).collect();
            for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
                system[a.max(b)].needs.push(format!("i{}", a.min(b)));
            }
            system.reverse();
            let ordered = order(&system).unwrap();
            let mut sorted = ordered.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..12).collect::<Vec<_>>());
            for (at, &index) in ordered.iter().enumerate() {
                for need in &system[index].needs {
                    prop_assert!(ordered[..at].iter().any(|&earlier| system[earlier].name == *need));
                }
            }
        }
    }
}
