//! The boundary: pointers become references and texts, a panic stops here.
//!
//! What a caller owes holds for every function of the interface. A pointer to an object came from this library and was not
//! freed; NULL is refused in a typed way. `data` and `len` are `len` bytes that may be read and do not change until the
//! function returns; `data` may be anything when `len` is 0. A callback follows the rules at the head of the header.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
    sync::Arc,
};

use toolmesh_embed::{Fault, FaultKind};

use crate::answer::{Failure, Outcome, ToolmeshAnswer};

/// Runs what a function of the interface does; when it panics, the answer says so.
pub(crate) fn answer(work: impl FnOnce() -> Outcome) -> ToolmeshAnswer {
    guarded(|| Err(Failure::Panicked), work).into()
}

/// Runs what a function of the interface does; `otherwise` is its value when that panics.
pub(crate) fn guarded<T>(otherwise: impl FnOnce() -> T, work: impl FnOnce() -> T) -> T {
    // What a panic leaves behind is either let go by unwinding or behind a lock that looks past poisoning.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| otherwise())
}

/// The object behind a pointer.
///
/// # Safety
/// See the head of this module.
pub(crate) unsafe fn object<'a, T>(pointer: *const T) -> Result<&'a T, Fault> {
    // SAFETY: it is NULL, or came from `Box::into_raw` in `handed` and is still there, which the caller owes.
    let object = unsafe { pointer.as_ref() };
    object.ok_or_else(null)
}

/// Something that is needed is NULL.
pub(crate) fn null() -> Fault {
    Fault::new(FaultKind::Invalid, "an object that is needed is NULL")
}

/// The text of `len` bytes at `data`.
///
/// # Safety
/// See the head of this module.
pub(crate) unsafe fn text<'a>(data: *const u8, len: usize) -> Result<&'a str, Fault> {
    if len == 0 {
        return Ok("");
    }
    if data.is_null() || isize::try_from(len).is_err() {
        return Err(Fault::new(
            FaultKind::Invalid,
            "a text is NULL, or longer than memory",
        ));
    }
    // SAFETY: the caller owes `len` bytes that may be read, and `len` fits an `isize`.
    let bytes = unsafe { slice::from_raw_parts(data, len) };
    std::str::from_utf8(bytes).map_err(|_| Fault::new(FaultKind::Invalid, "a text is no UTF-8"))
}

/// As [`text`]; NULL stands for none.
///
/// # Safety
/// See the head of this module.
pub(crate) unsafe fn optional_text<'a>(data: *const u8, len: usize) -> Result<Option<&'a str>, Fault> {
    if data.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: what the caller owes is the same.
    unsafe { text(data, len) }.map(Some)
}

/// Hands an object to the program.
pub(crate) fn handed<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// Takes an object back.
///
/// # Safety
/// See the head of this module; nobody uses the pointer afterwards.
pub(crate) unsafe fn taken<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: it came from `handed`, and the caller gives it back once.
        let object = unsafe { Box::from_raw(pointer) };
        guarded(|| (), || drop(object));
    }
}

/// A share in what an object holds, for work that goes on without it.
pub(crate) fn shared<T>(held: &Arc<T>) -> Arc<T> {
    Arc::clone(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{answer::ToolmeshCode, toolmesh_answer_free};

    #[test]
    fn a_panic_is_one_typed_answer() {
        let answer = answer(|| panic!("a defect"));
        assert_eq!(answer.code, ToolmeshCode::Panicked as i32);
        assert!(answer.len > 0);
        // SAFETY: it was made above.
        unsafe { toolmesh_answer_free(answer) };
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let wrong = [0xff_u8, 0xfe];
        // SAFETY: each pointer is NULL or has as many bytes behind it as it says.
        let refused = unsafe {
            [
                text(wrong.as_ptr(), wrong.len()),
                text(std::ptr::null(), 1),
                text(wrong.as_ptr(), usize::MAX),
            ]
        };
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
        // SAFETY: no byte is read.
        assert_eq!(unsafe { text(std::ptr::null(), 0) }, Ok(""));
        // SAFETY: no byte is read.
        assert_eq!(unsafe { optional_text(std::ptr::null(), 0) }, Ok(None));
    }

    #[test]
    fn an_object_that_is_null_is_refused_and_freeing_it_does_nothing() {
        // SAFETY: NULL is allowed.
        assert!(unsafe { object::<u8>(std::ptr::null()) }.is_err());
        // SAFETY: NULL is allowed.
        unsafe { taken::<u8>(std::ptr::null_mut()) };
    }
}
