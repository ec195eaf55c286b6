//! Seeds and everything that ever broke a target, replayed with the stable compiler.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use fuzz_targets::{TARGETS, Target};
use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// Files of seeds for one target; more belong into a working folder, which is not kept.
const SEEDS_MAX: usize = 40;
/// Bytes of one seed.
const SEED_BYTES_MAX: u64 = 64 * 1024;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Inputs that break their targets, all of them before the test fails.
#[derive(Default)]
struct Broken(Vec<String>);

impl Broken {
    fn run(&mut self, target: &Target, bytes: &[u8], what: String) {
        if catch_unwind(|| (target.run)(bytes)).is_err() {
            self.0.push(what);
        }
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "these break their targets; what each says stands above: {:#?}", self.0);
    }
}

fn replayed(kind: &str) -> usize {
    let (mut count, mut broken) = (0, Broken::default());
    for target in TARGETS {
        let folder = fuzz().join(kind).join(target.name);
        for name in names(&folder) {
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            broken.run(target, &bytes, format!("{kind}/{}/{name}", target.name));
            count += 1;
        }
    }
    count
}

#[test]
fn seeds_keep_every_property() {
    assert!(replayed("corpus") >= TARGETS.len());
}

#[test]
fn what_was_found_stays_mended() {
    replayed("found");
}

#[test]
fn cut_and_changed_seeds_keep_every_property() {
    let mut broken = Broken::default();
    for target in TARGETS {
        let folder = fuzz().join("corpus").join(target.name);
        for (number, name) in names(&folder).into_iter().enumerate() {
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            // A handful for each seed, always the same ones: a search is what `cargo fuzz` is for.
            for turn in 0..4u64 {
                let draw = |salt: u64, below: usize| {
                    terms::seed::hash(salt, (number as u64) << 8 | turn) as usize % below.max(1)
                };
                let mut changed = bytes.clone();
                match turn {
                    0 => changed.truncate(draw(1, bytes.len())),
                    1 => changed.extend_from_within(draw(2, bytes.len())..),
                    _ => {
                        if let Some(byte) = changed.get_mut(draw(3, bytes.len())) {
                            *byte ^= 1 << draw(4, 8);
                        }
                    }
                }
                broken.run(target, &changed, format!("{}/{name}, turn {turn}", target.name));
            }
        }
    }
}

#[test]
fn nothing_at_all_keeps_every_property() {
    let mut broken = Broken::default();
    for target in TARGETS {
        broken.run(target, &[], format!("{}: nothing", target.name));
        broken.run(target, &[0xff], format!("{}: one byte", target.name));
    }
}

#[test]
fn every_target_has_its_wrapper_and_seeds() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len(), "a name stands twice");
    let wrappers = names(&fuzz().join("fuzz_targets"));
    assert_eq!(wrappers, targets.iter().map(|name| format!("{name}.rs")).collect(), "fuzz/fuzz_targets");
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in &targets {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no `[[bin]]` for `{name}`");
        let wrapper = std::fs::read_to_string(fuzz().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(wrapper.contains(&format!("\"{name}\"")), "fuzz/fuzz_targets/{name}.rs runs another target");
    }
    assert_eq!(names(&fuzz().join("corpus")), targets, "fuzz/corpus");
    let found = names(&fuzz().join("found"));
    assert!(found.is_subset(&targets), "fuzz/found has folders without a target: {found:?}");
}

#[test]
fn seeds_are_few_and_small() {
    for target in TARGETS {
        let folder = fuzz().join("corpus").join(target.name);
        let seeds = names(&folder);
        assert!((1..=SEEDS_MAX).contains(&seeds.len()), "{}: {} seeds", target.name, seeds.len());
        for seed in seeds {
            let bytes = std::fs::metadata(folder.join(&seed)).unwrap().len();
            assert!(bytes <= SEED_BYTES_MAX, "{}/{seed}: {bytes} bytes", target.name);
        }
    }
}
