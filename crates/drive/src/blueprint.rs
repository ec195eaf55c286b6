//! What every thread builds the drivers of a part from, and what it shares with the others.

use crate::Mailbox;
use crate::error::DriveError;
use contract::{
    BuildContext, Closes, Commons, Destination, Driver, DriverKind, Feature, Mistakes, Names, ReplyHandler, Settings,
    Template,
};
use recorder::{Layout, Shared};
use std::path::PathBuf;
use std::sync::Arc;

/// A driver with the exchanges that use it.
#[derive(Clone)]
pub struct DriverUse {
    pub kind: DriverKind,
    pub settings: Vec<Settings>,
}

/// What every thread builds the drivers of one part of a scenario from, and shares with the others, read-only.
#[derive(Clone)]
pub struct Blueprint<'a> {
    /// Drivers that the study uses.
    pub drivers: Vec<DriverUse>,
    /// Resolves names, with this scenario's variables and the instances' addresses.
    pub names: &'a (dyn Names + Sync),
    /// Folder of the study.
    pub base: PathBuf,
    /// Everything shared but the templates, which each worker's drivers compile alike.
    pub shared: Shared,
    /// Exchanges, legs, thresholds.
    pub layout: Arc<Layout>,
    pub workers: u16,
    /// Where listeners hand in what came; none where the study has no listener.
    pub mailbox: Option<Arc<Mailbox>>,
    /// Distinguishes this run from others in what it sends.
    pub nonce: u64,
    /// Most connections of all threads together, where the study sets no bound: what descriptors allow.
    pub sessions_max: u32,
}

/// Drivers of one thread, and which of them carries out an exchange.
pub(crate) struct Built {
    pub(crate) drivers: Vec<Box<dyn Driver>>,
    /// By exchange number.
    pub(crate) driver_of: Vec<u8>,
    pub(crate) timeouts: Vec<terms::Nanos>,
    /// How long the opening of its connection may take; none for exchanges that hold none.
    pub(crate) openings: Vec<Option<terms::Nanos>>,
    /// Of the exchanges, in the study.
    pub(crate) names: Vec<String>,
    pub(crate) shared: Arc<Shared>,
}

impl Blueprint<'_> {
    /// Where exchanges go, each with the index of its driver. Connects to nothing and looks no name up.
    ///
    /// # Errors
    /// What a driver finds wrong with its settings.
    pub fn destinations(&self) -> Result<Vec<(usize, Destination)>, Mistakes> {
        let mut context = BuildContext::new(self.names, self.base.clone()).with_nonce(self.nonce);
        let mut all = Vec::new();
        for (index, used) in self.drivers.iter().enumerate() {
            let driver = (used.kind.build)(&used.settings, &mut context)?;
            all.extend(driver.destinations().into_iter().map(|destination| (index, destination)));
        }
        Ok(all)
    }

    /// What reads requests at listeners: the handlers of all drivers that have one.
    ///
    /// # Errors
    /// What a driver finds wrong with its settings.
    pub fn handlers(&self) -> Result<Vec<Box<dyn ReplyHandler>>, Mistakes> {
        let mut context =
            BuildContext::new(self.names, self.base.clone()).with_nonce(self.nonce).with_commons(self.commons());
        let mut all = Vec::new();
        for used in &self.drivers {
            all.extend((used.kind.build)(&used.settings, &mut context)?.replies());
        }
        Ok(all)
    }

    fn commons(&self) -> Commons {
        self.mailbox.as_ref().map_or_else(Commons::default, |mailbox| mailbox.commons())
    }

    /// What the study's exchanges have the system do, and what they leave out, as their drivers know it.
    ///
    /// # Errors
    /// What a driver finds wrong with its settings.
    pub fn features(&self) -> Result<Vec<Feature>, Mistakes> {
        let mut context = BuildContext::new(self.names, self.base.clone()).with_nonce(self.nonce);
        let mut all = Vec::new();
        for used in &self.drivers {
            all.extend((used.kind.build)(&used.settings, &mut context)?.features());
        }
        Ok(all)
    }

    /// Builds the drivers for one thread.
    pub(crate) fn build(&self) -> Result<Built, DriveError> {
        let mut context = BuildContext::new(self.names, self.base.clone())
            .with_nonce(self.nonce)
            .with_commons(self.commons())
            .with_captures(self.shared.captures)
            .with_looks(self.shared.is_looked_at)
            .with_traces(self.shared.traces.are_sent);
        let count = self.layout.exchanges.len();
        let (mut driver_of, mut timeouts) = (vec![0; count], vec![terms::Nanos::MAX; count]);
        let mut openings = vec![None; count];
        let mut names = vec![String::new(); count];
        let mut drivers = Vec::new();
        for (index, used) in self.drivers.iter().enumerate() {
            let mut driver = (used.kind.build)(&used.settings, &mut context).map_err(DriveError::Settings)?;
            driver.set_up().map_err(DriveError::SetUp)?;
            drivers.push(driver);
            for settings in &used.settings {
                driver_of[usize::from(settings.number)] = index as u8;
                timeouts[usize::from(settings.number)] = settings.timeout;
                openings[usize::from(settings.number)] = self.opening_of(settings);
                names[usize::from(settings.number)].clone_from(&settings.exchange);
            }
        }
        let captures = context.captures();
        let templates: Vec<Template> = context.into_templates();
        let shared = Arc::new(Shared { templates, captures, ..self.shared.clone() });
        Ok(Built { drivers, driver_of, timeouts, openings, names, shared })
    }

    /// What the study gives the leg of that kind, else what it gives every leg.
    fn opening_of(&self, settings: &Settings) -> Option<terms::Nanos> {
        let legs = self.layout.exchanges[usize::from(settings.number)].legs;
        let opening = legs.iter().find(|leg| leg.closes == Closes::Opening)?;
        Some(settings.within.get(opening.name).copied().unwrap_or(settings.timeout))
    }
}
