"""Perfect recall for AI agents: the client of Idetic's server.

from idetic import Idetic

memory = Idetic(key="…")
memory.remember("The build needs Node 20")
memory.recall(query="which Node?", limit=3)["hits"]
"""

from .aio import AsyncIdetic
from .calls import Answer
from .client import Idetic
from .errors import (
    CheckFailed,
    Conflict,
    Forbidden,
    IdeticError,
    Invalid,
    NotFound,
    TooLarge,
    TooMany,
    Unauthorized,
    Unavailable,
)

__all__ = [
    "Answer",
    "AsyncIdetic",
    "CheckFailed",
    "Conflict",
    "Forbidden",
    "Idetic",
    "IdeticError",
    "Invalid",
    "NotFound",
    "TooLarge",
    "TooMany",
    "Unauthorized",
    "Unavailable",
]
