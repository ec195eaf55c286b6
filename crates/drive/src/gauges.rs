//! How much is under way in a lane.

use record::EngineRow;
use terms::Nanos;

/// Time-weighted number in flight, and the worst of the second.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    in_flight: u32,
    since: Nanos,
    area: f64,
    in_flight_max: u32,
    waiting_max: u32,
    awaiting_max: u32,
}

impl Gauges {
    /// Nothing is in flight before this moment.
    pub(crate) fn begin(&mut self, origin: Nanos) {
        self.since = origin;
    }

    /// `by` more in flight from `at` on. A moment that lies before the last change is accounted for as if it had been
    /// told in time: an arrival counts from its intended start, however late the loop sees it.
    #[inline]
    pub(crate) fn change(&mut self, at: Nanos, by: i32) {
        if at >= self.since {
            self.area += (at - self.since).as_secs_f64() * f64::from(self.in_flight);
            self.since = at;
        } else {
            self.area += (self.since - at).as_secs_f64() * f64::from(by);
        }
        self.in_flight = self.in_flight.saturating_add_signed(by);
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
    }

    /// Whether nothing is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight == 0
    }

    /// So many arrivals wait for a connection.
    #[inline]
    pub(crate) fn waiting(&mut self, count: usize) {
        self.waiting_max = self.waiting_max.max(count as u32);
    }

    /// So many legs wait for what others close.
    #[inline]
    pub(crate) fn awaiting(&mut self, count: usize) {
        self.awaiting_max = self.awaiting_max.max(count as u32);
    }

    /// Adds what was seen since the last call to a row. Of greatest numbers the sum is taken, so it was at most so many.
    /// `awaiting` legs wait now.
    pub(crate) fn take(&mut self, now: Nanos, awaiting: usize, row: &mut EngineRow) {
        self.change(now, 0);
        row.in_flight_mean += std::mem::take(&mut self.area);
        row.in_flight_max += std::mem::replace(&mut self.in_flight_max, self.in_flight);
        row.awaiting_max += std::mem::replace(&mut self.awaiting_max, awaiting as u32);
        row.waiting_max += std::mem::take(&mut self.waiting_max);
    }
}
