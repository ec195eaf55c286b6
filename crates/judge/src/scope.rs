//! Where something was seen: a stretch of load and what lies within it, the whole run, or something with a name.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A place that a statement is about. It is compared, sorted and written as its text: `nominal/hold#2/clerks/lookup`.
#[derive(Clone, Debug)]
pub struct Scope {
    text: String,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    Run,
    Load(Load),
    /// Scenarios whose loads are held against each other, each with its part of a mix where there is one: `high_all/rih`.
    Family(Vec<String>),
    Named,
}

/// A step of a scenario, and what lies within it.
#[derive(Clone, Debug)]
struct Load {
    scenario: String,
    step: String,
    /// Of several, counted from 1.
    repetition: Option<u32>,
    within: Vec<String>,
}

impl Scope {
    /// The whole run.
    pub fn run() -> Self {
        Self { text: "run".into(), of: Of::Run }
    }

    /// An instance, a listener, a comparison, a place in the study: whatever has a name and is not a load.
    pub fn named(name: impl Into<String>) -> Self {
        Self { text: name.into(), of: Of::Named }
    }

    /// Scenarios, or parts of them (`high_all/rih`), whose loads are held against each other.
    pub fn family(names: &[String]) -> Self {
        Self { text: names.join(", "), of: Of::Family(names.to_vec()) }
    }

    /// One scenario, all its steps.
    pub fn whole(scenario: &str) -> Self {
        Self::family(&[scenario.to_owned()])
    }

    /// A step of a scenario; `repetition` where there are several.
    pub fn step(scenario: &str, step: &str, repetition: Option<u32>) -> Self {
        let load = Load { scenario: scenario.into(), step: step.into(), repetition, within: Vec::new() };
        Self { text: load.to_string(), of: Of::Load(load) }
    }

    /// Reads what [`Scope::step`] and [`Scope::within`] wrote, as evidence of verdicts has it behind `load:`.
    pub fn read(text: &str) -> Option<Self> {
        let mut names = text.split('/');
        let (scenario, step) = (names.next()?, names.next()?);
        let (step, repetition) = match step.split_once('#') {
            Some((step, again)) => (step, Some(again.parse().ok()?)),
            None => (step, None),
        };
        Some(names.fold(Self::step(scenario, step, repetition), |place, name| place.within(name)))
    }

    /// A part of a mix, an exchange, a leg, a stream or an instance within this place.
    #[must_use]
    pub fn within(&self, name: &str) -> Self {
        let mut found = self.clone();
        found.text = format!("{}/{name}", self.text);
        if let Of::Load(load) = &mut found.of {
            load.within.push(name.into());
        }
        found
    }

    /// As `result.json` has it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the whole run.
    pub fn is_run(&self) -> bool {
        matches!(self.of, Of::Run)
    }

    /// Name of the scenario.
    pub fn scenario(&self) -> Option<&str> {
        self.load().map(|load| load.scenario.as_str())
    }

    /// Name of the step, without its repetition.
    pub fn step_name(&self) -> Option<&str> {
        self.load().map(|load| load.step.as_str())
    }

    /// Which repetition of its scenario; `None` where there is one only, or where all are meant.
    pub fn repetition(&self) -> Option<u32> {
        self.load()?.repetition
    }

    /// What lies within the step: part, exchange, leg, stream, instance, as far as they are told apart.
    pub fn inner(&self) -> &[String] {
        self.load().map_or(&[], |load| &load.within)
    }

    /// The same without the last name within its step.
    #[must_use]
    pub fn around(&self) -> Self {
        let Of::Load(load) = &self.of else { return self.clone() };
        let mut load = load.clone();
        load.within.pop();
        Self { text: load.to_string(), of: Of::Load(load) }
    }

    /// Whether it is another one or lies within it.
    pub fn is_in(&self, other: &Scope) -> bool {
        match (&self.of, &other.of) {
            (_, Of::Run) => true,
            (Of::Load(own), Of::Load(other)) => {
                (&own.scenario, &own.step, own.repetition) == (&other.scenario, &other.step, other.repetition)
                    && own.within.starts_with(&other.within)
            }
            _ => self.text == other.text,
        }
    }

    /// Whether it is of a scenario alone and, where both name one, of that repetition of it.
    pub fn is_of(&self, scenario: &str, repetition: Option<u32>) -> bool {
        match &self.of {
            Of::Load(load) => {
                let is_it = |wanted| load.repetition.is_none_or(|own| own == wanted);
                load.scenario == scenario && repetition.is_none_or(is_it)
            }
            Of::Family(names) => matches!(&names[..], [name] if name.split('/').next() == Some(scenario)),
            Of::Run | Of::Named => false,
        }
    }

    fn load(&self) -> Option<&Load> {
        if let Of::Load(load) = &self.of { Some(load) } else { None }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scenario, self.step)?;
        if let Some(repetition) = self.repetition {
            write!(f, "#{repetition}")?;
        }
        self.within.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// Of nothing in particular: the whole run.
impl Default for Scope {
    fn default() -> Self {
        Self::run()
    }
}

/// In JSON it is its text.
impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A place as it is written.
impl From<&str> for Scope {
    fn from(text: &str) -> Self {
        if text == "run" { Self::run() } else { Self::read(text).unwrap_or_else(|| Self::named(text)) }
    }
}

impl From<String> for Scope {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&Scope> for String {
    fn from(scope: &Scope) -> Self {
        scope.text.clone()
    }
}

impl Deref for Scope {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Scope {}

impl PartialOrd for Scope {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scope {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl PartialEq<str> for Scope {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Scope {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl PartialEq<String> for Scope {
    fn eq(&self, other: &String) -> bool {
        self.text == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_it_is_made_of() {
        let step = Scope::step("nominal", "hold", Some(2));
        let leg = step.within("clerks").within("look/up").within("answer");
        assert_eq!(leg, "nominal/hold#2/clerks/look/up/answer");
        assert_eq!((leg.scenario(), leg.step_name(), leg.repetition()), (Some("nominal"), Some("hold"), Some(2)));
        assert_eq!(leg.inner(), ["clerks", "look/up", "answer"], "a name may have a stroke of its own");
        assert_eq!(leg.around(), "nominal/hold#2/clerks/look/up");
        let read = Scope::read(leg.as_str()).unwrap();
        assert_eq!((read.repetition(), read.inner().len(), read.as_str()), (Some(2), 4, leg.as_str()));
        assert!(Scope::read("run").is_none() && Scope::read("a/hold#x").is_none());
        assert_eq!((Scope::run().as_str(), Scope::run().scenario()), ("run", None));
    }

    #[test]
    fn a_place_lies_in_what_it_is_part_of_and_not_in_what_begins_alike() {
        let (hold, other) = (Scope::step("a", "hold", None), Scope::step("a", "hold", Some(2)));
        assert!(hold.within("x").is_in(&hold) && hold.is_in(&hold) && hold.is_in(&Scope::run()));
        assert!(!hold.is_in(&hold.within("x")) && !hold.within("xy").is_in(&hold.within("x")));
        assert!(!other.is_in(&hold));
        assert!(!Scope::named("a/hold/x").is_in(&hold) && Scope::named("shop").is_in(&Scope::named("shop")));
    }

    #[test]
    fn what_is_of_all_repetitions_is_of_each() {
        let (all, second) = (Scope::step("a", "hold", None), Scope::step("a", "hold", Some(2)));
        assert!(all.is_of("a", Some(1)) && second.is_of("a", Some(2)) && second.is_of("a", None));
        assert!(!second.is_of("a", Some(1)) && !all.is_of("b", None) && !Scope::named("a").is_of("a", None));
        assert!(Scope::family(&["a/rih".into()]).is_of("a", Some(2)));
        assert!(!Scope::family(&["a".into(), "b".into()]).is_of("a", None));
    }
}
