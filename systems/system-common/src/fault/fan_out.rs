//! Switches for a hub that hands each event to all its subscribers.

use std::time::Duration;

use crate::shares::{Hit, Shares};

/// What befalls the subscriptions and deliveries of a hub.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FanOutFaults {
    /// Share of deliveries that are never made, in millionths, as all shares here.
    pub loss: u32,
    /// Share of deliveries that are made twice.
    pub duplicate: u32,
    /// Share of deliveries whose signature is not that of their content.
    pub wrong_signature: u32,
    /// Share of attempts that fail before anything is sent, and are made again later.
    pub error_on_delivery: u32,
    /// How long the question whether a subscription is meant waits.
    pub late_verification: Duration,
    /// Share of subscriptions that are taken, and of which nothing is ever heard again.
    pub no_verification: u32,
    /// Subscriptions beyond so many are refused.
    pub refuse_above: Option<u64>,
    /// Subscriptions beyond so many are taken, and denied then.
    pub deny_above: Option<u64>,
}

/// What befalls one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryFault {
    Loss,
    Duplicate,
    WrongSignature,
    Error,
}

impl FanOutFaults {
    fn deliveries(&self) -> Shares {
        let Self { loss, duplicate, wrong_signature, error_on_delivery, .. } = *self;
        Shares { errors: loss, reset: duplicate, half: wrong_signature, wrong: error_on_delivery }
    }

    /// Shares of deliveries together; 1 is every one.
    pub(super) fn total(&self) -> f64 {
        self.deliveries().total()
    }

    /// What befalls the delivery with this number, counted from 0; exact at the end of each 64, as for calls.
    pub fn of_delivery(&self, number: u64) -> Option<DeliveryFault> {
        self.deliveries().hit(number).map(|hit| match hit {
            Hit::Errors => DeliveryFault::Loss,
            Hit::Reset => DeliveryFault::Duplicate,
            Hit::Half => DeliveryFault::WrongSignature,
            Hit::Wrong => DeliveryFault::Error,
        })
    }

    /// Whether the subscription with this number, counted from 0, is asked about.
    pub fn is_verified(&self, number: u64) -> bool {
        Shares { errors: self.no_verification, ..Shares::default() }.hit(number).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delivery_has_one_fate_and_shares_are_exact() {
        let faults = FanOutFaults {
            loss: 50_000,
            duplicate: 100_000,
            wrong_signature: 25_000,
            error_on_delivery: 10_000,
            no_verification: 250_000,
            ..FanOutFaults::default()
        };
        let mut fates = [0; 4];
        (0..6400).filter_map(|number| faults.of_delivery(number)).for_each(|fate| fates[fate as usize] += 1);
        assert_eq!(fates, [320, 640, 160, 64]);
        assert_eq!((0..6400).filter(|number| !faults.is_verified(*number)).count(), 1600);
        assert!((0..100).all(|number| FanOutFaults::default().of_delivery(number).is_none()));
    }
}
