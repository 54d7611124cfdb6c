//! Reading output files back: the end of one, or what is new in one.
//!
//! Both functions look at a file that another process may be appending to. They see it as long as it was when they
//! opened it, follow no link, and keep a bounded amount in memory whatever its size. They block, so a host calls them off
//! its event loop.
//!
//! - [`tail()`] gives the last bytes, at a cost that does not depend on the size of the file.
//! - [`read()`] gives the complete lines since a cursor and the next cursor, filtered by a regular expression that runs in
//!   linear time.
//!
//! What the caller gets is text. Bytes that are no UTF-8 become replacement characters there; cursors and sizes always
//! count the bytes of the file.

mod blocks;
mod characters;
mod code_page;
mod cursor;
mod excerpt;
mod filter;
mod open;
mod pattern;
mod required;
mod tail;
mod text;

#[cfg(windows)]
pub(crate) use code_page::to_oem;
use code_page::to_utf8;
pub use code_page::window_to_utf8;
pub use cursor::{DEFAULT_READ_BYTES, ReadOptions, ReadResult, read};
pub use tail::{MAX_TAIL_BYTES, Tail, tail};
