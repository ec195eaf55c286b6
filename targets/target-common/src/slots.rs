//! Connections by number, where a number is never mistaken for its predecessor.

/// Names one connection for as long as the target runs: index in the low half, generation in the high half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotId(pub(crate) u64);

impl SlotId {
    fn index(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }

    fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

struct Slot<T> {
    generation: u32,
    value: Option<Box<T>>,
}

/// Values in numbered slots. A late event or due time of a closed connection finds nothing,
/// although its slot may be used again.
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
    len: usize,
}

impl<T> Slots<T> {
    pub(crate) fn new() -> Self {
        Slots { slots: Vec::new(), free: Vec::new(), len: 0 }
    }

    /// Keeps `value` under a new name.
    pub(crate) fn insert(&mut self, value: Box<T>) -> SlotId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, value: None });
            self.slots.len() - 1
        });
        let slot = &mut self.slots[index];
        slot.value = Some(value);
        self.len += 1;
        SlotId(u64::from(slot.generation) << 32 | index as u64)
    }

    /// Takes the value out for work; [`Slots::put_back`] or [`Slots::free`] must follow.
    pub(crate) fn take(&mut self, id: SlotId) -> Option<Box<T>> {
        let slot = self.slots.get_mut(id.index())?;
        if slot.generation != id.generation() { None } else { slot.value.take() }
    }

    /// Returns a value that was taken.
    pub(crate) fn put_back(&mut self, id: SlotId, value: Box<T>) {
        self.slots[id.index()].value = Some(value);
    }

    /// Ends the name of a value that was taken.
    pub(crate) fn free(&mut self, id: SlotId) {
        let slot = &mut self.slots[id.index()];
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index());
        self.len -= 1;
    }

    /// Values kept, those that are taken for work among them.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Slots, used or free.
    pub(crate) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The name of the value in slot `index` when `matches` holds for it.
    pub(crate) fn id_if(&self, index: usize, matches: impl Fn(&T) -> bool) -> Option<SlotId> {
        let slot = self.slots.get(index)?;
        let value = slot.value.as_ref()?;
        matches(value).then_some(SlotId(u64::from(slot.generation) << 32 | index as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_name_never_finds_its_successor() {
        let mut slots = Slots::new();
        let first = slots.insert(Box::new('a'));
        assert_eq!(slots.take(first).as_deref(), Some(&'a'));
        assert_eq!(slots.take(first), None);
        slots.free(first);
        let second = slots.insert(Box::new('b'));
        assert_eq!(slots.slot_count(), 1);
        assert_ne!(first, second);
        assert_eq!(slots.take(first), None);
        let value = slots.take(second).unwrap();
        slots.put_back(second, value);
        assert_eq!(slots.id_if(0, |value| *value == 'b'), Some(second));
        assert_eq!(slots.len(), 1);
    }
}
