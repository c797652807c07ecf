//! The allocator of the program: that of the system, with a count, so that memory has a bound ([`crate::memory`]). One of the
//! few files with `unsafe` in it; it holds nothing else.

use super::Exit;
use crate::memory::{count, taken};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The allocator of the system, with a count.
pub struct Counted;

// SAFETY: every request is handed to the allocator of the system as it is; only numbers are added.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller keeps the promises of `alloc`.
        let place = unsafe { System.alloc(layout) };
        if is_null(place) { out_of_memory() } else { place }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller keeps the promises of `alloc_zeroed`.
        let place = unsafe { System.alloc_zeroed(layout) };
        if is_null(place) { out_of_memory() } else { place }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(taken(layout.size()).wrapping_neg());
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(taken(size).wrapping_sub(taken(layout.size())));
        // SAFETY: the caller keeps the promises of `realloc`.
        let moved = unsafe { System.realloc(place, layout, size) };
        if is_null(moved) { out_of_memory() } else { moved }
    }
}

/// No call in any build: it stands in the way of every piece of memory.
#[inline(always)]
fn is_null(place: *mut u8) -> bool {
    place as usize == 0
}

/// The machine has no more, long before the bound. There is nobody to hand an error to: this says it and ends the program.
#[cold]
fn out_of_memory() -> ! {
    let words = b"error[E0901]: this machine has no more memory\n  = help: give the program less: `--memory 1G`\n";
    let _ = std::io::stderr().write_all(words);
    std::process::exit(Exit::Failure as i32)
}
