//! The thread that reads the run folder and keeps the history up to date.

use crate::history::History;
use crate::standing::{Outcome, Requirement};
use follow::Follower;
use record::Head;
use rustix::process::setpriority_process;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use terms::Phase;
use tokio::sync::watch;

/// Time between two looks into the folder.
const LOOK: Duration = Duration::from_millis(500);
/// Niceness of the page's threads: whoever drives load goes before them.
const NICE: i32 = 10;
/// Of the thread that judges while a run goes on.
const NICE_OF_JUDGE: i32 = 19;
/// Seconds of a run, at least, between two judgements within one load.
const STAND_S: i64 = 10;
/// Judging a run while it goes on may take one part in so many of its time.
const JUDGE_SHARE: f64 = 200.0;

/// What the reader is told.
pub(crate) enum Order {
    /// Read this folder.
    Follow(PathBuf),
    /// It was judged: this is what it came to.
    Over(Box<Outcome>, SyncSender<()>),
    /// How requirements stand at that second.
    Stand(i64, Vec<Requirement>),
    /// Read nothing more.
    End,
}

/// What is known of a folder from elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Judge {
    /// Says what heads of earlier versions leave out.
    pub(crate) fill_in: fn(&mut Head),
    /// The requirements of a run, before any is judged.
    pub(crate) planned: fn(&Path) -> Vec<Requirement>,
    /// Judges a folder as it is.
    pub(crate) judged: fn(&Path) -> Result<Outcome, String>,
    /// Whether what it came to is stated by whoever carried it out.
    pub(crate) is_told: bool,
}

/// What both threads have.
#[derive(Clone)]
pub(crate) struct Shared {
    history: Arc<Mutex<History>>,
    news: Arc<watch::Sender<u64>>,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self { history: Arc::default(), news: Arc::new(watch::channel(0).0) }
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears that there is something new.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Changes the history, and says so.
    fn change(&self, change: impl FnOnce(&mut History)) {
        let next = {
            let mut history = self.history();
            change(&mut history);
            history.next_message()
        };
        self.news.send_replace(next);
    }
}

/// Makes this thread one that others go before. Should the system refuse, it is one like others.
pub(crate) fn be_nice() {
    let _ = setpriority_process(None, NICE);
}

pub(crate) struct Reader {
    pub(crate) shared: Shared,
    pub(crate) judge: Judge,
    pub(crate) orders: Receiver<Order>,
    /// To itself, for whoever judges beside it.
    pub(crate) own: Sender<Order>,
    pub(crate) spent: Arc<AtomicU64>,
}

/// What is being read.
struct Reading {
    follower: Follower,
    path: PathBuf,
    head: Head,
    /// Scenarios whose load is in hand: number and repetition.
    loads: BTreeSet<(u16, u32)>,
    /// The second to which requirements were judged last; before that, the one in which the load in hand began.
    stood: i64,
    is_over: bool,
}

impl Reading {
    /// Whether requirements are to be judged as they stand: when a load has ended, and now and then in one that goes on.
    fn see_loads(&mut self, second: i64, steps: &[u32]) -> bool {
        let steps = steps.iter().filter_map(|step| self.head.steps.get(*step as usize));
        let has_load = |step: &&record::StepHead| {
            Phase::from_name(&step.phase).is_some_and(|phase| phase.has_load() || phase == Phase::Drain)
        };
        let now: BTreeSet<_> = steps.filter(has_load).map(|step| (step.scenario, step.repetition)).collect();
        let has_ended = self.loads.difference(&now).next().is_some();
        if now.difference(&self.loads).next().is_some() {
            self.stood = second;
        }
        self.loads = now;
        has_ended || (!self.loads.is_empty() && second >= self.stood + STAND_S)
    }
}

impl Reader {
    /// Reads until it is told to end.
    pub(crate) fn run(self) {
        be_nice();
        let mut reading: Option<Reading> = None;
        loop {
            match self.orders.recv_timeout(LOOK) {
                Ok(Order::Follow(path)) => reading = self.open(&path),
                Ok(Order::Over(outcome, done)) => {
                    if let Some(reading) = &mut reading {
                        self.read(reading);
                    }
                    self.shared.change(|history| history.see_outcome(&outcome));
                    let _ = done.send(());
                }
                Ok(Order::Stand(at, all)) => self.shared.change(|history| history.see_standing(&all, at)),
                Ok(Order::End) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(reading) = &mut reading {
                self.read(reading);
            }
        }
    }

    fn open(&self, path: &Path) -> Option<Reading> {
        match Follower::open(path) {
            Ok(follower) => {
                let head = self.head(&follower);
                let planned = (self.judge.planned)(path);
                self.shared.change(|history| {
                    history.see_head(&head);
                    history.see_requirements(&planned, None);
                });
                let path = path.to_owned();
                Some(Reading { follower, path, head, loads: BTreeSet::new(), stood: 0, is_over: false })
            }
            Err(error) => {
                self.shared.change(|history| history.see_trouble(&error.to_string()));
                None
            }
        }
    }

    fn head(&self, follower: &Follower) -> Head {
        let mut head = follower.head().clone();
        (self.judge.fill_in)(&mut head);
        head
    }

    /// Takes in everything that is new.
    fn read(&self, reading: &mut Reading) {
        while !reading.is_over {
            let seconds = match reading.follower.next() {
                Ok(seconds) => seconds,
                Err(error) => {
                    reading.is_over = true;
                    return self.shared.change(|history| history.see_trouble(&error.to_string()));
                }
            };
            let is_over = reading.follower.is_over();
            if seconds.is_empty() && !is_over {
                return;
            }
            let head = self.head(&reading.follower);
            self.shared.change(|history| {
                history.see_head(&head);
                seconds.iter().for_each(|second| history.see(second, &head));
                if is_over {
                    history.end(&head);
                }
            });
            reading.head = head;
            let mut is_due = false;
            for second in &seconds {
                is_due |= reading.see_loads(second.second, &second.steps);
            }
            // One that has its ending is judged as a whole. What is judged is all that there is, so up to the last second.
            if let Some(last) = seconds.last()
                && is_due
                && reading.head.ending.is_none()
                && self.judge_beside(&reading.path, last.second)
            {
                reading.stood = last.second;
            }
            if is_over {
                reading.is_over = true;
                self.end(&reading.path);
            }
        }
    }

    /// Judges what there is, in a thread of the lowest priority, unless judging has taken its share of the run's time already.
    /// Says whether it does.
    fn judge_beside(&self, path: &Path, second: i64) -> bool {
        let spent_s = self.spent.load(Ordering::Relaxed) as f64 / 1000.0;
        // Only one at a time judges.
        if spent_s * JUDGE_SHARE > second as f64 || Arc::strong_count(&self.spent) > 1 {
            return false;
        }
        let (path, judged, own, spent) =
            (path.to_owned(), self.judge.judged, self.own.clone(), Arc::clone(&self.spent));
        let judge = move || {
            let _ = setpriority_process(None, NICE_OF_JUDGE);
            if let Ok(outcome) = judged(&path) {
                let so_far = outcome.requirements.into_iter().map(Requirement::so_far).collect();
                drop(own.send(Order::Stand(second, so_far)));
            }
            let took = clock_gettime(ClockId::ThreadCPUTime);
            spent.fetch_add((took.tv_sec * 1000 + took.tv_nsec / 1_000_000).max(1) as u64, Ordering::Relaxed);
        };
        // Where the system gives no thread, nothing is stated before the end.
        std::thread::Builder::new().name("live-judge".to_owned()).spawn(judge).is_ok()
    }

    /// A run that somebody else carries out, or did, is judged here.
    fn end(&self, path: &Path) {
        if self.judge.is_told {
            return;
        }
        match (self.judge.judged)(path) {
            Ok(outcome) => self.shared.change(|history| history.see_outcome(&outcome)),
            Err(text) => self.shared.change(|history| {
                history.see_outcome(&Outcome { ending: text, ..Outcome::default() });
            }),
        }
    }
}
