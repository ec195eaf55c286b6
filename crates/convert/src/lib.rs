//! Recordings, descriptions and scripts of other tools to a study: HAR, OpenAPI, Postman, curl, JMeter, k6.
//!
//! # Place in the pipeline
//! Before it: what it writes is read by `study` like any other study. `cli` calls it for `new --from`.
//!
//! # Ideas
//! A reader for each format makes a [`Draft`] of a text: requests, flow, load, requirements, and what could not be
//! carried over ([`Lost`]). One writer makes a folder of the draft. A reader never guesses in silence: what it does not
//! understand exactly is on the list of losses, with its place and what to type.
//! Credentials are never written: they become `$(secret.…)`, and the list says what belongs where.
//!
//! # Not here
//! Files are read and written by `cli`, but for tables and bodies that a source names: those are asked of a [`Folder`].
#![forbid(unsafe_code)]

mod build;
mod draft;
mod emit;
mod files;
mod finish;
mod json;
mod names;
mod note;
mod read;
mod text;
mod urls;
mod value;
mod write;
mod xml;
mod yaml;

pub use draft::{Draft, Lost};
pub use files::{Folder, NoFolder};
pub use note::grouped;

/// A source larger than this is refused.
pub const SOURCE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What a source is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A recording of a browser or a proxy, HTTP Archive 1.1 and 1.2.
    Har,
    /// A description of an API: Swagger 2.0, OpenAPI 3.0 and 3.1, as JSON or YAML.
    OpenApi,
    /// A Postman collection, 2.0 and 2.1.
    Postman,
    /// Commands of curl, as a shell or a browser writes them.
    Curl,
    /// A plan of JMeter.
    JMeter,
    /// A script of k6.
    K6,
}

impl Kind {
    /// All of them, with the words for them.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Har, "har"),
        (Self::OpenApi, "openapi"),
        (Self::Postman, "postman"),
        (Self::Curl, "curl"),
        (Self::JMeter, "jmeter"),
        (Self::K6, "k6"),
    ];

    /// What readers call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Har => "HAR file",
            Self::OpenApi => "OpenAPI document",
            Self::Postman => "Postman collection",
            Self::Curl => "curl commands",
            Self::JMeter => "JMeter plan",
            Self::K6 => "k6 script",
        }
    }

    /// Tells what a text is, by its end of name and its beginning.
    pub fn of(file_name: &str, text: &str) -> Option<Self> {
        let name = file_name.to_ascii_lowercase();
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if name.ends_with(".jmx") || (start.starts_with('<') && start.contains("<jmeterTestPlan")) {
            return Some(Self::JMeter);
        }
        if name.ends_with(".har") {
            return Some(Self::Har);
        }
        if [".js", ".mjs", ".ts"].iter().any(|end| name.ends_with(end)) {
            return Some(Self::K6);
        }
        if start.starts_with('{') {
            let Ok(value) = json::parse(start) else { return Self::of_broken(start) };
            return [
                (Self::Har, value.at(&["log", "entries"]).is_some()),
                (Self::OpenApi, value.get("openapi").is_some() || value.get("swagger").is_some()),
                (Self::Postman, value.get("info").is_some() && value.get("item").is_some()),
                (Self::Postman, value.at(&["collection", "item"]).is_some()),
                // Version 1, which is refused with what to do.
                (Self::Postman, value.get("requests").is_some() && value.get("order").is_some()),
            ]
            .into_iter()
            .find_map(|(kind, is_it)| is_it.then_some(kind));
        }
        let is_line = |words: &[&str]| {
            start
                .lines()
                .any(|line| words.iter().any(|word| line.trim_start().trim_start_matches("$ ").starts_with(word)))
        };
        if is_line(&["openapi:", "swagger:", "\"openapi\":", "'openapi':"]) {
            return Some(Self::OpenApi);
        }
        if start.contains("k6/http") || start.contains("export default") {
            return Some(Self::K6);
        }
        is_line(&["curl ", "curl.exe ", "curl\t"]).then_some(Self::Curl)
    }
}

impl Kind {
    /// JSON that cannot be read: what it would be, so that the reason is reported.
    fn of_broken(start: &str) -> Option<Self> {
        let has = |keys: &[&str]| keys.iter().all(|key| start.contains(&format!("\"{key}\"")));
        [
            (Self::Har, has(&["log", "entries"])),
            (Self::OpenApi, has(&["openapi", "paths"]) || has(&["swagger", "paths"])),
            (Self::Postman, has(&["info", "item"])),
        ]
        .into_iter()
        .find_map(|(kind, is_it)| is_it.then_some(kind))
    }
}

impl Choices {
    /// What was asked for and would do nothing with a source of this kind.
    pub fn useless(&self, kind: Kind) -> Option<String> {
        let asked = [
            ("--host", !self.hosts.is_empty(), Kind::Har),
            ("--assets", self.assets, Kind::Har),
            ("--changing", self.changing, Kind::OpenApi),
        ];
        let (option, _, of) = asked.into_iter().find(|(_, is_asked, of)| *is_asked && *of != kind)?;
        let a = |kind: Kind| match kind {
            Kind::Curl => kind.title().to_owned(),
            Kind::Har | Kind::OpenApi => format!("{} {}", if kind == Kind::Har { "a" } else { "an" }, kind.title()),
            _ => format!("a {}", kind.title()),
        };
        Some(format!(
            "`{option}` is for {}, and would change nothing here: this is read as {}; leave it out",
            a(of),
            a(kind)
        ))
    }
}

/// What the author asked for.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Operations of an OpenAPI document that may change something are in the run, too.
    pub changing: bool,
    /// Hosts whose requests of a HAR file are carried over beside those of its own site; `*` for all.
    pub hosts: Vec<String>,
    /// Pictures, style sheets and scripts of a HAR file are in the run, in parallel.
    pub assets: bool,
}

/// A file of the study that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Below the study's folder.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What came of a source.
#[derive(Clone, Debug)]
pub struct Converted {
    /// `study.yaml` first, then what it names, and `CONVERSION.md`.
    pub files: Vec<Written>,
    /// Requests of the source.
    pub seen: usize,
    /// Those of them that the study sends.
    pub carried: usize,
    /// Exchanges that stand for them.
    pub exchanges: usize,
    /// One line for each scenario: its load.
    pub loads: Vec<String>,
    /// Hosts that load would go to.
    pub hosts: Vec<String>,
    /// What could not be carried over.
    pub lost: Vec<Lost>,
    /// Secrets that are to be put in their files, with what belongs there.
    pub secrets: Vec<(String, String)>,
}

/// Why nothing came of a source.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It cannot be read as what it should be.
    #[error("the {} cannot be read: {why}", .kind.title())]
    Unreadable {
        /// What it should be.
        kind: Kind,
        /// With the line, where there is one.
        why: String,
    },
    /// It can be read, and holds no request that could be carried over.
    #[error("nothing of the {} can be carried over{}", .kind.title(), told(.lost))]
    Nothing {
        /// What it is.
        kind: Kind,
        /// What stands in the way.
        lost: Vec<Lost>,
    },
}

fn told(lost: &[Lost]) -> String {
    let lines = lost.iter().take(20).map(|lost| format!("\n  {}: {}: {}", lost.place, lost.what, lost.why));
    let more = lost.len().saturating_sub(20);
    lines.chain((more > 0).then(|| format!("\n  and {more} more"))).collect()
}

/// Makes a study of a source. `name` is what the source is called, `folder` where files beside it are looked up.
///
/// # Errors
/// What cannot be read, and a source without a request that could be carried over.
pub fn convert(
    kind: Kind,
    name: &str,
    source: &str,
    choices: &Choices,
    folder: &dyn Folder,
) -> Result<Converted, Refused> {
    let source = source.trim_start_matches('\u{feff}');
    let mut build = build::Build::new(kind, name, folder, choices.clone());
    let read = match kind {
        Kind::Har => read::har::read(source, &mut build),
        Kind::OpenApi => read::openapi::read(source, &mut build),
        Kind::Postman => read::postman::read(source, &mut build),
        Kind::Curl => read::curl::read(source, &mut build),
        Kind::JMeter => read::jmeter::read(source, &mut build),
        Kind::K6 => read::k6::read(source, &mut build),
    };
    read.map_err(|why| Refused::Unreadable { kind, why })?;
    let draft = finish::finish(build.draft);
    if draft.exchanges.is_empty() || draft.scenarios.is_empty() {
        return Err(Refused::Nothing { kind, lost: draft.lost });
    }
    Ok(write::write(kind, name, draft))
}
