//! The monitor's part of a study: which groups, or which containers.

use crate::docker::{Container, SOCKET, is_name};
use crate::group::Tree;
use contract::{BuildContext, INSTANCE_NAME, Keys, Mistake, Mistakes, MonitorSettings, Node};
use std::path::PathBuf;

/// Where groups are on a machine where nobody changed that.
const ROOT: &str = "/sys/fs/cgroup";

/// Where the figures of each instance come from, in the order of the instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Config {
    /// The group of the instance's process.
    OfProcess(Tree),
    /// Groups by their paths.
    Paths(Tree, Vec<String>),
    Docker(Vec<Container>),
}

/// Reads the settings, and looks whether there is anything to read, if it will be this machine's.
///
/// # Errors
/// All mistakes at once.
pub(crate) fn read(settings: &MonitorSettings, context: &BuildContext<'_>) -> Result<Config, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut keys = Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes);
    let place = keys.place();
    let mut take = |key: &'static str| keys.take(key).filter(|node| !node.is_missing());
    let (path, root, docker, socket) = (take("path"), take("root"), take("docker"), take("socket"));
    keys.finish(&mut mistakes);
    if let (Some(_), Some(node)) = (docker, path.or(root)) {
        let what = "`docker` asks for a container, and no files are read";
        mistakes.push(Mistake::at(node.place, "cgroup::either", what).label("remove this, or `docker`"));
    }
    let text = |node: &Node, what: &str, mistakes: &mut Mistakes| mistakes.keep(context.text(node, what));
    if let Some(node) = docker {
        let socket_text = socket.map_or(Some(SOCKET.to_owned()), |node| text(node, "`socket`", &mut mistakes));
        let names = each(node, "`docker`", settings, context, &mut mistakes);
        let socket = PathBuf::from(socket_text.unwrap_or_default());
        if let Some(wrong) = names.iter().find(|name| !is_name(name)) {
            let what = format!("`{}` cannot be the name of a container", wrong.escape_debug());
            mistakes.push(Mistake::at(node.place, "cgroup::container", what).label("write its name or id, `shop-1`"));
        }
        if mistakes.is_empty() && !context.is_for_elsewhere() && !Container::is_there(&socket) {
            let what = format!("nothing answers at `{}`, where Docker's API is looked for", socket.display());
            mistakes
                .push(Mistake::at(node.place, "cgroup::no-docker", what).label("name another with `socket: PATH`").hint(
                "whoever runs loadproof must be allowed to open the socket: a member of the group `docker`, as a rule",
            ));
        }
        mistakes.into_result()?;
        return Ok(Config::Docker(names.into_iter().map(|name| Container { socket: socket.clone(), name }).collect()));
    }
    if let Some(node) = socket {
        let what = "`socket` is where Docker is asked, and no container is named";
        mistakes.push(Mistake::at(node.place, "cgroup::either", what).label("add `docker: NAME`, or remove this"));
    }
    let root = root.map_or(Some(ROOT.to_owned()), |node| text(node, "`root`", &mut mistakes)).unwrap_or_default();
    let tree = Tree { root: context.base().join(root), proc: PathBuf::from("/proc") };
    let paths = path.map(|node| each(node, "`path`", settings, context, &mut mistakes));
    if let Some(what) = tree.missing().filter(|_| mistakes.is_empty() && !context.is_for_elsewhere()) {
        mistakes.push(
            Mistake::at(place, "cgroup::no-hierarchy", what)
                .label("there is nothing to watch on this machine")
                .hint("mount them (`mount -t cgroup2 none /sys/fs/cgroup`), name where they are with `root: PATH`, ask Docker with `docker: NAME`, or remove this monitor; `process` watches without groups"),
        );
    }
    mistakes.into_result()?;
    Ok(match paths {
        Some(paths) => Config::Paths(tree, paths),
        None => Config::OfProcess(tree),
    })
}

/// A text for each instance.
fn each(
    node: &Node,
    what: &str,
    settings: &MonitorSettings,
    context: &BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Vec<String> {
    let is_one = node.text().is_some_and(|text| !text.contains(INSTANCE_NAME));
    if is_one && settings.instances.len() > 1 {
        let found = format!("{} instances would share one {what}", settings.instances.len());
        mistakes.push(
            Mistake::at(node.place, "cgroup::shared", found)
                .label("write `$(instance)` where their names differ")
                .hint("or watch one of them: `of: [NAME]`"),
        );
        return Vec::new();
    }
    let of = |instance: &contract::Watched| context.text(&MonitorSettings::of_instance(node, &instance.name), what);
    settings.instances.iter().map_while(|instance| mistakes.keep(of(instance))).collect()
}
