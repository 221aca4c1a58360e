//! Cutting the input into lines, bounded.

use memchr::memchr;

/// The input as it arrives, cut into lines.
#[derive(Debug)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// Where the line that is being read begins.
    start: usize,
    /// Up to where no line end was found.
    scanned: usize,
    /// The line that is being read is too long: its rest is dropped.
    overlong: bool,
    ended: bool,
    limit: usize,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Its bytes, without the line end.
    Whole(&'a [u8]),
    /// It had more bytes than the limit.
    TooLong,
}

impl Lines {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            overlong: false,
            ended: false,
            limit,
        }
    }

    /// Where the next bytes of the input are to be appended, with room for at least `room` of them.
    pub(crate) fn input(&mut self, room: usize) -> &mut Vec<u8> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.buffer.reserve(room);
        &mut self.buffer
    }

    /// The next whole line, if the input has one.
    pub(crate) fn next(&mut self) -> Option<Line<'_>> {
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        let Some(length) = memchr(b'\n', rest) else {
            self.scanned = self.buffer.len();
            self.drop_overlong();
            return if self.ended { self.last() } else { None };
        };
        let (start, end) = (self.start, self.scanned + length);
        self.start = end + 1;
        self.scanned = self.start;
        if std::mem::take(&mut self.overlong) || end - start > self.limit {
            return Some(Line::TooLong);
        }
        self.buffer.get(start..end).map(Line::Whole)
    }

    /// Takes note that the input is over: what stands after the last line end is a line as well.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Takes note that nothing more is taken, not even what arrived already.
    pub(super) fn stop(&mut self) {
        self.buffer.clear();
        (self.start, self.scanned) = (0, 0);
        self.overlong = false;
        self.ended = true;
    }

    /// Whether the line that is being read is too long already.
    pub(crate) fn is_overlong(&self) -> bool {
        self.overlong
    }

    /// Whether the input is over and every line was taken.
    pub(crate) fn is_drained(&self) -> bool {
        self.ended && self.start == self.buffer.len() && !self.overlong
    }

    fn last(&mut self) -> Option<Line<'_>> {
        let start = std::mem::replace(&mut self.start, self.buffer.len());
        if std::mem::take(&mut self.overlong) {
            return Some(Line::TooLong);
        }
        self.buffer
            .get(start..)
            .filter(|rest| !rest.is_empty())
            .map(Line::Whole)
    }

    fn drop_overlong(&mut self) {
        if self.buffer.len() - self.start > self.limit {
            self.overlong = true;
        }
        if self.overlong {
            self.buffer.truncate(self.start);
            self.scanned = self.start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(limit: usize, chunks: &[&str]) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        let mut keep = |line: Line<'_>| {
            found.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong => "too long".to_owned(),
            });
        };
        for chunk in chunks {
            lines.input(chunk.len()).extend_from_slice(chunk.as_bytes());
            while let Some(line) = lines.next() {
                keep(line);
            }
        }
        lines.end();
        while let Some(line) = lines.next() {
            keep(line);
        }
        assert!(lines.is_drained());
        found
    }

    #[test]
    fn lines_come_out_whole_however_they_arrive() {
        assert_eq!(
            cut(9, &["a", "b\nc", "d\n\ne\n", "f"]),
            ["ab", "cd", "", "e", "f"]
        );
        assert_eq!(cut(9, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(cut(3, &["abc\n", "abcd\n", "abc\n"]), ["abc", "too long", "abc"]);
        assert_eq!(cut(3, &["abc", "d", "e", "\nx\n"]), ["too long", "x"]);
        assert_eq!(cut(3, &["abc", "d"]), ["too long"]);
    }

    #[test]
    fn nothing_is_taken_after_the_stop() {
        let mut lines = Lines::new(9);
        lines.input(4).extend_from_slice(b"a\nb\nc");
        assert_eq!(lines.next(), Some(Line::Whole(b"a")));
        lines.stop();
        assert!(lines.is_drained());
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn an_overlong_line_is_not_kept() {
        let mut lines = Lines::new(3);
        for _ in 0..1000 {
            lines.input(4).extend_from_slice(b"aaaa");
            assert_eq!(lines.next(), None);
            assert!(lines.buffer.len() <= 4);
            assert!(lines.is_overlong());
        }
    }
}
