//! Kinds of files, and how one is named on the command line.

use crate::error::ImportError;
use std::path::PathBuf;

/// What wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Samples of JMeter as CSV.
    Jtl,
    /// Samples of JMeter as XML.
    JtlXml,
    /// Points of k6 as CSV.
    K6Csv,
    /// Points of k6 as JSON.
    K6Json,
    /// Counts of Locust, and what it prints of them.
    Locust,
    /// Interval logs of HdrHistogram.
    Hdr,
    /// Requests of Gatling.
    Gatling,
    /// What wrk2 prints of its times.
    Wrk2,
    /// Calls as the server saw them.
    AccessLog,
    /// A machine, by `vmstat`.
    Vmstat,
    /// A Java virtual machine, by `jstat -gc` or `-gcutil`.
    Jstat,
    /// Containers, by `docker stats`.
    DockerStats,
    /// A machine, by `sar` or `sadf -d`.
    Sar,
    /// Consumers of Kafka, by `kafka-consumer-groups`.
    KafkaGroups,
    /// Collections of a Java virtual machine, by its log.
    Gc,
    /// What a tool printed of the same calls.
    Summary,
    /// Several files in one.
    Archive,
}

/// All kinds with the names that the command has for them, and what they are.
pub const KINDS: &[(&str, Kind, &str)] = &[
    ("jtl", Kind::Jtl, "calls: samples of JMeter as CSV"),
    ("jtl-xml", Kind::JtlXml, "calls: samples of JMeter as XML"),
    ("k6-csv", Kind::K6Csv, "calls: points of k6, `k6 run --out csv=FILE`"),
    ("k6-json", Kind::K6Json, "calls: points of k6, `k6 run --out json=FILE`"),
    ("locust", Kind::Locust, "calls: counts of Locust, `locust --csv NAME --csv-full-history`, each of its files"),
    ("gatling", Kind::Gatling, "calls: `simulation.log` of Gatling, text or binary"),
    ("wrk2", Kind::Wrk2, "calls: what `wrk2 --latency` prints; needs `--start`"),
    ("hdr", Kind::Hdr, "calls: an interval log of HdrHistogram; needs `--unit`"),
    ("access-log", Kind::AccessLog, "calls: an access log, by `--format`"),
    ("vmstat", Kind::Vmstat, "a machine: `vmstat -n -t 1`, with or without `-t`"),
    ("jstat", Kind::Jstat, "a Java virtual machine: `jstat -gc -t PID 1s`; without `-t` it needs `--every`"),
    ("sar", Kind::Sar, "a machine: `sar -u -q -r -b -n DEV`, or the same by `sadf -d`"),
    ("kafka-groups", Kind::KafkaGroups, "consumers of Kafka: `kafka-consumer-groups --describe`, again and again"),
    ("docker-stats", Kind::DockerStats, "containers: `docker stats`, as its table or as JSON"),
    ("gc", Kind::Gc, "a Java virtual machine: its log of collections, `-Xlog:gc`"),
    (
        "summary",
        Kind::Summary,
        "what the tool printed: JMeter's statistics.json or `summary =` lines, k6's summary, Gatling's stats.json",
    ),
    ("archive", Kind::Archive, "several of these in a tar or tar.gz; kinds are told by what files hold"),
];

/// Kinds of files that people call by the tool that writes them.
const TOOLS: [(&str, &str); 9] = [
    ("jmeter", "jtl"),
    ("csv", "jtl"),
    ("k6", "k6-json` or `k6-csv"),
    ("json", "k6-json"),
    ("hdrhistogram", "hdr"),
    ("nginx", "access-log"),
    ("apache", "access-log"),
    ("docker", "docker-stats"),
    ("tar", "archive"),
];

impl Kind {
    /// As `KINDS` has it.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind, _)| *kind == self).map_or("", |(name, ..)| name)
    }

    /// Whether its files hold calls; others hold samples of what was watched.
    pub fn has_calls(self) -> bool {
        matches!(
            self,
            Self::Jtl
                | Self::JtlXml
                | Self::K6Csv
                | Self::K6Json
                | Self::Gatling
                | Self::Locust
                | Self::Wrk2
                | Self::Hdr
                | Self::AccessLog
        )
    }

    /// The kind of monitor whose samples its files hold.
    pub(crate) fn monitor(self) -> Option<&'static str> {
        match self {
            Self::Vmstat | Self::Sar => Some("host"),
            Self::Jstat | Self::Gc => Some("jvm"),
            Self::DockerStats => Some("cgroup"),
            Self::KafkaGroups => Some("imported"),
            _ => None,
        }
    }

    /// The kind of that name.
    ///
    /// # Errors
    /// A sentence with the kinds that there are.
    pub fn from_name(name: &str) -> Result<Self, ImportError> {
        let names = || KINDS.iter().map(|(name, ..)| *name);
        KINDS.iter().find(|(known, ..)| *known == name).map(|(_, kind, _)| *kind).ok_or_else(|| {
            let of_tool = TOOLS.iter().find(|(tool, _)| tool.eq_ignore_ascii_case(name)).map(|(_, kinds)| *kinds);
            let near = of_tool.or_else(|| contract::suggestion(name, names()));
            let hint = near.map(|near| format!("; did you mean `{near}`?"));
            let listed: Vec<String> = KINDS.iter().map(|(name, _, about)| format!("  {name:12} {about}")).collect();
            let hint = hint.unwrap_or_default();
            ImportError::Kind(format!("no kind of file is called `{name}`{hint}\npossible:\n{}", listed.join("\n")))
        })
    }
}

/// A file with its kind, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub kind: Kind,
    /// Whose values they are: a host, a container. None where the file says so itself, or where there is no more than one.
    pub instance: Option<String>,
    pub path: PathBuf,
}

impl Source {
    /// `FILE`, of the kind that goes for all, or `KIND=FILE`, or `KIND@INSTANCE=FILE`.
    ///
    /// # Errors
    /// A kind that there is not, or an instance without a name.
    pub fn read(text: &str, usual: Kind) -> Result<Self, ImportError> {
        let is_word =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if let Some((before, path)) = text.split_once('=')
            && is_word(before.split('@').next().unwrap_or_default())
            && !path.is_empty()
        {
            let (kind, instance) = match before.split_once('@') {
                Some((_, "")) => return Err(ImportError::Kind(format!("`{text}` names no instance behind `@`"))),
                Some((kind, instance)) => (kind, Some(instance.to_owned())),
                None => (before, None),
            };
            return Ok(Self { kind: Kind::from_name(kind)?, instance, path: path.into() });
        }
        Ok(Self { kind: usual, instance: None, path: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_say_its_kind_and_whose_it_is() {
        let of = |text| Source::read(text, Kind::Jtl).unwrap();
        assert_eq!(of("a.jtl").path, PathBuf::from("a.jtl"));
        assert_eq!(of("./odd=name").path, PathBuf::from("./odd=name"), "a path with a slash before it is a path");
        let named = of("jtl@db1=b=c.jtl");
        assert_eq!((named.instance.as_deref(), named.path), (Some("db1"), PathBuf::from("b=c.jtl")));
        assert!(Source::read("jtk=a", Kind::Jtl).unwrap_err().to_string().contains("did you mean `jtl`?"));
        assert!(Source::read("jtl@=a", Kind::Jtl).is_err());
        assert!(Kind::from_name("K6").unwrap_err().to_string().contains("did you mean `k6-json` or `k6-csv`?"));
    }
}
