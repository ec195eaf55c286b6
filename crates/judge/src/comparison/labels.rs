//! What sides of a comparison are called: runs by what they were set to, where that tells them apart, and not by their ids.

use record::Head;
use std::collections::BTreeSet;

/// A label for each side, all of them different; `None` where only the ids of the runs tell them apart.
///
/// Sides of one study are called by the variables that the command line set and that differ; sides of several studies by
/// the studies' titles. A side whose runs do not agree has no label of its own, so none has.
pub(super) fn by_difference(sides: &[Vec<&Head>]) -> Option<Vec<String>> {
    let names: BTreeSet<&str> =
        sides.iter().flatten().flat_map(|head| &head.set).map(|(name, _)| name.as_str()).collect();
    let told: Vec<&str> = names.into_iter().filter(|name| differs(sides, |head| value(head, name))).collect();
    let title = |head: &Head| head.study.clone();
    let pairs = |head: &Head| {
        let pairs = told.iter().filter_map(|name| Some(format!("{name}={}", value(head, name)?)));
        pairs.collect::<Vec<_>>().join(", ")
    };
    // Who set nothing has what the study says.
    let set = |head: &Head| Some(pairs(head)).filter(|pairs| !pairs.is_empty()).unwrap_or_else(|| title(head));
    let both = |head: &Head| match pairs(head) {
        pairs if pairs.is_empty() => title(head),
        pairs => format!("{} ({pairs})", title(head)),
    };
    let of = |label: &dyn Fn(&Head) -> String| distinct(sides, label);
    if differs(sides, |head| Some(head.study.as_str())) { of(&title).or_else(|| of(&both)) } else { of(&set) }
}

fn value<'a>(head: &'a Head, name: &str) -> Option<&'a str> {
    head.set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn differs<'a>(sides: &[Vec<&'a Head>], of: impl Fn(&'a Head) -> Option<&'a str>) -> bool {
    sides.iter().flatten().map(|head| of(head)).collect::<BTreeSet<_>>().len() > 1
}

/// One label for each side, if all runs of a side have the same and no two sides do.
fn distinct(sides: &[Vec<&Head>], label: &dyn Fn(&Head) -> String) -> Option<Vec<String>> {
    let one = |side: &Vec<&Head>| {
        let all: BTreeSet<String> = side.iter().map(|head| label(head)).collect();
        let mut all = all.into_iter();
        all.next().filter(|_| all.next().is_none())
    };
    let labels: Vec<String> = sides.iter().map(one).collect::<Option<_>>()?;
    let are_distinct = labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    (are_distinct && labels.len() > 1).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(study: &str, set: &[(&str, &str)]) -> Head {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Head { study: study.into(), set, ..Head::default() }
    }

    fn labels(sides: &[Vec<Head>]) -> Option<Vec<String>> {
        let sides: Vec<Vec<&Head>> = sides.iter().map(|side| side.iter().collect()).collect();
        by_difference(&sides)
    }

    #[test]
    fn sides_are_called_by_what_differs_in_them() {
        let delay = |text: &str| run("Shop", &[("delay", text), ("rate", "20/s")]);
        let told = |sides: &[Vec<Head>]| labels(sides).unwrap_or_default();
        assert_eq!(told(&[vec![delay("0")], vec![delay("2ms")]]), ["delay=0", "delay=2ms"]);
        // One is as the study has it.
        assert_eq!(told(&[vec![run("Shop", &[])], vec![run("Shop", &[("pool", "9")])]]), ["Shop", "pool=9"]);
        assert_eq!(told(&[vec![delay("0"), delay("0")], vec![delay("1s")]]), ["delay=0", "delay=1s"]);
        assert_eq!(told(&[vec![run("Old", &[])], vec![run("New", &[])]]), ["Old", "New"]);
        let three = [vec![run("Old", &[])], vec![run("New", &[])], vec![run("New", &[("pool", "9")])]];
        assert_eq!(told(&three), ["Old", "New", "New (pool=9)"]);
    }

    #[test]
    fn what_tells_nothing_apart_is_no_label() {
        let same = || vec![run("Shop", &[("rate", "20/s")])];
        assert_eq!(labels(&[same(), same()]), None);
        let mixed = vec![run("Shop", &[("rate", "20/s")]), run("Shop", &[("rate", "30/s")])];
        assert_eq!(labels(&[same(), mixed]), None);
        assert_eq!(labels(&[same()]), None);
    }
}
