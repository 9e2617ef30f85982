from __future__ import annotations

import pytest

from holdfast.guards.repetition import Repetition
from holdfast.loop.classify import ReplyKind
from holdfast.loop.ports import FailPiece
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import RawCall
from tests.loop.parse_reply.offered import SPECS, kind_of

READ = RawCall("c", "read_file", '{"path": "a.py"}')
CUT = RawCall("c", "write_file", '{"path": "a.py", "text": "x')
PRINTED = '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>'


def said(text: str) -> ModelReply:
    return ModelReply(text, finish="stop")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (ModelReply(calls=(READ,), finish="tool_calls"), ReplyKind.TOOL_CALLS),
        (ModelReply("I read it.", calls=(READ,), finish="stop"), ReplyKind.TOOL_CALLS),
        (ModelReply(calls=(READ,), finish="unknown"), ReplyKind.TRUNCATED),
        (ModelReply("It is fixed.", finish="unknown"), ReplyKind.FINAL),
        (said(PRINTED), ReplyKind.TEXT_TOOL_CALLS),
        (said("<think>so</think>" + PRINTED), ReplyKind.TEXT_TOOL_CALLS),
        (said("<tool_call>{}</tool_call>"), ReplyKind.TEXT_TOOL_CALLS),
        (
            said('```json\n{"name": "write_file", "arguments": {"path": "a"}\n```'),
            ReplyKind.TEXT_TOOL_CALLS,
        ),
        (said('```json\n{"name": "write_file", "arguments": {"path": "a"}'), ReplyKind.TRUNCATED),
        (said("The bug is in line 3; it is fixed."), ReplyKind.FINAL),
        (said("<think>hm</think>It is fixed."), ReplyKind.FINAL),
        (said(f"Write `{PRINTED}` to read."), ReplyKind.FINAL),
        (said("<think>hm, I wonder"), ReplyKind.REASONING_ONLY),
        (said("<think>hm</think>\n"), ReplyKind.REASONING_ONLY),
        (said("hm, so that is it\n</think>\n\n"), ReplyKind.REASONING_ONLY),
        (said("<|channel|>analysis<|message|>hm<|end|>"), ReplyKind.REASONING_ONLY),
        (ModelReply(reasoning="hm", finish="stop"), ReplyKind.REASONING_ONLY),
        (ModelReply(finish="stop"), ReplyKind.EMPTY),
        (said(" \n"), ReplyKind.EMPTY),
        (said("<|im_end|>"), ReplyKind.EMPTY),
        (ModelReply(finish="length"), ReplyKind.EMPTY),
        (ModelReply(calls=(RawCall("", "", ""),), finish="tool_calls"), ReplyKind.EMPTY),
        (ModelReply("It is", finish="length"), ReplyKind.TRUNCATED),
        (ModelReply(reasoning="hm", finish="length"), ReplyKind.TRUNCATED),
        (ModelReply(calls=(READ,), finish="length"), ReplyKind.TRUNCATED),
        (ModelReply(calls=(READ,), finish="content_filter"), ReplyKind.TRUNCATED),
        (ModelReply(calls=(CUT,), finish="tool_calls"), ReplyKind.TRUNCATED),
        (ModelReply("It is", failure=FailPiece("cut", "reset")), ReplyKind.TRUNCATED),
        (ModelReply("It is"), ReplyKind.TRUNCATED),
        (said(PRINTED[:-40]), ReplyKind.TRUNCATED),
        (ModelReply(failure=FailPiece("cut", "reset")), ReplyKind.API_ERROR),
        (ModelReply("It is", failure=FailPiece("server", "500")), ReplyKind.API_ERROR),
        (ModelReply(failure=FailPiece("unreachable", "refused")), ReplyKind.API_ERROR),
        (ModelReply(failure=FailPiece("bad", "no JSON")), ReplyKind.API_ERROR),
        (ModelReply("la la", repetition=Repetition("text", "la")), ReplyKind.API_ERROR),
        (ModelReply(failure=FailPiece("overflow", "too long")), ReplyKind.CONTEXT_OVERFLOW),
        (said("Now let me write the full Rust implementation."), ReplyKind.NARRATED_INTENT),
    ],
)
def test_each_reply_has_its_class(reply: ModelReply, expected: ReplyKind) -> None:
    assert kind_of(reply, SPECS) is expected


def test_without_tools_there_is_nothing_to_announce_and_nothing_to_print() -> None:
    assert kind_of(said("Now let me write the file."), ()) is ReplyKind.FINAL
    assert kind_of(said(PRINTED), ()) is ReplyKind.FINAL


@pytest.mark.parametrize(
    "text",
    [
        "Now let me write the full Rust implementation.",
        "I see the problem: the index is off by one.\n\nLet me fix it.",
        "I'll start by reading the file:",
        "First, I need to check the existing tests.",
        "I am going to create the module now.",
        "Let's run the tests.",
        "Next, I'll update `parser.py`. This will handle the empty case.",
        "Reading the configuration file...",
        "Now implementing the fix.",
        "We should look at the imports first.",
        "Let me look at the file:\n\n```bash\ncat app.py\n```",
        "Let me look:\n```sh\nls | grep `x`\n```",
        "接下来读取文件：",
        "现在让我查看一下测试。",
        "我将修改这个函数。",
        "Ich werde jetzt die Datei lesen.",
        "Als Nächstes schreibe ich die Tests.",
        "Lass mich die Datei öffnen.",
        "Je vais maintenant lire le fichier.",
        "Laissez-moi vérifier les tests.",
        "Ahora voy a leer el archivo.",
        "Déjame revisar el código.",
        "Vou agora criar o arquivo.",
        "Сейчас я прочитаю файл.",
        "Теперь посмотрю на тесты.",
        "Давайте посмотрим на код.",
        "次にファイルを読み込みます。",
        "まず、テストを確認しましょう。",
        "이제 파일을 읽어 보겠습니다.",
    ],
)
def test_an_announcement_without_a_call_is_narrated_intent(text: str) -> None:
    assert kind_of(said(text), SPECS) is ReplyKind.NARRATED_INTENT


@pytest.mark.parametrize(
    "text",
    [
        "I have updated the file. Let me know if you want more tests.",
        "I've updated `a.py` and all tests pass.",
        "Done:\n\n- I will keep the old name\n- Let me add that the tests pass",
        "Should I update the tests as well?",
        "I can also add a test if you like.",
        "I need you to run the migration, because I have no access.",
        "Which file do you want me to read? I'll start once you tell me.",
        "If you want, I'll write the tests too.",
        "I will not change the generated file.",
        "You should run `make test` now.",
        "To use it, run the command and check the output.",
        "The function reads the file, and then it writes the result.",
        "Testing shows that the parser works.",
        "The answer is 42.",
        "Summary\n\n| file | change |\n|---|---|\n| a.py | let me run |",
        "Everything is now fixed. I'm happy to look at more.",
        "我已经修改了文件。如果需要，请告诉我。",
        "现在所有测试都已完成。",
        "需要我继续修改吗？",
        "Ich habe die Datei geändert. Sagen Sie Bescheid, wenn Sie mehr möchten.",
        "Die Tests laufen jetzt durch.",
        "J'ai corrigé le fichier. N'hésitez pas à demander.",
        "He actualizado el archivo. Avísame si quieres más.",
        "Я обновил файл. Если нужно что-то ещё, сообщите.",
        "ファイルを更新しました。",
        "ほかに必要なことがあれば教えてください。",
    ],
)
def test_an_answer_is_final(text: str) -> None:
    assert kind_of(said(text), SPECS) is ReplyKind.FINAL


@pytest.mark.parametrize(
    "text",
    [
        'For example:\n```json\n{"name": "run_command", "arguments": {"command": "make"}}\n```',
        'Zum Beispiel:\n\n{"name": "run_command", "arguments": {"command": "make"}}',
        'Done. To undo it:\n```\n{"name": "run_command", "arguments": {"command": "make"}}\n```',
        'So:\n```\n{"name": "ls", "arguments": {}}\n```\nor\n```\n{"name": "ls", "arguments": {}}\n```',
        '```json\n{"name": "read_file", "arguments": {"path": "a.py"}}\n```\n\nThis reads the file.',
        "tool: read_file\nargs:\n  path: app.py",
        "I look.\n\n```yaml\ntool: read_file\nargs:\n  path: app.py\n```",
        'Here it is:\n```python\nread_file("a.py")\n```',
        '{"name": "launch", "arguments": {}}',
        "[Calling tool",
        '[Calling tool: read_file]\n{"path": "a.py"}',
        "[Assistant tool call]: shell({ ... })",
        "hello<‖DSML‖tool_calls>world",
        "hello<‖DS|ML‖tool_calls>world",
        "The file first.\nAction: read_file\nAction Input: a.py",
        "Action: read_file[a.py]",
        'functions.read_file({"path": "a.py"})',
        'The file first.\n\nread_file(path="a.py")',
        '✿FUNCTION✿: read_file\n✿ARGS✿: {"path": "a.py"}',
        # A tool's name and an argument of it, in notations that nobody has listed.
        'Tool call: {"name": "read_file", "arguments": {"path": "a.py"}}',
        'Calling write_file with {"path": "a.py", "text": "x"}',
        'I do it.\nwrite_file(path="a.py", text="x")',
        '<write_file path="a.py">x</write_file>',
        '<tool name="write_file"><path>a.py</path><text>x</text></tool>',
        '<tool_use>{"name": "read_file", "input": {"path": "a.py"}}</tool_use>',
        '{"read_file": {"path": "a.py"}}',
        '&lt;tool_call&gt;{"name": "read_file", "arguments": {"path": "a.py"}}&lt;/tool_call&gt;',
        "TOOL: write_file\nINPUT: a.py, x",
        "call write_file path=a.py text=x",
        # An object that names a tool, with keys of its own.
        '{"名称": "read_file", "参数": {"路径": "a.py"}}',
        '{"nom": "read_file", "arguments": {"chemin": "a.py"}}',
        '```json\n{"werkzeug": "read_file", "pfad": "a.py"}\n```',
        "{'herramienta': 'write_file', 'ruta': 'a.py', 'texto': 'x'}",
        '{"llamada": {"nombre": "list_dir", "ruta": "src"}}',
        '[{"nom": "read_file", "chemin": "a.py"}, {"nom": "list_dir", "chemin": "."}]',
        '{"read_file": {"chemin": "a.py"}}',
        '{"outil": "ReadFile", "entrée": {"chemin": "a.py"}}',
        '{"ferramenta": "search", "entrada": {"texto": "x"}}',
        '{"nom": "read_file", "arguments": {"chemin": "a.py"}',
        'Je lis le fichier.\n\n{"nom": "read_file", "arguments": {"chemin": "a.py"}}',
        'Je lis :\n```json\n{"nom": "read_file", "arguments": {"chemin": "a.py"}}\n```',
        "nom: read_file\narguments:\n  chemin: a.py",
        "```yaml\noutil: read_file\nentrée:\n  chemin: a.py\n```",
        "<read\\_file>\n<path>a.py</path>\n</read\\_file>",
        'read\\_file(path="a.py")',
        # A call in Python that is no call of ours: positions for names, statements, raw strings.
        '```tool_code\nread_file("a.py")\n```',
        '```tool_code\nread_file("a.py")\n```\nThis reads the file.',
        '```tool_code\nfound = read_file(path="a.py")\nprint(found)\n```',
        '```tool_code\nwrite_file(path="a.py", text=r"""x\n""")\n```',
        '```python\nwrite_file(\n    path="a.py",\n    text="x",\n)\n```',
        'write_file(path="a.py", text="x = 1\n\ny = 2\n")',
        # Markup in a fence that ends the text.
        '```xml\n<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>\n```',
        'So:\n\n```\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n```',
        # A marker and the name of a tool, and then a notation that nobody has seen.
        "<tool_call>read_file\npath -> a.py\n</tool_call>",
        "I read it.\n<tool_calls><tool_call>read_file<args>path is a.py</args></tool_call></tool_calls>",
        "[TOOL_CALLS]read_file; a.py",
    ],
)
def test_a_call_that_ends_a_text_and_cannot_be_read_is_no_answer(text: str) -> None:
    assert kind_of(said(text), SPECS) is ReplyKind.NARRATED_INTENT


@pytest.mark.parametrize(
    "text",
    [
        'A call looks like this:\n\n{"name": "read_file", "arguments": {"path": "a.py"}}\n\nThat is all.',
        'A call is `{"name": "read_file", "arguments": {"path": "a.py"}}`',
        '{"name": "search", "version": "1.0"}',
        '{"files": ["a.py", "b.py"]}',
        '{"tools": ["read_file", "search"]}',
        "type: search\nitems:\n  - x",
        "tool: read_file\nstate: gone",
        '{"name": "search", "version": "1.0", "scripts": {"test": "jest"}}',
        '{"read_file": "reads a file", "write_file": "writes a file"}',
        'The settings are:\n```json\n{"ask": "run_command", "deny": "write_patch"}\n```',
        'The settings are:\n```json\n{"default": "run_command"}\n```',
        '{"nom": "read_file", "arguments": {"chemin": "a.py"}}\n\nis what it would be in French.',
        "[Calling tools](docs/tools.md) is documented now.",
        'DeepSeek writes "<｜DSML｜invoke" before a call.',
        "Action: none is needed.",
        "It calls\n\nmain(argv)",
        "def main():\n    read_file(path='a.py')\n",
        "> [Calling tool: read_file]\n\nis what was said.",
        "I used read_file with path=a.py, and it is fixed.",
        "The bug is fixed. Was it read_file with path=a.py?",
        "Fixed:\n\n- read_file(path: str)",
        "| read_file | path: a.py |",
        "It is loader.read_file(path=name)",
        "Now read_file ignores the last path=",
        "The two are read_file, path: both are gone now.",
        'Call it with `read_file(path="a.py")`',
        'Call `read_file(path="a.py")`:\n\n```python\ndef read_file(path: str) -> str:\n    return path\n```',
        "So:\n```python\nvalue = read_file(path=name)\nprint(value)\n```",
        "```tool_code\nmain()\n```\nis what Gemma writes.",
        "<tool_call> read_file would be called without a reason.",
        "<tool_call>launch; now</tool_call>",
        "It was `<tool_call>read_file; a.py`.",
        'Say\n```xml\n<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>\n```\nto list.',
    ],
)
def test_what_is_shown_or_spoken_of_is_no_call(text: str) -> None:
    assert kind_of(said(text), SPECS) is ReplyKind.FINAL
