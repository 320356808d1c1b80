"""Bytes as letters: the server masks in every text what looks like a secret, and base64 does."""

from __future__ import annotations

import zlib

DIGITS, LETTERS = "0123456789abcdef", "abcdefghijklmnop"
TO_LETTERS, TO_DIGITS = str.maketrans(DIGITS, LETTERS), str.maketrans(LETTERS, DIGITS)


def write(data: bytes) -> str:
    """Two letters for each byte."""
    return data.hex().translate(TO_LETTERS)


def read(letters: str) -> bytes:
    return bytes.fromhex(letters.translate(TO_DIGITS))


def pack(text: str) -> str:
    """A text that is no words, such as base64: compressed, it is hardly longer as letters."""
    return write(zlib.compress(text.encode()))


def unpack(letters: str) -> str:
    return zlib.decompress(read(letters)).decode()
