//! The function under `#[tool]`: what it takes, and what of it stays.

use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, PatType, Type};

use crate::{property, record::Field};

/// What a tool function takes.
pub(crate) struct Arguments {
    /// Whether the call's context comes first.
    pub(crate) context: bool,
    pub(crate) fields: Vec<Field>,
}

/// Reads a function's arguments and takes their attributes off, which no function may keep.
pub(crate) fn take_arguments(function: &mut ItemFn) -> syn::Result<Arguments> {
    refuse_others(function)?;
    let mut arguments = Arguments {
        context: false,
        fields: Vec::new(),
    };
    for (position, argument) in function.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = argument else {
            return Err(Error::new_spanned(
                argument,
                "`#[tool]` stands on a free function: move what `self` holds into statics or make the tool by `Tool::with_name`",
            ));
        };
        let attributes = take_attributes(argument);
        if !is_context(&argument.ty) {
            let ident = ident(&argument.pat)?;
            arguments
                .fields
                .push(Field::new(ident, (*argument.ty).clone(), &attributes)?);
        } else if position == 0 {
            arguments.context = true;
        } else {
            return Err(Error::new_spanned(
                argument,
                "the context comes first: `context: CallContext`",
            ));
        }
    }
    Ok(arguments)
}

fn refuse_others(function: &ItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        return Err(Error::new_spanned(
            signature.fn_token,
            "`#[tool]` stands on an `async fn`: a tool waits for the world, and must not hold up others meanwhile",
        ));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &signature.generics,
            "a tool function has no generic parameters: every tool has one schema",
        ));
    }
    Ok(())
}

fn take_attributes(argument: &mut PatType) -> Vec<Attribute> {
    let (ours, others): (Vec<_>, Vec<_>) = argument.attrs.drain(..).partition(property::is_ours);
    argument.attrs = others;
    ours
}

/// By its name alone: no macro sees what a name means.
fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "CallContext"))
}

fn ident(pattern: &Pat) -> syn::Result<Ident> {
    match pattern {
        Pat::Ident(named) if named.subpat.is_none() && named.by_ref.is_none() => Ok(named.ident.clone()),
        _ => Err(Error::new_spanned(
            pattern,
            "an argument of a tool needs a plain name, under which it is published",
        )),
    }
}
