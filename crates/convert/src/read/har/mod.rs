//! Recordings of browsers and proxies (HTTP Archive).

mod correlate;

use crate::build::Build;
use crate::draft::{Body, Exchange, Part, Step};
use crate::read::gentle;
use crate::text::{duration, literal, short};
use crate::value::Value;
use crate::{json, names, urls};
use std::collections::BTreeMap;

/// Entries that are read; a longer recording is cut, and told.
const ENTRIES_MAX: usize = 5000;
/// A gap longer than this between two calls is somebody who thinks.
const PAUSE: f64 = 1.0;
/// Nobody in a test waits longer.
const THINK_MAX: f64 = 60.0;

/// A call that is carried over.
pub(super) struct Call {
    pub(super) name: String,
    page: String,
    /// Seconds since an arbitrary moment.
    started: f64,
    ended: f64,
    is_asset: bool,
    /// The place of its request in the list of entries.
    pub(super) entry: usize,
    /// That of its answer, which is another one where redirects were followed.
    pub(super) answer: usize,
}

pub(crate) fn read(source: &str, build: &mut Build<'_>) -> Result<(), String> {
    let root = json::parse(source)?;
    let log = root.get("log").ok_or("it has no `log`")?;
    let mut entries: Vec<&Value> = log.get("entries").ok_or("`log` has no `entries`")?.list().iter().collect();
    build.draft.seen = entries.len();
    build.draft.about = "A recording of a browser or a proxy".to_owned();
    if entries.len() > ENTRIES_MAX {
        build.lose(
            format!("{} entries", entries.len() - ENTRIES_MAX),
            format!("of a recording {ENTRIES_MAX} entries are read"),
            "cut it",
        );
        entries.truncate(ENTRIES_MAX);
    }
    let is_timed = entries.iter().all(|entry| moment(entry.text_of("startedDateTime")).is_some());
    if is_timed {
        entries.sort_by(|a, b| start(a).total_cmp(&start(b)));
    }
    let site = own_site(&entries);
    let mut calls: Vec<Call> = Vec::new();
    let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut leave_out =
        |why: &str, hint: &str, what: String| groups.entry((why.to_owned(), hint.to_owned())).or_default().push(what);
    let mut redirected: Option<String> = None;
    for (index, entry) in entries.iter().enumerate() {
        let Some(request) = entry.get("request") else { continue };
        let (method, url) = (request.text_of("method").to_uppercase(), request.text_of("url"));
        build.place = format!("entry {}", index + 1);
        let what = format!("{method} {}", short(&literal(url.split('?').next().unwrap_or(url)), 80));
        let Some(address) = urls::split(&literal(url)) else {
            leave_out("this is not HTTP", "", what);
            continue;
        };
        let host = urls::host_of(&address.origin).to_owned();
        let is_wanted = build.choices.hosts.iter().any(|wanted| wanted == "*" || *wanted == host);
        if urls::site_of(&host) != site && !is_wanted {
            leave_out(
                "the host is another one than the recording's own, and load goes to no stranger",
                "if it is yours: `new --from … --host HOST`",
                host,
            );
            continue;
        }
        let status = entry.at(&["response", "status"]).and_then(Value::number).unwrap_or(0.0) as u16;
        if redirected.take().is_some_and(|target| target == url) && method == "GET" {
            // The call that led here follows the redirect itself.
            if let Some(last) = calls.last_mut() {
                last.ended = end(entry);
                follow_status(build, &last.name, status);
                last.answer = index;
            }
            if (300..400).contains(&status) {
                redirected = target_of(entry, url);
            }
            continue;
        }
        if method == "OPTIONS" && header(request, "access-control-request-method").is_some() {
            leave_out("a browser asks beforehand whether it may (CORS); the study does not", "", what);
            continue;
        }
        if header(request, "upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket")) || status == 101 {
            leave_out(
                "a WebSocket is a connection that is held open",
                "write it as `ws.talk`, see the README of driver-ws",
                what,
            );
            continue;
        }
        let is_asset = method == "GET" && is_asset(url, entry);
        if is_asset && !build.choices.assets {
            leave_out(
                "pictures, style sheets, scripts and fonts are fetched by a browser and kept in its cache",
                "to have them in parallel behind their page: `new --from … --assets`",
                what,
            );
            continue;
        }
        let name =
            if status == 0 { unanswered(&entries, entry, build) } else { call(request, &method, url, status, build) };
        if let Some(name) = name {
            let page = entry.text_of("pageref").to_owned();
            calls.push(Call {
                name,
                page,
                started: start(entry),
                ended: end(entry),
                is_asset,
                entry: index,
                answer: index,
            });
        }
        redirected = (300..400).contains(&status).then(|| target_of(entry, url)).flatten();
    }
    build.place = String::new();
    for ((why, hint), mut members) in groups {
        members.sort();
        let count = members.len();
        members.dedup();
        let shown: Vec<&str> = members.iter().take(5).map(String::as_str).collect();
        let more = if members.len() > 5 { ", …" } else { "" };
        build.lose(format!("{count} requests: {}{more}", shown.join(", ")), why, hint);
    }
    cookies(&entries, &calls, build);
    correlate::correlate(&entries, &calls, build);
    let run = flow(&calls, log, is_timed, build);
    build.close();
    let name = build.names.give("steady", "load");
    build.draft.scenarios.push(gentle(name, run));
    Ok(())
}

/// The site of the first page, or of the first call: that of most calls may be a stranger's.
fn own_site(entries: &[&Value]) -> String {
    let is_page = |entry: &&&Value| {
        let kind = entry.at(&["response", "content", "mimeType"]).and_then(Value::text).unwrap_or_default();
        entry.at(&["response", "status"]).and_then(Value::number) == Some(200.0) && kind.contains("html")
    };
    let first = entries.iter().find(is_page).or(entries.first());
    let url = first.and_then(|entry| entry.at(&["request", "url"])).and_then(Value::text).unwrap_or_default();
    urls::split(&literal(url)).map_or_else(String::new, |address| urls::site_of(urls::host_of(&address.origin)))
}

fn header<'a>(message: &'a Value, name: &str) -> Option<&'a str> {
    let all = message.get("headers").map_or(&[][..], Value::list);
    all.iter().find(|header| header.text_of("name").eq_ignore_ascii_case(name)).map(|header| header.text_of("value"))
}

fn target_of(entry: &Value, url: &str) -> Option<String> {
    let response = entry.get("response")?;
    let written = response.text_of("redirectURL");
    let target = if written.is_empty() { header(response, "location")? } else { written };
    if target.contains("://") {
        return Some(target.to_owned());
    }
    let origin = urls::split(url)?.origin;
    target.starts_with('/').then(|| format!("{origin}{target}"))
}

fn is_asset(url: &str, entry: &Value) -> bool {
    const ENDS: [&str; 22] = [
        "css", "js", "mjs", "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "avif", "woff", "woff2", "ttf", "eot",
        "otf", "map", "mp4", "webm", "mp3", "wasm", "bmp",
    ];
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let leaf = path.rsplit('/').next().unwrap_or_default();
    let end = leaf.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    let kind = entry.at(&["response", "content", "mimeType"]).and_then(Value::text).unwrap_or_default();
    let is_kind =
        ["image/", "font/", "text/css", "javascript", "video/", "audio/", "font-"].iter().any(|it| kind.contains(it));
    // What is named like a script and answers JSON is none.
    (ENDS.contains(&end.as_str()) && !kind.contains("json") && !kind.contains("html")) || is_kind
}

/// A request that was cancelled or blocked, or whose server was not reached. Where the same was answered at another time,
/// that exchange stands for it.
fn unanswered(entries: &[&Value], entry: &Value, build: &mut Build<'_>) -> Option<String> {
    let request = entry.get("request")?;
    let key = |request: &Value| {
        let body = request.at(&["postData", "text"]).and_then(Value::text).unwrap_or_default().to_owned();
        (request.text_of("method").to_uppercase(), request.text_of("url").to_owned(), body)
    };
    let wanted = key(request);
    let status_of = |entry: &Value| entry.at(&["response", "status"]).and_then(Value::number).unwrap_or(0.0) as u16;
    let answered = entries.iter().find_map(|other| {
        let status = status_of(other);
        let request = other.get("request").filter(|request| (200..600).contains(&status) && key(request) == wanted)?;
        Some((request, status))
    });
    let (method, url, _) = &wanted;
    let what = format!("{method} {}", short(&literal(url.split('?').next().unwrap_or(url)), 80));
    match answered {
        Some((request, status)) => {
            build.lose(
                what,
                "it was never answered when it was recorded; the exchange of the same request that was answered stands for it",
                "take it out of `run` where a browser had cancelled it",
            );
            call(request, method, url, status, build)
        }
        None => {
            build.lose(
                what,
                "it was never answered when it was recorded (cancelled, blocked, or its server was not reached), so its \
                 exchange has no `check`",
                "write its `check`, or take it out of `run`",
            );
            call(request, method, url, 0, build)
        }
    }
}

fn call(request: &Value, method: &str, url: &str, status: u16, build: &mut Build<'_>) -> Option<String> {
    let mut exchange = Exchange { method: method.to_lowercase(), ..Exchange::default() };
    if !build.address(&literal(url), &mut exchange) {
        return None;
    }
    for header in request.get("headers").map_or(&[][..], Value::list) {
        let (name, value) = (header.text_of("name"), header.text_of("value"));
        if !name.eq_ignore_ascii_case("cookie") && !name.starts_with(':') {
            build.header(name, &literal(value), &mut exchange);
        }
    }
    if let Some(data) = request.get("postData") {
        post_data(data, &mut exchange, build);
    }
    let path = exchange.url.split_once(".url)").map_or("/", |(_, path)| path).to_owned();
    match status {
        200..=299 => {
            exchange.checks.push(format!("status = {status}"));
            let fixed = method == "GET" && !path.contains("$(");
            let var = exchange.url.trim_start_matches("$(").split('.').next().unwrap_or_default().to_owned();
            if let Some(server) = build.draft.servers.iter_mut().find(|server| server.var == var && fixed) {
                server.answered.get_or_insert((path.clone(), status));
            }
        }
        304 => exchange.checks.push("status = 200".to_owned()),
        400..=599 => {
            exchange.checks.push(format!("status = {status}"));
            build.lose(
                format!("{method} {}", short(&path, 60)),
                "it failed when it was recorded, and is right if it fails so again",
                "correct its `check` if it should succeed",
            );
        }
        _ => {}
    }
    build.exchange(exchange, &names::of_request(method, &path))
}

fn follow_status(build: &mut Build<'_>, name: &str, status: u16) {
    if let Some(exchange) = build.taken(name)
        && (200..300).contains(&status)
    {
        let check = format!("status = {status}");
        if !exchange.checks.contains(&check) {
            exchange.checks = vec![check];
        }
    }
}

fn post_data(data: &Value, exchange: &mut Exchange, build: &mut Build<'_>) {
    let kind = data.text_of("mimeType");
    let has_type = exchange.headers.iter().any(|(name, _)| name == "content-type");
    if !has_type && !kind.is_empty() {
        build.header("content-type", &literal(kind), exchange);
    }
    let params = data.get("params").map_or(&[][..], Value::list);
    let text = data.text_of("text");
    if kind.starts_with("multipart/") {
        multipart(kind, params, text, exchange, build);
    } else if text.is_empty() && !params.is_empty() {
        // Recordings have them percent-encoded, or not.
        let fields = params.iter().map(|param| {
            let plain = |key: &str| literal(&urls::decoded(param.text_of(key), true));
            (plain("name"), plain("value"))
        });
        build.form(fields.collect(), exchange);
    } else if data.text_of("encoding") == "base64" || text.contains('\u{fffd}') {
        build.lose(
            "the body",
            "it is not a text, and recordings keep none that is whole",
            "put it into a file: `file: …`",
        );
    } else {
        build.body(&literal(text), exchange);
    }
}

fn multipart(kind: &str, params: &[Value], text: &str, exchange: &mut Exchange, build: &mut Build<'_>) {
    let mut parts = Vec::new();
    for param in params {
        let name = literal(param.text_of("name"));
        if !param.text_of("fileName").is_empty() {
            build.lose(
                format!("the file `{}`", short(param.text_of("fileName"), 60)),
                "a recording does not hold the files of an upload",
                "put it beside the study: `multipart: { NAME: { file: … } }`",
            );
            continue;
        }
        let value = build.field_without_credential(&name, literal(param.text_of("value")));
        parts.push((name, Part::Text(value, None)));
    }
    if parts.is_empty() && !text.is_empty() {
        let boundary = kind.split("boundary=").nth(1).unwrap_or_default().trim_matches('"').to_owned();
        for part in text.split(&format!("--{boundary}")).filter(|_| !boundary.is_empty()) {
            let Some((head, value)) = part.split_once("\r\n\r\n").or(part.split_once("\n\n")) else { continue };
            let name = head.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
            if head.contains("filename=") {
                build.lose(
                    format!("the file of the field `{}`", short(name, 60)),
                    "a recording does not hold the files of an upload",
                    "put it beside the study: `multipart: { NAME: { file: … } }`",
                );
            } else if !name.is_empty() {
                let value = value.trim_end_matches(['\r', '\n']);
                let value = build.field_without_credential(name, literal(value));
                parts.push((literal(name), Part::Text(value, None)));
            }
        }
    }
    if parts.is_empty() {
        build.lose("the body", "no field of this form is in the recording", "write it as `multipart: { … }`");
        return;
    }
    exchange.headers.retain(|(name, _)| name != "content-type");
    exchange.body = Body::Multipart(parts);
}

/// Cookies that answers set come back by themselves. Those that were there before the recording are reported.
fn cookies(entries: &[&Value], calls: &[Call], build: &mut Build<'_>) {
    let mut set: Vec<String> = Vec::new();
    let mut strange: Vec<String> = Vec::new();
    let mut next = 0;
    for (index, entry) in entries.iter().enumerate() {
        while calls.get(next).is_some_and(|call| call.entry < index) {
            next += 1;
        }
        if calls.get(next).is_none_or(|call| call.entry != index) {
            continue;
        }
        if let Some(line) = entry.get("request").and_then(|request| header(request, "cookie")) {
            for pair in line.split(';') {
                let name = pair.trim().split('=').next().unwrap_or_default().to_owned();
                if !name.is_empty() && !set.contains(&name) && !strange.contains(&name) {
                    strange.push(name);
                }
            }
        }
        for header in entry.at(&["response", "headers"]).map_or(&[][..], Value::list) {
            if header.text_of("name").eq_ignore_ascii_case("set-cookie") {
                let lines = header.text_of("value").split('\n');
                set.extend(lines.filter_map(|line| line.split('=').next()).map(|name| name.trim().to_owned()));
            }
        }
    }
    if !strange.is_empty() {
        let shown: Vec<String> = strange.iter().take(8).map(|name| short(name, 30)).collect();
        let more = if strange.len() > 8 { ", …" } else { "" };
        build.lose(
            format!("cookies that were there before the recording: {}{more}", shown.join(", ")),
            "no answer of the recording sets them, so the study does not send them",
            "record from a fresh window, with the login; or write `headers: { cookie: $(secret.COOKIE) }`",
        );
    }
}

/// Pages are transactions, gaps are think times, and what pages consist of is fetched in parallel.
fn flow(calls: &[Call], log: &Value, is_timed: bool, build: &mut Build<'_>) -> Vec<Step> {
    let pages = log.get("pages").map_or(&[][..], Value::list);
    let mut run: Vec<Step> = Vec::new();
    let mut at = 0;
    let mut ended = f64::NAN;
    let mut given: BTreeMap<String, String> = BTreeMap::new();
    while at < calls.len() {
        let page = &calls[at].page;
        let count = calls[at..].iter().take_while(|call| call.page == *page).count();
        let group = &calls[at..at + count];
        let mut steps = Vec::new();
        let mut assets: Vec<String> = Vec::new();
        let mut outside = Vec::new();
        for call in group {
            let gap = call.started - ended;
            if is_timed && gap >= PAUSE {
                flush(&mut assets, &mut steps);
                let think = Step::Think(duration((gap.min(THINK_MAX) * 10.0).round() / 10.0));
                if steps.is_empty() { outside.push(think) } else { steps.push(think) }
            }
            ended = if ended.is_nan() { call.ended } else { ended.max(call.ended) };
            if call.is_asset {
                if !assets.contains(&call.name) {
                    assets.push(call.name.clone());
                }
            } else {
                flush(&mut assets, &mut steps);
                steps.push(Step::Call(call.name.clone()));
            }
        }
        flush(&mut assets, &mut steps);
        let title = pages.iter().find(|it| it.text_of("id") == page).map(|it| it.text_of("title"));
        run.extend(outside);
        match title {
            Some(title) if steps.len() > 1 => {
                let name = given.entry(page.clone()).or_insert_with(|| {
                    let words =
                        urls::split(title).map_or_else(|| title.to_owned(), |it| names::of_request("GET", &it.path));
                    build.names.give(&format!("page {words}"), "page")
                });
                run.push(Step::Transaction(name.clone(), steps));
            }
            _ => run.extend(steps),
        }
        at += count;
    }
    run
}

fn flush(assets: &mut Vec<String>, steps: &mut Vec<Step>) {
    match assets.len() {
        0 => {}
        1 => steps.push(Step::Call(assets.remove(0))),
        _ => steps.push(Step::Parallel(std::mem::take(assets), 6)),
    }
}

fn start(entry: &Value) -> f64 {
    moment(entry.text_of("startedDateTime")).unwrap_or(0.0)
}

fn end(entry: &Value) -> f64 {
    start(entry) + entry.get("time").and_then(Value::number).unwrap_or(0.0).clamp(0.0, 3_600_000.0) / 1000.0
}

/// Seconds of a time such as `2024-05-01T10:00:00.123+02:00`, since an arbitrary moment.
fn moment(text: &str) -> Option<f64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(at);
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let offset = match zone.get(1..) {
        Some(zone) if zone.len() >= 4 => {
            let sign = if text[..].contains('+') { 1.0 } else { -1.0 };
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let number: f64 = digits.parse().ok()?;
            sign * ((number / 100.0).floor() * 3600.0 + (number % 100.0) * 60.0)
        }
        _ => 0.0,
    };
    // Days of the civil calendar.
    let shifted = if month <= 2 { year.checked_sub(1)? } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2).checked_div(5)? + day - 1;
    let days = era.checked_mul(146_097)? + of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    let seconds = days as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second - offset;
    seconds.is_finite().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_lie_as_far_apart_as_they_should() {
        let apart = |a: &str, b: &str| moment(b).unwrap() - moment(a).unwrap();
        assert_eq!(apart("2024-02-28T23:59:59.500Z", "2024-03-01T00:00:00Z"), 86_400.5);
        assert_eq!(apart("2024-05-01T10:00:00+02:00", "2024-05-01T09:00:00Z"), 3600.0);
        assert_eq!(apart("2024-05-01T10:00:00Z", "2024-05-01T05:00:01-05:00"), 1.0);
        assert_eq!(moment("yesterday"), None);
    }
}
