//! A container as Docker's API tells of it, to a `Reading`.
//!
//! Source: Docker Engine API v1.41, `ContainerStats` and `ContainerInspect`; Podman answers alike.

use crate::files::{is_stacked, sum_once};
use crate::http::get;
use crate::reading::Reading;
use clock::Clock;
use serde_json::Value;
use std::path::{Path, PathBuf};
use terms::Nanos;

/// The socket that Docker listens at where nobody changed that.
pub(crate) const SOCKET: &str = "/var/run/docker.sock";

/// A container, and the socket to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) socket: PathBuf,
    /// Name or id.
    pub(crate) name: String,
}

/// What a container is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct About {
    pub(crate) image: String,
    /// Whether memory and processor time have limits of their own: without one, Docker tells the machine's memory.
    pub(crate) memory_limit: Option<u64>,
    pub(crate) cpu_limit: Option<f64>,
    pub(crate) is_running: bool,
    pub(crate) was_oom_killed: bool,
}

impl Container {
    /// Whether something listens there.
    pub(crate) fn is_there(socket: &Path) -> bool {
        std::os::unix::net::UnixStream::connect(socket).is_ok()
    }

    /// Its figures of this moment.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn read(&self, about: &About, patience: Nanos, clock: &Clock) -> Result<Reading, String> {
        // `one-shot`: without it Docker waits for a second reading, so that it can print per cent.
        let path = format!("/v1.41/containers/{}/stats?stream=false&one-shot=true", self.name);
        let stats = self.ask(&path, patience, clock)?;
        let reading = stats_of(&stats, about);
        // A container that does not run is told with everything empty.
        if reading.cpu_s.is_none() && reading.memory.is_none() {
            return Err(format!("container `{}` does not run", self.name));
        }
        Ok(reading)
    }

    /// What it is, and whether it runs.
    ///
    /// # Errors
    /// Why that is not known.
    pub(crate) fn about(&self, patience: Nanos, clock: &Clock) -> Result<About, String> {
        self.ask(&format!("/v1.41/containers/{}/json", self.name), patience, clock).map(|found| about_of(&found))
    }

    fn ask(&self, path: &str, patience: Nanos, clock: &Clock) -> Result<Value, String> {
        let socket = self.socket.display();
        let (status, body) = get(&self.socket, path, patience, clock).map_err(|why| format!("`{socket}` {why}"))?;
        match status {
            200 => {
                serde_json::from_slice(&body).map_err(|_| format!("`{socket}` answers with something that is not JSON"))
            }
            404 => Err(format!("Docker knows no container `{}`", self.name)),
            other => Err(format!("`{socket}` answers with status {other}")),
        }
    }
}

/// Whether a name or id of a container can be asked for as it is: it becomes part of a path.
pub(crate) fn is_name(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (1..=255).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_sign)
}

fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').try_fold(value, |value, key| value.get(key))
}

fn count(value: &Value, path: &str) -> Option<u64> {
    at(value, path)?.as_u64()
}

fn nanos(value: &Value, path: &str) -> Option<f64> {
    count(value, path).map(|nanos| nanos as f64 / 1e9)
}

/// The answer to `/stats`.
pub(crate) fn stats_of(stats: &Value, about: &About) -> Reading {
    let cpu = |part: &str| nanos(stats, &format!("cpu_stats/cpu_usage/{part}"));
    // A stopped container has a processor time of zero and no memory.
    let is_empty = cpu("total_usage").is_none_or(|used| used == 0.0) && count(stats, "memory_stats/usage").is_none();
    if is_empty {
        return Reading::default();
    }
    let of_memory =
        |names: [&str; 2]| names.iter().find_map(|name| count(stats, &format!("memory_stats/stats/{name}")));
    let has_quota = about.cpu_limit.is_some();
    let throttling = |part: &str| count(stats, &format!("cpu_stats/throttling_data/{part}")).filter(|_| has_quota);
    Reading {
        cpu_s: cpu("total_usage"),
        user_s: cpu("usage_in_usermode"),
        system_s: cpu("usage_in_kernelmode"),
        cpu_limit: about.cpu_limit,
        periods: throttling("periods"),
        throttled_periods: throttling("throttled_periods"),
        throttled_s: throttling("throttled_time").map(|nanos| nanos as f64 / 1e9),
        memory: count(stats, "memory_stats/usage"),
        inactive_file: of_memory(["total_inactive_file", "inactive_file"]),
        memory_limit: about.memory_limit.and(count(stats, "memory_stats/limit")),
        anonymous: of_memory(["total_rss", "anon"]),
        swap: count(stats, "memory_stats/stats/total_swap"),
        limit_hits: count(stats, "memory_stats/failcnt"),
        tasks: count(stats, "pids_stats/current"),
        tasks_limit: count(stats, "pids_stats/limit").filter(|limit| *limit > 0 && *limit < 1 << 60),
        disk: disk(stats),
        network: network(stats),
        ..Reading::default()
    }
}

/// Bytes read and written, all devices together; version 1 writes `Read`, version 2 `read`.
fn disk(stats: &Value) -> Option<(u64, u64)> {
    let rows = at(stats, "blkio_stats/io_service_bytes_recursive")?.as_array()?;
    let of = |row: &Value| {
        let device = format!("{}:{}", count(row, "major")?, count(row, "minor")?);
        let bytes = count(row, "value")?;
        match row.get("op")?.as_str()?.to_ascii_lowercase().as_str() {
            "read" => Some((device, bytes, 0)),
            "write" => Some((device, 0, bytes)),
            _ => None,
        }
    };
    Some(sum_once(rows.iter().filter_map(of), &is_stacked))
}

fn network(stats: &Value) -> Option<(u64, u64)> {
    let networks = stats.get("networks")?.as_object()?;
    let sum = |key: &str| networks.values().filter_map(|one| count(one, key)).fold(0, u64::saturating_add);
    Some((sum("rx_bytes"), sum("tx_bytes")))
}

/// The answer to `/json`.
pub(crate) fn about_of(found: &Value) -> About {
    let quota = count(found, "HostConfig/CpuQuota").filter(|quota| *quota > 0);
    let period = count(found, "HostConfig/CpuPeriod").filter(|period| *period > 0).unwrap_or(100_000);
    let cores = nanos(found, "HostConfig/NanoCpus").filter(|cores| *cores > 0.0);
    let is = |path: &str| at(found, path).and_then(Value::as_bool).unwrap_or(false);
    About {
        image: at(found, "Config/Image").and_then(Value::as_str).unwrap_or_default().chars().take(200).collect(),
        memory_limit: count(found, "HostConfig/Memory").filter(|limit| *limit > 0),
        cpu_limit: cores.or_else(|| quota.map(|quota| quota as f64 / period as f64)),
        is_running: is("State/Running"),
        was_oom_killed: is("State/OOMKilled"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// In the form of the API's documentation, of a machine with version 2, with figures of our own.
    pub(crate) const STATS: &str = r#"{"read":"2026-11-21T10:00:00.123456789Z","preread":"0001-01-01T00:00:00Z",
        "pids_stats":{"current":3,"limit":18446744073709551615},
        "blkio_stats":{"io_service_bytes_recursive":[{"major":8,"minor":0,"op":"read","value":100},{"major":8,"minor":0,"op":"write","value":20}],"io_serviced_recursive":null},
        "num_procs":0,"storage_stats":{},
        "cpu_stats":{"cpu_usage":{"total_usage":1500000000,"usage_in_kernelmode":500000000,"usage_in_usermode":1000000000},"system_cpu_usage":739306590000000,"online_cpus":4,"throttling_data":{"periods":20,"throttled_periods":5,"throttled_time":250000000}},
        "precpu_stats":{"cpu_usage":{"total_usage":0,"usage_in_kernelmode":0,"usage_in_usermode":0},"throttling_data":{"periods":0,"throttled_periods":0,"throttled_time":0}},
        "memory_stats":{"usage":800,"stats":{"anon":600,"file":200,"inactive_file":150},"limit":1000},
        "name":"/shop","id":"ede54ee1","networks":{"eth0":{"rx_bytes":1000,"rx_packets":1,"tx_bytes":2000},"eth5":{"rx_bytes":1,"tx_bytes":2}}}"#;
    pub(crate) const INSPECT: &str = r#"{"Id":"ede54ee1","State":{"Status":"running","Running":true,"OOMKilled":false,"Pid":4711},
        "Config":{"Image":"shop:1.2"},"HostConfig":{"Memory":1000,"NanoCpus":1500000000,"CpuPeriod":0,"CpuQuota":0}}"#;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn figures_of_a_container() {
        let about = about_of(&json(INSPECT));
        let expected = About {
            image: "shop:1.2".into(),
            memory_limit: Some(1000),
            cpu_limit: Some(1.5),
            is_running: true,
            was_oom_killed: false,
        };
        assert_eq!(about, expected);
        let reading = stats_of(&json(STATS), &about);
        let expected = Reading {
            cpu_s: Some(1.5),
            user_s: Some(1.0),
            system_s: Some(0.5),
            cpu_limit: Some(1.5),
            periods: Some(20),
            throttled_periods: Some(5),
            throttled_s: Some(0.25),
            memory: Some(800),
            inactive_file: Some(150),
            memory_limit: Some(1000),
            anonymous: Some(600),
            tasks: Some(3),
            disk: Some((100, 20)),
            network: Some((1001, 2002)),
            ..Reading::default()
        };
        assert_eq!(reading, expected);
        let free = stats_of(&json(STATS), &About::default());
        assert_eq!(
            (free.memory_limit, free.cpu_limit, free.periods),
            (None, None, None),
            "the machine's memory is not a limit"
        );
        let quota = about_of(&json(r#"{"HostConfig":{"CpuQuota":50000,"CpuPeriod":0}}"#));
        assert_eq!(quota.cpu_limit, Some(0.5));
        let stopped = r#"{"cpu_stats":{"cpu_usage":{"total_usage":0}},"memory_stats":{},"pids_stats":{}}"#;
        assert!(stats_of(&json(stopped), &About::default()).is_empty());
    }

    #[test]
    fn a_name_is_part_of_a_path_and_nothing_else() {
        assert!(is_name("shop-1") && is_name("ede54ee1afda") && is_name("a_b.c"));
        assert!(!is_name("") && !is_name("../x") && !is_name("a b") && !is_name("a?b") && !is_name(&"a".repeat(300)));
    }

    proptest! {
        #[test]
        fn no_object_makes_it_panic(number in any::<u64>(), odd in "[0-9a-z{}:,\"\\[\\]]{0,20}") {
            let text = STATS.replace("800", &number.to_string()).replace("\"/shop\"", &format!("{odd:?}"));
            if let Ok(value) = serde_json::from_str(&text) {
                let _ = (stats_of(&value, &About::default()), about_of(&value));
            }
            if let Ok(value) = serde_json::from_str::<Value>(&odd) {
                let _ = (stats_of(&value, &About::default()), about_of(&value));
            }
        }
    }
}
