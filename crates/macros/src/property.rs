//! `#[property(..)]`: how a field, an argument or a variant is published.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Ident, LitStr, Path, ext::IdentExt, meta::ParseNestedMeta};

use crate::description;

/// The schema compiler's bound on names, in UTF-16 units (`toolmesh_tool::typed::MAX_PROPERTY_NAME_UNITS`): told here already,
/// where the compiler can point at it.
const MAX_NAME_UNITS: usize = 1_024;

/// What `#[property(..)]` and the doc comment say.
#[derive(Default)]
pub(crate) struct PropertyAttributes {
    name: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    header: Option<LitStr>,
    /// Only on a type: where the library is.
    pub(crate) krate: Option<Path>,
    documentation: Option<String>,
}

/// Which settings make sense where the attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// On the type itself.
    Type,
    /// On a field or an argument.
    Field,
    /// On a variant of an enum.
    Variant,
}

impl Position {
    fn settings(self) -> &'static str {
        match self {
            Self::Type => "`crate = path`",
            Self::Field => "`name`, `title`, `description` and `header`, each with a text",
            Self::Variant => "`name` with a text",
        }
    }
}

/// Whether the attribute belongs to us: it is taken off a function's arguments.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("property") || attribute.path().is_ident("doc")
}

impl PropertyAttributes {
    pub(crate) fn read(attributes: &[Attribute], position: Position) -> syn::Result<Self> {
        let mut read = Self {
            documentation: description::of(attributes),
            ..Self::default()
        };
        for attribute in attributes
            .iter()
            .filter(|found| found.path().is_ident("property"))
        {
            attribute.parse_nested_meta(|setting| read.setting(&setting, position))?;
        }
        Ok(read)
    }

    fn setting(&mut self, setting: &ParseNestedMeta<'_>, position: Position) -> syn::Result<()> {
        let named = setting.path.get_ident().map(Ident::to_string).unwrap_or_default();
        match (position, named.as_str()) {
            (Position::Type, "crate") => once(&mut self.krate, setting, setting.value()?.parse()?),
            (Position::Field | Position::Variant, "name") => once(&mut self.name, setting, text(setting)?),
            (Position::Field, "title") => once(&mut self.title, setting, text(setting)?),
            (Position::Field, "description") => once(&mut self.description, setting, text(setting)?),
            (Position::Field, "header") => once(&mut self.header, setting, text(setting)?),
            _ => Err(setting.error(format!("only {} can stand here", position.settings()))),
        }
    }

    /// The published name: the given one, else that of the source without `r#`.
    pub(crate) fn name(&self, source: &Ident) -> syn::Result<LitStr> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => LitStr::new(&source.unraw().to_string(), source.span()),
        };
        let units = name.value().encode_utf16().count();
        if (1..=MAX_NAME_UNITS).contains(&units) {
            return Ok(name);
        }
        Err(syn::Error::new(
            name.span(),
            format!(
                "INVALID_DESCRIPTOR: a name has 1 to {MAX_NAME_UNITS} UTF-16 units, this one has {units}"
            ),
        ))
    }

    /// The expression of the library's `Property`.
    pub(crate) fn to_expression(&self, krate: &TokenStream, name: &LitStr) -> TokenStream {
        let title = optional(self.title.as_ref());
        let header = optional(self.header.as_ref());
        let description = match &self.description {
            Some(given) => optional(Some(given)),
            None => optional(self.documentation.as_ref()),
        };
        quote! {
            #krate::typed::Property {
                name: #name,
                title: #title,
                description: #description,
                header: #header,
            }
        }
    }
}

fn text(setting: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    setting.value()?.parse()
}

/// Keeps a setting, unless it was given before.
pub(crate) fn once<T>(place: &mut Option<T>, setting: &ParseNestedMeta<'_>, value: T) -> syn::Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(setting.error("this is given twice")),
    }
}

/// The expression of an `Option`.
pub(crate) fn optional<T: ToTokens>(value: Option<&T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Refuses two published names that are the same.
pub(crate) fn refuse_duplicates<'n>(names: impl Iterator<Item = &'n LitStr>) -> syn::Result<()> {
    let mut taken = std::collections::HashSet::new();
    for name in names {
        if !taken.insert(name.value()) {
            return Err(syn::Error::new(
                name.span(),
                format!("DUPLICATE_PROPERTY: the name `{}` is taken already", name.value()),
            ));
        }
    }
    Ok(())
}
