//! Doc comments as descriptions.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment without its margin; `None` when there is none or it is blank.
pub(crate) fn of(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes.iter().filter_map(doc_text).collect();
    let text = lines
        .iter()
        .flat_map(|text| text.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect::<Vec<_>>()
        .join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn doc_text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn the_margin_goes_and_the_lines_stay() {
        let field: syn::ItemStruct = parse_quote! {
            /// First line.
            ///
            ///   indented
            struct S;
        };
        assert_eq!(of(&field.attrs).as_deref(), Some("First line.\n\n  indented"));
    }

    #[test]
    fn a_blank_comment_is_none() {
        let field: syn::ItemStruct = parse_quote! {
            ///
            struct S;
        };
        assert_eq!(of(&field.attrs), None);
    }
}
