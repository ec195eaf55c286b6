//! What the study says of how instances are asked, looked at before anything starts.

use crate::address::Address;
use contract::{BuildContext, Mistake, Mistakes, Name, Names, Node, Place, Shape};
use http_wire::{ProxySettings, TlsSettings};
use std::path::Path;
use study::{Instance, Places};

/// Texts are filled in before they are read; nothing is left to name.
struct NoNames;

impl Names for NoNames {
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
        let what = format!("`$({expression})` is not known here: this is decided before anything starts");
        Err(Mistake::at(place, "study::not-yet-known", what))
    }
}

/// Reads what an instance trusts when it is asked, and who asks.
pub(crate) fn tls(instance: &Instance, base: &Path, mistakes: &mut Mistakes) -> TlsSettings {
    TlsSettings::read(instance.tls.as_ref(), &BuildContext::new(&NoNames, base), mistakes)
}

/// By way of which proxy an instance is asked; `fill` fills in the names of its texts, among which secrets are.
///
/// # Errors
/// The first mistake in it.
pub(crate) fn proxy(
    instance: &Instance,
    base: &Path,
    fill: &dyn Fn(&Node) -> Result<String, Mistake>,
) -> Result<Option<ProxySettings>, Mistake> {
    let Some(node) = &instance.proxy else { return Ok(None) };
    let filled = |node: &Node| match &node.shape {
        Shape::Text { .. } => Ok(Node::text_at(node.place, fill(node)?)),
        _ => Ok(node.clone()),
    };
    let node = match &node.shape {
        Shape::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), filled(value)?)));
            Node { place: node.place, shape: Shape::Map(entries.collect::<Result<_, Mistake>>()?) }
        }
        _ => filled(node)?,
    };
    let mut mistakes = Mistakes::default();
    let read = ProxySettings::read(Some(&node), &BuildContext::new(&NoNames, base), &mut mistakes);
    match mistakes.0.into_iter().next() {
        None => Ok(read),
        Some(first) => Err(first),
    }
}

/// Whether any text of a setting is not known before the start.
fn has_names(node: &Node) -> bool {
    match &node.shape {
        Shape::Text { text, .. } => text.contains("$("),
        Shape::List(members) => members.iter().any(has_names),
        Shape::Map(entries) => entries.iter().any(|(_, value)| has_names(value)),
    }
}

/// Finds what would keep instances from being asked: certificates that cannot be read, addresses that are none.
/// `places` are stand-ins, in which an instance that runs already stands where its URL says.
///
/// # Errors
/// All mistakes of all instances.
pub fn check(instances: &[Instance], base: &Path, places: &Places) -> Result<(), Mistakes> {
    let mut mistakes = Mistakes::default();
    for instance in instances {
        tls(instance, base, &mut mistakes);
        // One with names is looked at when these are known.
        if instance.proxy.as_ref().is_some_and(|node| !has_names(node)) {
            let as_written = |node: &Node| node.as_text("`proxy`").map(str::to_owned);
            mistakes.keep(proxy(instance, base, &as_written));
        }
        let place = places.instance(&instance.name).and_then(|place| place.replicas.first());
        if let (Some(node), Some(place)) = (&instance.url, place)
            && let Err(mistake) = adopted(instance, &place.url, node.place)
        {
            mistakes.push(mistake);
        }
    }
    mistakes.into_result()
}

/// Where an instance that runs already is asked; `None` when nothing is asked there and its address is of another
/// protocol.
pub(crate) fn adopted(instance: &Instance, url: &str, place: Place) -> Result<Option<Address>, Mistake> {
    let is_own = |path: &str| Address::is_whole(path);
    let asks_here = instance.ready.as_deref().is_some_and(|path| !is_own(path))
        || (instance.is_expected() && !is_own(&instance.identity));
    let address = match Address::parse(url) {
        Ok(address) => address,
        Err(_) if !asks_here => return Ok(None),
        Err(why) => {
            return Err(Mistake::at(place, "launch::bad-address", why).hint(
                "if it speaks no HTTP, write whole addresses in `identity: { path: \"http://…\" }` and `ready`",
            ));
        }
    };
    if instance.tls.is_some() && !address.is_tls {
        let what = format!("`{}` has `tls`, and its address begins with `http://`", instance.name);
        return Err(Mistake::at(place, "launch::tls-without-https", what).label("write `https://`, or remove `tls`"));
    }
    Ok(Some(address))
}
