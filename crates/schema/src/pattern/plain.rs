//! Patterns that are matched from left to right without ever a second thought.
//!
//! Most patterns of interfaces say what a whole string looks like (`^0x[0-9a-fA-F]{40}$`) and leave no choice open: the
//! next byte always tells how to go on. Such a pattern is compiled in a fraction of the time that an automaton takes, and
//! matched by looking at each byte once. Everything else goes to the engine.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// A pattern that leaves no choice open.
#[derive(Debug)]
pub(super) struct Plain {
    steps: Steps,
}

type Steps = Box<[Step]>;

#[derive(Debug)]
enum Step {
    Literal(Box<[u8]>),
    /// Bytes of a set, as many as there are up to `most`.
    Run {
        table: Table,
        least: u32,
        most: u32,
    },
    /// Steps again and again, as long as the next byte begins them.
    Repeat {
        steps: Steps,
        first: Set,
        least: u32,
        most: u32,
    },
    /// Ways that differ in their first byte.
    Choice(Box<[(Set, Steps)]>),
}

/// A set of bytes that is asked often: whether each byte is in it.
type Table = Box<[bool; 256]>;

/// How deep groups may stand in each other: it bounds the native stack, here and in matching.
const DEPTH: u32 = 8;

impl Plain {
    /// Nothing when the pattern leaves a choice open, does not say what the whole string looks like, or has characters
    /// beyond ASCII in a set.
    pub(super) fn of(pattern: &Hir) -> Option<Self> {
        let HirKind::Concat(parts) = pattern.kind() else {
            return None;
        };
        let (first, rest) = parts.split_first()?;
        let (last, body) = rest.split_last()?;
        let is_whole = is_look(first, Look::Start) && is_look(last, Look::End);
        let steps = is_whole.then(|| sequence(body, Set::NONE, DEPTH))??.steps;
        Some(Self {
            steps: steps.into_boxed_slice(),
        })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        follow(&self.steps, &mut rest) && rest.is_empty()
    }
}

fn is_look(part: &Hir, look: Look) -> bool {
    matches!(part.kind(), HirKind::Look(own) if *own == look)
}

fn follow(steps: &[Step], rest: &mut &[u8]) -> bool {
    steps.iter().all(|step| match step {
        Step::Literal(literal) => take_literal(literal, rest),
        Step::Run { table, least, most } => take_run(table, *least, *most, rest),
        Step::Repeat {
            steps,
            first,
            least,
            most,
        } => {
            let mut count = 0;
            while count < *most && next_is_of(*first, rest) {
                if !follow(steps, rest) {
                    return false;
                }
                count += 1;
            }
            count >= *least
        }
        Step::Choice(ways) => {
            let way = ways.iter().find(|(first, _)| next_is_of(*first, rest));
            way.is_some_and(|(_, steps)| follow(steps, rest))
        }
    })
}

fn next_is_of(set: Set, rest: &[u8]) -> bool {
    rest.first().is_some_and(|byte| set.has(*byte))
}

fn take_literal(literal: &[u8], rest: &mut &[u8]) -> bool {
    match rest.strip_prefix(literal) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

fn take_run(table: &[bool; 256], least: u32, most: u32, rest: &mut &[u8]) -> bool {
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(rest.len());
    let (front, _) = rest.split_at(most);
    let is_other = |byte: &u8| table.get(usize::from(*byte)) != Some(&true);
    let taken = front.iter().position(is_other).unwrap_or(most);
    *rest = rest.split_at(taken).1;
    u64::try_from(taken).is_ok_and(|taken| taken >= u64::from(least))
}

/// Steps, what they can begin with, and whether they can be over at once.
struct Lowered {
    steps: Vec<Step>,
    first: Set,
    may_be_empty: bool,
}

/// What comes before `after`, in steps; nothing if a choice is left open.
fn lower(part: &Hir, after: Set, depth: u32) -> Option<Lowered> {
    let depth = depth.checked_sub(1)?;
    match part.kind() {
        HirKind::Literal(literal) => {
            let first = Set::of_byte(*literal.0.first()?);
            Some(single(Step::Literal(literal.0.clone()), first))
        }
        HirKind::Class(_) => {
            let set = set_of(part)?;
            Some(run(set, 1, 1))
        }
        HirKind::Repetition(repetition) => repeat(repetition, after, depth),
        HirKind::Concat(parts) => sequence(parts, after, depth),
        HirKind::Alternation(ways) => choice(ways, after, depth),
        HirKind::Empty | HirKind::Look(_) | HirKind::Capture(_) => None,
    }
}

fn single(step: Step, first: Set) -> Lowered {
    Lowered {
        steps: vec![step],
        first,
        may_be_empty: false,
    }
}

fn run(set: Set, least: u32, most: u32) -> Lowered {
    let table = set.table();
    single(Step::Run { table, least, most }, set)
}

/// From right to left, because each part has to know what can come after it.
fn sequence(parts: &[Hir], after: Set, depth: u32) -> Option<Lowered> {
    let mut whole = Lowered {
        steps: Vec::new(),
        first: after,
        may_be_empty: true,
    };
    for part in parts.iter().rev() {
        let mut front = lower(part, whole.first, depth)?;
        front.steps.append(&mut whole.steps);
        if front.may_be_empty {
            front.first = front.first.with(whole.first);
        }
        front.may_be_empty &= whole.may_be_empty;
        whole = front;
    }
    Some(whole)
}

fn repeat(repetition: &Repetition, after: Set, depth: u32) -> Option<Lowered> {
    let (least, most) = (repetition.min, repetition.max.unwrap_or(u32::MAX));
    let step = match set_of(&repetition.sub) {
        Some(set) => run(set, least, most),
        None => {
            // What the body begins with is known once it was lowered with nothing after it.
            let first = lower(&repetition.sub, Set::NONE, depth)?.first;
            let again = if most > 1 { after.with(first) } else { after };
            let body = lower(&repetition.sub, again, depth)?;
            if body.may_be_empty {
                return None;
            }
            let steps = body.steps.into_boxed_slice();
            single(
                Step::Repeat {
                    steps,
                    first,
                    least,
                    most,
                },
                first,
            )
        }
    };
    // Where the number is fixed it tells when to go on, otherwise the next byte has to.
    let is_told = least == most || !step.first.meets(after);
    is_told.then_some(Lowered {
        may_be_empty: least == 0,
        ..step
    })
}

fn choice(ways: &[Hir], after: Set, depth: u32) -> Option<Lowered> {
    let (mut all, mut lowered) = (Set::NONE, Vec::new());
    for way in ways {
        let way = lower(way, after, depth)?;
        if way.may_be_empty || way.first.meets(all) {
            return None;
        }
        all = all.with(way.first);
        lowered.push((way.first, way.steps.into_boxed_slice()));
    }
    Some(single(Step::Choice(lowered.into_boxed_slice()), all))
}

/// The set of a part that is one byte.
fn set_of(part: &Hir) -> Option<Set> {
    match part.kind() {
        HirKind::Literal(literal) => match &*literal.0 {
            [byte] => Some(Set::of_byte(*byte)),
            _ => None,
        },
        HirKind::Class(Class::Unicode(class)) => {
            let mut set = Set::NONE;
            for range in class.ranges() {
                let (first, last) = (u8::try_from(range.start()).ok()?, u8::try_from(range.end()).ok()?);
                if !last.is_ascii() {
                    return None;
                }
                set = (first..=last).fold(set, |set, byte| set.with(Set::of_byte(byte)));
            }
            Some(set)
        }
        _ => None,
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug)]
struct Set([u64; 4]);

impl Set {
    const NONE: Self = Self([0; 4]);

    fn of_byte(byte: u8) -> Self {
        let mut bits = Self::NONE.0;
        for (word, base) in bits.iter_mut().zip([0_u8, 64, 128, 192]) {
            if byte & 0xC0 == base {
                *word = 1 << (byte & 63);
            }
        }
        Self(bits)
    }

    #[inline]
    fn has(self, byte: u8) -> bool {
        let [first, second, third, fourth] = self.0;
        let word = match byte >> 6 {
            0 => first,
            1 => second,
            2 => third,
            _ => fourth,
        };
        word >> (byte & 63) & 1 == 1
    }

    fn table(self) -> Table {
        let mut table = [false; 256];
        for (entry, byte) in table.iter_mut().zip(0..=u8::MAX) {
            *entry = self.has(byte);
        }
        Box::new(table)
    }

    fn with(self, other: Self) -> Self {
        let mut bits = self.0;
        for (word, more) in bits.iter_mut().zip(other.0) {
            *word |= more;
        }
        Self(bits)
    }

    fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(own, other)| own & other != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ecma::translate;
    use super::*;
    use regex::Regex;

    fn plain(pattern: &str) -> Option<Plain> {
        Plain::of(&regex_syntax::parse(&translate(pattern).unwrap()).unwrap())
    }

    const PATTERNS: [&str; 16] = [
        "^0x[0-9a-fA-F]{4}$",
        "^(0|[1-9][0-9]{0,3})$",
        "^-?(0|[1-9][0-9]{0,3})$",
        "^(?:-?[1-9][0-9]{0,2}|0)$",
        "^0x([0-9a-f]{2})*$",
        "^0x(?:[0-9a-fA-F][0-9a-fA-F]){1,2}$",
        "^[a-z0-9]+(-[a-z0-9]+)*$",
        "^a*b+c?$",
        "^(ab|cd|e)+f$",
        "^(a(b|c))*d$",
        "^é+x$",
        "^ab$",
        "^a{3}a{2}$",
        "^[0-9]{1,4}-[0-9]{2}$",
        r"^\d+(\.\d+)?$",
        "^(|ab)c$|x",
    ];

    /// All texts up to some length over the characters that a pattern is made of, and one that it is not.
    fn texts(pattern: &str) -> Vec<String> {
        let mut alphabet: Vec<char> = pattern
            .chars()
            .filter(|character| character.is_alphanumeric())
            .collect();
        alphabet.extend(['-', '.', '!', 'é']);
        alphabet.sort_unstable();
        alphabet.dedup();
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..5 {
            let longer = last
                .iter()
                .flat_map(|text| alphabet.iter().map(move |next| format!("{text}{next}")));
            last = longer.step_by(1 + last.len() / 2_000).collect();
            texts.extend_from_slice(&last);
        }
        texts
    }

    #[test]
    fn a_plain_pattern_matches_what_the_engine_matches() {
        let mut plains = 0;
        for pattern in PATTERNS {
            let engine = Regex::new(&translate(pattern).unwrap()).unwrap();
            let Some(plain) = plain(pattern) else { continue };
            plains += 1;
            let mut matched = 0;
            for text in texts(pattern) {
                assert_eq!(
                    plain.is_match(&text),
                    engine.is_match(&text),
                    "{pattern} {text:?}"
                );
                matched += u32::from(plain.is_match(&text));
            }
            for text in [
                "0xabcd", "0xAbC", "1234", "12345", "-12", "a-b-c", "12-34", "1.5", "ababef", "abacd", "éx",
                "aaaaa",
            ] {
                assert_eq!(plain.is_match(text), engine.is_match(text), "{pattern} {text:?}");
                matched += u32::from(plain.is_match(text));
            }
            assert!(matched > 0, "{pattern} matches nothing that was tried");
        }
        assert!(plains >= 13, "only {plains} patterns are plain");
    }

    #[test]
    fn a_pattern_that_leaves_a_choice_open_is_not_plain() {
        for pattern in [
            "a",
            "^a",
            "a$",
            "^a*a$",
            "^(a|ab)$",
            "^(a*)*$",
            "^(a?b?)+$",
            "^[^/]+$",
            "^.$",
            r"^\p{L}$",
            "^(a|)b$",
            "^((a{1,9}){1,9}){1,9}$",
            r"^\bab$",
            "^((((((ab)+c)+d)+e)+f)+g)+$",
        ] {
            assert!(plain(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn the_set_of_a_byte_has_that_byte_alone() {
        for byte in 0..=u8::MAX {
            let set = Set::of_byte(byte);
            assert!(
                (0..=u8::MAX).all(|other| set.has(other) == (other == byte)),
                "{byte}"
            );
        }
    }
}
