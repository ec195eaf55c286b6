//! The commands of a study's instances, and where programs are looked for.

use contract::{Mistake, Names, Node, Table, compile_template};
use launch::PerReplica;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use study::{Instance, Own, Places, Rejected, Secrets, Study};

/// Finds what would keep the system from being started, with stand-ins for what is known only then.
pub(crate) fn foresee(study: &Study, secrets: &Secrets, tables: &[Arc<Table>]) -> Result<(), Rejected> {
    let places = Places::placeholders(study);
    let resolve = |instance: &Instance, per: &PerReplica<'_>, node: &Node| {
        let own = Own { faults: per.faults.to_owned(), ..Own::placeholder(instance) };
        fixed(&study::names(study, secrets, tables, None, &places).with_own(&own), node)
    };
    launch::foresee(&study.system.instances, &study.base, &folder(), &resolve)
        .map_err(|mistakes| Rejected { files: study.files.clone(), mistakes })
}

/// The folder of this program, where those of the reference systems lie, too.
pub(crate) fn folder() -> PathBuf {
    std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf)).unwrap_or_default()
}

/// A text in which every name is known before anything is sent.
pub(crate) fn fixed(names: &dyn Names, node: &Node) -> Result<String, Mistake> {
    let template = compile_template(node.as_text("this")?, node.place, names)?;
    template
        .as_fixed()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .ok_or_else(|| Mistake::at(node.place, "study::not-yet-known", "a name here differs from exchange to exchange"))
}
