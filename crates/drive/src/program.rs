//! One iteration as a flat list of operations with jumps, so that the hot path is a cursor.

use contract::{Compare, Mistakes, Names, Template};
use std::rc::Rc;
use study::{Choice, Condition, Item, Members, Think};
use terms::seed;

/// One operation of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Exchange(u16),
    /// A wait, with what its random number is drawn by.
    Think(Think, u64),
    /// Cumulative shares and where each way begins, with what the random number is drawn by.
    Choose(Vec<(f64, usize)>, u64),
    Jump(usize),
    /// Goes on at the place unless the test holds.
    Unless(Rc<Test>, usize),
    /// One more pass of the loop at this depth, of so many at most and while the test holds; else on at the place.
    Pass(usize, u32, Rc<Test>, usize),
    /// One more member of the list; behind the last one, or after so many, on at the place.
    Next(usize, Box<Members>, usize),
    /// What follows is booked as one under this number, until it is left.
    Enter(u16),
    /// The end of the transaction that was entered last.
    Leave,
    /// Exchanges that are made at once, so many at a time.
    Parallel(Rc<[u16]>, u32),
}

/// A condition whose names are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) left: Template,
    pub(crate) right: Template,
    pub(crate) compare: Option<Compare>,
    pub(crate) is_not: bool,
}

/// The operations, and of each whether an exchange may follow from there.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) operations: Vec<Operation>,
    reaches: Vec<bool>,
    /// Loops within each other, at most.
    pub(crate) loops: usize,
    pub(crate) has_transactions: bool,
    pub(crate) has_parallel: bool,
    /// Slots that one iteration makes calls in at a time, at most.
    pub(crate) slots: u32,
}

/// Unrolled iterations longer than this are refused by `check`; here it only bounds the memory.
const OPERATIONS_MAX: usize = 100_000;

impl Program {
    /// Unrolls `times`, sums up the weights, and resolves the names of the conditions.
    ///
    /// # Errors
    /// A name that is not known.
    pub(crate) fn new(items: &[Item], names: &dyn Names) -> Result<Self, Mistakes> {
        let mut writer = Writer { names, program: Self::default(), drawn: 0, depth: 0, mistakes: Mistakes::default() };
        writer.items(items, true);
        writer.mistakes.into_result()?;
        let mut program = writer.program;
        program.slots = study::connections_of(items);
        program.reaches = reaches(&program.operations);
        Ok(program)
    }

    /// Whether an exchange may still be carried out from this operation on.
    pub(crate) fn reaches_exchange(&self, cursor: usize) -> bool {
        self.reaches.get(cursor) == Some(&true)
    }
}

struct Writer<'a> {
    names: &'a dyn Names,
    program: Program,
    /// Items of the iteration itself so far; an item's number is what its random numbers are drawn by.
    drawn: u64,
    depth: usize,
    mistakes: Mistakes,
}

/// Numbers of items within choices, conditions and loops begin here: those of the iteration itself are as they would be
/// without them.
const INNER: u64 = 1 << 20;

impl Writer<'_> {
    fn items(&mut self, items: &[Item], is_outer: bool) {
        for item in items {
            if self.here() >= OPERATIONS_MAX {
                return;
            }
            let number = if is_outer { self.drawn } else { INNER + self.here() as u64 };
            self.drawn += u64::from(is_outer);
            self.item(item, number, is_outer);
        }
    }

    fn here(&self) -> usize {
        self.program.operations.len()
    }

    fn push(&mut self, operation: Operation) -> usize {
        self.program.operations.push(operation);
        self.here() - 1
    }

    fn item(&mut self, item: &Item, number: u64, is_outer: bool) {
        match item {
            Item::Exchange(exchange) => {
                self.push(Operation::Exchange(*exchange));
            }
            Item::Think(think) => {
                self.push(Operation::Think(*think, number));
            }
            Item::Times(times, inner) => {
                self.drawn -= u64::from(is_outer);
                (0..*times).for_each(|_| self.items(inner, is_outer));
            }
            Item::Choose(choices) => self.choose(choices, number),
            Item::If(condition, then, otherwise) => {
                let Some(test) = self.test(condition) else { return };
                let unless = self.push(Operation::Unless(test, 0));
                self.inner(then);
                if !otherwise.is_empty() {
                    let jump = self.push(Operation::Jump(0));
                    self.lead(unless);
                    self.inner(otherwise);
                    return self.lead(jump);
                }
                self.lead(unless);
            }
            Item::While(condition, most, inner) => {
                let Some(test) = self.test(condition) else { return };
                self.repeat(inner, |depth| Operation::Pass(depth, *most, test, 0));
            }
            Item::Transaction(transaction, inner) => {
                self.program.has_transactions = true;
                self.drawn -= u64::from(is_outer);
                self.push(Operation::Enter(*transaction));
                self.items(inner, is_outer);
                self.push(Operation::Leave);
            }
            Item::Parallel(parallel) => {
                self.program.has_parallel = true;
                self.push(Operation::Parallel(parallel.calls.as_slice().into(), parallel.at_once));
            }
            Item::ForEach(members, inner) => {
                self.repeat(inner, |depth| Operation::Next(depth, Box::new(members.clone()), 0));
            }
        }
    }

    /// Items whose numbers do not count among those of the iteration itself: each has that of its place.
    fn inner(&mut self, items: &[Item]) {
        self.items(items, false);
    }

    fn choose(&mut self, choices: &[Choice], number: u64) {
        let at = self.push(Operation::Choose(Vec::new(), number));
        let (mut ways, mut jumps, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for choice in choices {
            sum += choice.share;
            ways.push((sum, self.here()));
            self.inner(&choice.run);
            jumps.push(self.push(Operation::Jump(0)));
        }
        jumps.into_iter().for_each(|jump| self.lead(jump));
        self.program.operations[at] = Operation::Choose(ways, number);
    }

    fn repeat(&mut self, inner: &[Item], head: impl FnOnce(usize) -> Operation) {
        let depth = self.depth;
        let head = self.push(head(depth));
        self.depth += 1;
        self.program.loops = self.program.loops.max(self.depth);
        self.inner(inner);
        self.depth -= 1;
        self.push(Operation::Jump(head));
        self.lead(head);
    }

    /// What an operation left open leads here.
    fn lead(&mut self, operation: usize) {
        let here = self.here();
        match &mut self.program.operations[operation] {
            Operation::Jump(to) | Operation::Unless(_, to) | Operation::Pass(.., to) | Operation::Next(_, _, to) => {
                *to = here;
            }
            _ => {}
        }
    }

    fn test(&mut self, condition: &Condition) -> Option<Rc<Test>> {
        let (left, right) = self.mistakes.keep(condition.compile(self.names))?;
        let compare = condition.compare.as_ref().map(|(compare, _)| *compare);
        Some(Rc::new(Test { left, right, compare, is_not: condition.is_not }))
    }
}

/// Of each operation, whether an exchange may follow.
fn reaches(operations: &[Operation]) -> Vec<bool> {
    let mut reaches = vec![false; operations.len()];
    loop {
        let mut is_changed = false;
        for (index, operation) in operations.iter().enumerate().rev() {
            let at = |place: usize| reaches.get(place) == Some(&true);
            let next = at(index + 1);
            let now = match operation {
                Operation::Exchange(_) | Operation::Parallel(..) => true,
                Operation::Think(..) | Operation::Enter(_) | Operation::Leave => next,
                Operation::Choose(ways, _) => ways.iter().any(|(_, place)| at(*place)),
                Operation::Jump(place) => at(*place),
                Operation::Unless(_, place) | Operation::Pass(.., place) | Operation::Next(_, _, place) => {
                    next || at(*place)
                }
            };
            is_changed |= now != reaches[index];
            reaches[index] = now;
        }
        if !is_changed {
            return reaches;
        }
    }
}

/// Which way iteration `serial` takes: by seed, so every worker and every repetition agrees.
pub(crate) fn choose(ways: &[(f64, usize)], uniform: f64) -> usize {
    let total = ways.last().map_or(1.0, |(sum, _)| *sum);
    let draw = uniform * total;
    let index = ways.partition_point(|(sum, _)| *sum <= draw).min(ways.len().saturating_sub(1));
    ways[index].1
}

/// The random number of an item for iteration `serial`, in pass `pass` of the loops around it.
pub(crate) fn uniform(study_seed: u64, number: u64, pass: u64, serial: u64) -> f64 {
    let of_item = seed::hash(study_seed, 0xC400 + number);
    seed::uniform(if pass == 0 { of_item } else { seed::hash(of_item, pass) }, serial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Place;
    use terms::Nanos;
    use testkit::NoNames;

    const WAIT: Item = Item::Think(Think::Fixed(Nanos(5)));

    fn program(items: &[Item]) -> Program {
        Program::new(items, &NoNames).unwrap()
    }

    fn way(share: f64, run: Vec<Item>) -> Choice {
        Choice { name: "way".into(), share, run }
    }

    fn condition(left: &str) -> Condition {
        let text = left.to_owned();
        Condition { left: text.clone(), text, place: Place::default(), compare: None, is_not: false }
    }

    #[test]
    fn times_are_unrolled_and_weights_cumulated() {
        let items = [
            Item::Exchange(0),
            Item::Times(2, vec![WAIT, Item::Exchange(1)]),
            Item::Choose(vec![way(0.75, vec![Item::Exchange(2)]), way(0.25, vec![Item::Exchange(3), WAIT])]),
            Item::Exchange(4),
        ];
        let operations = program(&items).operations;
        let Operation::Choose(ways, 5) = &operations[5] else { panic!("{operations:?}") };
        assert_eq!(ways.iter().map(|(sum, _)| *sum).collect::<Vec<_>>(), [0.75, 1.0]);
        let at = |place: usize| &operations[place];
        assert_eq!([at(ways[0].1), at(ways[1].1)], [&Operation::Exchange(2), &Operation::Exchange(3)]);
        let end = operations.len() - 1;
        assert_eq!(at(end), &Operation::Exchange(4));
        assert_eq!(at(ways[0].1 + 1), &Operation::Jump(end));
    }

    #[test]
    fn branches_and_loops_lead_where_they_end() {
        let items = [
            Item::If(condition("a"), vec![Item::Exchange(0)], vec![Item::Exchange(1)]),
            Item::While(condition("b"), 3, vec![Item::Exchange(2), WAIT]),
            WAIT,
        ];
        let program = program(&items);
        let found = &program.operations;
        assert!(matches!(found[0], Operation::Unless(_, 3)), "{found:?}");
        assert_eq!(found[1..4], [Operation::Exchange(0), Operation::Jump(4), Operation::Exchange(1)]);
        assert!(matches!(found[4], Operation::Pass(0, 3, _, 8)), "{found:?}");
        assert_eq!(found[7], Operation::Jump(4));
        assert_eq!((found.len(), program.loops), (9, 1));
        // In the loop an exchange may come again; behind it only a wait is left.
        assert!(program.reaches_exchange(6) && !program.reaches_exchange(8) && !program.reaches_exchange(9));
    }

    #[test]
    fn no_two_items_are_drawn_by_the_same_number() {
        let wait = || Item::Think(Think::Between(Nanos(1), Nanos(9)));
        let ways = || Item::Choose(vec![way(0.5, vec![wait(), wait()]), way(0.5, vec![wait()])]);
        let items = [
            wait(),
            Item::While(condition("a"), 3, vec![ways(), wait(), Item::Times(2, vec![ways(), wait()])]),
            Item::If(condition("b"), vec![wait(), ways()], vec![wait(), wait()]),
            ways(),
            wait(),
        ];
        let number = |operation: &Operation| match operation {
            Operation::Think(_, number) | Operation::Choose(_, number) => Some(*number),
            _ => None,
        };
        let program = program(&items);
        let mut numbers: Vec<u64> = program.operations.iter().filter_map(number).collect();
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((count, numbers.len()), (28, 28), "{:?}", program.operations);
    }

    #[test]
    fn a_name_that_is_not_known_is_a_mistake() {
        let items = [Item::If(condition("$(nobody)"), vec![Item::Exchange(0)], Vec::new())];
        assert!(Program::new(&items, &NoNames).is_err());
    }

    #[test]
    fn choices_follow_their_weights() {
        let ways = [(0.75, 2), (1.0, 3)];
        let rare = |pass| (0..100_000).filter(|&serial| choose(&ways, uniform(1, 0, pass, serial)) == 3).count();
        // 25 000 expected, standard deviation 137.
        assert!(rare(0).abs_diff(25_000) < 685 && rare(7).abs_diff(25_000) < 685);
        let both = (0..1000).filter(|&serial| uniform(1, 0, 1, serial) == uniform(1, 0, 2, serial)).count();
        assert_eq!(both, 0, "each pass draws anew");
    }
}
