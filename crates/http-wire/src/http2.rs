//! HTTP/2 by the library `h2`, polled by hand from the session's own calls: no runtime, no task, no timer.
//!
//! A connection ([`Mux`]) belongs to one slot or is shared by several; a [`Stream`] is one exchange on it. Whoever is
//! called drives the connection, and those for whom something came are woken. The decision record 0011 has the reasons.

mod frames;
mod mux;
mod request;
mod stream;
mod wire;

pub(crate) use mux::Mux;
pub use request::{Http2, Unsendable, is_about_the_connection};
pub(crate) use stream::{Broken, Stream};
pub use wire::ALPN;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// What one reading takes at most. All connections of a thread read into the same memory, since it is copied at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// Memory for reading.
type Buffer = Rc<RefCell<Box<[u8]>>>;

/// The connections of a thread, by endpoint and by group of slots, and the slots for whom something came.
#[derive(Default)]
pub(crate) struct Pool {
    buffer: RefCell<Option<Buffer>>,
    muxes: RefCell<Vec<Vec<Option<Rc<Mux>>>>>,
    woken: Arc<Woken>,
}

impl Pool {
    /// The connection of a group, if it has one.
    pub(crate) fn get(&self, endpoint: usize, group: usize) -> Option<Rc<Mux>> {
        self.muxes.borrow().get(endpoint)?.get(group)?.clone()
    }

    /// A group has a new connection.
    pub(crate) fn set(&self, endpoint: usize, group: usize, mux: Rc<Mux>) {
        let mut muxes = self.muxes.borrow_mut();
        if muxes.len() <= endpoint {
            muxes.resize_with(endpoint + 1, Vec::new);
        }
        if muxes[endpoint].len() <= group {
            muxes[endpoint].resize_with(group + 1, || None);
        }
        muxes[endpoint][group] = Some(mux);
    }

    /// No new exchange begins on this connection.
    pub(crate) fn forget(&self, mux: &Rc<Mux>) {
        for group in self.muxes.borrow_mut().iter_mut().flatten() {
            if group.as_ref().is_some_and(|known| Rc::ptr_eq(known, mux)) {
                *group = None;
            }
        }
    }

    /// Memory that connections read into.
    pub(crate) fn buffer(&self) -> Buffer {
        self.buffer.borrow_mut().get_or_insert_with(|| Rc::new(RefCell::new(vec![0; BUFFER_BYTES].into()))).clone()
    }

    /// What wakes a slot.
    pub(crate) fn waker(&self, slot: u32) -> Waker {
        Waker::from(Arc::new(SlotWaker { slot, woken: self.woken.clone() }))
    }

    /// The slots that were woken since the last call.
    pub(crate) fn take_woken(&self, each: &mut dyn FnMut(u32)) {
        self.woken.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).for_each(each);
    }
}

/// Numbers of slots. The standard library's wakers must be able to cross threads; these never do.
#[derive(Default)]
struct Woken(Mutex<Vec<u32>>);

struct SlotWaker {
    slot: u32,
    woken: Arc<Woken>,
}

impl Wake for SlotWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.0.lock().unwrap_or_else(PoisonError::into_inner).push(self.slot);
    }
}
