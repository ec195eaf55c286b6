//! Parts of a mix that carry out exchanges of one name: each has its own figures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use terms::Phase;

/// The first scenario as a mix of two parts, which both look up; the second of them a hundred times only.
fn mixed() -> Fixture {
    let mut fixture = fixture();
    let at = fixture.views.steps.iter().position(|step| step.phase == Phase::Hold).unwrap();
    let number = fixture.views.steps.iter().map(|step| step.number).max().unwrap() + 1;
    for (part, number) in [("desk", number), ("web", fixture.views.steps[at].number)] {
        let (mut step, mut result) = (fixture.views.steps[at].clone(), fixture.judgement.steps[at].clone());
        (step.part, result.part) = (Some(part.into()), Some(part.into()));
        (step.number, result.number) = (number, number);
        step.exchanges.iter_mut().for_each(|exchange| exchange.name = format!("{part}/{}", exchange.name));
        if part == "desk" {
            for leg in result.exchanges.iter_mut().flat_map(|exchange| &mut exchange.legs) {
                leg.count = leg.count.min(100);
            }
            fixture.views.steps.insert(at + 1, step);
            fixture.judgement.steps.insert(at + 1, result);
        } else {
            (fixture.views.steps[at], fixture.judgement.steps[at]) = (step, result);
        }
    }
    fixture
}

#[test]
fn the_shape_of_a_part_is_that_of_its_own_calls() {
    let fixture = mixed();
    let document = report::document(&fixture.input(), "en");
    let of = |what: &str| {
        let wanted = format!("{what} · lookup");
        let own = document.tables().into_iter().filter(|table| table.name.contains("-shape-"));
        own.filter(|table| table.caption.contains(&wanted)).map(|table| table.rows.len()).collect::<Vec<_>>()
    };
    // A hundred calls are too few for a shape, which takes nothing from the other part.
    assert_eq!((of("web"), of("desk")), (vec![1], vec![]));
}
