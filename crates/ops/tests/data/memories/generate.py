"""Makes the samples beside this file again, each with the package whose files it is a sample of:

    pip install mem0ai chromadb          && python generate.py mem0 chroma
    pip install langgraph langgraph-checkpoint-sqlite && python generate.py langgraph
    pip install basic-memory             && python generate.py basic-memory
    pip install "letta<0.17"             && python generate.py letta
    pip install "zep-cloud>=4"           && python generate.py zep
    npm install bun claude-mem           && bun generate_claude_mem.mjs

letta.af is written by hand, and `letta` checks it against the schema of the package. Ids and times are new each time; the tests read them from the samples.
"""

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def mem0():
    os.environ.update(OPENAI_API_KEY="none", MEM0_TELEMETRY="False", ANONYMIZED_TELEMETRY="False")
    from mem0 import Memory

    folder = Path(tempfile.mkdtemp())
    store = {"provider": "chroma", "config": {"collection_name": "mem0", "path": str(folder / "chroma")}}
    memory = Memory.from_config({"vector_store": store, "history_db_path": str(folder / "history.db")})
    memory.embedding_model.embed = lambda text, *_, **__: [len(text) / 100.0, 0.5, 0.25]
    memory.embedding_model.embed_batch = lambda texts, *_, **__: [[len(text) / 100.0, 0.5, 0.25] for text in texts]

    def add(text, **kwargs):
        return memory.add(text, infer=False, **kwargs)["results"][0]["id"]

    harbour = add(
        "The harbour service listens on port 7411",
        user_id="ann",
        agent_id="helper",
        run_id="run-1",
        metadata={"category": "infrastructure", "ports": 1, "supersedes": "nothing"},
    )
    add("Ann prefers dark mode", user_id="ann", metadata={"category": "preferences"})
    add("The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789", user_id="ann")
    add("Bob likes tea", user_id="bob")
    gone = add("Ann lives in Oslo", user_id="ann")
    memory.update(harbour, "The harbour service listens on port 7412")
    memory.delete(gone)
    results = [item for user in ("ann", "bob") for item in memory.get_all(filters={"user_id": user}, top_k=100)["results"]]
    text = json.dumps({"results": results}, indent=2, ensure_ascii=False)
    (HERE / "mem0.json").write_text(text + "\n")
    copy_database(folder / "history.db", HERE / "mem0-history.db")


def chroma():
    import chromadb

    folder = tempfile.mkdtemp()
    client = chromadb.PersistentClient(folder, chromadb.Settings(anonymized_telemetry=False))
    notes = client.create_collection("notes", metadata={"owner": "ann"})
    notes.add(
        ids=["n1", "n2", "n3"],
        documents=["Puffins breed on cliffs in the north", "The lighthouse was built in 1871", "Tides turn twice a day"],
        metadatas=[{"topic": "birds", "year": 2024}, {"height": 31.5, "lit": True}, None],
        embeddings=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]],
    )
    other = client.create_collection("other")
    other.add(ids=["n1"], embeddings=[[1.0, 0.0, 0.0]], metadatas=[{"data": "The same id in another collection"}])
    other.add(ids=["bare"], embeddings=[[0.0, 0.0, 1.0]])
    copy_database(Path(folder) / "chroma.sqlite3", HERE / "chroma.sqlite3")


def langgraph():
    from typing import Annotated, TypedDict

    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages
    from langgraph.store.sqlite import SqliteStore

    file = Path(tempfile.mkdtemp()) / "langgraph.db"
    with SqliteStore.from_conn_string(str(file)) as store:
        store.setup()
        store.put(("users", "ann", "memories"), "m1", {"text": "Ann prefers dark mode", "topic": "preferences"})
        store.put(("users", "ann", "profile"), "p1", {"name": "Ann", "languages": ["nb", "en"]})
        store.put(("users", "bob"), "m2", {"memory": "Bob likes tea"}, ttl=60)

    class State(TypedDict):
        messages: Annotated[list, add_messages]

    def answer(state):
        call = {"id": "call-1", "name": "lookup", "args": {"service": "harbour"}}
        return {
            "messages": [
                AIMessage("", id="a1", tool_calls=[call]),
                ToolMessage("7411", id="t1", tool_call_id="call-1", name="lookup"),
                AIMessage("It listens on 7411.", id="a2"),
            ]
        }

    graph = StateGraph(State)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    with SqliteSaver.from_conn_string(str(file)) as saver:
        run = graph.compile(checkpointer=saver)
        question = HumanMessage("Which port does the harbour service use?", id="h1")
        run.invoke({"messages": [question]}, {"configurable": {"thread_id": "thread-1"}})
        private = HumanMessage("off the record: I am quitting in May", id="h2")
        run.invoke({"messages": [private]}, {"configurable": {"thread_id": "thread-2"}})
    copy_database(file, HERE / "langgraph.db")


def basic_memory():
    import subprocess

    folder = Path(tempfile.mkdtemp())
    env = {**os.environ, "HOME": str(folder), "BASIC_MEMORY_HOME": str(folder / "notes")}
    notes = {
        "services/Harbour Service": "# Harbour service\n\nIt runs in the north hall.\n\n## Observations\n"
        "- [config] Listens on port 7411 #ports #harbour (checked in May)\n- [decision] Restarted nightly\n\n"
        "## Relations\n- depends_on [[Message Queue]]\n- documented in [[Runbook: Harbour]]\n\nSee also [[Message Queue]].\n",
        "services/Message Queue": "# Message queue\n\n## Relations\n- used_by [[services/harbour-service]]\n",
    }
    for path, text in notes.items():
        where, title = path.split("/")
        program = str(Path(sys.executable).with_name("basic-memory"))
        command = [program, "tool", "write-note", "--title", title, "--folder", where, "--tags", "infrastructure,harbour"]
        subprocess.run(command, input=text.encode(), env=env, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(HERE / "basic-memory", ignore_errors=True)
    shutil.copytree(folder / "notes", HERE / "basic-memory", ignore=shutil.ignore_patterns(".*"))


def letta():
    from letta.schemas.agent_file import AgentFileSchema

    AgentFileSchema.model_validate(json.loads((HERE / "letta.af").read_text()))


def zep():
    from zep_cloud.types import Edge, Message, Node

    made = "2026-01-20T11:00:00Z"
    edge = {"created_at": made, "source_node_uuid": "n-1", "graph_uuid": "g-1"}
    answers = {
        "messages": [
            Message(uuid="m-1", role="user", name="Ann", content="Which port does the harbour service use?", created_at=made),
            Message(uuid="m-2", role="assistant", content="It listens on 7411.", created_at=made, metadata={"model": "x"}),
        ],
        "edges": [
            Edge(uuid="e-1", name="LIVES_IN", fact="Ann lives in Oslo", valid_at="2020-05-01T00:00:00Z",
                 invalid_at="2024-05-01T00:00:00Z", source_node_name="Ann", target_node_name="Oslo", **edge),
            Edge(uuid="e-2", name="LIVES_IN", fact="Ann lives in Bergen", valid_at="2024-05-01T00:00:00Z",
                 source_node_name="Ann", target_node_name="Bergen", attributes={"sure": True}, **edge),
        ],
        "nodes": [
            Node(uuid="n-1", name="Ann", summary="Ann runs the harbour service", labels=["Person"], created_at=made,
                 episode_uuids=[], episode_uuids_truncated=False)
        ],
    }
    for name, items in answers.items():
        around = {"thread_id": "thread-1", "user_id": "ann"} if name == "messages" else {}
        items = [json.loads(item.model_dump_json(by_alias=True)) for item in items]
        text = json.dumps({name: items, **around}, indent=2)
        (HERE / "zep").mkdir(exist_ok=True)
        (HERE / "zep" / f"{name}.json").write_text(text + "\n")


def copy_database(source, target):
    """One small file without what is written ahead."""
    target.unlink(missing_ok=True)
    with sqlite3.connect(source) as database:
        database.execute("VACUUM INTO ?", [str(target)])
    with sqlite3.connect(target) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA page_size = 512")
        database.execute("VACUUM")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name.replace("-", "_")]()
