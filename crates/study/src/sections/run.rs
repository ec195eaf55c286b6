//! `run`: what one iteration does.

use crate::model::{Choice, Condition, Item, Members, Parallel, Think, exchanges_of};
use crate::sections::parallel;
use crate::sections::scenario::{ScenarioScope, exchange_number};
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::{not_yet, read};
use contract::{Mistake, Mistakes, Node, Place, Shape, Which, comparison, unquoted};
use terms::{Quantity, Unit};

/// Items within each other and in all; an iteration is held in memory for every user.
const ITEMS_MAX: usize = 10_000;
const TIMES_MAX: u64 = CARRIED_OUT_MAX;
/// Most items of one iteration: they are held as one list, and an endless one is a slip.
const CARRIED_OUT_MAX: u64 = 100_000;
/// Loops within each other whose passes are counted as they run.
const LOOPS_DEEP_MAX: usize = 4;
/// Captures are numbered by a byte; the last numbers are left to drivers.
const CAPTURES_MAX: usize = 250;

pub(crate) static TIMES: [Key; 2] =
    [key("times", Form::Count(1, TIMES_MAX), "how often"), key("run", Form::Some(&Form::Item), "what")];

pub(crate) static IF: [Key; 3] = [
    key("if", Form::Text, "`$(next)`, `not $(next)`, `$(state) = open`"),
    key("then", Form::Some(&Form::Item), "what, if it holds"),
    key("else", Form::Some(&Form::Item), "what, if it does not"),
];

pub(crate) static WHILE: [Key; 3] = [
    key("while", Form::Text, "what must hold before each pass: `$(next)`, `$(state) != done`"),
    key("most", Form::Count(1, TIMES_MAX), "passes at most"),
    key("run", Form::Some(&Form::Item), "what"),
];

pub(crate) static FOR_EACH: [Key; 4] = [
    key("for each", Form::Text, "a list that was captured: `capture: { ids: \"json($.items[*].id, all)\" }`"),
    key("as", Form::Text, "name of the current member, for `$(…)`"),
    key("most", Form::Count(1, TIMES_MAX), "members at most; the others are left out"),
    key("run", Form::Some(&Form::Item), "what"),
];

pub(crate) static TRANSACTION: [Key; 2] = [
    key("transaction", Form::Text, "a name for rules and tables: what follows also counts as one"),
    key("run", Form::Some(&Form::Item), "what"),
];

pub(crate) static PARALLEL: [Key; 2] = [
    key("parallel", Form::Some(&Form::Text), "exchanges that begin together, as those of a page"),
    key("at_once", Form::Count(1, parallel::AT_ONCE_MAX), "how many at a time, each on its own connection; 6"),
];

pub(crate) static JOURNEY: [Key; 2] = [
    key("share", Form::Scalar, "how many iterations of a hundred take it"),
    key("run", Form::Some(&Form::Item), "what"),
];

/// Words that begin an item of several keys, and those that may follow.
const FORMS: [(&str, &[&str]); 6] = [
    ("times", &["run"]),
    ("if", &["then", "else"]),
    ("while", &["most", "run"]),
    ("for each", &["as", "most", "run"]),
    ("transaction", &["run"]),
    ("parallel", &["at_once"]),
];

/// Names of the members of lists, before anything is read: exchanges may use them.
pub(crate) fn member_names(scenarios: &Node) -> Vec<String> {
    fn look(node: &Node, names: &mut Vec<String>) {
        match &node.shape {
            Shape::Text { .. } => {}
            Shape::List(members) => {
                // In a list of one line each key is a map of its own.
                let is_split = members.iter().any(|member| member.get("for each").is_some());
                let split = members.iter().filter(|_| is_split).filter_map(|member| member.get("as"));
                split.filter_map(Node::text).for_each(|name| add(name, names));
                members.iter().for_each(|member| look(member, names));
            }
            Shape::Map(entries) => {
                if node.get("for each").is_some() {
                    node.get("as").and_then(Node::text).into_iter().for_each(|name| add(name, names));
                }
                entries.iter().for_each(|(_, value)| look(value, names));
            }
        }
    }
    fn add(name: &str, names: &mut Vec<String>) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let mut names = Vec::new();
    look(scenarios, &mut names);
    names
}

/// Names of transactions with the place of the first of each, before anything is read: rules may use them.
pub(crate) fn transaction_names(scenarios: &Node) -> Vec<(String, Place)> {
    fn look(node: &Node, found: &mut Vec<(String, Place)>) {
        match &node.shape {
            Shape::Text { .. } => {}
            Shape::List(members) => members.iter().for_each(|member| look(member, found)),
            Shape::Map(entries) => {
                let name = node.get("transaction").and_then(|node| Some((node.text()?.to_owned(), node.place)));
                let unnamed = node.get("parallel").and_then(|node| Some((parallel::name(node)?, node.place)));
                for (name, place) in name.into_iter().chain(unnamed) {
                    // A way of `choose` may have that name, too.
                    if !name.ends_with('%') && found.iter().all(|(known, _)| *known != name) {
                        found.push((name, place));
                    }
                }
                entries.iter().for_each(|(_, value)| look(value, found));
            }
        }
    }
    // Only below `run`: a scenario may have this name.
    let mut found = Vec::new();
    let scenarios = scenarios.map().unwrap_or_default().iter().map(|(_, scenario)| scenario);
    let parts = |scenario: &Node| scenario.get("mix").and_then(Node::map).unwrap_or_default().to_vec();
    for scenario in scenarios {
        scenario.get("run").into_iter().for_each(|run| look(run, &mut found));
        let parts = parts(scenario);
        parts.iter().filter_map(|(_, part)| part.get("run")).for_each(|run| look(run, &mut found));
    }
    found
}

/// Reads `run`, and makes sure that it does something and comes to an end.
pub(crate) fn read(node: &Node, scenario: &str, known: &ScenarioScope<'_>, mistakes: &mut Mistakes) -> Vec<Item> {
    let names: Vec<String> = known.exchanges.iter().map(|exchange| exchange.name.clone()).collect();
    let before = mistakes.0.len();
    let items = Run { names: &names, known, items: 0, loops: 0, within: Vec::new() }.list(node, mistakes);
    if mistakes.0.len() == before && exchanges_of(&items).is_empty() {
        mistakes.push(
            Mistake::at(node.place, "study::empty", format!("an iteration of scenario `{scenario}` does nothing"))
                .label("name at least one exchange"),
        );
    }
    if carried_out(&items) > CARRIED_OUT_MAX {
        let text = format!("one iteration of scenario `{scenario}` has more than {CARRIED_OUT_MAX} parts");
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", text)
                .label("use fewer `times`; a long run comes from many iterations"),
        );
    }
    items
}

/// How many items an iteration runs at most, including repetitions.
fn carried_out(items: &[Item]) -> u64 {
    // Repeating nothing takes its time, too.
    let passes = |times: u32, inner: &[Item]| carried_out(inner).max(1).saturating_mul(u64::from(times));
    let one = |item: &Item| match item {
        Item::Exchange(_) | Item::Think(_) => 1,
        Item::Parallel(parallel) => parallel.calls.len() as u64,
        Item::Choose(choices) => choices.iter().map(|choice| carried_out(&choice.run)).max().unwrap_or(0).max(1),
        Item::If(_, then, otherwise) => carried_out(then).saturating_add(carried_out(otherwise)).max(1),
        Item::Times(times, inner) => passes(*times, inner),
        Item::While(_, most, inner) => passes(*most, inner),
        Item::ForEach(members, inner) => passes(members.most, inner),
        Item::Transaction(_, inner) => carried_out(inner).max(1),
    };
    items.iter().map(one).fold(0, u64::saturating_add)
}

struct Run<'a> {
    names: &'a [String],
    known: &'a ScenarioScope<'a>,
    items: usize,
    /// Loops around what is read.
    loops: usize,
    /// Transactions around it.
    within: Vec<u16>,
}

impl Run<'_> {
    fn list(&mut self, node: &Node, mistakes: &mut Mistakes) -> Vec<Item> {
        let members = read::members(node);
        let mut found = Vec::new();
        let mut index = 0;
        while let Some(member) = members.get(index) {
            index += 1;
            // In `[ times: 3, run: [a] ]` YAML sees two maps of one entry each; they are meant as one.
            let key_of = |node: &Node| {
                node.map().filter(|map| map.len() == 1).and_then(|map| map[0].0.text().map(str::to_owned))
            };
            let follow = key_of(member).and_then(|word| FORMS.iter().find(|(head, _)| *head == word));
            let Some((_, follow)) = follow else {
                found.extend(self.item(member, mistakes));
                continue;
            };
            let mut entries = member.map().unwrap_or_default().to_vec();
            while let Some(next) = members.get(index)
                && key_of(next).is_some_and(|word| follow.contains(&word.as_str()))
            {
                entries.extend(next.map().unwrap_or_default().iter().cloned());
                index += 1;
            }
            found.extend(self.item(&Node { place: member.place, shape: Shape::Map(entries) }, mistakes));
        }
        found
    }

    fn item(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        self.items += 1;
        if self.items == ITEMS_MAX {
            mistakes.push(Mistake::at(
                node.place,
                "study::too-large",
                format!("an iteration has at most {ITEMS_MAX} items"),
            ));
        }
        if self.items >= ITEMS_MAX {
            return None;
        }
        let Some(entries) = node.map() else { return self.exchange(node, mistakes).map(Item::Exchange) };
        let has = |word: &str| node.get(word).is_some();
        match entries {
            _ if has("if") || has("then") || has("else") => self.branch(node, mistakes),
            _ if has("while") => self.repeated(node, mistakes),
            _ if has("for each") => self.for_each(node, mistakes),
            _ if has("transaction") => self.transaction(node, mistakes),
            _ if has("parallel") => self.parallel(node, mistakes),
            _ if has("at_once") => self.without_parallel(node, mistakes),
            [(key, value)] => match key.text().unwrap_or_default() {
                "think" => self.think(value, mistakes).map(Item::Think),
                "choose" => self.choose(value, mistakes).map(Item::Choose),
                "times" | "run" => self.times(node, mistakes),
                _ => {
                    let number = self.exchange(key, mistakes)?;
                    if value.is_missing() {
                        return Some(Item::Exchange(number));
                    }
                    not_yet::refuse("changed settings", value.place, mistakes);
                    None
                }
            },
            _ => self.times(node, mistakes),
        }
    }

    fn exchange(&self, node: &Node, mistakes: &mut Mistakes) -> Option<u16> {
        exchange_number(node, self.names, mistakes)
    }

    /// `2s`, `1s to 5s` or `exponential(3s)`.
    fn think(&self, node: &Node, mistakes: &mut Mistakes) -> Option<Think> {
        let node = self.known.scope.fill_node(node, mistakes);
        let time = |text: &str, mistakes: &mut Mistakes| {
            read::duration(&Node::text_at(node.place, text.trim()), "`think`", mistakes)
        };
        let text = node.text().unwrap_or_default();
        if let Some((least, most)) = text.split_once(" to ") {
            let (least, most) = (time(least, mistakes)?, time(most, mistakes)?);
            if least > most {
                mistakes.push(
                    Mistake::at(node.place, "study::out-of-range", format!("`{text}` ends before it begins"))
                        .label(format!("write `{most} to {least}`")),
                );
                return None;
            }
            return Some(Think::Between(least, most));
        }
        if let Some(mean) = text.strip_prefix("exponential(").and_then(|rest| rest.strip_suffix(')')) {
            return time(mean, mistakes).map(Think::Exponential);
        }
        read::duration(&node, "`think`", mistakes).map(Think::Fixed)
    }

    fn times(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &TIMES, "this item", mistakes);
        let times = self.count("times", keys.need("times", mistakes), mistakes);
        let run = keys.need("run", mistakes).map(|node| self.list(node, mistakes));
        keys.finish(mistakes);
        Some(Item::Times(times?, run?))
    }

    fn count(&self, word: &str, node: Option<&Node>, mistakes: &mut Mistakes) -> Option<u32> {
        let node = self.known.scope.fill_node(node?, mistakes);
        mistakes.keep(node.as_count(&format!("`{word}`"), 1, TIMES_MAX)).map(|count| count as u32)
    }

    fn branch(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &IF, "`if`", mistakes);
        let condition = keys.need("if", mistakes).and_then(|node| mistakes.keep(condition(node)));
        let then = keys.need("then", mistakes).map(|node| self.list(node, mistakes));
        let otherwise = keys.take("else").map(|node| self.list(node, mistakes));
        keys.finish(mistakes);
        Some(Item::If(condition?, then?, otherwise.unwrap_or_default()))
    }

    fn repeated(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &WHILE, "`while`", mistakes);
        let condition = keys.need("while", mistakes).and_then(|node| mistakes.keep(condition(node)));
        let most = self.count("most", keys.need("most", mistakes), mistakes);
        let run = keys.need("run", mistakes).map(|inner| self.in_loop(node.place, inner, mistakes));
        keys.finish(mistakes);
        Some(Item::While(condition?, most?, run?))
    }

    fn for_each(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &FOR_EACH, "`for each`", mistakes);
        let list = keys.need("for each", mistakes).and_then(|node| self.list_name(node, mistakes));
        let member = keys.need("as", mistakes).and_then(|node| self.member_name(node, mistakes));
        let most = self.count("most", keys.need("most", mistakes), mistakes);
        let run = keys.need("run", mistakes).map(|inner| self.in_loop(node.place, inner, mistakes));
        keys.finish(mistakes);
        let ((list, list_name), (member, member_name)) = (list?, member?);
        Some(Item::ForEach(Members { list, member, names: (list_name, member_name), most: most? }, run?))
    }

    fn transaction(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &TRANSACTION, "`transaction`", mistakes);
        let named = keys.need("transaction", mistakes);
        let number = named.and_then(|node| {
            let name = read::name(node, "a transaction", mistakes)?;
            let place = self.known.transactions.iter().position(|known| *known == name)?;
            Some((self.known.exchanges.len() + place) as u16)
        });
        if let (Some(named), Some(number)) = (named, number)
            && self.within.contains(&number)
        {
            let text = format!("the transaction `{}` contains itself", named.text().unwrap_or_default());
            mistakes.push(Mistake::at(named.place, "study::conflict", text).label("name it otherwise"));
        }
        self.within.extend(number);
        let before = mistakes.0.len();
        let run = keys.need("run", mistakes).map(|node| (node.place, self.list(node, mistakes)));
        self.within.truncate(self.within.len() - usize::from(number.is_some()));
        keys.finish(mistakes);
        let (number, (place, run)) = (number?, run?);
        if mistakes.0.len() == before && exchanges_of(&run).is_empty() {
            mistakes.push(
                Mistake::at(place, "study::empty", "this transaction makes no call")
                    .label("name at least one exchange"),
            );
        }
        Some(Item::Transaction(number, run))
    }

    /// Calls at once, in a transaction of their own: their times overlap, and that of all together is counted besides.
    fn parallel(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        let mut keys = Reader::of(node, &PARALLEL, "`parallel`", mistakes);
        let listed = keys.need("parallel", mistakes);
        let at_once = match keys.take("at_once") {
            None => Some(parallel::AT_ONCE),
            Some(node) => {
                let node = self.known.scope.fill_node(node, mistakes);
                mistakes.keep(node.as_count("`at_once`", 1, parallel::AT_ONCE_MAX)).map(|count| count as u32)
            }
        };
        keys.finish(mistakes);
        let listed = listed?;
        let calls = parallel::calls(listed, |node, mistakes| self.exchange(node, mistakes), mistakes)?;
        parallel::check_captures(&calls, &read::members(listed), self.known.exchanges, mistakes);
        let name = parallel::name(listed)?;
        let place = self.known.transactions.iter().position(|known| *known == name)?;
        let number = (self.known.exchanges.len() + place) as u16;
        let at_once = at_once?.min(calls.len() as u32);
        Some(Item::Transaction(number, vec![Item::Parallel(Parallel { calls, at_once })]))
    }

    fn without_parallel(&self, node: &Node, mistakes: &mut Mistakes) -> Option<Item> {
        mistakes.push(
            Mistake::at(node.place, "study::missing-key", "`at_once` belongs to `parallel`")
                .label("write `{ parallel: [ a, b ], at_once: 6 }`"),
        );
        None
    }

    fn in_loop(&mut self, place: Place, node: &Node, mistakes: &mut Mistakes) -> Vec<Item> {
        self.loops += 1;
        if self.loops > LOOPS_DEEP_MAX {
            let text = format!("more than {LOOPS_DEEP_MAX} loops are nested");
            mistakes
                .push(Mistake::at(place, "study::out-of-range", text).label("`times` does not count as a loop here"));
        }
        let items = self.list(node, mistakes);
        self.loops -= 1;
        items
    }

    /// The capture of a list, with its number.
    fn list_name(&self, node: &Node, mistakes: &mut Mistakes) -> Option<(u8, String)> {
        let name = mistakes.keep(node.as_text("`for each`"))?;
        let name = name.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
        let captured = self.known.exchanges.iter().flat_map(|exchange| &exchange.settings.captures);
        let mut own = captured.filter(|capture| capture.name == name).peekable();
        if own.peek().is_none() {
            let known: Vec<String> = self.known.captures.to_vec();
            read::one_of(&Node::text_at(node.place, name), "capture", &known, mistakes)?;
        }
        if !own.any(|capture| capture.pick == Which::All) {
            mistakes.push(
                Mistake::at(node.place, "study::conflict", format!("`{name}` is not captured as a list"))
                    .label("capture all values: `json($.items[*].id, all)`"),
            );
            return None;
        }
        Some((self.number(name, node.place, mistakes)?, name.to_owned()))
    }

    /// The name of a list's member, with its number.
    fn member_name(&self, node: &Node, mistakes: &mut Mistakes) -> Option<(u8, String)> {
        let name = read::name(node, "a list's member", mistakes)?;
        let mut captured = self.known.exchanges.iter().flat_map(|exchange| &exchange.settings.captures);
        if captured.any(|capture| capture.name == name) {
            mistakes.push(
                Mistake::at(node.place, "study::duplicate-name", format!("`{name}` is the name of a capture, too"))
                    .label("name the member otherwise"),
            );
            return None;
        }
        Some((self.number(&name, node.place, mistakes)?, name))
    }

    fn number(&self, name: &str, place: Place, mistakes: &mut Mistakes) -> Option<u8> {
        let found = self.known.captures.iter().position(|known| known == name).filter(|slot| *slot < CAPTURES_MAX);
        if found.is_none() {
            let text = format!("a study has at most {CAPTURES_MAX} captures and members of lists");
            mistakes.push(Mistake::at(place, "study::too-large", text).label("remove what is not used"));
        }
        found.map(|slot| slot as u8)
    }

    fn choose(&mut self, node: &Node, mistakes: &mut Mistakes) -> Option<Vec<Choice>> {
        let Some(entries) = node.map().filter(|entries| !entries.is_empty()) else {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`choose` is {}, not a map", node.what()))
                    .label("write `{ a: 25%, b: 75% }`, or `{ buy: { share: 25%, run: [a, b] }, … }`"),
            );
            return None;
        };
        let mut choices = Vec::new();
        for (key, value) in entries {
            let (share, run) = if value.map().is_some() {
                let name = key.text().unwrap_or_default().to_owned();
                let mut keys = Reader::of(value, &JOURNEY, format!("choice `{name}`"), mistakes);
                let share = keys.need("share", mistakes);
                let run = keys.need("run", mistakes).map(|node| self.list(node, mistakes));
                keys.finish(mistakes);
                (share, run)
            } else {
                (Some(value), self.exchange(key, mistakes).map(|number| vec![Item::Exchange(number)]))
            };
            let share = share.map(|node| self.known.scope.fill_node(node, mistakes));
            let weight: Option<Quantity> =
                share.and_then(|node| mistakes.keep(node.as_quantity("the weight", &Unit::Share, "25%")));
            let name = key.text().unwrap_or_default().to_owned();
            choices.push(Choice { name, share: weight?.value, run: run? });
        }
        let sum: f64 = choices.iter().map(|choice| choice.share).sum();
        if (sum - 1.0).abs() > 1e-9 || choices.iter().any(|choice| choice.share < 0.0) {
            let sum = Quantity { value: sum, unit: Unit::Share };
            mistakes.push(
                Mistake::at(node.place, "study::weights", format!("the weights of `choose` add up to {sum}"))
                    .label("they must add up to 100%, none below 0%"),
            );
        }
        Some(choices)
    }
}

/// `$(next)`, `not $(next)`, or two sides with a comparison between them.
fn condition(node: &Node) -> Result<Condition, Mistake> {
    let written = node.as_text("a condition")?.trim();
    let wrong = |why: &str| {
        Mistake::at(node.place, "study::bad-condition", format!("the condition `{written}` {why}"))
            .hint("write `$(next)`, `not $(next)`, `$(state) = open`, `$(total) > 10` or `$(page) contains more`")
    };
    let (is_not, text) = written.strip_prefix("not ").map_or((false, written), |rest| (true, rest.trim()));
    let (left, compare) = match split(text) {
        None => (text, None),
        Some((_, _, "")) => return Err(wrong("compares with nothing; write \"\" for an empty text")),
        Some((left, compare, right)) => (left, Some((compare, unquoted(right).to_owned()))),
    };
    if !text.contains("$(") {
        return Err(wrong("is the same in every iteration: it names nothing"));
    }
    if left.is_empty() {
        return Err(wrong("has nothing before the comparison"));
    }
    Ok(Condition { text: written.to_owned(), place: node.place, left: unquoted(left).to_owned(), compare, is_not })
}

/// The sides of the first comparison that stands outside `$(…)` and quotes.
fn split(text: &str) -> Option<(&str, contract::Compare, &str)> {
    let (mut depth, mut quote) = (0usize, None);
    for (index, c) in text.char_indices() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' if depth == 0 => quote = Some(c),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ => {
                let is_word = c == 'c' && !text[..index].ends_with(char::is_whitespace);
                if let Some((compare, right)) = comparison(&text[index..]).filter(|_| !is_word) {
                    return Some((text[..index].trim_end(), compare, right));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Compare;

    type Read = (String, Option<(Compare, String)>, bool);

    fn read(text: &str) -> Result<Read, String> {
        let found = condition(&Node::text_at(Place::default(), text));
        found.map(|it| (it.left, it.compare, it.is_not)).map_err(|mistake| mistake.message)
    }

    #[test]
    fn every_form_of_a_condition_is_read() {
        let compared = |compare, right: &str| Some((compare, right.to_owned()));
        for (text, left, compare, is_not) in [
            ("$(next)", "$(next)", None, false),
            ("not $(next)", "$(next)", None, true),
            ("$(state) = open", "$(state)", compared(Compare::Equal, "open"), false),
            ("$(state)!=\"\"", "$(state)", compared(Compare::NotEqual, ""), false),
            ("$(a >= b)", "$(a >= b)", None, false),
            ("$(n) <= $(row.most)", "$(n)", compared(Compare::AtMost, "$(row.most)"), false),
            ("'a = $(b)' contains = c", "a = $(b)", compared(Compare::Contains, "= c"), false),
            ("not $(page) contains more", "$(page)", compared(Compare::Contains, "more"), true),
        ] {
            assert_eq!(read(text), Ok((left.to_owned(), compare, is_not)), "{text}");
        }
        for (text, why) in
            [("open = open", "names nothing"), ("$(a) =", "compares with nothing"), ("= $(a)", "nothing before")]
        {
            assert!(read(text).unwrap_err().contains(why), "{text}");
        }
    }
}
