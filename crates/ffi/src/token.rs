//! Giving up what was begun.

use toolmesh_embed::CancellationToken;

use crate::boundary::{handed, object, taken};

/// Cancels everything that was begun with it.
pub struct ToolmeshToken(CancellationToken);

/// The token behind a pointer, when there is one.
///
/// # Safety
/// See [`crate::boundary`].
pub(crate) unsafe fn token(pointer: *const ToolmeshToken) -> Option<CancellationToken> {
    // SAFETY: what the caller owes is the same.
    unsafe { object(pointer) }.ok().map(|token| token.0.clone())
}

/// A token.
#[unsafe(no_mangle)]
pub extern "C" fn toolmesh_token_new() -> *mut ToolmeshToken {
    handed(ToolmeshToken(CancellationToken::new()))
}

/// Cancels what was begun with the token: calls are cancelled at their handlers, and every callback is told soon.
///
/// # Safety
/// The token was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_token_cancel(token: *const ToolmeshToken) {
    // SAFETY: the caller owes what the head of `boundary` says.
    if let Ok(token) = unsafe { object(token) } {
        token.0.cancel();
    }
}

/// Frees a token; it cancels nothing.
///
/// # Safety
/// The token was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_token_free(token: *mut ToolmeshToken) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(token) };
}
