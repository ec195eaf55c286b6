//! What each virtual user does with its iterations and its data, in simulated time.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, LegKind, Mistakes, Piece, Recorder,
    Session, Settings, Slot, Table, Task, Template, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{LoadPlan, ScenarioPlan, UserPlan};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::cell::RefCell;
use std::sync::Arc;
use study::{Item, Per, Think, UserStage};
use terms::{Books, Nanos, Outcome};
use testkit::{NoNames, settings};

const LEGS: &[LegKind] = &[LegKind { name: "answer", closes: Closes::Here }];

/// `shop.login` answers after 1 ms, wrongly for those who are told so; `shop.search` needs what login gave.
const SHOP: DriverKind = DriverKind {
    name: "shop",
    exchanges: &[ExchangeKind { name: "call", work: Work::Exchange, legs: LEGS, keys: &[], words: &[] }],
    counters: &[],
    features: &[],
    messages: &[],
    build: |_: &[Settings], context: &mut BuildContext<'_>| -> Result<Box<dyn Driver>, Mistakes> {
        let column = |table| Template { pieces: vec![Piece::Column { table, column: 0 }] };
        let (user, item) = (context.keep(column(0)), context.keep(column(1)));
        Ok(Box::new(Shop { user, item }))
    },
};

const LOGIN: u16 = 0;
const SEARCH: u16 = 1;
/// Logs in to no avail.
const LOCKED: u16 = 2;
const STEPS: usize = 3;

struct Shop {
    user: u16,
    item: u16,
}

/// One line of the log: who (slot's number), which exchange, row of users, row of items.
type Line = (u64, u16, String, String);

thread_local! {
    /// What was sent in the simulation of this thread.
    static SENT: RefCell<Vec<(Nanos, Line)>> = const { RefCell::new(Vec::new()) };
}

impl Driver for Shop {
    fn session(&self, slot: Slot) -> Box<dyn Session> {
        Box::new(Visit { slot, user: self.user, item: self.item, task: None, is_known: false })
    }
}

struct Visit {
    slot: Slot,
    user: u16,
    item: u16,
    task: Option<Task>,
    is_known: bool,
}

impl Session for Visit {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        if task.exchange == SEARCH && !self.is_known {
            recorder.close(task, 0, Outcome::BadStudy, 1, 0);
            return Interest::Idle;
        }
        let mut text = |template| {
            let mut text = Vec::new();
            assert!(recorder.render(task, template, &mut text));
            String::from_utf8(text).unwrap()
        };
        let user = text(self.user);
        let item = if task.exchange == SEARCH { text(self.item) } else { String::new() };
        let line = (self.slot.user, task.exchange, user, item);
        recorder.started(task);
        SENT.with_borrow_mut(|sent| sent.push((recorder.now(), line)));
        self.task = Some(*task);
        Interest::WakeAt(recorder.now() + Nanos::MILLISECOND)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if let Some(task) = self.task.take() {
            self.is_known |= task.exchange == LOGIN;
            let outcome = if task.exchange == LOCKED { Outcome::Wrong } else { Outcome::Ok };
            recorder.close(&task, 0, outcome, 1, 10);
        }
        Interest::Idle
    }

    fn cancel(&mut self, _: Cancel, _: &mut Recorder) {
        self.task = None;
    }
}

fn table(name: &str, rows: usize) -> Arc<Table> {
    let mut table = Table::new(name, vec!["id".into()]);
    (0..rows).for_each(|row| table.push([format!("{name}{row}").as_bytes()].into_iter()));
    Arc::new(table)
}

fn setup(workers: u16) -> Blueprint<'static> {
    let used = (0..STEPS as u16).map(|number| settings("call", number, "call", &[])).collect();
    let exchange = || ExchangeLayout { legs: LEGS, thresholds: Vec::new() };
    Blueprint {
        drivers: vec![DriverUse { kind: SHOP, settings: used }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, tables: vec![table("u", 5), table("i", 1000)], ..Shared::default() },
        layout: Arc::new(Layout::new((0..STEPS).map(|_| exchange()).collect())),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: 100,
    }
}

fn plan(users: u32, pacing: Option<Nanos>, set_up: &[u16], run: Vec<Item>) -> ScenarioPlan {
    let users = UserPlan::ramp(users, Nanos::ZERO, None);
    let load = LoadPlan::Closed { users, pacing, count: None };
    let mut plan = planned::scenario(load, Some(Nanos::from_secs(10)), run);
    plan.parts[0].set_up = set_up.iter().map(|exchange| (*exchange, Per::User)).collect();
    plan
}

/// What was sent, and the books.
fn simulate(plan: &ScenarioPlan, workers: u16) -> (Vec<(Nanos, Line)>, Books) {
    SENT.with_borrow_mut(Vec::clear);
    let books = RefCell::new(Books::default());
    simulate_scenario(plan, &[setup(workers)], &|entry| {
        if let Entry::Load(batch) = entry {
            batch.fold().iterations.iter().for_each(|row| *books.borrow_mut() += row.books);
        }
    })
    .unwrap();
    (SENT.take(), books.into_inner())
}

#[test]
fn a_count_is_of_what_begins_in_the_hold() {
    // The last one leaves a thread without a share of the count, whose user warms up like the others.
    for (workers, count) in [(1, 50), (2, 50), (3, 50), (3, 2)] {
        let users = UserPlan::ramp(3, Nanos::ZERO, None);
        let load = LoadPlan::Closed { users, pacing: Some(Nanos::from_millis(100)), count: Some(count) };
        let mut plan = planned::scenario(load, None, vec![Item::Exchange(LOCKED)]);
        let hold = plan::LoadStep { step: 1, from: Some(Nanos::from_secs(4)), from_count: None };
        plan.parts[0].load_steps.push(hold);
        (plan.steps, plan.drain) = (0..=2, 2);
        let books = RefCell::new([Books::default(); 3]);
        simulate_scenario(&plan, &[setup(workers)], &|entry| {
            if let Entry::Load(batch) = entry {
                let rows = batch.fold().iterations;
                rows.iter().for_each(|row| books.borrow_mut()[row.step as usize] += row.books);
            }
        })
        .unwrap();
        let [warm_up, hold, drain] = books.into_inner();
        // Three users begin ten times a second for four seconds.
        assert_eq!((warm_up.intended, hold.intended, drain.intended), (120, count, 0), "{workers} threads");
        assert_eq!((warm_up.open(), hold.open()), (0, 0));
    }
}

#[test]
fn a_count_ends_at_its_bound_if_that_comes_first() {
    let begun = |count: u64, at_most: i64, workers: u16| {
        let users = UserPlan::ramp(3, Nanos::ZERO, None);
        let load = LoadPlan::Closed { users, pacing: Some(Nanos::SECOND), count: Some(count) };
        let mut plan = planned::scenario(load, None, vec![Item::Exchange(LOCKED)]);
        plan.at_most = Some(Nanos::from_secs(at_most));
        let (sent, books) = simulate(&plan, workers);
        assert_eq!((books.open(), books.intended), (0, sent.len() as u64), "what is open ends in the drain");
        let last = sent.iter().map(|(at, _)| *at).max().unwrap();
        (books.started, last < Nanos::from_secs(at_most))
    };
    for workers in [1, 2] {
        // Three users begin once a second.
        assert_eq!(begun(1000, 4, workers), (12, true));
        assert_eq!(begun(6, 100, workers), (6, true), "its count comes first");
    }
}

#[test]
fn an_iteration_that_is_given_up_keeps_its_think_times() {
    let second = Nanos::SECOND;
    let run = vec![
        Item::Exchange(LOCKED),
        Item::Think(Think::Fixed(second)),
        Item::Exchange(SEARCH),
        Item::Think(Think::Fixed(second * 2)),
    ];
    let (sent, books) = simulate(&plan(3, None, &[], run), 1);
    // 3.001 s an iteration: each user begins at 0, 3.001, 6.002 and 9.003 s.
    assert_eq!(sent.len(), 3 * 4, "{sent:?}");
    assert_eq!((books.started, books.failed), (12, 12));
    // Given up before any think time.
    let run =
        vec![Item::Exchange(LOCKED), Item::Exchange(SEARCH), Item::Times(2, vec![Item::Think(Think::Fixed(second))])];
    let (sent, books) = simulate(&plan(1, None, &[], run), 1);
    assert_eq!((sent.len(), books.failed, books.open()), (5, 5, 0), "{sent:?}");
}

#[test]
fn an_iteration_that_is_given_up_keeps_its_pacing() {
    let run = || vec![Item::Exchange(LOCKED), Item::Exchange(SEARCH)];
    let (sent, _) = simulate(&plan(1, Some(Nanos::from_millis(500)), &[], run()), 1);
    assert_eq!(sent.len(), 20);
}

#[test]
fn a_user_that_can_begin_nothing_does_not_try_without_end() {
    let (sent, books) = simulate(&plan(1, None, &[], vec![Item::Exchange(SEARCH)]), 1);
    assert_eq!((sent.len(), books.started), (0, 0));
    assert_eq!((books.intended, books.dropped), (1000, 1000), "one each 10 ms");
}

#[test]
fn a_user_keeps_the_row_of_the_data_it_was_set_up_with() {
    for workers in [1, 2, 3] {
        let run = vec![Item::Exchange(SEARCH), Item::Think(Think::Fixed(Nanos::SECOND))];
        let (sent, _) = simulate(&plan(8, None, &[LOGIN], run), workers);
        let mut items = Vec::new();
        let mut logins = 0;
        for (_, (user, exchange, row, item)) in &sent {
            assert_eq!(*row, format!("u{}", user % 5), "user {user}, exchange {exchange}, {workers} threads");
            match *exchange {
                LOGIN => logins += 1,
                _ => items.push(item.clone()),
            }
        }
        // Of data that set-up does not use, every iteration has the next row.
        let all = items.len();
        items.sort();
        items.dedup();
        assert_eq!((logins, items.len(), all), (8, 80, 80), "{workers} threads");
    }
}

#[test]
fn users_come_and_go_as_the_stages_say_and_end_the_iteration_in_hand() {
    let stage = |from, to, seconds| UserStage { from, to, length: Nanos::from_secs(seconds) };
    // Up to four in 4 s, 2 s of four, down to one in 3 s, three at once for the last second.
    let stages = vec![stage(0, 4, 4), stage(4, 4, 2), stage(4, 1, 3), stage(3, 3, 1)];
    for workers in [1, 2, 3] {
        let run =
            vec![Item::Exchange(LOGIN), Item::Think(Think::Fixed(Nanos::from_millis(99))), Item::Exchange(SEARCH)];
        let mut plan = plan(4, None, &[], run);
        let users = UserPlan::stages(stages.clone());
        plan.parts[0].load = LoadPlan::Closed { users, pacing: None, count: None };
        let (sent, books) = simulate(&plan, workers);
        // Users are numbered by threads; each begins an iteration of 101 ms with a login.
        let logins = |user: u64| -> Vec<Nanos> {
            sent.iter().filter(|(_, line)| (line.0, line.1) == (user, LOGIN)).map(|(at, _)| *at).collect()
        };
        let within = |user: u64, from: i64, to: i64| {
            let is_in = |at: &&Nanos| (Nanos::from_millis(from)..Nanos::from_millis(to)).contains(*at);
            logins(user).iter().filter(is_in).count()
        };
        for (user, begins, goes, back) in
            [(0, 0, 10_000, true), (1, 1000, 9000, true), (2, 2000, 8000, true), (3, 3000, 7000, false)]
        {
            assert_eq!(within(user, 0, begins), 0, "{user} before it begins, {workers} threads");
            let expected = (goes - begins) as usize / 101 + 1;
            assert_eq!(within(user, begins, goes), expected, "{user} from {begins} to {goes}, {workers} threads");
            assert_eq!(within(user, goes, 9000), 0, "{user} is gone");
            assert_eq!(within(user, 9000, 10_000) > 0, back, "{user} comes back");
        }
        assert_eq!((books.started, books.completed), (books.intended, books.intended));
        assert_eq!((books.failed, books.aborted, books.dropped), (0, 0, 0), "nobody is cut off");
    }
}
