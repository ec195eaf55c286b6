//! What is done with the two pages of a run, in order: opened, filled, cut off, left open, over.

use super::browser::{Browser, Said};
use super::checks::Checks;
use super::frames::{COUNTS, LEVELS, sums, wrong};
use super::relay::Relay;
use super::run::Run;
use super::witness::Witness;
use super::{open, probe, results};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Until something shows: seconds come two or three late, and machines are busy.
const SHOWING: Duration = Duration::from_secs(60);
/// Until a run that is to end is judged.
const JUDGING: Duration = Duration::from_secs(300);
/// Until a cut-off shows; a second comes every second.
const LOSING: Duration = Duration::from_secs(15);
/// How far the rate of a whole load may be off the planned one: seconds at both ends are not full.
const RATE_OFF_MAX: f64 = 0.03;
/// Seconds of load that are drawn before figures are looked at.
const SECONDS_MIN: usize = 8;
/// Seconds that may be on their way to a page.
const LAG: i64 = 3;
/// What a page has got, the plain reader has got that much later at most.
const BEHIND: Duration = Duration::from_millis(500);
/// How long pages are cut off.
const SHORT_CUT: Duration = Duration::from_secs(5);
const LONG_CUT: Duration = Duration::from_secs(15);

/// A page in a browser, with its way there.
pub(super) struct View {
    name: &'static str,
    pub(super) browser: Browser,
    pub(super) way: Relay,
}

impl View {
    /// Opens the page by its own way; with the token one may end the run.
    fn open(name: &'static str, mut browser: Browser, way: Relay, token: &str) -> Result<Self> {
        browser.open(&format!("http://localhost:{}/{token}", way.address().port()))?;
        Ok(Self { name, browser, way })
    }

    /// Waits until it has all that was sent up to now; whether it came to that.
    fn catches_up(&mut self, witness: &Witness) -> Result<bool> {
        let newest = witness.read().sent.newest().unwrap_or_default();
        self.browser.comes_to(&format!("state !== null && (levels[0].at(-1)?.s ?? -9) >= {newest}"), SHOWING)
    }

    /// All its spans, level by level, and what is wrong with them.
    fn spans(&mut self, witness: &Witness, lag: i64) -> Result<(Vec<Vec<Value>>, Vec<String>)> {
        let levels: Vec<Vec<Value>> =
            serde_json::from_value(self.browser.ask("levels")?).context("the page has no levels")?;
        std::thread::sleep(BEHIND);
        let found = wrong(&levels, &witness.read().sent, lag);
        Ok((levels, found))
    }

    pub(super) fn has(&mut self, pill: &str) -> Result<bool> {
        let expression = format!("document.getElementById('connection').textContent.startsWith({})", json!(pill));
        self.browser.comes_to(&expression, if pill == LIVE { SHOWING } else { LOSING })
    }
}

/// What the page says of its connection.
pub(super) const LIVE: &str = "live";
const LOST: &str = "connection lost";

/// Everything that belongs to the run that is shown.
pub(super) struct Stages<'a> {
    pub(super) checks: &'a mut Checks,
    pub(super) run: Run,
    pub(super) witness: Witness,
    pub(super) first: View,
    second: Option<View>,
    rate: u32,
}

impl<'a> Stages<'a> {
    /// Opens the first page as the run begins, and looks whether it fills.
    pub(super) fn begin(
        checks: &'a mut Checks,
        run: Run,
        witness: Witness,
        browser: Browser,
        way: Relay,
        rate: u32,
    ) -> Result<Self> {
        let first = View::open("first page", browser, way, &format!("#{}", run.token))?;
        let mut own = Self { checks, run, witness, first, second: None, rate };
        let filled = format!("state !== null && levels[0].filter((frame) => frame.b[0] > 0).length >= {SECONDS_MIN}");
        own.first.browser.wait("the page fills", &filled, SHOWING)?;
        std::thread::sleep(Duration::from_secs(1));
        let shown = own.first.browser.ask(&probe("shown()"))?;
        let is_live = shown["connection"] == LIVE;
        own.checks.see("opened", is_live, format!("{}, {}", shown["connection"], shown["study"]));
        let said = texts(&own.first.browser.said);
        own.checks.see_none("opened: console", &said, "nothing thrown, no error");
        own.filled(&shown)?;
        Ok(own)
    }

    fn filled(&mut self, shown: &Value) -> Result<()> {
        let tiles = shown["tiles"].as_object().context("the page has no tiles")?;
        let empty: Vec<String> = tiles.iter().filter(|(_, text)| *text == "–").map(|(name, _)| name.clone()).collect();
        let told = tiles.iter().map(|(name, text)| format!("{name} {}", text.as_str().unwrap_or_default()));
        let told = told.collect::<Vec<_>>().join(", ");
        self.checks.see("filled: tiles", tiles.len() == 10 && empty.is_empty(), told);
        let undrawn = results::undrawn(&shown["charts"]);
        self.checks.see_none("filled: charts", &undrawn, "each has figures and lines in its colours");
        let other = results::other_than_drawn(shown);
        self.checks.see_none("filled: figures", &other, "tiles and lines are those of the newest second");
        self.checks.see("filled: calls and requirements", shown["rows"] != 0 && shown["verdicts"] != json!([]), {
            format!("{} rows of calls, requirements {}", shown["rows"], shown["verdicts"])
        });
        Ok(())
    }

    /// Opens the second page, in the middle of the run.
    pub(super) fn second(&mut self, browser: Browser, way: Relay) -> Result<()> {
        let mut second = View::open("second page", browser, way, "")?;
        second.browser.wait("the second page fills", "state !== null && charts.length > 0", SHOWING)?;
        second.catches_up(&self.witness)?;
        let (levels, found) = second.spans(&self.witness, LAG)?;
        let seconds = levels[0].len();
        self.checks.see_none("opened later", &found, format!("all {seconds} seconds so far"));
        let [may, may_not] =
            [&mut self.first, &mut second].map(|view| view.browser.ask(&probe("shown().mayEnd")).unwrap_or_default());
        let told = "buttons with the token, none without";
        self.checks.see("ending the run", may == true && may_not == false, told);
        self.second = Some(second);
        Ok(())
    }

    /// Cuts each page off, for a short and for a longer time, and has its network stand still.
    pub(super) fn reconnected(&mut self) -> Result<()> {
        let Self { checks, witness, first, second, .. } = self;
        for view in std::iter::once(first).chain(second.as_mut()) {
            for time in [SHORT_CUT, LONG_CUT] {
                cut_off(checks, witness, view, time)?;
            }
            view.way.hold(true);
            std::thread::sleep(LONG_CUT);
            view.way.hold(false);
            let what = format!("{}, nothing passed on for {} s", view.name, LONG_CUT.as_secs());
            let is_back = view.catches_up(witness)?;
            checks.see(&format!("{what}: goes on"), is_back, "");
            whole(checks, witness, view, &what)?;
        }
        Ok(())
    }

    /// Leaves both pages open, and looks at memory.
    pub(super) fn left_open(&mut self, time: Duration) -> Result<()> {
        let Self { checks, witness, first, second, run, .. } = self;
        let second = second.as_mut().context("there is a second page")?;
        open::left_open(checks, run.pid(), [&mut *first, &mut *second], time)?;
        for view in [first, second] {
            view.catches_up(witness)?;
            let (levels, found) = view.spans(witness, LAG)?;
            let kept: Vec<String> = levels.iter().map(|level| level.len().to_string()).collect();
            let told = format!("nothing missing, twice or altered in {} spans by level", kept.join(", "));
            checks.see_none(&format!("{}, left open: seconds", view.name), &found, told);
        }
        Ok(())
    }

    /// Ends the run from the first page, and holds what both show against what it came to.
    pub(super) fn over(self, folder: &Path) -> Result<Browser> {
        let Self { checks, mut run, witness, mut first, second, rate } = self;
        first.browser.ask("document.getElementById('drain').click()")?;
        let mut views = [Some(first), second];
        for view in views.iter_mut().flatten() {
            view.browser.wait("the run is over", "state.outcome != null", JUDGING)?;
        }
        let code = run.wait(JUDGING)?;
        std::thread::sleep(Duration::from_secs(1));
        let path = folder.join("result.json");
        let text = std::fs::read_to_string(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
        let result: Value = serde_json::from_str(&text)?;
        let ended = result["run"]["end_reason"] == "interrupted";
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        let told = format!("ended by {}, exit code {code}", result["run"]["end_reason"]);
        checks.see("drained from the page", ended, told);
        for view in views.iter_mut().flatten() {
            compare(checks, view, &witness, &result, f64::from(rate))?;
        }
        let read = witness.read();
        let told = format!("{} events, each second once", read.events);
        checks.see("the plain reader", read.sent.twice.is_empty() && read.events > 0, told);
        let [first, second] = views;
        if let Some(mut second) = second {
            let twice = second.browser.ask(&probe("brokenOff()"))?;
            checks.see(
                "events of a second that was broken off and came again",
                twice == 1,
                format!("there {twice} times"),
            );
        }
        first.map(|view| view.browser).context("there is a first page")
    }
}

/// Holds a page of a run that is over against its result.
fn compare(checks: &mut Checks, view: &mut View, witness: &Witness, result: &Value, rate: f64) -> Result<()> {
    let name = view.name;
    view.catches_up(witness)?;
    let (levels, found) = view.spans(witness, 0)?;
    checks.see_none(&format!("{name}, over: seconds"), &found, "nothing missing, twice or altered");
    let counts = results::counts(result);
    let (seconds, own) = sums(&levels).context("the page has the beginning of the run")?;
    let told: Vec<String> = COUNTS.iter().zip(own).map(|(name, count)| format!("{name} {count}")).collect();
    let told = format!("{} (by {seconds} s); result.json {counts:?}", told.join(", "));
    checks.see(&format!("{name}, over: counts"), own == counts && own[0] > 0, told);
    let whole =
        levels.iter().zip(LEVELS).find(|(_, (length, _))| *length == seconds).map_or(&[][..], |(level, _)| level);
    let [offered, ended] = results::per_s(whole).unwrap_or_default();
    let agrees = [offered, ended].iter().all(|of| (of - rate).abs() <= rate * RATE_OFF_MAX);
    let told = format!("{offered:.1}/s offered and {ended:.1}/s ended of {rate}/s planned");
    checks.see(&format!("{name}, over: rate"), agrees, told);
    let legs = view
        .browser
        .ask("state.legs.rows.reduce(([ok, failed], row) => [ok + row.ok, failed + row.failed], [0, 0])")?;
    let calls = results::calls(result);
    let told = format!("table {legs}, result.json {calls:?}");
    checks.see(&format!("{name}, over: calls that succeeded and failed"), legs == json!(calls), told);
    let shown = view.browser.ask(&probe("shown()"))?;
    let is_judged =
        shown["verdicts"].as_array().is_some_and(|all| !all.is_empty() && all.iter().all(|of| of != "waiting"));
    let is_told = shown["report"].as_str().is_some_and(|text| text.ends_with("report.html"));
    let told = format!("{}; {}", shown["verdicts"], shown["ending"]);
    checks.see(&format!("{name}, over: verdicts and report"), is_judged && is_told, told);
    let said: Vec<Said> = std::mem::take(&mut view.browser.said);
    let (cut, said): (Vec<Said>, Vec<Said>) = said.into_iter().partition(|said| said.is_network && said.is_cut);
    let told = format!("nothing thrown, no error but {} requests that came to nothing while cut off", cut.len());
    checks.see_none(&format!("{name}, over: console"), &texts(&said), told);
    Ok(())
}

fn cut_off(checks: &mut Checks, witness: &Witness, view: &mut View, time: Duration) -> Result<()> {
    let what = format!("{}, cut off for {} s", view.name, time.as_secs());
    view.browser.is_cut = true;
    view.way.cut();
    let is_told = view.has(LOST)?;
    std::thread::sleep(time);
    view.way.mend();
    let is_back = view.has(LIVE)? && view.catches_up(witness)?;
    view.browser.is_cut = false;
    let seen = match (is_told, is_back) {
        (true, true) => "“connection lost”, then “live”",
        (false, _) => "the page does not say that its connection is lost",
        (_, false) => "the page does not come back",
    };
    checks.see(&format!("{what}: told and connected again"), is_told && is_back, seen);
    whole(checks, witness, view, &what)
}

/// Every second is there once, and so is every event.
fn whole(checks: &mut Checks, witness: &Witness, view: &mut View, what: &str) -> Result<()> {
    let (levels, found) = view.spans(witness, LAG)?;
    let told = format!("nothing missing, twice or altered in {}", levels[0].len());
    checks.see_none(&format!("{what}: seconds"), &found, told);
    let events = "new Set(state.events.map((event) => JSON.stringify(event))).size === state.events.length";
    let is_once = view.browser.ask(events)? == true;
    checks.see(&format!("{what}: events"), is_once, if is_once { "none twice" } else { "some are there twice" });
    Ok(())
}

fn texts(said: &[Said]) -> Vec<String> {
    said.iter().map(|said| said.text.clone()).collect()
}
