//! Texts on their way into the record: whatever is kept out is cut from them here.

use record::{Entry, Head};
use scrub::KeptOut;
use scrub::MARK;
use scrub::names::is_credential;
use std::borrow::Cow;

/// What is recorded while the run goes on, as it may be written: the sentences of its events. Notes come clean.
pub(crate) fn entry(mut entry: Entry, kept_out: &KeptOut) -> Entry {
    if let Entry::Event(event) = &mut entry
        && let Cow::Owned(cut) = kept_out.cut(&event.text)
    {
        event.text = cut;
    }
    entry
}

/// `run.json` as it may be written. Names of the study stay what they are, since everything else refers to them.
pub(crate) fn head(head: &Head, kept_out: &KeptOut) -> Head {
    let mut head = head.clone();
    let clean = |text: &mut String| {
        if let Cow::Owned(cut) = kept_out.cut(text) {
            *text = cut;
        }
    };
    clean(&mut head.study);
    clean(&mut head.system);
    if let Some(meeting) = &mut head.meeting {
        clean(&mut meeting.url);
        meeting.user.iter_mut().for_each(clean);
    }
    for instance in &mut head.instances {
        clean(&mut instance.url);
        clean(&mut instance.command);
        instance.faults.iter_mut().for_each(|(name, value)| named(name, value, &clean));
        instance.identity.iter_mut().for_each(|(name, value)| named(name, value, &clean));
    }
    for (_, name, value) in head.facts.iter_mut().chain(&mut head.facts_end) {
        named(name, value, &clean);
    }
    head.streams.iter_mut().flat_map(|streams| &mut streams.labels).for_each(clean);
    head.set.iter_mut().for_each(|(name, value)| named(name, value, &clean));
    for step in &mut head.steps {
        step.variables.iter_mut().for_each(|(name, value)| named(name, value, &clean));
    }
    head.ending.iter_mut().for_each(|ending| clean(&mut ending.text));
    head
}

/// A value beside its name: the name may say what it is.
fn named(name: &str, value: &mut String, clean: &impl Fn(&mut String)) {
    match is_credential(name) && !value.is_empty() {
        true => MARK.clone_into(value),
        false => clean(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_shows_no_secret_and_keeps_its_names() {
        let fact = |name: &str, value: &str| ("shop".to_owned(), name.to_owned(), value.to_owned());
        let kept_out = KeptOut::default().with_secrets([&b"checkout-1234"[..]]);
        let mut run = Head { id: "checkout-1234".into(), ..Head::default() };
        run.facts = vec![fact("version", "of checkout-1234"), fact("token", "abc"), fact("url", "postgres://a:b@c/d")];
        run.set = vec![("shop".into(), "at checkout-1234".into()), ("password".into(), "abc".into())];
        let clean = head(&run, &kept_out);
        let set: Vec<_> = clean.set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(set, [("shop", "at ‹kept out›"), ("password", "‹kept out›")]);
        let values: Vec<_> = clean.facts.iter().map(|(_, _, value)| value.as_str()).collect();
        assert_eq!(values, ["of ‹kept out›", "‹kept out›", "postgres://a:‹kept out›@c/d"]);
        assert_eq!(clean.id, "checkout-1234");
    }
}
