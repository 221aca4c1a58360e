//! From bytes to a value in one pass, every bound checked before anything is allocated for what it bounds.

use crate::{
    document::Document,
    error::{ParseError, ParseErrorKind},
    limits::Limits,
    number::Number,
    numeral::{self, NumeralFault},
    scan::plain_end,
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
    /// The most bytes of a string that is surely within all limits.
    short: usize,
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

/// A word, and the position behind what was read for it.
type Read = Result<(Word, usize), Fault>;

/// What the opening of a container comes to.
enum Opened {
    /// It ends at once; the position behind it.
    Empty(Word, usize),
    /// The position of its first value.
    Child(usize),
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits) -> Parser<'a> {
        Parser {
            text,
            bytes: text.as_bytes(),
            limits,
            nodes: 0,
            depth: 0,
            frame: Frame {
                object: false,
                start: 0,
                height: 1,
            },
            stack: Vec::with_capacity(USUAL.min(text.len())),
            document: Document {
                // A guess at what the limits allow anyway: a word for eight bytes, a number for sixty-four.
                words: Vec::with_capacity((text.len() / 8).min(2 * limits.nodes())),
                numbers: Vec::with_capacity((text.len() / 64).min(limits.nodes())),
                ..Document::default()
            },
            decoded: String::new(),
            used: 0,
            twins: Twins::default(),
            short: limits.token_units().min(limits.string_units()),
            roomy: limits.number_chars().min(limits.number_text_chars()) >= 32 && limits.exponent() >= 32,
        }
    }

    fn document(mut self) -> Result<Value, Fault> {
        let start = self.behind_space(0);
        if start == self.bytes.len() {
            return Err((ParseErrorKind::Empty, start));
        }
        let (root, end) = self.root(start)?;
        let end = self.behind_space(end);
        if end == self.bytes.len() {
            Ok(self.finish(root))
        } else {
            Err((ParseErrorKind::TrailingContent, end))
        }
    }

    /// Reads the value at a position, and all in it.
    fn root(&mut self, start: usize) -> Read {
        let mut at = start;
        loop {
            let first = self.admit(at)?;
            let (mut word, behind) = match first {
                b'"' => self.quoted(at)?,
                b'-' | b'0'..=b'9' => self.number(at)?,
                b'{' => match self.open_object(at)? {
                    Opened::Empty(word, behind) => (word, behind),
                    Opened::Child(child) => {
                        at = child;
                        continue;
                    }
                },
                b'[' => match self.open_array(at) {
                    Opened::Empty(word, behind) => (word, behind),
                    Opened::Child(child) => {
                        at = child;
                        continue;
                    }
                },
                b't' => self.word(at, "true", Tag::True)?,
                b'f' => self.word(at, "false", Tag::False)?,
                b'n' => self.word(at, "null", Tag::Null)?,
                _ => return Err((ParseErrorKind::UnexpectedByte, at)),
            };
            at = behind;
            // Hands the finished value to the container around it, and that one, if it ends here, to the next.
            loop {
                if self.depth == 0 {
                    return Ok((word, at));
                }
                self.stack.push(word);
                at = self.behind_space(at);
                match (self.bytes.get(at), self.frame.object) {
                    (Some(b','), false) => {
                        at = self.behind_space(at + 1);
                        break;
                    }
                    (Some(b','), true) => {
                        at = self.behind_space(at + 1);
                        at = self.name(at)?;
                        break;
                    }
                    (Some(b']'), false) => word = self.close_array(),
                    (Some(b'}'), true) => word = self.close_object()?,
                    (Some(_), _) => return Err((ParseErrorKind::UnexpectedByte, at)),
                    (None, _) => return Err((ParseErrorKind::UnexpectedEnd, at)),
                }
                at += 1;
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

    /// Counts one more value at the present depth, and shows its first byte.
    #[inline(always)]
    fn admit(&mut self, at: usize) -> Result<u8, Fault> {
        let first = *self.bytes.get(at).ok_or((ParseErrorKind::UnexpectedEnd, at))?;
        self.nodes += 1;
        if self.depth >= self.limits.depth() {
            return Err((ParseErrorKind::TooDeep, at));
        }
        if self.nodes > self.limits.nodes() {
            return Err((ParseErrorKind::TooManyNodes, at));
        }
        Ok(first)
    }

    #[inline(always)]
    fn open_array(&mut self, start: usize) -> Opened {
        let at = self.behind_space(start + 1);
        if self.bytes.get(at) == Some(&b']') {
            return Opened::Empty(Word::container(Tag::Array, start, 0, 1), at + 1);
        }
        self.open(false);
        Opened::Child(at)
    }

    #[inline(always)]
    fn open_object(&mut self, start: usize) -> Result<Opened, Fault> {
        let at = self.behind_space(start + 1);
        if self.bytes.get(at) == Some(&b'}') {
            let empty = Word::container(Tag::Object, start, 0, 1);
            return Ok(Opened::Empty(empty, at + 1));
        }
        self.open(true);
        self.name(at).map(Opened::Child)
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

    /// Reads a name and its colon; answers where its value stands.
    #[inline(always)]
    fn name(&mut self, at: usize) -> Result<usize, Fault> {
        self.expect(b'"', at)?;
        let (name, behind) = self.quoted(at)?;
        if name.tag() == Tag::Text {
            self.twins.decoded_at(name, at);
        }
        self.stack.push(name);
        let colon = self.behind_space(behind);
        self.expect(b':', colon)?;
        Ok(self.behind_space(colon + 1))
    }

    #[inline(always)]
    fn expect(&self, byte: u8, at: usize) -> Result<(), Fault> {
        match self.bytes.get(at) {
            Some(found) if *found == byte => Ok(()),
            Some(_) => Err((ParseErrorKind::UnexpectedByte, at)),
            None => Err((ParseErrorKind::UnexpectedEnd, at)),
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

    /// Reads the string whose opening quote stands at `at`.
    #[inline(always)]
    fn quoted(&mut self, at: usize) -> Read {
        let start = at + 1;
        let end = plain_end(self.bytes, start);
        let len = end - start;
        // A UTF-16 unit takes at least one byte, so that nearly every string is within the limits by its bytes.
        if self.bytes.get(end) == Some(&b'"') && len <= self.short {
            self.used += len;
            return Ok((Word::text(Tag::Plain, start, len), end + 1));
        }
        self.unusual(start)
    }

    /// Reads a string that has escapes, is long, or is wrong.
    #[inline(never)]
    fn unusual(&mut self, start: usize) -> Read {
        let spelling = text::spelling(self.bytes, start, self.limits)?;
        let word = if spelling.escaped {
            self.decode(start, spelling.end)?
        } else {
            Word::text(Tag::Plain, start, spelling.end - start)
        };
        self.used += word.text_len();
        Ok((word, spelling.end + 1))
    }

    fn decode(&mut self, start: usize, end: usize) -> Result<Word, Fault> {
        let token = self.text.get(start..end).unwrap_or_default();
        let offset = self.decoded.len();
        text::decode(token, start, &mut self.decoded)?;
        let len = self.decoded.len() - offset;
        Ok(Word::text(Tag::Text, self.text.len() + offset, len))
    }

    #[inline(always)]
    fn number(&mut self, at: usize) -> Read {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let (number, length) = match numeral::short_decimal(rest) {
            Some((coefficient, scale, length)) if self.roomy => (Number::short(coefficient, scale), length),
            _ => self.any_number(at)?,
        };
        self.document.numbers.push(number);
        let word = Word::new(Tag::Number, self.document.numbers.len() - 1);
        Ok((word, at + length))
    }

    #[inline(never)]
    fn any_number(&self, at: usize) -> Result<(Number, usize), Fault> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match numeral::scan(rest, self.limits) {
            Ok(numeral) => Ok((Number::from_numeral(&numeral), numeral.len)),
            Err(NumeralFault::Syntax(behind)) if behind == rest.len() => {
                Err((ParseErrorKind::UnexpectedEnd, at + behind))
            }
            Err(NumeralFault::Syntax(behind)) => Err((ParseErrorKind::InvalidNumber, at + behind)),
            Err(NumeralFault::TokenTooLong) => Err((ParseErrorKind::NumberTokenTooLong, at)),
            Err(NumeralFault::ExponentTooLarge) => Err((ParseErrorKind::ExponentTooLarge, at)),
            Err(NumeralFault::TextTooLong) => Err((ParseErrorKind::NumberTextTooLong, at)),
        }
    }

    #[inline(always)]
    fn word(&self, at: usize, word: &str, tag: Tag) -> Read {
        let rest = self.bytes.get(at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            return Ok((Word::new(tag, at), at + word.len()));
        }
        let same = rest.iter().zip(word.as_bytes()).take_while(|(a, b)| a == b);
        let same = same.count();
        let kind = if same == rest.len() {
            ParseErrorKind::UnexpectedEnd
        } else {
            ParseErrorKind::UnexpectedByte
        };
        Err((kind, at + same))
    }

    /// The position of the next byte that is no white space.
    #[inline(always)]
    fn behind_space(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => self.behind_more_space(at),
            _ => at,
        }
    }

    #[inline(never)]
    fn behind_more_space(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let space = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        at + space.count()
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
