//! Commands of curl.

use crate::build::Build;
use crate::draft::{Body, Exchange, Part, Step};
use crate::names;
use crate::read::nest::{Nest, looks_like_address};
use crate::read::{gentle, shell};
use crate::text::{literal, short};
use crate::urls;

/// Options that change nothing of what is sent, with how many words follow them.
pub(super) const QUIET: [(&str, usize); 34] = [
    ("-s", 0),
    ("--silent", 0),
    ("-S", 0),
    ("--show-error", 0),
    ("-v", 0),
    ("--verbose", 0),
    ("-i", 0),
    ("--include", 0),
    ("-#", 0),
    ("--progress-bar", 0),
    ("-f", 0),
    ("--fail", 0),
    ("-o", 1),
    ("--output", 1),
    ("-O", 0),
    ("--remote-name", 0),
    ("-w", 1),
    ("--write-out", 1),
    ("-D", 1),
    ("--dump-header", 1),
    ("--trace", 1),
    ("--trace-ascii", 1),
    ("-N", 0),
    ("--no-buffer", 0),
    ("--no-progress-meter", 0),
    ("--fail-with-body", 0),
    ("--create-dirs", 0),
    ("-J", 0),
    ("--remote-header-name", 0),
    ("-c", 1),
    ("--cookie-jar", 1),
    ("--http1.1", 0),
    ("--globoff", 0),
    ("-g", 0),
];

/// Options with one word behind them that are not carried over.
pub(super) const OTHERS: [&str; 18] = [
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "--resolve",
    "--connect-to",
    "--interface",
    "--limit-rate",
    "--max-redirs",
    "-r",
    "--range",
    "--unix-socket",
    "--dns-servers",
    "--ciphers",
    "--aws-sigv4",
    "-K",
    "--config",
    "-z",
    "--time-cond",
];

/// Letters of options that take a word; in `-sXPOST` what follows the letter is that word.
pub(super) const TAKES: &str = "XHdFubxmoTAeKcwDErzC";

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let windows = shell::is_windows(source);
    let text = if windows { shell::without_carets(source) } else { source.replace("\r\n", "\n") };
    let found = shell::commands(&text, windows);
    let mut run = Vec::new();
    let mut is_curl_seen = false;
    let mut nest = Nest::of(&found);
    for mut command in found {
        build.place = format!("line {}", command.line);
        if let Some(hidden) = nest.enter(&command.words) {
            is_curl_seen = true;
            for address in hidden.addresses {
                build.draft.seen += 1;
                build.lose(format!("curl {address}"), hidden.why, hidden.hint);
            }
            continue;
        }
        while command.words.first().is_some_and(|word| {
            word == "$" || word == "sudo" || word == ">" || (word.contains('=') && !word.contains('/'))
        }) {
            command.words.remove(0);
        }
        let Some(program) = command.words.first() else { continue };
        if !["curl", "curl.exe"].contains(&program.rsplit('/').next().unwrap_or_default()) {
            const FRAME: [&str; 12] =
                ["for", "do", "done", "if", "then", "else", "fi", "while", "until", "{", "}", "esac"];
            if !FRAME.contains(&program.as_str()) {
                build.lose(format!("the command `{}`", short(program, 40)), "only commands of curl are read", "");
            }
            continue;
        }
        is_curl_seen = true;
        for variable in &command.variables {
            if variable.starts_with('$') {
                build.lose(
                    format!("`{variable}…`"),
                    "what a shell computes is not known here",
                    "write the value in the study",
                );
            }
        }
        let mut words = rename_variables(build, command.words, &command.variables);
        words.remove(0);
        for part in words.split(|word| word == "--next" || word == "-:") {
            run.extend(one(part, build).into_iter().map(Step::Call));
        }
    }
    build.close();
    if !is_curl_seen {
        return Err("no line begins with `curl`".to_owned());
    }
    build.draft.about = "Requests of curl commands".to_owned();
    let name = build.names.give("steady", "load");
    build.draft.scenarios.push(gentle(name, run));
    Ok(())
}

/// Variables of the shell become those of the study, from the environment as before.
fn rename_variables(build: &mut Build<'_>, words: Vec<String>, variables: &[String]) -> Vec<String> {
    let mut words = words;
    for variable in variables.iter().filter(|variable| !variable.starts_with('$')) {
        let is_secret = scrub::names::is_credential(variable);
        let to = if is_secret {
            build
                .secret(variable, variable, &format!("what the shell has as `${variable}`"))
                .trim_matches(['$', '(', ')'])
                .to_owned()
        } else {
            let known =
                build.draft.vars.iter().find(|var| var.note == format!("${variable}")).map(|var| var.name.clone());
            known.unwrap_or_else(|| {
                let name = build.names.give(variable, "value");
                let value = format!("$(env.{variable}:-unset)");
                build.draft.vars.push(crate::draft::Var { name: name.clone(), value, note: format!("${variable}") });
                name
            })
        };
        words.iter_mut().for_each(|word| *word = word.replace(&format!("$({variable})"), &format!("$({to})")));
    }
    words
}

/// Options of one command.
#[derive(Default)]
struct Options {
    method: Option<String>,
    urls: Vec<String>,
    headers: Vec<String>,
    data: Vec<String>,
    is_json: bool,
    is_get: bool,
    parts: Vec<(String, Part)>,
    file: Option<String>,
    /// A file that is the whole body of a PUT, as it stands in the command.
    upload: Option<String>,
    /// Files of the body that were not found.
    missing: Vec<String>,
    user: Option<String>,
    bearer: Option<String>,
    cookies: Vec<String>,
    keys: Vec<(String, String)>,
    is_insecure: bool,
    tls: Vec<(String, String)>,
    follows: bool,
    timeout: Option<f64>,
}

fn one(words: &[String], build: &mut Build<'_>) -> Vec<String> {
    let mut options = Options::default();
    let mut words: std::collections::VecDeque<String> = words.iter().cloned().collect();
    while let Some(word) = words.pop_front() {
        if let Some((name, value)) = word.split_once('=').filter(|(name, _)| name.starts_with("--"))
            && !name.contains(' ')
        {
            words.push_front(value.to_owned());
            words.push_front(name.to_owned());
            continue;
        }
        let mut letters = word.chars();
        if letters.next() == Some('-') && word.len() > 2 && !word.starts_with("--") {
            let first = letters.next().unwrap_or_default();
            let rest: String = letters.collect();
            if TAKES.contains(first) {
                words.push_front(rest);
            } else {
                words.push_front(format!("-{rest}"));
            }
            option(&format!("-{first}"), &mut words, &mut options, build);
            continue;
        }
        option(&word, &mut words, &mut options, build);
    }
    if options.urls.is_empty() {
        build.draft.seen += 1;
        build.lose("a command", "it has no address", "write it by hand");
        return Vec::new();
    }
    let addresses = std::mem::take(&mut options.urls);
    addresses.iter().filter_map(|url| request(url, &options, build)).collect()
}

fn option(word: &str, words: &mut std::collections::VecDeque<String>, options: &mut Options, build: &mut Build<'_>) {
    if let Some((_, count)) = QUIET.iter().find(|(name, _)| *name == word) {
        (0..*count).for_each(|_| drop(words.pop_front()));
        return;
    }
    let mut take = || words.pop_front().unwrap_or_default();
    match word {
        "-X" | "--request" => options.method = Some(take()),
        "-H" | "--header" => options.headers.push(take()),
        "-A" | "--user-agent" => options.headers.push(format!("user-agent: {}", take())),
        "-e" | "--referer" => options.headers.push(format!("referer: {}", take())),
        "-d" | "--data" | "--data-ascii" | "--data-binary" => {
            let value = take();
            match value.strip_prefix('@') {
                Some(file) => body_file(file, options, build),
                None => options.data.push(value),
            }
        }
        "-T" | "--upload-file" => {
            let value = take();
            body_file(&value, options, build);
            options.upload = Some(value);
        }
        "--data-raw" => options.data.push(take()),
        "--data-urlencode" => {
            let value = take();
            if value.contains('@') && !value.contains('=') {
                build.lose(
                    format!("--data-urlencode {}", short(&value, 40)),
                    "a file that is encoded is not read",
                    "write its content under `form`",
                );
                options.missing.push(value);
                return;
            }
            let (name, value) = value.split_once('=').unwrap_or(("", &value));
            let encoded = urls::encoded(value);
            options.data.push(if name.is_empty() { encoded } else { format!("{name}={encoded}") });
        }
        "--json" => {
            options.is_json = true;
            let value = take();
            match value.strip_prefix('@') {
                Some(file) => body_file(file, options, build),
                None => options.data.push(value),
            }
        }
        "-F" | "--form" | "--form-string" => part(&take(), word == "--form-string", options, build),
        "-u" | "--user" => options.user = Some(take()),
        "--oauth2-bearer" => options.bearer = Some(take()),
        "-b" | "--cookie" => options.cookies.push(take()),
        "-k" | "--insecure" => options.is_insecure = true,
        "--cacert" | "-E" | "--cert" | "--key" => {
            let key = match word {
                "--cacert" => "ca",
                "--key" => "key",
                _ => "certificate",
            };
            let path = take();
            if key == "key" {
                build.lose(
                    "--key",
                    "private keys are not copied",
                    "put it beside the study: `tls: { certificate: …, key: … }`",
                );
            } else if key == "certificate" {
                build.lose(
                    "--cert",
                    "a certificate needs its key, which is not copied",
                    "put both beside the study: `tls: { certificate: …, key: … }`",
                );
            } else if let Some(path) = build.copy(&path, "tls") {
                options.tls.push((key.to_owned(), path));
            }
        }
        "-x" | "--proxy" | "--socks5" | "--socks5-hostname" => {
            let value = take();
            let value = if value.contains("://") {
                value
            } else {
                format!("{}://{value}", if word.contains("socks5") { "socks5" } else { "http" })
            };
            let is_fit = (value.starts_with("http://") || value.starts_with("socks5://"))
                && !value.contains('@')
                && !value.contains(char::is_whitespace);
            if is_fit {
                options.keys.push(("proxy".to_owned(), crate::emit::quoted(value.trim_end_matches('/'))));
            } else {
                build.lose(
                    "--proxy",
                    "its address cannot be written as it is, or holds a password",
                    "write `proxy: { url: …, basic: \"user:$(secret.NAME)\" }`",
                );
            }
        }
        "--compressed" => options.headers.push("accept-encoding: gzip, deflate, br".to_owned()),
        "-L" | "--location" | "--location-trusted" => options.follows = true,
        "-G" | "--get" => options.is_get = true,
        "-I" | "--head" => options.method = options.method.take().or(Some("HEAD".to_owned())),
        "--http2" | "--http2-prior-knowledge" => options.keys.push(("version".to_owned(), "2".to_owned())),
        "-m" | "--max-time" => options.timeout = take().parse().ok(),
        "--connect-timeout" => {
            let value = take();
            build.lose(
                format!("--connect-timeout {}", short(&value, 20)),
                "connecting has no limit of its own",
                "`timeout` of the exchange is the limit of all of it, connecting included",
            );
        }
        "--url" => options.urls.push(take()),
        "-" | "" => {}
        _ if OTHERS.contains(&word) => {
            take();
            build.lose(
                word,
                "this option is not carried over",
                "see `man curl` for what it does, and the driver's README for what can be written",
            );
        }
        _ if word.starts_with('-') => {
            build.lose(
                short(word, 40),
                "this option is not known here; what follows it is taken for an address if it looks like one",
                "",
            );
        }
        _ => {
            if looks_like_address(word) {
                options.urls.push(word.to_owned());
            } else {
                build.lose(format!("`{}`", short(word, 40)), "this is neither an option nor an address", "");
            }
        }
    }
}

fn part(text: &str, is_string: bool, options: &mut Options, build: &mut Build<'_>) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.to_owned();
    if is_string {
        options.parts.push((name, Part::Text(value.to_owned(), None)));
        return;
    }
    let mut pieces = value.split(';');
    let first = pieces.next().unwrap_or_default().trim_matches('"').to_owned();
    let mut kind = None;
    let mut file_name = None;
    for piece in pieces {
        match piece.trim().split_once('=') {
            Some(("type", value)) => kind = Some(value.to_owned()),
            Some(("filename", value)) => file_name = Some(value.trim_matches('"').to_owned()),
            _ => {}
        }
    }
    match first.strip_prefix('@').or(first.strip_prefix('<')) {
        Some(path) => match build.copy(path, "bodies") {
            Some(path) => options.parts.push((name, Part::File(path, file_name, kind))),
            None => options.missing.push(path.to_owned()),
        },
        None => {
            let value = build.field_without_credential(&name, if kind.is_some() { first } else { value.to_owned() });
            options.parts.push((name, Part::Text(value, kind)));
        }
    }
}

/// A file as a body; one that does not exist is noted.
fn body_file(path: &str, options: &mut Options, build: &mut Build<'_>) {
    match build.copy(path, "bodies") {
        Some(file) => options.file = Some(file),
        None => options.missing.push(path.to_owned()),
    }
}

fn request(url: &str, options: &Options, build: &mut Build<'_>) -> Option<String> {
    build.draft.seen += 1;
    let has_body = !options.data.is_empty() || options.file.is_some();
    let has_any = has_body || !options.parts.is_empty() || !options.missing.is_empty();
    let usual = match (&options.upload, has_any && !options.is_get) {
        (Some(_), _) => "PUT",
        (None, true) => "POST",
        (None, false) => "GET",
    };
    let method = options.method.clone().unwrap_or_else(|| usual.to_owned());
    let mut exchange = Exchange { method: method.to_lowercase(), ..Exchange::default() };
    let mut url = if url.contains("://") || url.starts_with("$(") { url.to_owned() } else { format!("http://{url}") };
    if url.contains(['[', '{']) && !url.contains("://[") {
        build.lose(short(&url, 80), "curl would make several addresses of its brackets; it stands as it is", "");
    }
    if let Some(leaf) = options.upload.as_deref().and_then(|path| path.rsplit('/').next())
        && url.ends_with('/')
    {
        // So does curl.
        url += &urls::encoded(leaf);
    }
    if options.is_get && !options.data.is_empty() {
        url += if url.contains('?') { "&" } else { "?" };
        url += &options.data.join("&");
    }
    if !build.address(&url, &mut exchange) {
        return None;
    }
    for header in &options.headers {
        match header.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("cookie") => cookie(value, &mut exchange, build),
            Some((name, value)) => build.header(name, value, &mut exchange),
            None => build.lose(format!("the header `{}`", short(header, 40)), "it has no `:`", ""),
        }
    }
    for value in &options.cookies {
        if value.contains('=') {
            cookie(value, &mut exchange, build);
        } else {
            build.lose(
                format!("-b {}", short(value, 40)),
                "a file of cookies is not read; cookies that an answer sets are kept by themselves",
                "",
            );
        }
    }
    if let Some(user) = &options.user {
        build.basic(user, &mut exchange);
    }
    if let Some(token) = &options.bearer {
        build.bearer(token, &mut exchange);
    }
    let has_type = exchange.headers.iter().any(|(name, _)| name == "content-type");
    if options.is_json {
        if !has_type {
            exchange.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        if !exchange.headers.iter().any(|(name, _)| name == "accept") {
            exchange.headers.push(("accept".to_owned(), "application/json".to_owned()));
        }
    } else if has_body && !has_type && !options.is_get && options.upload.is_none() {
        exchange.headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
    }
    if !options.parts.is_empty() {
        exchange.headers.retain(|(name, _)| name != "content-type");
        exchange.body = Body::Multipart(options.parts.clone());
    } else if let Some(file) = options.file.clone().filter(|_| !options.is_get) {
        exchange.body = Body::File(file, false);
        if !options.data.is_empty() {
            build.lose("-d", "text beside a file is not sent", "put both into one file");
        }
    } else if has_body && !options.is_get {
        build.body(&options.data.join("&"), &mut exchange);
    }
    if options.is_insecure && url.starts_with("https") {
        exchange.keys.push(("tls".to_owned(), "{ insecure: true }".to_owned()));
    } else if let Some((key, path)) = options.tls.first().filter(|_| url.starts_with("https")) {
        exchange.keys.push(("tls".to_owned(), format!("{{ {key}: {} }}", crate::emit::scalar(path))));
    }
    exchange.keys.extend(options.keys.iter().cloned());
    if !options.follows {
        exchange.keys.push(("follow".to_owned(), "no".to_owned()));
    }
    if let Some(seconds) = options.timeout.filter(|seconds| *seconds >= 0.001 && *seconds < 3600.0) {
        exchange.timeout = Some(crate::text::duration(seconds));
    }
    let path = exchange.url.split_once(".url)").map_or("/", |(_, path)| path).to_owned();
    let what = format!("{} {}", method.to_uppercase(), short(&path, 80));
    let name = build.exchange(exchange, &names::of_request(&method, &path))?;
    if options.is_get && options.file.is_some() {
        build.lose(format!("the file of {what}"), "with -G it belongs to the address", "write it in the URL");
        return None;
    }
    if options.missing.is_empty() {
        return Some(name);
    }
    build.lose(
        what,
        "its body needs a file that was not found; it is written as an exchange, and stands in no `run`",
        format!("name the file in the exchange `{name}`, and put the exchange into `run`"),
    );
    None
}

/// A cookie that is written out is a credential.
fn cookie(value: &str, exchange: &mut Exchange, build: &mut Build<'_>) {
    let names: Vec<&str> =
        value.split(';').filter_map(|pair| pair.trim().split_once('=')).map(|(name, _)| name).collect();
    let about = format!("the header `Cookie`: {}", literal(&short(&names.join(", "), 80)));
    let secret = build.secret("COOKIE", value.trim(), &about);
    exchange.headers.retain(|(name, _)| name != "cookie");
    exchange.headers.push(("cookie".to_owned(), secret));
}
