//! What would keep instances from being started, found before anything is: circles of needs, commands that cannot be
//! read, programs and cores that do not exist.

use crate::instance::prepare;
use crate::order::order;
use crate::process::can_be_pinned;
use crate::replica::{PerReplica, Resolve};
use crate::{program, words};
use contract::{Mistake, Mistakes, Node};
use std::path::Path;
use study::Instance;

/// A port that stands for one that is chosen at the start.
const ANY_PORT: u16 = 1;

/// Looks at every command as a start would, without starting it. `resolve` fills in stand-ins for what is known only
/// then. `base` is the folder in which instances start, `program_folder` that of the `loadproof` binary.
///
/// # Errors
/// All mistakes of all instances.
pub fn foresee(
    instances: &[Instance],
    base: &Path,
    program_folder: &Path,
    resolve: &Resolve<'_>,
) -> Result<(), Mistakes> {
    let mut mistakes = Mistakes::default();
    mistakes.keep(order(instances));
    let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    for instance in instances {
        if let Some(start) = &instance.start {
            mistakes.keep(command(instance, start, base, program_folder, resolve));
            mistakes.keep(cores(instance));
        }
    }
    mistakes.into_result()
}

fn cores(instance: &Instance) -> Result<(), Mistake> {
    can_be_pinned(&instance.cores).map_err(|why| {
        Mistake::at(instance.place, "launch::no-core", format!("`{}` {why}", instance.name))
            .hint("name cores that `nproc` and `taskset -pc $$` know, or leave `cores` out")
    })
}

fn command(
    instance: &Instance,
    start: &Node,
    base: &Path,
    program_folder: &Path,
    resolve: &Resolve<'_>,
) -> Result<(), Mistake> {
    let names = if instance.ports.is_empty() { vec!["port".to_owned()] } else { instance.ports.clone() };
    let ports: Vec<(String, u16)> = names.into_iter().map(|name| (name, ANY_PORT)).collect();
    let per = PerReplica {
        name: &instance.name,
        replica: 1,
        host: "127.0.0.1",
        ports: &ports,
        nonce: "nonce",
        faults: "",
        placed: &[],
    };
    let prepared = prepare(instance, &per, resolve)?;
    // A program whose place is known only at the start is looked for then.
    let written = start.text().and_then(|text| words::split(text).ok()?.into_iter().next());
    if written.is_none_or(|word| word.contains("$(scratch")) {
        return Ok(());
    }
    let search = std::env::var_os("PATH");
    let found = prepared.words.first().map(|word| program::find(word, program_folder, base, search.as_deref()));
    match found {
        Some(Err(why)) => {
            let text = format!("`{}` cannot be started: {why}", instance.name);
            Err(Mistake::at(instance.place, "launch::no-program", text)
                .hint("build it (`cargo build --release`), or write the path of the program in `start`"))
        }
        Some(Ok(_)) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::instance;

    fn codes(instances: &[Instance]) -> Vec<&'static str> {
        let resolve = |_: &Instance, per: &PerReplica<'_>, node: &Node| {
            let text = node.as_text("this")?;
            Ok(text.replace("$(port)", &per.ports[0].1.to_string()))
        };
        let checked = foresee(instances, Path::new(""), Path::new("/nonexistent"), &resolve);
        checked.err().map(|mistakes| mistakes.0.iter().map(|mistake| mistake.code).collect()).unwrap_or_default()
    }

    #[test]
    fn what_a_start_would_refuse_is_refused_before() {
        let with = |start: &str| {
            let mut made = instance("shop");
            made.start = Some(Node::text_at(made.place, start));
            made
        };
        assert_eq!(codes(&[with("sh -c true --port $(port)")]), [] as [&str; 0]);
        assert_eq!(codes(&[with("no-such-program-here")]), ["launch::no-program"]);
        assert_eq!(codes(&[with("./no/such/program")]), ["launch::no-program"]);
        assert_eq!(codes(&[with("sh 'never closed")]), ["launch::bad-command"]);
        assert_eq!(codes(&[with("$(scratch)/made-later")]), [] as [&str; 0]);
        let pinned = Instance { cores: vec![0, 900], ..with("sh -c true") };
        assert_eq!(codes(&[pinned]), ["launch::no-core"]);
        let needy = Instance { needs: vec!["nobody".into()], ..with("no-such-program-here") };
        assert_eq!(codes(&[needy]), ["launch::needs-unknown", "launch::no-program"]);
    }
}
