//! Words that values are told by: what none begins or ends with, and what is no place, no liking, no setting.

use super::super::super::words::Words;

/// Words no value begins with: what they mean stands elsewhere.
pub const NO_FIRST: Words = Words(
    "\
    it|this|that|these|those|them|him|her|his|their|you|your|me|my|our|us|there|here|what|how|why|when|where|who|\
    something|anything|everything|nothing|someone|everyone|one|some|same|both|all|none|other|another|such|either|\
    neither|more|less|being|having|if|whatever|each|no|yet|its|still|going|trying|getting|about|around|over|under|\
    only|just|like|almost|approximately|sorry|very|for|with|of|in|on|at|from|by|into|daily|makes|is|are|was|does|\
    not|so|as|and|or|but|out|up|off|himself|herself|without",
);

/// Words no value ends with: something is missing behind them.
pub const NO_LAST: Words = Words(
    "\
    to|about|with|what|of|for|in|on|at|and|or|a|an|the|even|from|how|by|into|than|itself|herself|himself|myself|\
    here|there|like|where|when|who|that|which|just|really|very|is|are",
);

/// Words that point at someone or something outside of the value.
pub const OTHERS: Words = Words("my|our|his|him|her|their|them|us|me|you|your|this|it|myself|ourselves|what|...");

/// What a setting is said to be like, and not to be.
pub const LIKE_WORDS: Words = Words(
    "\
    slow|fast|small|big|full|empty|wrong|great|good|bad|ok|okay|huge|flaky|old|new|ugly|stale|correct|important|\
    optional|public|private|large|tiny|short|long|high|low|cheap|expensive|fun|awesome|terrible|mandatory|secret|\
    unknown|different|unclear|tight|near|close|tomorrow|today|tonight|soon|away|back|sick|tbd|out|tba|here|there|\
    not|easy|tough|difficult|simple|over|true|false|same|fixed|unlimited|weird",
);

/// What one "lives in" or "works in" without being there.
pub const NO_PLACE: Words = Words(
    "\
    fear|denial|hope|terminal|cloud|past|present|moment|bubble|chaos|society|world|peace|dream|constant|shadow|hell|\
    paradise|sin|shock|harmony|poverty|rock|future|matrix|simulation|editor|pieces|progress|parallel|silence|pairs|\
    sprints|shifts|general|here|support|way",
);

/// What is liked at the moment, or not meant.
pub const NO_LIKING: Words = Words(
    "\
    idea|ideas|approach|option|plan|draft|suggestion|suggestions|version|way|layout|one|ones|answer|conflict|\
    conflicts|waiting|paged|mondays|monday|bug|bugs|traffic|taxes|downtime|crash|crashes|failing|errors|error|flaky|\
    hallucinations|outage|outages|everyone|people|myself|yourself|change|changes|fix|result|results|thing|things|\
    part|point|direction|look|sound|breaks|broken",
);

/// Where things are kept in a house.
pub const ROOMS: Words = Words(
    "\
    basement|attic|kitchen|garage|cellar|hallway|bathroom|bedroom|garden|shed|office|pantry|closet|drawer|\
    living room|storage room|laundry room|glove box|safe",
);

/// What "the X is" is said of in passing, by its last word.
pub const PASSING: Words = Words("open|closed|down|up|broken|ready|done|late|fine|gone|green|red|nice");

/// What has a number and no version: "line 212".
pub const PLACES_IN_TEXT: Words = Words("line|page|step|level|row|column|chapter|issue|ticket|pr|task|question");

/// What people travel by.
pub const WAYS: Words = Words(
    "\
    train|bus|car|bike|plane|metro|tram|subway|boat|foot|ferry|tube|bicycle|motorbike|scooter|coach|taxi|\
    public transport|cargo bike|e-bike|u-bahn|underground",
);
