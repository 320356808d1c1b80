"""A memory for the pictures of the documentation: an invented team that sells ferry tickets, over four weeks."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import sample
from server import Server

BOOKING = "github.com/tidewater/ferry-booking"
MAPS = "github.com/tidewater/harbour-maps"
POOL = "Error: timeout exceeded when trying to connect\n    at Pool.connect (node_modules/pg-pool/index.js:45:11)"
TYPES = "src/fares/seasonal.ts(41,9): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Date'."
TILES = "Exit code 1\nERROR 2006 (HY000): tile 11/1083/602 is larger than 500 KB"

Command = tuple[str, str, bool]
Turn = tuple[str, list[Command], str]
# Days ago, hour, project, id, turns.
Session = tuple[int, int, str, str, list[Turn]]

PAST: list[Session] = [
    (27, 9, BOOKING, "fares-by-season", [
        ("Summer fares start on 1 May and end on 30 September. Put them into the price table.",
         [("npx tsc --noEmit", TYPES, False), ("npx tsc --noEmit", "", True), ("npm test -- fares", "31 passed", True)],
         "Seasonal fares are in the table; dates are parsed before they are compared, which is what the compiler complained about."),
        ("Remember: fares are stored in öre, never as decimals.", [], "Noted: amounts stay integers.")]),
    (24, 14, BOOKING, "pool-timeouts", [
        ("Bookings fail every evening around six with a database timeout. Find out why.",
         [("npm run load -- --vus 80", POOL, False), ("grep -rn 'new Pool' src", "src/db.ts:7: new Pool({ max: 10 })", True), ("npm run load -- --vus 80", "80 users, p95 212 ms, 0 errors", True)],
         "The pool had ten connections and the evening departure needs about forty. It has forty now, and releases them in a finally block.")]),
    (20, 10, MAPS, "harbour-tiles", [
        ("The map of Visby does not load on the kiosk. Can we serve smaller tiles?",
         [("make tiles AREA=visby", TILES, False), ("make tiles AREA=visby SIMPLIFY=0.6", "412 tiles, largest 318 KB", True)],
         "Simplified coastlines below zoom 12: the largest tile went from 611 KB to 318 KB.")]),
    (16, 11, BOOKING, "swish-refunds", [
        ("Refunds by Swish arrive twice for some customers. Ingrid owns payments, she says the callback is retried.",
         [("npm test -- refunds", "1 failed: refunds a booking once", False), ("npm test -- refunds", "18 passed", True)],
         "The callback is keyed by its payment reference now, so a retry changes nothing.")]),
    (11, 15, BOOKING, "pool-again", [
        ("Timeouts again, this time on the kiosks.",
         [("npm run load -- --profile kiosk", POOL, False), ("psql -c 'select count(*) from pg_stat_activity'", " count \n-------\n    97", True), ("npm run load -- --profile kiosk", "p95 240 ms, 0 errors", True)],
         "The kiosk service opened a pool for each request. It shares one now.")]),
    (6, 9, MAPS, "depth-layer", [
        ("Add the depth layer for the skippers' view.", [("make layer NAME=depth", "layer depth: 1 204 contours", True)],
         "Depth contours every two metres, off by default.")]),
    (3, 13, BOOKING, "postgres-17", [
        ("Move the booking service to Postgres 17.",
         [("docker compose up -d db", "db  Started", True), ("npm run migrate", "42 migrations, 0 pending", True), ("npm test", "412 passed, 3 skipped", True)],
         "Postgres 17 runs in staging; the three skipped tests need the new collation and are listed in the migration note.")]),
]

TODAY: list[tuple[str, list[Turn]]] = [
    ("winter-timetable", [
        ("The winter timetable starts on 15 December: three departures a day instead of five. From now on, run the load profile before every release.",
         [("npm test -- timetable", "1 failed: shows five departures in winter", False), ("npm test -- timetable", "54 passed", True)],
         "The winter timetable is in; the test that expected five departures now asks the timetable."),
        ("Let's go with server-sent events instead of polling for the departure board. todo: tell the kiosk team about the new board.", [], "Decided, and written down.")]),
    ("kiosk-board", [
        ("Build the departure board with server-sent events.",
         [("npm run dev:kiosk", POOL, False), ("npm run dev:kiosk -- --shared-pool", "listening on 7420", True), ("npm test -- board", "12 passed", True)],
         "The board follows the stream and falls back to one request a minute when the connection is lost.")]),
]

FACTS = [
    ("booking service", "database", "The booking service runs on {}", [("Postgres 15", 400), ("Postgres 17", 3)]),
    ("booking service", "port", "The booking service listens on port {}", [("7400", 380), ("7420", 60)]),
    ("booking service", "owner", "The booking service belongs to {}", [("Mateo Ruiz", 380)]),
    ("departure board", "reads from", "The departure board reads from the {}", [("timetable", 120), ("booking service", 2)]),
    ("kiosk", "shows", "The kiosk shows the {}", [("departure board", 90)]),
    ("kiosk", "owner", "The kiosk belongs to {}", [("Priya Nair", 90)]),
    ("payments", "owner", "Payments belong to {}", [("Mateo Ruiz", 420), ("Ingrid Öberg", 150)]),
    ("payments", "provider", "Payments go through {}", [("Klarna", 420), ("Swish", 210)]),
    ("Ingrid Öberg", "works from", "Ingrid Öberg works from {}", [("Nynäshamn", 420), ("Visby", 34)]),
    ("Priya Nair", "role", "Priya Nair is {}", [("designer", 300), ("lead of the kiosk team", 90)]),
    ("M/S Gotska", "berth", "The Gotska leaves from {}", [("berth 2", 250), ("berth 4", 45)]),
    ("M/S Gotska", "home port", "The Gotska is at home in {}", [("Visby", 250)]),
    ("release", "day", "Releases are on {}", [("Thursdays", 330), ("Tuesdays", 75)]),
]

NOTES = [
    ("pool-exhausted", "The connection pool runs dry in the evening", ["postgres", "incident"], ["shared-pool"],
     "`timeout exceeded when trying to connect` comes from the pool, not from the network.\n\n## What helped\n\n1. count the connections: `select count(*) from pg_stat_activity`\n2. look for a `new Pool` inside a request\n3. release in `finally`\n\n| service | connections |\n|---|---:|\n| booking | 40 |\n| kiosk | 8 |\n\nSee [[shared-pool]].\n"),
    ("shared-pool", "One pool for each process, made at start", ["postgres"], [], "A pool made per request holds a connection until it is collected.\n"),
    ("integer-fares", "Fares are integers in öre", ["fares"], [], "Decimals lost an öre in about one of 4 000 bookings. The column is `bigint`.\n"),
    ("small-tiles", "Keep map tiles below 500 KB", ["maps", "kiosk"], [], "The kiosk's cache drops larger ones. `SIMPLIFY=0.6` below zoom 12.\n"),
    ("swish-retries", "Swish repeats its callback", ["payments"], ["integer-fares"], "Key it by the payment reference; answer 200 to what is known.\n"),
]


def fill(server: Server, folder: Path) -> Path:
    """Fills the space of a server; the folder of the project that is worked on is answered."""
    for days, hour, project, name, turns in PAST:
        past_session(server, days, hour, project, name, turns)
    for subject, attribute, sentence, values in FACTS:
        for value, days in values:
            server.call("fact/store", text=sentence.format(value), subject=subject, attribute=attribute.replace(" ", "_"), value=value, at=ago(days), author="ingrid")
    for text in ("The night ferry does not take caravans", "The night ferry does take caravans"):
        server.call("fact/store", text=text, author="mateo")
    for name, title, tags, links, content in NOTES:
        server.call("note/write", id=name, title=title, content=content, tags=tags, links=[it for it in links if it in {"shared-pool"}], confidence="high", author="pilot")
    for worked in (True, True, True, False):
        server.call("note/outcome", note="pool-exhausted", author="pilot", **{"worked" if worked else "failed": True})
    personas(server)
    booking = sample.repository(folder / "ferry-booking", f"https://{BOOKING}.git")
    for name, turns in TODAY:
        sample.session(server, name, booking, turns)
    sample.hook(server, "SessionStart", booking, session_id="next", source="startup")
    server.call("remember", space="harbour/planning", text="The new pier opens in April")
    return booking


def ago(days: float, hour: int = 0) -> str:
    moment = datetime.datetime.now(datetime.UTC).replace(hour=hour, minute=0, second=0, microsecond=0) - datetime.timedelta(days=days)
    return moment.isoformat().replace("+00:00", "Z")


def past_session(server: Server, days: int, hour: int, project: str, name: str, turns: list[Turn]) -> None:
    """A session that was long ago, as the hooks would have told it."""
    clock = datetime.datetime.fromisoformat(ago(days, hour))
    events: list[dict[str, Any]] = []

    def add(kind: str, content: str, seconds: int, **more: Any) -> None:
        nonlocal clock
        clock += datetime.timedelta(seconds=seconds)
        events.append({"kind": kind, "content": content, "ts": clock.isoformat(), "trace_id": name, "conversation_id": name, "source": project} | more)

    for number, (prompt, commands, answer) in enumerate(turns):
        turn = {"loop_id": f"{name}-{number}"}
        add("user_input", prompt, 240, trust="user", author="mateo", **turn)
        for index, (command, printed, worked) in enumerate(commands):
            call = {"metadata": {"tool": "Bash"}} | turn
            add("tool_call", command, 20 + 13 * index, summary=f"Bash: {command}", **call)
            add("tool_result", printed or "(nothing printed)", 6 + 17 * index, status="success" if worked else "failure", **call)
        add("actor_output", answer, 45, **turn)
    server.call("append", events=events)


def personas(server: Server) -> None:
    said = [
        ("actor", "user_input", "What is delayed this morning?"),
        ("actor", "actor_output", "The 06:40 from Visby leaves at 07:05; 118 passengers were told."),
        ("subconscious", "subconscious_output", "Third delay of the Gotska this week, always at berth 4. Perhaps the ramp."),
        ("actor", "user_input", "Rebook the ones who miss the train."),
        ("actor", "actor_output", "23 travellers are rebooked to the 08:20; nobody has to pay."),
        ("subconscious", "subconscious_output", "The user cares about connections more than about punctuality."),
    ]
    for index, (persona, kind, text) in enumerate(said):
        server.call("append", agent="pilot", persona=persona, events=[{"kind": kind, "content": text, "loop_id": f"morning-{index // 3}"}])
