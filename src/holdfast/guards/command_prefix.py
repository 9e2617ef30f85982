"""The rule that allows every command with the same first words: `pytest -q` is one of `pytest *`."""

from __future__ import annotations

from holdfast.guards.commands import argv, covers_words
from holdfast.vocab.lazy_pattern import lazy_pattern

_RUNNERS = r"(?:(?:uv|poetry|pdm|pipenv) run|npx|(?:npm|pnpm|yarn) exec|bundle exec)"
"""Programs that run one of the programs here, of the project."""
_FOLDERS = r"(?:\./)?(?:\.?venv/bin|node_modules/\.bin)/"
"""Folders of a project into which no edit of a model gets without a question."""
_TARGET = "[A-Za-z][A-Za-z0-9_:-]*"
_CHECKS = lazy_pattern(
    rf"(?:(?:{_RUNNERS} )?(?:{_FOLDERS})?"
    r"(?:pytest|tox|nox|ruff(?: check| format)?|mypy|pyright|basedpyright|pyrefly|black|isort|flake8|pylint|lint-imports"
    r"|tsc|eslint|prettier|jest|vitest|mocha|biome(?: check| format| lint)?|rspec|rubocop|phpunit|phpstan)"
    rf"|(?:npm|pnpm|yarn|bun) (?:test|install|ci|run {_TARGET})"
    rf"|(?:make|just|rake|task) {_TARGET}"
    r"|cargo (?:test|nextest run|build|check|clippy|fmt|doc|bench)|go (?:test|build|vet|fmt)"
    r"|uv (?:sync|lock)|(?:poetry|bundle) install"
    r"|(?:gradle|\./gradlew|mvn|\./mvnw) (?:test|build|check|compile|verify)"
    r"|(?:dotnet|swift|zig|deno|mix) (?:test|build|fmt|format)|ctest|git (?:add|commit))(?= )"
)
"""What checks, builds or records a project; others run their arguments, or write where these say."""


def prefix_rule(command: str) -> str | None:
    """Return the rule for a command's first words, or None if none is safe to offer.

    Only a program that checks or builds the project has one, with the words that say what it does.

    >>> prefix_rule("pytest -q tests"), prefix_rule("git commit -m 'x y'"), prefix_rule("npm run build")
    ('pytest *', 'git commit *', 'npm run build *')
    >>> prefix_rule("tee a"), prefix_rule("pytest | tee log"), prefix_rule("git -C x log")
    (None, None, None)
    """
    # A word with a space in it is not two words.
    words = [word.replace(" ", "\0") for word in _plain_words(command)]
    begin = _CHECKS.match(" ".join([*words, ""]))
    if begin is None:
        return None

    return f"{begin[0]} *"


def covers(rule: str, command: str) -> bool:
    """Return whether a rule such as `pytest *` covers a command; never one that needs a shell.

    >>> covers("pytest *", "pytest -x"), covers("pytest *", "pytest -x; rm x"), covers("pytest *", "pytester")
    (True, False, False)
    """
    is_prefix = rule.endswith(" *") and rule.strip() != "*"
    return is_prefix and covers_words(rule, _plain_words(command))


def _plain_words(command: str) -> list[str]:
    """Return the words of one plain command; none if a shell runs the line."""
    words = argv(command)
    if words[:2] == ("/bin/sh", "-c"):
        return []
    return list(words)
