//! Bytes in and out of the page.
#![allow(unsafe_code, reason = "names that the page finds; nothing here reads or writes memory")]

use crate::{Open, answer};
use std::cell::RefCell;

thread_local! {
    static OPEN: RefCell<Open> = RefCell::default();
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a request of so many bytes; the page writes it there.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn room(bytes: usize) -> *mut u8 {
    BYTES.with_borrow_mut(|room| {
        room.clear();
        room.resize(bytes, 0);
        room.as_mut_ptr()
    })
}

/// Answers the request that stands in the room, in its place, and returns the answer's length.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() -> usize {
    let request = BYTES.with_borrow_mut(std::mem::take);
    let answer = OPEN.with_borrow_mut(|open| answer(open, &request));
    BYTES.with_borrow_mut(|room| {
        *room = answer;
        room.len()
    })
}

/// Where the answer stands.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answered() -> *const u8 {
    BYTES.with_borrow(|room| room.as_ptr())
}
