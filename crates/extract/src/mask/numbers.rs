//! Numbers of payment cards, accounts and persons.

use std::ops::Range;

use super::range;

pub fn find(text: &str, line: &str, found: &mut Vec<Range<usize>>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-');
    for run in line.split(|c| !is_part(c)).filter(|run| run.bytes().filter(u8::is_ascii_digit).count() >= 9) {
        let pieces: Vec<&str> = run.split([' ', '-']).filter(|piece| !piece.is_empty()).collect();
        let (has_dash, mut at) = (run.contains('-'), 0);
        while at < pieces.len() {
            let count = number(&pieces[at..], has_dash);
            if let Some(last) = count.checked_sub(1).and_then(|last| pieces.get(at + last)) {
                found.push(range(text, pieces[at]).start..range(text, last).end);
            }
            at += count.max(1);
        }
    }
}

/// How many pieces belong to the number that begins with the first.
fn number(pieces: &[&str], has_dash: bool) -> usize {
    let digits = |piece: &&str| piece.bytes().all(|b| b.is_ascii_digit());
    if let [first, second, third, ..] = pieces
        && [first, second, third].into_iter().all(digits)
        && (first.len(), second.len(), third.len()) == (3, 2, 4)
        && has_dash
    {
        return 3;
    }
    let mut number = String::new();
    for (at, piece) in pieces.iter().enumerate().take(8).take_while(|(_, piece)| digits(piece)) {
        number.push_str(piece);
        if is_issued(&number) && luhn(&number) {
            return at + 1;
        }
    }
    if is_account(pieces) {
        let belongs = |piece: &&&str| piece.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        return pieces.iter().take(9).take_while(belongs).count();
    }
    0
}

/// Whether a number begins like those of payment cards and is as long: a time in microseconds does not.
fn is_issued(number: &str) -> bool {
    let starts = |starts: &[&str]| starts.iter().any(|start| number.starts_with(start));
    match number.len() {
        14 => starts(&["30", "36", "38", "39"]),
        15 => starts(&["34", "37"]),
        16 => starts(&[
            "4", "51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "35", "60", "62", "64", "65",
        ]),
        19 => starts(&["4", "60", "62"]),
        _ => false,
    }
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, b)| {
            let digit = u32::from(b - b'0');
            let doubled = if at % 2 == 1 { digit * 2 } else { digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10) && digits.bytes().any(|b| b != b'0')
}

/// Two capitals, two digits and at least eleven more letters and digits, in groups.
fn is_account(pieces: &[&str]) -> bool {
    let first = pieces.first().map_or(&[][..], |piece| piece.as_bytes());
    if first.len() < 4 || !first[..2].iter().all(u8::is_ascii_uppercase) || !first[2..4].iter().all(u8::is_ascii_digit)
    {
        return false;
    }
    let groups =
        pieces.iter().take(9).take_while(|piece| piece.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()));
    let all: String = groups.copied().collect();
    all.len() >= 15 && all.bytes().filter(u8::is_ascii_digit).count() >= 10
}
