//! Out of descriptors, in a process of its own.

#[path = "all/common/protocol.rs"]
mod protocol;

#[test]
fn no_descriptor_left_is_no_resource() {
    testkit::conformance::no_descriptor_left_is_no_resource(protocol::Http);
}
