//! What users write: studies, rules, variables, data files, profiles.

use crate::{first_line, text};
use contract::{DriverKind, MonitorKind, Names, Place, compile_template};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use study::{Options, Places, Registry, Rejected, SecretSource, Secrets, Study};
use terms::{Nanos, Quantity};

const DRIVERS: &[DriverKind] = &[driver_http::HTTP, driver_http::JOB, driver_ebms::EBMS];
const MONITORS: &[MonitorKind] = &[monitor_host::HOST, monitor_process::PROCESS, monitor_sql::SQL, monitor_jvm::JVM];
/// The plug-ins of the command.
pub(crate) const REGISTRY: Registry<'static> =
    Registry { drivers: DRIVERS, monitors: MONITORS, blocks: report::BLOCKS };

/// Rows that a plan is asked for: a study may name thousands of millions.
const PLAN_ROWS_MAX: u64 = 1000;

/// A study around what is tested, without files.
const AROUND: &str = "study: Fuzz\n\
    system: { name: shop, url: \"http://127.0.0.1:8080\", identity: { path: /version, expect: { name: shop } } }\n\
    watch: { host: {} }\n\
    exchanges:\n  search: { http.get: { url: \"$(shop.url)/search\" }, check: [ status = 200 ] }\n\
    scenarios:\n  busy: { load: { arrivals: 50/s, hold: 1m }, run: [ search ] }\n";

fn studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")
}

pub(crate) fn archived() -> Options {
    Options { secrets: SecretSource::Ignore, ..Options::default() }
}

fn refused(rejected: &Rejected) {
    assert!(!rejected.mistakes.is_empty(), "a study is refused without a mistake");
    assert!(!rejected.to_string().is_empty());
    for mistake in &rejected.mistakes.0 {
        assert!(mistake.code.contains("::"), "{}", mistake.code);
    }
}

/// The whole way of `loadproof check`, and back from what is archived.
fn whole_way(text: &str, base: &Path) {
    for options in [Options::default(), archived()] {
        let (study, secrets) = match study::load_text("study.yaml", text, base, &REGISTRY, &options) {
            Ok(loaded) => loaded,
            Err(rejected) => {
                refused(&rejected);
                continue;
            }
        };
        match study::load_text("study.yaml", &study.effective, Path::new("/nonexistent"), &REGISTRY, &archived()) {
            Ok((again, _)) => {
                assert_eq!(again.effective, study.effective, "the archived study changes when it is read")
            }
            Err(rejected) => panic!("the archived study cannot be read again:\n{rejected}\n{}", study.effective),
        }
        if options.secrets == SecretSource::Real {
            prepared(&study, &secrets);
        }
    }
}

/// What `check` does with a study that is right.
fn prepared(study: &Study, secrets: &Secrets) {
    let tables = match study::load_tables(study) {
        Ok(tables) => tables,
        Err(rejected) => return refused(&rejected),
    };
    let places = Places::placeholders(study);
    if let Err(rejected) = study::check_plugins(study, &REGISTRY, &tables, &places, secrets) {
        return refused(&rejected);
    }
    let plan = plan::build(study);
    let _ = plan::layout(study);
    for scenario in &plan.scenarios {
        for part in &scenario.parts {
            for serial in (0..PLAN_ROWS_MAX).step_by(97) {
                let _ = part.stream_of(serial);
            }
        }
    }
}

/// A whole study. Studies of messages find their files from one folder below.
pub(crate) fn study(data: &[u8]) {
    let text = text(data);
    let base = studies();
    whole_way(&text, &if text.contains("ebms.") { base.join("messaging") } else { base });
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(['\n', '\r'], " "))
}

/// A requirement, an abort rule and a check, each a line.
pub(crate) fn rules(data: &[u8]) {
    let (first, rest) = first_line(data);
    let (second, third) = first_line(rest);
    let [rule, abort, check] = [first, second, third].map(|line| quoted(&text(line)));
    let with_abort = AROUND.replace("run: [ search ]", &format!("run: [ search ], abort: [ {abort} ]"));
    let with_check = AROUND.replace("status = 200", &check);
    let base = Path::new("/nonexistent");
    whole_way(&format!("{AROUND}requirements: {{ it: {rule} }}\n"), base);
    if second.len() > 1 {
        whole_way(&format!("{with_abort}requirements: {{ it: share(search.failed) <= 1% }}\n"), base);
    }
    if third.len() > 1 {
        whole_way(&with_check, base);
    }
}

/// Two variables and a text that uses them, each a line.
pub(crate) fn variables(data: &[u8]) {
    let (first, rest) = first_line(data);
    let (second, third) = first_line(rest);
    let [one, two, template] = [first, second, third].map(text);
    let study = format!("{AROUND}vars: {{ rate: 5/s, one: {}, two: {} }}\n", quoted(&one), quoted(&two));
    let loaded = study::load_text("study.yaml", &study, Path::new("/nonexistent"), &REGISTRY, &Options::default());
    let (study, secrets) = match loaded {
        Ok(loaded) => loaded,
        Err(rejected) => return refused(&rejected),
    };
    let places = Places::placeholders(&study);
    let names = study::names(&study, &secrets, &[], None, &places);
    let place = Place::default();
    let _ = names.resolve(&template, place);
    let _ = names.text(&template, place);
    if let Ok(compiled) = compile_template(&template, place, &names) {
        // Only what was filled in can be longer than what was written.
        if !template.contains("$(") {
            assert_eq!(compiled.as_fixed(), Some(template.as_bytes()));
        }
    }
    let _ = contract::read_check(&template, place, &names);
}

/// Numbers with units, and times.
pub(crate) fn quantities(data: &[u8]) {
    let text = text(data);
    if let Ok(quantity) = Quantity::parse(&text) {
        assert!(!quantity.value.is_nan(), "{quantity:?}");
        let printed = quantity.to_string();
        // What is printed is rounded; it must still be a quantity of the same kind.
        let again = Quantity::parse(&printed).unwrap_or_else(|why| panic!("`{printed}`: {why}"));
        assert_eq!(again.unit, quantity.unit, "{printed}");
        let _ = quantity.nanos();
    }
    if let Some(eight) = data.first_chunk::<8>() {
        let nanos = Nanos(i64::from_le_bytes(*eight));
        let _ = (nanos.to_string(), terms::iso::millis(nanos), terms::iso::seconds(nanos), terms::iso::folder(nanos));
        let _ = nanos.to_std();
    }
}

thread_local! {
    /// A folder for a data file.
    static FOLDER: RefCell<tempfile::TempDir> = RefCell::new(tempfile::tempdir().unwrap());
}

/// A data file: CSV, or JSON lines where it begins with a brace.
pub(crate) fn data(data: &[u8]) {
    let name = if data.first() == Some(&b'{') { "rows.jsonl" } else { "rows.csv" };
    let study = format!("{AROUND}data: {{ rows: {{ file: {name} }} }}\n");
    FOLDER.with_borrow(|folder| {
        std::fs::write(folder.path().join(name), data).unwrap();
        let loaded = study::load_text("study.yaml", &study, folder.path(), &REGISTRY, &Options::default());
        let (study, _) = match loaded {
            Ok(loaded) => loaded,
            Err(rejected) => return refused(&rejected),
        };
        match study::load_tables(&study) {
            Ok(tables) => {
                let table = &tables[0];
                assert!(!table.is_empty() && !table.columns.is_empty());
                let mut bytes = 0;
                for row in 0..table.len() {
                    for column in 0..table.columns.len() {
                        let cell = table.cell(row, column as u16);
                        assert!(std::str::from_utf8(&cell).is_ok());
                        bytes += cell.len();
                    }
                }
                // JSON writes escapes shorter than they are, and numbers as it likes.
                assert!(bytes <= 24 * data.len() + 24, "{bytes} bytes of cells from {} bytes", data.len());
            }
            Err(rejected) => refused(&rejected),
        }
    });
}

/// A profile of the report.
pub(crate) fn profile(data: &[u8]) {
    match study::profile_from_text("profile.yaml", &text(data), report::BLOCKS) {
        Ok(profile) => crate::reports::with_profile(profile),
        Err(mistakes) => assert!(!mistakes.is_empty(), "a profile is refused without a mistake"),
    }
}
