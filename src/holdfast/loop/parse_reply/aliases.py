"""The names that other agents use for our tools and fields: models were trained on those.

All names are in the spelling of `field_names.spell`: lower case, without underscores and hyphens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.landing.formats.field_names import EDIT_SYNONYMS, synonym_table

if TYPE_CHECKING:
    from collections.abc import Mapping


def _table(rows: Mapping[str, str]) -> dict[str, str]:
    targets = {}
    for target, aliases in rows.items():
        for alias in aliases.split():
            targets[alias] = target
    return targets


ALIASES: Final = _table(
    {
        "run_command": "bash shell sh exec execcommand execute executecommand runcommand"
        " runshellcommand terminal runinterminal runterminalcmd executebash shellcommand"
        " localshell cmd",
        "find_files": "glob globtool findfile findfilesbyname filesearch findbyname listfilesglob",
        "search": "grep greptool ripgrep rg searchfiles searchcode grepsearch codebasesearch"
        " searchfilecontent searchtext",
        "edit_file": "edit strreplace stringreplace replace searchreplace replaceinfile editblock"
        " strreplaceedit",
        "read_file": "read view cat openfile viewfile readfiles readfilecontent getfilecontents",
        "write_file": "write create createfile createnewfile writetofile newfile savefile",
        "list_dir": "ls list listdirectory listfiles listfolder viewdirectory",
        "write_patch": "applypatch patch applydiff",
        "apply_edits": "multiedit multieditfile applyedit batchedit",
    }
)
"""Other names for a tool, used only where the tool is offered and no tool has the name itself."""

EDITORS: Final[Mapping[str, Mapping[str, str]]] = {
    name: {"view": "read_file", "create": "write_file", "str_replace": "edit_file"}
    for name in (
        "strreplaceeditor",
        "strreplacebasededittool",
        "fileeditor",
        "texteditor",
        "strreplaceedittool",
    )
}
"""Tools of other agents that do the work of several of ours; the field `command` selects one."""

SYNONYMS: Final[Mapping[str, frozenset[str]]] = EDIT_SYNONYMS | synonym_table(
    {
        "text": "content contents filetext filecontent filecontents body data newcontent"
        " codecontent code",
        "pattern": "query regex regexp search searchpattern searchterm globpattern pat keyword"
        " expression",
        "glob": "include includes includepattern filepattern filepatterns filter",
        "command": "cmd commandline shellcommand script bashcommand commands",
        "timeout": "timeoutsec timeoutsecs timeoutseconds timeoutins timelimit",
        "diff": "patch input patchtext patchcontent unifieddiff",
    }
)
"""Other names for a field, used only where the tool has the field and the call does not."""

WRAPPERS: Final = frozenset(
    (
        "arguments",
        "parameters",
        "input",
        "args",
        "params",
        "toolinput",
        "kwargs",
        "toolargs",
        "actioninput",
    )
)
"""Fields that contain all arguments instead of being one of them."""

TALK: Final = frozenset(
    (
        "description",
        "explanation",
        "reason",
        "reasoning",
        "rationale",
        "securityrisk",
        "thought",
        "thoughts",
        "summary",
        "comment",
        "justification",
        "toolcallid",
        "taskprogress",
        "isbackground",
        "requiresapproval",
    )
)
"""Fields that comment on a call and change nothing in it."""
