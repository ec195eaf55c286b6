//! Fault switches: `--fault name=value`, each a way in which the system goes wrong on purpose.

mod fan_out;
mod limit;

use std::time::Duration;

use terms::{Quantity, QuantityError, Unit};
use thiserror::Error;

use crate::shares::Shares;

pub use fan_out::{DeliveryFault, FanOutFaults};
pub use limit::Limit;

/// What can be made to go wrong. A service says which of them mean something there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Each call takes so much longer.
    Delay,
    /// This share of calls is answered with status 500 and not carried out.
    Errors,
    /// Each call keeps so many bytes for ever.
    Leak,
    /// Size of the pool of store connections.
    Pool,
    /// Nothing is answered for a while, again and again; where a program stores what it accepts, nothing is stored.
    Stall,
    /// From so many rows on each commit takes so many times as long.
    Limit,
    /// The process ends at this age.
    Crash,
    /// This share of calls is carried out, and the connection reset instead of an answer.
    Reset,
    /// This share of answers ends in the middle of the body.
    Half,
    /// This share of answers has the right status and the wrong content.
    Wrong,
    /// The first replica gets so many times the work of each of the others.
    Skew,
    /// So many held connections at once; more are refused.
    Connections,
    /// Every so many messages one is dropped.
    DropEvery,
    /// Every so many messages one is passed on twice.
    DoubleEvery,
    /// Every so many messages one has other content.
    WrongEvery,
    /// Each held connection is broken off at this age.
    CutAfter,
    /// Connections are opened, and nothing is ever passed on.
    Mute,
    /// Each message takes so much time of a processor, one message at a time in the whole process.
    Cost,
    /// This share of deliveries to subscribers is never made.
    Loss,
    /// This share of deliveries is made twice.
    Duplicate,
    /// This share of deliveries has a signature that is not theirs.
    WrongSignature,
    /// This share of attempts to deliver fails before anything is sent, and is made again later.
    ErrorOnDelivery,
    /// The question whether a subscription is meant waits so long.
    LateVerification,
    /// This share of subscriptions is taken, and nothing is heard of it again.
    NoVerification,
    /// Subscriptions beyond so many are refused.
    RefuseAbove,
    /// Subscriptions beyond so many are taken, and denied then.
    DenyAbove,
}

impl FaultKind {
    /// All that exist.
    pub const ALL: &'static [Self] = &[
        Self::Delay,
        Self::Errors,
        Self::Leak,
        Self::Pool,
        Self::Stall,
        Self::Limit,
        Self::Crash,
        Self::Reset,
        Self::Half,
        Self::Wrong,
        Self::Skew,
        Self::Connections,
        Self::DropEvery,
        Self::DoubleEvery,
        Self::WrongEvery,
        Self::CutAfter,
        Self::Mute,
        Self::Cost,
        Self::Loss,
        Self::Duplicate,
        Self::WrongSignature,
        Self::ErrorOnDelivery,
        Self::LateVerification,
        Self::NoVerification,
        Self::RefuseAbove,
        Self::DenyAbove,
    ];

    /// The name before the equals sign.
    pub fn name(self) -> &'static str {
        self.example().split_once('=').map_or("", |(name, _)| name)
    }

    /// One that can be typed.
    pub fn example(self) -> &'static str {
        match self {
            Self::Delay => "delay=20ms",
            Self::Errors => "errors=2%",
            Self::Leak => "leak=40kB",
            Self::Pool => "pool=8",
            Self::Stall => "stall=37s/4s",
            Self::Limit => "limit=1000000/4",
            Self::Crash => "crash=65m",
            Self::Reset => "reset=1%",
            Self::Half => "half=1%",
            Self::Wrong => "wrong=1%",
            Self::Skew => "skew=3",
            Self::Connections => "connections=400",
            Self::DropEvery => "drop_every=100",
            Self::DoubleEvery => "double_every=100",
            Self::WrongEvery => "wrong_every=100",
            Self::CutAfter => "cut_after=30s",
            Self::Mute => "mute=yes",
            Self::Cost => "cost=250us",
            Self::Loss => "loss=1%",
            Self::Duplicate => "duplicate=1%",
            Self::WrongSignature => "wrong_signature=1%",
            Self::ErrorOnDelivery => "error_on_delivery=1%",
            Self::LateVerification => "late_verification=5s",
            Self::NoVerification => "no_verification=1%",
            Self::RefuseAbove => "refuse_above=400",
            Self::DenyAbove => "deny_above=400",
        }
    }
}

/// Why a `--fault` was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FaultError {
    /// No equals sign.
    #[error("`{found}` is not a fault: write `--fault name=value`; possible here: {possible}")]
    NoValue {
        /// What was given.
        found: String,
        /// Examples of all that this service knows.
        possible: String,
    },
    /// A name that this service does not know.
    #[error("unknown fault `{found}`; possible here: {possible}")]
    Unknown {
        /// The name that was given.
        found: String,
        /// Examples of all that this service knows.
        possible: String,
    },
    /// The same name twice.
    #[error("fault `{0}` is given twice; give it once")]
    Twice(&'static str),
    /// A value that cannot be read, or is out of range.
    #[error("fault `{name}` cannot be `{found}`: {why}; write for example `--fault {example}`")]
    BadValue {
        name: &'static str,
        /// The value that was given.
        found: String,
        /// What is wrong with it.
        why: String,
        /// One that would do.
        example: &'static str,
    },
    /// Shares of calls above the whole.
    #[error("`errors`, `reset`, `half` and `wrong` hit different calls, so together they are at most 100%; found {0}%")]
    TooMuch(f64),
    /// Shares of deliveries above the whole.
    #[error(
        "`loss`, `duplicate`, `wrong_signature` and `error_on_delivery` hit different deliveries, so together they are at \
         most 100%; found {0}%"
    )]
    TooManyDeliveries(f64),
}

/// How often and how long nothing is answered, counted from the start of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// From the start of one stall to the start of the next; the first begins at this age.
    pub every: Duration,
    /// How long each lasts; less than `every`.
    pub length: Duration,
}

impl Stall {
    /// How long a call that arrives at this age of the process must wait; zero outside of stalls.
    pub fn wait(&self, age: Duration) -> Duration {
        if age < self.every || self.every.is_zero() {
            return Duration::ZERO;
        }
        let into = Duration::from_nanos((age.as_nanos() % self.every.as_nanos()) as u64);
        self.length.saturating_sub(into)
    }
}

/// All switches of one process; the default is a system without faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Added to each call.
    pub delay: Duration,
    /// Added to each call, as a share of its own duration.
    pub delay_share: f64,
    /// Which calls are hit by `errors`, `reset`, `half` and `wrong`.
    pub shares: Shares,
    /// Bytes that each call keeps.
    pub leak_bytes: usize,
    /// Size of the pool, if it is not to be the configured one.
    pub pool: Option<usize>,
    /// When nothing is answered, or stored.
    pub stall: Option<Stall>,
    /// When commits become slow.
    pub limit: Option<Limit>,
    /// Age at which the process ends.
    pub crash_at: Option<Duration>,
    /// How many times the work of the others the first replica gets.
    pub skew: Option<f64>,
    /// What befalls the messages of held connections.
    pub messages: MessageFaults,
    /// What befalls the subscriptions and deliveries of a hub.
    pub fan_out: FanOutFaults,
}

/// Switches for services whose clients hold a connection and exchange messages on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageFaults {
    /// Most connections at once.
    pub connections: Option<u64>,
    /// Messages from one that is dropped to the next.
    pub drop_every: Option<u64>,
    /// Messages from one that is passed on twice to the next.
    pub double_every: Option<u64>,
    /// Messages from one with other content to the next.
    pub wrong_every: Option<u64>,
    /// Age at which a connection is broken off.
    pub cut_after: Option<Duration>,
    /// Whether nothing is passed on.
    pub mute: bool,
    /// Processor time of each message; zero adds none.
    pub cost: Duration,
}

/// Most that one call may leak; a larger leak is a mistake in the unit.
const LEAK_BYTES_MAX: f64 = 64e6;
/// Most that a call may be stretched by: eleven times as long.
const DELAY_SHARE_MAX: f64 = 10.0;
/// Largest pool; more connections than this are never useful to one store.
const POOL_MAX: f64 = 1000.0;
/// Largest number of held connections, and of messages from one fault to the next.
const MESSAGES_MAX: f64 = 1e9;
/// Most processor time of one message, in seconds; more is a mistake in the unit.
const COST_MAX: f64 = 1.0;

impl Faults {
    /// Reads `name=value` texts; `possible` are the faults that mean something in this service.
    ///
    /// # Errors
    /// [`FaultError`] names the text, what is wrong with it and what is possible.
    pub fn parse<T: AsRef<str>>(texts: &[T], possible: &[FaultKind]) -> Result<Self, FaultError> {
        let mut faults = Self::default();
        let mut seen: Vec<FaultKind> = Vec::new();
        for text in texts {
            let text = text.as_ref().trim();
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| FaultError::NoValue { found: text.to_owned(), possible: examples(possible) })?;
            let kind =
                possible.iter().copied().find(|kind| kind.name() == name.trim()).ok_or_else(|| {
                    FaultError::Unknown { found: name.trim().to_owned(), possible: examples(possible) }
                })?;
            if seen.contains(&kind) {
                return Err(FaultError::Twice(kind.name()));
            }
            seen.push(kind);
            let value = value.trim();
            // How a fault of one replica arrives, `{ of: 40kB, replica: 1 }` in a study.
            let value = value.strip_prefix("of:").unwrap_or(value);
            faults.set(kind, value).map_err(|why| FaultError::BadValue {
                name: kind.name(),
                found: value.to_owned(),
                why,
                example: kind.example(),
            })?;
        }
        let total = faults.shares.total();
        if total > 1.0 {
            return Err(FaultError::TooMuch(total * 100.0));
        }
        let total = faults.fan_out.total();
        if total > 1.0 {
            return Err(FaultError::TooManyDeliveries(total * 100.0));
        }
        Ok(faults)
    }

    fn set(&mut self, kind: FaultKind, value: &str) -> Result<(), String> {
        match kind {
            FaultKind::Delay if value.ends_with('%') => {
                self.delay_share = number(value, &Unit::Share, "a share", 0.0, DELAY_SHARE_MAX)?;
            }
            FaultKind::Delay => self.delay = duration(value)?,
            FaultKind::Errors => self.shares.errors = share(value)?,
            FaultKind::Reset => self.shares.reset = share(value)?,
            FaultKind::Half => self.shares.half = share(value)?,
            FaultKind::Wrong => self.shares.wrong = share(value)?,
            FaultKind::Leak => self.leak_bytes = number(value, &Unit::Bytes, "a size", 0.0, LEAK_BYTES_MAX)? as usize,
            FaultKind::Pool => self.pool = Some(whole(value, POOL_MAX)?),
            FaultKind::Stall => self.stall = stall(value)?,
            FaultKind::Limit => self.limit = limit::read(value)?,
            FaultKind::Crash => self.crash_at = Some(crash(value)?),
            FaultKind::Skew => self.skew = Some(number(value, &Unit::Count, "a number", 1.0, 1000.0)?),
            FaultKind::Connections => self.messages.connections = Some(messages(value)?),
            FaultKind::DropEvery => self.messages.drop_every = Some(messages(value)?),
            FaultKind::DoubleEvery => self.messages.double_every = Some(messages(value)?),
            FaultKind::WrongEvery => self.messages.wrong_every = Some(messages(value)?),
            FaultKind::CutAfter => self.messages.cut_after = Some(duration(value)?),
            FaultKind::Mute => self.messages.mute = switch(value)?,
            FaultKind::Cost => {
                let seconds = number(value, &Unit::Time, "a duration", 0.0, COST_MAX)?;
                self.messages.cost = Duration::from_secs_f64(seconds);
            }
            FaultKind::Loss => self.fan_out.loss = share(value)?,
            FaultKind::Duplicate => self.fan_out.duplicate = share(value)?,
            FaultKind::WrongSignature => self.fan_out.wrong_signature = share(value)?,
            FaultKind::ErrorOnDelivery => self.fan_out.error_on_delivery = share(value)?,
            FaultKind::LateVerification => self.fan_out.late_verification = duration(value)?,
            FaultKind::NoVerification => self.fan_out.no_verification = share(value)?,
            FaultKind::RefuseAbove => self.fan_out.refuse_above = Some(messages(value)?),
            FaultKind::DenyAbove => self.fan_out.deny_above = Some(messages(value)?),
        }
        Ok(())
    }

    /// Whether nothing goes wrong on purpose.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

fn examples(possible: &[FaultKind]) -> String {
    let list: Vec<String> = possible.iter().map(|kind| format!("`{}`", kind.example())).collect();
    list.join(", ")
}

/// A quantity of the wanted unit between two bounds; a bare zero needs no unit.
fn number(text: &str, unit: &Unit, noun: &str, least: f64, most: f64) -> Result<f64, String> {
    let quantity = Quantity::parse(text).map_err(|error: QuantityError| format!("it {error}"))?;
    if quantity.unit != *unit && !(quantity.unit == Unit::Count && quantity.value == 0.0) {
        return Err(format!("it is not {noun}"));
    }
    if !(least..=most).contains(&quantity.value) {
        return Err(format!("it is out of range, from {least} to {most} {}", base_unit(unit)));
    }
    Ok(quantity.value)
}

fn base_unit(unit: &Unit) -> &'static str {
    match unit {
        Unit::Time => "seconds",
        Unit::Bytes => "bytes",
        Unit::Share => "(1 is the whole)",
        _ => "",
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    // A day bounds a delay: whatever is longer is a mistake in the unit.
    number(text, &Unit::Time, "a duration", 0.0, 86_400.0).map(Duration::from_secs_f64)
}

fn share(text: &str) -> Result<u32, String> {
    let share = number(text, &Unit::Share, "a share", 0.0, 1.0)?;
    let millionths = (share * 1e6).round() as u32;
    if millionths == 0 && share > 0.0 {
        return Err("it is below the finest share, 0.0001%".to_owned());
    }
    Ok(millionths)
}

fn whole(text: &str, most: f64) -> Result<usize, String> {
    let value = number(text, &Unit::Count, "a number", 1.0, most)?;
    if value.fract() != 0.0 {
        return Err("it is not a whole number".to_owned());
    }
    Ok(value as usize)
}

fn messages(value: &str) -> Result<u64, String> {
    whole(value, MESSAGES_MAX).map(|number| number as u64)
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("it is neither `yes` nor `no`".to_owned()),
    }
}

/// `37s/4s`, or `every:37s,for:4s` in either order, which is how a map of the study arrives.
fn stall(text: &str) -> Result<Option<Stall>, String> {
    let (every, length) = if let Some((every, length)) = text.split_once('/') {
        (every, length)
    } else {
        let parts = map(text, &["every", "for"])?;
        let part = |name: &str| parts.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        (part("every").ok_or("`every` is missing")?, part("for").ok_or("`for` is missing")?)
    };
    let (every, length) = (duration(every)?, duration(length)?);
    if length.is_zero() {
        return Ok(None);
    }
    if length >= every {
        return Err("a stall must be shorter than the time from one to the next".to_owned());
    }
    Ok(Some(Stall { every, length }))
}

/// `65m`, or `at:65m`.
fn crash(text: &str) -> Result<Duration, String> {
    if text.contains(':') {
        return match map(text, &["at"])?.first() {
            Some((_, at)) => duration(at),
            None => Err("`at` is missing".to_owned()),
        };
    }
    duration(text)
}

/// `key:value` pieces joined by commas, with known keys, each once.
fn map<'a>(text: &'a str, known: &[&str]) -> Result<Vec<(&'a str, &'a str)>, String> {
    let mut pieces: Vec<(&str, &str)> = Vec::new();
    for piece in text.split(',') {
        let (key, value) = piece.split_once(':').ok_or_else(|| format!("`{piece}` is not of the form `key:value`"))?;
        let key = key.trim();
        if !known.contains(&key) {
            return Err(format!("`{key}` is unknown, known are `{}`", known.join("`, `")));
        }
        if pieces.iter().any(|(earlier, _)| *earlier == key) {
            return Err(format!("`{key}` is given twice"));
        }
        pieces.push((key, value.trim()));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Result<Faults, FaultError> {
        Faults::parse(&[text], FaultKind::ALL)
    }

    #[test]
    fn every_example_is_possible_and_changes_something() {
        for kind in FaultKind::ALL {
            let faults = one(kind.example()).unwrap();
            assert!(!faults.is_none(), "{}", kind.example());
        }
        assert!(Faults::parse::<&str>(&[], FaultKind::ALL).unwrap().is_none());
    }

    #[test]
    fn values_are_read_with_their_units() {
        assert_eq!(one("delay=20ms").unwrap().delay, Duration::from_millis(20));
        assert_eq!((one("delay=7%").unwrap().delay_share, one("delay=7%").unwrap().delay), (0.07, Duration::ZERO));
        assert_eq!(one("errors=2.5%").unwrap().shares.errors, 25_000);
        assert_eq!(one("leak=40kB").unwrap().leak_bytes, 40_000);
        assert_eq!(one("leak=of:40kB"), one("leak=40kB"), "as a fault of one replica arrives");
        assert_eq!(one("delay=of:7%"), one("delay=7%"));
        assert_eq!(one("leak=1KiB").unwrap().leak_bytes, 1024);
        assert_eq!(one("leak=0").unwrap().leak_bytes, 0);
        assert_eq!(one("pool=8").unwrap().pool, Some(8));
        assert_eq!(one("crash=65m").unwrap().crash_at, Some(Duration::from_secs(3900)));
        assert_eq!(one("crash=at:65m").unwrap().crash_at, Some(Duration::from_secs(3900)));
        assert_eq!(one("skew=3").unwrap().skew, Some(3.0));
        assert_eq!(one("connections=400").unwrap().messages.connections, Some(400));
        assert_eq!(one("drop_every=100").unwrap().messages.drop_every, Some(100));
        assert_eq!(one("double_every=7").unwrap().messages.double_every, Some(7));
        assert_eq!(one("wrong_every=8").unwrap().messages.wrong_every, Some(8));
        assert_eq!(one("cut_after=1m").unwrap().messages.cut_after, Some(Duration::from_secs(60)));
        assert_eq!((one("mute=yes").unwrap().messages.mute, one("mute=no").unwrap().messages.mute), (true, false));
        assert_eq!(one("cost=250us").unwrap().messages.cost, Duration::from_micros(250));
        let stall = Some(Stall { every: Duration::from_secs(37), length: Duration::from_secs(4) });
        for text in ["stall=37s/4s", "stall=every:37s,for:4s", "stall=for: 4s, every: 37s"] {
            assert_eq!(one(text).unwrap().stall, stall, "{text}");
        }
        assert_eq!(one("stall=37s/0s").unwrap().stall, None, "a stall of no length is none");
        let limit = Some(Limit { rows: 60_000, times: 4.0 });
        for text in ["limit=60000/4", "limit=at:60000,times:4", "limit=times: 4, at: 60000"] {
            assert_eq!(one(text).unwrap().limit, limit, "{text}");
        }
        for text in ["limit=0/4", "limit=60000/1"] {
            assert_eq!(one(text).unwrap().limit, None, "{text}");
        }
    }

    #[test]
    fn a_refusal_says_what_is_possible() {
        let message = |text| one(text).unwrap_err().to_string();
        let first = Faults::parse(&["dealy=20ms"], &FaultKind::ALL[..10]).unwrap_err().to_string();
        assert_eq!(
            first,
            "unknown fault `dealy`; possible here: `delay=20ms`, `errors=2%`, `leak=40kB`, `pool=8`, `stall=37s/4s`, \
             `limit=1000000/4`, `crash=65m`, `reset=1%`, `half=1%`, `wrong=1%`"
        );
        assert!(message("mute=perhaps").contains("neither `yes` nor `no`"));
        assert!(message("drop_every=0").contains("out of range"));
        assert!(message("cost=2s").contains("out of range"));
        assert!(message("delay").starts_with("`delay` is not a fault: write `--fault name=value`; possible here: "));
        assert_eq!(
            message("delay=20"),
            "fault `delay` cannot be `20`: it is not a duration; write for example `--fault delay=20ms`"
        );
        assert_eq!(
            message("errors=120%"),
            "fault `errors` cannot be `120%`: it is out of range, from 0 to 1 (1 is the whole); \
             write for example `--fault errors=2%`"
        );
        assert!(message("stall=4s/37s").contains("must be shorter"));
        assert!(message("stall=every:37s").contains("`for` is missing"));
        assert!(message("stall=every:37s,length:4s").contains("known are `every`, `for`"));
        assert!(message("limit=60000").contains("`60000` is not of the form `key:value`"));
        assert!(message("limit=60000/0.5").contains("out of range"));
        assert!(message("pool=0").contains("out of range"));
        assert!(message("pool=1.5").contains("not a whole number"));
        assert!(message("leak=1GB").contains("out of range"));
        assert!(message("errors=0.00001%").contains("finest share"));
    }

    #[test]
    fn a_service_refuses_faults_that_mean_nothing_there() {
        let error = Faults::parse(&["pool=8"], &[FaultKind::Delay]).unwrap_err();
        assert_eq!(error.to_string(), "unknown fault `pool`; possible here: `delay=20ms`");
    }

    #[test]
    fn once_each_and_not_more_than_all_calls() {
        let twice = Faults::parse(&["delay=1ms", "delay=2ms"], FaultKind::ALL).unwrap_err();
        assert_eq!(twice, FaultError::Twice("delay"));
        let all = Faults::parse(&["errors=60%", "wrong=50%"], FaultKind::ALL).unwrap_err();
        assert!(matches!(all, FaultError::TooMuch(_)));
    }

    #[test]
    fn stalls_begin_after_the_first_period() {
        let stall = Stall { every: Duration::from_secs(37), length: Duration::from_secs(4) };
        for (age_ms, wait_ms) in [(0, 0), (36_999, 0), (37_000, 4000), (40_999, 1), (41_000, 0), (75_000, 3000)] {
            assert_eq!(stall.wait(Duration::from_millis(age_ms)), Duration::from_millis(wait_ms), "at {age_ms} ms");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            let _ = one(&text);
        }

        #[test]
        fn no_value_makes_it_panic(kind in 0..FaultKind::ALL.len(), value in "[0-9a-z.:,/%-]{0,20}") {
            let _ = one(&format!("{}={value}", FaultKind::ALL[kind].name()));
        }
    }
}
