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
        if self.written >= self.bytes.len() {
            self.bytes.clear();
            self.written = 0;
        }
    }
}
