"""The ids of git's objects."""

from __future__ import annotations

import hashlib

SHA1_SIZE = 20


def digest(data: bytes, size: int) -> bytes:
    """Return the digest of the hash that has this size."""
    if size == SHA1_SIZE:
        return hashlib.sha1(data, usedforsecurity=False).digest()
    return hashlib.sha256(data).digest()


def algorithm_of(oid: str) -> str:
    """Return the hash that makes ids of this length."""
    if len(oid) == 2 * SHA1_SIZE:
        return "sha1"
    return "sha256"


def object_id(kind: str, body: bytes, size: int) -> bytes:
    """Return the id of an object, of the hash that has this size."""
    return digest(b"%s %d\0%s" % (kind.encode("ascii"), len(body), body), size)


def blob_id(data: bytes, algorithm: str) -> str:
    """Return the id of a blob with this content."""
    return object_id("blob", data, hashlib.new(algorithm).digest_size).hex()
