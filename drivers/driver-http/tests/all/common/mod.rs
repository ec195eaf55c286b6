//! Exchanges of this driver, and the lab they are tried in.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub mod http2;
pub mod protocol;

use contract::{Mistake, Node, Settings};
use driver_http::HTTP;
use testkit::{Lab, Recorded, Surroundings, text};

/// An exchange with nothing but its URL.
pub fn exchange(operation: &str, url: impl Into<String>) -> Settings {
    with(operation, url, &[])
}

/// An exchange with its URL and further settings.
pub fn with(operation: &str, url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    testkit::exchange(operation, &[&[("url", text(url))], more].concat())
}

/// What comes of one exchange.
pub fn once(settings: Settings) -> Recorded {
    Lab::new(HTTP, &[settings]).run(0)
}

/// The mistakes in an exchange.
pub fn mistakes(settings: Settings) -> Vec<Mistake> {
    testkit::mistakes(HTTP, settings, &Surroundings::default())
}
