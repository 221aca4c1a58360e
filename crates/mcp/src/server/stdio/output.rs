//! What waits to be written.

/// Messages that wait to be written, one a line.
#[derive(Debug, Default)]
pub(super) struct Output {
    bytes: Vec<u8>,
    written: usize,
}

impl Output {
    /// Adds one message.
    pub(super) fn line(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.bytes.push(b'\n');
    }

    /// What is still to be written.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }

    /// Takes note that `count` more bytes are written.
    pub(super) fn advance(&mut self, count: usize) {
        self.written += count;
        // While there is always something left, what is written may not pile up before it. Moving the rest costs less than was
        // written since the last time.
        if self.written >= self.bytes.len() - self.written {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static LINE: [u8; 64 * 1024 - 1] = [b'x'; 64 * 1024 - 1];

    #[test]
    fn what_is_written_is_not_kept_while_there_is_always_more() {
        let mut output = Output::default();
        output.line(&LINE);
        for _ in 0..1_000 {
            output.line(&LINE);
            output.advance(LINE.len() + 1);
            assert_eq!(output.rest().len(), LINE.len() + 1);
        }
        assert!(output.bytes.capacity() <= 8 * (LINE.len() + 1));
        output.advance(LINE.len() + 1);
        assert_eq!(output.rest(), b"");
    }
}
