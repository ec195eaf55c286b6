//! The draft of a study: what the readers make, whatever they read. Texts are in the language of studies already: names
//! stand as `$(…)`, and `$$(` is the two characters themselves.

/// Something that could not be carried over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// Where it is in the source.
    pub place: String,
    /// What it is.
    pub what: String,
    /// Why it is not in the study, or what is in its place.
    pub why: String,
    /// What to type; may be empty.
    pub hint: String,
}

/// A study that is not written yet.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What the study is called.
    pub title: String,
    /// One sentence for readers of the report.
    pub about: String,
    /// Addresses that requests go to.
    pub servers: Vec<Server>,
    /// Variables with their values.
    pub vars: Vec<Var>,
    /// Secrets that requests need.
    pub secrets: Vec<Secret>,
    /// Tables.
    pub data: Vec<Data>,
    /// Files that exchanges name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Requests.
    pub exchanges: Vec<Exchange>,
    /// What is run.
    pub scenarios: Vec<Scenario>,
    /// Whether all scenarios run at once.
    pub is_mix: bool,
    /// What must hold.
    pub requirements: Vec<Requirement>,
    /// Rules that stop a run.
    pub abort: Vec<String>,
    /// What could not be carried over.
    pub lost: Vec<Lost>,
    /// Requests of the source.
    pub seen: usize,
}

/// Scheme, host and port.
#[derive(Clone, Debug)]
pub struct Server {
    /// The variable that holds its address.
    pub var: String,
    /// `https://shop.example`, without a path.
    pub origin: String,
    /// A path that answered, and with what: how the target is told from others.
    pub answered: Option<(String, u16)>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub value: String,
    /// Comment for the author; may be empty.
    pub note: String,
}

/// What must not stand in the study, and whoever runs it has to give.
#[derive(Clone, Debug)]
pub struct Secret {
    pub name: String,
    /// What belongs there.
    pub about: String,
}

/// A table of rows.
#[derive(Clone, Debug)]
pub struct Data {
    pub name: String,
    /// Its file, below the study's folder.
    pub path: String,
    /// Further keys, such as `at_end: stop`.
    pub keys: Vec<(String, String)>,
    /// Comment for the author; may be empty.
    pub note: String,
}

/// What a request sends.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Body {
    /// Nothing.
    #[default]
    None,
    Json(crate::value::Value),
    /// Fields of a form; a field may stand several times.
    Form(Vec<(String, String)>),
    /// Parts of a form with files.
    Multipart(Vec<(String, Part)>),
    /// A text as it is.
    Text(String),
    /// A file below the study's folder; whether its names are filled in.
    File(String, bool),
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A text, and its content type if it has one.
    Text(String, Option<String>),
    /// A file, its name in the form, its content type.
    File(String, Option<String>, Option<String>),
}

/// A value that is kept for later requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub name: String,
    /// `json($.id)`.
    pub from: String,
    /// `any`; without it the first one.
    pub pick: Option<&'static str>,
    /// Whether an answer without it is right.
    pub optional: bool,
}

/// A request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    pub name: String,
    /// Comments before it.
    pub notes: Vec<String>,
    /// `get`, `post` …
    pub method: String,
    /// Begins with the variable of its server.
    pub url: String,
    /// Headers in order.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Body,
    /// Further keys of the driver, written as they are: `follow`, `tls` …
    pub keys: Vec<(String, String)>,
    /// What must be true of an answer.
    pub checks: Vec<String>,
    /// What is kept of it.
    pub captures: Vec<Capture>,
    /// Such as `5s`.
    pub timeout: Option<String>,
}

/// A step of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An exchange, by its name.
    Call(String),
    /// A wait, as the language writes it.
    Think(String),
    /// Several calls that are booked as one, too.
    Transaction(String, Vec<Step>),
    /// This many times.
    Times(u64, Vec<Step>),
    /// If a condition holds.
    If(String, Vec<Step>),
    /// One of several: name, share in percent, steps.
    Choose(Vec<(String, f64, Vec<Step>)>),
    /// At once.
    Parallel(Vec<String>, usize),
}

/// How many iterations there are, and when.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Users that wait for their answers. Times in seconds.
    Users { users: u64, ramp: f64, length: Length, pacing: f64 },
    /// Users that change: the level, the seconds, and whether it is reached in them or held.
    Stages(Vec<(u64, f64, bool)>),
    /// Arrivals a second.
    Arrivals { rate: f64, ramp: f64, length: Length, bound: Option<u64> },
    /// Arrivals that change, as stages.
    Pieces(Vec<(f64, f64, bool)>, Option<u64>),
}

/// How long a load is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Seconds.
    Hold(f64),
    /// Iterations.
    Count(u64),
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    /// Comments before it.
    pub notes: Vec<String>,
    /// How much.
    pub load: Load,
    /// Exchanges before it, with `per user` and the like.
    pub set_up: Vec<(String, &'static str)>,
    /// Exchanges behind it.
    pub clean_up: Vec<(String, &'static str)>,
    /// Seconds after the others.
    pub after: f64,
    /// One iteration.
    pub run: Vec<Step>,
}

/// What must hold.
#[derive(Clone, Debug)]
pub struct Requirement {
    pub name: String,
    pub rule: String,
}
