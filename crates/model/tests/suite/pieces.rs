//! Word pieces and passages: golden values of the reference, and what must hold for any text.

use proptest::prelude::*;

use crate::suite::assets::MODEL;

#[test]
fn texts_are_cut_as_the_reference_cuts_them() {
    let golden = include_str!("../golden/pieces.jsonl");
    let mut count = 0;
    for line in golden.lines() {
        let (text, pieces): (String, Vec<u32>) = serde_json::from_str(line).expect("golden values are well formed");
        assert_eq!(MODEL.word_piece_ids(&text), pieces, "{text:?}");
        count += 1;
    }
    assert!(count >= 1000);
}

#[test]
fn every_character_is_cut_as_the_reference_cuts_it() {
    let golden = include_str!("../golden/every_character.txt");
    for (block, hash) in golden.lines().enumerate() {
        let from = u32::try_from(block * 4096).expect("golden values are well formed");
        let characters: Vec<char> = (from..from + 4096).filter_map(char::from_u32).collect();
        if characters.is_empty() {
            continue;
        }
        let ids = characters.iter().flat_map(|c| MODEL.word_piece_ids(&format!("a{c}b")));
        let ours = ids
            .flat_map(u32::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        assert_eq!(format!("{ours:x}"), hash, "among the 4096 characters from {from:#x}");
    }
}

#[test]
fn pieces_are_counted_without_frame_or_limit() {
    assert_eq!(MODEL.word_pieces(""), 0);
    assert_eq!(MODEL.word_pieces("hello world"), 2);
    assert_eq!(MODEL.word_pieces(&"hello ".repeat(1000)), 1000);
    assert_eq!(MODEL.word_piece_ids(&"hello ".repeat(1000)).len(), 256);
}

#[test]
fn passages_end_with_sentences() {
    let text = "One two three. Four five six! \"Seven?\" Eight nine.\nTen eleven";
    let passages: Vec<&str> = MODEL.passages(text, 8).into_iter().map(|range| &text[range]).collect();
    assert_eq!(passages, ["One two three. Four five six! ", "\"Seven?\" Eight nine.\n", "Ten eleven"]);
    let whole: Vec<&str> = MODEL.passages(text, 100).into_iter().map(|range| &text[range]).collect();
    assert_eq!(whole, [text]);
    assert!(MODEL.passages("", 9).is_empty());
}

#[test]
fn a_long_sentence_is_cut_between_words_and_a_long_word_between_characters() {
    let text = "alpha beta gamma delta epsilon";
    let passages: Vec<&str> = MODEL.passages(text, 3).into_iter().map(|range| &text[range]).collect();
    assert_eq!(passages, ["alpha beta gamma ", "delta epsilon"]);
    let text = "qzxwvqzxwvqzxwv";
    for range in MODEL.passages(text, 2) {
        assert!(MODEL.word_pieces(&text[range]) <= 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn passages_cover_any_text_and_fit(text in any_text(), max in 3_usize..40) {
        let mut end = 0;
        for range in MODEL.passages(&text, max) {
            prop_assert_eq!(range.start, end);
            end = range.end;
            prop_assert!(MODEL.word_pieces(&text[range]) <= max);
        }
        prop_assert_eq!(end, text.len());
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,200}", "([a-z]{1,12}[ .!?\n]){0,60}", "[一-龥。！]{0,120}", "[a-z]{0,300}",]
}
