//! Who owns a folder on Windows.

use std::fs::File;
use std::mem;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{ConvertSidToStringSidW, GetSecurityInfo, SE_FILE_OBJECT};
use windows_sys::Win32::Security::{
    EqualSid, GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, TOKEN_INFORMATION_CLASS, TOKEN_OWNER, TOKEN_QUERY,
    TOKEN_USER, TokenOwner, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Room for a SID and what stands before it, in words of 8 bytes: a SID has 68 bytes at most.
const TOKEN_WORDS: usize = 16;

/// Whether `folder` is known to belong to somebody else than this user, and than whom this user makes files for
/// (administrators do so for their group). False where owners are not known, as on FAT.
pub(super) fn is_somebody_else(folder: &File) -> bool {
    let (mut owner, mut descriptor): (PSID, _) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the folder is open for reading its descriptor; the owner points into the descriptor, which is freed below.
    let known = unsafe {
        GetSecurityInfo(
            folder.as_raw_handle(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut descriptor,
        )
    } == ERROR_SUCCESS;
    if !known || owner.is_null() {
        return false;
    }
    let is_equal = |sid: PSID| {
        // SAFETY: both are valid SIDs while this runs.
        unsafe { EqualSid(owner, sid) != 0 }
    };
    let ours = of_this_user(TokenUser, |memory| is_equal(user_of(memory)));
    let made_for = of_this_user(TokenOwner, |memory| is_equal(owner_of(memory)));
    // SAFETY: allocated by the call above, and not used any more.
    unsafe { LocalFree(descriptor) };
    is_refused(ours, made_for)
}

/// By whether the owner is known to be this user, and whom this user makes files for. What is not known speaks for nobody.
fn is_refused(is_this_user: Option<bool>, is_made_for: Option<bool>) -> bool {
    is_this_user == Some(false) && is_made_for == Some(false)
}

/// The SID of this user as text.
pub(super) fn name_of_this_user() -> Option<String> {
    of_this_user(TokenUser, |memory| {
        let mut text = ptr::null_mut();
        // SAFETY: the SID is valid; the text is freed below.
        if unsafe { ConvertSidToStringSidW(user_of(memory), &raw mut text) } == 0 {
            return None;
        }
        // SAFETY: the text ends with a zero.
        let name = unsafe {
            let length = (0..).take_while(|at| *text.add(*at) != 0).count();
            String::from_utf16_lossy(std::slice::from_raw_parts(text, length))
        };
        // SAFETY: allocated by the call above, and not used any more.
        unsafe { LocalFree(text.cast()) };
        Some(name)
    })?
}

const fn user_of(memory: &[u64; TOKEN_WORDS]) -> PSID {
    // SAFETY: it holds a TOKEN_USER, whose alignment is that of a pointer.
    unsafe { (*memory.as_ptr().cast::<TOKEN_USER>()).User.Sid }
}

const fn owner_of(memory: &[u64; TOKEN_WORDS]) -> PSID {
    // SAFETY: it holds a TOKEN_OWNER, whose alignment is that of a pointer.
    unsafe { (*memory.as_ptr().cast::<TOKEN_OWNER>()).Owner }
}

/// Shows `look` what the token of this process says.
fn of_this_user<T>(class: TOKEN_INFORMATION_CLASS, look: impl FnOnce(&[u64; TOKEN_WORDS]) -> T) -> Option<T> {
    let mut token: HANDLE = ptr::null_mut();
    // SAFETY: the handle of this process needs no closing; the token is closed when it is dropped.
    let token = unsafe {
        if OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) == 0 {
            return None;
        }
        OwnedHandle::from_raw_handle(token)
    };
    let mut memory = [0_u64; TOKEN_WORDS];
    let mut bytes = 0;
    // SAFETY: the memory has so many bytes, aligned for what is written to it.
    let ok = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            class,
            memory.as_mut_ptr().cast(),
            mem::size_of_val(&memory) as u32,
            &raw mut bytes,
        )
    };
    (ok != 0).then(|| look(&memory))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::os::windows::fs::OpenOptionsExt as _;

    use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_BACKUP_SEMANTICS, READ_CONTROL};

    use super::*;

    /// Names a folder that is known to be one, for a system that has none by itself.
    const FOLDER_OF_ANOTHER_USER: &str = "FOREMAN_TEST_FOLDER_OF_ANOTHER_USER";

    fn is_somebody_elses(path: &str) -> bool {
        let mut options = OpenOptions::new();
        is_somebody_else(
            &options.access_mode(READ_CONTROL).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path).unwrap(),
        )
    }

    // faults: predictable-log-symlink
    #[test]
    fn a_folder_of_another_user_is_taken_or_an_own_one_is_refused() {
        assert!(!is_somebody_elses(&std::env::temp_dir().display().to_string()));
        let systems = std::env::var("SystemRoot").unwrap();
        match std::env::var(FOLDER_OF_ANOTHER_USER) {
            Ok(folder) => assert!(is_somebody_elses(&folder)),
            Err(_) if std::fs::exists(format!("{systems}\\system32\\winecfg.exe")).unwrap() => {
                eprintln!("SKIPPED: in Wine all of drive C belongs to the one user");
            }
            // It belongs to the installer of Windows, also for an administrator.
            Err(_) => assert!(is_somebody_elses(&systems)),
        }
    }

    #[test]
    fn an_owner_that_is_not_known_is_refused() {
        let table =
            [(Some(false), Some(false), true), (Some(true), Some(false), false), (Some(false), Some(true), false)];
        for (user, made_for, refused) in
            table.into_iter().chain([(None, Some(false), false), (Some(false), None, false)])
        {
            assert_eq!(is_refused(user, made_for), refused, "{user:?} {made_for:?}");
        }
    }
}
