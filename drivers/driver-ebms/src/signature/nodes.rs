//! Elements of a signature, by their names.

use crate::envelope::DS;
use uppsala::{Document, NodeId};

/// The one child of this name.
///
/// # Errors
/// There is none.
pub(super) fn need(doc: &Document<'_>, of: NodeId, name: &str) -> Result<NodeId, String> {
    doc.first_child_element_by_name_ns(of, DS, name).ok_or_else(|| format!("its signature has no `{name}`"))
}

/// All children of this name.
pub(super) fn children(doc: &Document<'_>, of: NodeId, name: &str) -> Vec<NodeId> {
    doc.child_elements_by_name_ns(of, DS, name)
}

/// The algorithm that an element names; empty when it names none.
pub(super) fn algorithm<'d>(doc: &'d Document<'_>, of: NodeId) -> &'d str {
    doc.get_attribute(of, "Algorithm").unwrap_or_default()
}
