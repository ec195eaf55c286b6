//! Which tool drove the load.

use crate::error::ImportError;
use crate::kind::Kind;
use terms::Nanos;

/// A tool that drives load, or what stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    JMeter,
    K6,
    Gatling,
    Locust,
    Wrk2,
    /// Whatever wrote a log of HdrHistogram.
    Hdr,
    /// The system under test itself, in its access log.
    AccessLog,
}

impl Tool {
    /// The tool whose calls are in files of a kind.
    fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Jtl | Kind::JtlXml => Some(Self::JMeter),
            Kind::K6Csv | Kind::K6Json => Some(Self::K6),
            Kind::Gatling => Some(Self::Gatling),
            Kind::Locust => Some(Self::Locust),
            Kind::Wrk2 => Some(Self::Wrk2),
            Kind::Hdr => Some(Self::Hdr),
            Kind::AccessLog => Some(Self::AccessLog),
            _ => None,
        }
    }

    /// As readers know it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JMeter => "JMeter",
            Self::K6 => "k6",
            Self::Gatling => "Gatling",
            Self::Locust => "Locust",
            Self::Wrk2 => "wrk2",
            Self::Hdr => "HdrHistogram",
            Self::AccessLog => "access log",
        }
    }

    /// The least difference between two of its times that is counted.
    pub(crate) fn unit(self) -> Nanos {
        match self {
            Self::JMeter | Self::Gatling | Self::Locust => Nanos::MILLISECOND,
            Self::K6 | Self::Wrk2 | Self::Hdr | Self::AccessLog => Nanos::MICROSECOND,
        }
    }

    /// What its files never tell besides what no tool's do, a word each.
    pub(crate) fn unknown(self) -> &'static [&'static str] {
        match self {
            Self::Locust => &["times", "moments"],
            Self::Hdr => &["moments", "failures"],
            Self::Wrk2 => &["moments"],
            Self::AccessLog => &["outside"],
            _ => &[],
        }
    }

    /// The tool of files of these kinds; one run has one.
    ///
    /// # Errors
    /// None, or several.
    pub(crate) fn of_all(kinds: impl Iterator<Item = Kind>) -> Result<Self, ImportError> {
        let mut tools: Vec<Self> = kinds.filter_map(Self::of).collect();
        tools.sort_unstable();
        tools.dedup();
        match tools.as_slice() {
            [tool] => Ok(*tool),
            [] => Err(ImportError::Asked(
                "none of the files holds calls, and a run without load shows nothing\nname one that does, such as \
                 `loadproof import jtl results.jtl vmstat=vmstat.log --out RUN`"
                    .into(),
            )),
            [.., Self::AccessLog] => Err(ImportError::Asked(format!(
                "an access log holds the calls of {} once more, as the server saw them; import it as a run of its own",
                tools[0].name()
            ))),
            _ => {
                let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
                Err(ImportError::Asked(format!(
                    "the calls are of several tools ({}), and a run has one load; import them as runs of their own, and \
                     compare these",
                    names.join(", ")
                )))
            }
        }
    }
}
