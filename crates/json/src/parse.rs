//! From bytes to a value in one pass, every bound checked before anything is allocated for what it bounds.

use crate::{
    document::Document,
    error::{ParseError, ParseErrorKind},
    limits::Limits,
    number::Number,
    numeral::{self, NumeralFault},
    text::{self, Fault},
    twins::Twins,
    value::{LINEAR, Node, Value},
    word::{Tag, Word},
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

/// Room for what a usual call has open at once, so that the stack does not grow step by step.
const USUAL: usize = 64;

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    limits: &'a Limits,
    at: usize,
    nodes: usize,
    /// How many containers are open.
    depth: usize,
    /// The innermost open container.
    frame: Frame,
    /// Finished children of the open containers, from the root inwards; in front of each container's stands the frame around it.
    stack: Vec<Word>,
    document: Document,
    /// What escapes stand for; goes behind the source in the document's text.
    decoded: String,
    /// Bytes of all texts together.
    used: usize,
    twins: Twins,
    /// Whether numbers of up to 20 characters are within all limits.
    roomy: bool,
}

/// A container that is open: where its children start on the stack, and the height it has reached.
#[derive(Clone, Copy)]
struct Frame {
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
            depth: 0,
            frame: Frame {
                object: false,
                start: 0,
                height: 1,
            },
            stack: Vec::with_capacity(USUAL.min(text.len())),
            document: Document {
                // A guess at what the limits allow anyway: a word for ten bytes, a number for a hundred.
                words: Vec::with_capacity((text.len() / 10).min(2 * limits.nodes())),
                numbers: Vec::with_capacity((text.len() / 100).min(limits.nodes())),
                ..Document::default()
            },
            decoded: String::new(),
            used: 0,
            twins: Twins::default(),
            roomy: limits.number_chars().min(limits.number_text_chars()) >= 32 && limits.exponent() >= 32,
        }
    }

    fn document(mut self) -> Result<Value, Fault> {
        if self.skip_space().is_none() {
            return Err((ParseErrorKind::Empty, self.at));
        }
        loop {
            let Some(word) = self.value()? else { continue };
            if let Some(root) = self.complete(word)? {
                return match self.skip_space() {
                    None => Ok(self.finish(root)),
                    Some(_) => Err((ParseErrorKind::TrailingContent, self.at)),
                };
            }
        }
    }

    fn finish(mut self, root: Word) -> Value {
        match root.tag() {
            Tag::Null => return Value::null(),
            Tag::False | Tag::True => return Value::from(root.tag() == Tag::True),
            Tag::Number => return self.document.numbers.pop().map_or_else(Value::null, Value::from),
            Tag::Plain | Tag::Text => return Value::from(source(self.text, &self.decoded, root)),
            Tag::Array | Tag::Object | Tag::Indexed | Tag::Order => {}
        }
        self.document.keep_texts(self.text, &self.decoded, self.used);
        self.document.shrink();
        Value(Node::Parsed {
            document: Arc::new(self.document),
            word: root,
        })
    }

    /// Reads a value that is complete by itself, or opens a container and stops where its first child stands.
    #[inline]
    fn value(&mut self) -> Result<Option<Word>, Fault> {
        let first = self
            .skip_space()
            .ok_or((ParseErrorKind::UnexpectedEnd, self.at))?;
        self.admit()?;
        match first {
            b'"' => self.quoted().map(Some),
            b'{' => self.open_object(),
            b'[' => Ok(self.open_array()),
            b't' => self.word("true", Tag::True).map(Some),
            b'f' => self.word("false", Tag::False).map(Some),
            b'n' => self.word("null", Tag::Null).map(Some),
            b'-' | b'0'..=b'9' => self.number().map(Some),
            _ => Err((ParseErrorKind::UnexpectedByte, self.at)),
        }
    }

    /// Counts one more value at the present depth.
    #[inline]
    fn admit(&mut self) -> Result<(), Fault> {
        self.nodes += 1;
        if self.depth >= self.limits.depth() {
            return Err((ParseErrorKind::TooDeep, self.at));
        }
        if self.nodes > self.limits.nodes() {
            return Err((ParseErrorKind::TooManyNodes, self.at));
        }
        Ok(())
    }

    /// Hands a finished value to the container around it, and that one, if it ends here, to the next; `Some` is the root.
    #[inline]
    fn complete(&mut self, mut word: Word) -> Result<Option<Word>, Fault> {
        while self.depth > 0 {
            self.stack.push(word);
            match (self.skip_space(), self.frame.object) {
                (Some(b','), false) => {
                    self.at += 1;
                    return Ok(None);
                }
                (Some(b','), true) => {
                    self.at += 1;
                    self.skip_space();
                    return self.name().map(|()| None);
                }
                (Some(b']'), false) => word = self.close_array(),
                (Some(b'}'), true) => word = self.close_object()?,
                (Some(_), _) => return Err((ParseErrorKind::UnexpectedByte, self.at)),
                (None, _) => return Err((ParseErrorKind::UnexpectedEnd, self.at)),
            }
            self.at += 1;
        }
        Ok(Some(word))
    }

    fn open_array(&mut self) -> Option<Word> {
        let start = self.at;
        self.at += 1;
        if self.skip_space() == Some(b']') {
            self.at += 1;
            return Some(Word::container(Tag::Array, start, 0, 1));
        }
        self.open(false);
        None
    }

    fn open_object(&mut self) -> Result<Option<Word>, Fault> {
        let start = self.at;
        self.at += 1;
        if self.skip_space() == Some(b'}') {
            self.at += 1;
            return Ok(Some(Word::container(Tag::Object, start, 0, 1)));
        }
        self.open(true);
        self.name().map(|()| None)
    }

    /// Begins a container that has a child.
    fn open(&mut self, object: bool) {
        self.stack.push(self.frame.into());
        self.depth += 1;
        self.frame = Frame {
            object,
            start: self.stack.len(),
            height: 2,
        };
    }

    /// Reads a name and its colon.
    #[inline]
    fn name(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return Err((ParseErrorKind::UnexpectedByte, self.at)),
            None => return Err((ParseErrorKind::UnexpectedEnd, self.at)),
        }
        let start = self.at;
        let name = self.quoted()?;
        if name.tag() == Tag::Text {
            self.twins.decoded_at(name, start);
        }
        self.stack.push(name);
        match self.skip_space() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err((ParseErrorKind::UnexpectedByte, self.at)),
            None => Err((ParseErrorKind::UnexpectedEnd, self.at)),
        }
    }

    fn close_array(&mut self) -> Word {
        let count = self.stack.len() - self.frame.start;
        self.close(Tag::Array, count)
    }

    fn close_object(&mut self) -> Result<Word, Fault> {
        let children = self.stack.get(self.frame.start..).unwrap_or_default();
        let members = children.as_chunks::<2>().0;
        let count = members.len();
        let source = |name| source(self.text, &self.decoded, name);
        if count <= LINEAR {
            self.twins.refuse_among_few(members, source)?;
            return Ok(self.close(Tag::Object, count));
        }
        let order = self.document.orders.len();
        self.twins
            .refuse_among_many(members, source, &mut self.document.orders)?;
        self.document.words.push(Word::new(Tag::Order, order));
        Ok(self.close(Tag::Indexed, count))
    }

    /// Moves the children of the innermost container to where they stay, and goes back to the one around it.
    fn close(&mut self, tag: Tag, count: usize) -> Word {
        let Frame { start, height, .. } = self.frame;
        let first = self.document.words.len();
        let children = self.stack.get(start..).unwrap_or_default();
        self.document.words.extend_from_slice(children);
        self.stack.truncate(start);
        if let Some(outer) = self.stack.pop() {
            self.frame = outer.into();
        }
        self.frame.height = self.frame.height.max(height + 1);
        self.depth -= 1;
        Word::container(tag, first, count, height)
    }

    /// Reads the string at the present position, which is its opening quote.
    #[inline]
    fn quoted(&mut self) -> Result<Word, Fault> {
        let start = self.at + 1;
        let spelling = text::spelling(self.bytes, start, self.limits)?;
        self.at = spelling.end + 1;
        let word = if spelling.escaped {
            self.decode(start, spelling.end)?
        } else {
            Word::text(Tag::Plain, start, spelling.end - start)
        };
        self.used += word.text_len();
        Ok(word)
    }

    fn decode(&mut self, start: usize, end: usize) -> Result<Word, Fault> {
        let token = self.text.get(start..end).unwrap_or_default();
        let offset = self.decoded.len();
        text::decode(token, start, &mut self.decoded)?;
        let len = self.decoded.len() - offset;
        Ok(Word::text(Tag::Text, self.text.len() + offset, len))
    }

    #[inline]
    fn number(&mut self) -> Result<Word, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (number, length) = match numeral::short_decimal(rest) {
            Some((coefficient, scale, length)) if self.roomy => (Number::short(coefficient, scale), length),
            _ => self.any_number(rest)?,
        };
        self.at += length;
        self.document.numbers.push(number);
        Ok(Word::new(Tag::Number, self.document.numbers.len() - 1))
    }

    fn any_number(&self, rest: &[u8]) -> Result<(Number, usize), Fault> {
        match numeral::scan(rest, self.limits) {
            Ok(numeral) => Ok((Number::from_numeral(&numeral), numeral.len)),
            Err(fault) => Err(self.number_fault(fault)),
        }
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

    #[inline]
    fn word(&mut self, word: &str, tag: Tag) -> Result<Word, Fault> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(Word::new(tag, start));
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
        Err((kind, start + same))
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves to the next byte that is no white space, and shows it.
    #[inline]
    fn skip_space(&mut self) -> Option<u8> {
        match self.peek() {
            Some(b' ' | b'\n' | b'\r' | b'\t') => self.skip_more_space(),
            other => other,
        }
    }

    fn skip_more_space(&mut self) -> Option<u8> {
        loop {
            self.at += 1;
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => {}
                other => return other,
            }
        }
    }
}

impl From<Frame> for Word {
    fn from(frame: Frame) -> Word {
        let tag = if frame.object { Tag::Object } else { Tag::Array };
        Word::container(tag, frame.start, 0, frame.height)
    }
}

impl From<Word> for Frame {
    fn from(word: Word) -> Frame {
        Frame {
            object: word.tag() == Tag::Object,
            start: word.first(),
            height: word.height(),
        }
    }
}

/// A text of a document that is being read: a piece of the source, or what its escapes stand for.
#[inline]
fn source<'a>(source: &'a str, decoded: &'a str, word: Word) -> &'a str {
    let (offset, len) = (word.text_offset(), word.text_len());
    match offset.checked_sub(source.len()) {
        // A plain text of the source ends before its closing quote.
        None => source.get(offset..offset + len),
        Some(offset) => decoded.get(offset..offset + len),
    }
    .unwrap_or_default()
}

impl Document {
    /// Takes over the texts of the words, which have so many bytes together: the source as a whole, which is quickest, or each text by
    /// itself when most of the source is something else, such as white space or numbers.
    fn keep_texts(&mut self, spelled: &str, decoded: &str, used: usize) {
        if spelled.len() + decoded.len() <= 2 * used + 1_024 {
            self.text.reserve_exact(spelled.len() + decoded.len());
            self.text.push_str(spelled);
            self.text.push_str(decoded);
            return;
        }
        self.text.reserve_exact(used);
        for word in &mut self.words {
            // An empty text keeps its old place, which tells it from others.
            if matches!(word.tag(), Tag::Plain | Tag::Text) && word.text_len() > 0 {
                let offset = self.text.len();
                self.text.push_str(source(spelled, decoded, *word));
                *word = Word::text(word.tag(), offset, word.text_len());
            }
        }
    }
}
