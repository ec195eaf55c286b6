//! `cargo xtask new driver NAME`: a plug-in that compiles and passes its own tests, to be changed step by step.
//!
//! The skeletons in `xtask/skeletons` are crates of the workspace, so they cannot rot: they are compiled, linted and
//! tested like everything else. Making a new plug-in is copying one and putting its name in.

use crate::tree::Tree;
use anyhow::{Result, bail, ensure};

/// The name that stands in a skeleton.
const STANDS_IN: &str = "skeleton";
/// Names that no plug-in may have: they are words of the language, or the stand-in itself.
const TAKEN: [&str; 5] = [STANDS_IN, "generator", "driver", "monitor", "instance"];

/// Writes the plug-in `kind`-`name`; returns what is left to do, for people.
///
/// # Errors
/// An unknown kind, a name that is none or is taken, a folder that is there already.
pub fn write(tree: &Tree, kind: &str, name: &str) -> Result<String> {
    let parent = match kind {
        "driver" => "drivers",
        "monitor" => "monitors",
        other => bail!("`{other}` is not a kind of plug-in; write `driver` or `monitor`"),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    ensure!(is_name, "`{name}` is not a name for a plug-in; write lower-case letters and digits, such as `redis`");
    ensure!(!TAKEN.contains(&name), "`{name}` means something else already; choose another name");
    let folder = format!("{parent}/{kind}-{name}");
    ensure!(!tree.has(&folder), "`{folder}` is there already");
    let from = format!("xtask/skeletons/{kind}-{STANDS_IN}/");
    for path in tree.files(&["rs", "md", "toml", "yaml", "ftl"]).iter().filter(|path| path.starts_with(&from)) {
        let text = named(&tree.read(path)?, name);
        tree.write(&format!("{folder}/{}", &path[from.len()..]), &text)?;
    }
    Ok(next(kind, &folder, name))
}

/// The text with the name put in, in each of its three forms.
fn named(text: &str, name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    text.replace(STANDS_IN, name)
        .replace(&STANDS_IN.to_uppercase(), &name.to_uppercase())
        .replace(&capital(STANDS_IN), &capital(name))
}

fn next(kind: &str, folder: &str, name: &str) -> String {
    let (list, upper) = (if kind == "driver" { "DRIVERS" } else { "MONITORS" }, name.to_uppercase());
    format!(
        "wrote {folder}\n\n\
         three lines make it part of loadproof:\n\
         \x20 Cargo.toml                   {kind}-{name} = {{ path = \"{folder}\" }}   (in [workspace.dependencies])\n\
         \x20 crates/cli/Cargo.toml        {kind}-{name} = {{ workspace = true }}\n\
         \x20 crates/cli/src/registry.rs   {kind}_{name}::{upper}   (in {list})\n\n\
         and one that keeps the map true:\n\
         \x20 ARCHITECTURE.md              a row for `{kind}-{name}`\n\n\
         then: cargo test -p {kind}-{name}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_name_takes_the_place_of_the_stand_in_everywhere() {
        let (_guard, tree) = tree(&[
            ("xtask/skeletons/driver-skeleton/Cargo.toml", "name = \"driver-skeleton\""),
            ("xtask/skeletons/driver-skeleton/src/lib.rs", "pub const SKELETON: () = skeleton::X; // Skeleton"),
        ]);
        let next = write(&tree, "driver", "redis").unwrap();
        assert_eq!(tree.read("drivers/driver-redis/Cargo.toml").unwrap(), "name = \"driver-redis\"");
        let lib = tree.read("drivers/driver-redis/src/lib.rs").unwrap();
        assert_eq!(lib, "pub const REDIS: () = redis::X; // Redis");
        assert!(next.contains("driver-redis = {") && next.contains("driver_redis::REDIS"), "{next}");
        assert!(write(&tree, "driver", "redis").unwrap_err().to_string().contains("already"));
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        let (_guard, tree) = tree(&[]);
        for name in ["", "Redis", "7up", "my-redis", "../x", "skeleton", "generator"] {
            assert!(write(&tree, "driver", name).is_err(), "{name}");
        }
        assert!(write(&tree, "probe", "redis").unwrap_err().to_string().contains("`driver` or `monitor`"));
    }

    #[test]
    fn the_skeletons_of_this_repository_leave_no_stand_in_behind() {
        let (_guard, scratch) = tree(&[]);
        let here = Tree::of_this_repository();
        for path in here.files(&["rs", "md", "toml", "yaml"]).iter().filter(|path| path.starts_with("xtask/skeletons/"))
        {
            scratch.write(path, &here.read(path).unwrap()).unwrap();
        }
        for kind in ["driver", "monitor"] {
            write(&scratch, kind, "redis").unwrap();
        }
        let made: Vec<_> = scratch
            .files(&["rs", "md", "toml", "yaml"])
            .into_iter()
            .filter(|path| !path.starts_with("xtask/"))
            .collect();
        assert!(made.len() >= 13, "{made:?}");
        for path in made {
            let text = scratch.read(&path).unwrap();
            assert!(!text.to_lowercase().contains(STANDS_IN) && !path.contains(STANDS_IN), "{path}");
        }
    }
}
