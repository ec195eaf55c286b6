//! `loadproof quick`: a study from the command line.

use crate::ci::Ci;
use crate::commands::live::Page;
use crate::commands::run::slug;
use crate::exit::{Exit, Failed};
use crate::exporting::{Exporting, receivers};
use crate::options::QuickOptions;
use crate::prepare::{duration, prepare_text};
use crate::progress::Progress;
use run::nodes::Trial;
use run::{Prepared, RunRequest, conduct, foresee};
use std::fmt::Write as _;

/// One scenario `quick` with one exchange `request`: same engine, same books, no requirements.
pub(crate) fn quick(options: &QuickOptions) -> Result<Exit, Failed> {
    let receivers = receivers("--export", &options.receivers.export)?;
    let mut ci = Ci::of(&options.ci)?;
    let prepared = prepare_text(&study_text(options)?)?;
    refuse_unknown_host(&prepared, options).inspect_err(|failed| ci.failed(failed))?;
    let page = Page::open(&options.page)?;
    let wanted = RunRequest {
        out: options.out.out.clone(),
        threads: options.threads,
        name: format!("quick-{}", slug(host_of(&options.url))),
        ceiling: None,
        trial: Trial::default(),
        call: None,
    };
    let exporting = Exporting::start(Progress::new(), &receivers, &prepared.kept_out)?;
    let conducted = conduct(&prepared, &wanted, &page.beside(&exporting));
    exporting.finish();
    let folder = conducted.map_err(Failed::from).inspect_err(|failed| ci.failed(failed))?;
    page.conclude(&folder, options.out.json, &mut ci)
}

/// What a run would refuse as well, in the words of a study file; here nobody has written one.
fn refuse_unknown_host(prepared: &Prepared, options: &QuickOptions) -> Result<(), Failed> {
    // By way of a proxy, it is the only host whose name is looked up here.
    let to_correct = match options.proxy {
        Some(_) => "the address after `--proxy`",
        None => "the address in the command",
    };
    let unknown = foresee::unknown_hosts(prepared, to_correct)?;
    if unknown.is_empty() { Ok(()) } else { Err(Failed::because(unknown.join("\n"))) }
}

fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

/// As with curl, `--insecure` says nothing about a target without TLS.
fn is_tls(url: &str) -> bool {
    url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
}

/// The study that the options mean, as a user would write it.
fn study_text(options: &QuickOptions) -> Result<String, Failed> {
    let length = duration("--for", &options.length)?;
    let timeout = duration("--timeout", &options.timeout)?;
    let load = match (&options.rate, options.users) {
        (Some(rate), _) => {
            let spacing = if options.poisson { ", spacing: poisson" } else { "" };
            let bound = options.connections.map_or_else(String::new, |bound| format!(", max_in_flight: {bound}"));
            format!("{{ arrivals: {}{spacing}{bound}, hold: {length} }}", quoted(rate))
        }
        (None, users) => format!("{{ users: {}, hold: {length} }}", users.unwrap_or(1)),
    };
    let mut settings = format!("url: {}", quoted(&options.url));
    if !options.headers.is_empty() {
        settings += ", headers: { ";
        for (number, header) in (1..).zip(&options.headers) {
            let (name, value) = header.split_once(':').ok_or_else(|| {
                // What was given may be a credential: it is not repeated.
                Failed::because(format!("`--header` number {number} has no `:`; write `--header 'name: value'`"))
            })?;
            let _ = write!(settings, "{}: {}, ", quoted(name.trim()), quoted(value.trim()));
        }
        settings += "}";
    }
    if let Some(body) = &options.body {
        let _ = write!(settings, ", body: {}", quoted(body));
    }
    if let Some(ca) = &options.ca {
        let ca = std::path::absolute(ca).unwrap_or_else(|_| ca.clone());
        let _ = write!(settings, ", tls: {{ ca: {} }}", quoted(&ca.to_string_lossy()));
    }
    if options.insecure && is_tls(&options.url) {
        settings += ", tls: { insecure: true }";
    }
    if let Some(proxy) = &options.proxy {
        if proxy.contains('@') {
            // What was given is a credential: it is not repeated.
            return Err(Failed::because(
                "`--proxy` holds a user name, which would stand in the study of the run; write a study with \
                 `proxy: { url: http://HOST:PORT, basic: \"user:$(secret.NAME)\" }` beside `url`"
                    .to_owned(),
            ));
        }
        let _ = write!(settings, ", proxy: {}", quoted(proxy));
    }
    let method = options.method.to_ascii_lowercase();
    Ok(format!(
        "study: quick\nsystem: {{ name: {host} }}\nwatch: {{ host: {{}} }}\nexchanges:\n  request: {{ http.{method}: {{ {settings} }}, timeout: {timeout} }}\nscenarios:\n  quick: {{ load: {load}, run: [request] }}\n",
        host = quoted(host_of(&options.url)),
    ))
}

/// A YAML text in double quotes: nothing in it can be read as anything else. `$(` stays what the user wrote.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text.replace("$(", "$$(")).to_string()
}
