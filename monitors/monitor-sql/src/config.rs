//! The monitor's part of a study: where the database is, and what the author wants to know of it.

use crate::metrics;
use contract::{BuildContext, Keys, Mistake, Mistakes, MonitorSettings, NAMED_UNITS, Node, Place, one_of};
use std::path::PathBuf;
use std::str::FromStr;
use tokio_postgres::config::{Host, SslMode};

/// Queries of the author: each is carried out at every sample.
const NAMED_MAX: usize = 32;
/// Longer than any statement that is meant to be asked once a second.
const QUERY_BYTES_MAX: usize = 16 * 1024;

/// What a study says of a database.
pub(crate) struct Config {
    pub(crate) store: Store,
    pub(crate) named: Vec<Named>,
    /// The address without its password.
    pub(crate) shown: String,
}

/// Which database.
pub(crate) enum Store {
    Postgres(Box<tokio_postgres::Config>),
    MariaDb(Box<mysql_async::Opts>),
    Sqlite(PathBuf),
}

/// A query of the author: its first column is the value, further ones are labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) query: String,
    /// Whether it only grows: then what is not there any more has not become nothing.
    pub(crate) is_counter: bool,
}

/// Reads the settings; connects to nothing.
///
/// # Errors
/// All mistakes at once. None of them shows the address, which may hold a password.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let url = keys.need("url", &mut mistakes);
    let store = url.and_then(|node| {
        check_password(node, &mut mistakes);
        let text = mistakes.keep(context.text(node, "`url`"))?;
        mistakes.keep(store(&text, node.place, context))
    });
    let named = keys.take("values").map(|node| named(node, context, &mut mistakes)).unwrap_or_default();
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    let (store, shown) = store.expect("invariant: without a store there is a mistake");
    Ok(Config { store, named, shown })
}

/// A password that stands in the study itself would be archived with it. One that comes from a secret is not.
fn check_password(node: &Node, mistakes: &mut Mistakes) {
    let text = node.text().unwrap_or_default();
    let authority = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next()).unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let password = user.split_once(':').map_or("", |(_, password)| password);
    if !password.is_empty() && !password.contains("$(") {
        mistakes.push(
            Mistake::at(node.place, "sql::open-password", "the `url` holds a password, which every run would archive")
                .label("write `$(secret.NAME)` in its place")
                .hint("and set `NAME` in the environment, or name its file: `secrets: { NAME: { file: … } }`"),
        );
    }
}

/// The store, and its address without a password.
fn store(url: &str, place: Place, context: &BuildContext<'_>) -> Result<(Store, String), Mistake> {
    let wrong = |what: &str| {
        Mistake::at(place, "sql::bad-url", what)
            .label("write `postgres://user@host:port/database`, `mysql://user@host:port/database` or `sqlite://path`")
            .hint("of an instance of the study: `postgres://lab@$(NAME.address)/lab`; a password comes from `$(secret.X)`")
    };
    if let Some(path) = url.strip_prefix("sqlite://") {
        if path.is_empty() || path.contains('\0') {
            return Err(wrong("the `url` names no file"));
        }
        let path = path.split('?').next().unwrap_or(path);
        return Ok((Store::Sqlite(context.base().join(path)), format!("sqlite://{path}")));
    }
    if let Some(rest) = url.strip_prefix("mysql://").or_else(|| url.strip_prefix("mariadb://")) {
        if asks_for_tls(rest) {
            return Err(no_tls(place));
        }
        return mariadb(rest).map_err(wrong);
    }
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        let scheme: String = url.split(':').next().unwrap_or_default().chars().take(20).collect();
        let is_scheme = url.contains("://") && scheme.chars().all(|c| c.is_ascii_alphanumeric());
        return Err(if is_scheme {
            wrong(&format!("the `url` begins with `{scheme}://`, which is not a database known here"))
        } else {
            wrong("the `url` begins neither with `postgres://` nor with `mysql://` nor with `sqlite://`")
        });
    }
    let config =
        tokio_postgres::Config::from_str(url).map_err(|_| wrong("the `url` of the database cannot be read"))?;
    if config.get_hosts().len() != 1 {
        return Err(wrong("the `url` must name one server"));
    }
    if config.get_ssl_mode() == SslMode::Require {
        return Err(no_tls(place));
    }
    let shown = shown(&config);
    Ok((Store::Postgres(Box::new(config)), shown))
}

fn no_tls(place: Place) -> Mistake {
    Mistake::at(place, "sql::no-tls", "the `url` asks for TLS, which this monitor does not speak")
        .hint("watch from a machine that needs none, or let a tunnel do it and write its local address")
}

/// Whether an address of MariaDB asks for TLS, as the clients of several languages write it.
fn asks_for_tls(rest: &str) -> bool {
    let options = rest.split_once('?').map_or("", |(_, options)| options).to_ascii_lowercase();
    let is_off = |value: &str| matches!(value, "" | "0" | "false" | "disable" | "disabled" | "preferred" | "trust");
    options
        .split('&')
        .filter_map(|option| option.split_once('='))
        .any(|(name, value)| (name.contains("ssl") || name.contains("tls")) && !is_off(value))
}

/// The server, from what follows `mysql://`. Options behind `?` are for other clients and are left out: none of them
/// changes what is watched.
fn mariadb(rest: &str) -> Result<(Store, String), &'static str> {
    let plain = rest.split('?').next().unwrap_or(rest);
    let options = mysql_async::Opts::from_url(&format!("mysql://{plain}"))
        .map_err(|_| "the `url` of the database cannot be read")?;
    let Some(database) = options.db_name().filter(|name| !name.is_empty()) else {
        return Err("the `url` names no database");
    };
    let user = options.user().map(|user| format!("{user}@")).unwrap_or_default();
    let shown = format!("mysql://{user}{}:{}/{database}", options.ip_or_hostname(), options.tcp_port());
    Ok((Store::MariaDb(Box::new(options)), shown))
}

fn shown(config: &tokio_postgres::Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) if name.contains(':') => format!("[{name}]"),
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    };
    let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
    format!("postgres://{user}{host}{port}/{}", config.get_dbname().unwrap_or_default())
}

fn named(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<Named> {
    let Some(entries) = node.map() else {
        if !node.is_missing() {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`values` is {}, not a map", node.what()))
                    .label("write `{ name: select … }`, or `{ name: { query: select …, unit: bytes } }`"),
            );
        }
        return Vec::new();
    };
    if entries.len() > NAMED_MAX {
        let what = format!("`values` has {} queries; at most {NAMED_MAX} are possible", entries.len());
        mistakes.push(Mistake::at(node.place, "study::out-of-range", what));
    }
    let mut named: Vec<Named> = Vec::new();
    for (key, value) in entries.iter().take(NAMED_MAX) {
        let name = key.text().unwrap_or_default();
        if let Some(mistake) = bad_name(name, key.place, &named) {
            mistakes.push(mistake);
            continue;
        }
        let Some(value) = query_of(name, value, mistakes) else { continue };
        let Some(query) = mistakes.keep(context.text(value, &format!("the query `{name}`"))) else { continue };
        let query = query.trim().trim_end_matches(';').trim_end();
        let is_query = ["select", "with", "values", "table"]
            .iter()
            .any(|word| query.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
        if !is_query || query.len() > QUERY_BYTES_MAX || query.contains('\0') {
            mistakes.push(
                Mistake::at(value.place, "sql::bad-query", format!("the query `{name}` is not a `select`"))
                    .label("write `select count(*) from TABLE`")
                    .hint("its first column is the value; further columns are labels, and split the series"),
            );
            continue;
        }
        let is_counter = value.get("kind").and_then(Node::text) == Some("counter");
        named.push(Named { name: name.to_owned(), query: query.to_owned(), is_counter });
    }
    named
}

/// Where the query of a value stands: the value itself, or its `query` beside what the figures of it are.
fn query_of<'a>(name: &str, node: &'a Node, mistakes: &mut Mistakes) -> Option<&'a Node> {
    if node.map().is_none() {
        return Some(node);
    }
    let mut keys = Keys::of(node, format!("value `{name}`"), mistakes);
    let query = keys.need("query", mistakes);
    let unit = keys.take("unit").filter(|node| !node.is_missing());
    let kind = keys.take("kind").filter(|node| !node.is_missing());
    keys.finish(mistakes);
    // `contract` reads both again, and knows of them what a rule may ask.
    if let Some(node) = unit {
        mistakes.keep(one_of(node, "`unit`", &NAMED_UNITS.map(|unit| (unit, ()))));
    }
    if let Some(node) = kind {
        mistakes.keep(one_of(node, "`kind`", &[("gauge", ()), ("counter", ())]));
    }
    query
}

fn bad_name(name: &str, place: Place, named: &[Named]) -> Option<Mistake> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        let what = format!("`{}` cannot be the name of a value", name.escape_debug());
        return Some(Mistake::at(place, "study::bad-name", what).label("write letters, digits and `_`"));
    }
    let is_taken = metrics::number(name).is_some() || named.iter().any(|known| known.name == name);
    is_taken.then(|| {
        Mistake::at(place, "study::duplicate-name", format!("there is a metric `{name}` already"))
            .label("choose another name")
    })
}
