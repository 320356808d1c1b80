//! Damage to a file that was whole: a short input says where, so that checks in front of the file do not hide the rest.

/// Bytes of one instruction: what to do, where (two bytes), and with which number.
const INSTRUCTION_BYTES: usize = 4;

/// A file made from an input: as it is where the input begins with a zero, else a whole file with the damage that the
/// input describes.
pub fn damaged(whole: &[u8], data: &[u8]) -> Vec<u8> {
    match data.split_first() {
        None => whole.to_vec(),
        Some((0, rest)) => rest.to_vec(),
        Some((_, rest)) => rest.chunks_exact(INSTRUCTION_BYTES).fold(whole.to_vec(), apply),
    }
}

fn apply(mut bytes: Vec<u8>, instruction: &[u8]) -> Vec<u8> {
    let &[what, high, low, number] = instruction else { return bytes };
    if bytes.is_empty() {
        return bytes;
    }
    let at = usize::from(u16::from_be_bytes([high, low])) % bytes.len();
    match what % 6 {
        0 => bytes[at] = number,
        1 => bytes[at] ^= number,
        2 => bytes.truncate(at),
        3 => bytes.insert(at, number),
        4 => drop(bytes.drain(at..(at + usize::from(number)).min(bytes.len()))),
        // A whole number, at a place where one can stand.
        _ => {
            let at = at / 4 * 4;
            let end = (at + 4).min(bytes.len());
            bytes[at..end].copy_from_slice(&u32::from(number).to_le_bytes()[..end - at]);
        }
    }
    bytes
}
