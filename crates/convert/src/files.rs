//! Files beside a source.

/// Where files that a source names are looked up. What lies outside of the source's own folder is refused, with the
/// reason; whoever implements it bounds the size.
pub trait Folder {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why there are none, as half a sentence.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}

/// Of a source that comes from nowhere, such as standard input.
#[derive(Clone, Copy, Debug)]
pub struct NoFolder;

impl Folder for NoFolder {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("the source has no folder".to_owned())
    }
}
