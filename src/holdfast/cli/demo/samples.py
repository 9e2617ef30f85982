"""The sample project, and replies of a model about it: almost right, as such replies are."""

from __future__ import annotations

import json

from holdfast.testing import Reply, call, say

RETRY = """\
class Retry:
\tlimit = 10

\tdef wait(self, attempt):
\t\t# Twice as long each time.
\t\tdelay = 2 ** attempt
\t\tself.log(delay)
\t\treturn min(delay, self.limit)
"""
GREET = """\
def greet(name):
    # Be polite.
    return "Hello, " + name + "!"
"""
NET = """\
def connect(host):
    timeout = 100
    return open_socket(host, timeout)


def reconnect(host):
    timeout = 100
    return open_socket(host, timeout)
"""
FILES = {
    "AGENTS.md": "Keep functions short.\n",
    "src/retry.py": RETRY,
    "src/greet.py": GREET,
    "src/net.py": NET,
}

WITH_SPACES = """\
Here is the change:

src/retry.py
<<<<<<< SEARCH
    def wait(self, attempt):
        # Wait twice as long every time
        delay = 2 ** attempt
        self.log(delay)
        return min(delay, self.limit)
=======
    def wait(self, attempt):
        # Wait twice as long every time
        delay = 2 ** attempt
        self.log(delay)
        return max(1, min(delay, self.limit))
>>>>>>> REPLACE
"""
CURLY = """\
src/greet.py
<<<<<<< SEARCH
    return “Hello, ” + name + “!”
=======
    return “Good day, ” + name + “!”
>>>>>>> REPLACE
"""
STALE = """\
--- a/src/net.py
+++ b/src/net.py
@@ -41,3 +41,3 @@
 def reconnect(host):
-    timeout = 100
+    timeout = 30
     return open_socket(host, timeout)
"""
TWICE = """\
src/net.py
<<<<<<< SEARCH
    return open_socket(host, timeout)
=======
    return open_socket(host, timeout, keep_alive=True)
>>>>>>> REPLACE
"""
CUT = """\
src/net.py
<<<<<<< SEARCH
    timeout = 10
=======
    timeout = 20
>>>>>>> REPLACE
"""
FENCED = """\
```diff
--- a/src/greet.py
+++ b/src/greet.py
@@ -1,3 +1,3 @@
 def greet(name):
-    # Be polite.
+    # Be polite, always.
     return "Good day, " + name + "!"
```
"""
MANY = """\
*** Begin Patch
*** Add File: docs/usage.md
+# Usage
*** Update File: src/net.py
@@ def connect(host):
-    timeout = 100
+    timeout = 60
*** Delete File: src/{name}
*** End Patch
"""

_WAIT = """\
    def wait(self, attempt):
        # double it
        delay = 2 ** attempt
        self.log(delay)
"""
_SPACES_FOR_TABS = {
    "old": f"{_WAIT}        return min(delay, self.limit)\n",
    "new": f"{_WAIT}        return max(1, min(delay, self.limit))\n",
}
_PATCH = """\
--- a/src/greet.py
+++ b/src/greet.py
@@ -1,3 +1,3 @@
 def greet(name):
     # Be polite.
-    return "Hello, " + name + "!"
+    return "Good day, " + name + "."
"""
FIRST_DONE = "Every wait has a lower bound now."
SECOND_DONE = "The greeting is more formal."


def drifting() -> list[Reply]:
    """Read, search, edit with spaces for tabs, and patch with wrong line numbers."""
    return [
        call("read_file", path="src/retry.py"),
        call("edit_file", path="src/retry.py", **_SPACES_FOR_TABS),
        call("search", pattern="timeout = "),
        call("write_patch", diff=STALE),
        call("run_command", command="git diff --stat"),
        say(FIRST_DONE),
    ]


def malformed() -> list[Reply]:
    """Send a patch in a fence, then without it."""
    return [
        call("write_patch", diff=f"Here is the patch:\n```diff\n{_PATCH}```\n"),
        call("write_patch", diff=_PATCH),
        say(SECOND_DONE),
    ]


def mistaken() -> list[Reply]:
    """Make six mistakes of three kinds."""
    round_ = [
        call("open_editor", path="src/net.py"),
        call("read_file", "{}"),
        call("read_file", path="src/network.py"),
    ]
    return [*round_, *round_, say("This is never sent.")]


def recovered() -> list[Reply]:
    """Do the task."""
    return [call("read_file", path="src/net.py"), say("Both wait for a while.")]


def looping() -> list[Reply]:
    """Read the same file again and again."""
    return [call("read_file", path="src/net.py")] * 20


LOAD = """\
def load(path):
    if not path:
        raise ValueError, "a path is needed"
    with open(path) as file:
        return file.read()
"""
LOAD_FIXED = LOAD.replace('ValueError, "a path is needed"', 'ValueError("a path is needed")')
TILL = """\
class Till:
    def __init__(self):
        self.sum = 0

    def pay(self, coins):
        for coin in coins:
            if coin <= 0:
                raise KeyError, "no such coin"
            self.sum += coin
"""
TILL_FIXED = TILL.replace('KeyError, "no such coin"', 'KeyError("no such coin")')
AREA = """\
def area(width, height):
    if width < 0:
        return width +
    return width * height
"""


def proposed(code: str) -> list[Reply]:
    """Propose this code for a file that does not compile."""
    return [say(json.dumps({"code": code, "confidence": 0.95, "reasoning": "a slip of the pen"}))]


def answered(text: str) -> list[Reply]:
    """Answer without a tool call."""
    return [say(text)]
