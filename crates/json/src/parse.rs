//! From bytes to a value in one pass, every bound checked before anything is allocated for what it bounds.

use crate::{
    error::{ParseError, ParseErrorKind},
    limits::Limits,
    names::Names,
    number::Number,
    numeral::{self, NumeralFault},
    text::{self, Fault},
    value::{LINEAR, Member, Node, Value, order_of},
};
use std::sync::Arc;

/// Reads one JSON document within [`Limits::default`].
///
/// # Errors
/// [`ParseError`] when the bytes are no JSON, or exceed a limit.
pub fn parse(bytes: &[u8]) -> Result<Value, ParseError> {
    parse_with(bytes, &Limits::default())
}

/// Reads one JSON document within `limits`.
///
/// Of several faults the first in the document is reported, except that a duplicate name is noticed where its object ends.
///
/// # Errors
/// [`ParseError`] when the bytes are no JSON, or exceed a limit.
pub fn parse_with(bytes: &[u8], limits: &Limits) -> Result<Value, ParseError> {
    if bytes.len() > limits.bytes() {
        return Err(ParseError::new(ParseErrorKind::TooManyBytes, limits.bytes()));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(ParseError::new(ParseErrorKind::ByteOrderMark, 0));
    }
    let result = match str::from_utf8(bytes) {
        Ok(text) => Parser::new(text, limits).document(),
        Err(invalid) => Err(first_fault(bytes, invalid.valid_up_to(), limits)),
    };
    result.map_err(|(kind, offset)| ParseError::new(kind, offset))
}

/// What is wrong with bytes that are UTF-8 only up to `valid`: something before that, or the encoding.
fn first_fault(bytes: &[u8], valid: usize, limits: &Limits) -> Fault {
    let text = bytes
        .get(..valid)
        .and_then(|prefix| str::from_utf8(prefix).ok())
        .unwrap_or_default();
    match Parser::new(text, limits).document() {
        Err((kind, offset)) if offset < valid => (kind, offset),
        _ => (ParseErrorKind::InvalidUtf8, valid),
    }
}

/// Room for what a usual call has open at once, so that its stacks do not grow step by step.
const USUAL: usize = 16;

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    limits: &'a Limits,
    at: usize,
    nodes: usize,
    /// The containers that are open, from the root inwards.
    open: Vec<Open>,
    /// Finished elements of the open arrays.
    items: Vec<Value>,
    /// Members of the open objects; the last one of an object waits for its value.
    members: Vec<Member>,
    /// Where the name of each of `members` starts.
    name_offsets: Vec<usize>,
    names: Names,
    decoded: String,
}

/// A container that is open: where its children start on their stack, and the height it has reached.
struct Open {
    object: bool,
    start: usize,
    height: u32,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits) -> Parser<'a> {
        Parser {
            text,
            bytes: text.as_bytes(),
            limits,
            at: 0,
            nodes: 0,
            open: Vec::with_capacity(USUAL),
            items: Vec::new(),
            members: Vec::with_capacity(USUAL),
            name_offsets: Vec::with_capacity(USUAL),
            names: Names::new(),
            decoded: String::new(),
        }
    }

    fn document(mut self) -> Result<Value, Fault> {
        if self.skip_space().is_none() {
            return Err((ParseErrorKind::Empty, self.at));
        }
        loop {
            let Some(value) = self.value()? else { continue };
            if let Some(root) = self.complete(value)? {
                return match self.skip_space() {
                    None => Ok(root),
                    Some(_) => Err((ParseErrorKind::TrailingContent, self.at)),
                };
            }
        }
    }

    /// Reads a value that is complete by itself, or opens a container and stops where its first child stands.
    fn value(&mut self) -> Result<Option<Value>, Fault> {
        let first = self
            .skip_space()
            .ok_or((ParseErrorKind::UnexpectedEnd, self.at))?;
        self.admit()?;
        match first {
            b'"' => self.string().map(Some),
            b'{' => self.open_object(),
            b'[' => Ok(self.open_array()),
            b't' => self.word("true", Node::Boolean(true)),
            b'f' => self.word("false", Node::Boolean(false)),
            b'n' => self.word("null", Node::Null),
            b'-' | b'0'..=b'9' => self.number().map(Some),
            _ => Err((ParseErrorKind::UnexpectedByte, self.at)),
        }
    }

    /// Counts one more value at the present depth.
    fn admit(&mut self) -> Result<(), Fault> {
        self.nodes += 1;
        if self.open.len() >= self.limits.depth() {
            return Err((ParseErrorKind::TooDeep, self.at));
        }
        if self.nodes > self.limits.nodes() {
            return Err((ParseErrorKind::TooManyNodes, self.at));
        }
        Ok(())
    }

    /// Hands a finished value to the container around it, and that one, if it ends here, to the next; `Some` is the root.
    fn complete(&mut self, mut value: Value) -> Result<Option<Value>, Fault> {
        loop {
            let Some(open) = self.open.last_mut() else {
                return Ok(Some(value));
            };
            open.height = open.height.max(value.height().saturating_add(1));
            let object = open.object;
            if !object {
                self.items.push(value);
            } else if let Some(member) = self.members.last_mut() {
                member.value = value;
            }
            match (self.skip_space(), object) {
                (Some(b','), false) => {
                    self.at += 1;
                    return Ok(None);
                }
                (Some(b','), true) => {
                    self.at += 1;
                    self.skip_space();
                    return self.name().map(|()| None);
                }
                (Some(b']'), false) => value = self.close_array(),
                (Some(b'}'), true) => value = self.close_object()?,
                (Some(_), _) => return Err((ParseErrorKind::UnexpectedByte, self.at)),
                (None, _) => return Err((ParseErrorKind::UnexpectedEnd, self.at)),
            }
            self.at += 1;
        }
    }

    fn open_array(&mut self) -> Option<Value> {
        self.at += 1;
        if self.skip_space() == Some(b']') {
            self.at += 1;
            return Some(Value::of_items(1, std::iter::empty()));
        }
        self.open.push(Open {
            object: false,
            start: self.items.len(),
            height: 1,
        });
        None
    }

    fn open_object(&mut self) -> Result<Option<Value>, Fault> {
        self.at += 1;
        if self.skip_space() == Some(b'}') {
            self.at += 1;
            return Ok(Some(Value::of_members(1, std::iter::empty())));
        }
        self.open.push(Open {
            object: true,
            start: self.members.len(),
            height: 1,
        });
        self.name().map(|()| None)
    }

    /// Reads a name and its colon.
    fn name(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return Err((ParseErrorKind::UnexpectedByte, self.at)),
            None => return Err((ParseErrorKind::UnexpectedEnd, self.at)),
        }
        self.name_offsets.push(self.at);
        let text = self.quoted()?;
        let name = match text {
            Quoted::Plain(text) => self.names.share(text),
            Quoted::Decoded => self.names.share(&self.decoded),
        };
        self.members.push(Member {
            name,
            value: Value::null(),
        });
        match self.skip_space() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err((ParseErrorKind::UnexpectedByte, self.at)),
            None => Err((ParseErrorKind::UnexpectedEnd, self.at)),
        }
    }

    fn close_array(&mut self) -> Value {
        let Some(Open { start, height, .. }) = self.open.pop() else {
            return Value::null();
        };
        Value::of_items(height, self.items.drain(start..))
    }

    fn close_object(&mut self) -> Result<Value, Fault> {
        let Some(Open { start, height, .. }) = self.open.pop() else {
            return Ok(Value::null());
        };
        let members = self.members.get(start..).unwrap_or_default();
        let value = if members.len() <= LINEAR {
            self.refuse_twin(start, twin_of_few(members))?;
            Value::of_members(height, self.members.drain(start..))
        } else {
            let order = order_of(members);
            self.refuse_twin(start, twin_of_many(members, &order))?;
            Value::of_indexed(height, self.members.drain(start..).collect(), order)
        };
        self.name_offsets.truncate(start);
        Ok(value)
    }

    fn refuse_twin(&self, start: usize, twin: Option<usize>) -> Result<(), Fault> {
        match twin.and_then(|twin| self.name_offsets.get(start + twin)) {
            Some(&offset) => Err((ParseErrorKind::DuplicateName, offset)),
            None => Ok(()),
        }
    }

    fn string(&mut self) -> Result<Value, Fault> {
        let text = match self.quoted()? {
            Quoted::Plain(text) => Arc::from(text),
            Quoted::Decoded => Arc::from(self.decoded.as_str()),
        };
        Ok(Value(Node::String(text)))
    }

    /// Reads the string at the present position, which is its opening quote.
    fn quoted(&mut self) -> Result<Quoted<'a>, Fault> {
        let start = self.at + 1;
        let spelling = text::spelling(self.bytes, start, self.limits)?;
        let token = self.text.get(start..spelling.end).unwrap_or_default();
        self.at = spelling.end + 1;
        if !spelling.escaped {
            return Ok(Quoted::Plain(token));
        }
        self.decoded.clear();
        text::decode(token, start, &mut self.decoded)?;
        Ok(Quoted::Decoded)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let Some((integer, length)) = numeral::short_integer(rest)
            && length <= self.limits.number_chars().min(self.limits.number_text_chars())
        {
            self.at += length;
            return Ok(Value(Node::Number(Number::small(integer))));
        }
        let numeral = numeral::scan(rest, self.limits).map_err(|fault| self.number_fault(fault))?;
        self.at += numeral.len;
        Ok(Value(Node::Number(Number::from_numeral(&numeral))))
    }

    fn number_fault(&self, fault: NumeralFault) -> Fault {
        match fault {
            NumeralFault::Syntax(behind) if self.at + behind == self.bytes.len() => {
                (ParseErrorKind::UnexpectedEnd, self.at + behind)
            }
            NumeralFault::Syntax(behind) => (ParseErrorKind::InvalidNumber, self.at + behind),
            NumeralFault::TokenTooLong => (ParseErrorKind::NumberTokenTooLong, self.at),
            NumeralFault::ExponentTooLarge => (ParseErrorKind::ExponentTooLarge, self.at),
            NumeralFault::TextTooLong => (ParseErrorKind::NumberTextTooLong, self.at),
        }
    }

    fn word(&mut self, word: &str, node: Node) -> Result<Option<Value>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(Some(Value(node)));
        }
        let same = rest
            .iter()
            .zip(word.as_bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let kind = if same == rest.len() {
            ParseErrorKind::UnexpectedEnd
        } else {
            ParseErrorKind::UnexpectedByte
        };
        Err((kind, self.at + same))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves to the next byte that is no white space, and shows it.
    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other,
            }
        }
    }
}

/// A string that was read: a slice of the document, or what its escapes stand for in `Parser::decoded`.
enum Quoted<'a> {
    Plain(&'a str),
    Decoded,
}

/// The first member whose name an earlier one has, found by comparing each with each.
fn twin_of_few(members: &[Member]) -> Option<usize> {
    (1..members.len()).find(|&index| {
        let (earlier, later) = members.split_at(index);
        later
            .first()
            .is_some_and(|twin| earlier.iter().any(|member| same_name(member, twin)))
    })
}

fn same_name(a: &Member, b: &Member) -> bool {
    *a.name == *b.name
}

/// A member whose name an earlier one has, found as neighbours in the sorted order.
fn twin_of_many(members: &[Member], order: &[u32]) -> Option<usize> {
    let twins = order.iter().zip(order.iter().skip(1)).filter(|&(&a, &b)| {
        let pair = members.get(a as usize).zip(members.get(b as usize));
        pair.is_some_and(|(a, b)| same_name(a, b))
    });
    // Equal names are sorted by position, so that the later one of a pair is the twin.
    twins.map(|(_, &twin)| twin as usize).min()
}
