//! A hub may send a request on to another (status 307 or 308): how far that is followed.
//!
//! It is followed to the hub's own host, whatever the port, and to wherever an exchange of the study goes; hosts that a
//! study does not name are never contacted.

use crate::config::{Endpoint, Exchange};
use contract::{Note, Place, Template};
use http_wire::{Shared, Url, found, say};
use std::cell::RefCell;
use std::rc::Rc;

/// Redirects of one request that are followed: a hub that needs more goes round in a circle.
pub(crate) const REDIRECTS_MAX: u8 = 5;
/// A longer address is none.
const LOCATION_BYTES_MAX: usize = 8 * 1024;
/// Ports of hubs' hosts beside those that the study names, for each load thread.
const PLACES_MAX: usize = 16;

/// Whether a status sends the same request on. The others make something else of it (RFC 9110, section 15.4), and no hub
/// may answer with them.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 307 | 308)
}

/// Why a redirect is not followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    location: Vec<u8>,
    why: Why,
}

#[derive(Debug, PartialEq, Eq)]
enum Why {
    Missing,
    NoAddress,
    /// From `https://` to `http://`, and the form holds the secret.
    Unsafe,
    Elsewhere,
    TooMany,
    TooManyPlaces,
    /// What connections there need cannot be made ready.
    Unready(String),
}

impl Refused {
    fn new(location: &[u8], why: Why) -> Self {
        Self { location: location[..location.len().min(LOCATION_BYTES_MAX)].to_vec(), why }
    }

    /// After as many as are followed there is one more.
    pub(crate) fn one_too_many(location: &[u8]) -> Self {
        Self::new(location, Why::TooMany)
    }

    /// What would go there cannot be made.
    pub(crate) fn unmade(location: &[u8]) -> Self {
        Self::new(location, Why::Unready("its request cannot be made".to_owned()))
    }

    /// There is no address.
    pub(crate) fn missing() -> Self {
        Self::new(b"", Why::Missing)
    }

    /// Says so, and what to write.
    pub(crate) fn tell(&self, note: &mut Note) {
        let location = found(note, &String::from_utf8_lossy(&self.location));
        match &self.why {
            Why::Missing => note.add(b"it does not say where to go"),
            Why::NoAddress => say(note, format_args!("`{location}` is not an address that can be requested")),
            Why::Unsafe => {
                say(
                    note,
                    format_args!("`{location}` is not followed from `https://`, as the request holds the secret"),
                );
            }
            Why::Elsewhere => say(
                note,
                format_args!(
                    "`{location}` is on another host, where no exchange of the study goes: hosts that a study does not \
                     name are never contacted; name that hub in place of this one"
                ),
            ),
            Why::TooMany => say(
                note,
                format_args!("it leads to `{location}` after {REDIRECTS_MAX} redirects, the most that are followed"),
            ),
            Why::TooManyPlaces => say(
                note,
                format_args!("`{location}` is at one more port than the {PLACES_MAX} that requests are sent on to"),
            ),
            Why::Unready(why) => say(note, format_args!("`{location}` cannot be reached: {why}")),
        }
    }
}

/// The address to which a redirect from this one leads.
pub(crate) fn next(from: &Url, location: &[u8]) -> Result<Url, Refused> {
    let refused = |why| Refused::new(location, why);
    let text = std::str::from_utf8(location).ok().filter(|text| text.len() <= LOCATION_BYTES_MAX);
    let there = text.and_then(|text| url::Url::parse(&shown(from)).ok()?.join(text).ok());
    let mut there =
        there.filter(|it| matches!(it.scheme(), "http" | "https")).ok_or_else(|| refused(Why::NoAddress))?;
    there.set_fragment(None);
    let url = Url::read(&Template::fixed(there.to_string().into_bytes()), Place::default());
    let url = url.map_err(|_| refused(Why::NoAddress))?;
    if from.is_tls && !url.is_tls { Err(refused(Why::Unsafe)) } else { Ok(url) }
}

/// An address as it is written.
pub(crate) fn shown(url: &Url) -> String {
    let scheme = if url.is_tls { "https" } else { "http" };
    format!("{scheme}://{}{}", url.authority, String::from_utf8_lossy(url.target.as_fixed().unwrap_or(b"/")))
}

/// Where clients of a load thread go.
pub(crate) struct Places {
    named: Vec<Endpoint>,
    shared: Rc<Shared>,
    /// Other ports of the hosts of hubs, found when a hub leads there.
    others: RefCell<Vec<(Endpoint, Rc<Shared>)>>,
}

impl Places {
    /// Those that the study names, and what clients that go there share.
    pub(crate) fn new(named: Vec<Endpoint>, shared: Rc<Shared>) -> Self {
        Self { named, shared, others: RefCell::default() }
    }

    /// What a client needs to go to this address, and the index of it there.
    ///
    /// # Errors
    /// Nothing of the study goes there.
    pub(crate) fn of(&self, url: &Url, exchange: &Exchange) -> Result<(Rc<Shared>, usize), Refused> {
        let refused = |why| Refused::new(shown(url).as_bytes(), why);
        let endpoint = exchange.endpoint(url);
        let is_same = |known: &Endpoint| *known == endpoint;
        let is_there = |known: &Endpoint| known.is_at(&endpoint);
        let named = self.named.iter().position(is_same).or_else(|| self.named.iter().position(is_there));
        if let Some(index) = named {
            return Ok((self.shared.clone(), index));
        }
        let hub = self.named.get(exchange.hub).filter(|hub| hub.host.eq_ignore_ascii_case(&endpoint.host));
        if hub.is_none() {
            return Err(refused(Why::Elsewhere));
        }
        let mut others = self.others.borrow_mut();
        if let Some((_, shared)) = others.iter().find(|(known, _)| *known == endpoint) {
            return Ok((shared.clone(), 0));
        }
        if others.len() >= PLACES_MAX {
            return Err(refused(Why::TooManyPlaces));
        }
        let shared = self.shared.beside(exchange.hub, &endpoint.host, endpoint.port, endpoint.tls.as_ref());
        let shared = shared.map_err(|failure| refused(Why::Unready(failure.0)))?;
        others.push((endpoint, shared.clone()));
        Ok((shared, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> Url {
        Url::read(&Template::fixed(text.as_bytes()), Place::default()).unwrap()
    }

    fn leads(from: &str, location: &str) -> Result<String, Why> {
        next(&url(from), location.as_bytes()).map(|url| shown(&url)).map_err(|refused| refused.why)
    }

    #[test]
    fn a_redirect_leads_to_an_address_of_http() {
        for (from, location, to) in [
            ("http://h/hub", "http://other:8080/hub?a=b", "http://other:8080/hub?a=b"),
            ("http://h:1/a/hub", "next", "http://h:1/a/next"),
            ("http://h:1/a/hub", "/x#fragment", "http://h:1/x"),
            ("http://h/hub", "https://h/hub", "https://h/hub"),
            ("https://[::1]:9/", "//[::1]:8/y", "https://[::1]:8/y"),
        ] {
            assert_eq!(leads(from, location).as_deref(), Ok(to), "{location}");
        }
        for location in ["ftp://h/", "http://u:p@h/", "http://", "mailto:x", "http://h:99999/"] {
            assert_eq!(leads("http://h/", location), Err(Why::NoAddress), "{location}");
        }
        assert_eq!(leads("https://h/", "http://h/"), Err(Why::Unsafe));
        assert_eq!(leads("http://h/", &format!("/{}", "x".repeat(LOCATION_BYTES_MAX))), Err(Why::NoAddress));
    }

    proptest! {
        #[test]
        fn any_location_is_an_address_or_is_none(location in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(url) = next(&url("http://h/hub"), &location) {
                let head = shown(&url);
                prop_assert!(!head.contains(['\r', '\n', ' ']), "{head:?}");
            }
        }
    }
}
