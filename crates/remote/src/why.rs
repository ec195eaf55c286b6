//! Why another machine does not answer: what `ssh` said of it, and what to type.

use contract::{Machine, Mistake};
use std::path::Path;
use terms::Nanos;

/// Characters of what `ssh` said that are shown.
const SHOWN_MAX: usize = 240;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Why {
    cause: Cause,
    /// The end of a sentence that begins with the machine.
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    HostKey,
    Denied,
    NoHost,
    NoProgram,
    NoProc,
    Unreachable,
}

/// What to look for in the words of OpenSSH, in this order, and what it means.
const WORDS: [(&str, Cause); 12] = [
    ("host key verification failed", Cause::HostKey),
    ("remote host identification has changed", Cause::HostKey),
    ("permission denied", Cause::Denied),
    ("too many authentication failures", Cause::Denied),
    ("no more authentication methods", Cause::Denied),
    ("could not resolve hostname", Cause::NoHost),
    ("name or service not known", Cause::NoHost),
    ("connection refused", Cause::Unreachable),
    ("timed out", Cause::Unreachable),
    ("no route to host", Cause::Unreachable),
    ("network is unreachable", Cause::Unreachable),
    ("can't open user config file", Cause::NoProgram),
];

/// Whether words of `ssh` say why a machine does not answer.
pub(crate) fn is_told(words: &str) -> bool {
    let lower = words.to_lowercase();
    WORDS.iter().any(|(word, _)| lower.contains(word))
}

/// Why, from the last words of `ssh`.
pub(crate) fn of(words: &str) -> Why {
    let lower = words.to_lowercase();
    let known = WORDS.iter().find(|(word, _)| lower.contains(word));
    let cause = known.map_or(Cause::Unreachable, |(_, cause)| *cause);
    // The line that says it, else the last one: a banner may stand above.
    let says = |line: &&str| known.is_some_and(|(word, _)| line.to_lowercase().contains(word));
    let line = words.lines().find(says).or_else(|| words.lines().rfind(|line| !line.trim().is_empty()));
    let shown: String = line.unwrap_or_default().trim().escape_debug().take(SHOWN_MAX).collect();
    let shown = shown.trim_end_matches('.').replace('`', "'");
    // Who refuses has answered.
    let what = match cause {
        Cause::HostKey => "is not trusted",
        Cause::Denied => "lets nobody in from here",
        _ => "does not answer",
    };
    Why { cause, text: format!("{what}: {shown}") }
}

impl Why {
    pub(crate) fn not_yet() -> Self {
        Self { cause: Cause::Unreachable, text: "is not connected yet".to_owned() }
    }

    pub(crate) fn silent(silent: Nanos) -> Self {
        Self { cause: Cause::Unreachable, text: format!("has not answered for {:.1} s", silent.as_secs_f64()) }
    }

    pub(crate) fn no_program(program: &Path, error: &std::io::Error) -> Self {
        let text = format!("cannot be asked: `{}` cannot be started: {error}", program.display());
        Self { cause: Cause::NoProgram, text }
    }

    pub(crate) fn no_proc() -> Self {
        Self { cause: Cause::NoProc, text: "has no `/proc/stat` that can be read".to_owned() }
    }

    /// As a mistake of the study, with what to type.
    pub(crate) fn mistake(&self, machine: &Machine) -> Mistake {
        let by_hand = by_hand(machine);
        let (code, label, hint) = match self.cause {
            Cause::HostKey => (
                "ssh::host-key",
                "nobody has said yet that this is the machine that is meant",
                format!("type `{by_hand}` once, compare the fingerprint that it shows with the machine's own, and answer `yes`; if the key has changed and should have, {}", forget(machine)),
            ),
            Cause::Denied => (
                "ssh::denied",
                "it lets nobody in with the keys that there are here",
                format!("keys only, never a password: type `{}`, or load a key with `ssh-add`, until `{by_hand}` works without a question", by_hand.replacen("ssh ", "ssh-copy-id ", 1).trim_end_matches(" true")),
            ),
            Cause::NoHost => (
                "ssh::no-host",
                "no machine of this name is known here",
                format!("write its address, or give it the name in `{}` (`Host`, `HostName`) or in `/etc/hosts`", configuration(machine)),
            ),
            Cause::NoProgram => (
                "ssh::no-client",
                "it is reached by the system's own `ssh`",
                "type `apt-get install openssh-client` on this machine; a file under `config` is looked up beside the study".to_owned(),
            ),
            Cause::NoProc => (
                "ssh::no-proc",
                "only machines that run Linux can be watched",
                format!("type `{} cat /proc/stat` to see what it says", by_hand.trim_end_matches(" true")),
            ),
            Cause::Unreachable => (
                "ssh::unreachable",
                "it has to answer before the load begins",
                format!("type `{by_hand}` to see what stands in the way; a port other than 22 is written `ssh://host:port`"),
            ),
        };
        Mistake::at(machine.place, code, format!("`{}` {}", machine.url(), self.text)).label(label).hint(hint)
    }
}

/// The file in which names of machines are looked up.
fn configuration(machine: &Machine) -> String {
    machine.config.as_ref().map_or_else(|| "~/.ssh/config".to_owned(), |path| path.display().to_string())
}

/// How a key that is known no longer holds. `ssh-keygen` reads no configuration, so where there is one of its own `ssh`
/// has to say under which name, and in which file, it keeps the key.
fn forget(machine: &Machine) -> String {
    match (&machine.config, machine.port) {
        (None, None) => format!("remove the old one with `ssh-keygen -R {}`", machine.host),
        (None, Some(port)) => format!("remove the old one with `ssh-keygen -R '[{}]:{port}'`", machine.host),
        (Some(_), _) => {
            let asked = by_hand(machine).replacen("ssh ", "ssh -G ", 1);
            format!(
                "remove the old one with `ssh-keygen -f FILE -R '[HOSTNAME]:PORT'` (`-R HOSTNAME` for port 22), as \
                 `{}` names them: `userknownhostsfile`, `hostname`, `port`",
                asked.trim_end_matches(" true")
            )
        }
    }
}

/// What a reader types to try the same by hand.
fn by_hand(machine: &Machine) -> String {
    let config = machine.config.as_ref().map_or_else(String::new, |path| format!("-F {} ", path.display()));
    let port = machine.port.map_or_else(String::new, |port| format!("-p {port} "));
    let user = machine.user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
    format!("ssh {config}{port}{user}{} true", machine.host)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What OpenSSH 9.2 says, by hand.
    #[test]
    fn what_ssh_says_is_told_with_something_to_type() {
        let machine = Machine::parse("ssh://perf@db1:2222").unwrap();
        for (words, code, shown, typed) in [
            (
                "No ED25519 host key is known for [db1]:2222 and you have requested strict checking.\nHost key verification failed.\n",
                "ssh::host-key",
                "is not trusted: Host key verification failed",
                "`ssh-keygen -R '[db1]:2222'`",
            ),
            (
                "Welcome to the lab.\nperf@db1: Permission denied (publickey,password).\n",
                "ssh::denied",
                "lets nobody in from here: perf@db1: Permission denied (publickey,password)",
                "`ssh-copy-id -p 2222 perf@db1`",
            ),
            (
                "ssh: Could not resolve hostname db1: Name or service not known",
                "ssh::no-host",
                "does not answer: ssh: Could not resolve hostname",
                "`~/.ssh/config`",
            ),
            (
                "ssh: connect to host db1 port 2222: Connection refused",
                "ssh::unreachable",
                "does not answer: ssh: connect to",
                "true`",
            ),
            ("kex_exchange_identification: read: \u{1b}[31m`x`", "ssh::unreachable", "read: \\u{1b}[31m'x'", "true`"),
        ] {
            let mistake = of(words).mistake(&machine);
            assert_eq!(mistake.code, code, "{words}");
            assert!(mistake.message.starts_with("`ssh://perf@db1:2222` "), "{}", mistake.message);
            assert!(mistake.message.contains(shown), "{}", mistake.message);
            assert!(mistake.hint.as_deref().unwrap_or_default().contains(typed), "{:?}", mistake.hint);
        }
        assert_eq!(of("").text, "does not answer: ");
        assert!(of(&"x".repeat(100_000)).text.len() < 300);
    }

    #[test]
    fn what_is_typed_heeds_the_configuration_of_the_study() {
        let hint = |words: &str, machine: &Machine| of(words).mistake(machine).hint.unwrap_or_default();
        let mut machine = Machine::parse("ssh://lab3").unwrap();
        let plain = hint("Host key verification failed.", &machine);
        assert!(plain.ends_with("`ssh-keygen -R lab3`"), "{plain}");
        machine.config = Some("/study/lab.ssh".into());
        let own = hint("Host key verification failed.", &machine);
        assert!(own.contains("`ssh -F /study/lab.ssh lab3 true` once"), "{own}");
        assert!(own.contains("`ssh -G -F /study/lab.ssh lab3` names them") && !own.contains("-R lab3"), "{own}");
        let named = hint("ssh: Could not resolve hostname lab3: Name or service not known", &machine);
        assert!(named.contains("`/study/lab.ssh`") && !named.contains("~/.ssh"), "{named}");
    }
}
