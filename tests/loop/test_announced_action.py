"""Whether a reply without a call announces an action that then did not come."""

from __future__ import annotations

import pytest

from holdfast.loop.announced_action import announces_action

SAID = "I see the bug. Now let me write the file."


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        (SAID, True),
        (f"{SAID}\n\n```bash\nls\n```", True),
        (f'{SAID}\n\n```json\n{{"path": "a.py"}}\n```', True),
        # A fence with other code is the answer, and so is what follows a fence.
        (f"{SAID}\n\n```python\nx = 1\n```", False),
        (f"{SAID}\n\n```bash\nls\n```\n\nAll tests pass.", False),
        (f"{SAID} This will mend the test.", True),
        (f"- {SAID}", False),
        ("This will be mended.", False),
        ("", False),
        ("I have updated the file. Let me know if you want more.", False),
        (f"{SAID}\n\nThe file is fixed.", False),
        ("**Let me write the file.**", True),
    ],
)
def test_only_the_last_words_of_a_reply_announce_an_action(text: str, announced: bool) -> None:
    assert announces_action(text) is announced
