//! Where Kafka's jars and Java are, and how a Java machine with them is started.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use system_common::server::Owner;

use crate::options::JavaOptions;

/// Variable that names the folder of the jars.
const VARIABLE: &str = "LOADPROOF_KAFKA";
/// The folder that `make parts` fills, beside this program or above it.
const FOLDER: &str = "kafka";
/// Beginning and end of the name of the broker's own jar; between them is the version.
const JAR: (&str, &str) = ("kafka_2.13-", ".jar");
/// Environment variables with the folder of a Java, the first one before the second.
const HOMES: [&str; 2] = ["LOADPROOF_JAVA_HOME", "JAVA_HOME"];

/// What the broker writes about itself, on standard error, where the supervisor reads it: what may be wrong, and no more.
const LOGGING: &str = "\
rootLogger.level = warn
rootLogger.appenderRef.words.ref = words
appender.words.type = Console
appender.words.name = words
appender.words.target = SYSTEM_ERR
appender.words.layout.type = PatternLayout
appender.words.layout.pattern = %p %c{1} %m %throwable{short.message}%n
";

/// Kafka's jars, and the Java that runs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kafka {
    jars: PathBuf,
    java: PathBuf,
    /// `4.3.1`
    pub(crate) version: String,
}

impl Kafka {
    /// Looks for the jars in the folder given, else in that of the variable, else where `make parts` puts them; for Java in
    /// its homes, else on the PATH.
    ///
    /// # Errors
    /// None found, or none in the folder that was named; says what to type.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self> {
        let java = HOMES.iter().filter_map(std::env::var_os).map(|home| PathBuf::from(home).join("bin/java"));
        let java = java.into_iter().find(|java| java.is_file()).unwrap_or_else(|| PathBuf::from("java"));
        let named = given.map(Path::to_owned).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
        if let Some(jars) = named {
            let version = version_in(&jars);
            let version = version.with_context(|| format!("`{}` holds no jars of Kafka", jars.display()))?;
            return Ok(Self { jars: std::path::absolute(jars)?, java, version });
        }
        let program = std::env::current_exe().unwrap_or_default();
        let found = program.ancestors().skip(1).take(3).map(|folder| folder.join(FOLDER));
        match found.into_iter().find_map(|jars| Some((version_in(&jars)?, jars))) {
            Some((version, jars)) => Ok(Self { jars, java, version }),
            None => bail!(
                "the jars of Apache Kafka are not on this machine; type `make parts` where loadproof was built, or name \
                 their folder with `--jars` or `{VARIABLE}`: what `mvn dependency:copy-dependencies` brings for \
                 `systems/system-kafka/pom.xml`"
            ),
        }
    }

    /// A Java machine for a class of Kafka's, with its files in `folder`; what it says there is shown.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(crate) fn command(&self, owner: &Owner, folder: &Path, heap: &str, more: &str) -> Result<Command> {
        let (logging, tmp) = (folder.join("log4j2.properties"), folder.join("tmp"));
        std::fs::write(&logging, LOGGING).with_context(|| format!("cannot write `{}`", logging.display()))?;
        std::fs::create_dir_all(&tmp).with_context(|| format!("cannot make the folder `{}`", tmp.display()))?;
        let mut command = owner.command(&self.java, folder);
        // The Java machine writes `m` where others write `MB`.
        command.arg(format!("-Xmx{}", heap.trim_end_matches('B')));
        // One thread that collects: two cores are shared with the system and the load.
        command.args(["-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true"]);
        command.arg(format!("-Dlog4j2.configurationFile={}", logging.display()));
        command.arg(format!("-Djava.io.tmpdir={}", tmp.display()));
        command.args(more.split_ascii_whitespace());
        command.arg("-cp").arg(self.jars.join("*"));
        Ok(command)
    }
}

impl JavaOptions {
    /// A folder whose name can stand in Kafka's settings.
    ///
    /// # Errors
    /// It cannot.
    pub(crate) fn folder(&self) -> Result<&Path> {
        let name = self.data.display().to_string();
        if name.contains([',', '\\']) || name.contains(char::is_control) {
            bail!(
                "`{}` cannot stand in Kafka's settings: name a folder without `,` and `\\` with `--data`",
                name.escape_debug()
            );
        }
        Ok(&self.data)
    }
}

/// The version of the broker whose jar lies in this folder.
fn version_in(folder: &Path) -> Option<String> {
    let names = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.into_iter().find_map(|name| {
        let version = name.to_str()?.strip_prefix(JAR.0)?.strip_suffix(JAR.1)?;
        version.starts_with(|sign: char| sign.is_ascii_digit()).then(|| version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_jar_and_a_wrong_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(version_in(folder.path()), None);
        for name in ["kafka-clients-4.3.1.jar", "kafka_2.13-4.3.1.jar", "kafka_2.13-test.jar"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(version_in(folder.path()).as_deref(), Some("4.3.1"));
        let found = Kafka::find(Some(folder.path())).unwrap();
        assert_eq!(found.version, "4.3.1");
        let message = Kafka::find(Some(Path::new("/nowhere"))).unwrap_err().to_string();
        assert_eq!(message, "`/nowhere` holds no jars of Kafka");
    }
}
