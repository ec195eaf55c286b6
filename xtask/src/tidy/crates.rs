//! The table of crates in `ARCHITECTURE.md` against the manifests: everything is named, and arrows point one way.

use crate::tree::Tree;
use anyhow::Result;
use std::collections::BTreeMap;

const DOCUMENT: &str = "ARCHITECTURE.md";
/// Above the table of the pipeline's crates, in order.
const HEADING: &str = "## The crates, in order";
/// What a plug-in may know.
const PLUGIN_MAY: [&str; 9] =
    ["terms", "clock", "contract", "processes", "remote", "extract", "http-wire", "kafka-client", "access-lines"];

/// What is made from the run folder alone, and what it must therefore not know.
const AFTERWARDS: [&str; 3] = ["stats", "judge", "report"];
const LIVE: [&str; 6] = ["clock", "processes", "remote", "launch", "drive", "watch"];

/// Folders whose folders are crates, and those that are crates themselves.
const FOLDERS: [&str; 6] = ["crates", "drivers", "monitors", "systems", "targets", "xtask/skeletons"];
const SINGLE: [&str; 4] = ["e2e", "fuzz", "xtask", "xtask/yardstick"];
/// Drives every parser, those of plug-ins too; nothing that is shipped may depend on it.
const OF_ALL: &str = "fuzz-targets";

/// One crate of the workspace.
#[derive(Clone, Debug)]
struct Member {
    folder: String,
    name: String,
    /// Crates of ours that it is built with.
    needs: Vec<String>,
    /// Crates of ours that only its tests are built with.
    tests_need: Vec<String>,
}

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let document = tree.read(DOCUMENT)?;
    let members = members(tree)?;
    let order = pipeline(&document);
    let mut problems = named(&document, &members);
    let in_pipeline = members.iter().filter(|member| member.folder.starts_with("crates/"));
    for member in in_pipeline.filter(|member| !order.contains(&member.name)) {
        problems.push(format!("{DOCUMENT}: `{}` is not in the table under `{HEADING}`", member.name));
    }
    for member in &members {
        problems.extend(arrows(member, &order));
    }
    Ok(problems)
}

/// Every crate is named in the document, and every name there is a crate.
fn named(document: &str, members: &[Member]) -> Vec<String> {
    let rows: Vec<String> = document.lines().filter_map(first_cell).collect();
    let missing = members.iter().filter(|member| !rows.contains(&member.name));
    let missing = missing.map(|member| format!("{DOCUMENT}: no table names `{}` ({})", member.name, member.folder));
    let gone = rows.iter().filter(|row| !members.iter().any(|member| member.name == **row));
    missing.chain(gone.map(|row| format!("{DOCUMENT}: there is no crate `{row}`"))).collect()
}

/// The crates of the pipeline in the order in which the document lists them.
fn pipeline(document: &str) -> Vec<String> {
    let part = document.split_once(HEADING).map_or("", |(_, rest)| rest);
    let part = part.split_once("\n## ").map_or(part, |(part, _)| part);
    part.lines().filter_map(first_cell).collect()
}

/// `name` of a table row that begins with `` | `name` | ``.
fn first_cell(line: &str) -> Option<String> {
    let cell = line.trim().strip_prefix('|')?.split('|').next()?.trim();
    let name = cell.strip_prefix('`')?.strip_suffix('`')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_name.then(|| name.to_owned())
}

/// What a crate needs and may not.
fn arrows(member: &Member, order: &[String]) -> Vec<String> {
    let (kind, name) = (member.folder.split('/').next().unwrap_or_default(), member.name.as_str());
    let place = |name: &str| order.iter().position(|known| known == name);
    let is_plugin = |name: &str| name.starts_with("driver-") || name.starts_with("monitor-");
    let may: Box<dyn Fn(&str) -> bool> = match kind {
        _ if is_plugin(name) => Box::new(|need| PLUGIN_MAY.contains(&need)),
        "crates" if name == "cli" => {
            Box::new(move |need| is_plugin(need) || (need != "testkit" && need != OF_ALL && place(need).is_some()))
        }
        "crates" if name == OF_ALL => Box::new(move |need| is_plugin(need) || place(need).is_some()),
        "crates" => Box::new(move |need| {
            let is_live = AFTERWARDS.contains(&name) && LIVE.contains(&need);
            place(need) < place(name) && place(need).is_some() && !is_live
        }),
        "systems" => Box::new(|need| need == "terms" || need.starts_with("system-")),
        "targets" => Box::new(|need| need.starts_with("target-")),
        "e2e" => Box::new(|_| true),
        "fuzz" => Box::new(|need| need == OF_ALL),
        _ => Box::new(|_| false),
    };
    let wrong = member.needs.iter().filter(|need| !may(need));
    let wrong = wrong.map(|need| format!("{}/Cargo.toml: `{name}` may not depend on `{need}`", member.folder));
    // Tests of the pipeline may use all of it, also what comes later: that makes no arrow in what is shipped.
    let tests_may = |need: &str| may(need) || need == "testkit" || (kind == "crates" && place(need).is_some());
    let of_tests = member.tests_need.iter().filter(|need| kind == "xtask" && !is_plugin(name) || !tests_may(need));
    let of_tests =
        of_tests.map(|need| format!("{}/Cargo.toml: tests of `{name}` may not depend on `{need}`", member.folder));
    wrong.chain(of_tests).collect()
}

fn members(tree: &Tree) -> Result<Vec<Member>> {
    let mut folders: Vec<String> = SINGLE.iter().map(|folder| (*folder).to_owned()).collect();
    for parent in FOLDERS {
        folders.extend(tree.folders(parent).iter().map(|name| format!("{parent}/{name}")));
    }
    folders.retain(|folder| tree.has(&format!("{folder}/Cargo.toml")));
    let manifests: Vec<(String, String)> = folders
        .into_iter()
        .map(|folder| Ok((folder.clone(), tree.read(&format!("{folder}/Cargo.toml"))?)))
        .collect::<Result<_>>()?;
    let names: Vec<String> = manifests.iter().map(|(folder, _)| last(folder)).collect();
    let member = |(folder, manifest): &(String, String)| {
        let mut needs = dependencies(manifest);
        let mut ours = |section: &str| {
            let mut found = needs.remove(section).unwrap_or_default();
            found.retain(|name| names.contains(name));
            found
        };
        let (needs, tests_need) = (ours("dependencies"), ours("dev-dependencies"));
        Member { folder: folder.clone(), name: last(folder), needs, tests_need }
    };
    Ok(manifests.iter().map(member).collect())
}

fn last(folder: &str) -> String {
    folder.rsplit('/').next().unwrap_or(folder).to_owned()
}

/// Names in each section of dependencies, written on lines of a section or as sections of their own.
fn dependencies(manifest: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = header.to_owned();
            for kind in ["dev-dependencies", "build-dependencies", "dependencies"] {
                if let Some((_, name)) = section.split_once(&format!("{kind}.")) {
                    found.entry(kind.replace("build-", "")).or_default().push(name.to_owned());
                    break;
                }
            }
        } else if let Some((name, _)) = line.split_once(['=', '.']).filter(|_| !line.starts_with('#')) {
            // What a build script is built with counts as what the crate is built with.
            let kind = section.rsplit('.').next().unwrap_or_default().replace("build-", "");
            if kind == "dependencies" || kind == "dev-dependencies" {
                found.entry(kind).or_default().push(name.trim().to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const DOC: &str = "# A\n\n## The crates, in order\n\n| Crate | |\n| --- | --- |\n| `terms` | nouns |\n\
                       | `clock` | time |\n\
                       | `judge` | words |\n| `cli` | command |\n| `testkit` | tests |\n\n## Around\n\n| | |\n|-|-|\n\
                       | `driver-x` | a |\n| `not/a crate` | b |\n| `xtask` | chores |\n";

    fn with(manifests: &[(&str, &str)]) -> Vec<String> {
        let mut files = vec![("ARCHITECTURE.md", DOC)];
        for (path, text) in [
            ("crates/terms/Cargo.toml", ""),
            ("crates/clock/Cargo.toml", "[dependencies]\nterms = \"1\""),
            ("crates/judge/Cargo.toml", "[dependencies]\nterms = { workspace = true }"),
            ("crates/cli/Cargo.toml", "[dependencies]\njudge.workspace = true\ndriver-x = { workspace = true }"),
            ("crates/testkit/Cargo.toml", ""),
            ("drivers/driver-x/Cargo.toml", "[dependencies]\nterms = \"1\"\n[dev-dependencies]\ntestkit = \"1\""),
            ("xtask/Cargo.toml", ""),
        ] {
            let other = manifests.iter().find(|(known, _)| *known == path);
            files.push(other.copied().unwrap_or((path, text)));
        }
        files.extend(manifests.iter().filter(|(path, _)| path.contains("new")));
        let (_guard, tree) = tree(&files);
        check(&tree).unwrap()
    }

    #[test]
    fn a_house_in_order_has_no_problems() {
        assert_eq!(with(&[]), Vec::<String>::new());
    }

    #[test]
    fn arrows_the_wrong_way_are_found() {
        let found = with(&[("crates/terms/Cargo.toml", "[dependencies]\njudge = { workspace = true }")]);
        assert_eq!(found, ["crates/terms/Cargo.toml: `terms` may not depend on `judge`"]);
        let found = with(&[("crates/judge/Cargo.toml", "[dependencies]\nclock = \"1\"")]);
        assert_eq!(found, ["crates/judge/Cargo.toml: `judge` may not depend on `clock`"]);
        let found = with(&[("drivers/driver-x/Cargo.toml", "[dependencies.judge]\nworkspace = true")]);
        assert_eq!(found, ["drivers/driver-x/Cargo.toml: `driver-x` may not depend on `judge`"]);
        let found = with(&[("crates/judge/Cargo.toml", "[target.'cfg(unix)'.dependencies]\ndriver-x = \"1\"")]);
        assert_eq!(found, ["crates/judge/Cargo.toml: `judge` may not depend on `driver-x`"]);
        let found = with(&[("crates/cli/Cargo.toml", "[dependencies]\ntestkit = \"1\"")]);
        assert_eq!(found, ["crates/cli/Cargo.toml: `cli` may not depend on `testkit`"]);
        let found = with(&[("xtask/Cargo.toml", "[dependencies]\nterms = \"1\"")]);
        assert_eq!(found, ["xtask/Cargo.toml: `xtask` may not depend on `terms`"]);
        let found = with(&[("crates/terms/Cargo.toml", "[dev-dependencies]\njudge = \"1\"\ndriver-x = \"1\"")]);
        assert_eq!(found, ["crates/terms/Cargo.toml: tests of `terms` may not depend on `driver-x`"]);
        let found = with(&[("drivers/driver-x/Cargo.toml", "[dev-dependencies]\njudge = \"1\"")]);
        assert_eq!(found, ["drivers/driver-x/Cargo.toml: tests of `driver-x` may not depend on `judge`"]);
    }

    #[test]
    fn a_crate_that_nobody_names_and_a_name_without_crate_are_found() {
        let found = with(&[("crates/new/Cargo.toml", "")]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("no table names `new` (crates/new)"), "{found:?}");
        let (_guard, tree) = tree(&[("ARCHITECTURE.md", DOC)]);
        let found = check(&tree).unwrap();
        assert!(found.contains(&"ARCHITECTURE.md: there is no crate `judge`".to_owned()), "{found:?}");
    }
}
