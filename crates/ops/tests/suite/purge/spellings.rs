//! Names in many scripts, each in many spellings: a purge of the plain name takes every one of them and nobody else's.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use super::{append, call, home};

/// A name, spellings of it that no rule makes, and other people's names that look like it.
struct Name(&'static str, &'static [&'static str], &'static [&'static str]);

const NAMES: &[Name] = &[
    // Latin
    Name(
        "Zoë Quill",
        &["Ｚｏë Ｑｕｉｌｌ", "𝐙𝐨ë 𝑄𝑢𝑖𝑙𝑙", "Zo&euml;&nbsp;Quill", "Zoë-Quill"],
        &["Zoe Quill", "Zoé Quill", "Zoë Qill", "Zoëquill"],
    ),
    Name(
        "Jürg Großmann",
        &["JÜRG GROSSMANN", "JÜRG GROẞMANN", "Jürg Grossmann"],
        &["Jürg Großman", "Jurg Großmann", "Jürg Grosmann"],
    ),
    Name(
        "Steffi Flick",
        &["Steﬃ Flick", "Steﬀi Flick", "Steffi Ｆlick", "STEﬀI ﬂick"],
        &["Stefi Flick", "Steffi Fick"],
    ),
    Name(
        "Siobhán O'Brien",
        &["Siobhán O’Brien", "SIOBHÁN OʼBRIEN", "Siobhán O‘Brien"],
        &["Siobhan O'Brien", "Siobhán O Brien"],
    ),
    Name("Ngọc Nguyễn", &["Ngo\u{323}c Nguye\u{302}\u{303}n", "NGỌC NGUYỄN"], &["Ngoc Nguyen", "Ngọc Nguyên"]),
    Name(
        "Diyarbakır İzmir",
        &["DİYARBAKIR İZMİR", "diyarbakir izmir", "Dıyarbakır ızmir", "di̇yarbakır i̇zmi̇r"],
        &["Diyarbekir İzmir", "Diyarbakır Îzmir"],
    ),
    // Greek, Cyrillic, Armenian, Georgian, Cherokee, Coptic, Deseret, Adlam
    Name(
        "Γιώργος Παύλος",
        &["ΓΙΏΡΓΟΣ ΠΑΎΛΟΣ", "ΓΙΩΡΓΟΣ ΠΑΥΛΟΣ", "γιώργοσ παύλοσ", "Γιω\u{301}ργος Παυ\u{301}λος"],
        &["Γιώργης Παύλος", "Γιώργος Παύλου"],
    ),
    Name("Андрей Щукин", &["Андреи\u{306} Щукин", "АНДРЕЙ ЩУКИН"], &["Андреи Щукин", "Андрей Шукин"]),
    Name(
        "Սևան Պետրոսյան",
        &["ՍԵՒԱՆ ՊԵՏՐՈՍՅԱՆ", "ՍԵՎԱՆ ՊԵՏՐՈՍՅԱՆ", "Սեւան Պետրոսյան"],
        &["Սավան Պետրոսյան", "Սևան Պետրոսեան"],
    ),
    Name("ნინო ბერიძე", &["ᲜᲘᲜᲝ ᲑᲔᲠᲘᲫᲔ", "Ნინო Ბერიძე"], &["ნანო ბერიძე", "ნინო ბერიძა"]),
    Name("ᏣᎳᎩ ᏍᏏᏉᏯ", &["ꮳꮃꭹ ꮝꮟꮙꮿ", "Ꮳꮃꭹ Ꮝꮟꮙꮿ"], &["ᏣᎳᎦ ᏍᏏᏉᏯ", "ᏣᎳᎩ ᏍᏏᏉᏰ"]),
    Name("ⲙⲁⲣⲓⲁ ⲥⲁⲃⲓ", &["ⲘⲀⲢⲒⲀ ⲤⲀⲂⲒ"], &["ⲙⲁⲣⲓ ⲥⲁⲃⲓ"]),
    Name("𐐨𐑊𐐨 𐐽𐐬𐑌", &["𐐀𐐢𐐀 𐐕𐐄𐐤"], &["𐐨𐑊𐐩 𐐽𐐬𐑌"]),
    Name("𞤀𞤣𞤢𞤥 𞤄𞤢𞤪𞤭", &["𞤢𞤣𞤢𞤥 𞤦𞤢𞤪𞤭", "𞤀𞤁𞤀𞤃 𞤄𞤀𞤈𞤋"], &["𞤀𞤣𞤢𞤥 𞤄𞤢𞤪𞤢"]),
    // Arabic, Hebrew, Syriac, Thaana, Ethiopic
    Name("محمد العلي", &["مـحـمـد العـلي", "مُحَمَّد العَلِي", "ﻣﺤﻤﺪ ﺍﻟﻌﻠﻲ", "محمّد العليّ"], &["محمود العلي", "أحمد العلي"]),
    Name("שלום כהן", &["שָׁלוֹם כֹּהֵן", "שׁלום כּהן"], &["שלומי כהן", "שלום לוי"]),
    Name("ܡܪܝܡ ܫܡܥܘܢ", &[], &["ܡܪܝܐ ܫܡܥܘܢ"]),
    Name("ޢަލީ ޙަސަން", &[], &["ޢަލި ޙަސަން"]),
    Name("አበበ ከበደ", &[], &["አበባ ከበደ"]),
    // Indic
    Name("क्षितिज शर्मा", &["क्\u{200d}षितिज शर्मा", "क्\u{200c}षितिज शर्मा"], &["क्षितज शर्मा", "क्षितिज वर्मा"]),
    Name("ড়েনু ঘোষ", &["ড\u{9bc}েনু ঘোষ"], &["ডেনু ঘোষ"]),
    Name("ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", &[], &["ਗੁਰਮੀਤ ਸਿੰਘ"]),
    Name("மீனா குமார்", &["மீனா குமா\u{200c}ர்"], &["மீரா குமார்"]),
    Name("మీనా రావు", &[], &["మీరా రావు"]),
    Name("ശ്രീജ നായർ", &[], &["ശ്രീത നായർ"]),
    Name("නිමල් සිල්වා", &["නිමල්\u{200d} සිල්වා"], &["කමල් සිල්වා"]),
    // South-East and East Asian
    Name("สมชาย น้ำใจ", &["สมชาย น้\u{e4d}\u{e32}ใจ", "สม\u{200b}ชาย น้ำ\u{200b}ใจ"], &["สมหญิง น้ำใจ"]),
    Name("ສົມຊາຍ ຄຳ", &["ສົມຊາຍ ຄ\u{ecd}\u{eb2}"], &["ສົມຊາຍ ຄາ"]),
    Name("မောင် အောင်", &[], &["မောင် အေး"]),
    Name("សុខ ចាន់", &["សុខ \u{17b5}ចាន់"], &["សុខា ចាន់"]),
    Name("བསྟན་འཛིན", &["བསྟན་\u{200b}འཛིན"], &["བསྟན་འདོན"]),
    Name("田中 花子", &["田中　花子", "⽥中 花⼦"], &["田口 花子", "中田 花子"]),
    Name("山田ガブリエル", &["山田ｶﾞﾌﾞﾘｴﾙ", "山田カ\u{3099}フ\u{3099}リエル"], &["山田カフリエル", "山田がぶりえる"]),
    Name("김철수", &["\u{1100}\u{1175}\u{11b7}\u{110e}\u{1165}\u{11af}\u{1109}\u{116e}"], &["김철숙", "김절수"]),
    Name("李明華", &["\u{f9e1}明華"], &["李明", "李月華"]),
    // Numbers
    Name(
        "+49 151 23456",
        &["+٤٩ ١٥١ ٢٣٤٥٦", "+४९ १५१ २३४५६", "＋４９ １５１ ２３４５６", "+49\u{a0}151\u{202f}23456"],
        &["+49 151 23465", "49 151 23456"],
    ),
];

/// The letters of a name with something between each two that nobody sees.
fn between(name: &str, unseen: &str) -> String {
    let letters: Vec<String> = name.chars().map(String::from).collect();
    letters.join(unseen)
}

/// Everything that rules make of a name.
fn spellings(name: &Name) -> BTreeSet<String> {
    let Name(plain, others, _) = name;
    let mut all: BTreeSet<String> =
        others.iter().filter(|other| !other.is_empty()).map(|&other| other.to_owned()).collect();
    all.insert((*plain).to_owned());
    all.insert(plain.to_uppercase());
    all.insert(plain.to_lowercase());
    for form in [plain.nfc().collect::<String>(), plain.nfd().collect(), plain.nfkc().collect(), plain.nfkd().collect()]
    {
        all.insert(form.to_uppercase());
        all.insert(form);
    }
    for unseen in [
        "\u{ad}",
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{2060}",
        "\u{feff}",
        "\u{34f}",
        "\u{202e}\u{202c}",
        "\u{2067}\u{2069}",
        "\u{fe0f}",
        "\u{e0061}",
        "\u{e0101}",
        "\u{61c}",
    ] {
        all.insert(between(plain, unseen));
    }
    for gap in ["  ", "\n", "\r\n\t", "\u{a0}", "\u{3000}", "\u{2009}\u{200b}\u{2028}"] {
        all.insert(plain.replace(' ', gap));
    }
    // As other formats have it.
    all.insert(plain.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect());
    all.insert(plain.chars().map(|c| format!("&#{};", u32::from(c))).collect());
    all.insert(plain.bytes().map(|byte| format!("%{byte:02X}")).collect());
    all
}

/// An event that says something in one of its parts.
fn event(id: &str, part: usize, text: &str) -> Value {
    let mut event = json!({"id": id, "kind": "user_input", "content": "something was said"});
    match part % 12 {
        0 => event["content"] = json!(format!("so {text} said")),
        1 => event["summary"] = json!(format!("about ({text})")),
        2 => event["author"] = json!(text),
        3 => event["tags"] = json!(["one", text]),
        4 => event["refs"] = json!([text]),
        5 => event["metadata"] = json!({text: {"a": 1}}),
        6 => event["metadata"] = json!({"a": [{"b": format!("{text}.")}]}),
        7 => event["scope"] = json!(text),
        8 => event["source"] = json!(text),
        9 => event["metadata"] = json!({"raw": json!({"name": text}).to_string()}),
        10 => event["conversation_id"] = json!(text),
        _ => event["agent_id"] = json!(text),
    }
    event
}

#[test]
fn every_spelling_of_a_name_is_found_and_nobody_else() {
    let home = home();
    let (mut records, mut wanted, mut count) = (Vec::new(), Vec::new(), 0);
    for (n, name) in NAMES.iter().enumerate() {
        let mut own = BTreeSet::new();
        for (m, text) in spellings(name).iter().enumerate() {
            let id = format!("n{n}-{m}");
            records.push(event(&id, n + m, text));
            own.insert(id);
        }
        count += own.len();
        wanted.push(own);
        records.extend(name.2.iter().enumerate().map(|(m, text)| event(&format!("other{n}-{m}"), n + m, text)));
    }
    records.chunks(100).for_each(|part| append(&home, part));
    let mut wrong = Vec::new();
    for (name, own) in NAMES.iter().zip(&wanted) {
        let looked_at = call(&home, "purge", &json!({"matching": name.0, "dry_run": true}));
        let events = looked_at[0]["events"].as_array().expect("a list");
        let found: BTreeSet<String> = events.iter().filter_map(|line| line["id"].as_str().map(str::to_owned)).collect();
        let text = |id: &String| records.iter().find(|record| record["id"] == **id).map(Value::to_string);
        wrong.extend(own.difference(&found).map(|id| format!("{} not found: {:?}", name.0, text(id))));
        wrong.extend(found.difference(own).map(|id| format!("{} found: {:?}", name.0, text(id))));
    }
    assert_eq!(wrong, Vec::<String>::new(), "{} of {count}", wrong.len());
    assert!(count >= 500, "{count}");
    for name in NAMES {
        call(&home, "purge", &json!({"matching": name.0, "yes": true}));
    }
    assert_eq!(call(&home, "verify", &json!({}))[0]["erased"], json!(count));
    for (n, name) in NAMES.iter().enumerate() {
        for m in 0..name.2.len() {
            let other = call(&home, "get", &json!({"event": format!("other{n}-{m}")}));
            assert_eq!(other[0]["erased"], Value::Null, "others stay: {}", name.2[m]);
        }
    }
}
