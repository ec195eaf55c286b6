//! Where Java is, the classes of the server, and the arguments of its machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The server's sources by the names of their files.
const SOURCES: [(&str, &str); 8] = [
    ("Answer.java", include_str!("../../java/Answer.java")),
    ("Assertions.java", include_str!("../../java/Assertions.java")),
    ("AuditLog.java", include_str!("../../java/AuditLog.java")),
    ("Element.java", include_str!("../../java/Element.java")),
    ("Fault.java", include_str!("../../java/Fault.java")),
    ("Names.java", include_str!("../../java/Names.java")),
    ("Question.java", include_str!("../../java/Question.java")),
    ("Rows.java", include_str!("../../java/Rows.java")),
];
/// The class that runs.
const CLASS: &str = "AuditLog";
/// Environment variables with the folder of a JDK, the first one before the second.
const HOMES: [&str; 2] = ["LOADPROOF_JAVA_HOME", "JAVA_HOME"];

/// A JDK that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Jdk {
    pub(super) java: PathBuf,
    javac: PathBuf,
}

impl Jdk {
    /// Looks in `LOADPROOF_JAVA_HOME`, then in `JAVA_HOME`, then along the path.
    ///
    /// # Errors
    /// There is none: says what to do.
    pub(super) fn find() -> Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::find_in(&HOMES.map(|name| std::env::var_os(name).map(PathBuf::from)), std::env::split_paths(&path))
    }

    fn find_in(homes: &[Option<PathBuf>; 2], path: impl Iterator<Item = PathBuf>) -> Result<Self> {
        // A place that is named must be right: another Java than the one asked for would be measured otherwise.
        if let Some(home) = &homes[0] {
            let bin = home.join("bin");
            return Self::of(&bin).with_context(|| {
                format!(
                    "`{}`, which `{}` names, does not have `java` and `javac`; set it to the folder of a JDK, or unset it",
                    bin.display(),
                    HOMES[0]
                )
            });
        }
        homes[1].iter().map(|home| home.join("bin")).chain(path).find_map(|bin| Self::of(&bin)).context(
            "this machine does not have `java` and `javac`; type `apt-get install openjdk-17-jdk-headless`, or set \
             `LOADPROOF_JAVA_HOME` to the folder of a JDK",
        )
    }

    fn of(bin: &Path) -> Option<Self> {
        let program = |name: &str| Some(bin.join(name)).filter(|path| path.is_file());
        Some(Self { java: program("java")?, javac: program("javac")? })
    }

    /// Compiles the server into a folder, which takes a second or two.
    ///
    /// # Errors
    /// The folder cannot be written, or the compiler fails, with what it says.
    pub(super) fn compile(&self, folder: &Path) -> Result<()> {
        let mut command = Command::new(&self.javac);
        command.args(["-J-Xmx128m", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-d"]).arg(folder);
        for (name, text) in SOURCES {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
            command.arg(path);
        }
        let output = command.stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("`{}` cannot be started", self.javac.display()))?;
        if !output.status.success() {
            bail!("`javac` could not compile the server: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(())
    }
}

/// Arguments of the machine, up to its class.
pub(super) fn arguments(classes: &Path, heap_bytes: u64, more: &str) -> Vec<String> {
    let mut arguments = vec![
        format!("-Xms{heap_bytes}"),
        format!("-Xmx{heap_bytes}"),
        // As in the system that this one stands for: its old generation is two thirds of the heap.
        "-XX:+UseParallelGC".to_owned(),
        // A machine without memory is gone, and not one that answers some calls and not others.
        "-XX:+ExitOnOutOfMemoryError".to_owned(),
        // Answers are small: none may wait for the acknowledgment of the one before.
        "-Dsun.net.httpserver.nodelay=true".to_owned(),
        // Held connections stay, as many as the front has; a request that does not come whole gives its thread back.
        "-Dsun.net.httpserver.maxIdleConnections=1000".to_owned(),
        "-Dsun.net.httpserver.maxReqTime=10".to_owned(),
    ];
    arguments.extend(more.split_ascii_whitespace().map(str::to_owned));
    arguments.extend(["-cp".to_owned(), classes.display().to_string(), CLASS.to_owned()]);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_jdk_is_told_what_to_do() {
        let nowhere = PathBuf::from("nowhere");
        let why = Jdk::find_in(&[None, None], [nowhere.clone()].into_iter()).unwrap_err().to_string();
        assert!(why.contains("`java` and `javac`") && why.contains("LOADPROOF_JAVA_HOME"), "{why}");
        let why = Jdk::find_in(&[Some(nowhere), None], std::iter::empty()).unwrap_err().to_string();
        assert!(why.contains("`nowhere/bin`"), "{why}");
    }

    #[test]
    fn every_source_is_compiled() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/java");
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, SOURCES.map(|(name, _)| name));
    }
}
