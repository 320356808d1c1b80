//! Closed lists of words that sentences are kept by: verbs of what lasts, things that a team and a household have.

use super::super::words::Words;

/// What someone does for long, in the base form.
pub const OWN_VERBS: Words = Words(
    "\
    run|rent|own|hold|keep|teach|coach|mentor|live|work|host|build|sell|make|pay|grow|breed|raise|collect|sing|paint|\
    commute|sleep|swim|train|store|ship|publish|deploy|release|meet|support|maintain|manage|lead|use|write|share|\
    split|invest|bank|study|tutor|play|perform|record|brew|bake|cook|foster|speak|drive|ride|cycle|sail|ski|serve|\
    cover|track|test|log|tag|version|sync|buy|order|eat|drink|take|wear|carry|listen|watch|follow|co-own|moderate|\
    organise|organize|chair|stream|design|handle|review|go|see|practise|practice|do|have|process|rehearse|spend|put|\
    bill|charge|homeschool|donate|save|subscribe|read|walk|visit|attend|target|standardise|standardize|require|\
    enforce|accept|hire|outsource|rotate|alternate|measure|suffer|weigh|belong|prefer|celebrate|travel|volunteer|\
    indent|wrap|squash|squash-merge|rebase|authenticate|cut|type|fast|lint|format|compile|bundle|package|monitor|get|\
    pick|clean|lift|sew|knit|hike|climb|dance|draw|translate|sort|row|encrypt|containerise|containerize|pin|proxy|licence|license|branch|freelance",
);

/// Of these the ones that say something without a name or a number.
pub const SURE_VERBS: Words = Words(
    "rent|own|breed|raise|collect|coach|mentor|foster|tutor|sing|co-own|moderate|homeschool|suffer|squash|squash-merge|rebase|lint",
);

/// Of these the ones that say little, unless it comes back.
pub const VAGUE: Words =
    Words("have|see|go|do|take|make|use|handle|process|write|build|read|watch|put|test|log|run|tag|order|buy|get|meet");

/// Of these the ones that need no object.
pub const ALONE: Words = Words(
    "swim|run|train|rehearse|meet|commute|work|travel|volunteer|cycle|ski|sing|deploy|release|ship|perform|go|spend|lift|hike|climb|dance|row",
);

/// What "we are a … of four" says.
pub const GROUPS: Words =
    Words("family|team|group|company|startup|couple|household|studio|agency|nonprofit|charity|two-person|small|remote");

/// What turns a verb of what lasts into something else: "run the tests", "make it", "have to", "keep on".
pub const NO_OBJECT: Words = Words("to|it|into|out|up|off|over|through|away|back|down|sure|get|the|this|that");

/// What someone is doing for long.
pub const GOING: Words =
    Words("studying|freelancing|learning|renting|raising|training|homeschooling|doing|retraining|interning|expecting");

/// What "we" do as a household, and not as a team.
pub const HOUSEHOLD: Words = Words(
    "rent|own|breed|raise|foster|live|sleep|eat|drink|commute|cook|bake|grow|homeschool|co-own|drive|spend|celebrate|sold|bought",
);

/// What a family has, and no team.
pub const FAMILY: Words = Words(
    "\
    dog|dogs|cat|cats|chickens|hens|bees|goats|kids|children|daughter|son|baby|twins|house|flat|apartment|garden|kitchen|bathroom|attic|loft|roof|\
    wedding|anniversary|mortgage|landlord|boiler|car|pets|parrot|rabbit|horse|neighbours|neighbors|holiday|nursery|halal|kosher|vet|groceries",
);

/// What a team can exchange for another.
pub const OWNED: Words = Words(
    "manager|provider|framework|language|tool|hosting|database|cache|linter|formatter|bundler|tracker|editor|vendor|bank",
);

/// What people and things do for long, in the base form.
pub const THING_VERBS: Words = Words(
    "\
    expire|finish|start|end|begin|open|close|require|need|use|run|live|sit|belong|host|hold|contain|store|handle|own|\
    maintain|manage|cover|serve|listen|keep|cost|charge|meet|teach|work|study|speak|coach|play|drive|weigh|measure|\
    deploy|publish|sync|report|consist|accept|support|target|rotate|renew|pay|reset|take|arrive|leave|depart|land|\
    process|replicate|write|read|point|map|default|allow|limit|last|house|employ|sell|make|build|ship|go|come|stay|\
    sleep|eat|commute|share|attend|train|swim|rent|date|stand|stem|connect|talk|forward|depend|have|happen|repeat|\
    follow|sign|face|feed|pull|route|flow|export|import|mount|enforce|exclude|include|alternate|rehearse|practise|\
    practice|turn|spend|stock|carry|deliver|collect|kick|fall|rest|archive|review|approve|get|indent|wrap|back",
);

/// What is done to things and lasts, or says where and when they are.
pub const PARTICIPLES: Words = Words(
    "\
    stored|kept|shipped|maintained|owned|hosted|written|built|deployed|managed|run|based|located|called|named|\
    licensed|licenced|versioned|encrypted|backed|replicated|synced|generated|pinned|capped|limited|scheduled|held|\
    paid|billed|due|open|closed|configured|set|made|taught|led|handled|covered|reserved|used|mounted|exposed|served|\
    archived|rotated|published|tagged|formatted|cached|partitioned|split|divided|insured|registered|parked|wired|\
    enforced|tracked|tested|measured|sent|rented|leased|mirrored|compiled|bundled|provisioned|sharded|indexed|\
    collected|processed|imported|exported|priced|powered|sponsored|funded|staffed|monitored|logged|retained|required|\
    fixed|wiped|flashed|approved|reviewed|signed|assigned|routed|picked|locked|spelled|spelt|allowed|frozen|cleaned|rebuilt|regenerated|refreshed|restarted|reindexed|pruned|purged|rate-limited",
);

/// What may stand behind "is" besides: a place, a time, a kind, an owner.
pub const BEHIND_BE: Words =
    Words("in|at|on|under|behind|from|by|for|about|with|above|near|next|a|an|the|my|our|mostly|only|every|both|ours");

/// Where one works: "this repo" is no other than the one that is talked about.
pub const WORKPLACES: Words =
    Words("repo|repository|project|codebase|monorepo|workspace|app|service|package|library|team|company");

/// Who is close at work.
pub const AT_WORK: Words = Words(
    "boss|manager|colleague|coworker|co-worker|mentor|intern|assistant|supervisor|teammate|cofounder|co-founder|lawyer|accountant|tutor|coach|trainer|doctor|dentist|teacher|friend",
);

/// What someone runs for a living.
pub const BUSINESSES: Words = Words(
    "shop|business|company|studio|bakery|cafe|café|restaurant|agency|practice|farm|startup|gallery|salon|clinic|store|school|charity|podcast|newsletter|blog|b&b|pub|bookshop|brewery|nursery|garage|workshop",
);

/// What something of one's own is for long.
pub const ADJECTIVES: Words = Words(
    "singular|plural|lowercase|uppercase|mandatory|optional|forbidden|banned|case-sensitive|read-only|immutable|deaf|blind|\
    retired|vegetarian|vegan|bilingual|gluten-free|nut-free|self-hosted|open-source|proprietary|diabetic|colourblind|\
    colorblind|dyslexic|autistic|left-handed|off-limits",
);

/// What says of a sentence that it holds for a while.
pub const PASSING_SCOPE: Words =
    Words("for now|for the moment|for the time being|temporarily|at the moment|right now|this once");

/// What someone did once and is known for.
pub const LIFE: Words = Words(
    "\
    founded|co-founded|cofounded|adopted|retired|graduated|married|bought|sold|inherited|published|won|quit|designed|invented|directed|emigrated|immigrated|joined|separated|divorced",
);

/// What was done to a thing and changed it for good.
pub const CHANGES: Words = Words(
    "\
    moved|renamed|changed|upgraded|bumped|pushed|postponed|rescheduled|replaced|migrated|switched|downgraded|shifted|\
    relocated|rewritten|ported|delayed|extended|raised|lowered|increased|reduced|slipped|transferred|promoted|merged|\
    converted|split",
);

/// What may stand before a verb and changes nothing.
pub const ADVERBS: Words =
    Words("also|mostly|mainly|usually|always|generally|normally|only|both|typically|all|primarily|often|officially");

/// Tools that are words, too.
pub const TOOLS_OR_WORDS: Words = Words(
    "go|rest|spring|teams|linear|swift|signal|brave|rust|notion|slack|windows|bun|zoom|flask|poetry|make|express|arch",
);

/// What a team works with and a household has.
pub const KNOWN_THINGS: Words = Words(
    "\
    server|servers|database|databases|db|repo|repository|monorepo|build|builds|pipeline|pipelines|ci|runner|runners|\
    api|apis|gateway|frontend|backend|app|apps|portal|panel|service|services|script|scripts|logs|backup|backups|suite|\
    branch|branches|cluster|clusters|staging|production|prod|preprod|queue|queues|cache|docs|documentation|config|\
    configuration|certificate|certificates|release|releases|sprint|sprints|standup|stand-up|retro|planning|meeting|\
    meetings|rotation|office|offices|team|teams|budget|deadline|rent|kids|children|lessons|lesson|class|classes|party|\
    wedding|invoice|invoices|contract|contracts|package|packages|library|libraries|sdk|cli|website|site|dashboard|\
    dashboards|metrics|alerts|monitoring|registry|bucket|buckets|namespace|job|jobs|worker|workers|cron|migrations|\
    schema|tables|timestamps|dates|endpoint|endpoints|webhook|webhooks|network|router|nas|printer|car|house|flat|\
    apartment|garden|garage|landlord|everything|dev|index|dataset|agents|length|embeddings|exports|names|freeze|school|nursery|daycare|gym|insurance|mortgage|lease|subscription|warranty|\
    licence|license|newsletter|podcast|blog|project|projects|product|codebase|module|modules|\
    platform|vm|vms|node|nodes|environment|environments|secrets|credentials|dns|domain|firewall|vpn|proxy|images|\
    containers|artifacts|tests|linter|formatter|deploys|deployments|payments|payroll|hiring|onboarding|support|trains|\
    trip|flight|hotel|appointment|appointments|course|exam|exams|semester|term|season|league|club|choir|band|\
    firmware|flags|manifests|messages|migration|rota|on-call|launch|release|roadmap|feature|features|tickets|issues|\
    reviews|approvals|folder|wiki|handbook|runbook|runbooks|changelog|key|keys|kiln|boiler|bins|piano|judo|therapy|\
    physio|dentist|doctor|vet|spare|allotment|pull|authentication|auth|login|billing|traffic|standups|retros|demos|interview|interviews|workshop",
);

/// What points outside of the sentence, or holds only for now, or is asked for or meant for later.
pub const LOOSE: Words = Words(
    "\
    you|your|yours|this|that|these|those|here|today|tomorrow|tonight|yesterday|currently|now|again|soon|later|will|\
    would|should|could|may|might|must|can|going|gonna|want|wants|let|please|hope|trying|try|tried|cannot|did|had|\
    been|was|were|just|already|still|yet|error|errors|exception|bug|bugs|crash|crashes|fails|failed|failing|broken|\
    down|wrong|weird|slow|stuck|help|thing|things|something|anything|nothing|somehow|too|enough|them|\
    one|ones|such|another|instead|like|mess|potato|fault|luck|wonder|shame|joke|pain|nightmare|disaster|headache|\
    obviously|clearly|supposedly|not|never|no|memory|cpu|ram|disk|longer|slower|faster|ahead|\
    left|remaining|returns|shows|throws|times|warning|warnings|fail|twice|line|misread|timeout|timeouts|500|404|\
    403|401|502|503|null|undefined|none|nan|empty|diff|stack|trace|regression|flaky|spike|spikes",
);
