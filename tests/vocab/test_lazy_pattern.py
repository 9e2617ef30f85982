"""A pattern that is compiled when it is first used, and every such pattern of this package."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import holdfast
from holdfast.vocab.lazy_pattern import LazyPattern, lazy_pattern


def test_it_has_the_methods_of_the_compiled_pattern() -> None:
    lazy, compiled = (
        lazy_pattern(r"(\w+)=(\d+)", re.IGNORECASE),
        re.compile(r"(\w+)=(\d+)", re.IGNORECASE),
    )
    text = "a=1, b=22"

    assert lazy.findall(text) == compiled.findall(text)
    assert [found.span() for found in lazy.finditer(text)] == [(0, 3), (5, 9)]
    assert lazy.sub(r"\2", text) == "1, 22"
    assert lazy.split(text) == compiled.split(text)
    assert lazy.match("b") is None
    assert lazy.fullmatch(text) is None
    assert (lazy.pattern, lazy.flags, lazy.groups) == (compiled.pattern, compiled.flags, 2)


def test_it_is_compiled_by_its_first_use_only(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = re.compile

    def count(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_pattern(pattern, flags)

    monkeypatch.setattr(re, "compile", count)
    lazy = lazy_pattern("x+")

    assert lazy.pattern == "x+"
    assert compiled == []
    assert lazy.match("xx")
    assert lazy.search("axx")
    assert compiled == ["x+"]


def test_bytes_and_wrong_patterns() -> None:
    assert lazy_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]

    wrong = lazy_pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        wrong.match("")
    with pytest.raises(AttributeError):
        _ = lazy_pattern("x").nothing  # type: ignore[attr-defined]


def test_every_pattern_of_the_package_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, a typing error would show only when a user needs the pattern."""
    made: list[LazyPattern] = []
    for module in _modules_with_patterns():
        for value in vars(import_module(module)).values():
            made += [value] if isinstance(value, LazyPattern) else []

    assert len(made) > 300
    for pattern in made:
        assert pattern.compiled().pattern == pattern.pattern


def _modules_with_patterns() -> list[str]:
    folder = Path(holdfast.__file__).parent
    names = [module.name for module in walk_packages([str(folder)], "holdfast.")]
    assert names
    return [name for name in names if "lazy_pattern(" in _source(folder, name)]


def _source(folder: Path, name: str) -> str:
    place = folder.joinpath(*name.split(".")[1:])
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return file.read_text()
