"""The toolbox: what is offered, what is judged before anything runs, and that nothing but an outcome comes out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.change_log import LogUnavailable
from holdfast.loop.ports import Toolbox
from holdfast.tools.prompt.tool_profiles import (
    DIFF,
    JSON,
    READING,
    SMALL,
    UNKNOWN,
    Profile,
    profile_of,
)
from tests.tools.world import World, open_world

ALL = {
    "read_file",
    "search",
    "find_files",
    "list_dir",
    "edit_file",
    "write_patch",
    "apply_edits",
    "write_file",
    "run_command",
}


def test_all_nine_are_offered_to_a_model_that_is_not_known(world: World) -> None:
    specs = world.toolbox.specs
    assert {spec.name for spec in specs} == ALL
    assert {spec.name for spec in specs if spec.changes} == ALL - set(READING)
    assert world.toolbox.specs is specs


def test_it_keeps_the_promise_of_the_loops_port(world: World) -> None:
    toolbox: Toolbox = world.toolbox
    assert toolbox.tree() == toolbox.tree()


def test_the_specs_are_short_and_flat(world: World) -> None:
    schemas = json.dumps(
        [[spec.name, spec.description, spec.schema] for spec in world.toolbox.specs]
    )
    assert len(schemas) < 4_000
    for word in ("$defs", "$ref", "title", "anyOf", "null"):
        assert f'"{word}"' not in schemas
    schema = next(spec.schema for spec in world.toolbox.specs if spec.name == "read_file")
    assert schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "start": {"type": "integer"},
            "end": {"type": "integer"},
        },
        "required": ["path"],
    }
    takes = next(spec.schema for spec in world.toolbox.specs if spec.name == "apply_edits")
    assert (set(takes["properties"]), takes["required"]) == ({"path", "edits"}, ["edits"])
    edit = takes["properties"]["edits"]["items"]
    assert set(edit["properties"]) == {
        "path",
        "range",
        "old",
        "new",
        "start",
        "end",
        "near_line",
        "every",
    }
    assert edit["properties"]["range"] == {
        "type": "object",
        "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
        "required": ["start", "end"],
    }


def test_in_plan_mode_nothing_can_be_changed(tmp_path: Path) -> None:
    with open_world(tmp_path, plan=True) as world:
        world.write("a.py", "x\n")
        assert tuple(spec.name for spec in world.toolbox.specs) == READING
        assert world.told("read_file", path="a.py")
        for name in sorted(ALL - set(READING)):
            message = world.refused(
                name, "permission_denied", path="a.py", text="y", command="touch b"
            )
            assert (
                message
                == f"{name} is switched off in this session; the tools are: {', '.join(READING)}."
            )


def test_a_tool_that_is_none_is_answered_with_the_nearest(world: World) -> None:
    assert world.refused("reed_file", "tool_not_found") == (
        "there is no tool reed_file; did you mean read_file or edit_file or write_file?"
    )
    assert world.refused("zzz", "tool_not_found").startswith(
        "there is no tool zzz; the tools are: read_file, "
    )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("read_file", {}, "read_file: path is missing. It takes {path: string, start?: integer, end?: integer}."),
        (
            "read_file",
            {"path": "a", "start": "x"},
            "read_file: start: input should be a valid integer, unable to parse string as an integer. It takes {path: string, start?: integer, end?: integer}.",
        ),
        ("write_file", {"path": "a", "txt": "x"}, "write_file: text is missing; txt is not an argument of it. It takes {path: string, text: string}."),
        ("write_file", {"path": "a", "text": "\ud800"}, "write_file: the arguments contain half of a surrogate pair, which is not a character; write the whole character."),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_a_sentence(
    world: World, name: str, arguments: dict[str, Any], message: str
) -> None:
    assert world.refused(name, "schema_reject", **arguments) == message


def test_arguments_that_a_reader_does_not_know_are_ignored(world: World) -> None:
    world.write("a.py", "x\n")
    assert world.told("read_file", path="a.py", limit=10, start="1").endswith("1| x")


def test_a_cancelled_turn_runs_nothing_more(world: World) -> None:
    world.cancel.set()
    outcome = world.call("write_file", path="a.py", text="x")
    assert (outcome.failure, outcome.text) == (None, "Cancelled by the user; this was not done.")
    assert world.files() == {}


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), LogUnavailable("the database is gone.")]
)
def test_what_the_world_refuses_is_an_outcome(world: World, error: Exception) -> None:
    def land(requested: object, plan: object) -> object:
        raise error

    world.toolbox._context.ports.editor.land = land  # type: ignore[method-assign,assignment]
    message = world.refused("write_file", "exec_error", path="a.py", text="x")
    assert "No space left on device" in message or "the database is gone" in message


def test_importing_the_toolbox_does_not_load_pydantic() -> None:
    script = "import sys, holdfast.tools.toolbox, holdfast.tools.prompt.tool_profiles, holdfast.tools.prompt.system_prompt; print('pydantic' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True
        ).stdout
        == "False\n"
    )


# --------------------------------------------------------------------------------------------------------------- profile


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("qwen3-coder:30b-a3b", JSON),
        ("qwen2.5-coder:7b-instruct-q4_K_M", JSON),
        ("gpt-oss:20b", JSON),
        ("mlx-community/Devstral-Small-2505-4bit", JSON),
        ("claude-sonnet-4-5", JSON),
        ("GLM-4.6", JSON),
        ("deepseek-coder:6.7b", DIFF),
        ("codellama:13b", DIFF),
        ("smollm2-135m-instruct", SMALL),
        ("qwen2.5-coder:0.5b", SMALL),
        ("llama3.2:3b", SMALL),
        ("another:4b", SMALL),
        ("another:4.1b", UNKNOWN),
        ("scripted", UNKNOWN),
        ("llama3.1:8b", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_models_name_picks_its_tools(model: str, profile: Profile) -> None:
    assert profile_of(model) is profile


def test_models_that_handle_json_get_edits_first_and_others_diffs() -> None:
    assert JSON.tools()[:6] == (*READING, "edit_file", "apply_edits")
    assert DIFF.tools()[4] == "write_patch"
    assert "apply_edits" not in SMALL.tools()
    assert set(UNKNOWN.tools()) == ALL
    assert JSON.tools(plan=True) == READING


# -------------------------------------------------------------------------------------------------------------- the law


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(tmp_path_factory.mktemp("law")) as world:
        (world.root.parent / "out.txt").write_text("outside\n")
        (world.root / "out").symlink_to(world.root.parent)
        yield world


paths = st.sampled_from(
    [
        "a.py",
        "b.txt",
        "d/c.py",
        "d",
        "none.py",
        "",
        ".",
        "../out.txt",
        "out/out.txt",
        "/etc/passwd",
        "a.bin",
        "x\0y",
        "d//c.py",
    ]
)
texts = st.sampled_from(
    ["", "x", "a = 1", "a = 2", "b\nb", "\r\n", "…", "# ... existing code ..."]
) | st.text(max_size=12)
numbers = st.integers(-3, 9) | st.sampled_from(["1", "x", None, 1.5, True])
edits = st.fixed_dictionaries(
    {},
    optional={
        "path": paths,
        "old": texts,
        "new": texts,
        "start": numbers,
        "end": numbers,
        "range": st.fixed_dictionaries({}, optional={"start": numbers, "end": numbers}),
        "newText": texts,
        "delete": st.booleans(),
        "near_line": numbers,
    },
)
calls = st.one_of(
    st.tuples(
        st.just("edit_file"), st.fixed_dictionaries({"path": paths, "old": texts, "new": texts})
    ),
    st.tuples(st.just("write_file"), st.fixed_dictionaries({"path": paths, "text": texts})),
    st.tuples(
        st.just("apply_edits"),
        st.fixed_dictionaries(
            {"edits": st.lists(edits, max_size=3) | texts}, optional={"path": paths}
        ),
    ),
    st.tuples(
        st.just("write_patch"),
        st.builds(
            lambda path, old, new, fence: {
                "diff": f"{fence}--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n{fence}"
            },
            paths,
            texts,
            texts,
            st.sampled_from(["", "", "```\n"]),
        ),
    ),
    st.tuples(
        st.sampled_from(["read_file", "list_dir", "find_files"]),
        st.fixed_dictionaries({"path": paths, "pattern": texts, "start": numbers, "end": numbers}),
    ),
)


@pytest.mark.slow
@given(st.lists(calls, min_size=1, max_size=6))
def test_a_call_that_fails_never_changes_a_file_and_none_raises(
    shared: World, sequence: list[tuple[str, dict[str, Any]]]
) -> None:
    for name in shared.files():
        (shared.root / name).unlink()
    for name, data in {
        "a.py": b"a = 1\nb = 2\n",
        "b.txt": b"b\r\nb\r\n",
        "d/c.py": b"x\n",
        "a.bin": b"\0",
    }.items():
        shared.write(name, data)
    for name, arguments in sequence:
        before = shared.files()
        outcome = shared.call(name, **arguments)
        after = shared.files()
        changed = {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        assert changed <= {path.replace("//", "/").removeprefix("./") for path in outcome.modified}
        assert not outcome.failure or not changed
        assert bool(outcome.modified) == bool(changed)
        outcome.text.encode()
        assert "\0" not in outcome.text
    assert (shared.root.parent / "out.txt").read_text() == "outside\n"
