//! Every driver and monitor is listed, and every driver is described, with an example and its tests.

use crate::sections::SECTION;
use crate::tree::Tree;
use anyhow::Result;

const REGISTRY: &str = "crates/cli/src/registry.rs";

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let registry = tree.read(REGISTRY)?;
    let mut problems = Vec::new();
    for parent in ["drivers", "monitors"] {
        for name in tree.folders(parent) {
            let folder = format!("{parent}/{name}");
            if !tree.has(&format!("{folder}/Cargo.toml")) {
                continue;
            }
            if !registry.contains(&format!("{}::", name.replace('-', "_"))) {
                problems.push(format!("{REGISTRY}: the list has no line for `{name}`, so no study can use it"));
            }
            let owed: &[&str] = match parent {
                "drivers" => &["README.md", "study.yaml", "tests", SECTION],
                _ => &["README.md", SECTION],
            };
            for file in owed.iter().filter(|file| !tree.has(&format!("{folder}/{file}"))) {
                problems.push(format!("{folder}: there is no `{file}`"));
            }
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn what_a_plug_in_lacks_is_said() {
        let (_guard, tree) = tree(&[
            (REGISTRY, "&[driver_a::A]"),
            ("drivers/driver-a/Cargo.toml", ""),
            ("drivers/driver-a/README.md", ""),
            ("drivers/driver-a/tests/conformance.rs", ""),
            ("drivers/driver-a/guide.md", ""),
            ("monitors/monitor-b/README.md", ""),
            ("monitors/monitor-b/guide.md", ""),
            ("monitors/monitor-b/Cargo.toml", ""),
        ]);
        let found = check(&tree).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("no `study.yaml`") && found[1].contains("no line for `monitor-b`"), "{found:?}");
    }
}
