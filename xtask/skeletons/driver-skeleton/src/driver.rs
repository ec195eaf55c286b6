//! The driver: all exchanges compiled, addresses looked up, memory that the sessions of a thread share.

use crate::config::{self, Exchange};
use crate::session::{Common, LineSession};
use contract::{BuildContext, Driver, Failure, Feature, Mistake, Mistakes, Session, Settings, Slot};
use std::cell::RefCell;
use std::net::{SocketAddr, ToSocketAddrs};
use std::rc::Rc;

/// What one reading takes at most. One buffer serves all sessions of a thread, since each reading is digested at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// What an exchange may have the other side do, for the report; `messages/` has a word for each.
pub(crate) const FEATURES: &[&str] = &["kept connection"];

/// Builds the driver for all exchanges of a study.
pub(crate) fn build(all: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut exchanges = Vec::new();
    for settings in all {
        if settings.operation != "send" {
            let what = format!("`skeleton` has no operation `{}`", settings.operation);
            mistakes.push(Mistake::at(settings.node.place, "study::unknown-operation", what).hint("it has `send`"));
            continue;
        }
        let exchange = config::exchange(settings, context, &mut mistakes);
        exchanges.extend(exchange.map(|exchange| (usize::from(settings.number), exchange)));
    }
    mistakes.into_result()?;
    Ok(Box::new(LineDriver { exchanges, common: None }))
}

struct LineDriver {
    exchanges: Vec<(usize, Exchange)>,
    common: Option<Rc<Common>>,
}

impl Driver for LineDriver {
    fn features(&self) -> Vec<Feature> {
        let feature = |(number, exchange): &(usize, Exchange)| Feature {
            exchange: *number as u16,
            name: FEATURES[0].to_owned(),
            is_exercised: exchange.reuse,
            leg: None,
        };
        self.exchanges.iter().map(feature).collect()
    }

    fn set_up(&mut self) -> Result<(), Failure> {
        if self.common.is_some() {
            return Ok(());
        }
        let mut exchanges = Vec::new();
        for (number, exchange) in self.exchanges.drain(..) {
            if exchanges.len() <= number {
                exchanges.resize_with(number + 1, || None);
            }
            exchanges[number] = Some((resolve(&exchange.address)?, exchange));
        }
        self.common = Some(Rc::new(Common { exchanges, buffer: RefCell::new(vec![0; BUFFER_BYTES]) }));
        Ok(())
    }

    fn session(&self, _: Slot) -> Box<dyn Session> {
        let common = self.common.clone().expect("invariant: `set_up` comes before the first session");
        Box::new(LineSession::new(common))
    }
}

/// Looked up once: a look-up while load runs would measure the resolver too.
fn resolve(address: &str) -> Result<SocketAddr, Failure> {
    let failed = |why: String| Failure::new(format!("the address `{address}` cannot be looked up: {why}"));
    let mut found = address.to_socket_addrs().map_err(|error| failed(error.to_string()))?;
    found.next().ok_or_else(|| failed("nothing was found".to_owned()))
}
