//! The monitor's part of a study: which pages, and what of them.

use crate::choice::{Choice, Of};
use crate::metrics::METRICS;
use contract::{
    BuildContext, INSTANCE_NAME, Keys, Mistake, Mistakes, MonitorSettings, NAMED_UNITS, Node, Place, one_of,
};
use http_wire::{TlsSettings, Url};

/// Values that one monitor may choose.
const VALUES_MAX: usize = 100;
/// Values of one label, and labels of one choice.
const WANTED_MAX: usize = 32;

/// A page of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) instance: String,
    pub(crate) is_tls: bool,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) authority: String,
    /// Path and query.
    pub(crate) target: String,
}

/// What a study says of metrics pages. It holds a secret, and is never shown.
pub(crate) struct Config {
    pub(crate) addresses: Vec<Address>,
    pub(crate) tls: TlsSettings,
    pub(crate) bearer: Option<String>,
    pub(crate) choices: Vec<Choice>,
}

/// Reads the settings; asks nobody.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let place = keys.place();
    let url = keys.take("url").filter(|node| !node.is_missing());
    let path = keys.take("path").filter(|node| !node.is_missing());
    let tls = TlsSettings::read(keys.take("tls"), context, &mut mistakes);
    let bearer = keys.take("bearer").and_then(|node| mistakes.keep(token(node, context)));
    let values = keys.need("values", &mut mistakes);
    keys.finish(&mut mistakes);
    if let (Some(_), Some(node)) = (url, path) {
        let what = "`url` is the whole address of a page, and leaves nothing to `path`";
        mistakes.push(Mistake::at(node.place, "prometheus::address", what).label("remove this, or `url`"));
    }
    let addresses = match url {
        Some(node) => by_url(node, settings, context, &mut mistakes),
        None => by_path(path, place, settings, context, &mut mistakes),
    };
    let choices = values.map(|node| choices(node, context, &mut mistakes)).unwrap_or_default();
    mistakes.into_result()?;
    Ok(Config { addresses, tls, bearer, choices })
}

fn token(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, "`bearer`")?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let what = "`bearer` has signs that no header may hold";
        return Err(Mistake::at(node.place, "prometheus::bearer", what).label("write `$(secret.NAME)`"));
    }
    Ok(text)
}

fn by_url(
    node: &Node,
    settings: &MonitorSettings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<Address> {
    let is_one = node.text().is_some_and(|text| !text.contains(INSTANCE_NAME));
    if is_one && settings.instances.len() > 1 {
        let what = format!("{} instances would share one page", settings.instances.len());
        mistakes.push(
            Mistake::at(node.place, "prometheus::address", what)
                .label("leave `url` out: each has `path` at its own address")
                .hint("or watch one of them: `of: [NAME]`"),
        );
        return Vec::new();
    }
    let of = |instance: &contract::Watched| {
        let node = MonitorSettings::of_instance(node, &instance.name);
        address(&instance.name, &context.text(&node, "`url`")?, node.place, context)
    };
    settings.instances.iter().map_while(|instance| mistakes.keep(of(instance))).collect()
}

fn by_path(
    path: Option<&Node>,
    place: Place,
    settings: &MonitorSettings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<Address> {
    let text = path.map_or(Some("/metrics".to_owned()), |node| mistakes.keep(context.text(node, "`path`")));
    let place = path.map_or(place, |node| node.place);
    let Some(path) = text else { return Vec::new() };
    if !path.starts_with('/') {
        let what = format!("`{}` is not the path of a page", path.escape_debug());
        mistakes.push(Mistake::at(place, "prometheus::address", what).label(format!("write `/{path}`")));
        return Vec::new();
    }
    let mut addresses = Vec::new();
    for instance in &settings.instances {
        let Some(base) = &instance.url else {
            let what = format!("`{}` has no address of its own", instance.name);
            mistakes.push(Mistake::at(place, "prometheus::address", what).label("name its page with `url: http://…`"));
            continue;
        };
        let base = origin(base);
        addresses.extend(mistakes.keep(address(&instance.name, &format!("{base}{path}"), place, context)));
    }
    addresses
}

/// An address without its path: `http://host:80` of `http://host:80/shop`.
fn origin(url: &str) -> &str {
    let from = url.find("://").map_or(0, |at| at + 3);
    url[from..].find('/').map_or(url, |end| &url[..from + end])
}

fn address(instance: &str, text: &str, place: Place, context: &BuildContext<'_>) -> Result<Address, Mistake> {
    let template = context.compile_text(text, &Node::text_at(place, text))?;
    let url = Url::read(&template, place)?;
    let target = url.target.as_fixed().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let target = target.ok_or_else(|| Mistake::at(place, "prometheus::address", "the page's address may not vary"))?;
    Ok(Address {
        instance: instance.to_owned(),
        is_tls: url.is_tls,
        host: url.host,
        port: url.port,
        authority: url.authority,
        target,
    })
}

fn choices(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<Choice> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`values` is {}, not a map", node.what()))
                .label("write `{ requests: { metric: http_requests_total, kind: counter } }`"),
        );
        return Vec::new();
    };
    if entries.is_empty() || entries.len() > VALUES_MAX {
        let what = format!("`values` has {} entries; from 1 to {VALUES_MAX} are possible", entries.len());
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", what).label("name what the study is about, and no more"),
        );
    }
    let mut found: Vec<Choice> = Vec::new();
    for (key, value) in entries.iter().take(VALUES_MAX) {
        let name = key.text().unwrap_or_default();
        if let Some(mistake) = bad_name(name, key.place, &found) {
            mistakes.push(mistake);
            continue;
        }
        found.extend(choice(name, value, context, mistakes));
    }
    found
}

fn bad_name(name: &str, place: Place, found: &[Choice]) -> Option<Mistake> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        let what = format!("`{}` cannot be the name of a value", name.escape_debug());
        return Some(Mistake::at(place, "study::bad-name", what).label("write letters, digits and `_`"));
    }
    let is_taken = METRICS.iter().any(|metric| metric.name == name) || found.iter().any(|known| known.name == name);
    is_taken.then(|| {
        Mistake::at(place, "study::duplicate-name", format!("there is a metric `{name}` already"))
            .label("choose another name")
    })
}

fn choice(name: &str, node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<Choice> {
    // A metric's name alone is a level.
    if node.text().is_some_and(|_| !node.is_missing()) {
        let metric = mistakes.keep(metric(node, context))?;
        return Some(Choice { name: name.into(), metric, of: Of::Gauge, only: Vec::new(), by: None });
    }
    let mut keys = Keys::of(node, format!("value `{name}`"), mistakes);
    let found = keys.need("metric", mistakes);
    let kind = keys.take("kind").filter(|node| !node.is_missing());
    let unit = keys.take("unit").filter(|node| !node.is_missing());
    let only = keys.take("where");
    let by = keys.take("by").filter(|node| !node.is_missing());
    keys.finish(mistakes);
    let of = kind.map_or(Some(Of::Gauge), |node| mistakes.keep(one_of(node, "`kind`", &KINDS)))?;
    if let Some(node) = unit {
        let unit = mistakes.keep(one_of(node, "`unit`", &NAMED_UNITS.map(|unit| (unit, unit))));
        if of == Of::Counter && unit == Some("share") {
            let what = "a share is a level, and never a count that only grows";
            mistakes
                .push(Mistake::at(node.place, "prometheus::unit", what).label("remove this, or write `kind: gauge`"));
        }
    }
    let only = only.map(|node| wanted(node, context, mistakes)).unwrap_or_default();
    let by = by.and_then(|node| mistakes.keep(context.text(node, "`by`")));
    let metric = mistakes.keep(metric(found?, context))?;
    Some(Choice { name: name.into(), metric, of, only, by })
}

const KINDS: [(&str, Of); 3] = [("gauge", Of::Gauge), ("counter", Of::Counter), ("mean", Of::Mean)];

fn metric(node: &Node, context: &BuildContext<'_>) -> Result<String, Mistake> {
    let text = context.text(node, "`metric`")?;
    let is_name = !text.is_empty() && text.len() <= 500 && !text.contains(['{', '}', '"', ' ', '\n', '=', '(']);
    if is_name {
        return Ok(text);
    }
    let what = format!("`{}` is not the name of a metric", text.escape_debug());
    Err(Mistake::at(node.place, "prometheus::metric", what)
        .label("write the name as it stands on the page, without braces")
        .hint("labels go to `where: { code: \"5*\" }`; queries such as `rate(…)` are not understood: a rule has `rate(shop.requests)`"))
}

fn wanted(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<(String, Vec<String>)> {
    let Some(entries) = node.map().filter(|entries| entries.len() <= WANTED_MAX) else {
        let what = format!("`where` is {}, not a map of at most {WANTED_MAX} labels", node.what());
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", what).label("write `{ code: \"5*\", method: [get, head] }`"),
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in entries {
        let label = key.text().unwrap_or_default().to_owned();
        let members = value.list().unwrap_or_else(|| std::slice::from_ref(value));
        let what = format!("label `{label}`");
        let values: Vec<String> = members
            .iter()
            .take(WANTED_MAX)
            .filter_map(|member| match member.text() {
                // A label that must be missing is written as an empty text.
                Some("") => Some(String::new()),
                _ => mistakes.keep(context.text(member, &what)),
            })
            .collect();
        if members.len() > WANTED_MAX {
            let what = format!("{what} has {} values; at most {WANTED_MAX} are possible", members.len());
            mistakes.push(Mistake::at(value.place, "study::out-of-range", what).label("write how they begin: `5*`"));
        }
        found.push((label, values));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_looked_for_at_the_root_of_an_address() {
        assert_eq!(origin("http://127.0.0.1:80/shop/x"), "http://127.0.0.1:80");
        assert_eq!(origin("https://a"), "https://a");
    }
}
