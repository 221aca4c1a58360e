//! Model providers' tool formats, text in and text out.

use toolmesh_embed::{ToolFormat, Toolset, json::Value, lower_call, to_tool};

use crate::{
    answer::ToolmeshAnswer,
    boundary::{answer, handed, null, object, taken, text},
};

/// Tools translated as a whole for one provider.
pub struct ToolmeshToolset(Toolset);

/// A tool in the plain form of `openai`, `anthropic`, `mcp` or `gemini`, as JSON.
///
/// # Safety
/// The texts are readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_to_tool(
    format: *const u8,
    format_len: usize,
    descriptor: *const u8,
    descriptor_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (format, descriptor) = unsafe { (text(format, format_len), text(descriptor, descriptor_len)) };
    answer(|| Ok(to_tool(ToolFormat::named(format?)?, descriptor?)?))
}

/// A model's call of a tool, from the plain form of a provider: `{"name", "arguments_json", "provider_call_id" or null}`.
/// TOOLMESH_CODE_NO_TOOL_CALL when there is none.
///
/// # Safety
/// The texts are readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_lower_call(
    format: *const u8,
    format_len: usize,
    reply: *const u8,
    reply_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (format, reply) = unsafe { (text(format, format_len), text(reply, reply_len)) };
    answer(|| {
        let call = lower_call(ToolFormat::named(format?)?, reply?)?;
        let id = call
            .provider_call_id
            .as_deref()
            .map_or(Value::null(), Value::from);
        Ok(Value::object()
            .put("name", call.name.as_str())
            .put("arguments_json", call.arguments_json.as_str())
            .put("provider_call_id", id)
            .build()
            .to_text())
    })
}

/// Translates tools (a JSON array of descriptors) for `openai`, `openai-responses`, `anthropic`, `gemini` or `mcp`, with names
/// and schemas that the provider takes. `toolset` is set when nothing failed, and to NULL otherwise.
///
/// # Safety
/// The texts are readable bytes, `toolset` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_translate(
    provider: *const u8,
    provider_len: usize,
    descriptors: *const u8,
    descriptors_len: usize,
    toolset: *mut *mut ToolmeshToolset,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of all three.
    let (provider, descriptors, place) = unsafe {
        (
            text(provider, provider_len),
            text(descriptors, descriptors_len),
            toolset.as_mut(),
        )
    };
    let Some(place) = place else {
        return answer(|| Err(null().into()));
    };
    *place = std::ptr::null_mut();
    answer(|| {
        *place = handed(ToolmeshToolset(Toolset::translate(provider?, descriptors?)?));
        Ok(String::new())
    })
}

/// What to send as the request's tools: a JSON array.
///
/// # Safety
/// The toolset was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_tools(toolset: *const ToolmeshToolset) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says.
    let toolset = unsafe { object(toolset) };
    answer(|| Ok(toolset?.0.tools()))
}

/// What was changed or could not be carried over: a JSON array of `{"tool", "place", "message"}`.
///
/// # Safety
/// The toolset was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_warnings(toolset: *const ToolmeshToolset) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says.
    let toolset = unsafe { object(toolset) };
    answer(|| Ok(toolset?.0.warnings()))
}

/// The calls in a model's whole reply: a JSON array of `{"name", "arguments", "call_id"}`, or `{"name", "call_id", "error"}`.
///
/// # Safety
/// The toolset was not freed; the reply is readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_calls(
    toolset: *const ToolmeshToolset,
    reply: *const u8,
    reply_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (toolset, reply) = unsafe { (object(toolset), text(reply, reply_len)) };
    answer(|| Ok(toolset?.0.calls(reply?)?))
}

/// The results of a turn, a JSON array of `{"name", "call_id", "result", "is_error"}`, as the messages that go back to the
/// model: a JSON array.
///
/// # Safety
/// The toolset was not freed; the replies are readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_messages(
    toolset: *const ToolmeshToolset,
    replies: *const u8,
    replies_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (toolset, replies) = unsafe { (object(toolset), text(replies, replies_len)) };
    answer(|| Ok(toolset?.0.messages(replies?)?))
}

/// Frees a toolset.
///
/// # Safety
/// It was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_toolset_free(toolset: *mut ToolmeshToolset) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(toolset) };
}
