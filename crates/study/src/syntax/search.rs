//! `search`: a scenario for each load that is tried, in the place of the one that is written.
//!
//! Which they are follows from what was measured, so a study is read anew for each: with the loads tried so far and the next.

use crate::model::{BracketRule, Search, SearchPoint, SearchRule, Study, Trying};
use crate::sections::search;
use crate::syntax::arithmetic::{exact, exact_duration};
use crate::syntax::emit::{list, map, text};
use contract::{Mistake, Mistakes, Node, Place, Shape};
use terms::{Quantity, Unit};

/// What was tried of one search, and is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Name of the scenario that searches.
    pub search: String,
    /// How many were carried out by an earlier run, which are not among these.
    pub earlier: u32,
    /// In the order of time.
    pub attempts: Vec<Trying>,
}

impl BracketRule {
    /// Whole numbers where both ends are, and whole bytes; else a power of ten well below the width, so that no load has more digits than
    /// a reader wants.
    pub fn grain(&self) -> f64 {
        let is_whole = |end: &Quantity| end.value.fract() == 0.0;
        if self.from.unit == Unit::Count && is_whole(&self.from) && is_whole(&self.to) {
            return 1.0;
        }
        let grain = 10f64.powf((self.from.value * self.width / 2.0).log10().floor());
        // Nobody sends half a byte.
        if self.from.unit == Unit::Bytes { grain.max(1.0) } else { grain }
    }

    /// The load between both ends, by ratio, with which a bisection begins.
    fn middle(&self) -> f64 {
        let parts = 1.0 / self.grain();
        ((self.from.value * self.to.value).sqrt() * parts).round() / parts
    }

    /// Whether a search has anything to halve: a load between the ends, which lie farther apart than asked at its end.
    pub fn has_loads_between(&self) -> bool {
        let middle = self.middle();
        self.to.value / self.from.value > 1.0 + self.width && self.from.value < middle && middle < self.to.value
    }

    /// A load as the variable has it.
    pub fn text(&self, load: f64) -> String {
        exact(&Quantity { value: load, unit: self.from.unit.clone() })
    }

    /// The value of a variable as a load.
    pub fn load(&self, text: &str) -> Option<f64> {
        Quantity::parse(text).ok().filter(|read| read.unit == self.from.unit).map(|read| read.value)
    }
}

impl Search {
    /// The attempt with which it begins.
    pub fn first(&self) -> Trying {
        match &self.rule {
            SearchRule::Bracket(rule) => {
                Trying { values: vec![(rule.vary.clone(), rule.text(rule.middle()))], is_confirming: false }
            }
            SearchRule::Nsp(rule) => {
                let values = rule.variables.iter().zip(rule.first);
                let values = values.map(|(name, value)| (name.clone(), value.to_string())).collect();
                Trying { values, is_confirming: false }
            }
        }
    }
}

impl Study {
    /// Of each search its least and its greatest load, for whoever looks at what may go wrong with them beforehand.
    pub fn ends_of_searches(&self) -> Vec<Tried> {
        let points = || self.scenarios.iter().filter_map(|scenario| scenario.point.as_ref());
        let is_first = |(place, point): &(usize, &SearchPoint)| {
            points().take(*place).all(|before| before.search.name != point.search.name)
        };
        let first = points().enumerate().filter(is_first).map(|(_, point)| point);
        let of = |point: &SearchPoint| {
            let one = |values: Vec<(String, String)>| Trying { values, is_confirming: false };
            let attempts = match &point.search.rule {
                SearchRule::Bracket(rule) => {
                    let at = |end: &Quantity| one(vec![(rule.vary.clone(), rule.text(end.value))]);
                    vec![at(&rule.from), at(&rule.to)]
                }
                SearchRule::Nsp(rule) => {
                    let most = rule.variables.iter().zip(rule.most);
                    let most = most.map(|(name, value)| (name.clone(), value.to_string())).collect();
                    vec![point.search.first(), one(most)]
                }
            };
            Tried { search: point.search.name.clone(), earlier: 0, attempts }
        };
        first.map(of).collect()
    }
}

/// The scenarios of a search: `NAME_1` and so on, each with the variables bound. `None` where the search is wrong.
pub(crate) fn points(
    (name, scenario): (&str, &Node),
    node: &Node,
    tried: &[Tried],
    mistakes: &mut Mistakes,
) -> Option<Vec<(String, Node)>> {
    for word in ["grid", "adapt", "repeat"] {
        if let Some(other) = scenario.get(word).filter(|other| !other.is_missing() && other.text() != Some("1")) {
            mistakes.push(
                Mistake::at(other.place, "study::conflict", format!("`{name}` has a `search` and a `{word}`"))
                    .label("remove one of them")
                    .hint("a search chooses its loads itself, and how often each is tried: `passes: 2 of 3`"),
            );
            return None;
        }
    }
    let found = search::read(name, node, mistakes)?;
    if let SearchRule::Bracket(BracketRule { confirm: Some(_), .. }) = &found.rule
        && scenario.get("load").is_none_or(|load| load.get("hold").is_none_or(Node::is_missing))
    {
        mistakes.push(
            Mistake::at(
                node.place,
                "study::conflict",
                format!("`confirm` lengthens the hold, and `{name}` has none of its own"),
            )
            .label("remove `confirm`, or write a load with `hold`"),
        );
        return None;
    }
    let first = [found.first()];
    let known = tried.iter().find(|tried| tried.search == name).filter(|tried| !tried.attempts.is_empty());
    let (earlier, attempts) = known.map_or((0, &first[..]), |tried| (tried.earlier as usize, &tried.attempts[..]));
    let point = |(place, attempt): (usize, &Trying)| {
        let number = earlier + place + 1;
        (format!("{name}_{number}"), bound((name, scenario), node, &found, (number, attempt)))
    };
    Some(attempts.iter().enumerate().map(point).collect())
}

/// The scenario with the variables of an attempt bound, over those that it sets itself.
fn bound((name, scenario): (&str, &Node), node: &Node, search: &Search, (number, attempt): (usize, &Trying)) -> Node {
    let place = node.place;
    let here = |text: &str| Node::text_at(place, text);
    let all_of = |entries| Node { place, shape: Shape::Map(entries) };
    let mut entries: Vec<(Node, Node)> = scenario.map().unwrap_or_default().to_vec();
    let own = scenario.get("set").and_then(Node::map).unwrap_or_default();
    let is_bound = |key: &Node| attempt.values.iter().any(|(variable, _)| Some(variable.as_str()) == key.text());
    let mut set: Vec<(Node, Node)> = own.iter().filter(|(key, _)| !is_bound(key)).cloned().collect();
    set.extend(attempt.values.iter().map(|(variable, value)| (here(variable), here(value))));
    entries.retain(|(key, _)| !matches!(key.text(), Some("search" | "set")));
    entries.push((here("set"), all_of(set)));
    let confirms = if attempt.is_confirming { "true" } else { "false" };
    let point = vec![
        (here("of"), here(name)),
        (here("search"), node.clone()),
        (here("number"), here(&number.to_string())),
        (here("confirms"), here(confirms)),
    ];
    entries.push((here("point"), all_of(point)));
    let mut all = Node { place: scenario.place, shape: Shape::Map(entries) };
    if let (true, SearchRule::Bracket(BracketRule { confirm: Some(length), .. })) =
        (attempt.is_confirming, &search.rule)
    {
        lengthen(&mut all, &exact(&Quantity::time(*length)));
    }
    all
}

/// Whether a name is one that an attempt of this scenario may have.
pub(crate) fn is_attempt_of(scenario: &str, name: &str) -> bool {
    let number = name.strip_prefix(scenario).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// No number fits behind a name.
pub(crate) fn too_long(place: Place, name: &str) -> Mistake {
    Mistake::at(place, "study::too-large", format!("`{name}` is too long for the numbers of its attempts"))
        .label("use a shorter name")
}

/// A name that an attempt would have is another scenario's.
pub(crate) fn taken(place: Place, name: &str) -> Mistake {
    Mistake::at(
        place,
        "study::conflict",
        format!("an attempt of this search would be called `{name}`, as another scenario is"),
    )
    .label("rename one of them")
}

/// A scenario's place in its search, as the effective study has it.
pub(crate) fn written(point: &SearchPoint) -> Node {
    let value = |value: &Quantity| Some(text(exact(value)));
    let number = |number: u32| Some(text(number.to_string()));
    let share = |value: f64| Some(text(exact(&Quantity { value, unit: Unit::Share })));
    let by = point.search.by.as_deref().map(text);
    let search = match &point.search.rule {
        SearchRule::Bracket(rule) => map([
            ("rule", Some(text("bracket"))),
            ("vary", Some(text(rule.vary.as_str()))),
            ("from", value(&rule.from)),
            ("to", value(&rule.to)),
            ("width", share(rule.width)),
            ("passes", Some(text(format!("{} of {}", rule.passes.0, rule.passes.1)))),
            ("accept", (!rule.accept.is_empty()).then(|| list(rule.accept.iter().map(|name| text(name.as_str()))))),
            ("confirm", rule.confirm.map(|length| text(exact_duration(length)))),
            ("most", number(rule.most)),
            ("by", by),
        ]),
        SearchRule::Nsp(rule) => {
            let both = |values: [u32; 2]| {
                let pairs = rule.variables.iter().zip(values);
                Some(map(pairs.map(|(name, value)| (name.clone(), Some(text(value.to_string()))))))
            };
            map([
                ("rule", Some(text("nsp"))),
                ("first", both(rule.first)),
                ("raise", both(rule.raise)),
                ("most", both(rule.most)),
                ("target", share(rule.target)),
                ("by", by),
            ])
        }
    };
    map([
        ("of", Some(text(point.search.name.as_str()))),
        ("search", Some(search)),
        ("number", number(point.number)),
        ("confirms", Some(text(if point.is_confirming { "true" } else { "false" }))),
    ])
}

/// Another hold.
fn lengthen(scenario: &mut Node, hold: &str) {
    let Shape::Map(entries) = &mut scenario.shape else { return };
    let load = entries.iter_mut().find(|(key, _)| key.text() == Some("load"));
    let Some(Shape::Map(keys)) = load.map(|(_, load)| &mut load.shape) else { return };
    if let Some((_, value)) = keys.iter_mut().find(|(key, _)| key.text() == Some("hold")) {
        *value = Node::text_at(value.place, hold);
    }
}
