//! MessagePack as JSON, as far as LangGraph's checkpoints need it: what an extension holds is an array with its number first, and
//! of bytes only their number is kept.

use serde_json::{Map, Value, json};

/// Deepest nesting that is followed, extensions included.
const DEPTH_MAX: usize = 64;
/// Most values of one text: each takes many times the byte that it may be packed in.
pub const VALUES_MAX: usize = 2_000_000;

/// Reads one value of all the bytes; nothing where they are damaged, are more than that, or hold more than [`VALUES_MAX`].
pub fn read(bytes: &[u8]) -> Option<Value> {
    Reader { bytes, depth: 0, left: VALUES_MAX }.whole()
}

struct Reader<'a> {
    bytes: &'a [u8],
    depth: usize,
    /// How many values may follow.
    left: usize,
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Option<Value> {
        self.value().filter(|_| self.bytes.is_empty())
    }

    fn value(&mut self) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        self.depth += 1;
        let value = if self.depth > DEPTH_MAX { None } else { self.inner() };
        self.depth -= 1;
        value
    }

    fn inner(&mut self) -> Option<Value> {
        let mark = self.take(1)?[0];
        Some(match mark {
            0x00..=0x7f => json!(mark),
            0x80..=0x8f => self.map(usize::from(mark & 15))?,
            0x90..=0x9f => self.list(usize::from(mark & 15))?,
            0xa0..=0xbf => self.text(usize::from(mark & 31))?,
            0xc0 => Value::Null,
            0xc2 => json!(false),
            0xc3 => json!(true),
            0xc4..=0xc6 => {
                let length = self.length(1 << (mark - 0xc4))?;
                binary(self.take(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.length(1 << (mark - 0xc7))?;
                self.extension(length)?
            }
            0xca => json!(f32::from_be_bytes(self.array()?)),
            0xcb => json!(f64::from_be_bytes(self.array()?)),
            0xcc => json!(u8::from_be_bytes(self.array()?)),
            0xcd => json!(u16::from_be_bytes(self.array()?)),
            0xce => json!(u32::from_be_bytes(self.array()?)),
            0xcf => json!(u64::from_be_bytes(self.array()?)),
            0xd0 => json!(i8::from_be_bytes(self.array()?)),
            0xd1 => json!(i16::from_be_bytes(self.array()?)),
            0xd2 => json!(i32::from_be_bytes(self.array()?)),
            0xd3 => json!(i64::from_be_bytes(self.array()?)),
            0xd4..=0xd8 => self.extension(1 << (mark - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.length(1 << (mark - 0xd9))?;
                self.text(length)?
            }
            0xdc | 0xdd => {
                let length = self.length(2 << (mark - 0xdc))?;
                self.list(length)?
            }
            0xde | 0xdf => {
                let length = self.length(2 << (mark - 0xde))?;
                self.map(length)?
            }
            0xe0..=0xff => json!(i16::from(mark) - 256),
            0xc1 => return None,
        })
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// A length of so many bytes.
    fn length(&mut self, bytes: usize) -> Option<usize> {
        Some(self.take(bytes)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    fn text(&mut self, length: usize) -> Option<Value> {
        Some(json!(String::from_utf8_lossy(self.take(length)?)))
    }

    fn list(&mut self, length: usize) -> Option<Value> {
        (0..length).map(|_| self.value()).collect::<Option<Vec<_>>>().map(Value::Array)
    }

    fn map(&mut self, length: usize) -> Option<Value> {
        let mut map = Map::new();
        for _ in 0..length {
            let key = match self.value()? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            map.insert(key, self.value()?);
        }
        Some(Value::Object(map))
    }

    /// What an extension holds is packed again.
    fn extension(&mut self, length: usize) -> Option<Value> {
        let number = i8::from_be_bytes(self.array()?);
        let bytes = self.take(length)?;
        let mut reader = Reader { bytes, depth: self.depth, left: self.left };
        let inner = reader.whole();
        self.left = reader.left;
        Some(json!([number, inner.unwrap_or_else(|| binary(bytes))]))
    }
}

/// Pictures and arrays of numbers are no text, and as JSON they would take many times their bytes.
fn binary(bytes: &[u8]) -> Value {
    json!(format!("{} bytes", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_read_and_damage_is_nothing() {
        let packed = b"\x84\xa1a\x92\x01\xff\xa1b\xc3\xa1c\xcb\x3f\xf8\0\0\0\0\0\0\xa1d\xc7\x03\x05\x91\xa1x";
        assert_eq!(read(packed), Some(json!({"a": [1, -1], "b": true, "c": 1.5, "d": [5, ["x"]]})));
        assert_eq!(read(b"\xd9\x02hi"), Some(json!("hi")));
        assert_eq!(read(b"\xcd\x01\x00"), Some(json!(256)));
        for damaged in [&b""[..], b"\x81\xa1a", b"\xdb\xff\xff\xff\xff", b"\xc1", b"\x01\x02", &[0x91; 100]] {
            assert_eq!(read(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn bytes_are_told_by_their_number_and_values_are_limited() {
        assert_eq!(read(b"\x92\xc4\x03\x00\xff\x01\xd6\x07\xc1\xc1\xc1\xc1"), Some(json!(["3 bytes", [7, "4 bytes"]])));
        // The list is a value itself.
        for (count, is_read) in [(VALUES_MAX - 1, true), (VALUES_MAX, false)] {
            let count = u32::try_from(count).expect("a length");
            let list = [&[0xdd], &count.to_be_bytes()[..], &vec![0x01; count as usize]].concat();
            assert_eq!(read(&list).is_some(), is_read, "{count}");
            // What an extension holds counts as well.
            let length = u32::try_from(list.len()).expect("a length");
            let packed = [&[0x92, 0xc9], &length.to_be_bytes()[..], &[0x05], &list, &[0x01]].concat();
            assert_eq!(read(&packed), None, "{count}");
        }
    }
}
