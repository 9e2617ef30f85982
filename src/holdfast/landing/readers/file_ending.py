"""The line endings of a whole file, and what is at its end."""

from __future__ import annotations

from holdfast.landing.text.endings import with_mixed_endings
from holdfast.landing.text.lines import Doc, contents_of
from holdfast.vocab.lazy_pattern import lazy_pattern

# At the end of the text the second half may be missing.
_CRLF = lazy_pattern(r"\r\n|\r\Z")


def with_file_endings(text: str, new: str) -> str:
    """Return the new text in the line endings of the file.

    Where only the endings differ, they are the edit.
    """
    doc = Doc(text)
    if not any(doc.ends):
        return new
    if "\r" in new and doc.lines == contents_of(new):
        return new
    if "\n" not in new and "\r" not in doc.ends:
        new = new.replace("\r", "\n")
    if len(doc.endings) > 1:
        return with_mixed_endings(text, new, doc.newline)

    return _CRLF.sub("\n", new).replace("\n", doc.newline)


def with_file_end(text: str, new: str) -> str:
    """Return the new text with a newline at its end if the file has one there, and without if it has none.

    Blank lines at its end that the file has not are dropped; one that is missing behind a last line that stays comes back.
    Where only that differs, it is the edit.
    """
    body, new_body = text.rstrip("\r\n"), new.rstrip("\r\n")
    lines, new_lines = contents_of(body), contents_of(new_body)
    if "" in {body, new_body} or lines == new_lines:
        return new

    end, new_end = text[len(body) :], new[len(new_body) :]
    if len(new_end) > len(end):
        return new_body + end
    if lines[-1] == new_lines[-1]:
        return new_body + end
    if new_end:
        return new
    return new_body + end[: len(Doc(text).newline)]
