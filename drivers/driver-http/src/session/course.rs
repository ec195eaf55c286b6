//! Where redirects have led the exchange in hand: what is requested now, since when, and on the way to what.

use crate::common::Origin;
use crate::endpoint::Endpoint;
use crate::redirect::{self, Hop};
use contract::Note;
use http_wire::{found, say};
use terms::Nanos;

/// A redirect that somebody looks at.
#[derive(Debug)]
struct Seen {
    status: u16,
    asked: Origin,
    took: Nanos,
}

/// The way of one exchange. One that is not redirected leaves it as it is.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// The request that a redirect led to, or an address that was captured.
    hop: Option<Hop>,
    /// Redirects that were followed.
    hops: u8,
    /// When the request in hand began, where a redirect led to it.
    began: Nanos,
    /// The redirects that were followed, where somebody looks; as many as an exchange may follow.
    seen: Vec<Seen>,
}

impl Course {
    /// The request in hand, where it is not the exchange's own.
    pub(super) fn hop(&self) -> Option<&Hop> {
        self.hop.as_ref()
    }

    pub(super) fn hop_mut(&mut self) -> Option<&mut Hop> {
        self.hop.as_mut()
    }

    /// Redirects that were followed.
    pub(super) fn hops(&self) -> u8 {
        self.hops
    }

    /// When the request in hand began; none where that is when the exchange did.
    pub(super) fn began(&self) -> Option<Nanos> {
        (self.hops > 0).then_some(self.began)
    }

    /// The exchange goes to an address that is known only now.
    pub(super) fn begin_at(&mut self, hop: Hop) {
        self.hop = Some(hop);
    }

    /// A redirect is followed.
    pub(super) fn go_on(&mut self, hop: Hop, now: Nanos) {
        self.hop = Some(hop);
        self.hops += 1;
        self.began = now;
    }

    /// Keeps what redirected for who looks.
    pub(super) fn saw(&mut self, status: u16, asked: Origin, took: Nanos) {
        self.seen.push(Seen { status, asked, took });
    }

    /// The exchange has ended.
    pub(super) fn end(&mut self) {
        if self.hop.is_some() {
            self.hop = None;
            self.hops = 0;
            self.seen.clear();
        }
    }

    /// Says how the exchange came to the request in hand; nothing of one that was not redirected.
    pub(super) fn tell(&self, note: &mut Note, endpoints: &[Endpoint]) {
        let Some(hop) = self.hop.as_ref().filter(|_| self.hops > 0) else { return };
        if !self.seen.is_empty() {
            return self.tell_seen(note, endpoints);
        }
        let redirects = if self.hops == 1 { "redirect" } else { "redirects" };
        let at = address(note, endpoints, hop.endpoint, redirect::target(&hop.request));
        say(note, format_args!("after {} {redirects}, at `{at}`: ", self.hops));
    }

    /// Says what each redirect was, where somebody looks.
    pub(super) fn tell_seen(&self, note: &mut Note, endpoints: &[Endpoint]) {
        for Seen { status, asked, took } in &self.seen {
            let at = address(note, endpoints, asked.endpoint, &asked.target);
            say(note, format_args!("redirect: status {status} from `{at}` in {took}\n"));
        }
        if let Some(hop) = self.hop.as_ref().filter(|_| !self.seen.is_empty()) {
            let at = address(note, endpoints, hop.endpoint, redirect::target(&hop.request));
            say(note, format_args!("ended at `{at}`: "));
        }
    }
}

/// An address as a sentence may hold it.
fn address(note: &Note, endpoints: &[Endpoint], endpoint: usize, target: &str) -> String {
    let origin = endpoints.get(endpoint).map(redirect::origin).unwrap_or_default();
    found(note, &format!("{origin}{target}"))
}
