from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.landing.encoding import Decoded, decode, encode

MARKS = [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00"]
some_bytes = st.builds(
    lambda mark, pieces: mark + b"".join(pieces),
    st.sampled_from(MARKS),
    st.lists(
        st.binary(max_size=6)
        | st.sampled_from([b"caf\xe9", "é→𝄞".encode(), b"\r\n", b"\x81", b"a\x00"])
    ),
)


@given(some_bytes)
@example("𝄞".encode("utf-16"))
@example(b"\xff\xfe\x00\xd8")
@example(b"\xff\xfea")
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    decoded = decode(data)
    assert encode(decoded.text, decoded.encoding) == data


@given(some_bytes, st.data())
def test_ascii_put_into_any_file_leaves_all_other_bytes_alone(
    data: bytes, draw: st.DataObject
) -> None:
    decoded = decode(data)
    at = draw.draw(st.integers(0, len(decoded.text)))
    head, tail = decoded.text[:at], decoded.text[at:]
    changed = encode(f"{head}new{tail}", decoded.encoding)
    assert changed.startswith(encode(head, decoded.encoding))
    mark = len(encode("", decoded.encoding))
    assert changed.endswith(encode(tail, decoded.encoding)[mark:])


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (b"", Decoded("", "utf-8")),
        ("é\n".encode(), Decoded("é\n", "utf-8")),
        ("\ufeffé\n".encode(), Decoded("é\n", "utf-8-bom")),
        ("é\n".encode("utf-16-le"), Decoded("\xe9\x00\n\x00", "cp1252")),
        (b"\xff\xfe" + "é𝄞\n".encode("utf-16-le"), Decoded("é𝄞\n", "utf-16-le")),
        (b"\xfe\xff" + "é𝄞\n".encode("utf-16-be"), Decoded("é𝄞\n", "utf-16-be")),
        ("naïve “quotes” €".encode("cp1252"), Decoded("naïve “quotes” €", "cp1252")),
        (b"a\xff\xfe\x81", Decoded("a\udcff\udcfe\udc81", "utf-8")),
    ],
)
def test_what_a_file_is_read_as(data: bytes, decoded: Decoded) -> None:
    assert decode(data) == decoded


def test_a_utf_8_file_with_one_stray_byte_stays_a_utf_8_file() -> None:
    decoded = decode("→ né ".encode() + b"\xe9")
    assert decoded == Decoded("→ né \udce9", "utf-8")
    assert encode(decoded.text + "é", decoded.encoding) == "→ né ".encode() + b"\xe9" + "é".encode()


def test_an_e_acute_put_into_a_latin_1_file_is_written_as_the_file_writes_its_own() -> None:
    decoded = decode("# café\n".encode("latin-1"))
    assert encode(decoded.text + "# thé\n", decoded.encoding) == "# café\n# thé\n".encode("latin-1")


def test_a_character_that_the_file_cannot_hold_raises() -> None:
    with pytest.raises(UnicodeEncodeError, match="character maps to"):
        encode("→", "cp1252")
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        encode("\ud800", "utf-8")


@pytest.mark.parametrize(
    ("data", "binary"), [(b"a\x00b", True), (b"\xff\xfe\x00\x00", True), (b"\xff\xfea\x00", False)]
)
def test_a_nul_makes_a_file_binary(data: bytes, binary: bool) -> None:
    assert decode(data).binary is binary
