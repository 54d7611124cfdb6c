//! The environment as CreateProcess wants it.

/// `NAME=value` entries, each with a zero behind it, and one more zero; sorted by name without regard to case, as the
/// programs that search a block expect.
pub(super) fn environment_block(env: &[(String, String)]) -> Vec<u16> {
    let mut entries: Vec<_> = env.iter().map(|(name, value)| (name.to_uppercase(), name, value)).collect();
    entries.sort();
    let mut block = Vec::new();
    for (_, name, value) in entries {
        block.extend(name.encode_utf16().chain([u16::from(b'=')]).chain(value.encode_utf16()).chain([0]));
    }
    if block.is_empty() {
        block.push(0);
    }
    block.push(0);
    block
}
