//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// One study file in, one judged performance report out.
#[derive(Debug, Parser)]
#[command(name = "loadproof", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Writes a small study to start from, or converts what another tool has written
    New(NewOptions),
    /// Finds all mistakes in a study and prints its plan
    Check(CheckOptions),
    /// Runs a study: start, watch, drive, record, judge, report
    Run(RunOptions),
    /// Loads one address without a study file; measured and judged like any study
    Quick(QuickOptions),
    /// Finds the highest rate that the generator can send on time from this machine
    Ceiling(CeilingOptions),
    /// Shows a run in the browser, in progress or finished
    Live(LiveOptions),
    /// Sends the metrics of a recorded run to receivers, second by second
    Export(ExportOptions),
    /// Judges a recorded run again
    Judge(JudgeOptions),
    /// Writes the report of a recorded run again
    Report(ReportOptions),
    /// Compares runs: different, equivalent, or undecided
    Compare(CompareOptions),
    /// Plots every requirement over all runs of a study, and finds the run since which it changed
    History(HistoryOptions),
    /// Reads a written report and finds what cannot be true in it
    Audit(AuditOptions),
    /// Makes a run folder from files of other tools, and judges and reports it
    Import(ImportOptions),
    /// Lists recorded runs, newest first, with their verdicts
    Runs(RunsOptions),
    /// Completes a run whose conductor was killed: collects what its load nodes recorded
    Collect(CollectOptions),
    /// Lends this process to a run: as a load node, or to watch its machine (`--name`)
    Node(NodeOptions),
    /// Prints the JSON Schema of study files, for editors
    Schema(SchemaOptions),
    /// Prints the completions of a shell
    Completions(CompletionsOptions),
    /// Prints the manual page
    Man(ManOptions),
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// File to write it to instead
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManOptions {
    /// Folder to write it to, with a page for each subcommand
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// What build servers are told.
#[derive(Debug, Args)]
pub(crate) struct CiOptions {
    /// Tells a build server the result of a run: notes at lines of the study and a summary for GitHub Actions; reports
    /// of tests, code quality and metrics for GitLab, in the run folder. `auto` detects which of them it is
    #[arg(long, value_name = "SERVER", value_parser = ["auto", "github", "gitlab"])]
    pub(crate) ci: Option<String>,
    /// Writes a summary as Markdown; appends to the file that GITHUB_STEP_SUMMARY names
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NewOptions {
    /// Folder; created if it does not exist
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Writes `study.schema.json` beside it and names it in the study, for editors that complete and check what is typed
    #[arg(long)]
    pub(crate) editor: bool,
    /// Makes the study from this file: HAR, OpenAPI, a Postman collection, curl commands, a JMeter plan or a k6 script;
    /// `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Kind of the file, where its name and beginning do not show it
    #[arg(long, requires = "from", value_parser = ["har", "openapi", "postman", "curl", "jmeter", "k6"])]
    pub(crate) kind: Option<String>,
    /// For a HAR file: also carries over requests to this host; `*` is all
    #[arg(long = "host", requires = "from", value_name = "HOST")]
    pub(crate) hosts: Vec<String>,
    /// For a HAR file: also carries over pictures, style sheets, scripts and fonts, in parallel
    #[arg(long, requires = "from")]
    pub(crate) assets: bool,
    /// For an OpenAPI document: also runs operations that may change something (POST, PUT, PATCH, DELETE)
    #[arg(long, requires = "from")]
    pub(crate) changing: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StudyOptions {
    /// The study file
    pub(crate) study: PathBuf,
    /// Overrides a variable of the study
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Runs a trial of about this length: phases and waits shrink by one factor, and a count ends with its share of the time
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) trial: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct NodeOptions {
    /// Takes orders on standard input and reports on standard output: how a run talks to the nodes that it starts
    #[arg(long, hide = true, conflicts_with = "nats")]
    pub(crate) stdio: bool,
    #[command(flatten)]
    pub(crate) meeting: MeetingOptions,
    /// Place among the nodes of its group; a run numbers nodes by it
    #[arg(long, env = "JOB_COMPLETION_INDEX", value_name = "N")]
    pub(crate) index: Option<u32>,
    /// Only watches this machine, for runs whose study has monitors on a node of this name: `on: db1`
    #[arg(long, value_name = "NAME", requires = "nats")]
    pub(crate) name: Option<String>,
    /// Takes part in one run after another, until it is stopped
    #[arg(long)]
    pub(crate) again: bool,
}

/// Where nodes and runs meet.
#[derive(Debug, Args)]
pub(crate) struct MeetingOptions {
    /// NATS server with JetStream over which runs and nodes on other machines meet, such as `tls://nats.lab:4222`; a
    /// user before the host (`tls://NAME@HOST`) has its password in LOADPROOF_NATS_PASSWORD, or in the file that LOADPROOF_NATS_PASSWORD_FILE
    /// names
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    /// File with the credentials of its user, or with the seed of the user's key
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub(crate) nats_creds: Option<PathBuf>,
    /// File with the certificates that vouch for the server; those of the system by default
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub(crate) nats_ca: Option<PathBuf>,
    /// File with the certificate of this side, for a server that asks for one
    #[arg(long, value_name = "FILE", requires = "nats", requires = "nats_key")]
    pub(crate) nats_cert: Option<PathBuf>,
    /// File with the key of that certificate
    #[arg(long, value_name = "FILE", requires = "nats_cert")]
    pub(crate) nats_key: Option<PathBuf>,
    /// Connects to a remote server without encryption, where nobody else can listen
    #[arg(long, requires = "nats")]
    pub(crate) nats_plain: bool,
    /// Nodes and runs of one group find each other
    #[arg(long, value_name = "NAME", default_value = "default", requires = "nats")]
    pub(crate) group: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) study: StudyOptions,
    /// Starts the system, sends one exchange of each kind, and shows the answers
    #[arg(long)]
    pub(crate) once: bool,
    /// Prints mistakes, warnings and the plan as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Shows mistakes at their lines in GitHub Actions; `auto` detects whether it runs there
    #[arg(long, value_name = "SERVER", value_parser = ["auto", "github", "gitlab"])]
    pub(crate) ci: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) study: StudyOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
    #[command(flatten)]
    pub(crate) ci: CiOptions,
    /// Load threads; by default one for each core that the system under test leaves free
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u16>,
    /// Finds the generator's ceiling first; always done for a study with `capacity`
    #[arg(long)]
    pub(crate) ceiling: bool,
    /// Continues the search of a stopped run, after its last complete attempt
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) receivers: ReceiverOptions,
    #[command(flatten)]
    pub(crate) page: PageOptions,
    #[command(flatten)]
    pub(crate) meeting: MeetingOptions,
    /// How long to wait for load nodes on other machines
    #[arg(long, value_name = "DURATION", default_value = "60s", requires = "nats")]
    pub(crate) wait: String,
}

/// Who has the metrics of a run while it goes on.
#[derive(Debug, Args)]
pub(crate) struct ReceiverOptions {
    /// Sends metrics to a receiver during the run; may be repeated: `otlp+http://HOST:4318`,
    /// `prometheus+http://HOST:9090`, `influx+http://HOST:8086/?org=ORG&bucket=BUCKET`, also with `https`, and with
    /// `#token=VARIABLE` appended; `scrape://127.0.0.1:9464` serves them for Prometheus to scrape
    #[arg(long, value_name = "URL")]
    pub(crate) export: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The run folder
    pub(crate) run: PathBuf,
    /// Receiver, written as with `run --export`; may be repeated
    #[arg(long, value_name = "URL", required = true)]
    pub(crate) to: Vec<String>,
}

/// The page that shows a run while it goes on.
#[derive(Debug, Args)]
pub(crate) struct PageOptions {
    /// Serves a page on loopback that shows the run in progress, on a free port or on this one
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "0", require_equals = true)]
    pub(crate) live: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LiveOptions {
    /// The run folder
    pub(crate) run: PathBuf,
    /// Port on loopback; by default a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
}

#[derive(Debug, Args)]
pub(crate) struct CollectOptions {
    /// The run folder
    pub(crate) run: PathBuf,
    /// NATS server that keeps what the nodes recorded; by default that of the run folder
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    /// File with the credentials of its user, or with the seed of the user's key
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_creds: Option<PathBuf>,
    /// File with the certificates that vouch for the server
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_ca: Option<PathBuf>,
    /// File with the certificate of this side, for a server that asks for one
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    pub(crate) nats_cert: Option<PathBuf>,
    /// File with the key of that certificate
    #[arg(long, value_name = "FILE", requires = "nats_cert")]
    pub(crate) nats_key: Option<PathBuf>,
    /// Seals what the folder itself holds, where the server has lost the rest
    #[arg(long, conflicts_with_all = ["nats", "nats_creds", "nats_ca", "nats_cert"])]
    pub(crate) give_up: bool,
    /// Prints result.json on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CeilingOptions {
    /// Number of connections
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) connections: u32,
    /// Length of the rising load: one level per second
    #[arg(long = "for", value_name = "DURATION", default_value = "12s")]
    pub(crate) length: String,
    /// Load threads; by default half of the cores, since the target needs the others
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u16>,
    /// Prints the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OutOptions {
    /// Run folder; by default `runs/TIME-STUDY`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints result.json on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("load").required(true).args(["rate", "users"])))]
pub(crate) struct QuickOptions {
    /// The URL to request, such as `http://127.0.0.1:8080/`
    pub(crate) url: String,
    /// Open load: requests per second, such as `500/s`, however slow the answers
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<String>,
    /// Closed load: this many users, each waiting for its answer
    #[arg(long, value_name = "N")]
    pub(crate) users: Option<u32>,
    /// Length of the load
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) length: String,
    /// Poisson arrivals instead of evenly spaced ones
    #[arg(long, requires = "rate")]
    pub(crate) poisson: bool,
    /// Maximum number of connections; an arrival that finds none free waits with its clock running
    #[arg(long, value_name = "N", requires = "rate")]
    pub(crate) connections: Option<u32>,
    /// Timeout of a request
    #[arg(long, value_name = "DURATION", default_value = "30s")]
    pub(crate) timeout: String,
    /// HTTP method
    #[arg(long, value_name = "METHOD", default_value = "get")]
    pub(crate) method: String,
    /// Request header; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Request body
    #[arg(long)]
    pub(crate) body: Option<String>,
    /// PEM file with the CA certificate that signed the target's certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Accepts any certificate of the target
    #[arg(short = 'k', long, conflicts_with = "ca")]
    pub(crate) insecure: bool,
    /// Proxy through which the target is reached, such as `http://127.0.0.1:3128` or `socks5://127.0.0.1:1080`
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Load threads
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) receivers: ReceiverOptions,
    #[command(flatten)]
    pub(crate) page: PageOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
    #[command(flatten)]
    pub(crate) ci: CiOptions,
}

#[derive(Debug, Args)]
pub(crate) struct JudgeOptions {
    /// The run folder
    pub(crate) run: PathBuf,
    /// Judges against the requirements of this study instead of the run's own
    #[arg(long, value_name = "STUDY")]
    pub(crate) study: Option<PathBuf>,
    /// Folder for `result.json` instead of the run folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints result.json on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// What wrote the files; an unknown one lists all
    pub(crate) kind: String,
    /// The files, packed with gzip or not: FILE, KIND=FILE for one of another kind, KIND@NAME=FILE to say whose it is
    #[arg(required = true, num_args = 1.., value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) files: Vec<String>,
    /// The run folder to create
    #[arg(long, value_name = "RUN")]
    pub(crate) out: PathBuf,
    /// File with `requirements`, `report`, `compare` and the like, written as in a study
    #[arg(long, value_name = "FILE")]
    pub(crate) study: Option<PathBuf>,
    /// Title of the report
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Name of what was tested
    #[arg(long, value_name = "NAME")]
    pub(crate) system: Option<String>,
    /// How much of the beginning is warm-up and not judged
    #[arg(long, value_name = "DURATION")]
    pub(crate) warm_up: Option<String>,
    /// Virtual users, where no file says
    #[arg(long, value_name = "N")]
    pub(crate) users: Option<u32>,
    /// Columns of files without a header row, separated as in the files
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Option<String>,
    /// When the rows of files without a clock begin, such as `2026-11-26T10:58:00Z`; for a log of collections with
    /// uptimes only, when its virtual machine was started
    #[arg(long, value_name = "MOMENT")]
    pub(crate) start: Option<String>,
    /// Time between the rows of files without a clock
    #[arg(long, value_name = "DURATION")]
    pub(crate) every: Option<String>,
    /// Format of the lines of an access log, as in the server's configuration: `common %D`, `$remote_addr ...`, `json
    /// time=ts ...`
    #[arg(long, value_name = "PATTERN")]
    pub(crate) format: Option<String>,
    /// Unit of times, where the file does not name it
    #[arg(long, value_name = "UNIT", value_parser = ["s", "ms", "us", "ns"])]
    pub(crate) unit: Option<String>,
    /// Time zone of stamps that have none, such as `+01:00`
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub(crate) zone: Option<String>,
    /// Prints result.json on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) ci: CiOptions,
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// Run folders, or ids of runs in `runs`; the first is the baseline, which the others are compared with
    #[arg(required = true, num_args = 1.., value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// The baseline instead of the first run; several count as repetitions of each other
    #[arg(long, value_name = "RUN")]
    pub(crate) base: Vec<PathBuf>,
    /// How much two sides may differ and still count as equal
    #[arg(long, value_name = "PERCENT", default_value = "5%")]
    pub(crate) band: String,
    /// Treats all runs except the baseline as repetitions of each other
    #[arg(long)]
    pub(crate) together: bool,
    /// Exits with code 1 if the other side is shown to be worse (times and failures up, throughput down), or
    /// different in any way
    #[arg(long, value_name = "WHAT", value_parser = ["worse", "different"])]
    pub(crate) fail_on: Option<String>,
    /// Folder for `compare.html`, `compare.csv` and `compare.json`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Language of `compare.html` and the summary
    #[arg(long = "lang", value_name = "LANGUAGE", default_value = "en", value_parser = report::LANGUAGES)]
    pub(crate) language: String,
    /// Prints the rows as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes a summary as Markdown; appends to the file that GITHUB_STEP_SUMMARY names
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryOptions {
    /// The folder that contains the run folders, at any depth
    #[arg(value_name = "DIR", default_value = crate::opened::RUNS)]
    pub(crate) folder: PathBuf,
    /// Exits with code 1 if a requirement got worse after this run (its folder or id) or since this date, such as
    /// `2026-11-20`; with 3 if there are too few runs to tell
    #[arg(long, value_name = "BASE")]
    pub(crate) since: Option<String>,
    /// The study, if there are runs of several; upper and lower case are the same
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,
    /// Language of `history.html` and the summary
    #[arg(long = "lang", value_name = "LANGUAGE", default_value = "en", value_parser = report::LANGUAGES)]
    pub(crate) language: String,
    /// Folder for `history.html`, `history.json` and the tables as CSV
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints the history as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes a summary as Markdown; appends to the file that GITHUB_STEP_SUMMARY names
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    /// The run folder
    pub(crate) run: PathBuf,
    /// Folder to write to instead of the run folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Format; may be repeated
    #[arg(long = "format", value_name = "FORMAT", default_values = ["html", "json", "csv"], value_delimiter = ',', value_parser = study::FORMATS)]
    pub(crate) formats: Vec<String>,
    /// Language
    #[arg(long = "lang", value_name = "LANGUAGE", default_value = "en", value_parser = report::LANGUAGES)]
    pub(crate) language: String,
    /// Which report: one of the names in the guide, or a YAML file with a profile of your own; otherwise the study's
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
    /// In junit.xml, counts undecided verdicts, and unmet requirements that are not a must, as failures
    #[arg(long = "strict")]
    pub(crate) is_strict: bool,
    #[command(flatten)]
    pub(crate) ci: CiOptions,
}

#[derive(Debug, Args)]
pub(crate) struct AuditOptions {
    /// The report: Markdown, plain text, HTML, Word (.docx), or PDF with `pdftotext` on this machine
    pub(crate) file: PathBuf,
    /// Prints the findings as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunsOptions {
    /// The folder that contains the run folders
    #[arg(value_name = "DIR", default_value = crate::opened::RUNS)]
    pub(crate) folder: PathBuf,
    /// Lists the runs of this study only; upper and lower case are the same
    #[arg(long, value_name = "NAME")]
    pub(crate) study: Option<String>,
    /// Lists the newest N runs only
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<std::num::NonZeroUsize>,
    /// Writes the list as an HTML page with links to the reports
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// Language of the page
    #[arg(long = "lang", value_name = "LANGUAGE", default_value = "en", value_parser = report::LANGUAGES, requires = "page")]
    pub(crate) language: String,
    /// Prints the list as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
