//! Processes whose truth is known, as a server under an even or a random load shows them: response times by second.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Times of the calls of each second, any unit.
pub(crate) type Run = Vec<Vec<f64>>;

/// A stationary process, for so long.
pub(crate) struct Process {
    pub(crate) name: &'static str,
    pub(crate) seconds: usize,
    /// Calls a second.
    pub(crate) rate: f64,
    pub(crate) kind: Kind,
}

/// How times come about.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Lognormal, independent.
    Independent,
    /// Lognormal, driven by a first-order process with this correlation from call to call.
    FromCallToCall(f64),
    /// Lognormal, half of whose variance is common to a second, with this correlation from second to second.
    FromSecondToSecond(f64),
    /// The server stands still for so many seconds, so many seconds apart: evenly, or at random.
    Stalls { seconds: f64, apart: f64, is_random: bool },
    /// A queue with one server at this utilisation, random arrivals and service times.
    Queue(f64),
    /// The same with service times that are all alike.
    EvenQueue(f64),
    /// The same with service times of which one in ten is nine times as long.
    UnevenQueue(f64),
    /// One queue before so many servers.
    Servers(usize, f64),
    /// Times rise and fall by a factor of e in waves of so many seconds.
    Waves(f64),
    /// Lognormal, half of whose variance is common to a second and remembers seconds, tens of seconds and minutes alike.
    AllMemories,
    /// Independent, with a tail of this power.
    HeavyTail(f64),
    /// Five times as slow in this share of the time, for so many seconds at a time on average.
    Moods { share: f64, seconds: f64 },
}

/// The processes of the table in the guide.
pub(crate) const PROCESSES: &[Process] = &[
    process("independent", 60, 167.0, Kind::Independent),
    process("independent", 600, 167.0, Kind::Independent),
    process("0.9 from call to call", 60, 167.0, Kind::FromCallToCall(0.9)),
    process("0.5 from second to second", 60, 167.0, Kind::FromSecondToSecond(0.5)),
    process("0.9 from second to second", 60, 167.0, Kind::FromSecondToSecond(0.9)),
    process("0.9 from second to second", 600, 16.7, Kind::FromSecondToSecond(0.9)),
    process("0.9 from second to second", 3600, 27.8, Kind::FromSecondToSecond(0.9)),
    process("stalls of 3 s each 30 s", 60, 167.0, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: false }),
    process("stalls of 3 s each 30 s", 600, 16.7, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: false }),
    process("M/M/1 at 0.8", 60, 167.0, Kind::Queue(0.8)),
    process("M/M/1 at 0.8", 600, 167.0, Kind::Queue(0.8)),
    process("M/M/1 at 0.95", 600, 167.0, Kind::Queue(0.95)),
    process("M/M/1 at 0.95", 3600, 27.8, Kind::Queue(0.95)),
    process("M/M/1 at 0.9", 30, 167.0, Kind::Queue(0.9)),
    process("M/M/1 at 0.95", 30, 167.0, Kind::Queue(0.95)),
    process("M/M/1 at 0.95", 60, 167.0, Kind::Queue(0.95)),
    process("M/D/1 at 0.9", 60, 167.0, Kind::EvenQueue(0.9)),
    process("M/D/1 at 0.95", 60, 167.0, Kind::EvenQueue(0.95)),
    process("uneven service, one server at 0.8", 60, 167.0, Kind::UnevenQueue(0.8)),
    process("stalls of 3 s at random", 60, 167.0, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: true }),
    process("stalls of 3 s at random", 600, 16.7, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: true }),
    process("slow 5 % of the time, 1 s each", 60, 167.0, Kind::Moods { share: 0.05, seconds: 1.0 }),
    process("slow 5 % of the time, 1 s each", 600, 50.0, Kind::Moods { share: 0.05, seconds: 1.0 }),
    process("slow 1 % of the time, 2 s each", 600, 50.0, Kind::Moods { share: 0.01, seconds: 2.0 }),
];

/// Processes that were written down after the rule was chosen, and never used to change it.
pub(crate) const UNSEEN: &[Process] = &[
    process("M/M/1 at 0.7", 60, 250.0, Kind::Queue(0.7)),
    process("M/M/1 at 0.9", 600, 80.0, Kind::Queue(0.9)),
    process("M/D/1 at 0.8", 600, 40.0, Kind::EvenQueue(0.8)),
    process("one queue, 4 servers at 0.9", 300, 100.0, Kind::Servers(4, 0.9)),
    process("uneven service, one server at 0.8", 600, 100.0, Kind::UnevenQueue(0.8)),
    process("waves of 20 s", 60, 100.0, Kind::Waves(20.0)),
    process("waves of 45 s", 600, 50.0, Kind::Waves(45.0)),
    process("0.7 from second to second", 300, 60.0, Kind::FromSecondToSecond(0.7)),
    process("0.99 from call to call", 120, 200.0, Kind::FromCallToCall(0.99)),
    process("memories of seconds to minutes", 600, 50.0, Kind::AllMemories),
    process("tail of power 2.5", 60, 150.0, Kind::HeavyTail(2.5)),
    process("pauses of 0.2 s each 7 s", 120, 120.0, Kind::Stalls { seconds: 0.2, apart: 7.0, is_random: true }),
    process("slow 20 % of the time, 5 s each", 600, 50.0, Kind::Moods { share: 0.2, seconds: 5.0 }),
    process("slow 10 % of the time, 10 s each", 300, 50.0, Kind::Moods { share: 0.1, seconds: 10.0 }),
    process("one value a second, independent", 60, 1.0, Kind::Independent),
    process("one value a second, 0.5 to the next", 60, 1.0, Kind::FromCallToCall(0.5)),
    process("one value a second, 0.9 to the next", 60, 1.0, Kind::FromCallToCall(0.9)),
    process("one value a second, 0.9 to the next", 600, 1.0, Kind::FromCallToCall(0.9)),
    process("independent", 10, 167.0, Kind::Independent),
    process("independent", 30, 167.0, Kind::Independent),
    process("0.5 from second to second", 30, 167.0, Kind::FromSecondToSecond(0.5)),
    process("M/M/1 at 0.8", 10, 167.0, Kind::Queue(0.8)),
    process("M/M/1 at 0.8", 30, 167.0, Kind::Queue(0.8)),
    process("stalls of 3 s at random", 30, 167.0, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: true }),
];

const fn process(name: &'static str, seconds: usize, rate: f64, kind: Kind) -> Process {
    Process { name, seconds, rate, kind }
}

/// A seeded source of random numbers.
pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Strictly between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -self.uniform().ln() * mean
    }

    pub(crate) fn normal(&mut self) -> f64 {
        self.exponential(2.0).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// About 1, with a long tail.
    fn lognormal(&mut self) -> f64 {
        (0.5 * self.normal()).exp()
    }
}

impl Process {
    /// One run of it.
    pub(crate) fn run(&self, random: &mut Random) -> Run {
        match self.kind {
            Kind::Independent => self.even(|_, _| random.lognormal()),
            Kind::FromCallToCall(correlation) => {
                let mut state = random.normal();
                self.even(|_, _| {
                    let time = (0.5 * state).exp();
                    state = next(state, correlation, random);
                    time
                })
            }
            Kind::FromSecondToSecond(correlation) => {
                let (mut state, mut now) = (random.normal(), 0);
                self.even(|_, second| {
                    if second > now {
                        (now, state) = (second, next(state, correlation, random));
                    }
                    (0.5 * std::f64::consts::FRAC_1_SQRT_2 * (state + random.normal())).exp()
                })
            }
            Kind::Stalls { seconds, apart, is_random } => self.stalls(seconds, apart, is_random, random),
            Kind::Queue(utilisation) => self.queue(random, |random, mean| random.exponential(mean), utilisation),
            Kind::EvenQueue(utilisation) => self.queue(random, |_, mean| mean, utilisation),
            Kind::UnevenQueue(utilisation) => {
                let service = |random: &mut Random, mean: f64| {
                    let is_long = random.uniform() < 0.1;
                    random.exponential(mean / 1.8 * if is_long { 9.0 } else { 1.0 })
                };
                self.queue(random, service, utilisation)
            }
            Kind::Servers(servers, utilisation) => self.servers(servers, utilisation, random),
            Kind::Waves(seconds) => {
                let begun = random.uniform() * seconds;
                self.even(|at, _| {
                    let wave = (std::f64::consts::TAU * (at + begun) / seconds).sin();
                    (0.5 * wave).exp() * random.lognormal()
                })
            }
            Kind::AllMemories => {
                const MEMORIES: [f64; 3] = [0.5, 0.9, 0.98];
                let (mut states, mut now) = (MEMORIES.map(|_| random.normal()), 0);
                self.even(|_, second| {
                    if second > now {
                        now = second;
                        for (state, correlation) in states.iter_mut().zip(MEMORIES) {
                            *state = next(*state, correlation, random);
                        }
                    }
                    let common = states.iter().sum::<f64>() / 3f64.sqrt();
                    (0.5 * std::f64::consts::FRAC_1_SQRT_2 * (common + random.normal())).exp()
                })
            }
            Kind::HeavyTail(power) => self.even(|_, _| random.uniform().powf(-1.0 / power)),
            Kind::Moods { share, seconds } => self.moods(share, seconds, random),
        }
    }

    /// Calls at even distances: a time for each moment and second.
    fn even(&self, mut time: impl FnMut(f64, usize) -> f64) -> Run {
        let mut run = vec![Vec::new(); self.seconds];
        for call in 0..(self.rate * self.seconds as f64) as usize {
            let at = (call as f64 + 0.5) / self.rate;
            let second = (at as usize).min(self.seconds - 1);
            run[second].push(time(at, second));
        }
        run
    }

    fn stalls(&self, seconds: f64, apart: f64, is_random: bool, random: &mut Random) -> Run {
        let pause = |random: &mut Random| {
            if is_random { random.exponential(apart - seconds) } else { apart - seconds }
        };
        // At any moment of its course.
        let is_in_one = random.uniform() < seconds / apart;
        let (past, first) = (random.uniform() * seconds, pause(random));
        let mut begins = match (is_in_one, is_random) {
            (true, _) => -past,
            (false, true) => first,
            (false, false) => random.uniform() * first,
        };
        self.even(|at, _| {
            while at >= begins + seconds {
                begins += seconds + pause(random);
            }
            let work = 0.01 * random.lognormal();
            if at >= begins { begins + seconds - at + work } else { work }
        })
    }

    /// Lindley's recursion, after a warm-up of many memories.
    fn queue(&self, random: &mut Random, service: fn(&mut Random, f64) -> f64, utilisation: f64) -> Run {
        let mut run = vec![Vec::new(); self.seconds];
        let mean = utilisation / self.rate;
        let memory = mean / (1.0 - utilisation).powi(2);
        let (mut wait, mut at) = (0.0, -20.0 * memory);
        while at < self.seconds as f64 {
            let stay = wait + service(random, mean);
            if at >= 0.0 {
                run[at as usize].push(stay);
            }
            let gap = random.exponential(1.0 / self.rate);
            (wait, at) = ((stay - gap).max(0.0), at + gap);
        }
        run
    }

    /// Kiefer and Wolfowitz' recursion: what each server still has to do, least first.
    fn servers(&self, servers: usize, utilisation: f64, random: &mut Random) -> Run {
        let mut run = vec![Vec::new(); self.seconds];
        let mean = utilisation * servers as f64 / self.rate;
        let memory = mean / servers as f64 / (1.0 - utilisation).powi(2);
        let (mut left, mut at) = (vec![0.0; servers], -20.0 * memory - 20.0 * mean);
        while at < self.seconds as f64 {
            left.sort_by(f64::total_cmp);
            left[0] += random.exponential(mean);
            if at >= 0.0 {
                run[at as usize].push(left[0]);
            }
            let gap = random.exponential(1.0 / self.rate);
            left.iter_mut().for_each(|left: &mut f64| *left = (*left - gap).max(0.0));
            at += gap;
        }
        run
    }

    fn moods(&self, share: f64, seconds: f64, random: &mut Random) -> Run {
        let mut is_slow = random.uniform() < share;
        let stay = |is_slow: bool| if is_slow { seconds } else { seconds * (1.0 - share) / share };
        let mut until = random.exponential(stay(is_slow));
        self.even(|at, _| {
            while at >= until {
                is_slow = !is_slow;
                until += random.exponential(stay(is_slow));
            }
            random.lognormal() * if is_slow { 5.0 } else { 1.0 }
        })
    }
}

fn next(state: f64, correlation: f64, random: &mut Random) -> f64 {
    correlation * state + (1.0 - correlation * correlation).sqrt() * random.normal()
}
