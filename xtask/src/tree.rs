//! The files of a repository, as texts under relative paths.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A repository on disk.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

/// Folders that hold nothing of ours.
const SKIPPED: [&str; 8] =
    ["target", ".git", "runs", "proptest-regressions", "node_modules", "corpus", "found", "artifacts"];

impl Tree {
    /// The repository that this was compiled in.
    pub fn of_this_repository() -> Self {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::at(xtask.parent().unwrap_or(xtask))
    }

    /// The repository in that folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where the repository is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place of a relative path.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Whether something stands there.
    pub fn has(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// A file's text.
    ///
    /// # Errors
    /// A file that is missing or is not UTF-8; the message names it.
    pub fn read(&self, relative: &str) -> Result<String> {
        std::fs::read_to_string(self.path(relative)).with_context(|| format!("`{relative}` cannot be read"))
    }

    /// Writes a file, its folders included, unless it holds that text already. Whether it was written.
    ///
    /// # Errors
    /// When the system refuses; the message names the file.
    pub fn write(&self, relative: &str, text: &str) -> Result<bool> {
        if self.read(relative).is_ok_and(|there| there == text) {
            return Ok(false);
        }
        let path = self.path(relative);
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).with_context(|| format!("`{}` cannot be made", folder.display()))?;
        std::fs::write(&path, text).with_context(|| format!("`{relative}` cannot be written"))?;
        Ok(true)
    }

    /// Names of the folders right under one, in order.
    pub fn folders(&self, relative: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(relative)).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<_> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Every file with one of these endings (`rs`, `md`), as a relative path with `/`, in order.
    pub fn files(&self, endings: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        self.walk(&self.root, &mut |path| {
            let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
            if endings.contains(&ending.as_str())
                && let Ok(relative) = path.strip_prefix(&self.root)
            {
                found.push(relative.to_string_lossy().into_owned());
            }
        });
        found.sort();
        found
    }

    fn walk(&self, folder: &Path, visit: &mut dyn FnMut(&Path)) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            // `is_symlink` first: a link to a folder above would never end.
            if path.is_symlink() || SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() { self.walk(&path, visit) } else { visit(&path) }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tree with these files in a folder of its own; the folder goes when the guard does.
    pub(crate) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::at(folder.path());
        for (path, text) in files {
            tree.write(path, text).unwrap();
        }
        (folder, tree)
    }

    #[test]
    fn files_are_listed_in_order_and_what_is_built_is_not() {
        let (_guard, tree) = tree(&[("b/x.rs", ""), ("a.rs", ""), ("target/y.rs", ""), ("b/z.md", "")]);
        assert_eq!(tree.files(&["rs"]), ["a.rs", "b/x.rs"]);
        assert_eq!(tree.folders("."), ["b", "target"]);
    }

    #[test]
    fn an_unchanged_file_is_not_written_again() {
        let (_guard, tree) = tree(&[("a.md", "x")]);
        assert!(!tree.write("a.md", "x").unwrap());
        assert!(tree.write("a.md", "y").unwrap());
        assert!(tree.read("b.md").unwrap_err().to_string().contains("`b.md`"));
    }
}
