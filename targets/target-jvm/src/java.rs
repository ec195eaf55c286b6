//! Where Java is, and the server's class.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{CLASS, SOURCE};

/// Environment variables with the folder of a Java, the first one before the second.
const HOMES: [&str; 2] = ["LOADPROOF_JAVA_HOME", "JAVA_HOME"];

/// A Java that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Java {
    /// The program `java`.
    pub java: PathBuf,
    /// The program `javac`, where there is one.
    pub javac: Option<PathBuf>,
}

impl Java {
    /// Looks in `LOADPROOF_JAVA_HOME`, then in `JAVA_HOME`, then along the path.
    ///
    /// # Errors
    /// There is none: says where it was looked for, and what to do.
    pub fn find() -> Result<Self, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::find_in(&HOMES.map(|name| std::env::var_os(name).map(PathBuf::from)), std::env::split_paths(&path))
    }

    fn find_in(homes: &[Option<PathBuf>], path: impl Iterator<Item = PathBuf>) -> Result<Self, String> {
        // A place that is named must be right: another Java than the one asked for would be measured otherwise.
        if let Some(Some(home)) = homes.first() {
            let bin = home.join("bin");
            return Self::of(&bin).ok_or_else(|| {
                format!(
                    "there is no `java` in `{}`, which `{}` names; set it to the folder of a JDK, or unset it",
                    bin.display(),
                    HOMES[0]
                )
            });
        }
        let bins = homes.iter().flatten().map(|home| home.join("bin")).chain(path);
        bins.into_iter().find_map(|bin| Self::of(&bin)).ok_or_else(|| {
            "there is no `java` on this machine; type `apt-get install openjdk-17-jdk-headless`, or set \
             `LOADPROOF_JAVA_HOME` to the folder of a JDK"
                .to_owned()
        })
    }

    fn of(bin: &Path) -> Option<Self> {
        let program = |name: &str| Some(bin.join(name)).filter(|path| path.is_file());
        Some(Self { java: program("java")?, javac: program("javac") })
    }

    /// What follows a machine's own arguments so that it runs the server, whose class is made in `folder`. Without
    /// `javac` the source is handed over, and the machine compiles it within its own heap.
    ///
    /// # Errors
    /// The folder cannot be written, or the compiler fails, with what it says.
    pub fn prepare(&self, folder: &Path) -> Result<Vec<String>, String> {
        let source = folder.join(format!("{CLASS}.java"));
        std::fs::write(&source, SOURCE)
            .map_err(|error| format!("`{}` cannot be written: {error}", source.display()))?;
        let Some(javac) = &self.javac else { return Ok(vec![source.display().to_string()]) };
        let output = Command::new(javac)
            .args(["-J-Xmx128m", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-d"])
            .args([folder, &source])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{}` cannot be started: {error}", javac.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`javac` could not compile the server: {}", said.trim()));
        }
        Ok(vec!["-cp".to_owned(), folder.display().to_string(), CLASS.to_owned()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_java_is_told_what_to_do() {
        let nowhere = PathBuf::from("nowhere");
        let why = Java::find_in(&[None, None], [nowhere.clone()].into_iter()).unwrap_err();
        assert!(why.contains("there is no `java`") && why.contains("LOADPROOF_JAVA_HOME"), "{why}");
        let why = Java::find_in(&[Some(nowhere), None], std::iter::empty()).unwrap_err();
        assert!(why.contains("`nowhere/bin`"), "{why}");
    }
}
