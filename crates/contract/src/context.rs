//! What a plug-in is handed while it is built, before anything is measured.

use crate::{
    Capture, Check, Commons, LoadOn, Mistake, Mistakes, Names, Node, Probe, compile_template, read_check, read_file,
};
use recorder::{Piece, Table, Template};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use terms::Nanos;

/// What the study knows of messages that the target sends of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incoming {
    /// How many a second come on each connection. They are planned by that: each has its place in the account, whether it
    /// comes or not.
    pub expect: Option<f64>,
    /// Where a message's number in its sequence is.
    pub sequence: Option<Probe>,
    /// Where the time is at which it was sent.
    pub sent: Option<Probe>,
}

/// One exchange's part of the study, as its driver sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Name of the exchange in the study.
    pub exchange: String,
    /// Its number in the study: `Task::exchange`.
    pub number: u16,
    /// Name of the driver's operation, such as `get` in `http.get`.
    pub operation: String,
    /// The driver's own settings, to be read with [`crate::Keys`].
    pub node: Node,
    /// What makes an answer right, the legs' own checks included.
    pub checks: Vec<Check>,
    /// What is kept from an answer.
    pub captures: Vec<Capture>,
    /// Longest wait for the leg in hand.
    pub timeout: Nanos,
    /// Whether a connection serves more than one exchange.
    pub reuse: bool,
    /// Longest time for which a connection is kept that nobody uses; none for as long as the other side keeps it.
    pub idle: Option<Nanos>,
    /// Whether a request may be sent once more that met the closing of a kept connection, where its protocol allows it.
    pub retry: bool,
    /// Whether connections go to all addresses of a name in turn, instead of the first that takes one.
    pub all_addresses: bool,
    /// Time limits of legs, by name, where the study gives one.
    pub within: BTreeMap<String, Nanos>,
    /// What is known of the messages that close the first leg, where nothing is sent for them.
    pub incoming: Incoming,
}

/// Why something outside measurement could not be done: one sentence, starting in lower case, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// From any text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Compiles a driver's texts. The engine keeps the templates; a session names them by number.
pub struct BuildContext<'a> {
    names: &'a dyn Names,
    base: PathBuf,
    templates: Vec<Template>,
    nonce: u64,
    load_on: LoadOn,
    is_looked_at: bool,
    captures: u8,
    has_traces: bool,
    commons: Commons,
    carrier: Option<Carrier>,
}

/// The node that carries a monitor, where that is not the process that conducts the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Its name: what the study has under `on`.
    pub name: String,
    /// Whether this process is that node. Elsewhere the monitor is only checked, and what its machine has is not looked at.
    pub is_here: bool,
}

/// A body file larger than this is not a body but a mistake: it would be held in memory for every thread.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl<'a> BuildContext<'a> {
    /// `base` is the folder of the study, against which files are looked up.
    pub fn new(names: &'a dyn Names, base: impl Into<PathBuf>) -> Self {
        Self {
            names,
            base: base.into(),
            templates: Vec::new(),
            nonce: 0,
            load_on: LoadOn::default(),
            is_looked_at: false,
            captures: 0,
            has_traces: false,
            commons: Commons::default(),
            carrier: None,
        }
    }

    /// The prefixes of namespaces that the study declares, with what they mean.
    pub fn namespaces(&self) -> &'a [(String, String)] {
        self.names.namespaces()
    }

    /// The same for a run of that nonce.
    #[must_use]
    pub fn with_nonce(mut self, nonce: u64) -> Self {
        self.nonce = nonce;
        self
    }

    /// The same, among others of that run.
    #[must_use]
    pub fn with_commons(mut self, commons: Commons) -> Self {
        self.commons = commons;
        self
    }

    /// What the driver's instances of this run share; while the study is only checked, each has its own.
    pub fn commons(&self) -> &Commons {
        &self.commons
    }

    /// The same, for a monitor that a node carries.
    #[must_use]
    pub fn with_carrier(mut self, carrier: Option<Carrier>) -> Self {
        self.carrier = carrier;
        self
    }

    /// The node that carries the monitor; none where the process that conducts the run does.
    pub fn carrier(&self) -> Option<&Carrier> {
        self.carrier.as_ref()
    }

    /// Whether what is built will run on another machine, so that what this one has or lacks says nothing.
    pub fn is_for_elsewhere(&self) -> bool {
        self.carrier.as_ref().is_some_and(|carrier| !carrier.is_here)
    }

    /// The same, told when load is on.
    #[must_use]
    pub fn with_load_on(mut self, load_on: LoadOn) -> Self {
        self.load_on = load_on;
        self
    }

    /// Whether load is on, now and later; never while the study is only checked.
    pub fn load_on(&self) -> LoadOn {
        self.load_on.clone()
    }

    /// The same, for exchanges each of which somebody looks at.
    #[must_use]
    pub fn with_looks(mut self, is_looked_at: bool) -> Self {
        self.is_looked_at = is_looked_at;
        self
    }

    /// Whether somebody looks at every single exchange: then the beginning of its answer is worth keeping.
    pub fn is_looked_at(&self) -> bool {
        self.is_looked_at
    }

    /// The same for a study whose requests begin traces in the system.
    #[must_use]
    pub fn with_traces(mut self, has_traces: bool) -> Self {
        self.has_traces = has_traces;
        self
    }

    /// The header by which the system traces a request, where the study has it sent: its name, and what its value is made
    /// of. One of that name that the author wrote takes its place.
    pub fn trace_header(&self) -> Option<(&'static str, Template)> {
        self.has_traces.then(|| ("traceparent", Template { pieces: vec![Piece::Traceparent] }))
    }

    /// The same for a study with so many captures.
    #[must_use]
    pub fn with_captures(mut self, captures: u8) -> Self {
        self.captures = captures;
        self
    }

    /// How many captured values a slot holds: the study's, and those that drivers keep for themselves.
    pub fn captures(&self) -> u8 {
        self.captures
    }

    /// A captured value of the driver's own, by its number: what a session keeps for its user from exchange to
    /// exchange, such as cookies. Like those of the study it begins each iteration as the user's or node's set-up left
    /// it. None where a study has as many captures as there can be.
    pub fn reserve_capture(&mut self) -> Option<u8> {
        let number = self.captures;
        self.captures = number.checked_add(1)?;
        Some(number)
    }

    /// What tells this run from others, so that an answer to an earlier run's message is known for one; 0 while the
    /// study is only checked.
    pub fn nonce(&self) -> u64 {
        self.nonce
    }

    /// A text all of whose names must be known before the first exchange, such as the address in a URL.
    ///
    /// # Errors
    /// An unknown name, or one that differs from exchange to exchange.
    pub fn text(&self, node: &Node, what: &str) -> Result<String, Mistake> {
        let template = compile_template(node.as_text(what)?, node.place, self.names)?;
        template.as_fixed().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).ok_or_else(|| {
            Mistake::at(node.place, "study::not-yet-known", format!("{what} may not differ from exchange to exchange"))
                .hint("use variables and instance names here, no data columns or captures")
        })
    }

    /// Compiles a text without keeping it: the driver takes it apart first, as with a URL.
    ///
    /// # Errors
    /// An unknown name.
    pub fn compile(&self, node: &Node, what: &str) -> Result<Template, Mistake> {
        compile_template(node.as_text(what)?, node.place, self.names)
    }

    /// Compiles text that the driver made itself from a node, such as a map written as JSON.
    ///
    /// # Errors
    /// An unknown name.
    pub fn compile_text(&self, text: &str, node: &Node) -> Result<Template, Mistake> {
        compile_template(text, node.place, self.names)
    }

    /// A check that stands in a driver's own settings, such as what an answer says when a job is done.
    ///
    /// # Errors
    /// What is not understood of it, and an unknown name.
    pub fn check(&self, node: &Node, what: &str) -> Result<Check, Mistake> {
        read_check(node.as_text(what)?, node.place, self.names)
    }

    /// Keeps a template; the number is what `Recorder::render` takes.
    pub fn keep(&mut self, template: Template) -> u16 {
        if let Some(index) = self.templates.iter().position(|kept| *kept == template) {
            return index as u16;
        }
        self.templates.push(template);
        u16::try_from(self.templates.len() - 1).expect("a study has fewer than 65 536 templates")
    }

    /// Reads a body file beside the study. A text (UTF-8) is compiled if `fill` is true; bytes are bytes.
    ///
    /// # Errors
    /// A file that is missing or too large, or a text with an unknown name.
    pub fn file(&self, node: &Node, what: &str, fill: bool) -> Result<Template, Mistake> {
        let name = self.text(node, what)?;
        let path = self.base.join(&name);
        let wrong = |text: String| Mistake::at(node.place, "study::unreadable-file", text);
        let bytes = read_file(&path, FILE_BYTES_MAX).map_err(|why| wrong(format!("{what} `{name}` {why}")))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) if fill => compile_template(text, node.place, self.names).map_err(|mistake| Mistake {
                message: format!("{}, in `{name}`; `fill: false` sends it as it is", mistake.message),
                ..mistake
            }),
            _ => Ok(Template::fixed(bytes)),
        }
    }

    /// The data set of that number in [`crate::Piece::Column`]; `None` where its rows are not at hand.
    pub fn table(&self, number: u16) -> Option<&Table> {
        self.names.table(number)
    }

    /// The folder of the study.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The templates kept so far, for the engine.
    pub fn into_templates(self) -> Vec<Template> {
        self.templates
    }
}

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Self {
        Self(vec![mistake])
    }
}
