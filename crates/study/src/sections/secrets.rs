//! `secrets`: which there are, who needs them, and where their values come from.

use crate::model::{SecretName, load_node};
use crate::names::secrets::{SecretSource, Secrets};
use crate::sections::watch;
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::text;
use contract::{Mistakes, Node, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Keys of a secret.
pub(crate) static SECRET: [Key; 2] = [
    key("file", Form::Text, "file that holds the secret, beside the study"),
    key("source", Form::Text, "written by loadproof into the study it archives"),
];

/// A secret as it is asked for.
struct Wanted {
    name: String,
    place: Place,
    file: Option<String>,
    /// Where the study that was archived says that it came from.
    written: Option<String>,
}

/// Who mentions a secret.
#[derive(Default)]
struct Users {
    /// What every process reads, such as a variable.
    is_everybodys: bool,
    /// The load, or a monitor of the process that conducts the run.
    is_of_run: bool,
    /// Nodes whose monitors do.
    nodes: BTreeSet<String>,
}

/// Finds the secrets: those that any text of the study mentions, and those under `secrets`. One that only others need may
/// be missing: a stand-in takes its place.
pub(crate) fn read(
    root: &Node,
    node: Option<&Node>,
    base: &Path,
    source: &SecretSource,
    mistakes: &mut Mistakes,
) -> (Vec<SecretName>, Secrets) {
    let users = users(root);
    let mut secrets = if *source == SecretSource::Ignore { Secrets::ignored() } else { Secrets::default() };
    let mut names = Vec::new();
    for Wanted { name, place, file, written } in wanted(root, node, mistakes) {
        if *source == SecretSource::Ignore {
            names.push(SecretName { source: written.unwrap_or_else(|| format!("environment {name}")), name });
            continue;
        }
        let path = file.as_ref().map(|file| base.join(file));
        let found = secrets.look_up(&name, path.as_deref(), place);
        let (found, elsewhere) = match (found, users.get(&name).and_then(|users| users.elsewhere(source))) {
            // Nobody here needs it, so nobody here has to have it.
            (Err(_), Some(elsewhere)) => (Ok(secrets.stand_in(&name)), Some(elsewhere)),
            (found, _) => (found, None),
        };
        let Some(mut found) = mistakes.keep(found) else { continue };
        if let Some(elsewhere) = elsewhere {
            found.source = elsewhere;
        } else if found.source == "file" {
            found.source = format!("file {}", file.unwrap_or_default());
        }
        if let (SecretSource::OfNode(_), Some(written)) = (source, written) {
            // The study is that of the run, wherever this process has the value from.
            found.source = written;
        }
        names.push(found);
    }
    (names, secrets)
}

fn wanted(root: &Node, node: Option<&Node>, mistakes: &mut Mistakes) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for (key, value) in node.and_then(Node::map).unwrap_or_default() {
        let name = key.text().unwrap_or_default().to_owned();
        let mut keys = Reader::of(value, &SECRET, format!("secret `{name}`"), mistakes);
        let mut text = |key, what, mistakes: &mut Mistakes| {
            keys.take(key).and_then(|node| mistakes.keep(node.as_text(what).map(str::to_owned)))
        };
        let (file, written) = (text("file", "`file`", mistakes), text("source", "`source`", mistakes));
        keys.finish(mistakes);
        wanted.push(Wanted { name, place: key.place, file, written });
    }
    let mut found = Vec::new();
    text::expressions(root, &mut found);
    for (expression, place) in found {
        if let Some(name) = expression.strip_prefix("secret.")
            && !wanted.iter().any(|known| known.name == name)
        {
            wanted.push(Wanted { name: name.to_owned(), place, file: None, written: None });
        }
    }
    wanted
}

/// Who mentions which secret.
fn users(root: &Node) -> BTreeMap<String, Users> {
    let mut all = BTreeMap::new();
    for (key, value) in root.map().unwrap_or_default() {
        match key.text() {
            Some("watch") => {
                for (_, monitor) in value.map().unwrap_or_default() {
                    let carrier = watch::carrier_of(monitor);
                    mentioned(monitor, &mut all, |users| match carrier {
                        Some(carrier) => drop(users.nodes.insert(carrier.to_owned())),
                        None => users.is_of_run = true,
                    });
                }
            }
            Some("vars" | "scripts") => mentioned(value, &mut all, |users| users.is_everybodys = true),
            _ => mentioned(value, &mut all, |users| users.is_of_run = true),
        }
    }
    all
}

fn mentioned(node: &Node, all: &mut BTreeMap<String, Users>, mut note: impl FnMut(&mut Users)) {
    let mut found = Vec::new();
    text::expressions(node, &mut found);
    let names = found.into_iter().filter_map(|(expression, _)| expression.strip_prefix("secret."));
    names.for_each(|name| note(all.entry(name.to_owned()).or_default()));
}

/// Whether this process needs what a monitor mentions.
pub(crate) fn is_watched_here(monitor: &Node, source: &SecretSource) -> bool {
    let nodes: BTreeSet<String> = watch::carrier_of(monitor).map(str::to_owned).into_iter().collect();
    let users = Users { is_of_run: nodes.is_empty(), nodes, ..Users::default() };
    users.elsewhere(source).is_none()
}

impl Users {
    /// Where the secret is needed, if that is not in this process.
    fn elsewhere(&self, source: &SecretSource) -> Option<String> {
        let own = match source {
            SecretSource::OfNode(name) => Some(name.as_str()),
            _ => None,
        };
        let carries_load = own.is_none_or(|name| load_node(name).is_some());
        let is_needed =
            self.is_everybodys || (self.is_of_run && carries_load) || own.is_some_and(|own| self.nodes.contains(own));
        if is_needed {
            return None;
        }
        let nodes: Vec<&str> = self.nodes.iter().map(String::as_str).collect();
        Some(format!("the node {}", nodes.join(", ")))
    }
}
