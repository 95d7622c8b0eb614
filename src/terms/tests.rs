//! What the words of a text are, row by row.

use unicode_normalization::UnicodeNormalization;

use super::fold_table::PAGE;
use super::split::LONGEST_WORD;
use super::stop::STOP_WORDS;
use super::*;

/// The words of a text, a whole in brackets.
fn show(text: &str) -> String {
    let mut shown = Vec::new();
    words(text, &mut |word, kind| {
        shown.push(if kind == Kind::Part {
            word.to_owned()
        } else {
            format!("[{word}]")
        });
    });
    shown.join(" ")
}

fn all(text: &str) -> Vec<(String, Kind)> {
    let mut all = Vec::new();
    words(text, &mut |word, kind| all.push((word.to_owned(), kind)));
    all
}

fn parts(text: &str) -> Vec<String> {
    all(text)
        .into_iter()
        .filter(|(_, kind)| *kind == Kind::Part)
        .map(|(word, _)| word)
        .collect()
}

#[test]
fn words_of_a_text() {
    let rows = [
        ("", "", "no words"),
        (
            " -- ./ \u{FFFD}\n",
            "",
            "separators alone, the replacement of a lone surrogate among them",
        ),
        ("Create an invoice.", "create an invoice", "plain English"),
        // Identifiers
        (
            "createInvoice",
            "create invoice [createinvoice]",
            "camel case",
        ),
        (
            "CreateInvoice",
            "create invoice [createinvoice]",
            "Pascal case",
        ),
        ("create_invoice", "create invoice", "snake case"),
        ("create-invoice", "create invoice", "kebab case"),
        ("CREATE_INVOICE", "create invoice", "a constant"),
        (
            "acme.billing/create invoice",
            "acme billing create invoice",
            "dots, slashes, spaces",
        ),
        (
            "mcp__acme__createInvoice",
            "mcp acme create invoice [createinvoice]",
            "a server's prefix",
        ),
        (
            "HTTPServer",
            "http server [httpserver]",
            "an acronym before a word",
        ),
        (
            "HTTPSConnection",
            "https connection [httpsconnection]",
            "a longer acronym",
        ),
        (
            "parseXMLDocument",
            "parse xml document [parsexmldocument]",
            "an acronym inside",
        ),
        (
            "appTableRecord",
            "app table record [apptablerecord]",
            "three words",
        ),
        (
            "listS3Buckets",
            "list s3 buckets [lists3buckets]",
            "short letters and their digit are one",
        ),
        (
            "list_s3_buckets",
            "list s3 buckets",
            "and in the other convention",
        ),
        (
            "getURL2",
            "get url [url2] [geturl2]",
            "an acronym with a digit",
        ),
        (
            "OAuth2Token",
            "oauth [oauth2] [auth] token [oauth2token]",
            "a single capital belongs to its word",
        ),
        (
            "oauth2_token",
            "oauth [oauth2] token",
            "the same parts in snake case",
        ),
        ("v2_users_get", "v2 users get", "a version"),
        (
            "getIPAddress",
            "get ip address [getipaddress]",
            "a short acronym",
        ),
        ("listIDs", "list ids [listids]", "a plural acronym"),
        (
            "getURLsById",
            "get urls by id [geturlsbyid]",
            "a plural acronym inside",
        ),
        (
            "createAUser",
            "create a user [createauser]",
            "the article is a word",
        ),
        ("aUser", "a user [auser]", "and at the start"),
        (
            "iPhone xAxis eMail",
            "iphone [phone] xaxis [axis] email [mail]",
            "a single small letter first",
        ),
        (
            "getXPath",
            "get xpath [path] [getxpath]",
            "a single capital inside",
        ),
        ("GitHub MySQL", "git hub [github] my sql [mysql]", "brands"),
        (
            "k8s i18n p2p 2fa 3d h264 ec2",
            "k8s i18n p2p 2fa 3d h264 ec2",
            "short letters around digits",
        ),
        (
            "3DModel create3DModel",
            "3d model [3dmodel] create 3d model [create3dmodel]",
            "digits that start a word",
        ),
        (
            "enable2FA send2FACode",
            "enable 2fa [enable2fa] send 2fa code [send2facode]",
            "and another",
        ),
        (
            "sha256 base64Decode",
            "sha 256 [sha256] base 64 [base64] decode [base64decode]",
            "long numbers are words",
        ),
        (
            "1password utf8mb4",
            "password [1password] utf [utf8mb4]",
            "digits first, digits twice",
        ),
        ("step 2 of 1.5", "step 2 of 1 5", "numbers that stand alone"),
        // Apostrophes
        (
            "don't DON'T Don’t can't",
            "dont dont dont cant",
            "not is part of its verb",
        ),
        (
            "the user's file, users' files",
            "the user file users files",
            "possessives",
        ),
        (
            "we're I'll it's he'd i'm they've",
            "we i it he i they",
            "the pronoun is left",
        ),
        (
            "l'utilisateur dell’utente O'Brien",
            "l utilisateur dell utente o brien",
            "elision",
        ),
        ("'list' 'all'", "list all", "quotes"),
        (
            "м'який м’який мʼякий",
            "мякии мякии мякии",
            "Ukrainian spells with it",
        ),
        // Folding
        (
            "résumé RE\u{301}SUME\u{301} RÉSUMÉ",
            "resume resume resume",
            "accents, both normal forms",
        ),
        (
            "ｃｒｅａｔｅ＿ｉｎｖｏｉｃｅ Ｔｏｋｅｎ２",
            "create invoice token [token2]",
            "full width",
        ),
        (
            "créerÉtiquette",
            "creer etiquette [creeretiquette]",
            "camel case with accents",
        ),
        ("İstanbul DIŞI ısı", "istanbul disi isi", "Turkish i"),
        ("Straße STRASSE ẞ", "strasse strasse ss", "sharp s"),
        (
            "ﬁnd eﬃcient Œuvre Ægir",
            "find efficient oeuvre aegir",
            "ligatures",
        ),
        (
            "Łódź Đà Nẵng øre",
            "lodz da nang ore",
            "letters that do not decompose",
        ),
        ("ΛΌΓΟΣ λόγος λόγοσ", "λογοσ λογοσ λογοσ", "final sigma"),
        ("ЁЖ ёж Йод", "еж еж иод", "Cyrillic"),
        (
            "создатьСчёт",
            "создать счет [создатьсчет]",
            "Cyrillic camel case",
        ),
        (
            "أحمد إحمد احمد اِحْمَد احـمـد",
            "احمد احمد احمد احمد احمد",
            "alef forms, harakat, tatweel",
        ),
        (
            "کتاب كتاب می‌خواهم",
            "كتاب كتاب ميخواهم",
            "Persian keyboards and the joiner",
        ),
        ("שָׁלוֹם שלום", "שלום שלום", "Hebrew points"),
        (
            "क्या हिन्दी क़लम क\u{93C}लम",
            "क्या हिन्दी क\u{93C}लम क\u{93C}लम",
            "vowel signs, viramas and nuktas stay",
        ),
        ("٣٤ ३४ ３４", "34 34 34", "digits of other scripts"),
        ("𝗖𝗿𝗲𝗮𝘁𝗲 m²", "create m2", "styled letters, raised digits"),
        (
            "co\u{AD}operate\u{FEFF}",
            "cooperate",
            "soft hyphen and byte order mark",
        ),
        // Scripts without spaces
        ("创建发票", "创建 建发 发票", "Han in pairs"),
        ("票", "票", "alone"),
        ("GitHub工单", "git hub [github] 工单", "a change of script"),
        (
            "第3章2024年",
            "第 3 章 2024 年",
            "digits stand alone beside Han",
        ),
        (
            "食べる データ",
            "食べ べる デー ータ",
            "Japanese in pairs across its scripts",
        ),
        (
            "ﾃﾞｰﾀ テ\u{3099}ータ ﾊﾟ",
            "デー ータ デー ータ パ",
            "half-width and decomposed kana",
        ),
        (
            "파일을 검색",
            "파일 일을 [파일을] 검색",
            "Korean: the word and its pairs",
        ),
        (
            "\u{1111}\u{1161}\u{110B}\u{1175}\u{11AF}",
            "파일",
            "jamo compose",
        ),
        (
            "พยากรณ์",
            "พย ยา าก กร รณ์",
            "Thai in pairs of letters with their signs",
        ),
        ("น้ำ", "น้ํา", "sara am is two signs"),
        (
            "ខ្មែរ",
            "ខ្មែរ",
            "Khmer: a stacked letter is no letter of its own",
        ),
        ("🔍 search™ → find", "search find", "symbols separate"),
    ];
    for (text, expected, why) in rows {
        assert_eq!(show(text), expected, "{why}: {text:?}");
    }
}

#[test]
fn a_name_has_the_same_parts_in_every_convention() {
    let names = [
        ["create", "invoice"].as_slice(),
        &["list", "s3", "buckets"],
        &["parse", "xml", "document"],
        &["oauth", "token"],
        &["get", "user", "by", "id"],
        &["app", "table", "record"],
        &["v2", "users", "get"],
        &["создать", "счет"],
    ];
    for name in names {
        let capital = |word: &str| {
            let mut letters = word.chars();
            letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect::<String>()
        };
        let pascal: String = name.iter().map(|word| capital(word)).collect();
        let camel: String = name[..1]
            .iter()
            .map(|word| word.to_string())
            .chain(name[1..].iter().map(|word| capital(word)))
            .collect();
        for spelling in [
            name.join("_"),
            name.join("-"),
            name.join("."),
            name.join("/"),
            name.join(" "),
            name.join("_").to_uppercase(),
            pascal,
            camel,
        ] {
            assert_eq!(parts(&spelling), name, "{spelling}");
        }
    }
}

#[test]
fn a_word_is_found_within_a_sentence_without_spaces() {
    let rows = [
        ("พยากรณ์", "ดูพยากรณ์อากาศวันนี้"),
        ("ອາກາດ", "ພະຍາກອນອາກາດມື້ນີ້"),
        ("ឯកសារ", "ស្វែងរកឯកសារថ្មី"),
        ("ဖိုင်", "ဖိုင်ရှာပါ"),
        ("发票", "请帮我创建一张发票"),
        ("検索", "ファイルを検索する"),
        ("파일", "파일을찾아줘"),
    ];
    for (word, sentence) in rows {
        let within = parts(sentence);
        assert!(!parts(word).is_empty());
        for pair in parts(word) {
            assert!(within.contains(&pair), "{pair} of {word} in {within:?}");
        }
    }
}

#[test]
fn folding_twice_changes_nothing() {
    let texts = [
        "List all files of the user's home folder, then don't delete them: it's résumé season",
        "создать счёт на оплату, м'який",
        "创建发票 第3章",
        "ファイルを検索する ﾃﾞｰﾀ",
        "파일을 검색해 주세요",
        "ดูพยากรณ์อากาศวันนี้",
        "क्या मौसम कैसा है",
        "أريد إنشاء فاتورة",
        "Δημιουργία τιμολόγιος",
    ];
    for text in texts {
        let once = parts(text);
        assert_eq!(parts(&once.join(" ")), once, "{text}");
    }
}

/// Every character, against the whole of Unicode's data: what it folds to has no accents, no capitals and no
/// compatibility forms left, and is what the decomposition of the same character folds to.
#[test]
fn the_table_agrees_with_unicode() {
    let mut checked = 0;
    for c in ('\u{80}'..=char::MAX).filter(|c| c.is_alphanumeric()) {
        let code = c as u32;
        // What fold.rs and the generating script say they leave out.
        let left_out = matches!(code,
            0x1100..=0x11FF | 0x2460..=0x24FF | 0x2E80..=0x2FDF | 0x309F | 0x30FF | 0x3130..=0x319F | 0x3200..=0x33FF | 0xF900..=0xFAFF
            | 0xFB50..=0xFDFF | 0xFFA0..=0xFFDF | 0xBC..=0xBE | 0x2150..=0x215F | 0x2189)
            || code > 0xFFFF && !(0x1D400..=0x1D6A3).contains(&code);
        if left_out || c.is_numeric() && !c.nfkd().eq([c]) && c.nfkd().count() > 3 {
            continue;
        }
        let whole = format!("x{c}x");
        let decomposed: String = whole.nfd().collect();
        assert_eq!(
            show(&whole),
            show(&decomposed),
            "U+{code:04X} {c}: the decomposed spelling differs"
        );
        let compatible: String = whole.nfkd().collect();
        if compatible.chars().all(|c| {
            c.is_alphanumeric() || super::fold::is_mark(c) || ('\u{300}'..='\u{36F}').contains(&c)
        }) {
            assert_eq!(
                parts(&whole).concat(),
                parts(&compatible).concat(),
                "U+{code:04X} {c}: the compatibility spelling differs"
            );
        }
        let lower = whole.to_lowercase();
        assert_eq!(
            parts(&whole).concat(),
            parts(&lower).concat(),
            "U+{code:04X} {c}: the small letter differs"
        );
        checked += 1;
    }
    assert!(checked > 49_000, "only {checked} characters were compared");
    assert_eq!(PAGE, 64, "one bit of a capitals word per character");
}

#[test]
fn any_text_gives_bounded_words_that_give_themselves() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32 % below
    };
    // Blocks where something happens, for runs of one script, and the whole of Unicode.
    let blocks = [
        (0x20, 0x5F),
        (0x41, 0x1A),
        (0x61, 0x1A),
        (0x30, 0x0A),
        (0x27, 1),
        (0x2019, 1),
        (0xC0, 0x190),
        (0x300, 0x70),
        (0x370, 0x90),
        (0x400, 0x130),
        (0x590, 0x170),
        (0x900, 0x500),
        (0xE00, 0x200),
        (0x1000, 0xA0),
        (0x1100, 0x100),
        (0x1780, 0x80),
        (0x1E00, 0x200),
        (0x2000, 0x200),
        (0x3000, 0x200),
        (0x4E00, 0x5000),
        (0xA640, 0x60),
        (0xAC00, 0x2BA4),
        (0xFB00, 0x100),
        (0xFE00, 0x100),
        (0xFF00, 0xF0),
        (0x1D400, 0x400),
        (0x11000, 0x1000),
        (0x1F300, 0x300),
        (0xE0100, 0xF0),
        (0, 0x110000),
    ];
    for round in 0..60_000 {
        let length = if round % 100 == 0 { 400 } else { random(14) };
        let mut text = String::new();
        let (mut first, mut size) = blocks[0];
        for _ in 0..length {
            if random(3) == 0 {
                (first, size) = blocks[random(blocks.len() as u32) as usize];
            }
            text.extend(char::from_u32(first + random(size)));
        }
        let found = all(&text);
        let bytes: usize = found.iter().map(|(word, _)| word.len()).sum();
        assert!(bytes <= 12 * text.len(), "{bytes} bytes from {text:?}");
        assert!(
            found.len() <= 4 * text.chars().count(),
            "{} words from {text:?}",
            found.len()
        );
        if text.is_ascii() {
            assert!(bytes <= 4 * text.len());
        }
        for (word, _) in &found {
            assert!(
                !word.is_empty() && word.chars().count() <= LONGEST_WORD,
                "{word:?}"
            );
            assert!(
                all(word).iter().any(|(again, _)| again == word),
                "{word:?} of {text:?} gives {:?}",
                all(word)
            );
            let _ = stem(word);
            let _ = is_stop_word(word);
        }
    }
}

#[test]
fn a_word_of_a_megabyte_is_cut() {
    for text in [
        "a".repeat(1 << 20),
        "aB".repeat(1 << 19),
        "a1".repeat(1 << 19),
        "é".repeat(1 << 18),
        format!("ก{}", "\u{E34}".repeat(1 << 18)),
    ] {
        words(&text, &mut |word, _| {
            assert!(word.chars().count() <= LONGEST_WORD)
        });
    }
    assert_eq!(show(&"x".repeat(100)), "x".repeat(LONGEST_WORD));
}

#[test]
fn stems() {
    let rows = [
        ("invoices", "invoic", "a plural"),
        ("invoiced", "invoic", "and a past form meet"),
        ("creating", "creat", "an -ing form"),
        ("create", "creat", "and its verb meet"),
        ("queries", "queri", "-ies"),
        ("query", "queri", "and -y meet"),
        ("ids", "id", "three letters are enough for a plural"),
        ("news", "news", "is not the plural of new"),
        (
            "universities",
            "universiti",
            "stays apart from universe, which older rules for English merge",
        ),
        (
            "organization",
            "organiz",
            "stays apart from organ, as above",
        ),
        (
            "authorize",
            "author",
            "meets author: softened by the exact form that is indexed beside the stem",
        ),
        ("s3", "s3", "has a digit"),
        ("oauth2s", "oauth2s", "has a digit"),
        ("счета", "счета", "English endings only"),
        ("工单", "工单", "English endings only"),
        ("is", "is", "too short"),
        ("", "", "nothing"),
    ];
    for (word, expected, why) in rows {
        assert_eq!(stem(word), expected, "{why}: {word}");
    }
}

/// The stem that the Snowball compiler's own code gives, which `stem` has to give too.
fn snowball(word: &str) -> String {
    use frostem::{Algorithm, Stemmer};
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

#[test]
fn stems_are_snowballs() {
    let check = |word: &str| assert_eq!(stem(word), snowball(word), "{word}");
    // Every word of three and four letters.
    for code in 0..26_u32.pow(4) {
        let letters = [26_u32.pow(3), 26_u32.pow(2), 26, 1].map(|place| (code / place % 26) as u8);
        let word: String = letters
            .iter()
            .map(|letter| char::from(b'a' + letter))
            .collect();
        check(&word);
        check(&word[1..]);
    }
    // What a rule looks at, after and between beginnings that it tells apart.
    let beginnings = [
        "", "a", "y", "b", "ab", "ba", "bay", "bab", "boy", "aby", "even", "cann", "inn", "earr",
        "herr", "out", "succ", "proc", "exc", "past", "arsen", "commun", "emerg", "gener", "inter",
        "later", "organ", "univers", "abba", "ebb", "egg", "hopp", "rely", "analog", "connect",
        "bowl", "box", "shed", "sky", "syzygy", "babab", "bababab", "past", "repast", "ski", "idl",
        "gentl", "ugl", "earl", "onl", "singl", "new", "how", "atla", "cosmo", "bia", "ande",
    ];
    let endings = [
        "", "s", "ss", "us", "ies", "ied", "sses", "e", "l", "ll", "ed", "eed", "ing", "edly",
        "eedly", "ingly", "y", "ly", "bl", "at", "iz", "tt", "anci", "enci", "ogi", "logi", "li",
        "cli", "bli", "abli", "alli", "fulli", "lessli", "ousli", "entli", "aliti", "biliti",
        "iviti", "tional", "ational", "alism", "ation", "ization", "izer", "ator", "iveness",
        "fulness", "ousness", "ogist", "icate", "ative", "alize", "iciti", "ical", "ful", "ness",
        "ic", "ance", "ence", "able", "ible", "ate", "ive", "ize", "iti", "al", "ism", "ion",
        "sion", "tion", "er", "ous", "ant", "ent", "ment", "ement", "x", "w", "ow", "ey", "ying",
    ];
    for beginning in beginnings {
        for middle in endings {
            for ending in endings {
                check(&format!("{beginning}{middle}{ending}"));
                check(&format!("{beginning}{middle}{ending}s"));
            }
        }
    }
    let mut state = 7_u64;
    for _ in 0..300_000 {
        let mut draw = |of: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % of
        };
        let mut word = String::new();
        for _ in 0..2 + draw(9) {
            word.push(char::from(b"aeiouyybcdfglmnprstz"[draw(20)]));
        }
        word += endings[draw(endings.len())];
        check(&word);
    }
}

#[test]
fn stop_words() {
    assert!(
        STOP_WORDS.is_sorted_by(|a, b| a < b),
        "binary search needs it"
    );
    for word in STOP_WORDS {
        assert_eq!(show(word), *word, "a stop word that no text gives");
    }
    let rows = [
        ("the of and", "", "function words"),
        ("I don't know, could you please help me find", "", "chat"),
        ("it's what we're looking for", "", "contractions"),
        (
            "list create search update delete",
            "list create search update delete",
            "verbs that tell tools apart",
        ),
        (
            "log out, scale up, turn off",
            "log out scale up turn off",
            "particles",
        ),
        ("user id", "user id", "id is an identifier before it is I'd"),
    ];
    for (query, kept, why) in rows {
        let left: Vec<String> = parts(query)
            .into_iter()
            .filter(|word| !is_stop_word(word))
            .collect();
        assert_eq!(left.join(" "), kept, "{why}: {query}");
    }
}
