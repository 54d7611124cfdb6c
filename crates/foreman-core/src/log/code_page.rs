//! Text of programs of Windows that know nothing of UTF-8.
//!
//! Most tools of Git Bash, and Node, print UTF-8. `ipconfig`, `net`, `cl` and others print in the code page of the console.
//! Nothing in the bytes says which, but text of another code page is hardly ever valid UTF-8 by chance.

use std::borrow::Cow;

use crate::outcome::StreamWindow;

/// Whether bytes that are no UTF-8 may be text all the same.
pub(super) const HAS_CODE_PAGE: bool = cfg!(windows);

/// `bytes` as UTF-8, line by line: what is valid stays as it is, other lines are read in the code page of the console.
/// Elsewhere than on Windows, and for what that code page does not know either, invalid bytes become U+FFFD.
pub(super) fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    to_utf8_by(bytes, &from_console)
}

fn to_utf8_by<'a>(bytes: &'a [u8], decode: &dyn Fn(&[u8]) -> Option<String>) -> Cow<'a, [u8]> {
    if std::str::from_utf8(bytes).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(line) => text.extend_from_slice(line.as_bytes()),
            Err(_) => {
                let decoded = decode(line).map_or_else(|| String::from_utf8_lossy(line), Cow::Owned);
                text.extend_from_slice(decoded.as_bytes());
            }
        }
    }
    Cow::Owned(text)
}

/// The same for a window of a stream on Windows; elsewhere it stays as it is. What is left out between its halves stays as long as it was.
pub fn window_to_utf8(window: StreamWindow) -> StreamWindow {
    if HAS_CODE_PAGE { window_to_utf8_by(window, &from_console) } else { window }
}

fn window_to_utf8_by(window: StreamWindow, decode: &dyn Fn(&[u8]) -> Option<String>) -> StreamWindow {
    let StreamWindow { mut head, tail, total_bytes, total_lines } = window;
    let seen = (head.len() + tail.len()) as u64;
    let (head, tail) = if seen == total_bytes {
        head.extend_from_slice(&tail);
        (to_utf8_by(&head, decode).into_owned(), Vec::new())
    } else {
        // The lines that were cut may have been cut within a character: they are valid or not by the rest of themselves.
        let head_lines = memchr::memrchr(b'\n', &head).map_or(0, |at| at + 1);
        let tail_lines = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
        let head = [&to_utf8_by(&head[..head_lines], decode), &head[head_lines..]].concat();
        let tail = [&tail[..tail_lines], &to_utf8_by(&tail[tail_lines..], decode)].concat();
        (head, tail)
    };
    let now = (head.len() + tail.len()) as u64;
    StreamWindow { head, tail, total_bytes: total_bytes - seen + now, total_lines }
}

#[cfg(not(windows))]
const fn from_console(_: &[u8]) -> Option<String> {
    None
}

#[cfg(windows)]
fn from_console(line: &[u8]) -> Option<String> {
    use windows_sys::Win32::Globalization::{CP_UTF8, GetOEMCP, MultiByteToWideChar};

    // SAFETY: a call without arguments.
    let code_page = unsafe { GetOEMCP() };
    let length = i32::try_from(line.len()).ok().filter(|length| *length > 0 && code_page != CP_UTF8)?;
    // One byte becomes one unit at most.
    let mut units = vec![0_u16; line.len()];
    // SAFETY: both have as many elements as is told.
    let written = unsafe { MultiByteToWideChar(code_page, 0, line.as_ptr(), length, units.as_mut_ptr(), length) };
    let written = usize::try_from(written).ok().filter(|written| *written > 0)?;
    Some(String::from_utf16_lossy(&units[..written]))
}

/// `text` in the code page of the console, for `cmd.exe`, which reads batch files in it. What it does not know becomes `?`.
#[cfg(windows)]
pub(crate) fn to_oem(text: &str) -> Vec<u8> {
    use windows_sys::Win32::Globalization::{CP_OEMCP, WideCharToMultiByte};

    let units: Vec<u16> = text.encode_utf16().collect();
    let Ok(length) = i32::try_from(units.len()) else { return text.as_bytes().to_vec() };
    // Code pages of consoles have up to four bytes for a character.
    let mut bytes = vec![0_u8; units.len() * 4];
    // SAFETY: both have as many elements as is told; the default character may be chosen by the system.
    let written = unsafe {
        WideCharToMultiByte(
            CP_OEMCP,
            0,
            units.as_ptr(),
            length,
            bytes.as_mut_ptr(),
            i32::try_from(bytes.len()).unwrap_or(i32::MAX),
            std::ptr::null(),
            std::ptr::null_mut(),
        )
    };
    bytes.truncate(usize::try_from(written).unwrap_or_default());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code page 850 as far as it is needed.
    fn as_850(line: &[u8]) -> Option<String> {
        Some(line.iter().map(|byte| if *byte == 0x84 { 'ä' } else { char::from(*byte) }).collect())
    }

    #[test]
    fn one_line_of_another_code_page_spoils_the_lines_around_it() {
        let bytes = ["grün\r\n".as_bytes(), b"sp\x84t\r\n", "漢 late".as_bytes()].concat();
        assert_eq!(to_utf8_by(&bytes, &as_850), "grün\r\nspät\r\n漢 late".as_bytes());
    }

    #[test]
    fn a_window_of_another_code_page_is_said_to_be_cut_or_loses_a_byte() {
        let window = |head: &[u8], tail: &[u8], total_bytes| StreamWindow {
            head: head.to_vec(),
            tail: tail.to_vec(),
            total_bytes,
            total_lines: 2,
        };
        let whole = window_to_utf8_by(window(b"sp\x84t \xc3", b"\xbc\nx\x84\n", 11), &as_850);
        // One line, and so one code page.
        assert_eq!(whole, window("sp\u{e4}t \u{c3}\u{bc}\nx\u{e4}\n".as_bytes(), b"", 15));
        let cut = window_to_utf8_by(window(b"\x84\ngr\xc3", b"\xbc\n\x84\n", 100), &as_850);
        assert_eq!(cut, window(b"\xc3\xa4\ngr\xc3", b"\xbc\n\xc3\xa4\n", 102));
    }

    #[test]
    fn bytes_of_no_code_page_are_lost_without_a_sign() {
        assert_eq!(to_utf8_by(b"a\xff\nb", &|_| None), "a\u{fffd}\nb".as_bytes());
    }
}
