//! Columns of numbers in one block of bytes, used where they lie: nothing is copied or decoded when a file is mapped.

use bytemuck::{AnyBitPattern, NoUninit};

use super::Damaged;

#[cfg(target_endian = "big")]
compile_error!("columns are little-endian numbers used where they lie");

/// Columns begin at multiples of this, so that any number and any register may be read there.
pub const ALIGNMENT: usize = 64;

/// The name of a form of block as the first bytes of one.
pub const fn mark(format: &str) -> u64 {
    match format.as_bytes().first_chunk() {
        Some(name) => u64::from_le_bytes(*name),
        None => panic!("the name of a form has eight bytes"),
    }
}

/// Puts columns into one block: a mark, their number, where each begins and how long it is, then the columns.
pub fn pack(mark: u64, columns: &[&[u8]]) -> Vec<u8> {
    let mut begins = Vec::with_capacity(columns.len());
    let mut end = aligned(size_of::<u64>() * (2 + 2 * columns.len()));
    for column in columns {
        begins.push(end);
        end = aligned(end + column.len());
    }
    let mut block = Vec::with_capacity(end);
    block.extend(mark.to_le_bytes());
    block.extend((columns.len() as u64).to_le_bytes());
    for (begin, column) in begins.iter().zip(columns) {
        block.extend((*begin as u64).to_le_bytes());
        block.extend((column.len() as u64).to_le_bytes());
    }
    for (begin, column) in begins.iter().zip(columns) {
        block.resize(*begin, 0);
        block.extend_from_slice(column);
    }
    block.resize(end, 0);
    block
}

/// The bytes of a column.
pub fn bytes<T: NoUninit>(column: &[T]) -> &[u8] {
    bytemuck::cast_slice(column)
}

fn aligned(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT)
}

/// Bytes in memory that begin where the widest number may.
#[derive(Debug, Clone, Default)]
pub struct Block {
    words: Vec<u64>,
    length: usize,
}

impl Block {
    /// Copies bytes to where they are aligned.
    pub fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0_u64; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { words, length: bytes.len() }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

/// A block, read.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    block: &'a [u8],
    table: &'a [u64],
}

impl<'a> Columns<'a> {
    /// Reads a block with a mark and so many columns.
    pub fn read(block: &'a [u8], mark: u64, count: usize) -> Result<Self, Damaged> {
        let header = size_of::<u64>() * (2 + 2 * count);
        let words: &[u64] = block.get(..header).and_then(|h| bytemuck::try_cast_slice(h).ok()).ok_or(Damaged)?;
        match words {
            [found, columns, table @ ..] if *found == mark && *columns == count as u64 => Ok(Self { block, table }),
            _ => Err(Damaged),
        }
    }

    /// A column.
    pub fn get<T: AnyBitPattern>(&self, number: usize) -> Result<&'a [T], Damaged> {
        let place = |at: usize| self.table.get(at).and_then(|n| usize::try_from(*n).ok()).ok_or(Damaged);
        let (begin, length) = (place(2 * number)?, place(2 * number + 1)?);
        let end = begin.checked_add(length).ok_or(Damaged)?;
        let column = self.block.get(begin..end).ok_or(Damaged)?;
        bytemuck::try_cast_slice(column).map_err(|_| Damaged)
    }

    /// A column of a known length.
    pub fn exactly<T: AnyBitPattern>(&self, number: usize, length: usize) -> Result<&'a [T], Damaged> {
        self.get(number).and_then(|column| if column.len() == length { Ok(column) } else { Err(Damaged) })
    }
}

/// Texts one after the other in a column, and where each ends.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    bytes: &'a [u8],
    ends: &'a [u32],
}

impl<'a> Texts<'a> {
    /// Reads two columns.
    pub fn read(bytes: &'a [u8], ends: &'a [u32]) -> Result<Self, Damaged> {
        let whole = ends.last().map_or(0, |end| *end as usize) == bytes.len();
        if whole && ends.is_sorted() { Ok(Self { bytes, ends }) } else { Err(Damaged) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A text as bytes; empty where there is none.
    pub fn get(&self, number: usize) -> &'a [u8] {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.ends.get(number).map_or(&[], |end| &self.bytes[begin..*end as usize])
    }

    /// The number of a text among sorted ones.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        Some(self.first_from(text)).filter(|found| *found < self.len() && self.get(*found) == text)
    }

    /// The number of the first among sorted ones that does not come before a text.
    pub fn first_from(&self, text: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Texts being put one after the other.
#[derive(Debug, Default)]
pub struct TextsWriter {
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
}

impl TextsWriter {
    /// Adds a text, as long as all of them together stay below 4 GiB.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_and_any_cut_is_noticed() {
        let (numbers, letters) = ([1_u64, 2, 3], *b"abcde");
        let packed = pack(7, &[bytes(&numbers), &letters]);
        let block = Block::new(&packed);
        let columns = Columns::read(block.bytes(), 7, 2).expect("whole");
        assert_eq!(columns.get::<u64>(0), Ok(numbers.as_slice()));
        assert_eq!(columns.get::<u8>(1), Ok(letters.as_slice()));
        assert_eq!(columns.get::<u64>(1), Err(Damaged), "five bytes are no whole numbers");
        assert!(Columns::read(block.bytes(), 8, 2).is_err() && Columns::read(block.bytes(), 7, 3).is_err());
        for length in 0..packed.len() - ALIGNMENT {
            let cut = Block::new(&packed[..length]);
            let read = Columns::read(cut.bytes(), 7, 2).and_then(|c| Ok((c.get::<u64>(0)?, c.get::<u8>(1)?)));
            assert!(read.is_err(), "cut at {length}");
        }
    }

    #[test]
    fn texts_are_found_by_halving() {
        let mut writer = TextsWriter::default();
        ["", "a", "bb", "c"].iter().for_each(|text| writer.push(text.as_bytes()));
        let texts = Texts::read(&writer.bytes, &writer.ends).expect("whole");
        assert_eq!((0..5).map(|n| texts.get(n)).collect::<Vec<_>>(), [&b""[..], b"a", b"bb", b"c", b""]);
        assert_eq!((texts.find(b"bb"), texts.find(b"b"), texts.find(b"")), (Some(2), None, Some(0)));
        assert!(Texts::read(&writer.bytes, &[0, 3, 1, 4]).is_err());
    }
}
