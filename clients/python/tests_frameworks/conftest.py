"""The same server as for all tests."""

from tests.conftest import aclient, client, server, space

__all__ = ["aclient", "client", "server", "space"]
