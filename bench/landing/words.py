"""Words, names and numbers for the generator."""

from __future__ import annotations

from random import Random
from typing import Final


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, for lists that read better as a paragraph."""
    return tuple(text.split())


VERBS: Final = listed("""
    load save merge split parse emit check index route cache plan queue fetch store build render encode decode
    resolve collect filter expand reduce attach detach flush rotate verify prepare schedule
""")
NOUNS: Final = listed("""
    user order token frame shard batch report ledger window packet record session cursor bucket segment channel
    header payload message policy worker volume digest branch region signal invoice vector matrix catalog
""")
ADJECTIVES: Final = listed(
    "pending active stale remote local shared nested signed empty recent primary default hidden shallow"
)
FILLERS: Final = listed(
    "carefully always here below first again mostly simply instead later already often"
)


def noun(rng: Random) -> str:
    """A noun."""
    return rng.choice(NOUNS)


def verb(rng: Random) -> str:
    """A verb."""
    return rng.choice(VERBS)


def name(rng: Random) -> str:
    """A name such as `load_user_ledger`."""
    return f"{verb(rng)}_{rng.choice(ADJECTIVES)}_{noun(rng)}"


def camel(snake: str) -> str:
    """`load_user` as `loadUser`."""
    first, *rest = snake.split("_")
    return first + "".join(part.title() for part in rest)


def sentence(rng: Random) -> str:
    """A sentence without its full stop."""
    return (
        f"{verb(rng).title()} the {rng.choice(ADJECTIVES)} {noun(rng)} of each {noun(rng)} "
        f"before the {rng.choice(ADJECTIVES)} {noun(rng)}"
    )
