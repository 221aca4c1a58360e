//! Arguments as agents write them to the values that an application takes.
//!
//! What differs: bytes may be hexadecimal digits, 64-bit integers may be decimal digits, a whole number may be written
//! `1.0`, a positional record may be an object, a field that may be null may be left out, and what is not declared is
//! dropped. The result is of the published form too.

mod integer;
mod variant;

use toolmesh_json::{ObjectBuilder, ObjectView, Pointer, Value, View};
use toolmesh_tool::ArgumentError;

use crate::context::Targeting;
use crate::model::Method;
use crate::schema::has_twins;
use crate::shape::{Definitions, Member, Shape, ShapeKind, Shapes};

/// Converts the arguments of a method: the declared ones, and the injected one where the tool takes it.
pub(crate) fn arguments(
    method: &Method,
    shapes: &Shapes,
    targeting: Targeting,
    given: ObjectView<'_>,
) -> Result<Value, ArgumentError> {
    let mut arguments = Value::object();
    let mut converter = Converter::new(shapes);
    if let Some(name) = targeting.argument_of(method)
        && let Some(target) = converter.target(name, targeting, given)?
    {
        arguments.insert(name, target);
    }
    converter.declared(method, shapes, given, &mut arguments)?;
    Ok(arguments.build())
}

/// Converts the declared arguments alone.
pub(crate) fn declared_arguments(
    method: &Method,
    shapes: &Shapes,
    given: ObjectView<'_>,
) -> Result<Value, ArgumentError> {
    let mut arguments = Value::object();
    Converter::new(shapes).declared(method, shapes, given, &mut arguments)?;
    Ok(arguments.build())
}

/// Where a value stands in an object.
#[derive(Clone, Copy)]
struct Place<'a> {
    name: &'a str,
    shape: &'a Shape,
    nullable: bool,
}

impl<'a> Place<'a> {
    fn of(member: &'a Member) -> Self {
        Self {
            name: &member.name,
            shape: &member.shape,
            nullable: member.nullable,
        }
    }
}

struct Converter<'a> {
    definitions: &'a Definitions,
    at: Pointer,
}

type Converted = Result<Value, ArgumentError>;

impl<'a> Converter<'a> {
    fn new(shapes: &'a Shapes) -> Self {
        Self {
            definitions: &shapes.definitions,
            at: Pointer::root(),
        }
    }

    /// The declared arguments, in the order of the method.
    fn declared(
        &mut self,
        method: &'a Method,
        shapes: &'a Shapes,
        given: ObjectView<'_>,
        into: &mut ObjectBuilder,
    ) -> Result<(), ArgumentError> {
        for (param, shape) in method.params.iter().zip(&shapes.roots) {
            let place = Place {
                name: &param.name,
                shape,
                nullable: param.nullable,
            };
            match given.get(&param.name) {
                Some(value) => into.insert(param.name.as_str(), self.place(place, value)?),
                None if param.nullable => {}
                None => return Err(self.missing(place)),
            }
        }
        Ok(())
    }

    fn refuse(&self, rule: &str, expected: impl Into<String>) -> ArgumentError {
        ArgumentError::new(self.at.clone(), rule, expected)
    }

    fn missing(&mut self, place: Place<'a>) -> ArgumentError {
        self.at.push(place.name);
        let error = self.refuse("missing", expectation(place.shape.resolve(self.definitions)));
        self.at.pop();
        error
    }

    /// The injected argument; null is as good as none.
    fn target(
        &mut self,
        name: &str,
        targeting: Targeting,
        given: ObjectView<'_>,
    ) -> Result<Option<Value>, ArgumentError> {
        let target = given.get(name).filter(|target| !target.is_null());
        self.at.push(name);
        match target {
            None if targeting.is_required() => Err(self.refuse("missing", targeting.expectation())),
            Some(target) if target.as_str().is_none() => Err(self.refuse("type", targeting.expectation())),
            _ => {
                self.at.pop();
                Ok(target.map(View::to_value))
            }
        }
    }

    /// A member that is there.
    fn place(&mut self, place: Place<'a>, value: View<'_>) -> Converted {
        if place.nullable && value.is_null() {
            return Ok(Value::null());
        }
        self.at.push(place.name);
        let converted = self.value(place.shape, value)?;
        self.at.pop();
        Ok(converted)
    }

    fn value(&mut self, shape: &'a Shape, value: View<'_>) -> Converted {
        let shape = shape.resolve(self.definitions);
        let fits = match &shape.kind {
            ShapeKind::Unknown => true,
            ShapeKind::Bool => value.as_bool().is_some(),
            ShapeKind::String => value.as_str().is_some(),
            ShapeKind::Unit => value.is_null(),
            ShapeKind::Float => value.as_number().is_some(),
            ShapeKind::Integer(integer) => {
                return integer::read(*integer, value).ok_or_else(|| self.refuse("type", expectation(shape)));
            }
            ShapeKind::Bytes { size } => return self.bytes(shape, *size, value),
            ShapeKind::List(item) => return self.list(shape, item, value),
            ShapeKind::Map(item) => return self.map(shape, item, value),
            ShapeKind::Tuple(elements) => return self.tuple(shape, elements.iter(), value),
            ShapeKind::Record { fields, positional } => {
                return self.record(shape, fields, *positional, value);
            }
            ShapeKind::Variant { members, tagging } => {
                return self.variant(shape, members, tagging, value);
            }
            // Resolved above.
            ShapeKind::Reference(_) => true,
        };
        if fits {
            return Ok(value.to_value());
        }
        Err(self.refuse("type", expectation(shape)))
    }

    fn bytes(&self, shape: &Shape, size: Option<u64>, value: View<'_>) -> Converted {
        let refuse = |rule: &str| self.refuse(rule, expectation(shape));
        let bytes: Vec<u8> = if let Some(digits) = value.as_str() {
            from_hex(digits).ok_or_else(|| refuse("not hexadecimal"))?
        } else {
            let items = value.as_array().ok_or_else(|| refuse("type"))?;
            let byte = |item: View<'_>| item.as_u64().and_then(|number| u8::try_from(number).ok());
            items
                .iter()
                .map(byte)
                .collect::<Option<_>>()
                .ok_or_else(|| refuse("not a byte"))?
        };
        if size.is_some_and(|size| u64::try_from(bytes.len()) != Ok(size)) {
            return Err(refuse("wrong length"));
        }
        Ok(bytes
            .into_iter()
            .map(|byte| Value::from(u32::from(byte)))
            .collect())
    }

    fn list(&mut self, shape: &Shape, item: &'a Shape, value: View<'_>) -> Converted {
        let items = value
            .as_array()
            .ok_or_else(|| self.refuse("type", expectation(shape)))?;
        let mut list = Value::array();
        for (place, value) in items.iter().enumerate() {
            self.at.push_index(place);
            list.add(self.value(item, value)?);
            self.at.pop();
        }
        Ok(list.build())
    }

    fn map(&mut self, shape: &Shape, item: &'a Shape, value: View<'_>) -> Converted {
        let members = value
            .as_object()
            .ok_or_else(|| self.refuse("type", expectation(shape)))?;
        let mut map = Value::object();
        for (name, value) in members.iter() {
            self.at.push(name);
            map.insert(name, self.value(item, value)?);
            self.at.pop();
        }
        Ok(map.build())
    }

    fn tuple(
        &mut self,
        shape: &Shape,
        elements: impl ExactSizeIterator<Item = &'a Shape>,
        value: View<'_>,
    ) -> Converted {
        let items = value
            .as_array()
            .ok_or_else(|| self.refuse("type", expectation(shape)))?;
        if items.len() != elements.len() {
            return Err(self.refuse("wrong length", expectation(shape)));
        }
        let mut tuple = Value::array();
        for (place, (element, value)) in elements.zip(items.iter()).enumerate() {
            self.at.push_index(place);
            tuple.add(self.value(element, value)?);
            self.at.pop();
        }
        Ok(tuple.build())
    }

    fn record(
        &mut self,
        shape: &Shape,
        fields: &'a [Member],
        positional: bool,
        value: View<'_>,
    ) -> Converted {
        if positional && value.as_array().is_some() {
            return self.positional(shape, fields, value);
        }
        if positional && has_twins(fields) {
            return Err(self.refuse("type", expectation(shape)));
        }
        let object = value
            .as_object()
            .ok_or_else(|| self.refuse("type", expectation(shape)))?;
        let mut members = Vec::with_capacity(fields.len());
        for field in fields {
            members.push((field.name.as_str(), self.field(field, object)?));
        }
        if positional {
            return Ok(members.into_iter().map(|(_, value)| value).collect());
        }
        let record: ObjectBuilder = members.into_iter().collect();
        Ok(record.build())
    }

    fn positional(&mut self, shape: &Shape, fields: &'a [Member], value: View<'_>) -> Converted {
        let items = value.as_array().filter(|items| items.len() == fields.len());
        let items = items.ok_or_else(|| self.refuse("wrong length", expectation(shape)))?;
        let mut record = Value::array();
        for (place, (field, value)) in fields.iter().zip(items.iter()).enumerate() {
            self.at.push_index(place);
            record.add(if field.nullable && value.is_null() {
                Value::null()
            } else {
                self.value(&field.shape, value)?
            });
            self.at.pop();
        }
        Ok(record.build())
    }

    /// A field of an object; one that may be null may be left out.
    fn field(&mut self, field: &'a Member, object: ObjectView<'_>) -> Converted {
        match object.get(&field.name) {
            Some(value) => self.place(Place::of(field), value),
            None if field.nullable => Ok(Value::null()),
            None => Err(self.missing(Place::of(field))),
        }
    }
}

/// Pairs of hexadecimal digits in either case.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    digits.as_bytes().chunks_exact(2).map(pair).collect()
}

/// What would fit, in words.
fn expectation(shape: &Shape) -> String {
    match &shape.kind {
        ShapeKind::Unknown | ShapeKind::Reference(_) => "a value".to_owned(),
        ShapeKind::Bool => "true or false".to_owned(),
        ShapeKind::String => "a string".to_owned(),
        ShapeKind::Unit => "null".to_owned(),
        ShapeKind::Integer(integer) => format!("a whole number from {} to {}", integer.min(), integer.max()),
        ShapeKind::Float => "a number".to_owned(),
        ShapeKind::Bytes { size: None } => {
            "an even number of hexadecimal digits, or an array of integers from 0 to 255".to_owned()
        }
        ShapeKind::Bytes { size: Some(size) } => format!(
            "{} hexadecimal digits, or an array of {size} integers from 0 to 255",
            size.saturating_mul(2)
        ),
        ShapeKind::List(_) => "an array".to_owned(),
        ShapeKind::Map(_) => "an object".to_owned(),
        ShapeKind::Tuple(elements) => format!("an array of {}", elements.len()),
        ShapeKind::Record { fields, positional } => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            match positional {
                true => format!("an array of {}", fields.len()),
                false if names.is_empty() => "an object".to_owned(),
                false => format!("an object with {}", names.join(", ")),
            }
        }
        ShapeKind::Variant { members, tagging } => variant::expectation(members, tagging),
    }
}
