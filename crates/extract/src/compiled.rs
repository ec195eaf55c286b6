//! All checks and captures of one exchange, compiled.

use crate::Answer;
use crate::compare::{holds, is_number, is_order};
use crate::probe::{Lookup, Missing};
use crate::several;
use crate::xpath::Type;
use contract::{
    BuildContext, Capture, Check, Compare, Mistake, Mistakes, Probe, ScriptArgument, UNITS_MAX, UNITS_SLOT, Which,
    units_of,
};
use scrub::MARK;
use scrub::names::mentions_credential;
use std::borrow::Cow;

/// A failed check hands on at most this much of what was found. So much is looked through for what is kept out; less of
/// it is shown.
const FOUND_BYTES_MAX: usize = 1536;

/// All checks and captures of one exchange. Built once; evaluating it changes nothing in it.
pub struct Compiled {
    /// Checks `status = n`, which need neither text nor memory.
    statuses: Vec<StatusIs>,
    checks: Vec<Ready>,
    captures: Vec<Kept>,
    has_status_check: bool,
    needs_body: bool,
    needs_headers: bool,
}

struct StatusIs {
    status: u16,
    text: Box<str>,
}

struct Ready {
    lookup: Lookup,
    compare: Compare,
    expected: Expected,
    text: Box<str>,
    /// Whether it looks at what is named like a credential: what it finds is told to nobody.
    is_credential: bool,
}

enum Expected {
    Fixed(Box<[u8]>),
    Template(u16),
}

struct Kept {
    slot: u8,
    name: Box<str>,
    lookup: Lookup,
    pick: Which,
    is_optional: bool,
}

/// The first check that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCheck {
    /// The check as the study has it.
    pub text: String,
    /// What was found instead, cut to 1,536 bytes, or why nothing was.
    pub found: String,
    /// Whether it was a check of the status.
    pub is_status: bool,
    /// Whether it is the study's fault, not the answer's: the expected side could not be rendered, because a capture is
    /// not there, looking at the answer went beyond a bound, or a script failed.
    pub is_study: bool,
}

/// The first capture that kept nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCapture<'a> {
    /// Its name in the study.
    pub name: &'a str,
    /// Whether it is how many of a unit, by that name, the exchange carried.
    pub is_units: bool,
    /// Why nothing was kept.
    pub found: Cow<'static, str>,
    /// Whether it is the study's fault, not the answer's: looking at the answer went beyond a bound.
    pub is_study: bool,
}

impl FailedCapture<'_> {
    /// What was missing, and why: the sentence that a sample of the failure begins with.
    pub fn told(&self) -> String {
        match self.is_units {
            true => format!("no number of {}: {}", self.name, self.found),
            false => format!("nothing to capture as `{}`: {}", self.name, self.found),
        }
    }
}

/// Fills in the template of that number; `false` when a value that it needs is missing.
pub type Render<'a> = dyn FnMut(u16, &mut Vec<u8>) -> bool + 'a;

impl Compiled {
    /// Compiles all of them; templates with slots are kept with `context`, under the numbers that [`Render`] is asked for.
    ///
    /// # Errors
    /// Every JSONPath, XPath and pattern that cannot be read, each with its place.
    pub fn new(checks: &[Check], captures: &[Capture], context: &mut BuildContext<'_>) -> Result<Self, Mistakes> {
        let mut mistakes = Mistakes::default();
        let mut compiled = Self {
            statuses: Vec::new(),
            checks: Vec::new(),
            captures: Vec::new(),
            has_status_check: false,
            needs_body: false,
            needs_headers: false,
        };
        for check in checks {
            compiled.add_check(check, context, &mut mistakes);
        }
        for capture in captures {
            let lookup = Lookup::new(&capture.probe, capture.place, context.namespaces());
            if let Some(lookup) = mistakes.keep(lookup.and_then(|lookup| lookup.that_picks(capture))) {
                compiled.note_needs(&lookup);
                let Capture { slot, pick, is_optional, .. } = *capture;
                compiled.captures.push(Kept { slot, name: capture.name.as_str().into(), lookup, pick, is_optional });
            }
        }
        mistakes.into_result()?;
        Ok(compiled)
    }

    fn add_check(&mut self, check: &Check, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
        self.has_status_check |= check.probe == Probe::Status;
        let text: Box<str> = check.text.as_str().into();
        let fixed = check.expected.as_fixed();
        let status = fixed.and_then(|bytes| std::str::from_utf8(bytes).ok()?.trim().parse().ok());
        if let (Probe::Status, Compare::Equal, Some(status)) = (&check.probe, check.compare, status) {
            return self.statuses.push(StatusIs { status, text });
        }
        let Some(lookup) = mistakes.keep(Lookup::of_check(&check.probe, check.place, context)) else { return };
        self.note_needs(&lookup);
        let mut compare = check.compare;
        let mut expected = match fixed {
            Some(bytes) => Expected::Fixed(bytes.into()),
            None => Expected::Template(context.keep(check.expected.clone())),
        };
        // A bare check asks whether something is there.
        if let (Lookup::Xpath(looked), Compare::Contains, Some(b"")) = (&lookup, compare, fixed) {
            match looked.path.of() {
                Type::Nodes => {}
                // The expression answers the question itself.
                Type::Truth => (compare, expected) = (Compare::Equal, Expected::Fixed(b"true".as_slice().into())),
                Type::Number | Type::Text => return mistakes.push(always_there(check)),
            }
        }
        let is_credential = looks_at_credential(&check.probe);
        self.checks.push(Ready { lookup, compare, expected, text, is_credential });
    }

    fn note_needs(&mut self, lookup: &Lookup) {
        self.needs_body |= lookup.needs_body();
        self.needs_headers |= lookup.needs_headers();
    }

    /// Whether a check or capture looks into the body.
    pub fn needs_body(&self) -> bool {
        self.needs_body
    }

    /// Whether a check or capture looks at headers.
    pub fn needs_headers(&self) -> bool {
        self.needs_headers
    }

    /// Whether the study says itself which status is right.
    pub fn has_status_check(&self) -> bool {
        self.has_status_check
    }

    /// Whether anything is captured.
    pub fn has_captures(&self) -> bool {
        !self.captures.is_empty()
    }

    /// Whether a capture takes a random one of several values.
    pub fn draws(&self) -> bool {
        self.captures.iter().any(|kept| kept.pick == Which::Any)
    }

    /// Slots that captures go to.
    pub fn capture_slots(&self) -> impl Iterator<Item = u8> + '_ {
        self.captures.iter().map(|kept| kept.slot)
    }

    /// Evaluates the checks in order, those of the status first. A probe that finds nothing never holds, whatever the
    /// comparison.
    ///
    /// # Errors
    /// The first check that did not hold.
    #[inline]
    pub fn evaluate(&self, answer: &mut Answer<'_>, render: &mut Render<'_>) -> Result<(), FailedCheck> {
        for check in &self.statuses {
            if check.status != answer.status {
                return Err(FailedCheck {
                    text: check.text.to_string(),
                    found: answer.status.to_string(),
                    is_status: true,
                    is_study: false,
                });
            }
        }
        if self.checks.is_empty() {
            return Ok(());
        }
        self.checks.iter().try_for_each(|check| check.evaluate(answer, render))
    }

    /// Hands every captured value to `keep` with its slot.
    ///
    /// # Errors
    /// The first capture that found nothing and is not optional; `keep` has then been told `None` for every slot.
    pub fn capture(
        &self,
        answer: &mut Answer<'_>,
        keep: &mut dyn FnMut(u8, Option<&[u8]>),
    ) -> Result<(), FailedCapture<'_>> {
        for kept in &self.captures {
            let is_optional = kept.is_optional && look_into(&kept.lookup, answer).is_ok();
            if is_optional && kept.pick == Which::First && kept.lookup.finds_null(answer) {
                keep(kept.slot, None);
                continue;
            }
            let found = match kept.pick {
                // No capture has a script, so nothing is filled in.
                Which::First => find(&kept.lookup, answer, &mut |_, _| false),
                pick => look_into(&kept.lookup, answer)
                    .and_then(|()| several::find(&kept.lookup, pick, answer))
                    .map(Cow::Owned),
            };
            let is_units = kept.slot == UNITS_SLOT;
            let found = match found {
                Ok(found) if is_units && units_of(&found).is_none() => Err(Missing::Nothing(no_units(&found).into())),
                found => found,
            };
            match found {
                Ok(found) => keep(kept.slot, Some(&found)),
                Err(Missing::Nothing(_)) if is_optional => keep(kept.slot, None),
                Err(missing) => {
                    self.capture_slots().for_each(|slot| keep(slot, None));
                    let name = &*kept.name;
                    return Err(match missing {
                        Missing::Nothing(found) => FailedCapture { name, is_units, found, is_study: false },
                        Missing::Bound(why) => FailedCapture { name, is_units, found: why.into(), is_study: true },
                    });
                }
            }
        }
        Ok(())
    }
}

/// Why what was found is not a number of units.
fn no_units(found: &[u8]) -> String {
    format!("found `{}`, not a whole number from 0 to {UNITS_MAX}", excerpt(found))
}

/// What the answer has there. A body that was not kept whole is not looked into.
fn find<'a>(lookup: &Lookup, answer: &'a mut Answer<'_>, render: &mut Render<'_>) -> Result<Cow<'a, [u8]>, Missing> {
    look_into(lookup, answer)?;
    lookup.find(answer, render)
}

fn look_into(lookup: &Lookup, answer: &Answer<'_>) -> Result<(), Missing> {
    if lookup.needs_body() && !answer.is_whole() {
        let (kept, size) = (answer.body.len(), answer.size);
        let why = match answer.is_decoded() {
            true => format!("body larger than what is kept: {kept} bytes of what came coded in {size}"),
            false => format!("body larger than what is kept: {kept} of {size} bytes"),
        };
        return Err(Missing::Nothing(why.into()));
    }
    Ok(())
}

impl Ready {
    fn evaluate(&self, answer: &mut Answer<'_>, render: &mut Render<'_>) -> Result<(), FailedCheck> {
        let rendered;
        let expected: &[u8] = match &self.expected {
            Expected::Fixed(bytes) => bytes,
            Expected::Template(number) => {
                let mut text = Vec::new();
                if !render(*number, &mut text) {
                    let why = "a value that the check needs was never captured";
                    return Err(FailedCheck { is_study: true, ..self.failed(why.to_owned()) });
                }
                rendered = text;
                &rendered
            }
        };
        let found = find(&self.lookup, answer, render).map_err(|missing| match missing {
            Missing::Nothing(why) => self.failed(why.into_owned()),
            Missing::Bound(why) => FailedCheck { is_study: true, ..self.failed(why) },
        })?;
        if holds(&found, self.compare, expected) {
            return Ok(());
        }
        let found = if self.is_credential { MARK.to_owned() } else { shown(&found, self.compare, expected) };
        Err(self.failed(found))
    }

    fn failed(&self, found: String) -> FailedCheck {
        let is_status = matches!(self.lookup, Lookup::Status);
        FailedCheck { text: self.text.to_string(), found, is_status, is_study: false }
    }
}

/// Numbers and texts are there whatever the answer is.
fn always_there(check: &Check) -> Mistake {
    let what = format!("`{}` holds for every XML: it has a value whatever is there", check.text);
    Mistake::at(check.place, "study::bad-check", what)
        .label("compare it with something: `xpath(count(//a)) > 0`, `xpath(string(//a)) != \"\"`")
}

/// Whether a probe looks at a header, a field or a pattern named like a credential.
fn looks_at_credential(probe: &Probe) -> bool {
    match probe {
        Probe::Header(text) | Probe::Json(text) | Probe::Regex(text) => mentions_credential(text),
        Probe::Xpath { path, .. } => mentions_credential(path),
        Probe::HeaderPart { name, pattern } => mentions_credential(name) || mentions_credential(pattern),
        Probe::Script(script) => script
            .arguments
            .iter()
            .any(|argument| matches!(argument, ScriptArgument::Of(probe) if looks_at_credential(probe))),
        Probe::Status | Probe::Body | Probe::Size => false,
    }
}

/// What was found, and what was expected if the check's own text does not show it.
fn shown(found: &[u8], compare: Compare, expected: &[u8]) -> String {
    let mut text = excerpt(found).into_owned();
    if is_order(compare) && !is_number(found) {
        text.push_str(" (no number)");
    } else if is_order(compare) && !is_number(expected) {
        text.push_str(&format!(" (expected `{}`, no number)", excerpt(expected)));
    }
    text
}

fn excerpt(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.len() <= FOUND_BYTES_MAX {
        return String::from_utf8_lossy(bytes);
    }
    format!("{}…", String::from_utf8_lossy(&bytes[..FOUND_BYTES_MAX])).into()
}
