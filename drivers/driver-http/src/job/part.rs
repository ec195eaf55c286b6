//! What the answers of a job's parts say: where it is asked for, whether it goes on, is done, has failed.

use crate::endpoint::Endpoint;
use crate::escape::Escape;
use contract::{Place, Template};
use extract::{Answer, Compiled, FailedCheck, Render};
use http_wire::{Url, written_out};

/// The number under which a request's template asks for the address of the job.
pub(crate) const ADDRESS: u16 = u16::MAX;

/// An address of a job longer than this is none.
const ADDRESS_BYTES_MAX: usize = 2048;

/// A part of a job.
pub(crate) enum JobStep {
    /// The request that starts it: its answer says where it is asked for.
    Start(At),
    /// A request that asks for it.
    Poll {
        /// What the answer says when the job is done.
        done: Compiled,
        /// What it says when the job has failed.
        failed: Option<Compiled>,
    },
}

/// Where the address of a job stands.
pub(crate) struct At {
    /// One capture: the value, or the part of the path that differs.
    pub(crate) value: Compiled,
    /// What stands around the value in the path; `None` when the value is the address itself.
    pub(crate) around: Option<(String, String)>,
    /// Where the job was started: it is asked for nowhere else.
    pub(crate) endpoint: Endpoint,
}

/// What an answer told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum JobAnswer {
    /// It was not asked.
    #[default]
    Nothing,
    /// The job is asked for at this path.
    At(Vec<u8>),
    /// It goes on; with what was found where `poll` looks.
    Running(String),
    Done,
    /// It has failed, with the check that says so.
    Failed(String),
    /// The answer does not say what it must.
    Unclear(String),
    /// Looking at the answer went beyond a bound, or needs what was never captured: asking again would be of no use.
    Beyond(String),
}

impl JobStep {
    /// Whether the study says itself which status is right.
    pub(crate) fn asks_status(&self) -> bool {
        match self {
            Self::Start(_) => false,
            Self::Poll { done, failed } => {
                done.has_status_check() || failed.as_ref().is_some_and(Compiled::has_status_check)
            }
        }
    }

    pub(crate) fn needs_body(&self) -> bool {
        match self {
            Self::Start(at) => at.value.needs_body(),
            Self::Poll { done, failed } => done.needs_body() || failed.as_ref().is_some_and(Compiled::needs_body),
        }
    }

    pub(crate) fn needs_headers(&self) -> bool {
        match self {
            Self::Start(at) => at.value.needs_headers(),
            Self::Poll { done, failed } => done.needs_headers() || failed.as_ref().is_some_and(Compiled::needs_headers),
        }
    }

    /// What an answer says. An answer that says both is of a job that has failed.
    pub(crate) fn look(&self, answer: &mut Answer<'_>, render: &mut Render<'_>) -> JobAnswer {
        match self {
            Self::Start(at) => at.find(answer).map_or_else(JobAnswer::Unclear, JobAnswer::At),
            Self::Poll { done, failed } => {
                match failed.as_ref().map(|failed| failed.evaluate(answer, render)) {
                    Some(Ok(())) => return JobAnswer::Failed("the job has failed, as `failed` tells it".to_owned()),
                    Some(Err(check)) if check.is_study => return beyond(&check),
                    Some(Err(_)) | None => {}
                }
                match done.evaluate(answer, render) {
                    Ok(()) => JobAnswer::Done,
                    Err(check) if check.is_study => beyond(&check),
                    Err(not_yet) => JobAnswer::Running(not_yet.found),
                }
            }
        }
    }
}

fn beyond(check: &FailedCheck) -> JobAnswer {
    JobAnswer::Beyond(format!("`{}` cannot be decided: {}", check.text, check.found))
}

impl At {
    fn find(&self, answer: &mut Answer<'_>) -> Result<Vec<u8>, String> {
        let mut found = Vec::new();
        let captured = self.value.capture(answer, &mut |_, value| found = value.unwrap_or_default().to_vec());
        if captured.is_err() || found.is_empty() {
            return Err("the answer does not say where the job is asked for: nothing where `at` looks".to_owned());
        }
        match &self.around {
            Some((before, after)) => {
                let value = Escape::Target.of(&found).unwrap_or_default();
                path([before.as_bytes(), &value, after.as_bytes()].concat())
            }
            None => self.own_path(found),
        }
    }

    /// The path of an address that a server gave: its own, or one elsewhere, where nobody is asked.
    fn own_path(&self, address: Vec<u8>) -> Result<Vec<u8>, String> {
        if address.first() == Some(&b'/') && address.get(1) != Some(&b'/') {
            return path(address);
        }
        let shown: String = String::from_utf8_lossy(&address).chars().take(100).collect();
        let wrong = |what: &str| format!("`{}` {what}", written_out(&shown));
        let url = Url::read(&Template::fixed(address), Place::default())
            .map_err(|_| wrong("is neither a path nor a URL, so the job cannot be asked for there"))?;
        let is_own = url.host.eq_ignore_ascii_case(&self.endpoint.host)
            && (url.port, url.is_tls) == (self.endpoint.port, self.endpoint.tls.is_some());
        if !is_own {
            return Err(wrong("is another address than the job was started at; load goes to no stranger"));
        }
        path(url.target.as_fixed().unwrap_or_default().to_vec())
    }
}

/// A path that can stand in a request line.
fn path(path: Vec<u8>) -> Result<Vec<u8>, String> {
    let is_fine = path.len() <= ADDRESS_BYTES_MAX && path.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#');
    if is_fine { Ok(path) } else { Err("the job's address is too long, or holds what no path can".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{BuildContext, Capture, Probe, Which};
    use proptest::prelude::*;
    use testkit::NoNames;

    fn at(probe: Probe, around: Option<(&str, &str)>) -> At {
        let capture = Capture {
            name: "at".into(),
            slot: 0,
            probe,
            pick: Which::First,
            is_optional: false,
            place: Place::default(),
        };
        let value = Compiled::new(&[], &[capture], &mut BuildContext::new(&NoNames, ".")).unwrap();
        let around = around.map(|(before, after)| (before.to_owned(), after.to_owned()));
        At {
            value,
            around,
            endpoint: Endpoint {
                host: "127.0.0.1".into(),
                port: 80,
                tls: None,
                http2: None,
                idle: None,
                all_addresses: false,
                proxy: None,
            },
        }
    }

    struct Location<'a>(&'a str);

    impl extract::Headers for Location<'_> {
        fn header(&self, name: &str) -> Option<&[u8]> {
            (name == "location").then_some(self.0.as_bytes())
        }
    }

    fn located(location: &str) -> Result<String, String> {
        let headers = Location(location);
        let mut answer = Answer::new(202, &headers, b"", 0);
        let found = at(Probe::Header("location".into()), None).find(&mut answer)?;
        Ok(String::from_utf8(found).unwrap())
    }

    #[test]
    fn an_address_is_a_path_or_a_url_of_the_same_server() {
        assert_eq!(located("/jobs/7?x=y"), Ok("/jobs/7?x=y".into()));
        assert_eq!(located("http://127.0.0.1/jobs/7"), Ok("/jobs/7".into()));
        assert_eq!(located("HTTP://127.0.0.1:80/jobs/7"), Ok("/jobs/7".into()));
        for stranger in ["http://127.0.0.1:81/jobs/7", "https://127.0.0.1/jobs/7", "http://example.org/"] {
            assert!(located(stranger).unwrap_err().contains("no stranger"), "{stranger}");
        }
        for wrong in ["", "7", "//example.org/", "/a b", "/a#b", "ftp://x", "/\u{1}"] {
            assert!(located(wrong).is_err(), "{wrong}");
        }
        assert!(located(&format!("/{}", "a".repeat(3000))).is_err());
    }

    #[test]
    fn a_value_of_the_answer_is_made_to_fit_into_the_path() {
        let at = at(Probe::Json("$.id".into()), Some(("/jobs/", "/state")));
        let mut answer = Answer::new(202, &(), br#"{"id":"a b"}"#, 12);
        assert_eq!(at.find(&mut answer).unwrap(), b"/jobs/a%20b/state");
        let mut empty = Answer::new(202, &(), b"{}", 2);
        assert!(at.find(&mut empty).is_err());
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_ends_in_a_path_or_a_sentence(location in "\\PC{0,60}") {
            if let Ok(path) = located(&location) {
                prop_assert!(path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic()));
            }
        }
    }
}
