//! What happened to each request, by number: the exact truth that tests compare with.

use std::cell::RefCell;
use std::rc::Rc;

/// Requests that the log holds at most; later ones are counted as lost. 2 million entries are 80 MB.
pub const MAX_ENTRIES: usize = 2_000_000;

/// Entries in one block. The log grows by blocks, since one large `Vec` would be copied
/// as it grows, and a copy of 40 MB would make answers late.
const BLOCK: usize = 16_384;

/// Entries in one piece of the CSV text, so that sending it needs little memory.
const PAGE: usize = 1_024;

/// The columns of the CSV text.
pub const HEADER: &str = "number,arrival_ns,service_ns,departure_due_ns,departure_begun_ns,departure_real_ns\n";

/// One request; times are nanoseconds of the target's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When its last byte had been read.
    pub arrival_ns: u64,
    /// How long it is served, waiting not included.
    pub service_ns: u64,
    /// When its answer was to be sent.
    pub due_ns: u64,
    /// When the kernel was asked to take the last of its answer; `None` while that has not happened.
    pub begun_ns: Option<u64>,
    /// When the kernel had taken the last byte of its answer; `None` while that has not happened.
    pub real_ns: Option<u64>,
}

/// A bounded log of all requests in the order of their numbers, which start at 0.
#[derive(Debug, Default)]
pub struct SequenceLog {
    blocks: Vec<Vec<Entry>>,
    len: usize,
    lost: u64,
    limit: usize,
}

impl SequenceLog {
    /// An empty log of at most `limit` entries, never more than [`MAX_ENTRIES`].
    pub fn with_limit(limit: usize) -> Self {
        SequenceLog { limit: limit.min(MAX_ENTRIES), ..SequenceLog::default() }
    }

    /// Appends the request with the next number, or counts it as lost when the log is full.
    pub fn arrive(&mut self, entry: Entry) {
        if self.len >= self.limit {
            self.lost += 1;
            return;
        }
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(entry);
            self.len += 1;
        }
    }

    /// Notes between which moments request `number` was answered; does nothing for a lost entry.
    pub fn depart(&mut self, number: u64, begun_ns: u64, real_ns: u64) {
        let Ok(index) = usize::try_from(number) else { return };
        if let Some(entry) = self.blocks.get_mut(index / BLOCK).and_then(|block| block.get_mut(index % BLOCK)) {
            (entry.begun_ns, entry.real_ns) = (Some(begun_ns), Some(real_ns));
        }
    }

    /// The request `number`, when it was kept.
    pub fn get(&self, number: usize) -> Option<&Entry> {
        self.blocks.get(number / BLOCK)?.get(number % BLOCK)
    }

    /// Requests kept.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when no request was kept.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Requests that came after the log was full.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// CSV lines of the entries from `first` to before `last`.
    fn lines(&self, first: usize, last: usize) -> String {
        use std::fmt::Write as _;
        let mut text = String::with_capacity((last - first) * 48);
        for number in first..last {
            let Some(entry) = self.get(number) else { break };
            let Entry { arrival_ns, service_ns, due_ns, begun_ns, real_ns } = entry;
            let written = match begun_ns.zip(*real_ns) {
                Some((begun_ns, real_ns)) => {
                    writeln!(text, "{number},{arrival_ns},{service_ns},{due_ns},{begun_ns},{real_ns}")
                }
                None => writeln!(text, "{number},{arrival_ns},{service_ns},{due_ns},,"),
            };
            written.expect("invariant: writing to a String cannot fail");
        }
        text
    }
}

/// The log as CSV in small pieces: the header, then the entries that exist when this is called.
///
/// Columns as in [`HEADER`]; empty last columns are an answer that has not been sent.
pub fn csv_pages(log: Rc<RefCell<SequenceLog>>) -> impl FnMut() -> Option<Vec<u8>> {
    let end = log.borrow().len();
    let mut next = None;
    move || {
        let Some(first) = next else {
            next = Some(0);
            return Some(HEADER.as_bytes().to_vec());
        };
        if first >= end {
            return None;
        }
        let last = (first + PAGE).min(end);
        next = Some(last);
        Some(log.borrow().lines(first, last).into_bytes())
    }
}

/// Reads what [`csv_pages`] wrote; lines that do not parse are left out.
pub fn parse_csv(text: &str) -> Vec<Entry> {
    text.lines().skip(1).filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Entry> {
    let mut fields = line.split(',').skip(1);
    let mut number = || fields.next()?.parse::<u64>().ok();
    let (arrival_ns, service_ns, due_ns) = (number()?, number()?, number()?);
    Some(Entry { arrival_ns, service_ns, due_ns, begun_ns: number(), real_ns: number() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> Entry {
        Entry { arrival_ns: number * 10, service_ns: 5, due_ns: number * 10 + 5, begun_ns: None, real_ns: None }
    }

    #[test]
    fn full_logs_count_what_they_lose() {
        let mut log = SequenceLog::with_limit(3);
        (0..5).for_each(|number| log.arrive(entry(number)));
        log.depart(1, 16, 17);
        log.depart(4, 98, 99);
        log.depart(u64::MAX, 98, 99);
        assert_eq!((log.len(), log.lost()), (3, 2));
        assert_eq!(log.get(1).and_then(|entry| entry.real_ns), Some(17));
        assert!(log.get(3).is_none());
    }

    #[test]
    fn pages_read_back_as_the_log_over_block_edges() {
        let mut log = SequenceLog::with_limit(MAX_ENTRIES);
        let count = BLOCK as u64 + PAGE as u64 + 1;
        (0..count).for_each(|number| log.arrive(entry(number)));
        (0..count - 1).for_each(|number| log.depart(number, number * 10 + 5, number * 10 + 6));
        let mut pages = csv_pages(Rc::new(RefCell::new(log)));
        let mut text = Vec::new();
        while let Some(page) = pages() {
            text.extend(page);
        }
        let read = parse_csv(std::str::from_utf8(&text).unwrap());
        assert_eq!(read.len() as u64, count);
        assert_eq!(read[7], Entry { begun_ns: Some(75), real_ns: Some(76), ..entry(7) });
        assert_eq!(read[count as usize - 1], entry(count - 1));
    }
}
