//! The monitor: reads, compares with the sample before, hands over.

use crate::{AVAILABLE, MISSING, SUPPORT};
use contract::{Facts, Failure, Monitor, Samples};
use terms::Nanos;

/// Watches one resource of the machine that it runs on.
pub(crate) struct Pressure {
    name: String,
    path: String,
    /// When, and how many microseconds somebody had waited until then.
    before: Option<(Nanos, u64)>,
}

impl Pressure {
    pub(crate) fn new(name: &str, resource: &str) -> Self {
        Self { name: name.to_owned(), path: format!("/proc/pressure/{resource}"), before: None }
    }

    fn read(&self) -> Result<u64, Failure> {
        let text = std::fs::read_to_string(&self.path)
            .map_err(|error| Failure::new(format!("`{}` cannot be read: {error}", self.path)))?;
        total_us(&text).ok_or_else(|| Failure::new(format!("`{}` has no line `some … total=…`", self.path)))
    }
}

impl Monitor for Pressure {
    fn facts(&mut self, out: &mut Facts) {
        let state = if self.read().is_ok() { AVAILABLE } else { MISSING };
        out.fact(&self.name, &SUPPORT, state);
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let total = self.read()?;
        let instance = out.instance("host");
        if let Some((before_at, before)) = self.before.replace((at, total)) {
            let seconds = (at - before_at).as_secs_f64();
            if seconds > 0.0 {
                let waited = total.saturating_sub(before) as f64 / 1e6;
                out.value(at, instance, 0, (waited / seconds).min(1.0));
            }
        }
        Ok(())
    }
}

/// Microseconds in which at least one task waited: `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`.
/// Source: Linux, Documentation/accounting/psi.rst.
fn total_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_and_nonsense_is_not() {
        // The form of psi.rst, with figures of our own.
        let text =
            "some avg10=0.12 avg60=0.05 avg300=0.01 total=48151623\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        assert_eq!(total_us(text), Some(48_151_623));
        for text in ["", "some", "some total=", "some total=-1", "full total=5", "some total=99999999999999999999"] {
            assert_eq!(total_us(text), None, "{text}");
        }
    }

    #[test]
    fn growth_is_a_share_of_the_real_time() {
        let folder = std::env::temp_dir().join(format!("pressure-{}", std::process::id()));
        let mut monitor = Pressure { path: folder.display().to_string(), ..Pressure::new("skeleton", "cpu") };
        let mut sample = |total: u64, at: i64| {
            std::fs::write(&folder, format!("some avg10=0 total={total}\n")).unwrap();
            let mut out = Samples::default();
            monitor.sample(Nanos::from_millis(at), &mut out).unwrap();
            out.take().0.first().map(|sample| sample.value)
        };
        assert_eq!(sample(1_000, 0), None, "a growth needs two");
        assert_eq!(sample(501_000, 2_000), Some(0.25), "half a second of two");
        assert_eq!(sample(501_000, 2_500), Some(0.0));
        std::fs::remove_file(&folder).unwrap();
        assert!(monitor.sample(Nanos::from_secs(3), &mut Samples::default()).is_err());
    }
}
