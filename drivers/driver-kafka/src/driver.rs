//! The driver: all exchanges compiled, a client for each way of producing.

use crate::config::{self, Exchange};
use crate::producer::Producer;
use crate::replies::Replies;
use crate::session::{Common, ProduceSession, Ready};
use contract::{BuildContext, Destination, Driver, Failure, Feature, Mistake, Mistakes, Session, Settings, Slot};
use std::rc::Rc;

/// What an exchange may have the cluster do, for the report; `messages/` has a word for each.
pub(crate) const FEATURES: &[&str] = &["acknowledged by all replicas", "compression"];

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut exchanges = Vec::new();
    for settings in all {
        if !["produce", "request"].contains(&settings.operation.as_str()) {
            let what = format!("`kafka` has no operation `{}`", settings.operation);
            let mistake = Mistake::at(settings.node.place, "study::unknown-operation", what);
            mistakes.push(mistake.hint("it has `produce` and `request`"));
            continue;
        }
        let exchange = config::exchange(settings, context, &mut mistakes);
        exchanges.extend(exchange.map(|exchange| (settings.number, exchange)));
    }
    mistakes.into_result()?;
    let nonce = context.nonce();
    Ok(Box::new(KafkaDriver { exchanges: Some(exchanges), nonce, common: None, told: Vec::new() }.told()))
}

struct KafkaDriver {
    /// Until they are set up.
    exchanges: Option<Vec<(u16, Exchange)>>,
    /// Of the run.
    nonce: u64,
    common: Option<Rc<Common>>,
    /// What is asked of the driver, before and after.
    told: Vec<Told>,
}

/// What is said of an exchange.
struct Told {
    exchange: u16,
    /// Where the client begins: host and port.
    addresses: Vec<(String, u16)>,
    is_tls: bool,
    /// Of each of [`FEATURES`], whether it is exercised.
    features: [bool; 2],
}

impl KafkaDriver {
    fn told(mut self) -> Self {
        let of = |(number, exchange): &(u16, Exchange)| {
            let features = [exchange.way.is_of_all(), exchange.way.is_compressed()];
            let (addresses, is_tls) = (exchange.access.addresses(), exchange.access.is_tls());
            Told { exchange: *number, addresses, is_tls, features }
        };
        self.told = self.exchanges.iter().flatten().map(of).collect();
        self
    }
}

impl Driver for KafkaDriver {
    fn features(&self) -> Vec<Feature> {
        let of = |told: &Told| {
            let exchange = told.exchange;
            let feature = move |(name, is_exercised): (&str, bool)| Feature {
                exchange,
                name: name.to_owned(),
                is_exercised,
                leg: None,
            };
            FEATURES.iter().copied().zip(told.features).map(feature).collect::<Vec<_>>()
        };
        self.told.iter().flat_map(of).collect()
    }

    fn destinations(&self) -> Vec<Destination> {
        let mut destinations = Vec::new();
        for Told { exchange, addresses, is_tls, .. } in &self.told {
            for (link, (host, port)) in addresses.iter().enumerate() {
                destinations.push(Destination {
                    exchange: *exchange,
                    link: link as u16,
                    // One client serves them all.
                    sharing: u32::MAX,
                    host: host.clone(),
                    port: *port,
                    is_tls: *is_tls,
                });
            }
        }
        destinations
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        let Some(exchanges) = self.exchanges.take() else { return Ok(()) };
        let mut producers: Vec<Rc<Producer>> = Vec::new();
        let mut readers: Vec<Rc<Replies>> = Vec::new();
        let mut all = Vec::new();
        for (number, exchange) in exchanges {
            let known = producers.iter().find(|known| known.is_for(&exchange.access, &exchange.way)).cloned();
            let producer = match known {
                Some(known) => known,
                None => {
                    let made = Rc::new(Producer::new(&exchange.access, &exchange.way)?);
                    producers.push(made.clone());
                    made
                }
            };
            producer.ready(&exchange)?;
            let replies = match &exchange.reply {
                None => None,
                Some((to, _)) => match readers.iter().find(|known| known.is_for(&exchange.access, to)) {
                    Some(known) => Some(known.clone()),
                    None => {
                        let made = Rc::new(Replies::new(&exchange.access, to, self.nonce)?);
                        readers.push(made.clone());
                        Some(made)
                    }
                },
            };
            let number = usize::from(number);
            if all.len() <= number {
                all.resize_with(number + 1, || None);
            }
            all[number] = Some(Ready { producer, replies, exchange });
        }
        self.common = Some(Rc::new(Common { exchanges: all, nonce: self.nonce }));
        Ok(())
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(ProduceSession::new(common))
    }
}
