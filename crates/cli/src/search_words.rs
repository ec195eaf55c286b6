//! What `check` says of a search: which loads it may try, how the next one follows, and how many attempts are usual.

use crate::screen::several;
use study::{Scenario, Search, SearchPoint, SearchRule, Study};
use terms::{Nanos, Quantity, Unit};

/// The search that a scenario begins. None of a study that has its attempts already, as that of a run folder has.
pub(crate) fn begun<'a>(study: &Study, scenario: &'a Scenario) -> Option<&'a SearchPoint> {
    let point = scenario.point.as_ref().filter(|point| point.number == 1)?;
    let is_of_it = |known: &&Scenario| known.point.as_ref().is_some_and(|own| own.search.name == point.search.name);
    (study.scenarios.iter().filter(is_of_it).count() == 1).then_some(point)
}

/// The search in lines of its own, above the phases of its first attempt.
pub(crate) fn lines(scenario: &Scenario, search: &Search) -> Vec<String> {
    let is_varied = |(name, _): &&(String, String)| search.variables().contains(&name.as_str());
    let first: Vec<String> =
        scenario.set.iter().filter(is_varied).map(|(name, value)| format!("{name} {value}")).collect();
    let (usual, most) = (search.usual_attempts(), search.most_attempts());
    vec![
        rule(search),
        format!(
            "about {} are usual, at most {most}; what follows is the first, with {}",
            several(usual, "attempt"),
            first.join(", ")
        ),
    ]
}

/// What attempts beyond the first usually add to the length of one, `each`.
pub(crate) fn more(search: &Search, each: Nanos) -> Nanos {
    each * i64::from(search.usual_attempts().saturating_sub(1))
}

fn rule(search: &Search) -> String {
    let share = |value: f64| Quantity { value, unit: Unit::Share };
    match &search.rule {
        SearchRule::Bracket(rule) => {
            let (passes, of) = rule.passes;
            let passes =
                if of == 1 { String::new() } else { format!("; a load holds that passes {passes} of {of} times") };
            let confirm = rule.confirm.map_or_else(String::new, |length| format!("; confirmed by a hold of {length}"));
            format!(
                "search by the rule `bracket`: {} from {} to {}, until the limit is known within {}{passes}{confirm}",
                rule.vary,
                rule.text(rule.from.value),
                rule.text(rule.to.value),
                share(rule.width)
            )
        }
        SearchRule::Nsp(rule) => {
            let range = |which: usize| {
                format!(
                    "{} from {} by {} to {}",
                    rule.variables[which], rule.first[which], rule.raise[which], rule.most[which]
                )
            };
            format!(
                "search by the rule `nsp`: {}, then {}, while the throughput grows by {} of the load added",
                range(0),
                range(1),
                share(rule.target)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use study::{BracketRule, NspRule};

    fn search(rule: SearchRule) -> Search {
        Search { name: "peak".into(), rule, by: None }
    }

    #[test]
    fn a_search_says_its_range_and_how_often_it_is_usually_tried() {
        let steps = search(SearchRule::Nsp(NspRule {
            variables: ["threads".into(), "nodes".into()],
            first: [5, 2],
            raise: [3, 1],
            most: [50, 10],
            target: 0.6,
        }));
        assert_eq!(
            rule(&steps),
            "search by the rule `nsp`: threads from 5 by 3 to 50, then nodes from 2 by 1 to 10, while the throughput grows \
             by 60% of the load added"
        );
        assert_eq!(more(&steps, Nanos::from_secs(60)), Nanos::from_secs(7 * 60), "eight attempts are usual");
        let rate = |text: &str| Quantity::parse(text).unwrap();
        let mut bracket = BracketRule {
            vary: "rate".into(),
            from: rate("20/s"),
            to: rate("400/s"),
            width: 0.02,
            passes: (1, 1),
            accept: Vec::new(),
            confirm: None,
            most: 30,
        };
        let begins = "search by the rule `bracket`: rate from 20/s to 400/s, until the limit is known within 2%";
        assert_eq!(rule(&search(SearchRule::Bracket(bracket.clone()))), begins);
        (bracket.passes, bracket.confirm) = ((2, 3), Some(Nanos::from_secs(600)));
        assert_eq!(
            rule(&search(SearchRule::Bracket(bracket))),
            format!("{begins}; a load holds that passes 2 of 3 times; confirmed by a hold of 10m")
        );
    }
}
