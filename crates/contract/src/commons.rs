//! What all instances of a driver in one run share: those of its load threads, and the one at the listeners.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Things that are made once a run, one of each type. A clone shows the same ones.
///
/// Load threads share nothing while they measure, and most drivers need nothing of this: a reply's key says whose it is.
/// It is for what a listener has to know before it can tell, such as which texts were published.
#[derive(Clone, Default)]
pub struct Commons(Arc<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>);

impl Commons {
    /// The one of that type; made by whoever asks first.
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = all.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        one.clone().downcast().expect("invariant: each type's own is kept under it")
    }
}

impl fmt::Debug for Commons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Commons")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn there_is_one_of_each_type_in_a_run() {
        let commons = Commons::default();
        commons.get::<AtomicU32>().store(7, Ordering::Relaxed);
        commons.get::<Mutex<String>>().lock().unwrap().push('x');
        assert_eq!(commons.clone().get::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(*commons.get::<Mutex<String>>().lock().unwrap(), "x");
        assert_eq!(Commons::default().get::<AtomicU32>().load(Ordering::Relaxed), 0, "another run has its own");
    }
}
