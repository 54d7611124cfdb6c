//! Windows paths as text, so that decisions about them can be tested on every system.

/// The path with one kind of separator and without `.`, `..`, doubled or trailing separators and the `\\?\` prefix.
///
/// `None` unless the path is absolute: `C:\x` or `\\server\share\x`. `C:x` and `\x` depend on a current folder or drive.
pub(super) fn normalized(path: &str) -> Option<String> {
    let path = path.trim().replace('/', "\\");
    let path = match path.strip_prefix(r"\\?\") {
        Some(rest) if rest.get(..4).is_some_and(|unc| unc.eq_ignore_ascii_case(r"UNC\")) => {
            format!(r"\\{}", &rest[4..])
        }
        Some(rest) => rest.to_owned(),
        None => path,
    };
    let (root, rest) = match path.as_bytes() {
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() => (path[..2].to_owned(), &path[3..]),
        [b'\\', b'\\', ..] => {
            let (server, rest) = path[2..].split_once('\\')?;
            let (share, rest) = rest.split_once('\\').unwrap_or((rest, ""));
            if server.is_empty() || share.is_empty() {
                return None;
            }
            (format!(r"\\{server}\{share}"), rest)
        }
        _ => return None,
    };
    let mut parts = Vec::new();
    for part in rest.split('\\') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            // The system drops dots and spaces at the end of a name.
            name => parts.push(name.trim_end_matches(['.', ' '])),
        }
    }
    Some(format!("{root}\\{}", parts.join("\\")))
}

/// The folder that holds a normalized path; the root of a drive holds itself.
pub(super) fn parent(path: &str) -> &str {
    match path.rsplit_once('\\') {
        Some((parent, _)) if !parent.is_empty() => parent,
        _ => path,
    }
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['\\', '/']).next().unwrap_or(path)
}

/// A path below a folder.
pub(super) fn join(folder: &str, rest: &str) -> String {
    format!("{}\\{rest}", folder.trim_end_matches(['\\', '/']))
}

/// Whether a normalized path is the folder or lies below it, whatever its case.
pub(super) fn is_inside(path: &str, folder: &str) -> bool {
    let (path, folder) = (path.to_lowercase(), folder.to_lowercase());
    match path.strip_prefix(folder.trim_end_matches('\\')) {
        Some(rest) => rest.is_empty() || rest.starts_with('\\'),
        None => false,
    }
}

/// Whether both are the same place, whatever their case.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_depends_on_a_current_folder_is_not_absolute() {
        for path in ["", "bash.exe", r".\bash.exe", r"..\x", r"\x", "/x", "C:", "C:x", r"\\", r"\\server", "~", r"1:\x"]
        {
            assert_eq!(normalized(path), None, "{path}");
        }
    }

    #[test]
    fn one_place_has_one_spelling() {
        for (path, place) in [
            (r"C:\", r"C:\"),
            ("C:/Git/bin", r"C:\Git\bin"),
            (r"C:\Git\\bin\.\", r"C:\Git\bin"),
            (r"C:\Git\cmd\..\bin", r"C:\Git\bin"),
            (r"C:\..\..\x", r"C:\x"),
            (r"\\?\C:\Git", r"C:\Git"),
            (r"\\?\UNC\host\share\Git", r"\\host\share\Git"),
            (r"\\host\share", r"\\host\share\"),
            (r"C:\Windows.\System32 ", r"C:\Windows\System32"),
        ] {
            assert_eq!(normalized(path).as_deref(), Some(place), "{path}");
        }
    }

    #[test]
    fn a_folder_with_a_longer_name_is_not_inside() {
        assert!(is_inside(r"c:\proj\bash.exe", r"C:\Proj"));
        assert!(is_inside(r"C:\x", r"C:\"));
        assert!(is_inside(r"C:\Proj", r"C:\Proj"));
        assert!(!is_inside(r"C:\Project\bash.exe", r"C:\Proj"));
        assert!(!is_inside(r"D:\Proj\bash.exe", r"C:\Proj"));
    }
}
