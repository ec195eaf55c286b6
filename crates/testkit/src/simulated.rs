//! A driver without sockets: a system whose service times are known, in simulated time.

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, Keys, LegKind, Mistakes, Recorder,
    Session, Settings, Slot, Task, Work,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use terms::{Nanos, Outcome, seed};

/// The simulated system as a driver: `simulated.call: { service: 5ms, servers: 1, random: true, stall_every: 10s,
/// stall_for: 1s, fail_every: 7 }`. `servers: 0` is a server for each request; servers are those of all exchanges.
pub const SIMULATED: DriverKind = DriverKind {
    name: "simulated",
    exchanges: &[ExchangeKind {
        name: "call",
        work: Work::Exchange,
        legs: &[LegKind { name: "answer", closes: Closes::Here }],
        keys: &["service", "servers", "random", "stall_every", "stall_for", "fail_every"],
        words: &[],
    }],
    counters: &[],
    features: &[],
    messages: &[],
    build,
};

#[derive(Clone, Copy, Debug)]
struct Model {
    service: Nanos,
    is_random: bool,
    stall: Option<(Nanos, Nanos)>,
    fail_every: u64,
}

/// Servers by the moment at which each is free again; requests are served in the order in which they come.
#[derive(Debug)]
struct Servers {
    free_at: Vec<Nanos>,
}

struct Simulated {
    /// By exchange number.
    models: BTreeMap<u16, Model>,
    servers: Rc<RefCell<Servers>>,
}

fn build(settings: &[Settings], _: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut models = BTreeMap::new();
    let mut servers = 0;
    for settings in settings {
        let mut model = Model { service: Nanos::MILLISECOND, is_random: false, stall: None, fail_every: 0 };
        let mut keys = Keys::of(&settings.node, "`simulated.call`", &mut mistakes);
        let duration = |node: Option<&contract::Node>, mistakes: &mut Mistakes| {
            node.and_then(|node| mistakes.keep(node.as_duration("a duration")))
        };
        model.service = duration(keys.take("service"), &mut mistakes).unwrap_or(model.service);
        let every = duration(keys.take("stall_every"), &mut mistakes);
        let length = duration(keys.take("stall_for"), &mut mistakes);
        model.stall = every.zip(length);
        let count = |node: Option<&contract::Node>, mistakes: &mut Mistakes| {
            node.and_then(|node| mistakes.keep(node.as_count("a count", 0, 1_000_000))).unwrap_or(0)
        };
        servers = count(keys.take("servers"), &mut mistakes);
        model.fail_every = count(keys.take("fail_every"), &mut mistakes);
        model.is_random = keys.take("random").is_some();
        keys.finish(&mut mistakes);
        models.insert(settings.number, model);
    }
    mistakes.into_result()?;
    let servers = Rc::new(RefCell::new(Servers { free_at: vec![Nanos::ZERO; servers as usize] }));
    Ok(Box::new(Simulated { models, servers }))
}

impl Driver for Simulated {
    fn session(&self, _: Slot) -> Box<dyn Session> {
        Box::new(Call { models: self.models.clone(), servers: self.servers.clone(), task: None })
    }
}

struct Call {
    models: BTreeMap<u16, Model>,
    servers: Rc<RefCell<Servers>>,
    task: Option<Task>,
}

impl Model {
    /// Service time of a request by its number: the same for every arrival order.
    fn service_of(&self, serial: u64) -> Nanos {
        if !self.is_random {
            return self.service;
        }
        let uniform = seed::uniform(0x51A7, serial);
        Nanos((-(1.0 - uniform).ln() * self.service.0 as f64) as i64)
    }

    /// An answer due while the system stands still comes when it goes on. It stands still at the end of each period.
    fn after_stall(&self, due: Nanos) -> Nanos {
        let Some((every, length)) = self.stall else { return due };
        let within = Nanos(due.0.rem_euclid(every.0));
        if within >= every - length { due - within + every } else { due }
    }
}

impl Servers {
    /// When a request that comes now will be answered.
    fn serve(&mut self, now: Nanos, service: Nanos) -> Nanos {
        let Some(free_at) = self.free_at.iter_mut().min() else { return now + service };
        *free_at = now.max(*free_at) + service;
        *free_at
    }
}

impl Call {
    fn model(&self, task: &Task) -> Model {
        self.models[&task.exchange]
    }
}

impl Session for Call {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        self.task = Some(*task);
        let model = self.model(task);
        let due = self.servers.borrow_mut().serve(recorder.now(), model.service_of(task.serial));
        Interest::WakeAt(model.after_stall(due))
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if let Some(task) = self.task.take() {
            let every = self.model(&task).fail_every;
            let fails = every > 0 && task.serial % every == every - 1;
            recorder.close(&task, 0, if fails { Outcome::Status } else { Outcome::Ok }, 1, 100);
        }
        Interest::Idle
    }

    fn cancel(&mut self, _: Cancel, _: &mut Recorder) {
        self.task = None;
    }
}
