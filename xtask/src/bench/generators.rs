//! Generators: how each is told to make a load, and how its output is read.

use crate::child::on_path;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A load on one URL over keep-alive connections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) connections: u32,
    /// A second; none for as fast as answers come.
    pub(super) rate: Option<u32>,
    pub(super) seconds: u32,
}

/// What a generator says of its run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) requests: u64,
    /// Those of them that failed, where it says so.
    pub(super) failed: u64,
    /// p50, p90, p99, p99.9 and the greatest, ms; of what a user felt, where the generator can tell that.
    pub(super) times_ms: Option<[f64; 5]>,
    /// p99 of how late the hold's messages were sent, ms: only loadproof says it.
    pub(super) lateness_p99_ms: Option<f64>,
    /// Whether the run counts: only loadproof judges itself.
    pub(super) validity: Option<String>,
}

/// A program that makes load.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    pub(super) name: &'static str,
    program: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Floor,
    Loadproof,
    Wrk,
    Wrk2,
    H2load,
    Oha,
}

/// Ours, then peers that are installed.
pub(super) fn all(yardstick: &Path, loadproof: &Path) -> Vec<Generator> {
    let ours = [("floor", yardstick, Kind::Floor), ("loadproof", loadproof, Kind::Loadproof)];
    let ours = ours.map(|(name, program, kind)| Generator { name, program: program.to_owned(), kind });
    let peers = [("wrk", Kind::Wrk), ("wrk2", Kind::Wrk2), ("h2load", Kind::H2load), ("oha", Kind::Oha)];
    let peers = peers.into_iter().filter_map(|(name, kind)| Some(Generator { name, program: on_path(name)?, kind }));
    ours.into_iter().chain(peers).collect()
}

impl Generator {
    /// Whether it is loadproof, whose own report costs something whatever the load.
    pub(super) fn is_ours(&self) -> bool {
        self.kind == Kind::Loadproof
    }

    /// The command for a load; none if it cannot make it. `scratch` is a folder that does not exist yet.
    pub(super) fn command(&self, url: &str, load: Load, scratch: &Path) -> Option<Command> {
        let Load { connections, rate, seconds } = load;
        let (connections, length) = (connections.to_string(), seconds.to_string());
        let mut command = Command::new(&self.program);
        match (self.kind, rate) {
            (Kind::Floor, rate) => {
                command.args(["load", url, "--connections", &connections, "--for", &length]);
                command.args(rate.iter().flat_map(|rate| ["--rate".to_owned(), rate.to_string()]));
            }
            (Kind::Loadproof, rate) => {
                command.args(["quick", url, "--for", &format!("{seconds}s"), "--threads", "1", "--json", "--out"]);
                command.arg(scratch);
                match rate {
                    Some(rate) => command.args(["--rate", &format!("{rate}/s"), "--connections", &connections]),
                    None => command.args(["--users", &connections]),
                };
            }
            (Kind::Wrk, None) => {
                command.args(["-t1", "--latency", &format!("-c{connections}"), &format!("-d{seconds}s"), url]);
            }
            (Kind::Wrk2, Some(rate)) => {
                let counts = [format!("-c{connections}"), format!("-d{seconds}s"), format!("-R{rate}")];
                command.args(["-t1", "--latency"]).args(counts).arg(url);
            }
            (Kind::H2load, rate) => {
                command.args(["--h1", "-t1", "-c", &connections, "-D", &length]);
                // Its rate is one for each connection.
                let each = rate.map(|rate| f64::from(rate) / f64::from(load.connections));
                command.args(each.iter().flat_map(|each| ["--rps".to_owned(), each.to_string()])).arg(url);
            }
            (Kind::Oha, rate) => {
                command.args(["--no-tui", "--output-format", "json", "-c", &connections, "-z", &format!("{seconds}s")]);
                let paced = |rate: &u32| ["-q".to_owned(), rate.to_string(), "--latency-correction".to_owned()];
                command.args(rate.iter().flat_map(paced)).arg(url).env("TOKIO_WORKER_THREADS", "1");
            }
            (Kind::Wrk, Some(_)) | (Kind::Wrk2, None) => return None,
        }
        Some(command)
    }

    /// Reads its output; none when it is not what was expected.
    pub(super) fn read(&self, stdout: &str) -> Option<Said> {
        match self.kind {
            Kind::Floor => of_floor(stdout),
            Kind::Loadproof => of_result(stdout),
            Kind::Wrk | Kind::Wrk2 => of_wrk(stdout),
            Kind::H2load => of_h2load(stdout),
            Kind::Oha => of_oha(stdout),
        }
    }
}

fn of_floor(stdout: &str) -> Option<Said> {
    let json: Value = serde_json::from_str(stdout).ok()?;
    let at = |name: &str| json[name].as_f64();
    let times = [at("p50_ms")?, at("p90_ms")?, at("p99_ms")?, at("p999_ms")?, at("max_ms")?];
    Some(Said { requests: json["requests"].as_u64()?, times_ms: Some(times), ..Said::default() })
}

/// `123456 requests in 5.00s, 10.00MB read`.
fn of_wrk(stdout: &str) -> Option<Said> {
    let line = stdout.lines().find(|line| line.contains(" requests in "))?;
    let requests = line.split_ascii_whitespace().next()?.parse().ok()?;
    // `wrk2` has all of these, ` 99.900%    6.21ms`; `wrk` corrects its own after the run, and has fewer.
    let at = |quantile: &str| {
        let text = stdout.lines().find_map(|line| line.trim_start().strip_prefix(quantile))?.trim();
        let unit = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let scale =
            [("us", 1e-3), ("ms", 1.0), ("s", 1e3), ("m", 6e4)].into_iter().find(|(name, _)| *name == &text[unit..])?.1;
        Some(text[..unit].parse::<f64>().ok()? * scale)
    };
    let times = || Some([at("50.000%")?, at("90.000%")?, at("99.000%")?, at("99.900%")?, at("100.000%")?]);
    Some(Said { requests, times_ms: times(), ..Said::default() })
}

/// `requests: 500000 total, 500000 started, 500000 done, …`.
fn of_h2load(stdout: &str) -> Option<Said> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("requests: "))?;
    let done = line.split(',').find(|part| part.trim().ends_with(" done"))?;
    Some(Said { requests: done.split_ascii_whitespace().next()?.parse().ok()?, ..Said::default() })
}

fn of_oha(stdout: &str) -> Option<Said> {
    let json: Value = serde_json::from_str(stdout).ok()?;
    let codes = json["statusCodeDistribution"].as_object()?;
    let requests = codes.values().filter_map(Value::as_u64).sum();
    let at = |name: &str| json["latencyPercentiles"][name].as_f64().map(|s| s * 1e3);
    let times = || Some([at("p50")?, at("p90")?, at("p99")?, at("p99.9")?, json["summary"]["slowest"].as_f64()? * 1e3]);
    Some(Said { requests, times_ms: times(), ..Said::default() })
}

/// What the bench needs of a `result.json`: the books of all steps with load, and the times of the hold.
pub(super) fn of_result(stdout: &str) -> Option<Said> {
    let json: Value = serde_json::from_str(stdout).ok()?;
    let steps = json["scenarios"][0]["steps"].as_array()?;
    let sum = |key: &str| steps.iter().filter_map(|step| step[key].as_u64()).sum::<u64>();
    let hold = steps.iter().find(|step| step["phase"] == "hold")?;
    let legs = hold["exchanges"][0]["legs"].as_array();
    let ok = legs.and_then(|legs| legs.iter().find(|leg| leg["outcome"] == "ok"));
    let at = |name: &str| {
        let ok = ok?;
        ok["response_ms"][name].as_f64().or_else(|| ok["service_ms"][name].as_f64())
    };
    let times = || Some([at("p50")?, at("p90")?, at("p99")?, at("p99_9")?, at("max")?]);
    Some(Said {
        requests: sum("completed") + sum("failed"),
        failed: sum("failed"),
        times_ms: times(),
        lateness_p99_ms: hold["generator"]["lateness_p99_ms"].as_f64(),
        validity: Some(json["validity"]["state"].as_str()?.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read() {
        let wrk = "Running 5s test\n  1 threads and 64 connections\n  123456 requests in 5.00s, 17.5MB read\n";
        assert_eq!(of_wrk(wrk).map(|said| said.requests), Some(123_456));
        let wrk2 = format!(
            "{wrk} 50.000%  900.00us\n 90.000%    1.69ms\n 99.000%    5.28ms\n 99.900%    0.62s\n100.000%    1.00m\n"
        );
        assert_eq!(of_wrk(&wrk2).unwrap().times_ms, Some([0.9, 1.69, 5.28, 620.0, 60_000.0]));
        let h2load = "requests: 500 total, 501 started, 499 done, 499 succeeded, 1 failed, 0 errored, 0 timeout\n";
        assert_eq!(of_h2load(h2load).map(|said| said.requests), Some(499));
        let oha = r#"{"summary":{"slowest":0.1},"statusCodeDistribution":{"200":7,"503":2},
            "latencyPercentiles":{"p50":0.001,"p90":0.002,"p99":0.003,"p99.9":0.004}}"#;
        let said = of_oha(oha).unwrap();
        assert_eq!((said.requests, said.times_ms), (9, Some([1.0, 2.0, 3.0, 4.0, 100.0])));
        let floor = r#"{"requests":5,"p50_ms":1.0,"p90_ms":2.0,"p99_ms":3.0,"p999_ms":4.0,"max_ms":5.0}"#;
        assert_eq!(of_floor(floor).unwrap().times_ms, Some([1.0, 2.0, 3.0, 4.0, 5.0]));
        for text in ["", "{}", "no output"] {
            assert!(of_wrk(text).is_none() && of_oha(text).is_none() && of_result(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_result_is_read_over_its_steps() {
        let json = r#"{"validity":{"state":"valid"},"scenarios":[{"steps":[
            {"phase":"ramp","completed":10,"failed":1},
            {"phase":"hold","completed":90,"failed":0,"generator":{"lateness_p99_ms":0.25},"exchanges":[{"legs":[{"outcome":"ok",
             "response_ms":{"p50":1.0,"p90":2.0,"p99":3.0,"p99_9":4.0,"max":5.0}}]}]}]}]}"#;
        let said = of_result(json).unwrap();
        assert_eq!((said.requests, said.validity.as_deref()), (101, Some("valid")));
        assert_eq!((said.times_ms, said.lateness_p99_ms), (Some([1.0, 2.0, 3.0, 4.0, 5.0]), Some(0.25)));
    }

    #[test]
    fn a_load_that_a_generator_cannot_make_is_left_out() {
        let wrk = Generator { name: "wrk", program: "wrk".into(), kind: Kind::Wrk };
        let load = Load { connections: 50, rate: Some(5000), seconds: 5 };
        assert!(wrk.command("http://x/", load, Path::new("y")).is_none());
        let floor = Generator { name: "floor", program: "yardstick".into(), kind: Kind::Floor };
        let command = floor.command("http://x/", load, Path::new("y")).unwrap();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(words.join(" "), "load http://x/ --connections 50 --for 5 --rate 5000");
    }
}
