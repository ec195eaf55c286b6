//! The node's side: it does what it is told, and hands on what it records.

use crate::load::{blueprints, names_of};
use crate::nodes::carrying::{Carrying, Setting};
use crate::nodes::message::{
    Carried, Frame, Join, Joined, LoadOver, Order, PROTOCOL, Share, Told, frame, read, rows_frame,
};
use crate::nodes::place::Place;
use crate::nodes::standing::Standing;
use crate::nodes::trial::Try;
use crate::nodes::{Inbox, Link, Outbox, files, local};
use crate::prepare::Prepared;
use crate::replies::Replies;
use crate::{descriptors, head, kept_out};
use clock::Clock;
use contract::LoadOn;
use drive::{Control, DriveError, Kept, LoadThreads, Stop};
use record::{Entry, SampleRow};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use study::Places;
use terms::Nanos;
use watch::{Built, Watching, generator};

/// Frames that may wait for their way: minutes of a way that stands still.
const WAITING_MAX: usize = 4096;

/// How long a node whose load is over waits for somebody who takes the run up, before it cleans up by itself.
const LEFT_ALONE: Nanos = Nanos::from_secs(30);
/// Between two looks whether it is alone.
const PATIENCE: Nanos = Nanos::from_millis(200);

/// Reads, checks and plans a study: its text, the folder that its files are beside, and what this node is called.
pub(crate) type Prepare<'a> = &'a dyn Fn(&str, &Path, &str) -> Result<Prepared, String>;

/// What a node needs others for.
#[derive(Clone, Copy)]
pub struct Able<'a> {
    pub prepare: Prepare<'a>,
    pub try_out: Try<'a>,
}

/// Takes part in a run as a load node, or as one that only watches, until whoever conducts it says that it is over, or has gone.
pub fn serve(link: Link, able: Able<'_>) {
    let Link { to, from } = link;
    let control = Control::new();
    let (told, sending) = Reports::over(to, control.clone());
    let (pass_on, orders) = channel();
    let stopper = control.clone();
    let own = match Place::make() {
        Ok(own) => own,
        Err(error) => return told.failed(format!("it has no place for the files of the study: {error}")),
    };
    let place = own.files().to_owned();
    let failing = told.clone();
    let standing = Arc::<Standing>::default();
    let (alone, load_on) = (Arc::<AtomicI64>::default(), LoadOn::default());
    let hearing = Hearing {
        place,
        told: failing,
        control: stopper,
        standing: standing.clone(),
        alone: alone.clone(),
        load_on: load_on.clone(),
        pass_on,
    };
    let reading = std::thread::Builder::new().name("orders".into());
    if reading.spawn(move || hearing.hear(from)).is_err() {
        return;
    }
    let files = own.files().to_owned();
    let (joined, watching, carrying) = (None, None, None);
    let mut node = Serving { told, orders, control, standing, alone, load_on, able, files, joined, watching, carrying };
    node.serve();
    node.end_watch();
    node.watching.take().into_iter().for_each(|watching| drop(watching.stop()));
    // A monitor that hangs is left behind; what it may still say is not waited for.
    let _ = node.told.frames.send(Vec::new());
    drop(node);
    let _ = sending.join();
}

/// Who reads orders.
struct Hearing {
    /// Where files of the study are put.
    place: PathBuf,
    told: Reports,
    control: Control,
    standing: Arc<Standing>,
    /// How long a node that only watches goes on without a word, nanoseconds.
    alone: Arc<AtomicI64>,
    load_on: LoadOn,
    pass_on: Sender<Order>,
}

impl Hearing {
    /// Reads orders. A stop is for the load in hand; when nobody is left who could say one, everything stops. Only where
    /// whoever conducts the run is silent, as one that was killed, a load that is on goes on: it ends by its plan.
    fn hear(self, mut from: Box<dyn Inbox>) {
        loop {
            match from.next() {
                Ok(Some(frame)) => {
                    self.standing.heard();
                    if !self.take(&frame) {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::TimedOut => match self.standing.silence() {
                    // Nobody looks at its abort rules any more.
                    Some(true) => self.control.stop(Stop::Drain),
                    Some(false) => {}
                    None if self.standing.still_watches(Clock::machine()) => {}
                    None => break,
                },
                _ => break,
            }
        }
        self.control.stop(Stop::Now);
    }

    /// Whether there may be another.
    fn take(&self, frame: &[u8]) -> bool {
        match read::<Order>(frame) {
            Some(Frame::Said(Order::Stop { now })) => self.control.stop(if now { Stop::Now } else { Stop::Drain }),
            // Rows that are lost stop a node for good.
            Some(Frame::Said(Order::GoOn)) if !self.told.is_lost.load(Ordering::Acquire) => self.control.go_on(),
            Some(Frame::Said(Order::Load { is_on })) => {
                self.load_on.set(is_on);
                let alone = Nanos(self.alone.load(Ordering::Relaxed));
                self.standing.watches(is_on.then(|| Clock::machine() + alone));
            }
            Some(Frame::Said(Order::TakenUp | Order::GoOn)) => {}
            Some(Frame::Said(Order::Leave)) => return false,
            Some(Frame::Said(order)) => return self.pass_on.send(order).is_ok(),
            Some(Frame::File(file)) => {
                if let Err(text) = files::keep(&self.place, &file) {
                    self.told.failed(text);
                    return false;
                }
            }
            _ => return false,
        }
        true
    }
}

/// What goes back, from any thread; none of them waits for the way.
#[derive(Clone)]
struct Reports {
    frames: SyncSender<Vec<u8>>,
    is_lost: Arc<AtomicBool>,
    control: Control,
}

impl Reports {
    fn over(mut to: Box<dyn Outbox>, control: Control) -> (Self, std::thread::JoinHandle<()>) {
        let (frames, waiting) = sync_channel::<Vec<u8>>(WAITING_MAX);
        let own = control.clone();
        let sending = std::thread::spawn(move || {
            for frame in waiting {
                if frame.is_empty() {
                    return;
                }
                if to.send(&frame).is_err() {
                    // Nobody will know what is measured from now on.
                    control.stop(Stop::Now);
                    return;
                }
            }
        });
        (Self { frames, is_lost: Arc::default(), control: own }, sending)
    }

    fn say(&self, told: &Told) {
        if self.frames.send(frame(told)).is_err() {
            self.is_lost.store(true, Ordering::Release);
        }
    }

    fn failed(&self, text: impl Into<String>) {
        self.say(&Told::Failed { text: text.into() });
    }

    /// It cannot carry its share any more, and that is not the system's doing.
    fn lost(&self, text: impl Into<String>) {
        self.say(&Told::Lost { text: text.into() });
    }

    fn entry(&self, entry: Entry) {
        let Some(carried) = record::carry(entry) else { return };
        // What comes after a second that is lost would call it whole.
        if self.is_lost.load(Ordering::Acquire) {
            return;
        }
        if self.frames.try_send(rows_frame(&carried)).is_err() {
            self.is_lost.store(true, Ordering::Release);
            self.control.stop(Stop::Now);
        }
    }
}

impl Reports {
    /// What a monitor recorded, which waits for its way: its next sample is then missing, and told so.
    fn in_turn(&self, entry: Entry) {
        if let Some(carried) = record::carry(entry) {
            let _ = self.frames.send(rows_frame(&carried));
        }
    }
}

struct Serving<'a> {
    told: Reports,
    orders: Receiver<Order>,
    control: Control,
    standing: Arc<Standing>,
    alone: Arc<AtomicI64>,
    load_on: LoadOn,
    able: Able<'a>,
    /// Where the files of the study are, unless they are where the run is conducted.
    files: PathBuf,
    joined: Option<InRun>,
    /// Of this process.
    watching: Option<Watching>,
    /// Of the study.
    carrying: Option<Carrying>,
}

/// The run that it takes part in.
struct InRun {
    prepared: Prepared,
    places: Places,
    replies: Replies,
    clock: Clock,
    base: PathBuf,
    name: String,
}

impl Serving<'_> {
    fn serve(&mut self) {
        descriptors::raise();
        while let Ok(order) = self.orders.recv() {
            match order {
                Order::Join(join) => self.join(*join),
                Order::Time => self.told.say(&Told::Time { shows_ns: Clock::machine().0 }),
                Order::Leave => return,
                order => match self.joined.take() {
                    Some(mut run) => {
                        self.obey(order, &mut run);
                        self.joined = Some(run);
                    }
                    None => self.told.failed("it takes part in no run"),
                },
            }
        }
    }

    fn join(&mut self, join: Join) {
        let own = env!("CARGO_PKG_VERSION");
        if (join.protocol, join.version.as_str()) != (PROTOCOL, own) {
            let text = format!("it is loadproof {own}, and the run is conducted by {}; install the same", join.version);
            return self.told.failed(text);
        }
        let base = join.base.as_ref().map_or_else(|| self.files.clone(), PathBuf::from);
        match (self.able.prepare)(&join.study, &base, &join.node) {
            Ok(prepared) => {
                let joined = Joined {
                    version: own.into(),
                    sha256: head::sha256(prepared.study.effective.as_bytes()),
                    pid: std::process::id(),
                    host: local::host(),
                    clock: local::clock(),
                    network: local::network(),
                    processes: local::processes(),
                    cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u16),
                };
                let replies = Replies::new(&join.run, &[]);
                let Join { node: name, places, .. } = join;
                let (places, clock) = (places.into(), Clock::system());
                self.joined = Some(InRun { prepared, places, replies, clock, base, name });
                self.told.say(&Told::Joined(Box::new(joined)));
            }
            Err(text) => self.told.failed(text),
        }
    }

    fn obey(&mut self, order: Order, run: &mut InRun) {
        match order {
            Order::Clock { offset_ns } => {
                run.clock = Clock::that_shows(Clock::machine() + Nanos(offset_ns));
                self.carrying.iter().for_each(|carrying| carrying.follow(&run.clock));
                self.told.say(&Told::Done);
            }
            Order::Carry { monitors, alone_ns } => {
                self.alone.store(alone_ns, Ordering::Relaxed);
                self.carry(monitors, run);
            }
            Order::EndWatch => {
                let facts = self.carrying.take().map(|carrying| carrying.stop(&run.prepared));
                self.told.say(&Told::Watched { facts: facts.unwrap_or_default() });
            }
            Order::Try(load) => match (self.able.try_out)(&load) {
                Ok(sent) => self.told.say(&Told::Tried(sent)),
                Err(text) => self.told.failed(text),
            },
            Order::Watch { monitor } => {
                self.watching = Some(watch_self(monitor, run, &self.told));
                self.told.say(&Told::Done);
            }
            Order::Study { text } => match (self.able.prepare)(&text, &run.base, &run.name) {
                Ok(prepared) => {
                    run.prepared = prepared;
                    self.told.say(&Told::Done);
                }
                Err(text) => self.told.failed(text),
            },
            Order::Places(places) => {
                run.places = (*places).into();
                self.told.say(&Told::Done);
            }
            Order::SetUp(share) => {
                let text = |error: &DriveError| run.prepared.kept_out.cut(&error.to_string()).into_owned();
                let carried_out = self.scenario(*share, run);
                self.standing.over();
                self.load_on.set(false);
                match carried_out {
                    Ok(()) => {}
                    Err(error @ (DriveError::SetUp(_) | DriveError::Settings(_))) => self.told.failed(text(&error)),
                    Err(error) => self.told.lost(text(&error)),
                }
            }
            // Of a scenario that this node could not set up.
            Order::Begin { .. } | Order::CleanUp { .. } => self.told.say(&Told::Over),
            Order::Join(_)
            | Order::Time
            | Order::Load { .. }
            | Order::Stop { .. }
            | Order::GoOn
            | Order::TakenUp
            | Order::Leave => {}
        }
    }

    /// Begins to run monitors of the study.
    fn carry(&mut self, monitors: Vec<Carried>, run: &InRun) {
        let InRun { prepared, places, clock, name: node, .. } = run;
        let setting = Setting { prepared, places, clock, load_on: &self.load_on, node };
        let told = self.told.clone();
        match Carrying::start(monitors, &setting, move |entry| told.in_turn(entry)) {
            Ok(carrying) => {
                self.told.say(&Told::Carrying { facts: carrying.facts(prepared) });
                self.carrying = Some(carrying);
            }
            Err(text) => self.told.failed(text),
        }
    }

    /// Ends monitors that nobody ended.
    fn end_watch(&mut self) {
        let (Some(carrying), Some(run)) = (self.carrying.take(), &self.joined) else { return };
        self.told.say(&Told::Watched { facts: carrying.stop(&run.prepared) });
    }

    /// One scenario from its set-up to its clean-up.
    fn scenario(&mut self, share: Share, run: &InRun) -> Result<(), DriveError> {
        let Share { scenario, first, threads, workers, kept, elsewhere } = share;
        let Some(plan) = run.prepared.plan.scenarios.get(scenario) else { return Err(DriveError::Defect) };
        let names = names_of(&run.prepared, plan, &run.places);
        let mut setups = blueprints(&run.replies, &run.prepared, &names, workers)?;
        // Each process has descriptors of its own, and the bound is for all threads together.
        let wider = u32::from(workers / threads.max(1));
        setups.iter_mut().for_each(|setup| setup.sessions_max = setup.sessions_max.saturating_mul(wider));
        let told = &self.told;
        let sink = |entry| told.entry(kept_out::entry(entry, &run.prepared.kept_out));
        let own = first..first + threads;
        let threads =
            LoadThreads { plan, blueprints: &setups, own, clock: &run.clock, control: &self.control, sink: &sink };
        let mut kept = Kept(kept);
        let captures = threads.set_up(&mut kept, elsewhere.as_deref())?;
        told.say(&Told::SetUp { kept: kept.0, captures: captures.clone() });
        let (orders, standing, load_on) = (&self.orders, &self.standing, &self.load_on);
        let is_guarded = !run.prepared.study.scenarios[usize::from(plan.number)].aborts().is_empty();
        let begins = |is_ready: bool| {
            if !is_ready {
                return None;
            }
            told.say(&Told::Ready);
            match orders.recv() {
                Ok(Order::Begin { origin_ns: Some(origin) }) => {
                    standing.begins(is_guarded);
                    load_on.set(true);
                    Some(Nanos(origin))
                }
                _ => None,
            }
        };
        let driven = match threads.drive(&captures, begins, |_| {}) {
            Ok(driven) => Some(driven),
            Err(DriveError::NotBegun) => None,
            Err(error) => return Err(error),
        };
        if told.is_lost.load(Ordering::Acquire) {
            told.lost("rows waited too long for their way and were lost");
        }
        told.say(&Told::LoadOver(LoadOver {
            scenario,
            at_ns: driven.as_ref().map(|driven| driven.load_ended.0),
            ended_ns: run.clock.now().0,
            is_stopped: self.control.get() != Stop::No,
        }));
        if let (Some((true, is_first)), Some(driven)) = (self.cleans_up(), driven) {
            threads.clean_up(driven, &captures, is_first)?;
        }
        told.say(&Told::Over);
        Ok(())
    }

    /// Whether it is to clean up, and as the first node. Where nobody has said so for long, and nobody is heard who could,
    /// a node cleans up what is its own: others may still need what was set up once for all.
    fn cleans_up(&self) -> Option<(bool, bool)> {
        let clock = Clock::system();
        loop {
            match self.orders.recv_timeout(PATIENCE.to_std()) {
                Ok(Order::CleanUp { is_wanted, is_first }) => return Some((is_wanted, is_first)),
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.standing.is_alone() && clock.now() > LEFT_ALONE => {
                    return Some((self.control.get() != Stop::Now, false));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Watches this process, and hands the samples on under the name of this node.
fn watch_self(monitor: u16, run: &InRun, told: &Reports) -> Watching {
    let kinds = generator::METRICS.iter().map(|metric| metric.kind).collect();
    let name = run.name.clone();
    let built =
        Built { number: monitor, name: name.clone(), kinds, every: Nanos::SECOND, monitor: generator::monitor() };
    let told = Arc::new(Mutex::new(told.clone()));
    watch::start(vec![built], &run.clock, move |entry| {
        // Other events, and pairs of clocks, are those of whoever conducts the run.
        let Entry::Samples(rows) = entry else { return };
        let own = |row: SampleRow| SampleRow { instance: name.clone(), ..row };
        let entry = Entry::Samples(rows.into_iter().map(own).collect());
        told.lock().unwrap_or_else(PoisonError::into_inner).entry(entry);
    })
}
