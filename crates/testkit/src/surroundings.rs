//! What a driver finds around it in a lab: its folder, its data, its time, and whether sockets can be watched.

use crate::TableNames;
use clock::Clock;
use contract::{BuildContext, Commons, Driver, DriverKind, Mistake, Mistakes, Settings, Table, Template};
use recorder::Attach;
use rustix::event::epoll;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The nonce of runs in a lab.
pub const NONCE: u64 = 0xfeed;

/// What a driver finds around it.
pub struct Surroundings {
    /// Folder that names of files in its settings start from.
    pub base: PathBuf,
    /// Rows that slots such as `$(row.value)` stand for.
    pub table: Table,
    /// Number of sessions.
    pub slots: u32,
    /// Its time. A lab with a simulated clock waits for sockets only.
    pub clock: Clock,
    /// Whether no socket can be watched, as where the system has no room for one more.
    pub is_blind: bool,
    /// What the sessions' driver shares with the one at the listener.
    pub commons: Commons,
    /// Whether requests begin traces.
    pub traces: bool,
}

impl Default for Surroundings {
    /// One session in real time, in the folder of the crate, with a table that has no rows.
    fn default() -> Self {
        let table = TableNames::default().0;
        let (clock, commons) = (Clock::system(), Commons::default());
        Self { base: ".".into(), table, slots: 1, clock, is_blind: false, commons, traces: false }
    }
}

impl Surroundings {
    /// Files are in that folder.
    pub fn at(base: &Path) -> Self {
        Self { base: base.into(), ..Self::default() }
    }

    /// `$(row.value)` stands for these, one after another.
    pub fn rows(values: &[&[u8]]) -> Self {
        let mut around = Self::default();
        values.iter().for_each(|value| around.table.push(std::iter::once(*value)));
        around
    }

    /// What watches sockets for a recorder.
    pub(crate) fn attach(&self, epoll: &Rc<OwnedFd>) -> Box<dyn Attach> {
        if self.is_blind { Box::new(Blind) } else { Box::new(Epoll(epoll.clone())) }
    }
}

/// A driver as the engine has it.
pub struct Built {
    pub driver: Box<dyn Driver>,
    pub templates: Vec<Template>,
    /// How many captured values a slot holds.
    pub captures: u8,
}

/// Builds a driver as the engine does.
///
/// # Errors
/// All mistakes in the settings.
pub fn build(kind: DriverKind, exchanges: &[Settings], around: &Surroundings) -> Result<Built, Mistakes> {
    let names = TableNames(around.table.clone());
    let mut context = BuildContext::new(&names, &around.base)
        .with_nonce(NONCE)
        .with_captures(1)
        .with_commons(around.commons.clone())
        .with_traces(around.traces);
    let driver = (kind.build)(exchanges, &mut context)?;
    let captures = context.captures();
    Ok(Built { driver, templates: context.into_templates(), captures })
}

/// The mistakes in the settings of an exchange; none if it is right.
pub fn mistakes(kind: DriverKind, exchange: Settings, around: &Surroundings) -> Vec<Mistake> {
    build(kind, &[exchange], around).err().map(|mistakes| mistakes.0).unwrap_or_default()
}

struct Epoll(Rc<OwnedFd>);

impl Attach for Epoll {
    fn attach(&mut self, slot: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        Ok(epoll::add(&*self.0, socket, epoll::EventData::new_u64(slot.into()), flags)?)
    }
}

/// Refuses to watch anything.
struct Blind;

impl Attach for Blind {
    fn attach(&mut self, _: u32, _: BorrowedFd<'_>) -> io::Result<()> {
        Err(io::Error::other("no more"))
    }
}
