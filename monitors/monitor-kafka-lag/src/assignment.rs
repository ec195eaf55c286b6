//! What a member of a group was assigned, as the consumer protocol has it.

use std::collections::BTreeMap;

/// Topics, and partitions in all, that one member can be said to have.
const TOPICS_MAX: usize = 1000;
const PARTITIONS_MAX: usize = 100_000;

/// Partitions by topic; `None` of bytes that are not an assignment. Source: Apache Kafka, `ConsumerProtocolAssignment`:
/// version (16 bits), then a list of topics, each a name (16-bit length) and a list of partitions (32 bits each); lists
/// begin with their length (32 bits). What follows is the user's.
pub(crate) fn partitions(bytes: &[u8]) -> Option<BTreeMap<String, Vec<i32>>> {
    let mut rest = bytes;
    let _version = take::<2>(&mut rest)?;
    let topics = length(&mut rest, TOPICS_MAX)?;
    let (mut found, mut all) = (BTreeMap::new(), 0);
    for _ in 0..topics {
        let named = usize::try_from(i16::from_be_bytes(take(&mut rest)?)).ok()?;
        let (name, behind) = rest.split_at_checked(named)?;
        rest = behind;
        let name = std::str::from_utf8(name).ok()?.to_owned();
        let count = length(&mut rest, PARTITIONS_MAX - all)?;
        all += count;
        let partitions: &mut Vec<i32> = found.entry(name).or_default();
        for _ in 0..count {
            partitions.push(i32::from_be_bytes(take(&mut rest)?));
        }
    }
    Some(found)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, behind) = rest.split_at_checked(N)?;
    *rest = behind;
    taken.try_into().ok()
}

fn length(rest: &mut &[u8], most: usize) -> Option<usize> {
    let length = usize::try_from(i32::from_be_bytes(take(rest)?)).ok()?;
    (length <= most).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(topics: &[(&str, &[i32])]) -> Vec<u8> {
        let mut bytes = vec![0, 1];
        bytes.extend((topics.len() as i32).to_be_bytes());
        for (name, partitions) in topics {
            bytes.extend((name.len() as i16).to_be_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend((partitions.len() as i32).to_be_bytes());
            partitions.iter().for_each(|partition| bytes.extend(partition.to_be_bytes()));
        }
        bytes
    }

    #[test]
    fn topics_and_partitions_are_read_and_the_users_bytes_are_not() {
        let mut bytes = assigned(&[("a", &[0, 7]), ("registrations", &[])]);
        bytes.extend([0, 0, 0, 2, 9, 9]);
        let found = partitions(&bytes).unwrap();
        assert_eq!(found, BTreeMap::from([("a".to_owned(), vec![0, 7]), ("registrations".to_owned(), vec![])]));
        assert_eq!(partitions(&assigned(&[])), Some(BTreeMap::new()));
    }

    #[test]
    fn nonsense_is_no_assignment_and_costs_no_memory() {
        let whole = assigned(&[("a", &[0, 7])]);
        for end in 0..whole.len() {
            assert_eq!(partitions(&whole[..end]), None, "{end}");
        }
        assert_eq!(partitions(&[0, 0, 0x7f, 0xff, 0xff, 0xff]), None);
        assert_eq!(partitions(&[0, 0, 0xff, 0xff, 0xff, 0xff]), None);
        let mut many = assigned(&[("a", &[])]);
        let at = many.len() - 4;
        many[at..].copy_from_slice(&i32::MAX.to_be_bytes());
        assert_eq!(partitions(&many), None);
        assert_eq!(partitions(&[0, 0, 0, 0, 0, 1, 0xff, 0xff]), None, "a name of negative length");
    }
}
