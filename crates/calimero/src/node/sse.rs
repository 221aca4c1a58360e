//! Server-sent events: a stream of bytes to the frames in it.

/// The longest event that is read, in bytes. A longer one is dropped from a stream of server-sent events; a WebSocket is
/// closed by it, because what follows cannot be found.
pub const MAX_EVENT_BYTES: usize = 1 << 20;

/// One frame: its id and its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) id: Option<String>,
    pub(super) data: String,
}

/// Takes bytes as they come and gives frames when they are whole.
#[derive(Debug, Default)]
pub(super) struct Frames {
    line: Vec<u8>,
    frame: Frame,
    has_data: bool,
    /// The frame is too long, and the rest of it is passed over.
    too_long: bool,
}

impl Frames {
    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    let line = String::from_utf8_lossy(&line).into_owned();
                    frames.extend(self.line(line.trim_end_matches('\r')));
                }
                _ if self.line.len() >= MAX_EVENT_BYTES => self.too_long = true,
                byte => self.line.push(*byte),
            }
        }
        frames
    }

    fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            let whole = std::mem::take(&mut self.has_data) && !std::mem::take(&mut self.too_long);
            return whole.then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.frame.id = Some(value.to_owned()),
            "data" if self.frame.data.len().saturating_add(value.len()) > MAX_EVENT_BYTES => {
                self.too_long = true
            }
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(id: &str, data: &str) -> Frame {
        Frame {
            id: Some(id.to_owned()),
            data: data.to_owned(),
        }
    }

    #[test]
    fn frames_come_out_whole_however_the_bytes_are_cut() {
        let text = b": hello\r\nid: s-1\nevent: message\nretry: 3000\ndata: {\"a\":1}\n\nid: s-2\r\ndata:x\r\ndata: y\r\n\r\nid: s-3\n\n";
        for size in [1, 2, 7, text.len()] {
            let mut frames = Frames::default();
            let all: Vec<Frame> = text.chunks(size).flat_map(|bytes| frames.take(bytes)).collect();
            assert_eq!(all, [frame("s-1", "{\"a\":1}"), frame("s-2", "x\ny")], "{size}");
        }
    }

    #[test]
    fn a_frame_has_a_bound_and_the_next_one_is_read_again() {
        let line = |length: usize| format!("id: 1\ndata:{}\n\n", "x".repeat(length));
        let fits = MAX_EVENT_BYTES - "data:".len();
        let mut frames = Frames::default();
        assert_eq!(frames.take(line(fits).as_bytes()).len(), 1);
        assert_eq!(frames.take(line(fits + 1).as_bytes()).len(), 0);
        assert_eq!(frames.take(line(1).as_bytes()).len(), 1);
    }
}
