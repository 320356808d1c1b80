//! Single sentences, what must never be kept, and what holds for every text.

use proptest::prelude::*;

use super::*;

fn read_one(text: &str) -> Vec<String> {
    statements(text, Some("Ann"))
        .into_iter()
        .map(|it| format!("{};{};{}{}", it.subject, it.attribute, if it.negated { "!" } else { "" }, it.value))
        .collect()
}

fn told(text: &str, speaker: Option<&str>) -> Vec<String> {
    statements(text, speaker).into_iter().map(|it| it.text).collect()
}

#[test]
fn statements_are_told_in_the_third_person() {
    assert_eq!(told("I live in Brno.", Some("Ann")), ["Ann lives in Brno."]);
    assert_eq!(told("i live in brno", None), ["The user lives in Brno."]);
    assert_eq!(
        told("My sister Eva lives in Oslo", Some("Ann")),
        ["Ann's sister Eva lives in Oslo.", "Ann's sister is Eva."]
    );
    assert_eq!(told("I don't live in Brno anymore.", Some("Ann")), ["Ann no longer lives in Brno."]);
    assert_eq!(told("I'm an architect.", None), ["The user is an architect."]);
    assert_eq!(
        told("Remember that I water my plants in the blue room.", Some("Ann")),
        ["Ann waters Ann's plants in the blue room."]
    );
    assert_eq!(told("I keep my keys in the blue box.", Some("Ann")), ["Ann's keys are kept in the blue box."]);
}

#[test]
fn evidence_is_the_words_it_was_read_from() {
    let text = "Hello! Well, I live in Brno, and I’m a nurse.";
    let spans: Vec<&str> = statements(text, None).iter().map(|it| &text[it.span.clone()]).collect();
    assert_eq!(spans, ["I live in Brno", "I’m a nurse"]);
}

#[test]
fn one_value_or_many() {
    for single in [
        "lives_in",
        "name",
        "birthday",
        "port",
        "favourite_colour",
        "Works at",
        "is",
        "timezone",
        "works_as",
        "status",
        "address",
    ] {
        assert!(is_single(single), "{single}");
    }
    for many in
        ["likes", "speaks", "uses", "allergic_to", "hobbies", "friends", "has", "worked_at", "emails", "prefers", ""]
    {
        assert!(!is_single(many), "{many}");
    }
}

#[test]
fn names_have_one_spelling() {
    assert_eq!(normal_attribute("Lives in"), "lives_in");
    assert_eq!(normal_attribute("favorite color"), "favourite_colour");
    assert_eq!(normal_subject(" The  User "), "user");
    assert_eq!(normal_subject("I"), "user");
    assert_eq!(normal_subject("Ann"), "ann");
    assert_eq!(normal_subject("the staging server"), "staging server");
    assert_eq!(normal_subject("The user's brother"), "user's brother");
}

#[test]
fn secrets_are_seen_by_name_and_by_shape() {
    for secret in [
        "my password is hunter2",
        "password: hunter2",
        "the API key is abc",
        "PIN 4821",
        "use sk-abcd1234efgh5678",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "DE89 3704 0044 0532 0130 00",
        "it is 078-05-1120",
        "-----BEGIN RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.e30.x",
    ] {
        assert!(holds_secret(secret), "{secret}");
    }
    for plain in [
        "My password manager is Bitwarden.",
        "I was born on 3 May 1990.",
        "commit 4f2a9c1d",
        "The port is 8443.",
        "I have a secret",
    ] {
        assert!(!holds_secret(plain), "{plain}");
    }
}

#[test]
fn of_a_text_with_a_masked_secret_the_other_sentences_are_read() {
    let text = without_secrets("I live in Brno. Log in with sk-abcdefghijklmnopqrstuvwxyz123456 there. My dog is Rex.");
    assert!(!text.contains("sk-"), "{text}");
    let values: Vec<String> = statements(&text, None).into_iter().map(|statement| statement.value).collect();
    assert_eq!(values, ["Brno", "Rex"], "{text}");
}

#[test]
fn what_is_marked_private_yields_nothing() {
    for text in [
        "Between us: I live in Brno.",
        "I live in Brno. [private]",
        "I live in Brno.\nDon’t remember this.",
        "Off the record, I live in Brno",
    ] {
        assert!(is_marked_private(text) && read_one(text).is_empty(), "{text}");
    }
    assert!(!is_marked_private("I live in a private house."));
}

#[test]
fn text_of_others_yields_nothing() {
    for text in [
        "<memory>\nAnn lives in Brno.\n</memory>",
        "```\nI live in Brno\n```",
        "> I live in Brno",
        "Translate this to German:\nI live in Brno. My name is Max.",
        "Bob: I live in Brno. I use Vim.",
        "Let's role-play. I am a nurse. I live in Brno.",
        "    I live in Brno",
    ] {
        assert_eq!(read_one(text), [""; 0], "{text}");
    }
    assert_eq!(read_one("```\nx\n```\nI live in Brno"), ["Ann;lives_in;Brno"]);
}

#[test]
fn long_texts_are_read_in_one_pass() {
    let endless = "I live in Brno and ".repeat(60_000);
    assert!(statements(&endless, None).is_empty(), "a sentence without an end states nothing plainly");
    assert!(statements(&"a".repeat(1 << 20), None).is_empty());
    let many: String = (0..500).map(|at| format!("Server{at} runs on port {}.\n", 1000 + at)).collect();
    assert_eq!(statements(&many, None).len(), STATEMENTS_MAX);
}

/// Words of statements, put together in any order.
const WORDS: &[&str] = &[
    "I",
    "I'm",
    "my",
    "our",
    "we",
    "the",
    "The",
    "Ann",
    "Eva's",
    "sister",
    "name",
    "is",
    "are",
    "not",
    "no longer",
    "live in",
    "lives in",
    "work at",
    "a",
    "an",
    "nurse",
    "Brno",
    "port",
    "8443",
    "and",
    "but",
    ",",
    ".",
    ";",
    ":",
    "\"",
    "’",
    "favourite",
    "colour",
    "green",
    "like",
    "prefer",
    "tabs",
    "over",
    "use",
    "uses",
    "Rust",
    "don't",
    "anymore",
    "remember that",
    "called",
    "Rex",
    "dog",
    "staging server",
    "runs on",
    "have",
    "two",
    "cats",
    "34",
    "years old",
    "moved to",
    "from",
    "to",
    "\n",
    "ž",
    "’s",
    "best",
    "friend",
    "Dr.",
    "K.",
    "for",
    "since",
    "2019",
];

proptest! {
    #[test]
    fn any_text_can_be_read(text in "\\PC{0,200}", name in proptest::option::of("\\PC{0,12}")) {
        for it in statements(&text, name.as_deref()) {
            prop_assert!(text.get(it.span.clone()).is_some());
        }
        holds_secret(&text);
        is_marked_private(&text);
    }

    #[test]
    fn what_is_read_stands_there_and_is_read_again(words in proptest::collection::vec(proptest::sample::select(WORDS), 1..14), named: bool) {
        let text = words.join(" ");
        let speaker = named.then_some("Ann");
        for it in statements(&text, speaker) {
            let evidence = text[it.span.clone()].to_lowercase();
            prop_assert!(evidence.contains(&it.value.to_lowercase()), "{:?} in {:?}", it, text);
            if !it.attribute.is_empty() {
                let again = statements(&it.text, speaker);
                prop_assert!(again.iter().any(|other| statements::says_same(other, &it)), "{:?} again {:?}", it, again);
            }
        }
    }
}

fn texts(text: &str) -> Vec<String> {
    statements(text, None).into_iter().map(|it| it.text).collect()
}

#[test]
fn what_no_row_reads_is_kept_as_it_is_said() {
    for (said, told) in [
        (
            "We rent a garden plot behind the railway station.",
            "The user rents a garden plot behind the railway station.",
        ),
        ("The logs are shipped to Loki and kept for 30 days.", "The logs are shipped to Loki and kept for 30 days."),
        ("My son's school finishes at 3:15.", "The user's son's school finishes at 3:15."),
        ("Kafka handles our 12 event streams.", "Kafka handles the team's 12 event streams."),
        ("I bank with Triodos and my pension is with Nest.", "The user's pension is with Nest."),
        ("Migrations are in db/migrate and each one must be reversible.", "Migrations are in db/migrate."),
        ("Standup got moved to 10:15.", "Standup got moved to 10:15."),
        (
            "Redis has been replaced by Valkey in every environment.",
            "Redis has been replaced by Valkey in every environment.",
        ),
        ("I gave up alcohol in 2020.", "The user gave up alcohol in 2020."),
        ("The deploy script is in tools/ship.sh. It needs Node 20.", "The deploy script needs Node 20."),
    ] {
        assert!(texts(said).contains(&told.to_owned()), "{said}: {:?}", texts(said));
    }
}

#[test]
fn what_only_happens_to_be_so_is_not_kept() {
    for said in [
        "The page shows 3 items but the list has 5.",
        "The test fails on line 42 with a TypeError.",
        "The endpoint uses GET but it should use POST.",
        "My branch is 3 commits behind main.",
        "The header is 4 pixels too low in Safari.",
        "I'm on line 212 and I don't see what you mean.",
        "I have two questions about the API.",
        "We have 5 minutes before the demo.",
        "We keep seeing timeouts from the payment service.",
        "The server runs out of memory after 10 minutes.",
        "I run the tests with pytest -x.",
        "The Nile flows through Cairo.",
        "The Eiffel Tower is in Paris.",
        "I have a PhD in procrastination, obviously.",
        "My mate reckons the server is in Texas.",
        "For the mock interview, I'm a product manager at Google.",
        "As a sample bio: I am Greta, I live in Graz, I love skiing.",
        "Never mind, the build works on CI.",
    ] {
        assert_eq!(texts(said), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn standing_instructions_are_kept() {
    for (said, told) in [
        ("Always run `make lint` before you commit.", "The user's rule: always run `make lint` before you commit."),
        ("Please never suggest anything with wheat.", "The user's rule: never suggest anything with wheat."),
        ("I'm coeliac, so please never suggest wheat.", "The user's rule: never suggest wheat."),
        (
            "Don't add new dependencies without asking me.",
            "The user's rule: don't add new dependencies without asking the user.",
        ),
        ("When you write to me in German, use du.", "The user's rule: when you write to the user in German, use du."),
        ("Use tabs in this repo, please.", "The user's rule: use tabs in this repo."),
    ] {
        assert!(texts(said).contains(&told.to_owned()), "{said}: {:?}", texts(said));
    }
    for said in ["Use a map there.", "Don't do that.", "Never heard of it.", "Run the tests.", "Can you always run it?"]
    {
        assert_eq!(texts(said), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn corrections_say_what_is_and_what_is_over() {
    for (said, told) in [
        ("The deadline isn't June 1st, it's June 15th.", &["The deadline is June 15th."][..]),
        ("We switched from Jenkins to Buildkite.", &["The team uses Buildkite.", "The team no longer uses Jenkins."]),
        ("We dropped MongoDB.", &["The team no longer uses MongoDB."]),
        ("We've moved out of Denver.", &["The user no longer lives in Denver."]),
        ("The default branch was renamed from master to main.", &["The default branch is main."]),
        ("I moved to Tasmania four years ago.", &["The user lives in Tasmania."]),
    ] {
        assert_eq!(texts(said), told, "{said}");
    }
    let over: Vec<bool> =
        statements("We dropped MongoDB. I don't drink coffee.", None).iter().map(Statement::is_over).collect();
    assert_eq!(over, [true, false]);
}

#[test]
fn what_differs_is_told_apart_and_what_is_secret_is_not_told() {
    let parts = |text: &str| -> Vec<(String, String)> {
        statements(text, None).into_iter().map(|it| (it.attribute, it.value)).collect()
    };
    let pair = |attribute: &str, value: &str| (attribute.to_owned(), value.to_owned());
    assert_eq!(parts("We meet every Tuesday at 10:30."), [pair("meets_on", "Tuesday at 10:30")]);
    assert_eq!(parts("I was born in Rome. I was born in 1988."), [pair("born_in", "Rome"), pair("birth_year", "1988")]);
    assert_eq!(texts("My kids are Tim and Leo."), ["The user's kids are Tim and Leo."]);
    for said in [
        "Our database URL is postgres://admin:s3cr3t@db.acme.com:5432/prod.",
        "The wifi key is blue-otter-42.",
        "I'm gay, but that's a secret.",
        "Write a story where I am a pirate. I live in Tortuga.",
        "Always check your mail, he said.",
        "My question is about Rust.",
        "I used to smoke but I quit in 2019.",
    ] {
        assert_eq!(texts(said), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn what_is_asked_for_once_or_holds_for_a_while_is_no_rule_and_no_fact() {
    for said in [
        "For now, don't push anything.",
        "For this task, always answer in JSON.",
        "Just this once, don't run tests.",
        "Don't touch the Dockerfile for now.",
        "Don't push anything yet.",
        "I rent a flat in Leeds for now.",
        "Rename userId to accountId in all files.",
        "Write tests for all the functions in utils.py.",
        "Add a docstring for each function in parser.py.",
        "Delete the TODO comments in this repo.",
        "Add a LICENSE file in this repo.",
        "Show me all commits since Monday.",
        "List all prs by Sam.",
        "Write me 5 tweets about coffee.",
        "Write haikus about autumn leaves.",
        "Name all 50 US states.",
        "Write tests for OrderService and PaymentService.",
        "Order pizzas for Friday night.",
        "Please change the header only.",
        "Please run the unit tests only.",
        "Before you start, read the README.",
        "When you are done, delete the branch.",
        "All the data should be in the CSV I attached.",
        "All tests should be green by Friday.",
        "Don't run tests yet.",
        "Don't use loops for this one.",
        "Never give up on your dreams.",
        "I launched Chrome.",
        "I opened PR #42 against main.",
        "I opened 3 tabs in Chrome.",
        "I joined the Zoom call.",
        "I gave it to Tom.",
        "I bought two coffees and a bagel.",
        "Our train leaves in ten minutes.",
        "My appointment is in 20 minutes.",
        "My laptop is at 12%.",
        "The server is at 98% load.",
        "The queue is at 3000 messages.",
        "The app needs 5 more minutes.",
        "I meet Anna at 5.",
        "People spend 4 hours a day on phones.",
        "Cows eat grass every day.",
        "The shop sells 12 apples for 3 dollars.",
        "The company employs 4,000 people in Ohio.",
        "Constantinople was renamed to Istanbul in 1930.",
        "Tom left the team meeting.",
        "Bob was moved to tears by the 9th Symphony.",
        "Pretty sure the backup runs on Sunday.",
        "I left Acme an hour ago.",
        "Before running the migration, back up the database.",
        "Add type hints to every function.",
        "Fix all the tests in this repo.",
        "Keep going until it works.",
        "Use the second approach.",
        "Use numpy arrays instead.",
        "For each file in the list, print the name.",
        "For every item, run the script.",
    ] {
        assert_eq!(texts(said), Vec::<String>::new(), "{said}");
    }
    let told = texts("The server runs on port 8080. It is 3am here.");
    assert_eq!(told, ["The server runs on port 8080."]);
}

#[test]
fn rules_of_a_team_and_what_is_said_in_passing_are_kept() {
    for (said, told) in [
        (
            "Before opening any pull request, make sure the changelog has an entry.",
            "The user's rule: before opening any pull request, make sure the changelog has an entry.",
        ),
        (
            "Each time you fix a bug, add a regression test for it.",
            "The user's rule: each time you fix a bug, add a regression test for it.",
        ),
        ("Commit messages must start with the ticket number.", "Commit messages must start with the ticket number."),
        ("Tests go next to the file they test, not in a separate folder.", "Tests go next to the file they test."),
        (
            "Every public function needs a docstring in Google style.",
            "Every public function needs a docstring in Google style.",
        ),
        (
            "We've switched the mobile app over from React Native to Flutter.",
            "The team has switched the mobile app over from React Native to Flutter.",
        ),
        ("The minimum iOS version we support is 16.", "The minimum iOS version the team supports is 16."),
        ("Mei isn't on our team anymore.", "Mei isn't on the team anymore."),
        ("As a vegetarian, what should I order?", "The user is a vegetarian."),
        ("I'm a huge Minnesota Twins fan.", "The user likes Minnesota Twins."),
        ("I'm Declan, 43, a joiner from Cork.", "The user is from Cork."),
        ("How do I explain fractions to my nephew Bram?", "The user's nephew is Bram."),
        ("You have the wrong port: the API runs on port 8443.", "The API runs on port 8443."),
        ("The port is 8443, not 8080 as I said before.", "The port is 8443."),
        ("I don't drive, never got a licence.", "The user does not drive."),
        ("I only work Mondays to Thursdays.", "The user only works Mondays to Thursdays."),
        ("Draft a mail to Liv, our product owner, about the delay.", "Liv is the product owner."),
        ("We store all timestamps in UTC and convert them later.", "The team stores all timestamps in UTC."),
        ("We've dropped MongoDB in favour of Postgres.", "The team uses Postgres."),
        (
            "For any schema change, write a down migration too.",
            "The user's rule: for any schema change, write a down migration.",
        ),
        (
            "Never suggest recipes with pork, we keep halal.",
            "The user's rule: never suggest recipes with pork, the user keeps halal.",
        ),
        ("Not a fan of horror films.", "The user dislikes horror films."),
        ("Our team is six people in Lisbon.", "The team is six people in Lisbon."),
    ] {
        assert!(texts(said).contains(&told.to_owned()), "{said}: {:?}", texts(said));
    }
}

#[test]
fn a_text_of_one_mark_is_read_in_no_time() {
    let dots = ".".repeat(1 << 20);
    assert_eq!(texts(&dots), Vec::<String>::new());
    assert!(!is_marked_private(&format!("x{dots}")));
    for (mark, count) in [
        ("token:", 1 << 13),
        ("password=", 1 << 13),
        ("authorization:", 1 << 13),
        ("[", 1 << 17),
        ("/sk_a", 1 << 13),
        ("docker ", 1 << 13),
        ("mysql -p", 1 << 13),
        ("123-45-6789 ", 1 << 13),
        ("-----BEGIN ", 1 << 13),
        ("-----BEGIN CERTIFICATE-----", 1 << 13),
        ("cookie=a", 1 << 13),
        ("pw=abcdef\n", 1 << 13),
    ] {
        let text = mark.repeat(count);
        without_secrets(&text);
        without_secrets(&format!("{text}]"));
    }
    assert!(without_secrets(&format!("{{{}}}", "\"token\":\"a1b2c3d4e5f6g7\",".repeat(20_000))).contains("[masked]"));
}

#[test]
fn a_correction_takes_the_place_of_what_it_corrects() {
    for (said, told) in [
        ("The release is on Thursday. Sorry, I meant Friday.", &["The release is on Friday."][..]),
        ("We ship on Wednesdays. Actually no, on Thursdays since last month.", &["The team ships on Thursdays."]),
        ("Scratch that, the meeting is at 3, not 2.", &["The meeting is at 3."]),
        ("I live in Bonn. Scratch that.", &[]),
        ("I live in Bonn. Sorry for the long text.", &["The user lives in Bonn."]),
    ] {
        assert_eq!(texts(said), told, "{said}");
    }
    let before = Before { said: Some("The port is 8080."), ..Before::default() };
    let after: Vec<String> =
        statements_after("Sorry, I meant 8443.", None, before).into_iter().map(|it| it.text).collect();
    assert_eq!(after, ["The port is 8443."]);
}

#[test]
fn a_short_answer_says_what_was_asked() {
    let answered = |asked: &str, said: &str| -> Vec<String> {
        let before = Before { asked: Some(asked), ..Before::default() };
        statements_after(said, None, before).into_iter().map(|it| it.text).collect()
    };
    for (asked, said, told) in [
        ("Nice! Where do you live?", "Leipzig.", "The user lives in Leipzig."),
        ("What is your name?", "Ann", "The user's name is Ann."),
        ("Which editor do you use?", "Helix, mostly", "The user uses Helix."),
        ("Do you smoke?", "No.", "The user does not smoke."),
    ] {
        assert_eq!(answered(asked, said), [told], "{asked} {said}");
    }
    for (asked, said) in [
        ("Where do you live?", "Why do you ask?"),
        ("Where do you live?", "Maybe Leipzig."),
        ("Should I run the tests?", "Yes."),
        ("Do you want me to go on?", "Yes"),
        ("I live in Bonn.", "Leipzig."),
    ] {
        assert_eq!(answered(asked, said), [""; 0], "{asked} {said}");
    }
    assert_eq!(texts("Where do I live? Leipzig."), ["The user lives in Leipzig."]);
    assert_eq!(texts("Where do you live? Leipzig."), [""; 0]);
}

#[test]
fn frames_relatives_and_the_next_sentence_are_read() {
    for (said, told) in [
        ("My sister Carla lives in Basel. She's a physio.", "The user's sister Carla is a physio."),
        (
            "Our staging cluster is called otter. It gets wiped every Sunday.",
            "The staging cluster gets wiped every Sunday.",
        ),
        ("I don't own a TV.", "The user does not own a TV."),
        ("We must not use GPL libraries.", "The team must not use GPL libraries."),
        ("I broke up with Daniel in March.", "The user broke up with Daniel in March."),
        ("I come from a Java background.", "The user comes from a Java background."),
        ("My landlord, Mr. Okafor, lives upstairs.", "The user's landlord, Mr. Okafor, lives upstairs."),
        (
            "Can you draft a note for my neighbour Frau Keller, who speaks German?",
            "The user's neighbour Frau Keller speaks German.",
        ),
        ("Which hikes should I skip, given that I'm diabetic?", "The user is diabetic."),
    ] {
        assert!(texts(said).contains(&told.to_owned()), "{said}: {:?}", texts(said));
    }
    for said in [
        "I don't have a clue.",
        "We don't have a solution yet.",
        "I can't use the button.",
        "I enjoy being paged at 3am.",
        "I have two containers running.",
        "Make up names like John Smith, who lives in Denver.",
        "Our build is a mess.",
        "I can't run npm install.",
        "I can't use npm install.",
        "I got a TypeError in checkout.ts.",
        "I got my PR merged on GitHub.",
        "I keep seeing connection resets on staging.",
        "I run a script and it fails.",
        "I run integration tests.",
        "I split up the PR into two commits.",
        "We separated the config from the code.",
        "I moved out the helper into utils.ts.",
        "I closed the PR.",
        "I started the Postgres container.",
        "I prefer option B",
        "I much prefer variant A.",
    ] {
        assert_eq!(texts(said), [""; 0], "{said}");
    }
}
