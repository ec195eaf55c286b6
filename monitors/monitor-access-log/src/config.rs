//! The monitor's part of a study: where the logs are, how a line reads, in which unit durations stand.

use access_lines::{Format, JsonFields, NAMED, Pattern};
use contract::{BuildContext, INSTANCE_NAME, Keys, Mistake, Mistakes, MonitorSettings, Node, suggestion};
use std::path::PathBuf;

/// Routes that one monitor may list.
const ROUTES_MAX: usize = 64;

/// Units of durations: the word, and how many there are in a second.
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)];

/// When a call counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    /// As its line says.
    Logged,
    /// When its line was read.
    Read,
}

/// What a study says of access logs.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Instances with their files.
    pub(crate) logs: Vec<(String, PathBuf)>,
    pub(crate) format: Format,
    /// The format as it was written.
    pub(crate) shown: String,
    /// How many of its units of duration a second has, where the format leaves that open.
    pub(crate) a_second: f64,
    pub(crate) times: Times,
    routes: Vec<Route>,
}

/// Routes that count.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Route {
    Whole(String),
    /// Everything that begins so: `/minlog/*`.
    Begin(String),
}

impl Config {
    /// Whether calls on this route count.
    pub(crate) fn is_wanted(&self, route: Option<&str>) -> bool {
        let is_it = |known: &Route| match (known, route) {
            (Route::Whole(whole), Some(route)) => whole == route,
            (Route::Begin(begin), Some(route)) => route.starts_with(begin),
            (_, None) => false,
        };
        self.routes.is_empty() || self.routes.iter().any(is_it)
    }

    /// The unit of its durations.
    pub(crate) fn unit(&self) -> &'static str {
        let a_second = match &self.format {
            Format::Pattern(pattern) => pattern.duration().flatten().unwrap_or(self.a_second),
            Format::Json(_) => self.a_second,
        };
        UNITS.iter().find(|(_, scale)| *scale == a_second).map_or("s", |(word, _)| word)
    }
}

/// Reads the settings; opens no file.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let logs = keys.need("file", &mut mistakes).map(|node| logs(node, settings, context, &mut mistakes));
    let written = keys.need("format", &mut mistakes);
    let fields = keys.take("fields").filter(|node| !node.is_missing());
    let format = written.and_then(|node| format(node, fields, context, &mut mistakes));
    let unit = keys.take("unit").filter(|node| !node.is_missing());
    let a_second = unit.and_then(|node| mistakes.keep(unit_of(node)));
    if let Some((format, _)) = &format {
        check_unit(format, written, unit.zip(a_second), &mut mistakes);
    }
    let routes = keys.take("route").map(|node| routes(node, context, &mut mistakes)).unwrap_or_default();
    let times = keys.take("times").and_then(|node| mistakes.keep(times(node)));
    keys.finish(&mut mistakes);
    mistakes.into_result()?;
    let (format, shown) = format.expect("invariant: without a format there is a mistake");
    Ok(Config {
        logs: logs.unwrap_or_default(),
        format,
        shown,
        a_second: a_second.unwrap_or(1.0),
        times: times.unwrap_or(Times::Logged),
        routes,
    })
}

/// A file for each instance.
fn logs(
    node: &Node,
    settings: &MonitorSettings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<(String, PathBuf)> {
    let Some(text) = mistakes.keep(node.as_text("`file`")) else { return Vec::new() };
    if !text.contains(INSTANCE_NAME) && settings.instances.len() > 1 {
        let what = format!("{} instances would share one `file`", settings.instances.len());
        mistakes.push(
            Mistake::at(node.place, "access_log::shared-file", what)
                .label("write `$(instance)` where their names differ, such as `logs/$(instance).log`")
                .hint("or watch one of them: `of: [NAME]`"),
        );
        return Vec::new();
    }
    let mut logs = Vec::new();
    for instance in &settings.instances {
        let named = MonitorSettings::of_instance(node, &instance.name);
        let Some(path) = mistakes.keep(context.text(&named, "`file`")) else { break };
        logs.push((instance.name.clone(), context.base().join(path)));
    }
    logs
}

fn format(
    node: &Node,
    fields: Option<&Node>,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Option<(Format, String)> {
    let text = mistakes.keep(context.text(node, "`format`"))?;
    if text == "json" {
        let Some(fields) = fields else {
            mistakes.push(
                Mistake::at(node.place, "access_log::fields", "a log of JSON objects needs the names of its fields")
                    .label("add `fields: { time: …, route: …, status: …, duration: … }`"),
            );
            return None;
        };
        return json(fields, context, mistakes).map(|fields| (Format::Json(fields), text));
    }
    if let Some(fields) = fields {
        mistakes.push(
            Mistake::at(fields.place, "access_log::fields", "`fields` are those of a JSON object")
                .label("write `format: json`, or remove this"),
        );
    }
    let names = NAMED.map(|(name, _)| name);
    match Pattern::read(&text) {
        Ok(pattern) => Some((Format::Pattern(pattern), text)),
        Err((why, hint)) => {
            let mistake = Mistake::at(node.place, "access_log::pattern", why);
            // A single word was meant as a name.
            let near = suggestion(&text, names.into_iter().chain(["json"])).filter(|_| !text.contains(['%', '$']));
            mistakes.push(match near {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake.label(hint),
            }.hint(format!("possible are {}, json, each with more behind it, and a pattern of Apache, Tomcat, Undertow or nginx", names.join(", "))));
            None
        }
    }
}

fn json(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Option<JsonFields> {
    let mut keys = Keys::of(node, "`fields`", mistakes);
    let mut take = |key: &'static str, mistakes: &mut Mistakes| {
        let node = keys.take(key).filter(|node| !node.is_missing())?;
        mistakes.keep(context.text(node, &format!("field `{key}`")))
    };
    let fields = JsonFields {
        time: take("time", mistakes),
        route: take("route", mistakes),
        status: take("status", mistakes),
        duration: take("duration", mistakes),
        bytes: take("bytes", mistakes),
    };
    keys.finish(mistakes);
    if fields.duration.is_none() && fields.status.is_none() && fields.bytes.is_none() {
        mistakes.push(
            Mistake::at(node.place, "access_log::fields", "`fields` has neither a duration nor a status nor a size")
                .label("write `{ time: ts, status: code, duration: took }` with the log's own names"),
        );
        return None;
    }
    Some(fields)
}

fn unit_of(node: &Node) -> Result<f64, Mistake> {
    let text = node.as_text("`unit`")?;
    UNITS.iter().find(|(word, _)| *word == text).map(|(_, scale)| *scale).ok_or_else(|| {
        let what = format!("`{}` is not a unit of durations", text.escape_debug());
        Mistake::at(node.place, "study::unknown-word", what).label("write `s`, `ms`, `us` or `ns`")
    })
}

/// A duration's unit is known from the format or from the study, never from neither, and never from both differently.
fn check_unit(format: &Format, written: Option<&Node>, unit: Option<(&Node, f64)>, mistakes: &mut Mistakes) {
    let own = match format {
        Format::Pattern(pattern) => pattern.duration(),
        Format::Json(_) => format.has_duration().then_some(None),
    };
    match (own, unit) {
        (Some(None), None) => {
            let of = match format {
                Format::Pattern(_) => "`%D` is of no certain unit",
                Format::Json(_) => "the duration has no unit",
            };
            let place = written.map(|node| node.place).unwrap_or_default();
            mistakes.push(
                Mistake::at(place, "access_log::unit", of)
                    .label("add `unit: us` or `unit: ms`")
                    .hint("`%D` is microseconds in Apache and in Tomcat from 10 on, milliseconds in older Tomcats and in Undertow"),
            );
        }
        (Some(Some(own)), Some((node, unit))) if own != unit => {
            let own = UNITS.iter().find(|(_, scale)| *scale == own).map_or("s", |(word, _)| word);
            let what = format!("the pattern has its durations in `{own}`");
            mistakes
                .push(Mistake::at(node.place, "access_log::unit", what).label("remove this, or change the pattern"));
        }
        (None, Some((node, _))) => {
            mistakes.push(
                Mistake::at(node.place, "access_log::unit", "the format has no duration whose unit this could be")
                    .label("remove this, or add the duration to `format`, such as `common %D`"),
            );
        }
        _ => {}
    }
}

fn routes(node: &Node, context: &BuildContext<'_>, mistakes: &mut Mistakes) -> Vec<Route> {
    let members = node.list().unwrap_or_else(|| std::slice::from_ref(node));
    if members.len() > ROUTES_MAX {
        let what = format!("`route` has {} members; at most {ROUTES_MAX} are possible", members.len());
        mistakes.push(Mistake::at(node.place, "study::out-of-range", what));
    }
    let mut routes = Vec::new();
    for member in members.iter().take(ROUTES_MAX) {
        let Some(text) = mistakes.keep(context.text(member, "`route`")) else { continue };
        let begin = text.strip_suffix('*');
        if begin.unwrap_or(&text).contains(['*', '?']) || text.is_empty() {
            let what = format!("`{}` is not a route", text.escape_debug());
            mistakes.push(
                Mistake::at(member.place, "access_log::route", what)
                    .label("write a path, `/orders`, or how it begins, `/orders/*`"),
            );
            continue;
        }
        routes.push(begin.map_or_else(|| Route::Whole(text.clone()), |begin| Route::Begin(begin.to_owned())));
    }
    routes
}

fn times(node: &Node) -> Result<Times, Mistake> {
    match node.as_text("`times`")? {
        "logged" => Ok(Times::Logged),
        "read" => Ok(Times::Read),
        other => {
            let what = format!("`{}` is not a way to place calls in time", other.escape_debug());
            Err(Mistake::at(node.place, "study::unknown-word", what)
                .label("write `logged` (as each line says, the default) or `read` (when it is read)"))
        }
    }
}
