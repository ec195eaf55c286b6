//! Plans of JMeter whose conversion is known.

use crate::{has, lines, made, study};

/// A plan of two requests: an answer gives `id` by an extractor with a default, and the second request is `second`.
fn with_default(second: &str) -> String {
    format!(
        r#"<jmeterTestPlan><hashTree><TestPlan testname="Plan"/><hashTree>
<ThreadGroup testname="Users"><stringProp name="ThreadGroup.num_threads">1</stringProp>
<elementProp name="ThreadGroup.main_controller"><stringProp name="LoopController.loops">5</stringProp></elementProp></ThreadGroup><hashTree>
<HTTPSamplerProxy testname="list"><stringProp name="HTTPSampler.domain">shop.example</stringProp><stringProp name="HTTPSampler.path">/items</stringProp></HTTPSamplerProxy><hashTree>
<RegexExtractor testname="first id"><stringProp name="RegexExtractor.refname">id</stringProp><stringProp name="RegexExtractor.regex">id=(\d+)</stringProp>
<stringProp name="RegexExtractor.template">$1$</stringProp><stringProp name="RegexExtractor.default">none</stringProp></RegexExtractor><hashTree/></hashTree>
{second}
</hashTree></hashTree></hashTree></jmeterTestPlan>"#
    )
}

fn item(path: &str) -> String {
    format!(
        r#"<HTTPSamplerProxy testname="item"><stringProp name="HTTPSampler.domain">shop.example</stringProp><stringProp name="HTTPSampler.path">{path}</stringProp></HTTPSamplerProxy><hashTree/>"#
    )
}

#[test]
fn a_default_that_a_request_needs_is_told_and_its_absence_is_wrong() {
    let made = made("plan.jmx", &with_default(&item("/items/${id}")));
    has(&made, &["capture: { id: \"regex(id=(\\\\d+))\" }", "/items/$(id)"]);
    assert!(!study(&made).contains("optional"), "{}", study(&made));
    assert_eq!((made.seen, made.carried), (2, 2));
    assert_eq!(
        lines(&made),
        [
            "line 5, `first id`: the default of `id`: `none`: captures have no default: JMeter would go on with it; here an \
             answer without the value is wrong, and requests that need the value are not sent"
        ]
    );
}

#[test]
fn a_default_that_an_if_asks_for_is_a_value_that_is_not_there() {
    let guarded = format!(
        r#"<IfController testname="found"><stringProp name="IfController.condition">"${{id}}" != "none"</stringProp></IfController><hashTree>{}</hashTree>"#,
        item("/items/${id}")
    );
    let made = made("plan.jmx", &with_default(&guarded));
    has(&made, &["optional: true", "- if: $(id)\n", "/items/$(id)"]);
    let told = lines(&made);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("a comparison of it with the default is written as one with nothing"), "{told:#?}");
}

#[test]
fn a_default_that_nothing_needs_leaves_the_capture_optional() {
    let made = made("plan.jmx", &with_default(&item("/other")));
    has(&made, &["optional: true"]);
    assert_eq!(
        lines(&made),
        ["line 5, `first id`: the default of `id`: `none`: captures have no default, and no request needs this one"]
    );
}
