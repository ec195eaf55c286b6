//! The driver: all exchanges compiled, a client for each way of producing.

use crate::config::{self, Exchange, Listening};
use crate::consume::{Groups, Topic, Wake};
use crate::producer::Producer;
use crate::replies::Replies;
use crate::session::{Common, KafkaSession, Ready};
use contract::{
    BuildContext, Destination, Driver, Failure, Feature, Mistake, Mistakes, Notice, Session, Settings, Slot,
};
use kafka_client::Access;
use std::rc::Rc;
use std::sync::Arc;

/// What an exchange may have the cluster do, for the report; `messages/` has a word for each.
pub(crate) const FEATURES: &[&str] = &["acknowledged by all replicas", "compression"];

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let (mut exchanges, mut consumed) = (Vec::new(), Vec::new());
    for settings in all {
        match settings.operation.as_str() {
            "produce" | "request" => {
                let exchange = config::exchange(settings, context, &mut mistakes);
                exchanges.extend(exchange.map(|exchange| (settings.number, exchange)));
            }
            "consume" => {
                let listening = config::listening(settings, context, &mut mistakes);
                consumed.extend(listening.map(|listening| (settings.number, listening)));
            }
            _ => {
                let what = format!("`kafka` has no operation `{}`", settings.operation);
                let mistake = Mistake::at(settings.node.place, "study::unknown-operation", what);
                mistakes.push(mistake.hint("it has `produce`, `request` and `consume`"));
            }
        }
    }
    mistakes.into_result()?;
    let nonce = context.nonce();
    let groups = context.commons().get::<Groups>();
    let driver = KafkaDriver { parts: Some((exchanges, consumed)), groups, nonce, common: None, told: Vec::new() };
    Ok(Box::new(driver.told()))
}

/// Each with its number in the study.
type Parts = (Vec<(u16, Exchange)>, Vec<(u16, Listening)>);

struct KafkaDriver {
    /// What is produced and what is consumed, until it is set up.
    parts: Option<Parts>,
    groups: Arc<Groups>,
    /// Of the run.
    nonce: u64,
    common: Option<Rc<Common>>,
    /// What is asked of the driver, before and after.
    told: Vec<Told>,
}

/// What is reported about an exchange.
struct Told {
    exchange: u16,
    /// Where the client begins: host and port.
    addresses: Vec<(String, u16)>,
    is_tls: bool,
    /// How many sessions share a client.
    sharing: u32,
    /// Of each of [`FEATURES`], whether it is exercised; none of what is consumed.
    features: Option<[bool; 2]>,
}

impl KafkaDriver {
    fn told(mut self) -> Self {
        let (exchanges, consumed) = self.parts.as_ref().map_or((&[][..], &[][..]), |(all, some)| (&all[..], &some[..]));
        let told = |exchange: u16, access: &Access, sharing: u32, features: Option<[bool; 2]>| {
            let (addresses, is_tls) = (access.addresses(), access.is_tls());
            Told { exchange, addresses, is_tls, sharing, features }
        };
        let produced = exchanges.iter().map(|(number, exchange)| {
            let features = [exchange.way.is_of_all(), exchange.way.is_compressed()];
            // One client serves them all.
            told(*number, &exchange.access, u32::MAX, Some(features))
        });
        let consumed = consumed.iter().map(|(number, listening)| told(*number, &listening.access, 1, None));
        self.told = produced.chain(consumed).collect();
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
            let known = told.features.into_iter().flatten();
            FEATURES.iter().copied().zip(known).map(feature).collect::<Vec<_>>()
        };
        self.told.iter().flat_map(of).collect()
    }

    fn destinations(&self) -> Vec<Destination> {
        let mut destinations = Vec::new();
        for Told { exchange, addresses, is_tls, sharing, .. } in &self.told {
            for (link, (host, port)) in addresses.iter().enumerate() {
                destinations.push(Destination {
                    exchange: *exchange,
                    link: link as u16,
                    sharing: *sharing,
                    host: host.clone(),
                    port: *port,
                    is_tls: *is_tls,
                });
            }
        }
        destinations
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        let Some((exchanges, consumed)) = self.parts.take() else { return Ok(()) };
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
            keep(&mut all, number, Ready { producer, replies, exchange });
        }
        let mut topics = Vec::new();
        for (number, listening) in consumed {
            keep(&mut topics, number, Topic::ready(listening, &self.groups)?);
        }
        let wake = Wake::default();
        self.common = Some(Rc::new(Common { exchanges: all, topics, wake, nonce: self.nonce }));
        Ok(())
    }

    fn notices(&self) -> Vec<Notice> {
        self.common.as_ref().map_or_else(Vec::new, |common| common.wake.take_notices())
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(KafkaSession::new(common))
    }
}

/// Puts something at the place of its number.
fn keep<T>(all: &mut Vec<Option<T>>, number: u16, it: T) {
    let number = usize::from(number);
    if all.len() <= number {
        all.resize_with(number + 1, || None);
    }
    all[number] = Some(it);
}
