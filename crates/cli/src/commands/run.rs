//! `loadproof run`: the whole way.

use crate::ceiling;
use crate::ci::Ci;
use crate::commands::live::Page;
use crate::commands::meeting::{head, server};
use crate::commands::report::{Shown, judged};
use crate::exit::{Exit, Failed};
use crate::exporting::{Exporting, receivers};
use crate::options::RunOptions;
use crate::output::say;
use crate::prepare::{duration, is_stdin, prepare};
use crate::progress::Progress;
use crate::screen;
use crate::words::grouped;
use broker::{Called, Meeting, Needed, Server};
use record::{CeilingHead, MeetingHead};
use run::nodes::Trial;
use run::{CallNodes, Prepared, RunRequest, conduct};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

/// Connections and levels of the probe before a run.
const CONNECTIONS: u32 = 64;
const LEVELS: u32 = 12;

/// Start, watch, drive, record, judge, report.
pub(crate) fn run(options: &RunOptions) -> Result<Exit, Failed> {
    let server = server(&options.meeting)?;
    let receivers = receivers("--export", &options.receivers.export)?;
    let mut ci = Ci::of(&options.ci)?;
    let path = &options.study.study;
    let prepared = prepare(&options.study).inspect_err(|failed| ci.mistakes(failed, path))?;
    ci = ci.with_study(&prepared.study, path);
    let prepared = match &options.resume {
        Some(folder) => taken_up(&prepared, folder)?,
        None => prepared,
    };
    screen::warnings(&prepared.study);
    let page = Page::open(&options.page)?;
    let out = options.out.out.clone().unwrap_or_else(|| "runs/new".into());
    crate::commands::compare::warn_of_baselines(&prepared.study, &out);
    let name = name(&options.study.study, prepared.study.title.in_language("en"));
    let called: Rc<RefCell<Option<Called>>> = Rc::default();
    let call = server.map(|server| call_nodes(server, options, called.clone())).transpose()?;
    let seeks = seeks_ceiling(options, &prepared);
    // Where the load is driven elsewhere, the ceiling is that of those who drive it.
    let is_here = call.is_none() || prepared.study.nodes_are_here;
    let ceiling = if seeks && is_here { ceiling_of(options, &prepared)? } else { None };
    let trial = Trial { connections: CONNECTIONS, levels: if seeks { LEVELS } else { 0 } };
    let wanted = RunRequest { out: options.out.out.clone(), threads: options.threads, name, ceiling, trial, call };
    let exporting = Exporting::start(Progress::new(), &receivers, &prepared.kept_out)?;
    let conducted = conduct(&prepared, &wanted, &page.beside(&exporting));
    exporting.finish();
    if let Some(called) = called.take() {
        called.forget();
    }
    let folder = conducted.map_err(Failed::from).inspect_err(|failed| ci.failed(failed))?;
    page.conclude(&folder, options.out.json, &mut ci)
}

/// The study with its search behind the attempts of a recorded run.
fn taken_up(prepared: &Prepared, folder: &Path) -> Result<Prepared, Failed> {
    let recorded = judged(folder, None, Shown::Announced)?;
    let (run, searches) = (recorded.id(), recorded.searches());
    let taken_up = prepared.taking_up(run, recorded.study(), searches)?;
    for found in searches {
        let name = &found.search.name;
        match found.attempts.len() as u64 {
            0 => say!("the search `{name}` starts again: the run `{run}` has no whole attempt of it"),
            attempts => {
                say!("the search `{name}` goes on after {} of the run `{run}`", screen::several(attempts, "attempt"))
            }
        }
    }
    Ok(taken_up)
}

/// Who calls load nodes on other machines over this server, which has to be usable; `called` has them as long as the server
/// has to keep what they say.
fn call_nodes(server: Server, options: &RunOptions, called: Rc<RefCell<Option<Called>>>) -> Result<CallNodes, Failed> {
    let within = duration("--wait", &options.wait)?.to_std();
    let head = head(&options.meeting, &server);
    let (group, address) = (server.group.clone(), server.address.clone());
    let meeting = Meeting::open(server).map_err(Failed::because)?;
    let call = move |run: &str, count: u16, names: &[String], interrupted: &AtomicBool| {
        let mut who: Vec<String> = (count > 0).then(|| format!("{count} load nodes")).into_iter().collect();
        who.extend(names.iter().map(|name| format!("the node `{name}`")));
        say!("waiting for {} of the group `{group}` at {address}", who.join(" and "));
        let mut all = meeting.call(run, Needed { count, names }, within, interrupted)?;
        let links = std::mem::take(&mut all.links);
        called.replace(Some(all));
        Ok(links)
    };
    let meeting = move |run: &str| MeetingHead { stream: broker::stream_of(run), ..head.clone() };
    Ok(CallNodes { meeting: Box::new(meeting), call: Box::new(call) })
}

/// What a run's folder is called after its time: as the study's file. Every study that `new` wrote is a `study.yaml`, so
/// there it is the folder's name, and where neither says anything the study's title.
fn name(study: &Path, title: &str) -> String {
    let stem = study.file_stem().filter(|_| !is_stdin(study)).map(|name| slug(&name.to_string_lossy()));
    match stem {
        Some(stem) if stem != "study" => stem,
        Some(_) => {
            let whole = std::path::absolute(study).unwrap_or_else(|_| study.to_owned());
            whole.parent().and_then(Path::file_name).map_or_else(|| slug(title), |name| slug(&name.to_string_lossy()))
        }
        None => slug(title),
    }
}

/// Whether the generator's ceiling is asked for, or the study looks for a capacity: what the generator cannot send is not
/// the system's limit. A trial is too short to look for one.
fn seeks_ceiling(options: &RunOptions, prepared: &Prepared) -> bool {
    let capacity = &prepared.study.capacity;
    let searches = prepared.study.scenarios.iter().any(|scenario| scenario.point.is_some());
    let asks = !capacity.volumes.is_empty() || !capacity.ratios.is_empty() || capacity.healthiest.is_some();
    options.ceiling || ((searches || asks) && prepared.study.trial.is_none())
}

/// The ceiling of the generator on this machine; none where nothing was in time.
fn ceiling_of(options: &RunOptions, prepared: &Prepared) -> Result<Option<CeilingHead>, Failed> {
    let threads = prepared.workers(options.threads);
    let wanted = ceiling::ProbeOptions { connections: CONNECTIONS, threads, levels: LEVELS };
    say!("finding the generator's ceiling first, about {} s", LEVELS + 6);
    let found = ceiling::probe(&wanted)?;
    let Some(per_s) = found.per_s else {
        let why = found.disturbance().map_or_else(String::new, |why| format!(": {}; {}", why.who, why.to_do));
        say!("warning: no rate was on time against a target that does nothing{why}");
        return Ok(None);
    };
    let (shown, planned) = (grouped(per_s.round() as u64), prepared.planned_per_s());
    say!("the generator sends up to {shown}/s on time with {threads} threads and {CONNECTIONS} connections");
    found.warning().iter().for_each(|text| say!("{text}"));
    if planned > per_s / 2.0 {
        let planned = grouped(planned.round() as u64);
        say!(
            "warning: {planned} requests a second are planned, more than half of that; the generator may be the limit"
        );
    }
    Ok(Some(CeilingHead { per_s, threads: threads.into(), connections: CONNECTIONS }))
}

/// A name that is fit for a folder everywhere.
pub(crate) fn slug(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let text = text.trim_matches('-');
    if text.is_empty() { "run".into() } else { text.chars().take(60).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_as_its_study() {
        for (study, expected) in [
            ("shop/study.yaml", "shop"),
            ("/srv/My Shop/study.yaml", "my-shop"),
            ("studies/quick look.yaml", "quick-look"),
            ("/study.yaml", "a-title"),
            ("-", "a-title"),
        ] {
            assert_eq!(name(Path::new(study), "A title"), expected, "{study}");
        }
    }
}
