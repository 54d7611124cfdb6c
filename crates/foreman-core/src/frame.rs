//! The host ⇄ supervisor protocol: what is said, and how it is laid out in bytes.
//!
//! Design: docs/design/protocol.md. A frame is a `u32` length (little endian) and a postcard body.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_FRAME_BYTES;
use crate::outcome::{CaptureError, EndReason, Exit, Snapshot, StopResult};
use crate::spec::Spec;

/// Room that a reader keeps between frames.
const KEPT_BYTES: usize = 64 * 1024;

/// Counts up with every change of a message. Stands before the first body, outside of the encoding that it guards.
pub const PROTOCOL_VERSION: u32 = 2;

/// What the host says after the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// End the run; a second one skips the grace.
    Stop {
        /// Becomes the reason of the run unless there is one.
        reason: EndReason,
        /// Milliseconds between TERM and KILL; `None`: the run's own.
        grace_ms: Option<u64>,
    },
    /// Nobody waits any longer: go on, and forget a timeout that is only for those who wait.
    Promote,
    /// Send the windows as they are now.
    Snapshot {
        /// Only so many of the last bytes of each stream, as `tail`: enough to show a person. `None`: all.
        tail_bytes: Option<u32>,
    },
}

/// Who moved a run to the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PromotedBy {
    /// Its time was over and its spec said so.
    Timeout,
    /// [`Request::Promote`].
    Request,
}

/// What the supervisor says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The shell runs and its output file exists.
    Started {
        /// Absolute; may differ from what was asked for when that folder was not ours.
        output_path: String,
        /// The supervisor. For showing and measuring, not for signalling.
        supervisor_pid: i32,
        /// The shell. Likewise.
        shell_pid: i32,
        /// When it was started, see [`crate::containment::ProcessIdentity`].
        shell_start: Option<u64>,
    },
    /// Nothing was started.
    Failed {
        /// What to branch on.
        kind: ErrorKind,
        /// Names the thing and says what to do.
        message: String,
    },
    /// The run is a background run from here on.
    Promoted {
        /// Who did it.
        by: PromotedBy,
        /// The output so far.
        snapshot: Snapshot,
    },
    /// The shell has ended, and its output is complete, or silent while members live on.
    ShellExited {
        /// What it did.
        exit: Exit,
        /// Why, as far as known now.
        reason: EndReason,
        /// Whether processes that it started are still there.
        members_left: bool,
        /// The output up to here.
        snapshot: Snapshot,
        /// The first trouble in recording it.
        capture_error: Option<CaptureError>,
        /// From the start of the shell to its end.
        duration_ms: u64,
    },
    /// Answer to [`Request::Snapshot`].
    Snapshot(Snapshot),
    /// A stop passed its bound.
    StopResult(StopResult),
    /// No member is left and the output file is complete.
    Ended {
        /// What the shell did.
        exit: Exit,
        /// Why the run ended.
        reason: EndReason,
        /// Bytes printed in all.
        total_bytes: u64,
        /// The first trouble in recording them.
        capture_error: Option<CaptureError>,
        /// From the start of the shell to the end of the last member.
        duration_ms: u64,
    },
}

/// The first frame, with the version before the body.
pub fn encode_launch(spec: &Spec) -> Result<Vec<u8>> {
    encode_after(&PROTOCOL_VERSION.to_le_bytes(), spec)
}

/// Reads what [`encode_launch`] wrote.
///
/// # Errors
/// `VERSION_SKEW` when the other side is of another version.
pub fn decode_launch(body: &[u8]) -> Result<Spec> {
    let Some((version, body)) = body.split_first_chunk::<4>() else {
        return Err(Error::new(ErrorKind::BadRequest, "empty launch frame"));
    };
    let version = u32::from_le_bytes(*version);
    if version != PROTOCOL_VERSION {
        return Err(Error::new(
            ErrorKind::VersionSkew,
            format!(
                "the addon speaks protocol {version}, the foreman-shim beside it {PROTOCOL_VERSION}: \
                 pi-foreman was updated while pi ran, or in part only. Restart pi; if that does not help, reinstall pi-foreman"
            ),
        ));
    }
    decode(body)
}

/// One frame of any later message.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>> {
    encode_after(&[], message)
}

/// Reads the body of a frame.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    postcard::from_bytes(body).map_err(|e| Error::new(ErrorKind::BadRequest, format!("unreadable frame: {e}")))
}

fn encode_after(prefix: &[u8], message: &impl Serialize) -> Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    frame.extend_from_slice(prefix);
    let mut frame = postcard::to_extend(message, frame)
        .map_err(|e| Error::new(ErrorKind::BadRequest, format!("message cannot be encoded: {e}")))?;
    let length = frame.len() - 4;
    match u32::try_from(length) {
        Ok(n) if length <= MAX_FRAME_BYTES => frame[..4].copy_from_slice(&n.to_le_bytes()),
        _ => return Err(Error::new(ErrorKind::BadRequest, format!("message of {length} bytes is too long"))),
    }
    Ok(frame)
}

/// Cuts a byte stream into frames, however it arrives.
#[derive(Debug, Default)]
pub struct FrameReader {
    pending: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// Takes what came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.pending.drain(..self.start);
            self.start = 0;
            // A long script was in here; what follows is short.
            self.pending.shrink_to(KEPT_BYTES);
        }
        self.pending.extend_from_slice(bytes);
    }

    /// The body of the next whole frame.
    ///
    /// # Errors
    /// `BAD_REQUEST` for a length that no frame has: the stream is not ours or is out of step.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>> {
        let pending = &self.pending[self.start..];
        let Some((length, rest)) = pending.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(Error::new(ErrorKind::BadRequest, format!("frame of {length} bytes")));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        self.start += 4 + length;
        Ok(Some(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_arrives_byte_by_byte_is_read_whole() {
        let message = Request::Stop { reason: EndReason::Abort, grace_ms: Some(7) };
        let mut reader = FrameReader::default();
        let bytes = [encode(&message).unwrap(), encode(&Request::Promote).unwrap()].concat();
        let mut seen: Vec<Request> = Vec::new();
        for byte in bytes {
            reader.push(&[byte]);
            while let Some(body) = reader.next_body().unwrap() {
                seen.push(decode(body).unwrap());
            }
        }
        assert_eq!(seen, [message, Request::Promote]);
    }

    #[test]
    fn a_stream_that_is_not_ours_is_refused_instead_of_waited_for() {
        let mut reader = FrameReader::default();
        reader.push(b"GET / HTTP/1.1\r\n");
        assert_eq!(reader.next_body().unwrap_err().kind(), ErrorKind::BadRequest);
    }

    #[test]
    fn another_version_is_named_instead_of_misread() {
        let error = decode_launch(&[99, 0, 0, 0, 1, 2, 3]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::VersionSkew);
        assert!(error.to_string().contains("protocol 99"), "{error}");
    }
}
