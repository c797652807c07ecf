//! Code that the C compiler of the system has made ([`super::wide`]): it is loaded, called, and let go. All contact with the
//! loader of the system is in this file, and nothing else is.
//!
//! - A [`Library`] holds what it loaded until it is dropped, and a call borrows it.
//! - The function writes only through its arguments, so that one library may be called from many threads.
//! - The text was written by [`super::wide`], which knows the lengths of the arrays; they are checked at every call.

use std::ffi::c_void;
use std::path::Path;

use super::ir::Bank;
use super::jet::JetProgram;
use super::wide::N_ROWS;

type Entry = unsafe extern "C" fn(*const f64, *mut f64, i64) -> i64;

/// Compiled steps of an ensemble.
#[derive(Debug)]
pub struct Library {
    handle: *mut c_void,
    entry: Entry,
    lanes: usize,
    order: usize,
    n_states: usize,
    n_parameters: usize,
}

// SAFETY: the handle is used by `drop` alone, and the function keeps nothing.
unsafe impl Send for Library {}
// SAFETY: the same.
unsafe impl Sync for Library {}

impl Library {
    /// Loads what was compiled from [`super::wide::source`] of these recurrences.
    pub fn open(path: &Path, program: &JetProgram) -> Result<Library, String> {
        let (handle, entry, lanes) = load(path)?;
        Ok(Library {
            handle,
            entry,
            lanes,
            order: program.order,
            n_states: program.n,
            n_parameters: program.initial.bank_len(Bank::Parameter),
        })
    }

    /// How many trajectories go side by side.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The order of the series.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Makes up to `most` steps of all lanes. The arrays are those of [`super::wide`].
    pub fn steps(&self, parameters: &[f64], carried: &mut [f64], most: u64) {
        assert!(parameters.len() >= self.lanes * self.n_parameters);
        assert!(carried.len() >= self.lanes * (2 * self.n_states + N_ROWS));
        // SAFETY: the function was compiled for arrays of the lengths just checked; `carried` is borrowed mutably and so
        // overlaps nothing; the library stays loaded as long as `self`.
        unsafe { (self.entry)(parameters.as_ptr(), carried.as_mut_ptr(), most.min(i64::MAX as u64) as i64) };
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        unload(self.handle);
    }
}

/// The library, its function, and how many lanes it has.
#[cfg(unix)]
fn load(path: &Path) -> Result<(*mut c_void, Entry, usize), String> {
    use super::wide::{LANES, STEPS};
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the name ends with a zero; what is loaded has no initialisers.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err("what the compiler made cannot be loaded".to_string());
    }
    // SAFETY: the handle is open and the names end with a zero.
    let (steps, lanes) = unsafe { (libc::dlsym(handle, STEPS.as_ptr()), libc::dlsym(handle, LANES.as_ptr())) };
    if steps.is_null() || lanes.is_null() {
        unload(handle);
        return Err("what the compiler made is not what was asked for".to_string());
    }
    // SAFETY: the text declares a function of this type, and a number of this type.
    let (entry, lanes) = unsafe { (std::mem::transmute::<*mut c_void, Entry>(steps), *lanes.cast::<i64>()) };
    Ok((handle, entry, lanes as usize))
}

#[cfg(not(unix))]
fn load(_: &Path) -> Result<(*mut c_void, Entry, usize), String> {
    Err("what another compiler made is loaded on Unix systems only".to_string())
}

fn unload(handle: *mut c_void) {
    #[cfg(unix)]
    // SAFETY: the handle is open, and nothing of it is used any more.
    unsafe {
        libc::dlclose(handle)
    };
    #[cfg(not(unix))]
    let _ = handle;
}
