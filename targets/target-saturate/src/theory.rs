//! The universal scalability law.
//!
//! Source: N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapter 4.

/// Throughput over concurrency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// λ: throughput of one, a second. Greater than 0.
    pub one_per_s: f64,
    /// σ: contention, the part of the work that waits in line for something shared. 0 or more.
    pub contention: f64,
    /// κ: coherency, what each pair costs to keep in agreement. 0 or more.
    pub coherency: f64,
}

impl Law {
    /// `X(n) = λn / (1 + σ(n-1) + κn(n-1))`, a second; 0 for nobody.
    pub fn throughput_per_s(&self, concurrency: u64) -> f64 {
        if concurrency == 0 {
            return 0.0;
        }
        let n = concurrency as f64;
        self.one_per_s * n / (1.0 + self.contention * (n - 1.0) + self.coherency * n * (n - 1.0))
    }

    /// `N/X(N)`, seconds: the response time in a closed load of so many users without think time (Little's law).
    pub fn response_s(&self, users: u64) -> f64 {
        users as f64 / self.throughput_per_s(users)
    }

    /// `sqrt((1-σ)/κ)`, where throughput is greatest; infinite without coherency, 1 if it falls from the start.
    pub fn peak(&self) -> f64 {
        if self.coherency <= 0.0 {
            return f64::INFINITY;
        }
        ((1.0 - self.contention).max(0.0) / self.coherency).sqrt().max(1.0)
    }

    /// How long serving one takes that finds `present` there, itself included, in whole nanoseconds.
    pub fn service_ns(&self, present: u64) -> u64 {
        (1e9 / self.throughput_per_s(present.max(1))).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// λ = 100, σ = .05, κ = .002: a table computed with 40 digits.
    #[test]
    fn reference_values() {
        let law = Law { one_per_s: 100.0, contention: 0.05, coherency: 0.002 };
        let expected = [
            (1, 100.0),
            (2, 189.7533),
            (4, 340.7155),
            (8, 547.1956),
            (12, 661.5215),
            (16, 717.4888),
            (20, 738.0074),
            (24, 737.5538),
            (32, 705.7786),
        ];
        for (users, throughput) in expected {
            assert!((law.throughput_per_s(users) - throughput).abs() < 5e-5, "{users}");
            assert!((law.response_s(users) * throughput / users as f64 - 1.0).abs() < 1e-6, "{users}");
        }
        assert!((law.peak() - 21.794_494_718).abs() < 1e-9);
    }

    #[test]
    fn without_losses_it_is_a_straight_line() {
        let law = Law { one_per_s: 50.0, contention: 0.0, coherency: 0.0 };
        assert_eq!((law.throughput_per_s(0), law.throughput_per_s(7), law.peak()), (0.0, 350.0, f64::INFINITY));
        assert_eq!(law.service_ns(0), law.service_ns(1));
    }

    #[test]
    fn all_contention_never_gains() {
        let law = Law { one_per_s: 50.0, contention: 1.0, coherency: 0.1 };
        assert_eq!((law.throughput_per_s(1), law.peak()), (50.0, 1.0));
        assert!(law.throughput_per_s(10) < 50.0);
    }
}
