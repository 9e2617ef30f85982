"""Almost JSON: how deep it may be nested, and how much of a text is read."""

from __future__ import annotations

import pytest

from holdfast.loop.parse_reply.text_calls.scan import scan
from holdfast.syntax.loose_json import Loose, LooseJsonEnd, NotLoose, read_call, read_loose

CALL = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_almost_json_is_read_63_levels_deep_and_no_deeper(opening: str, closing: str) -> None:
    def nested(depth: int) -> object:
        return read_loose(opening * depth + "'x'" + closing * depth, 0)

    assert isinstance(nested(63), Loose)
    assert not isinstance(nested(64), Loose)


def test_only_the_first_64_places_of_a_text_are_read_as_calls() -> None:
    scanned = scan(f"{CALL}\n\nwords\n\n" * 70, lambda _: True, lambda _: True)
    assert len(scanned.calls) == 64
    assert scanned.text.count("<tool_call>") == 6


@pytest.mark.parametrize(("after", "count"), [("", 1), (" to call it.", 0), (" <|im_end|>", 1)])
def test_a_call_in_a_sentence_is_about_calls(after: str, count: int) -> None:
    assert len(scan(f"Write {CALL}{after}", lambda _: True, lambda _: True).calls) == count


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ('(text="""print(\'hi\')\n""")', "print('hi')\n"),
        ("(text='''a \"\"\" b''')", 'a """ b'),
        ('(text="""\\\nx = "1"\n""")', 'x = "1"\n'),
        ('(text="""a\\tb""")', "a\tb"),
        ('(text="""""")', ""),
        ('(text="")', ""),
        ('(text="x",  # the text\n)', "x"),
    ],
)
def test_strings_in_triple_quotes_and_comments_are_read_in_a_python_call(
    call: str, text: str
) -> None:
    assert read_call(call, 0) == Loose({"text": text}, len(call))


@pytest.mark.parametrize("body", ["a\\n\nb", "make \\\n  all"])
def test_a_backslash_beside_line_breaks_in_triple_quotes_is_doubtful(body: str) -> None:
    read = read_call(f'(text="""{body}""")', 0)
    assert isinstance(read, Loose)
    assert read.doubtful


def test_triple_quotes_that_are_not_closed_are_cut() -> None:
    assert read_call('(text="""x = "1"\n")', 0) == LooseJsonEnd()


@pytest.mark.parametrize(("mark", "end"), [("#", ""), ("//", ""), ("/*", "*/")])
def test_a_comment_with_a_quote_mark_may_be_the_end_of_a_string(mark: str, end: str) -> None:
    assert read_loose(f'{{"command": "echo "{mark} hi"{end}\n}}') == NotLoose(19)
    assert isinstance(read_loose(f'{{"command": "echo "{mark} it\'s hi{end}\n}}'), Loose)
