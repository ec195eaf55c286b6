//! A group of consumers: who is in it, who reads which partitions, and how far each was read.
//!
//! It works as Kafka's does. Who comes or goes begins a rebalance: each member commits what it has in hand, and joins
//! again. When all have, or those that did not are left out, the next generation begins, with partitions dealt anew by
//! range over the members in the order of their ids. What a member of an earlier generation still sends is refused.
//! Members beyond the number of partitions get none: with ids that begin with their host, all of them are on the last hosts.
//!
//! Times are those since the start of the process, handed in, so that tests need no clock.

use std::collections::BTreeMap;
use std::time::Duration;

use thiserror::Error;

/// Most members of one group.
pub(super) const MEMBERS_MAX: usize = 256;
/// A rebalance waits so long for further members: hosts start all of theirs at once.
const SETTLE: Duration = Duration::from_millis(200);

/// Limits of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// A member that is silent for so long is left out.
    pub(super) session: Duration,
    /// So long a rebalance waits for members that are at work.
    pub(super) rebalance: Duration,
}

/// Why a member's wish is not granted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Refusal {
    /// It was left out, or never came; it has to join.
    #[error("`{0}` is not a member of this group; join first")]
    Unknown(String),
    /// It has to join again.
    #[error("the group is being dealt anew; commit and join again")]
    Rebalance,
    /// What it sent is of a generation that is over.
    #[error("this is generation {now}, and generation {sent} is over")]
    Fenced { now: u64, sent: u64 },
    #[error("partition {0} is not this member's")]
    NotYours(u32),
    #[error("partition {partition} ends at {end}, so {offset} cannot have been read")]
    BeyondEnd { partition: u32, offset: u64, end: u64 },
    #[error("this group reads the topic `{0}`")]
    OtherTopic(String),
    #[error("a group has at most {MEMBERS_MAX} members")]
    Full,
}

/// What a member is told that has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// Others have not joined yet; ask again.
    Wait,
    /// It is dealt these partitions, each with where to begin.
    Dealt { generation: u64, from: BTreeMap<u32, u64> },
}

/// Who joins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joining<'a> {
    pub(super) member: &'a str,
    pub(super) host: &'a str,
    /// Drawn by each process: a member of the same name with another one has taken its place.
    pub(super) instance: u64,
}

struct Member {
    host: String,
    instance: u64,
    seen: Duration,
    /// Whether it is in the rebalance that is under way.
    has_joined: bool,
    partitions: Vec<u32>,
}

/// A rebalance under way.
#[derive(Clone, Copy)]
struct Rebalance {
    since: Duration,
    /// When somebody new came last.
    came: Option<Duration>,
}

/// One group, for the life of the process; what outlives it is [`Group::kept`].
pub(super) struct Group {
    pub(super) topic: String,
    generation: u64,
    committed: Vec<u64>,
    members: BTreeMap<String, Member>,
    rebalance: Option<Rebalance>,
    /// Generations since the start of the process.
    pub(super) rebalances: u64,
    /// Members that were silent for too long.
    pub(super) expired: u64,
    /// Records that were committed, by host.
    consumed: BTreeMap<String, u64>,
}

/// Hosts that were ever seen are remembered up to this number.
const HOSTS_MAX: usize = 256;

impl Group {
    /// A group without members that has read so far.
    pub(super) fn new(topic: String, generation: u64, committed: Vec<u64>) -> Self {
        Self {
            topic,
            generation,
            committed,
            members: BTreeMap::new(),
            rebalance: None,
            rebalances: 0,
            expired: 0,
            consumed: BTreeMap::new(),
        }
    }

    /// Generation and offsets.
    pub(super) fn kept(&self) -> (u64, &[u64]) {
        (self.generation, &self.committed)
    }

    /// Takes a member in, or back.
    ///
    /// # Errors
    /// The group is full.
    pub(super) fn join(&mut self, who: Joining<'_>, now: Duration) -> Result<Joined, Refusal> {
        let is_known = self.members.get(who.member).is_some_and(|member| member.instance == who.instance);
        if !is_known {
            if self.members.len() >= MEMBERS_MAX && !self.members.contains_key(who.member) {
                return Err(Refusal::Full);
            }
            let member = Member {
                host: who.host.to_owned(),
                instance: who.instance,
                seen: now,
                has_joined: true,
                partitions: Vec::new(),
            };
            self.members.insert(who.member.to_owned(), member);
            self.begin(now, Some(who.member));
        }
        if let Some(member) = self.members.get_mut(who.member) {
            member.seen = now;
            member.has_joined = true;
        }
        self.tick(now, None);
        let Some(member) = self.members.get(who.member).filter(|_| self.rebalance.is_none()) else {
            return Ok(Joined::Wait);
        };
        let offset = |partition: &u32| self.committed.get(*partition as usize).copied().unwrap_or(0);
        let from = member.partitions.iter().map(|partition| (*partition, offset(partition))).collect();
        Ok(Joined::Dealt { generation: self.generation, from })
    }

    /// Begins a rebalance, which everybody but `newcomer` has to join; or lets the one under way wait for further ones.
    fn begin(&mut self, now: Duration, newcomer: Option<&str>) {
        let came = newcomer.map(|_| now);
        if let Some(rebalance) = &mut self.rebalance {
            rebalance.came = came.or(rebalance.came);
            return;
        }
        for (id, member) in &mut self.members {
            member.has_joined = newcomer == Some(id);
        }
        self.rebalance = Some(Rebalance { since: now, came });
    }

    /// What time does: silent members are left out, and a rebalance that has all its members ends. True if something
    /// changed for those that wait.
    pub(super) fn tick(&mut self, now: Duration, limits: Option<Limits>) -> bool {
        if let Some(limits) = limits {
            let before = self.members.len();
            self.members.retain(|_, member| now.saturating_sub(member.seen) <= limits.session);
            if self.members.len() < before {
                self.begin(now, None);
            }
            if self.rebalance.is_some_and(|rebalance| now.saturating_sub(rebalance.since) > limits.rebalance) {
                self.members.retain(|_, member| member.has_joined);
            }
            self.expired += (before - self.members.len()) as u64;
        }
        let Some(rebalance) = self.rebalance else { return false };
        let is_settled = rebalance.came.is_none_or(|came| now.saturating_sub(came) >= SETTLE);
        if !is_settled || !self.members.values().all(|member| member.has_joined) {
            return false;
        }
        self.deal();
        true
    }

    /// The next generation: partitions by range, in the order of the members' ids.
    fn deal(&mut self) {
        self.rebalance = None;
        self.generation += 1;
        self.rebalances += 1;
        let (partitions, members) = (self.committed.len(), self.members.len());
        let mut next = 0;
        for (place, member) in self.members.values_mut().enumerate() {
            let count = partitions / members + usize::from(place < partitions % members);
            member.partitions = (next..next + count).map(|partition| partition as u32).collect();
            next += count;
        }
    }

    /// A member is alive.
    ///
    /// # Errors
    /// It has to join.
    pub(super) fn beat(&mut self, id: &str, generation: u64, now: Duration) -> Result<(), Refusal> {
        let is_rebalancing = self.rebalance.is_some();
        let member = self.members.get_mut(id).ok_or_else(|| Refusal::Unknown(id.to_owned()))?;
        if generation != self.generation {
            return Err(Refusal::Fenced { now: self.generation, sent: generation });
        }
        member.seen = now;
        if is_rebalancing { Err(Refusal::Rebalance) } else { Ok(()) }
    }

    /// Notes how far a member has read; also while a rebalance waits for just this. `ends` are those of the partitions.
    ///
    /// # Errors
    /// It is not a member of this generation, a partition is not its own, or ends before that.
    pub(super) fn commit(
        &mut self,
        id: &str,
        generation: u64,
        offsets: &BTreeMap<u32, u64>,
        ends: &[u64],
        now: Duration,
    ) -> Result<(), Refusal> {
        let member = self.members.get_mut(id).ok_or_else(|| Refusal::Unknown(id.to_owned()))?;
        if generation != self.generation {
            return Err(Refusal::Fenced { now: self.generation, sent: generation });
        }
        if member.has_joined && self.rebalance.is_some() {
            // It has given its partitions back by joining.
            return Err(Refusal::Rebalance);
        }
        for (&partition, &offset) in offsets {
            if !member.partitions.contains(&partition) {
                return Err(Refusal::NotYours(partition));
            }
            let end = ends.get(partition as usize).copied().unwrap_or(0);
            if offset > end {
                return Err(Refusal::BeyondEnd { partition, offset, end });
            }
        }
        member.seen = now;
        let host = member.host.clone();
        let mut read = 0;
        for (&partition, &offset) in offsets {
            if let Some(committed) = self.committed.get_mut(partition as usize) {
                read += offset.saturating_sub(*committed);
                *committed = offset;
            }
        }
        if self.consumed.len() < HOSTS_MAX || self.consumed.contains_key(&host) {
            *self.consumed.entry(host).or_default() += read;
        }
        Ok(())
    }

    /// A member goes.
    pub(super) fn leave(&mut self, id: &str, instance: u64, now: Duration) {
        if self.members.get(id).is_some_and(|member| member.instance == instance) {
            self.members.remove(id);
            self.begin(now, None);
            self.tick(now, None);
        }
    }

    /// Whether partitions are being dealt.
    pub(super) fn is_rebalancing(&self) -> bool {
        self.rebalance.is_some()
    }

    /// Members with their hosts and partitions, in the order of their ids.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &str, &[u32])> {
        self.members.iter().map(|(id, member)| (id.as_str(), member.host.as_str(), member.partitions.as_slice()))
    }

    /// Of each host its members, the partitions that they have, and the records that were committed from there.
    pub(super) fn hosts(&self) -> BTreeMap<&str, Host> {
        let mut hosts: BTreeMap<&str, Host> = BTreeMap::new();
        for member in self.members.values() {
            let host = hosts.entry(&member.host).or_default();
            host.members += 1;
            host.partitions += member.partitions.len();
        }
        for (name, consumed) in &self.consumed {
            hosts.entry(name).or_default().consumed = *consumed;
        }
        hosts
    }
}

/// What a group has on one host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Host {
    pub(super) members: usize,
    pub(super) partitions: usize,
    pub(super) consumed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { session: Duration::from_secs(6), rebalance: Duration::from_secs(30) };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn group(partitions: usize) -> Group {
        Group::new("entries".into(), 0, vec![0; partitions])
    }

    fn join(group: &mut Group, member: &str, now: Duration) -> Joined {
        let host = member.rsplit_once('-').unwrap().0;
        group.join(Joining { member, host, instance: 1 }, now).unwrap()
    }

    /// All join, and join again when newcomers have settled.
    fn gather(group: &mut Group, ids: &[String], now: Duration) {
        ids.iter().for_each(|id| _ = join(group, id, now));
        ids.iter().for_each(|id| _ = join(group, id, now + SETTLE));
        assert!(!group.is_rebalancing());
    }

    fn ids(hosts: u32, each: u32) -> Vec<String> {
        (1..=hosts).flat_map(|host| (1..=each).map(move |number| format!("consumer.{host}-{number}"))).collect()
    }

    fn dealt(group: &mut Group, id: &str, now: Duration) -> (u64, Vec<u32>) {
        match join(group, id, now) {
            Joined::Dealt { generation, from } => (generation, from.into_keys().collect()),
            Joined::Wait => panic!("{id} waits"),
        }
    }

    #[test]
    fn with_twice_as_many_members_as_partitions_one_host_has_them_all() {
        let mut group = group(12);
        gather(&mut group, &ids(2, 12), ms(0));
        let hosts = group.hosts();
        assert_eq!((hosts["consumer.1"].members, hosts["consumer.1"].partitions), (12, 12));
        assert_eq!((hosts["consumer.2"].members, hosts["consumer.2"].partitions), (12, 0));
        let mut even = self::group(12);
        gather(&mut even, &ids(2, 6), ms(0));
        let hosts = even.hosts();
        assert_eq!((hosts["consumer.1"].partitions, hosts["consumer.2"].partitions), (6, 6));
    }

    #[test]
    fn every_partition_is_dealt_once_and_ranges_differ_by_one() {
        for members in 1..=15 {
            let mut group = group(12);
            gather(&mut group, &ids(1, members), ms(0));
            let all: Vec<Vec<u32>> = group.members().map(|(_, _, partitions)| partitions.to_vec()).collect();
            assert_eq!(all.concat(), (0..12).collect::<Vec<_>>(), "{members} members");
            let lengths: Vec<usize> = all.iter().map(Vec::len).collect();
            assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1, "{lengths:?}");
        }
    }

    #[test]
    fn a_rebalance_lets_old_owners_commit_and_fences_them_afterwards() {
        let mut group = group(2);
        gather(&mut group, &ids(1, 1), ms(0));
        let (first, partitions) = dealt(&mut group, "consumer.1-1", ms(300));
        assert_eq!((first, partitions), (1, vec![0, 1]));
        let ends = [10, 10];
        let commit = |group: &mut Group, id: &str, generation, partition, offset| {
            group.commit(id, generation, &[(partition, offset)].into(), &ends, ms(400))
        };
        assert_eq!(commit(&mut group, "consumer.1-1", 1, 1, 4), Ok(()));
        // Another one comes: it waits until the first has given its partitions back.
        assert_eq!(join(&mut group, "consumer.2-1", ms(500)), Joined::Wait);
        assert_eq!(join(&mut group, "consumer.2-1", ms(5000)), Joined::Wait);
        assert_eq!(group.beat("consumer.1-1", 1, ms(5000)), Err(Refusal::Rebalance));
        assert_eq!(commit(&mut group, "consumer.1-1", 1, 1, 7), Ok(()), "what it had in hand");
        assert_eq!(dealt(&mut group, "consumer.1-1", ms(5100)), (2, vec![0]));
        assert_eq!(
            join(&mut group, "consumer.2-1", ms(5200)),
            Joined::Dealt { generation: 2, from: [(1, 7)].into() },
            "it goes on where the other one was"
        );
        assert_eq!(commit(&mut group, "consumer.1-1", 1, 0, 3), Err(Refusal::Fenced { now: 2, sent: 1 }));
        assert_eq!(commit(&mut group, "consumer.1-1", 2, 1, 9), Err(Refusal::NotYours(1)));
        assert_eq!(
            commit(&mut group, "consumer.2-1", 2, 1, 11),
            Err(Refusal::BeyondEnd { partition: 1, offset: 11, end: 10 })
        );
        assert_eq!(group.kept(), (2, &[0, 7][..]));
        assert_eq!(group.hosts()["consumer.1"].consumed, 7);
    }

    #[test]
    fn who_is_silent_is_left_out_and_what_it_had_goes_to_others() {
        let mut group = group(4);
        gather(&mut group, &ids(2, 1), ms(0));
        assert_eq!(dealt(&mut group, "consumer.1-1", ms(300)), (1, vec![0, 1]));
        assert!(!group.tick(ms(6000), Some(LIMITS)));
        assert_eq!(group.beat("consumer.1-1", 1, ms(6000)), Ok(()));
        group.tick(ms(6500), Some(LIMITS));
        assert_eq!((group.expired, group.is_rebalancing()), (1, true));
        assert_eq!(group.beat("consumer.2-1", 1, ms(6500)), Err(Refusal::Unknown("consumer.2-1".into())));
        assert_eq!(dealt(&mut group, "consumer.1-1", ms(6600)), (2, vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_member_that_does_not_join_again_holds_the_others_up_for_so_long_only() {
        let mut group = group(2);
        gather(&mut group, &ids(1, 1), ms(0));
        assert_eq!(join(&mut group, "consumer.2-1", ms(1000)), Joined::Wait);
        for second in 2..=31 {
            let _ = group.beat("consumer.1-1", 1, ms(second * 1000));
            assert_eq!(join(&mut group, "consumer.2-1", ms(second * 1000)), Joined::Wait);
            assert!(!group.tick(ms(second * 1000), Some(LIMITS)));
        }
        assert!(group.tick(ms(31_001), Some(LIMITS)));
        assert_eq!(dealt(&mut group, "consumer.2-1", ms(31_100)), (2, vec![0, 1]));
    }

    #[test]
    fn a_process_that_takes_a_name_over_fences_the_one_before() {
        let mut group = group(2);
        gather(&mut group, &ids(1, 1), ms(0));
        let anew = Joining { member: "consumer.1-1", host: "consumer.1", instance: 2 };
        assert_eq!(group.join(anew, ms(1000)), Ok(Joined::Wait));
        assert!(matches!(group.join(anew, ms(1300)), Ok(Joined::Dealt { generation: 2, .. })));
        assert_eq!(group.beat("consumer.1-1", 1, ms(1400)), Err(Refusal::Fenced { now: 2, sent: 1 }));
        // The one before goes late, and takes nobody with it.
        group.leave("consumer.1-1", 1, ms(1500));
        assert_eq!(group.beat("consumer.1-1", 2, ms(1600)), Ok(()));
        group.leave("consumer.1-1", 2, ms(1700));
        assert_eq!(group.members().count(), 0);
    }
}
