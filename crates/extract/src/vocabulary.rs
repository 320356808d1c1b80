//! Closed lists of words that the patterns ask for: kin, jobs, traits, peoples, numbers, times.

use super::words::Words;

/// Relatives, other close people and pets, whose names are facts about their owner.
pub const KIN: Words = Words(
    "\
    wife|husband|spouse|partner|fiance|fiancé|fiancee|fiancée|girlfriend|boyfriend|mother|father|mom|mum|dad|mama|\
    papa|parents|sister|brother|sisters|brothers|siblings|son|daughter|sons|daughters|child|kid|kids|children|baby|\
    grandmother|grandfather|grandad|granddad|nan|nana|nanna|stepdad|stepmum|stepmom|stepbrother|stepsister|\
    half-brother|half-sister|housekeeper|cleaner|physio|best-friend|grandma|grandpa|granny|grandson|granddaughter|uncle|aunt|cousin|niece|nephew|stepson|\
    stepdaughter|stepfather|stepmother|mother-in-law|father-in-law|brother-in-law|sister-in-law|in-laws|twin|dog|\
    cat|puppy|kitten|pony|ferret|greyhound|labrador|hamster|rabbit|parrot|horse|tortoise|turtle|budgie|cats|dogs|friend|flatmate|roommate|\
    housemate|neighbour|neighbor|colleague|coworker|co-worker|boss|manager|supervisor|mentor|landlord|landlady|\
    therapist|doctor|dentist|gp|vet|tutor|accountant|lawyer|trainer|coach|teacher|assistant|intern|nanny|babysitter|\
    gf|bf|hubby|bestie|sis|folks|godmother|godfather|godson|goddaughter|ex-wife|ex-husband|teammate|cofounder|co-founder",
);

/// What comes before such a word and belongs to it.
pub const KIN_ADJECTIVES: Words =
    Words("best|older|younger|elder|eldest|oldest|youngest|big|little|twin|middle|team|line|direct|close|family");

/// Jobs by their last word.
pub const JOBS: Words = Words(
    "\
    accountant|actor|actress|administrator|admin|analyst|anaesthetist|apprentice|architect|artist|attorney|auditor|\
    author|baker|banker|barber|barista|bartender|beekeeper|biologist|bookkeeper|botanist|broker|builder|butcher|\
    buyer|cardiologist|caretaker|carpenter|cashier|ceo|cfo|chef|chemist|chiropractor|cleaner|clerk|coach|composer|\
    conductor|consultant|contractor|controller|cook|copywriter|counsellor|counselor|cto|curator|dancer|dentist|\
    dermatologist|designer|detective|developer|dev|dietitian|diplomat|director|doctor|doula|driver|economist|editor|\
    electrician|engineer|entrepreneur|estimator|farmer|filmmaker|firefighter|fisherman|florist|founder|freelancer|\
    gardener|geologist|geographer|goldsmith|guide|hairdresser|historian|illustrator|instructor|intern|interpreter|\
    investigator|janitor|jeweller|joiner|journalist|judge|landscaper|lawyer|lecturer|librarian|linguist|logistician|\
    machinist|manager|marketer|masseur|mathematician|mechanic|meteorologist|midwife|miner|musician|neurologist|\
    notary|nurse|nutritionist|officer|operator|optician|optometrist|paediatrician|painter|paralegal|paramedic|\
    pastor|pathologist|pediatrician|pharmacist|photographer|physicist|physician|physio|physiotherapist|pianist|\
    pilot|plasterer|plumber|podiatrist|policeman|policewoman|politician|postdoc|postman|potter|priest|principal|\
    producer|professor|programmer|psychiatrist|psychologist|radiographer|radiologist|realtor|receptionist|recruiter|\
    reporter|researcher|roofer|sailor|salesman|salesperson|saleswoman|scientist|sculptor|seamstress|secretary|\
    sysadmin|singer|soldier|solicitor|sommelier|statistician|stewardess|student|surgeon|surveyor|tailor|teacher|\
    tech|technician|tester|therapist|trader|trainee|trainer|translator|tutor|underwriter|veterinarian|vet|\
    videographer|vineyard|violinist|waiter|waitress|welder|winemaker|writer|zoologist|undergraduate|undergrad|\
    pensioner|freelance|sre|dba|qa|pm|beautician|executive|assistant|strategist|specialist|supervisor|coordinator|\
    worker|agent|planner|representative|associate",
);

/// Adjectives that say that a job is meant as praise or blame.
pub const JUDGING: Words = Words(
    "\
    better|worse|best|worst|bad|terrible|horrible|great|good|slow|fast|lousy|amazing|real|true|big|huge|total|\
    complete|human|born|natural|wannabe|would-be|aspiring|sucker|lazy|happy|proud|perfect|fake|secret|future|former|\
    ex|potential",
);

/// What a job title is before its last word.
pub const ROLES: Words = Words(
    "\
    team lead|tech lead|lead|product owner|product manager|project manager|engineering manager|scrum master|cto|ceo|\
    cfo|coo|vp of engineering|head of engineering|head of product|head of design|founder|co-founder|maintainer|\
    lead developer|lead engineer|architect|designer|accountant|lawyer|treasurer|chairman|chairwoman|chair|president|\
    secretary|captain|coach|dba|sysadmin|release manager|qa lead|design lead|security lead|data lead|mobile lead|\
    backend lead|frontend lead|platform lead|office manager|hr manager|account manager|line manager|landlord|\
    code owner|point of contact|principal|director|manager|owner",
);

/// Lasting traits that stand alone after "I am".
pub const TRAITS: Words = Words(
    "\
    left-handed|right-handed|left handed|right handed|ambidextrous|colour-blind|color-blind|colourblind|colorblind|\
    colour blind|color blind|lactose intolerant|lactose-intolerant|gluten intolerant|gluten-intolerant|celiac|\
    coeliac|diabetic|asthmatic|epileptic|dyslexic|autistic|deaf|blind|hard of hearing|short-sighted|shortsighted|\
    near-sighted|nearsighted|far-sighted|married|divorced|widowed|engaged|single|pregnant|retired|self-employed|\
    self employed|bilingual|trilingual|multilingual|introverted|extroverted|claustrophobic|bisexual|gay|lesbian|\
    transgender|nonbinary|non-binary|jewish|muslim|christian|catholic|protestant|orthodox|hindu|buddhist|sikh|\
    atheist|agnostic|anemic|anaemic|hypertensive|neurodivergent|dyspraxic|unemployed|teetotal|sober",
);

/// Ways to eat.
pub const DIETS: Words = Words(
    "\
    vegetarian|vegan|veggie|plant-based|pescatarian|pescetarian|flexitarian|gluten-free|gluten free|keto|kosher|halal|lacto-vegetarian|\
    fruitarian|dairy-free|dairy free|on a keto diet|on a low-carb diet",
);

/// What someone can be besides a job.
pub const SORTS: Words = Words(
    "\
    morning person|night owl|early bird|night person|only child|cat person|dog person|twin|parent|single parent|\
    single mother|single mom|single dad|single father|father|mother|grandmother|grandfather|grandparent|vegetarian|\
    native speaker|non-smoker|nonsmoker|smoker|introvert|extrovert|dad|mom|mum|us citizen|eu citizen|\
    british citizen|german citizen|blood donor|organ donor|light sleeper|early riser|homeowner|widow|widower|\
    veteran|immigrant|expat|teetotaler",
);

/// Peoples.
pub const PEOPLES: Words = Words(
    "\
    american|argentinian|argentine|australian|austrian|bangladeshi|basque|belgian|bolivian|bosnian|brazilian|\
    british|bulgarian|canadian|catalan|chilean|chinese|colombian|croatian|cuban|cypriot|czech|danish|dutch|egyptian|\
    english|estonian|ethiopian|filipino|filipina|finnish|french|georgian|german|ghanaian|greek|hungarian|icelandic|\
    indian|indonesian|iranian|iraqi|irish|israeli|italian|jamaican|japanese|jordanian|kazakh|kenyan|korean|kurdish|\
    latvian|lebanese|lithuanian|luxembourgish|macedonian|malaysian|maltese|mexican|moldovan|mongolian|moroccan|\
    nepali|nepalese|nigerian|norwegian|pakistani|palestinian|peruvian|polish|portuguese|romanian|russian|saudi|\
    scottish|senegalese|serbian|singaporean|slovak|slovakian|slovenian|slovene|somali|spanish|swedish|swiss|syrian|\
    taiwanese|thai|tunisian|turkish|ugandan|ukrainian|uruguayan|venezuelan|vietnamese|welsh|zimbabwean|\
    south african|new zealander|kiwi|half german",
);

/// What someone can be said to have for long, by its last word: people, animals, conditions, belongings.
pub const HAVINGS: Words = Words(
    "\
    kid|kids|child|children|son|sons|daughter|daughters|brother|brothers|sister|sisters|sibling|siblings|twins|baby|\
    grandchild|grandchildren|grandson|granddaughter|grandkids|wife|husband|girlfriend|boyfriend|partner|stepson|\
    stepdaughter|cousin|cousins|dog|dogs|cat|cats|puppy|kitten|hamster|hamsters|rabbit|rabbits|parrot|parrots|horse|\
    horses|goldfish|chickens|hens|bees|turtle|tortoise|snake|guinea pigs|pets|pet|retriever|labrador|poodle|terrier|\
    dachshund|shepherd|asthma|diabetes|epilepsy|adhd|autism|dyslexia|migraines|arthritis|ibs|eczema|psoriasis|\
    anemia|anaemia|hypothyroidism|tinnitus|insomnia|scoliosis|endometriosis|depression|hypertension|allergies|\
    allergy|degree|phd|master's|bachelor's|doctorate|mba|licence|license|citizenship|passport|car|bike|motorbike|\
    motorcycle|boat|house|cottage|cabin|garden|allotment|piano|guitar|pacemaker|tattoo|tattoos|stepchildren|\
    roommate|flatmate|nephew|nephews|niece|nieces|prosthesis|wheelchair|disability|dual citizenship|3d printer|\
    blood pressure|parkinson's|disease|syndrome|disorder|deficiency|intolerance|hearing aid|hearing aids|lupus|\
    fibromyalgia|glaucoma|gout|vertigo|hay fever|sleep apnea|sleep apnoea|astigmatism|lizard|gecko|ferret|ferrets|\
    canary|budgies|parakeet|ponies|pony|goats|sheep|ducks|grandparents|godson|goddaughter|stepdaughters|stepsons|\
    kitten|kittens|puppies|greyhound|greyhounds|spaniel|spaniels|collie|collies|beagle|beagles|whippet|husky|huskies|\
    corgi|corgis|labradors|poodles|terriers|bulldog|greenhouse|caravan|campervan|van|motorhome|scooter|moped|e-bike|violin|cello|drum kit",
);

/// Numbers in words.
pub const NUMBERS: Words = Words(
    "\
    one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|\
    eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty",
);

/// Days, with their plurals, and months, with their short forms.
pub const DAYS: Words = Words(
    "\
    monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|thursdays|fridays|\
    saturdays|sundays|weekdays|weekends|noon|midnight",
);

/// Months, with their short forms.
pub const MONTHS: Words = Words(
    "\
    january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|\
    aug|sep|sept|oct|nov|dec",
);

/// Tools and services that one moves to as to a place.
pub const TOOLS: Words = Words(
    "\
    linux|windows|macos|arch|ubuntu|debian|fedora|nixos|vim|neovim|emacs|helix|zed|vscode|vs code|postgres|\
    postgresql|mysql|mariadb|sqlite|mongodb|redis|kafka|rabbitmq|nats|github|gitlab|github actions|gitlab ci|gitea|\
    forgejo|bitbucket|jenkins|circleci|kubernetes|k8s|docker|podman|nomad|terraform|pulumi|ansible|aws|azure|gcp|\
    google cloud|hetzner|heroku|vercel|netlify|cloudflare|fly.io|slack|teams|discord|zoom|notion|obsidian|linear|\
    jira|trello|asana|rust|go|golang|python|typescript|javascript|kotlin|swift|java|elixir|ruby|scala|react|vue|\
    svelte|angular|next.js|nextjs|django|rails|fastapi|flask|spring|pnpm|npm|yarn|bun|deno|poetry|uv|bazel|gradle|\
    maven|cmake|pytest|jest|vitest|firefox|chrome|brave|safari|fastmail|proton|protonmail|signal|telegram|whatsapp|\
    android|ios|iphone|elasticsearch|opensearch|clickhouse|snowflake|bigquery|grafana|prometheus|datadog|sentry|\
    graphql|grpc|rest|tailwind|vite|webpack",
);

/// Things that are set to something, by their last word.
pub const SETTINGS: Words = Words(
    "\
    linter|formatter|manager|database|db|framework|language|shell|editor|branch|region|runtime|queue|broker|cache|\
    orm|bundler|compiler|runner|ci|host|hostname|env|environment|codename|prefix|suffix|schema|license|licence|\
    username|bucket|namespace|cluster|tag|timezone|locale|currency|theme|font|port|version|timeout|limit|size|day|\
    date|deadline|budget|ttl|retention|quota|rate|interval|url|endpoint|path|domain|ip|subnet|distro|os|stack|\
    provider|vendor|engine|encoding|format|style|mode|level|owner|lead|contact|maintainer|rent|vin|plate|threshold|\
    window|cadence|length|indent|width|height|capacity|name|brand|supplier",
);

/// Words with a capital letter that are no names.
pub const NOT_NAMES: Words = Words(
    "\
    ok|okay|sorry|done|back|fine|good|great|happy|sad|tired|ready|here|sure|new|late|home|busy|sick|hungry|confused|\
    lost|afraid|glad|curious|interested|aware|not|also|still|just|going|trying|looking|working|using|getting|having|\
    from|in|on|at|with|very|so|too|really|stuck|impressed|excited|unable|able|about|currently|always|never|the|an|\
    your|my|english|gen|team|everyone|all|both|available|free|offline|online|out|off|up|down|over|under|done|called|\
    named|broken|dead|alive|important|it|that|batman|superman|spartacus|groot|god|santa|catwoman|iron|captain|robot|\
    human|mud",
);
