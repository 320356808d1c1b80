//! The fields of a protobuf message, one after the other: the few rules of its wire format, without a schema.

/// A value on the wire.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32,
}

/// The fields of a message in their order, each with its number. Ends behind the first that is broken.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Wire<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| "the protobuf message is cut off or broken".to_owned()))
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u64, Wire<'a>)> {
        let key = self.varint()?;
        let number = key >> 3;
        let wire = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Wire::Fixed32)?,
            // Groups are of another age; nothing of OTLP has them.
            _ => return None,
        };
        (number > 0).then_some((number, wire))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            // Of the tenth byte only one bit is left to a number of 64.
            if shift == 63 && *byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

/// Writes a field that is a number.
pub(crate) fn put_varint(out: &mut Vec<u8>, number: u8, value: u64) {
    out.push(number << 3);
    varint(out, value);
}

/// Writes a field that is bytes, a text or a message.
pub(crate) fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_come_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, 3, value);
            let read: Vec<_> = Fields(&out).collect();
            assert!(matches!(read[..], [Ok((3, Wire::Varint(v)))] if v == value), "{value}: {read:?}");
            assert!(Fields(&out[..out.len() - 1]).any(|field| field.is_err()), "{value} cut off");
        }
    }

    #[test]
    fn what_is_broken_ends_the_message() {
        let too_long = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        let far_too_long = [&[0x08][..], &[0xff; 20][..]].concat();
        for broken in [&too_long[..], &far_too_long, &[0x0a, 5, 1], &[0x0b], &[0x00, 0x00], &[0x09, 1], &[0x0d, 1, 2]] {
            let read: Vec<_> = Fields(broken).collect();
            assert!(matches!(read[..], [Err(_)]), "{broken:?}: {read:?}");
        }
    }
}
