"""What went wrong, as the server says it: a kind, a message, and a hint what to do."""

from __future__ import annotations

import json


class IdeticError(Exception):
    """A call that was not carried out."""

    def __init__(self, message: str, *, status: int | None = None, kind: str = "unavailable", hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.status = status
        """The HTTP status; None where no answer came."""
        self.kind = kind
        self.message = message
        self.hint = hint


class Invalid(IdeticError):
    """Invalid arguments."""


class Unauthorized(IdeticError):
    """Missing or invalid API key."""


class Forbidden(IdeticError):
    """The key does not allow this."""


class NotFound(IdeticError):
    """Not found, or not visible to this key."""


class Conflict(IdeticError):
    """Conflict with another write."""


class TooLarge(IdeticError):
    """The request is too large."""


class CheckFailed(IdeticError):
    """A check failed."""


class TooMany(IdeticError):
    """Too many requests."""


class Unavailable(IdeticError):
    """Unavailable: no answer, or one that asks to try again."""


BY_STATUS: dict[int, type[IdeticError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    422: CheckFailed,
    429: TooMany,
    503: Unavailable,
}
# In a stream the status was said before the failure.
BY_KIND: dict[str, type[IdeticError]] = {
    "invalid": Invalid,
    "not_found": NotFound,
    "conflict": Conflict,
    "check_failed": CheckFailed,
    "unavailable": Unavailable,
    "forbidden": Forbidden,
}


def error_of(status: int, body: str) -> IdeticError:
    """The error that an answer describes, whoever wrote the answer."""
    try:
        said = json.loads(body)["error"]
        kind, message, hint = said["kind"], said["message"], said.get("hint") or ""
    except (ValueError, KeyError, TypeError, AttributeError):
        kind, message, hint = "unknown", body.strip()[:200] or f"the server answered {status}", ""
    known = BY_STATUS.get(status) or BY_KIND.get(kind, IdeticError)
    return known(message, status=status, kind=kind, hint=hint)
