//! Prompts and their messages.

use toolmesh_tool::{Prompt, PromptArgument, PromptOutput};

use super::{
    Inexpressible, ObjectWriter,
    content::{Place, role_name, write_block},
    icon::write_icons,
};
use crate::revision::Projection;

/// Writes a prompt's descriptor.
pub(crate) fn write_prompt(out: &mut Vec<u8>, prompt: &Prompt, projection: &Projection) {
    let mut object = ObjectWriter::open(out);
    object.text("name", prompt.name.as_str());
    object.text_opt("title", prompt.title.as_deref());
    object.text_opt("description", prompt.description.as_deref());
    write_icons(&mut object, &prompt.icons, projection);
    if !prompt.arguments.is_empty() {
        object.array("arguments", |array| {
            for argument in &prompt.arguments {
                array.object(|object| write_argument(object, argument));
            }
        });
    }
    object.close();
}

fn write_argument(object: &mut ObjectWriter<'_>, argument: &PromptArgument) {
    object.text("name", &argument.name);
    object.text_opt("title", argument.title.as_deref());
    object.text_opt("description", argument.description.as_deref());
    object.boolean("required", argument.required);
}

/// Writes the members of a prompt's result, except `_meta`.
///
/// # Errors
/// [`Inexpressible`] when the revision cannot express a message.
pub(crate) fn write_prompt_output(
    object: &mut ObjectWriter<'_>,
    output: &PromptOutput,
    projection: &Projection,
) -> Result<(), Inexpressible> {
    object.text_opt("description", output.description.as_deref());
    let mut written = Ok(());
    object.array("messages", |array| {
        for message in &output.messages {
            array.object(|object| {
                object.text("role", role_name(message.role));
                written = written.and_then(|()| {
                    write_block(
                        object.member("content"),
                        &message.content,
                        Place::PromptMessage,
                        projection,
                    )
                });
            });
        }
    });
    written
}
