//! A value before its key has judged it, from a file or from the environment.

use toml::de::DeValue;
use toolmesh_json::{Number, Value, View};

/// What a key expected instead; completes "must be ...".
pub(super) type Expected = String;

/// A value before its key has judged it.
#[derive(Debug)]
pub(super) enum Setting<'a> {
    /// From a file, with its own type.
    Toml(&'a DeValue<'a>),
    /// From the environment: text that stands for any type.
    Environment(&'a str),
}

impl Setting<'_> {
    /// A text.
    pub(super) fn text(&self) -> Result<String, Expected> {
        match self {
            Self::Environment(text) => Ok((*text).to_owned()),
            Self::Toml(value) => value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| "a text".to_owned()),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self) -> Result<bool, Expected> {
        let flag = match self {
            Self::Environment("true") => Some(true),
            Self::Environment("false") => Some(false),
            Self::Environment(_) => None,
            Self::Toml(value) => value.as_bool(),
        };
        flag.ok_or_else(|| "true or false".to_owned())
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self) -> Result<u64, Expected> {
        self.digits()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| "a whole number".to_owned())
    }

    /// An amount that may be too large for TOML's integers, as decimal digits: a number, or a text of digits.
    pub(super) fn amount(&self) -> Result<String, Expected> {
        let amount = match self {
            Self::Toml(value) if value.is_str() => value.as_str().map(str::to_owned),
            _ => self.digits(),
        };
        amount
            .filter(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
            .ok_or_else(|| "a whole number of wei, or a text of digits".to_owned())
    }

    /// A list of texts; in the environment separated by commas.
    pub(super) fn texts(&self) -> Result<Vec<String>, Expected> {
        let texts = match self {
            Self::Environment(text) => Some(
                text.split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
                    .collect(),
            ),
            Self::Toml(value) => value.as_array().and_then(|list| {
                list.iter()
                    .map(|item| item.get_ref().as_str().map(str::to_owned))
                    .collect()
            }),
        };
        texts.ok_or_else(|| "a list of texts".to_owned())
    }

    /// A structure: TOML, or a text of JSON.
    pub(super) fn json(&self) -> Result<Value, Expected> {
        let text = match self {
            Self::Environment(text) => *text,
            Self::Toml(DeValue::String(text)) => text.as_ref(),
            Self::Toml(value) => {
                return to_json(value).ok_or_else(|| "an array or a table without dates".to_owned());
            }
        };
        toolmesh_json::parse(text.as_bytes()).map_err(|error| format!("JSON ({})", error.kind()))
    }

    /// Names with a text each: a table, or a text of JSON.
    pub(super) fn pairs(&self) -> Result<Vec<(String, String)>, Expected> {
        let expected = || "a table of texts".to_owned();
        let value = self.json().map_err(|_| expected())?;
        let object = value.as_object().ok_or_else(expected)?;
        let pair = |(name, value): (&str, View<'_>)| Some((name.to_owned(), value.as_str()?.to_owned()));
        object
            .iter()
            .map(pair)
            .collect::<Option<_>>()
            .ok_or_else(expected)
    }

    fn digits(&self) -> Option<String> {
        match self {
            Self::Environment(text) => Some((*text).to_owned()),
            Self::Toml(value) => {
                let integer = value.as_integer()?;
                i64::from_str_radix(integer.as_str(), integer.radix())
                    .ok()
                    .map(|number| number.to_string())
            }
        }
    }
}

/// TOML as JSON; `None` when there is a date or a number that JSON does not know.
fn to_json(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Some(Value::from(*flag)),
        DeValue::Integer(integer) => Some(Value::from(i128::from(
            i64::from_str_radix(integer.as_str(), integer.radix()).ok()?,
        ))),
        DeValue::Float(float) => Number::parse(float.as_str()).ok().map(Value::from),
        DeValue::Datetime(_) => None,
        DeValue::Array(list) => {
            let mut array = Value::array();
            for item in list.iter() {
                array.add(to_json(item.get_ref())?);
            }
            Some(array.build())
        }
        DeValue::Table(table) => {
            let mut object = Value::object();
            for (name, item) in table {
                object.insert(name.get_ref().as_ref(), to_json(item.get_ref())?);
            }
            Some(object.build())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toml(text: &str) -> DeValue<'_> {
        DeValue::parse(text).unwrap().into_inner()
    }

    #[test]
    fn a_flag_has_two_spellings_and_no_third() {
        assert_eq!(Setting::Environment("true").flag(), Ok(true));
        assert_eq!(Setting::Toml(&toml("false")).flag(), Ok(false));
        assert!(Setting::Environment("1").flag().is_err());
        assert!(Setting::Toml(&toml("\"true\"")).flag().is_err());
    }

    #[test]
    fn pairs_are_a_table_or_json_and_all_texts() {
        let pairs = vec![
            ("A".to_owned(), "1".to_owned()),
            ("b".to_owned(), "x y".to_owned()),
        ];
        assert_eq!(
            Setting::Toml(&toml(r#"{ A = "1", b = "x y" }"#)).pairs(),
            Ok(pairs.clone())
        );
        assert_eq!(Setting::Environment(r#"{"A":"1","b":"x y"}"#).pairs(), Ok(pairs));
        assert!(Setting::Toml(&toml("{ A = 1 }")).pairs().is_err());
        assert!(Setting::Environment("A=1").pairs().is_err());
    }

    #[test]
    fn an_amount_may_be_larger_than_an_integer_of_toml() {
        let large = "340282366920938463463374607431768211456";
        assert_eq!(Setting::Environment(large).amount().as_deref(), Ok(large));
        assert_eq!(
            Setting::Toml(&toml(&format!("\"{large}\""))).amount().as_deref(),
            Ok(large)
        );
        assert_eq!(Setting::Toml(&toml("1_000")).amount().as_deref(), Ok("1000"));
        for refused in ["-1", "1.5", "\"0x10\"", "\"\""] {
            assert!(Setting::Toml(&toml(refused)).amount().is_err(), "{refused}");
        }
    }

    #[test]
    fn a_structure_may_be_toml_or_a_text_of_json() {
        let expected = r#"{"owner":"0xab","supply":10}"#;
        assert_eq!(Setting::Environment(expected).json().unwrap().to_text(), expected);
        assert_eq!(
            Setting::Toml(&toml("{owner = \"0xab\", supply = 10}"))
                .json()
                .unwrap()
                .to_text(),
            expected
        );
        assert!(Setting::Toml(&toml("[1979-05-27]")).json().is_err());
    }

    #[test]
    fn a_list_in_the_environment_is_separated_by_commas() {
        assert_eq!(Setting::Environment("a*, b,").texts().unwrap(), ["a*", "b"]);
        assert!(Setting::Toml(&toml("[\"a\", 1]")).texts().is_err());
    }
}
