"""The profile for macOS, as text: here is no Mac to run it on."""

from __future__ import annotations

from holdfast.adapters.processes.sandbox.seatbelt import profile
from holdfast.adapters.processes.sandbox.view import View

VIEW = View(
    {
        "/": "read",
        "/Users/me": "hidden",
        "/Users/me/.cargo": "cache",
        '/Users/me/my "project"': "write",
        '/Users/me/my "project"/.git': "read",
        '/Users/me/my "project"/.env': "masked",
    }
)


def test_the_last_rule_that_matches_is_that_of_the_innermost_path() -> None:
    lines = profile(VIEW, network=False, kept_out=['/Users/me/my "project"/.holdfast']).split("\n")
    assert lines[:4] == [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        "(deny appleevent-send)",
    ]
    assert lines[6:] == [
        '(allow file-read* (subpath "/"))',
        '(deny file-write* (subpath "/"))',
        '(deny file-read-data file-write* (subpath "/Users/me"))',
        '(allow file-read* (subpath "/Users/me/.cargo"))',
        '(deny file-write* (subpath "/Users/me/.cargo"))',
        '(allow file-read* file-write* (subpath "/Users/me/my \\"project\\""))',
        '(deny file-read-data file-write* (subpath "/Users/me/my \\"project\\"/.env"))',
        '(allow file-read* (subpath "/Users/me/my \\"project\\"/.git"))',
        '(deny file-write* (subpath "/Users/me/my \\"project\\"/.git"))',
        '(deny file-write* (subpath "/Users/me/my \\"project\\"/.holdfast"))',
        "(deny network*)",
    ]


def test_the_keychain_is_out_of_reach_and_the_network_may_be_open() -> None:
    text = profile(VIEW, network=True)
    assert '(global-name "com.apple.SecurityServer")' in text
    assert "network" not in text
