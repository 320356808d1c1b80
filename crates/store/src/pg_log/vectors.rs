//! Vectors in PostgreSQL: what one machine computed, the others read. Each row belongs to an event and is removed with it.

use std::collections::HashMap;

use idetic_search::InputHash;
use tokio_postgres::types::Type;

use super::cells::{bigint, column};
use super::connection::Connection;
use crate::log::EventVectors;
use crate::vectors::{decode, encode, vector_sum};
use crate::{Error, Result};

const GET: &str = "SELECT input, dimensions, passages, sum FROM idetic.vectors \
     WHERE space = $1 AND model = $2 AND input = ANY($3)";
/// The space's row is locked: an erasure waits for the end of this statement, or this statement sees its mark.
const PUT: &str = "WITH unchanged AS (SELECT space FROM idetic.spaces WHERE space = $1 AND erasure = $3 FOR SHARE) \
     INSERT INTO idetic.vectors (space, model, input, seq, dimensions, passages, sum) \
     SELECT u.space, $2, v.* FROM unchanged u, \
     unnest($4::bytea[], $5::bigint[], $6::integer[], $7::bytea[], $8::bigint[]) v \
     ON CONFLICT (space, model, input) DO NOTHING";

/// The vectors of each text, where they are there and are what was written.
pub fn get(
    connection: &Connection,
    space: &str,
    model: &str,
    inputs: &[InputHash],
) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
    let wanted: Vec<&[u8]> = inputs.iter().map(InputHash::as_slice).collect();
    let values = [(&space as _, Type::TEXT), (&model as _, Type::TEXT), (&wanted as _, Type::BYTEA_ARRAY)];
    let mut found: HashMap<Vec<u8>, Vec<Vec<f32>>> = HashMap::new();
    for row in connection.query(GET, &values)? {
        let (input, dimensions, passages, sum): (Vec<u8>, i32, &[u8], i64) =
            (column(&row, 0)?, column(&row, 1)?, column(&row, 2)?, column(&row, 3)?);
        // A row that was altered is as good as none: its text is embedded again.
        if sum == vector_sum(model, &input, i64::from(dimensions), passages) {
            found.insert(input, decode(i64::from(dimensions), passages));
        }
    }
    Ok(inputs.iter().map(|input| found.get(input.as_slice()).cloned()).collect())
}

/// Keeps vectors, unless something was erased since the mark. Those of a text that has some stay as they are.
pub fn put(connection: &Connection, space: &str, model: &str, new: &[EventVectors], mark: u64) -> Result<()> {
    let (mut inputs, mut seqs, mut lengths): (Vec<&[u8]>, Vec<i64>, Vec<i32>) = Default::default();
    let (mut vectors, mut sums): (Vec<Vec<u8>>, Vec<i64>) = Default::default();
    for EventVectors { seq, input, passages } in new {
        let dimensions = passages.first().map_or(0, Vec::len);
        let dimensions = i32::try_from(dimensions).map_err(|_| Error::Corrupt("a vector is too long".to_owned()))?;
        let bytes = encode(passages);
        inputs.push(input);
        seqs.push(bigint(*seq));
        lengths.push(dimensions);
        sums.push(vector_sum(model, input, i64::from(dimensions), &bytes));
        vectors.push(bytes);
    }
    let values = [
        (&space as _, Type::TEXT),
        (&model as _, Type::TEXT),
        (&bigint(mark) as _, Type::INT8),
        (&inputs as _, Type::BYTEA_ARRAY),
        (&seqs as _, Type::INT8_ARRAY),
        (&lengths as _, Type::INT4_ARRAY),
        (&vectors as _, Type::BYTEA_ARRAY),
        (&sums as _, Type::INT8_ARRAY),
    ];
    connection.execute(PUT, &values).map(|_| ())
}

/// Removes those of some events, in the transaction that is open.
pub fn remove(connection: &Connection, space: &str, seqs: &[i64]) -> Result<()> {
    let values = [(&space as _, Type::TEXT), (&seqs as _, Type::INT8_ARRAY)];
    connection.execute("DELETE FROM idetic.vectors WHERE space = $1 AND seq = ANY($2)", &values).map(|_| ())
}

/// Removes those of a model.
pub fn forget(connection: &Connection, space: &str, model: &str) -> Result<()> {
    let values = [(&space as _, Type::TEXT), (&model as _, Type::TEXT)];
    connection.execute("DELETE FROM idetic.vectors WHERE space = $1 AND model = $2", &values).map(|_| ())
}
