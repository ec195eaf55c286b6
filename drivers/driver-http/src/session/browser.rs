//! What a session does as a browser: it keeps its user's cookies, and goes where answers send it.

use super::{HttpSession, call};
use crate::common::Origin;
use crate::config::{Anywhere, Exchange};
use crate::cookies::{Destination, Jar};
use crate::redirect::{self, Hop, Keeps, Refused};
use crate::{REDIRECT, REDIRECTS};
use contract::{Interest, Recorder, Task};
use http_wire::Recorded;
use terms::Outcome;

impl HttpSession {
    /// Adds the user's cookies to the request in hand, where some belong there.
    pub(super) fn add_cookies(&mut self, task: &Task, exchange: &Exchange, recorder: &mut Recorder) {
        let Some(cookies) = exchange.cookies.filter(|cookies| cookies.are_sent) else { return };
        let mut kept = self.common.shared.spare.take();
        let value = if recorder.render(task, cookies.template, &mut kept) && !kept.is_empty() {
            let request = call(exchange, &self.request, self.course.hop()).request;
            Jar::read(&kept).header(&self.destination(exchange, request), recorder.wall())
        } else {
            String::new()
        };
        kept.clear();
        self.common.shared.spare.give(kept);
        if value.is_empty() {
            return;
        }
        if let Some(hop) = self.course.hop_mut() {
            return redirect::add_header(&mut hop.request, "Cookie", &value);
        }
        if self.request.is_empty() {
            self.request = self.common.shared.spare.take();
            self.request.extend_from_slice(exchange.request.as_fixed().unwrap_or_default());
        }
        redirect::add_header(&mut self.request, "Cookie", &value);
    }

    /// Takes the cookies that the answer sets, right or wrong, redirect or not.
    pub(super) fn take_cookies(&mut self, exchange: &Exchange, recorder: &mut Recorder) {
        let (Some(cookies), Some(task)) = (exchange.cookies, self.task) else { return };
        let head = self.client.answer().head();
        let mut set = head.all("set-cookie").peekable();
        if set.peek().is_none() {
            return;
        }
        let mut kept = Vec::new();
        recorder.render(&task, cookies.template, &mut kept);
        let mut jar = Jar::read(&kept);
        let from = self.destination(exchange, call(exchange, &self.request, self.course.hop()).request);
        let wall = recorder.wall();
        let mut is_changed = false;
        for header in set {
            is_changed |= jar.take(header, &from, wall);
        }
        if is_changed {
            jar.secrets().for_each(|value| recorder.keep_out(value));
            recorder.capture(cookies.capture, Some(&jar.write()));
        }
    }

    /// The request that the answer in hand redirects to, if it does and that is to be followed.
    pub(super) fn redirected(&self, exchange: &Exchange) -> Option<Result<Hop, Refused>> {
        let answer = self.client.answer();
        if exchange.follow == 0 || !redirect::is_redirect(answer.status()) {
            return None;
        }
        let head = answer.head();
        // Without an address it is an answer like any other.
        let location = head.all("location").next()?;
        if self.course.hops() >= exchange.follow {
            return Some(Err(Refused::one_too_many(location, exchange.follow)));
        }
        let call = call(exchange, &self.request, self.course.hop());
        Some(redirect::next(
            call.request,
            answer.status(),
            location,
            call.target,
            &self.common.endpoints,
            Keeps { cookie: keeps_cookie(exchange), elsewhere: false },
        ))
    }

    /// Follows a redirect.
    pub(super) fn follow(&mut self, hop: Hop, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.task else { return Interest::Idle };
        recorder.count(REDIRECTS, 1);
        let answer = self.client.answer();
        let took = recorder.timed_part(&task, REDIRECT, self.course.began(), answer.body_bytes());
        if recorder.is_looking() {
            let (status, asked) = (answer.status(), self.here(exchange));
            self.course.saw(status, asked, took);
        }
        let host = &mut Recorded { recorder, task: None };
        self.client.finish(&call(exchange, &self.request, self.course.hop()), host);
        let from = recorder.now();
        self.course.go_on(hop, from);
        self.add_cookies(&task, exchange, recorder);
        let host = &mut Recorded { recorder, task: Some(&task) };
        let step = self.client.begin(&call(exchange, &self.request, self.course.hop()), from, host);
        self.after(step, exchange, recorder)
    }

    /// Where the answer in hand came from.
    fn here(&self, exchange: &Exchange) -> Origin {
        let call = call(exchange, &self.request, self.course.hop());
        Origin { endpoint: call.target, target: redirect::target(call.request).to_owned() }
    }

    /// Remembers where the answer came from.
    pub(super) fn note_place(&mut self, exchange: &Exchange) {
        if self.common.has_addresses {
            let here = self.here(exchange);
            self.common.places.borrow_mut().entry(self.user).or_default().answered(here);
        }
    }

    /// Remembers that the addresses which the answer in hand gave came from there: other answers may come before they
    /// are asked for.
    pub(super) fn note_captured(&mut self, outcome: Outcome, exchange: &Exchange) {
        if outcome != Outcome::Ok || self.common.addresses.is_empty() {
            return;
        }
        for slot in exchange.compiled.capture_slots().filter(|slot| self.common.addresses.contains(slot)) {
            let here = self.here(exchange);
            self.common.places.borrow_mut().entry(self.user).or_default().captured(slot, here);
        }
    }

    /// What an address is relative to: where it was captured, or else where its user's last answer came from.
    pub(super) fn origin(&self, anywhere: Anywhere) -> Origin {
        let places = self.common.places.borrow();
        let base = places.get(&self.user).and_then(|places| places.base(anywhere.capture)).cloned();
        base.unwrap_or_else(|| Origin { endpoint: 0, target: "/".to_owned() })
    }

    /// Makes of the request in hand the one to the address that a template gives: absolute, or relative to where it came
    /// from. Whether it could; why not stands in a note.
    pub(super) fn find_address(
        &mut self,
        task: &Task,
        (exchange, anywhere): (&Exchange, Anywhere),
        recorder: &mut Recorder,
    ) -> bool {
        let mut address = Vec::new();
        if !recorder.render(task, anywhere.template, &mut address) {
            let trouble = recorder.take_trouble();
            let text = trouble.as_deref().unwrap_or("the address that the request needs was never captured");
            recorder.note(Outcome::BadStudy, &mut |note| note.add(text.as_bytes()));
            return false;
        }
        let endpoints = &self.common.endpoints;
        // The study wrote its headers for this address, wherever it came from.
        let keeps = Keeps { cookie: keeps_cookie(exchange), elsewhere: true };
        match redirect::next(&self.request, 307, &address, self.origin(anywhere).endpoint, endpoints, keeps) {
            Ok(hop) => {
                self.course.begin_at(hop);
                true
            }
            Err(refused) => {
                recorder.note(Outcome::BadStudy, &mut |note| refused.tell(note));
                false
            }
        }
    }

    fn destination<'a>(&'a self, exchange: &Exchange, request: &'a [u8]) -> Destination<'a> {
        let target = self.course.hop().map_or(exchange.endpoint, |hop| hop.endpoint);
        let endpoint = &self.common.endpoints[target];
        Destination { host: &endpoint.host, is_tls: endpoint.tls.is_some(), target: redirect::target(request) }
    }
}

/// Whether a header `Cookie` of a request is the study's own, and goes with it to where it is redirected.
fn keeps_cookie(exchange: &Exchange) -> bool {
    exchange.cookies.is_none_or(|cookies| !cookies.are_sent)
}
