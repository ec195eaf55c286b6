//! What the study says of how instances are asked, looked at before anything starts.

use crate::address::Address;
use contract::{BuildContext, Mistake, Mistakes, Name, Names, Place};
use http_wire::TlsSettings;
use std::path::Path;
use study::{Instance, Places};

/// Texts of `tls` are filled in when the study is read; nothing is left to name.
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

/// Finds what would keep instances from being asked: certificates that cannot be read, addresses that are none.
/// `places` are stand-ins, in which an instance that runs already stands where its URL says.
///
/// # Errors
/// All mistakes of all instances.
pub fn check(instances: &[Instance], base: &Path, places: &Places) -> Result<(), Mistakes> {
    let mut mistakes = Mistakes::default();
    for instance in instances {
        tls(instance, base, &mut mistakes);
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
