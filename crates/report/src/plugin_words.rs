//! The words that plug-ins bring with them, as they are read.

use crate::messages::Catalogue;
use std::collections::BTreeMap;
use study::Registry;

/// The catalogues of all plug-ins in one language, by the plug-ins' names.
pub(crate) struct PluginWords {
    drivers: BTreeMap<&'static str, Catalogue>,
    monitors: BTreeMap<&'static str, Catalogue>,
}

impl PluginWords {
    /// Those of a registry; in English where a plug-in has no catalogue in that language.
    pub(crate) fn of(registry: &Registry<'_>, language: &str) -> Self {
        let drivers = registry.drivers.iter().map(|kind| (kind.name, kind.messages));
        let monitors = registry.monitors.iter().map(|kind| (kind.name, kind.messages));
        let read = |(name, catalogues)| Some((name, Catalogue::of(catalogues, language)?));
        Self { drivers: drivers.filter_map(read).collect(), monitors: monitors.filter_map(read).collect() }
    }

    /// The catalogue of a driver, if it has one.
    pub(crate) fn driver(&self, name: &str) -> Option<&Catalogue> {
        self.drivers.get(name)
    }

    /// The catalogue of a monitor, if it has one.
    pub(crate) fn monitor(&self, name: &str) -> Option<&Catalogue> {
        self.monitors.get(name)
    }
}
