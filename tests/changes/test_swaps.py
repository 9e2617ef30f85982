"""What a swap takes for the content that it expects."""

from __future__ import annotations

from holdfast.changes.swaps import LINK, Content, Swap


def test_a_symlink_is_never_the_file_whose_text_is_its_target() -> None:
    swap = Swap("a", Content(b"b.py"), Content(b"new\n"))
    file, symlink = Content(b"b.py", 0o644), Content(b"b.py", LINK)
    assert swap.matches(file, Content(b"b.py"))
    assert swap.matches(symlink, symlink)
    assert not swap.matches(file, symlink)
    assert not swap.matches(symlink, file)
