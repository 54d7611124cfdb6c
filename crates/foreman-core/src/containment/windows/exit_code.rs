//! What the exit code of a shell on Windows says.

use crate::outcome::Exit;

/// The code of whoever is ended with the job. No program ends with it by itself: it is in the range that a customer of
/// Windows may use (bit 29 of an NTSTATUS), with severity "error".
pub(super) const ENDED_BY_US: u32 = 0xE0F0_5E09;

/// KILL: nobody was asked.
const KILL: i32 = 9;

/// Signals of MSYS.
const MAX_SIGNAL: u32 = 64;

/// What the shell did.
///
/// An MSYS program that a signal ended has the number of the signal in the second byte and nothing in the first; one that
/// ended by itself has its code in the first. A program of Windows may have any number; those of a crash are NTSTATUS
/// values, negative when read with a sign, and stay as they are.
pub(super) const fn exit_of(code: u32, is_msys: bool) -> Exit {
    if code == ENDED_BY_US {
        return Exit::Signal(KILL);
    }
    let signal = code >> 8;
    if is_msys && code & 0xff == 0 && signal >= 1 && signal <= MAX_SIGNAL {
        return Exit::Signal(signal.cast_signed());
    }
    Exit::Code(code.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    // faults: signal-death-is-zero
    #[test]
    fn a_killed_shell_looks_like_one_that_ended_by_itself() {
        assert_eq!(exit_of(ENDED_BY_US, true), Exit::Signal(9));
        assert_eq!(exit_of(ENDED_BY_US, false), Exit::Signal(9));
        assert_eq!(exit_of(0x0f00, true), Exit::Signal(15));
        for code in [0, 1, 143, 255] {
            assert_eq!(exit_of(code, true), Exit::Code(code.cast_signed()));
        }
        assert_eq!(exit_of(0x0f00, false), Exit::Code(0x0f00));
        assert_eq!(exit_of(0xC000_0005, true), Exit::Code(-1_073_741_819));
    }
}
