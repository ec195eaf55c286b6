//! Which nodes lie on an axis, one after the other, and whether a node passes a test.

use super::{Axis, Test};
use crate::xml::{Kind, Tree};

/// Goes along an axis from a node, against the order of the document where the axis does.
pub(super) struct Walk<'d> {
    tree: Tree<'d>,
    axis: Axis,
    from: u32,
    next: Option<u32>,
    /// Where a walk forwards ends.
    end: u32,
    /// Siblings before the node, which are found forwards only.
    before: Vec<u32>,
    /// Nodes that were looked at since it was last asked.
    looked: u64,
}

impl<'d> Walk<'d> {
    pub(super) fn new(tree: Tree<'d>, axis: Axis, from: u32) -> Self {
        let mut walk = Self { tree, axis, from, next: None, end: tree.end(from), before: Vec::new(), looked: 1 };
        let is_attribute = tree.kind(from) == Kind::Attribute;
        walk.next = match axis {
            Axis::Own | Axis::AncestorOrSelf | Axis::DescendantOrSelf => Some(from),
            Axis::Parent | Axis::Ancestor => tree.parent(from),
            Axis::Attribute => {
                let attributes = tree.attributes(from);
                walk.end = if tree.kind(from) == Kind::Element { attributes.end } else { attributes.start };
                Some(attributes.start)
            }
            Axis::Child => {
                let first = tree.first_within(from);
                walk.looked += u64::from(first - from);
                Some(first)
            }
            Axis::Descendant => Some(from + 1),
            Axis::Following => {
                walk.end = tree.len();
                Some(tree.end(from))
            }
            Axis::FollowingSibling => {
                walk.end = tree.parent(from).filter(|_| !is_attribute).map_or(0, |parent| tree.end(parent));
                Some(tree.end(from))
            }
            Axis::Preceding => from.checked_sub(1),
            Axis::PrecedingSibling => {
                if let Some(parent) = tree.parent(from).filter(|_| !is_attribute) {
                    let mut sibling = tree.first_within(parent);
                    while sibling < from {
                        walk.before.push(sibling);
                        walk.looked += 1;
                        sibling = tree.end(sibling);
                    }
                }
                None
            }
        };
        walk
    }

    pub(super) fn take_looked(&mut self) -> u64 {
        std::mem::take(&mut self.looked)
    }

    /// Forwards, past attributes.
    fn forwards(&mut self, next: u32) -> Option<u32> {
        let mut at = next;
        while at < self.end && self.tree.kind(at) == Kind::Attribute {
            at += 1;
        }
        self.looked += u64::from(at - next) + 1;
        (at < self.end).then_some(at)
    }
}

impl Iterator for Walk<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.looked += 1;
        if self.axis == Axis::PrecedingSibling {
            return self.before.pop();
        }
        let at = self.next.take()?;
        let tree = self.tree;
        match self.axis {
            Axis::Own | Axis::Parent => Some(at),
            Axis::Ancestor | Axis::AncestorOrSelf => {
                self.next = tree.parent(at);
                Some(at)
            }
            Axis::Attribute => {
                self.next = Some(at + 1);
                (at < self.end).then_some(at)
            }
            Axis::Child | Axis::FollowingSibling => {
                let found = (at < self.end).then_some(at)?;
                self.next = Some(tree.end(found));
                Some(found)
            }
            Axis::DescendantOrSelf if at == self.from => {
                self.next = Some(at + 1);
                Some(at)
            }
            Axis::Descendant | Axis::DescendantOrSelf | Axis::Following => {
                let found = self.forwards(at)?;
                self.next = Some(found + 1);
                Some(found)
            }
            Axis::Preceding => {
                let mut at = Some(at);
                // What ends behind the node holds it.
                while let Some(number) =
                    at.filter(|number| tree.kind(*number) == Kind::Attribute || tree.end(*number) > self.from)
                {
                    at = number.checked_sub(1);
                    self.looked += 1;
                }
                self.next = at.and_then(|number| number.checked_sub(1));
                at
            }
            Axis::PrecedingSibling => None,
        }
    }
}

/// Whether a node on that axis passes the test.
pub(super) fn passes(tree: Tree<'_>, axis: Axis, test: &Test, number: u32) -> bool {
    let kind = tree.kind(number);
    let is_named = || kind == if axis == Axis::Attribute { Kind::Attribute } else { Kind::Element };
    match test {
        Test::Any => true,
        Test::Named => is_named(),
        Test::In(namespace) => is_named() && tree.namespace(number) == &**namespace,
        Test::Name(name) => {
            is_named() && tree.local_name(number) == &*name.local && tree.namespace(number) == &*name.namespace
        }
        Test::Text => kind == Kind::Text,
        Test::Comment => kind == Kind::Comment,
        Test::Instruction(target) => {
            kind == Kind::Instruction && target.as_ref().is_none_or(|target| tree.name(number) == &**target)
        }
    }
}
