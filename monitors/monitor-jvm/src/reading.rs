//! What a machine tells at one moment, wherever it was read.

use crate::perf_data::Table;

/// Place of full collections in [`Reading::collectors`].
pub(crate) const FULL: usize = 1;
/// Place of concurrent collections there.
#[cfg(test)]
pub(crate) const CONCURRENT: usize = 2;

/// What a machine tells at one moment; bytes and seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// The young generation; `None` for collectors without generations.
    pub(crate) young: Option<Young>,
    /// The old generation, or the whole heap where there are no generations.
    pub(crate) old: Space,
    pub(crate) heap_max: Option<f64>,
    pub(crate) metaspace: Option<Space>,
    /// Young, full and concurrent collections, in the order in which machines number their collectors; `None` for a
    /// kind that this machine does not have.
    pub(crate) collectors: [Option<Collector>; 3],
    pub(crate) safepoint_s: Option<f64>,
    pub(crate) threads: Option<f64>,
    pub(crate) classes: Option<f64>,
    /// Why the last collection came about.
    pub(crate) cause: Option<String>,
}

/// The young generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Young {
    pub(crate) eden_used: f64,
    pub(crate) survivor_used: f64,
    /// Both survivor spaces included.
    pub(crate) committed: f64,
}

/// Something that is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Space {
    pub(crate) used: f64,
    pub(crate) committed: f64,
    pub(crate) max: Option<f64>,
}

/// One kind of collection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Collector {
    /// Collections that have ended.
    pub(crate) count: u64,
    /// For how long they stopped the program, seconds; of one that goes on, what is over of it.
    pub(crate) seconds: f64,
    /// When the last one ended, in the machine's own ticks, and how long it took, seconds; where that is told.
    pub(crate) last: Option<(i64, f64)>,
}

impl Reading {
    pub(crate) fn heap_used(&self) -> f64 {
        self.old.used + self.young.map_or(0.0, |young| young.eden_used + young.survivor_used)
    }

    pub(crate) fn heap_committed(&self) -> f64 {
        self.old.committed + self.young.map_or(0.0, |young| young.committed)
    }

    /// What is in use outside eden: after a collection, what it left.
    pub(crate) fn outside_eden(&self) -> f64 {
        self.old.used + self.young.map_or(0.0, |young| young.survivor_used)
    }

    /// Collections of all kinds that have ended.
    pub(crate) fn collections(&self) -> u64 {
        self.collectors.iter().flatten().fold(0, |sum, one| sum.saturating_add(one.count))
    }

    /// For how long collections have stopped the program, seconds.
    pub(crate) fn stopped_s(&self) -> f64 {
        self.collectors.iter().flatten().map(|one| one.seconds).sum()
    }

    /// Without generations every pause is one of a concurrent cycle, whatever its number is.
    pub(crate) fn without_generations(mut self) -> Self {
        if self.young.is_none() {
            let all = self.collectors.iter().flatten();
            let joined = all.copied().reduce(|a, b| Collector {
                count: a.count.saturating_add(b.count),
                seconds: a.seconds + b.seconds,
                last: [a.last, b.last].into_iter().flatten().max_by_key(|(at, _)| *at),
            });
            self.collectors = [None, None, joined];
        }
        self
    }

    /// From perf data; `None` while the machine has no heap yet.
    pub(crate) fn of(table: &Table) -> Option<Self> {
        let frequency = table.number("sun.os.hrt.frequency").filter(|ticks| *ticks > 0)? as f64;
        let old_space = "sun.gc.generation.1.space.0.used";
        // The regions of this collector belong to no generation for good: either may grow to the whole heap, and what
        // the counters say is padded by some bytes so that it is never zero.
        let is_regions = table.text("sun.gc.policy.name") == Some("GarbageFirst");
        let size = |name: &str| {
            let bytes = table.number(name).filter(|bytes| *bytes >= 0)?;
            Some(if is_regions { bytes & !0xFFF } else { bytes } as f64)
        };
        let maxima = [0, 1].map(|number| size(&format!("sun.gc.generation.{number}.maxCapacity")));
        let heap_max = match is_regions {
            true => maxima.into_iter().flatten().reduce(f64::max),
            false => maxima.into_iter().flatten().reduce(|a, b| a + b),
        };
        let reading = Self {
            young: young(table, &size),
            old: Space {
                used: table.number(old_space)?.max(0) as f64,
                committed: size("sun.gc.generation.1.capacity")?,
                max: maxima[1],
            },
            heap_max: heap_max.filter(|bytes| *bytes > 0.0),
            metaspace: metaspace(table),
            collectors: [0, 1, 2].map(|number| collector(table, number, frequency)),
            safepoint_s: table.number("sun.rt.safepointTime").map(|ticks| ticks as f64 / frequency),
            threads: table.number("java.threads.live").map(|count| count as f64),
            classes: classes(table),
            cause: table.text("sun.gc.lastCause").filter(|cause| !cause.is_empty()).map(str::to_owned),
        };
        Some(reading.without_generations())
    }
}

fn young(table: &Table, size: &dyn Fn(&str) -> Option<f64>) -> Option<Young> {
    let used = |space: u32| table.number(&format!("sun.gc.generation.0.space.{space}.used"));
    Some(Young {
        eden_used: used(0)?.max(0) as f64,
        survivor_used: (used(1).unwrap_or(0).max(0) as f64) + (used(2).unwrap_or(0).max(0) as f64),
        committed: size("sun.gc.generation.0.capacity")?,
    })
}

/// What a machine may take for classes is bounded only when it was told so: otherwise its counter is address space.
fn metaspace(table: &Table) -> Option<Space> {
    let bytes = |name: &str| table.number(&format!("sun.gc.metaspace.{name}")).map(|bytes| bytes.max(0) as f64);
    let is_bounded = table.text("java.rt.vmArgs").is_some_and(|text| text.contains("-XX:MaxMetaspaceSize="));
    let max = bytes("maxCapacity").filter(|_| is_bounded);
    Some(Space { used: bytes("used")?, committed: bytes("capacity")?, max })
}

fn collector(table: &Table, number: usize, frequency: f64) -> Option<Collector> {
    let value = |name: &str| table.number(&format!("sun.gc.collector.{number}.{name}"));
    let begun = u64::try_from(value("invocations")?).ok()?;
    let seconds = value("time")?.max(0) as f64 / frequency;
    let (entry, exit) = (value("lastEntryTime").unwrap_or(0), value("lastExitTime").unwrap_or(0));
    // A collection is counted when it begins, its time when it has ended.
    if entry <= exit {
        let last = (exit > 0).then(|| (exit, exit.saturating_sub(entry) as f64 / frequency));
        return Some(Collector { count: begun, seconds, last });
    }
    let so_far = table.number("sun.os.hrt.ticks").map_or(0, |now| now.saturating_sub(entry).max(0));
    Some(Collector { count: begun.saturating_sub(1), seconds: seconds + so_far as f64 / frequency, last: None })
}

fn classes(table: &Table) -> Option<f64> {
    let count = |name: &str| table.number(&format!("java.cls.{name}"));
    let (loaded, unloaded) = (count("loadedClasses")?, count("unloadedClasses").unwrap_or(0));
    let (shared, unshared) = (count("sharedLoadedClasses").unwrap_or(0), count("sharedUnloadedClasses").unwrap_or(0));
    Some(loaded.saturating_add(shared).saturating_sub(unloaded).saturating_sub(unshared).max(0) as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::perf_data::Value;

    /// A table from `name=number` and `name="text"`, as `jstat -snap` prints them.
    pub(crate) fn table(text: &str) -> Table {
        let value = |line: &str| {
            let (name, value) = line.trim().split_once('=')?;
            let value = match value.strip_prefix('"') {
                Some(text) => Value::Text(text.trim_end_matches('"').to_owned()),
                None => Value::Number(value.parse().ok()?),
            };
            Some((name.to_owned(), value))
        };
        Table::of(text.lines().filter_map(value))
    }

    /// As OpenJDK 17 tells it with `-Xmx64m -XX:+UseSerialGC`.
    pub(crate) const SERIAL: &str = r#"
        java.cls.loadedClasses=1543
        java.cls.sharedLoadedClasses=807
        java.cls.sharedUnloadedClasses=0
        java.cls.unloadedClasses=0
        java.property.java.version="17.0.15"
        java.property.java.vm.name="OpenJDK 64-Bit Server VM"
        java.property.java.vm.vendor="Debian"
        java.property.java.vm.version="17.0.15+6-Debian-1deb12u1"
        java.rt.vmArgs="-Xmx64m -XX:+UseSerialGC -Dpassword=x --add-modules=ALL-DEFAULT"
        java.threads.live=6
        sun.gc.collector.0.invocations=34
        sun.gc.collector.0.lastEntryTime=31274425838
        sun.gc.collector.0.lastExitTime=31274611395
        sun.gc.collector.0.name="Serial young collection pauses"
        sun.gc.collector.0.time=75324624
        sun.gc.collector.1.invocations=0
        sun.gc.collector.1.lastEntryTime=0
        sun.gc.collector.1.lastExitTime=0
        sun.gc.collector.1.name="Serial full collection pauses"
        sun.gc.collector.1.time=0
        sun.gc.generation.0.capacity=22347776
        sun.gc.generation.0.maxCapacity=22347776
        sun.gc.generation.0.space.0.used=10858376
        sun.gc.generation.0.space.1.used=3552
        sun.gc.generation.0.space.2.used=0
        sun.gc.generation.1.capacity=44761088
        sun.gc.generation.1.maxCapacity=44761088
        sun.gc.generation.1.space.0.used=4754600
        sun.gc.lastCause="Allocation Failure"
        sun.gc.metaspace.capacity=9830400
        sun.gc.metaspace.maxCapacity=1140850688
        sun.gc.metaspace.used=9557992
        sun.gc.policy.name="Copy:MSC"
        sun.os.hrt.frequency=1000000000
        sun.os.hrt.ticks=31826005679
        sun.rt.createVmBeginTime=1795271948819
        sun.rt.safepointTime=77675299"#;

    #[test]
    fn a_serial_heap_of_64_mib() {
        let reading = Reading::of(&table(SERIAL)).unwrap();
        assert_eq!(reading.heap_max, Some(64.0 * 1024.0 * 1024.0), "both generations together are -Xmx64m");
        assert_eq!(reading.heap_committed(), 67_108_864.0);
        assert_eq!(reading.heap_used(), 10_858_376.0 + 3552.0 + 4_754_600.0);
        assert_eq!(reading.outside_eden(), 3552.0 + 4_754_600.0);
        let young = reading.collectors[0].unwrap();
        // Entry and exit lie 185 557 ns apart.
        assert_eq!((young.count, young.seconds, young.last), (34, 0.075_324_624, Some((31_274_611_395, 185_557e-9))));
        assert_eq!(reading.collectors[FULL].unwrap().last, None);
        assert_eq!(reading.collectors[CONCURRENT], None);
        assert_eq!((reading.classes, reading.threads), (Some(2350.0), Some(6.0)));
        assert_eq!(reading.metaspace.unwrap().max, None, "nobody bounded it");
        assert_eq!(reading.safepoint_s, Some(0.077_675_299));
    }

    #[test]
    fn a_collection_that_goes_on_has_not_ended() {
        let text = SERIAL
            .replace("collector.1.invocations=0", "collector.1.invocations=1")
            .replace("collector.1.lastEntryTime=0", "collector.1.lastEntryTime=31326005679");
        let full = Reading::of(&table(&text)).unwrap().collectors[FULL].unwrap();
        assert_eq!((full.count, full.seconds, full.last), (0, 0.5, None), "it has taken half a second so far");
    }

    #[test]
    fn regions_are_one_heap_and_padding_is_taken_off() {
        // OpenJDK 17 with -Xmx64m -XX:+UseG1GC.
        let text = SERIAL
            .replace("Copy:MSC", "GarbageFirst")
            .replace("generation.0.capacity=22347776", "generation.0.capacity=41943064")
            .replace("generation.0.maxCapacity=22347776", "generation.0.maxCapacity=67108888")
            .replace("generation.1.capacity=44761088", "generation.1.capacity=25165832")
            .replace("generation.1.maxCapacity=44761088", "generation.1.maxCapacity=67108872");
        let reading = Reading::of(&table(&text)).unwrap();
        assert_eq!((reading.heap_max, reading.old.max), (Some(67_108_864.0), Some(67_108_864.0)));
        assert_eq!(reading.heap_committed(), 67_108_864.0);
        assert_eq!(reading.young.unwrap().committed, 41_943_040.0);
    }

    #[test]
    fn without_generations_there_is_no_young_one_and_no_full_collection() {
        // OpenJDK 17 with -XX:+UseShenandoahGC: every pause of a concurrent cycle counts as full.
        let text = r#"
            sun.gc.collector.0.invocations=0
            sun.gc.collector.0.time=0
            sun.gc.collector.1.invocations=78
            sun.gc.collector.1.lastEntryTime=4719166864
            sun.gc.collector.1.lastExitTime=4719187805
            sun.gc.collector.1.time=199834967
            sun.gc.generation.0.capacity=0
            sun.gc.generation.0.maxCapacity=0
            sun.gc.generation.1.capacity=67108864
            sun.gc.generation.1.maxCapacity=67108864
            sun.gc.generation.1.space.0.used=3649296
            sun.os.hrt.frequency=1000000000"#;
        let reading = Reading::of(&table(text)).unwrap();
        assert_eq!((reading.young, reading.heap_max, reading.heap_used()), (None, Some(67_108_864.0), 3_649_296.0));
        assert_eq!(reading.collectors[..2], [None, None]);
        let all = reading.collectors[CONCURRENT].unwrap();
        assert_eq!((all.count, all.last), (78, Some((4_719_187_805, 20_941e-9))));
        // With ZGC only the third collector is there.
        let text = text.replace("collector.1", "collector.2").replace("collector.0", "x");
        assert_eq!(Reading::of(&table(&text)).unwrap().collectors[CONCURRENT].unwrap().count, 78);
    }

    #[test]
    fn a_machine_without_a_heap_yet_tells_nothing_and_odd_numbers_do_no_harm() {
        assert_eq!(Reading::of(&Table::default()), None);
        for (from, to) in [("frequency=1000000000", "frequency=0"), ("1.space.0.used=4754600", "1.space.0.used=x")] {
            assert_eq!(Reading::of(&table(&SERIAL.replace(from, to))), None);
        }
        let odd = SERIAL.replace("invocations=34", "invocations=-3").replace("used=10858376", "used=-1");
        let reading = Reading::of(&table(&odd)).unwrap();
        assert_eq!((reading.collectors[0], reading.young.unwrap().eden_used), (None, 0.0));
        let odd = SERIAL.replace("lastEntryTime=31274425838", "lastEntryTime=-9223372036854775808");
        assert!(Reading::of(&table(&odd)).unwrap().collectors[0].unwrap().last.unwrap().1 > 0.0);
    }
}
