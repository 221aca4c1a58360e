//! JSON with line breaks.

use toolmesh::json::{View, write_string};

/// JSON over several lines, two spaces a level; numbers and order exactly as they are.
pub(crate) fn pretty(value: View<'_>) -> String {
    let mut out = Vec::new();
    write(&mut out, value, 0);
    String::from_utf8_lossy(&out).into_owned()
}

/// The depth is bounded by the one of parsing, as the value came from there.
fn write(out: &mut Vec<u8>, value: View<'_>, level: usize) {
    if let Some(list) = value.as_array().filter(|list| !list.is_empty()) {
        out.push(b'[');
        for (index, item) in list.iter().enumerate() {
            begin(out, index, level + 1);
            write(out, item, level + 1);
        }
        line(out, level);
        out.push(b']');
    } else if let Some(object) = value.as_object().filter(|object| !object.is_empty()) {
        out.push(b'{');
        for (index, (name, item)) in object.iter().enumerate() {
            begin(out, index, level + 1);
            write_string(out, name);
            out.extend_from_slice(b": ");
            write(out, item, level + 1);
        }
        line(out, level);
        out.push(b'}');
    } else {
        value.write_to(out);
    }
}

fn begin(out: &mut Vec<u8>, index: usize, level: usize) {
    if index > 0 {
        out.push(b',');
    }
    line(out, level);
}

fn line(out: &mut Vec<u8>, level: usize) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 2 * level));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_has_its_form() {
        let text = r#"{"a":[1,2.50,{"b":null}],"c":{},"d":[],"e":"\n\"","f":18446744073709551616}"#;
        let value = toolmesh::json::parse(text.as_bytes()).unwrap();
        let shown = pretty(value.view());
        assert_eq!(toolmesh::json::parse(shown.as_bytes()).unwrap(), value);
        insta::assert_snapshot!(shown);
    }
}
