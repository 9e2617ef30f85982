"""Replies that models really gave, and others of their kind: what each must become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast.loop.ports import FailPiece
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import FailureKind, RawCall


@dataclass(frozen=True)
class Row:
    """A reply, and the calls and refusals that must come of it, in order. `text` is what is left, None if it is all.

    `prints`: the model has printed its last call too.
    """

    name: str
    reply: ModelReply
    expected: tuple[tuple[str, dict[str, Any]] | FailureKind, ...]
    text: str | None = ""
    prints: bool = False


def said(text: str, finish: Any = "stop", **more: Any) -> ModelReply:
    return ModelReply(text=text, finish=finish, **more)


def called(name: str, arguments: str, finish: Any = "tool_calls") -> ModelReply:
    return ModelReply(calls=(RawCall("c1", name, arguments),), finish=finish)


READ = ("read_file", {"path": "a.py"})
SHELL = ("run_command", {"command": "ls -la"})
WRITE = ("write_file", {"path": "a.py", "text": "x = 1\n"})
J_READ = '{"name": "read_file", "arguments": {"path": "a.py"}}'
J_WRITE = '{"name": "write_file", "arguments": {"path": "a.py", "text": "x = 1\\n"}}'

# ------------------------------------------------------------------------------------------- calls printed as text

PRINTED = (
    Row("qwen3-coder, nothing is closed, and it only reads", said("<function=view>\n<parameter=filepath>a.py\n<parameter=start>2"), (("read_file", {"path": "a.py", "start": 2}),)),
    Row("no opening tag", said("<function=Glob>\n<parameter=pattern>\n*.md\n</parameter>\n</function>\n</tool_call>"), (("find_files", {"pattern": "*.md"}),)),
    Row("nemotron: the thought was opened by the template", said("</think>\n<tool_call>\n<function=read_file>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>"), (READ,)),
    Row("the end of a thought, then the call", said(f"I should read a.py.\n</think>\n\n<tool_call>\n{J_READ}\n</tool_call>"), (READ,)),
    Row("the value in the place of the bracket", said("<function=str_replace_editor>\n<parameter=command=str_replace</parameter>\n<parameter=path>a.py</parameter>\n<parameter=old_str>a</parameter>\n<parameter=new_str>b</parameter>\n</function>"), (("edit_file", {"path": "a.py", "old": "a", "new": "b"}),)),
    Row("an editor of another agent, viewing", said("<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>a.py</parameter>\n<parameter=view_range>[1, 5]</parameter>\n</function>"), (("read_file", {"path": "a.py", "start": 1, "end": 5}),)),
    Row("bare JSON", said('{"name":"glob","arguments":{"pattern":"*"}}'), (("find_files", {"pattern": "*"}),)),
    Row("bare JSON with a closing tag left over", said(f"{J_READ}\n</tool_call>"), (READ,)),
    Row("bare JSON with a token left over", said(f"{J_READ}<|im_end|>"), (READ,)),
    Row("llama-4: type, name, parameters", said('{"type": "function", "name": "Bash", "parameters": {"command": "ls -la"}}'), (SHELL,)),
    Row("the shape of the API itself", said('{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}]}'), (READ,)),
    Row("one call a line", said(f'{J_READ}\n{{"name": "list_dir", "arguments": {{}}}}'), (READ, ("list_dir", {}))),
    Row("a list of calls", said(f'[{J_READ}, {{"name": "list_dir", "arguments": {{"path": "."}}}}]'), (READ, ("list_dir", {"path": "."}))),
    Row("JSON in a fence and nothing else", said(f"```json\n{J_READ}\n```"), (READ,)),
    Row("JSON in a fence without a language", said(f"\n```\n{J_READ}\n```\n"), (READ,)),
    Row("JSON in a fence that is never closed", said(f"```json\n{J_READ}"), (READ,)),
    Row("words, then JSON in a fence", said(f"Sure, here is the call:\n\n```json\n{J_WRITE}\n```"), (WRITE,), text="Sure, here is the call:", prints=True),
    Row("words, then JSON", said(f"I look.\n\n{J_READ}"), (READ,), text="I look."),
    Row("words, then broken JSON", said('First this:\n{"name": "read_file", "arguments": {"path": oops}}'), ("schema_reject",), text="First this:"),
    Row("phi", said(f"functools[{J_WRITE}]"), (WRITE,)),
    Row("command-r", said('Action: ```json\n[{"tool_name": "read_file", "parameters": {"path": "a.py"}}]\n```'), (READ,)),
    Row("command-a", said('<|START_THINKING|>I read it.<|END_THINKING|><|START_ACTION|>[{"tool_name": "read_file", "parameters": {"path": "a.py"}}]<|END_ACTION|>'), (READ,)),
    Row("gemma, words and then a fence of tool code", said('I read it.\n```tool_code\nprint(default_api.read_file(path="a.py"))\n```'), (READ,), text="I read it."),
    Row("gemma, a text in triple quotes", said('```tool_code\nwrite_file(path="a.py", text="""x = 1\n""")\n```'), (WRITE,)),
    Row("gemma, triple quotes and words before", said('I write it.\n```tool_code\nprint(write_file(path="a.py", text=\'\'\'x = 1\n\'\'\'))\n```'), (WRITE,), text="I write it.", prints=True),
    Row("gemma, triple quotes that are not closed", said('```tool_code\nwrite_file(path="a.py", text="""x = 1\n")\n```'), ("schema_reject",)),
    Row("granite, comments and commas", said('<|tool_call|>[\n  {\n    "name": "write_file",\n    "arguments": {\n      "path": "a.py",  // the new file\n      "text": "x = 1\\n",\n    },\n  },\n]'), (WRITE,)),
    Row("a comment above the call", said('<tool_call>\n{\n  # read it\n  "name": "read_file",\n  "arguments": {"path": "a.py"} /* all */\n}\n</tool_call>'), (READ,)),
    Row("comments in bare JSON", said('{\n  "name": "read_file", // the tool\n  "arguments": {"path": "a.py"}\n}'), (READ,)),
    Row("mistral, an escaped name", said('[TOOL_CALLS] [{"name": "write\\_file", "arguments": {"path": "a.py", "text": "x = 1\\n"}}]'), (WRITE,)),
    Row("escaped keys", said('<tool_call>{"tool\\_name": "edit\\_file", "arguments": {"path": "a.py", "old\\_str": "a", "new\\_str": "b"}}</tool_call>'), (("edit_file", {"path": "a.py", "old": "a", "new": "b"}),)),
    Row("devstral, an escaped name", said('[TOOL_CALLS]read\\_file[ARGS]{"path": "a.py"}'), (READ,)),
    Row("qwen3-coder, escaped names", said("<function=edit\\_file>\n<parameter=path>a.py</parameter>\n<parameter=old\\_str>a</parameter>\n<parameter=new\\_str>b</parameter>\n</function>"), (("edit_file", {"path": "a.py", "old": "a", "new": "b"}),)),
    Row("a stutter", said(f"<tool_call>\n{J_WRITE}\n</tool_call>\n" * 2), (WRITE,)),
    Row("a stutter of bare JSON", said(f"{J_WRITE}\n" * 3), (WRITE,)),
    Row("a stutter in two notations", said(f"<tool_call>\n{J_READ}\n</tool_call>\n<function=read_file>\n<parameter=path>a.py</parameter>\n</function>"), (READ,)),
    Row("a stutter of three, in a fence", said(f"```json\n{J_WRITE}\n{J_WRITE}\n{J_WRITE}\n```"), (WRITE,)),
    Row("the same call with words between", said(f"<tool_call>{J_WRITE}</tool_call>\nOnce more:\n<tool_call>{J_WRITE}</tool_call>"), (WRITE, WRITE), text="Once more:"),
    Row("the same call with another between", said(f"<tool_call>{J_READ}</tool_call>\n<tool_call>{J_WRITE}</tool_call>\n<tool_call>{J_READ}</tool_call>"), (READ, WRITE, READ)),
    Row("python calls, one a line", said('<function_calls>\nread_file(path="a.py")\nlist_dir(path=".")\n</function_calls>'), (READ, ("list_dir", {"path": "."}))),
    Row("llama 3.1, a method of the tool", said('<|python_tag|>read_file.call(path="a.py")'), (READ,)),
    Row("a closed call that lacks a bracket, and only reads", said('<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}\n</tool_call>'), (READ,)),
    Row("a closed fence that lacks a bracket, and only reads", said('```json\n{"name": "read_file", "arguments": {"path": "a.py"}\n```'), (READ,)),
    Row("almost JSON as the whole message", said("{'name': 'read_file', 'arguments': {'path': 'a.py',}}"), (READ,)),
    Row("raw line breaks in bare JSON", said('{"name": "write_file", "arguments": {"path": "a.py", "text": "x = 1\n"}}'), (WRITE,)),
    Row("an action and its input", said('{"action": "read_file", "action_input": {"path": "a.py"}}'), (READ,)),
    Row("granite: the name in `type`", said('<|tool_call|>[{"arguments": {"pattern": "25"}, "type": "search"}]'), (("search", {"pattern": "25"}),)),
    Row("devstral", said('[TOOL_CALLS]search[ARGS]{"query": "x"}'), (("search", {"pattern": "x"}),)),
    Row("devstral, two calls", said('[TOOL_CALLS]search[ARGS]{"query": "x"}[TOOL_CALLS]read_file[ARGS]{"path": "a.py"}'), (("search", {"pattern": "x"}), READ)),
    Row("mistral", said(f"[TOOL_CALLS] [{J_READ}]"), (READ,)),
    Row("gpt-oss, tokens swallowed", said('commentary to=functions.read_file json{"path":"a.py"}'), (READ,)),
    Row("gpt-oss, all words run together", said('analysisWe need to read it.assistantcommentary to=functions.read_file json{"path":"a.py"}'), (READ,)),
    Row("gpt-oss, all tokens there", said('<|channel|>analysis<|message|>Read it.<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.py"}<|call|>'), (READ,)),
    Row("gpt-oss, letters of another alphabet", said('to=functions.read_file 天天中彩票能json\n{"path": "a.py"}цҳауеит'), (READ,)),
    Row("glm without arguments", said("<tool_call>list_dir</tool_call>"), (("list_dir", {}),)),
    Row("glm, keys and values", said("<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>start</arg_key>\n<arg_value>3</arg_value>\n</tool_call>"), (("read_file", {"path": "a.py", "start": 3}),)),
    Row("deepseek markup", said('<｜DSML｜tool_calls><｜DSML｜invoke name="exec_command"><｜DSML｜parameter name="cmd" string="true">ls -la</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>'), (SHELL,)),
    Row("deepseek markup with other bars", said('Reading.\n<‖DSML‖tool_calls>\n<‖DSML‖invoke name="read_file">\n<‖DSML‖parameter name="path" string="true">a.py</‖DSML‖parameter>\n</‖DSML‖invoke>\n</‖DSML‖tool_calls>'), (READ,), text="Reading."),
    Row("deepseek markup with doubled bars", said('<｜｜DSML｜｜tool_calls><｜｜DSML｜｜invoke name="read_file"><｜｜DSML｜｜parameter name="path">a.py</｜｜DSML｜｜parameter></｜｜DSML｜｜invoke></｜｜DSML｜｜tool_calls>'), (READ,)),
    Row("deepseek tokens around a fence", said('<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.py"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'), (READ,)),
    Row("kimi, half of the tokens", said('functions.write:0 <|tool_call_argument_begin|> {"path": "a.py", "content": "x = 1\\n"}'), (WRITE,)),
    Row("kimi, all tokens", said('<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.py"}<|tool_call_end|><|tool_calls_section_end|>'), (READ,)),
    Row("invoke", said('<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.py</parameter>\n</invoke>\n</function_calls>'), (READ,)),
    Row("minimax", said('<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a.py</parameter>\n</invoke>\n</minimax:tool_call>'), (READ,)),
    Row("llama, as Python", said('[read_file(path="a.py"), list_dir(path=".")]'), (READ, ("list_dir", {"path": "."}))),
    Row("gemma, a fence of tool code", said('```tool_code\nprint(read_file(path="a.py"))\n```'), (READ,)),
    Row("gemma, its own quotes", said("<start_function_call>call:read_file{path:<escape>a.py<escape>}<end_function_call>"), (READ,)),
    Row("llama 3.1, JSON in a function tag", said('<function=read_file>{"path": "a.py"}</function>'), (READ,)),
    Row("llama 3, the python tag", said('<|python_tag|>{"name": "read_file", "parameters": {"path": "a.py"}}<|eom_id|>'), (READ,)),
    Row("nemotron, a list in a tag", said(f"<TOOLCALL>[{J_READ}]</TOOLCALL>"), (READ,)),
    Row("the transcript of a call", said('[Assistant tool call]: shell({"command": "ls -la"})'), (SHELL,)),
    Row("the transcript of a call, in brackets", said('[Calling tool: read_file({"path": "a.py"})]'), (READ,)),
    Row("the transcript of a call, in words", said('Now:\n[Calling tool read_file with arguments: {"path": "a.py"}]'), (READ,), text="Now:"),
    Row("hermes, after a sentence", said(f"I will look.\n<tool_call>\n{J_READ}\n</tool_call>"), (READ,), text="I will look."),
    Row("hermes, two calls, nothing closed", said(f'<tool_call>{J_READ}\n<tool_call>{{"name": "list_dir", "arguments": {{}}}}'), (READ, ("list_dir", {}))),
    Row("hermes, the fields beside the name", said('<tool_call>{"name": "read_file", "path": "a.py"}</tool_call>'), (READ,)),
    Row("hermes, single quotes", said("<tool_call>{'name': 'read_file', 'arguments': {'path': 'a.py'}}</tool_call>"), (READ,)),
    Row("hermes, arguments as a text", said('<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}</tool_call>'), (READ,)),
    Row("text about the tags inside a value", said("<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=text>\nWrite `</parameter>` and <function=x> here.\n</parameter>\n</function>"), (("write_file", {"path": "a.md", "text": "Write `</parameter>` and <function=x> here."}),)),
    Row("a fence inside a value", said("<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=text>\n```\ncode\n```\n</parameter>\n</function>"), (("write_file", {"path": "a.md", "text": "```\ncode\n```"}),)),
    Row("indentation inside a value stays", said("<function=edit_file>\n<parameter=path>a.py</parameter>\n<parameter=old>    return 1</parameter>\n<parameter=new>\n    return 2\n</parameter>\n</function>"), (("edit_file", {"path": "a.py", "old": "    return 1", "new": "    return 2"}),)),
    Row("cline", said("I look.\n<read_file>\n<path>a.py</path>\n</read_file>"), (READ,), text="I look."),
    Row("cline, a command", said("<execute_command>\n<command>ls -la</command>\n<requires_approval>false</requires_approval>\n</execute_command>"), (SHELL,)),
    Row("cline, a file", said("<write_to_file>\n<path>a.py</path>\n<content>\nx = '<b>'\n</content>\n</write_to_file>"), (("write_file", {"path": "a.py", "text": "x = '<b>'"}),)),
    Row("the name and the arguments in tags", said('<tool_call>\n<name>read_file</name>\n<arguments>{"path": "a.py"}</arguments>\n</tool_call>'), (READ,)),
    Row("a model that plays the tool: only the call before it", said(f"<tool_call>{J_READ}</tool_call>\n<tool_response>\nx\n</tool_response>\n<tool_call>{J_WRITE}</tool_call>"), (READ,)),
)  # fmt: skip

# ------------------------------------------------------------------------------------- calls that the server gave

GIVEN = (
    Row("the same call twice, as calls", ModelReply(calls=(RawCall("c1", "run_command", '{"command": "ls -la"}'), RawCall("c2", "run_command", '{"command": "ls -la"}')), finish="tool_calls"), (SHELL, SHELL)),
    Row("a token in the name", called("read_file<|channel|>commentary", '{"path": "a.py"}'), (READ,)),
    Row("the name twice", called("read_fileread_file", '{"path": "a.py"}'), (READ,)),
    Row("the name in another case", called("ReadFile", '{"path": "a.py"}'), (READ,)),
    Row("the name with hyphens", called("read-file", '{"path": "a.py"}'), (READ,)),
    Row("the name with its namespace", called("functions.read_file:3", '{"path": "a.py"}'), (READ,)),
    Row("encoded twice", called("read_file", '"{\\"path\\": \\"a.py\\"}"'), (READ,)),
    Row("encoded three times", called("read_file", '"\\"{\\\\\\"path\\\\\\": \\\\\\"a.py\\\\\\"}\\""'), (READ,)),
    Row("raw line breaks in strings", called("write_file", '{"path": "a.py", "text": "x = 1\n"}'), (WRITE,)),
    Row("an object twice", called("read_file", '{"path": "a.py"}{"path": "a.py"}'), (READ,)),
    Row("an empty object before it", called("read_file", '{}{"path": "a.py"}'), (READ,)),
    Row("a comma too many", called("read_file", '{"path": "a.py",}'), (READ,)),
    Row("Python instead of JSON", called("edit_file", "{'path': 'a.py', 'old': 'a', 'new': \"it's\", 'every': True}"), (("edit_file", {"path": "a.py", "old": "a", "new": "it's", "every": True}),)),
    Row("keys without quotes", called("read_file", '{path: "a.py"}'), (READ,)),
    Row("a fence around it", called("read_file", '```json\n{"path": "a.py"}\n```'), (READ,)),
    Row("a tag behind it", called("read_file", '{"path": "a.py"}</parameter'), (READ,)),
    Row("a bracket too many", called("read_file", '{"path": "a.py"}}'), (READ,)),
    Row("backslashes of a regular expression", called("search", '{"pattern": "foo\\.bar\\d+"}'), (("search", {"pattern": "foo\\.bar\\d+"}),)),
    Row("a range as text", called("view", '{"path": "a.py", "view_range": "[1, 5]"}'), (("read_file", {"path": "a.py", "start": 1, "end": 5}),)),
    Row("a range with line breaks around it", called("read_file", '{"path": "a.py", "view_range": \n[1, 100]\n\n}'), (("read_file", {"path": "a.py", "start": 1, "end": 100}),)),
    Row("numbers as text", called("read_file", '{"path": "a.py", "start": "3", "end": "null"}'), (("read_file", {"path": "a.py", "start": 3}),)),
    Row("cmd and a description", called("Bash", '{"cmd": "ls -la", "description": "List files"}'), (SHELL,)),
    Row("a command in words", called("run_command", '{"command": ["grep", "-n", "a b", "c.py"]}'), (("run_command", {"command": "grep -n 'a b' c.py"}),)),
    Row("filePath", called("read_file", '{"filePath": "a.py"}'), (READ,)),
    Row("arguments inside arguments", called("read_file", '{"arguments": {"path": "a.py"}}'), (READ,)),
    Row("the whole call inside its arguments", called("read_file", '{"name": "read_file", "input": "{\\"path\\": \\"a.py\\"}"}'), (READ,)),
    Row("old text in chunks that end their lines", called("edit_file", '{"path": "a.py", "old_str": ["a\\n", "b\\n"], "new_str": "c\\n"}'), (("edit_file", {"path": "a.py", "old": "a\nb\n", "new": "c\n"}),)),
    Row("edits as text, with a tag that ran into them", called("apply_edits", '{"edits": "[{\\"path\\": \\"a.py\\", \\"old\\": \\"a\\", \\"new\\": \\"b\\"}]<parameter name=\\"security_risk\\">LOW"}'), (("apply_edits", {"edits": [{"path": "a.py", "old": "a", "new": "b"}]}),)),
    Row("other names inside a list", called("multi_edit", '{"edits": [{"file_path": "a.py", "old_string": "a", "new_string": "b"}]}'), (("apply_edits", {"edits": [{"path": "a.py", "old": "a", "new": "b"}]}),)),
    Row("a list where the object should be", called("apply_edits", '[{"path": "a.py", "old": "a", "new": "b"}]'), (("apply_edits", {"edits": [{"path": "a.py", "old": "a", "new": "b"}]}),)),
    Row("a bare text for the only field", called("apply_patch", '"--- a/x\\n+++ b/x\\n"'), (("write_patch", {"diff": "--- a/x\n+++ b/x\n"}),)),
    Row("nothing at all for a tool that needs nothing", called("ls", ""), (("list_dir", {}),)),
    Row("a read that was cut after its path", called("read_file", '{"path": "a.py", "start": 1', "length"), (READ,)),
    Row("the name in the arguments only", called("", J_READ), (READ,)),
    Row("a hull beside a call", ModelReply(calls=(RawCall("", "", ""), RawCall("c", "read_file", '{"path": "a.py"}')), finish="tool_calls"), (READ,)),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ must not execute

TRUNCATED_WRITE = '{"path": "a.py", "text": "import os\\nshutil.rm'

REFUSED = (
    Row("two objects that differ", called("search", '{"query":"A","count":5}{"query":"B","count":5}'), ("schema_reject",)),
    Row("two lists of files that differ", called("apply_edits", '{"edits":[{"path":"a","old":"a","new":"b"}]}{"edits":[{"path":"b","old":"a","new":"b"}]}'), ("schema_reject",)),
    Row("a key with two values", called("write_file", '{"path": "a.py", "path": "b.py", "text": "x"}'), ("schema_reject",)),
    Row("a cut string of a write, the server says stop", called("write_file", TRUNCATED_WRITE, "stop"), ("schema_reject",)),
    Row("a cut string of a write, the server says length", called("write_file", TRUNCATED_WRITE, "length"), ("schema_reject",)),
    Row("a whole write in a reply that was cut", called("write_file", '{"path": "a.py", "text": "x"}', "length"), ("schema_reject",)),
    Row("a whole write in a stream that broke", ModelReply(calls=(RawCall("c", "write_file", '{"path": "a.py", "text": "x"}'),), failure=FailPiece("cut", "reset")), ("schema_reject",)),
    Row("a whole write in a stream that never said it was over", called("write_file", '{"path": "a.py", "text": "x"}', None), ("schema_reject",)),
    Row("a whole write that a filter cut", called("write_file", '{"path": "a.py", "text": "x"}', "content_filter"), ("schema_reject",)),
    Row("a whole write beside one that was cut", ModelReply(calls=(RawCall("a", "write_file", '{"path": "a.py", "text": "x"}'), RawCall("b", "write_file", TRUNCATED_WRITE)), finish="tool_calls"), ("schema_reject", "schema_reject")),
    Row("a write that lacks only its last bracket", called("write_file", '{"path": "a.py", "text": "x"'), ("schema_reject",)),
    Row("edits that lack only a bracket", called("apply_edits", '{"edits": [{"path": "a", "old": "a", "new": "b"}'), ("schema_reject",)),
    Row("a cut command with a tag in it", called("run_command", '{"cmd": "timeout 7\n7", "echo x\n</parameter": '), ("schema_reject",)),
    Row("a cut write, encoded twice", called("write_file", '"{\\"path\\": \\"a.py\\", \\"text\\": \\"x'), ("schema_reject",)),
    Row("a cut write inside a whole wrapper", called("write_file", '{"arguments": "{\\"path\\": \\"a.py\\", \\"text\\": \\"x"}'), ("schema_reject",)),
    Row("a cut write in single quotes", called("write_file", "{'path': 'a.py', 'text': 'x"), ("schema_reject",)),
    Row("a quote that was not escaped", called("write_file", '{"path": "a.py", "text": "say "hi" now"}'), ("schema_reject",)),
    Row("a forgotten backslash beside real ones", called("write_file", '{"path": "a.py", "text": "re.match(\'\\d\')\\nprint(\'\\n\')"}'), ("schema_reject",)),
    Row("old text in chunks that may be lines or halves", called("edit_file", '{"path": "a.py", "old": ["a", "b"], "new": "c"}'), ("schema_reject",)),
    Row("an object where a text should be", called("write_file", '{"path": "package.json", "text": {"name": "x"}}'), ("schema_reject",)),
    Row("a field that is not there", called("write_file", '{"path": "a.py"}'), ("schema_reject",)),
    Row("two names for one field that differ", called("read_file", '{"file": "a.py", "filename": "b.py"}'), ("schema_reject",)),
    Row("a call of another tool in the arguments", called("read_file", '{"name": "write_file", "arguments": {"path": "a.py"}}'), ("schema_reject",)),
    Row("a number that JSON does not have", called("read_file", '{"path": "a.py", "start": NaN}'), ("schema_reject",)),
    Row("a number without end", called("read_file", '{"path": "a.py", "start": 1e999}'), ("schema_reject",)),
    Row("half of a character", called("write_file", '{"path": "a.py", "text": "\\ud83d"}'), ("schema_reject",)),
    Row("an abyss of brackets", called("read_file", '{"path": ' + "[" * 100_000), ("schema_reject",)),
    Row("words instead of arguments", called("run_command", "please list the files"), ("schema_reject",)),
    Row("no tool of that name", called("launch_missiles", "{}"), ("tool_not_found",)),
    Row("the recipient is a format", called("<|constrain|>json", '{"path": "a.py"}'), ("tool_not_found",)),
    Row("no name at all", called("", '{"path": "a.py"}'), ("schema_reject",)),
    Row("a name like one of ours", called("read_fil", '{"path": "a.py"}'), ("tool_not_found",)),
    Row("harmony without a recipient", said('<|channel|>commentary<|message|>{"path": "/", "depth": 2}<|end|>'), ("schema_reject",)),
    Row("a printed call of a tool that there is not", said('<tool_call>\n{"name": "launch", "arguments": {}}\n</tool_call>'), ("tool_not_found",)),
    Row("a printed call that cannot be read", said('<tool_call>\n{"name": "read_file", "arguments": {"path": oops}}\n</tool_call>'), ("schema_reject",)),
    Row("a printed write that was cut", said('<tool_call>\n{"name": "write_file", "arguments": ' + TRUNCATED_WRITE), ("schema_reject",)),
    Row("a bare write that was cut", said('{"name": "write_file", "arguments": ' + TRUNCATED_WRITE), ("schema_reject",)),
    Row("a list of calls that was cut", said(f"[{J_WRITE}"), ("schema_reject",)),
    Row("a tagged write that was cut", said("<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=text>\nimport o"), ("schema_reject",)),
    Row("a tagged write whose call is not closed", said("<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=text>\nx\n</parameter>\n"), ("schema_reject",)),
    Row("a lone field that is not closed", said("<function=run_command>\n<parameter=command>\nrm -rf build"), ("schema_reject",)),
    Row("qwen3-coder, a write of which nothing is closed", said("<function=create_new_file>\n<parameter=filepath> test.txt\n<parameter=contents> hello"), ("schema_reject",)),
    Row("fields that are never closed, in a reply that was cut", said("<function=write_file>\n<parameter=path> a.py\n<parameter=text> hel", "length"), ("schema_reject",)),
    Row("glm, cut in a value", said("<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>text</arg_key>\n<arg_value>impor"), ("schema_reject",)),
    Row("a closed call that lacks a bracket, and changes something", said('<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "text": "x"}\n</tool_call>'), ("schema_reject",)),
    Row("a closed call that lacks a bracket and a string", said('<tool_call>\n{"name": "read_file", "arguments": {"path": "a.p\n</tool_call>'), ("schema_reject",)),
    Row("a closed fence in which a bracket is missing", said('```json\n{"name": "write_file", "arguments": {"path": "a.py", "text": "x"}\n```'), ("schema_reject",)),
    Row("a field twice, in tags", said("<function=write_file>\n<parameter=path>a</parameter>\n<parameter=path>b</parameter>\n<parameter=text>x</parameter>\n</function>"), ("schema_reject",)),
    Row("python, cut", said('[write_file(path="a.py", text="x'), ("schema_reject",)),
    Row("python, the list is not closed", said('[write_file(path="a.py", text="x")'), ("schema_reject",)),
    Row("cline, a file that was cut", said("<write_to_file>\n<path>a.py</path>\n<content>\nx = 1"), ("schema_reject",)),
    Row("cline, words beside the fields", said("<read_file>\n<path>a.py</path>\nand then\n</read_file>"), (), text=None),
    Row("markup whose tags are no tools", said("<user_list>\n<name>a</name>\n</user_list>"), (), text=None),
    Row("a read that was cut in its path", called("read_file", '{"path": "src/ma', "length"), ("schema_reject",)),
    Row("an unregistered name, bare", said('{"name": "launch", "arguments": {}}'), (), text=None),
    Row("an include", said("#include <functional>\n#include <tool>\nint main() {}"), (), text=None),
    Row("sample JSON in an explanation", said(f"A call looks like this:\n\n{J_READ}\n\nThat is all."), (), text=None),
    Row("words, then JSON in a fence that would change something", said(f"Sure, here is the call:\n\n```json\n{J_WRITE}\n```"), (), text=None),
    Row("words, then JSON that would change something", said(f"Send this, by all means:\n\n{J_WRITE}"), (), text=None),
    Row("words, then tool code that would change something", said('So:\n```tool_code\nwrite_file(path="a.py", text="x")\n```'), (), text=None),
    Row("sample JSON in a fence, with words around it", said(f"Send this:\n```json\n{J_WRITE}\n```\nDone."), (), text=None),
    Row("a quoted tag in a sentence", said(f"Write <tool_call>{J_WRITE}</tool_call> to write a file."), (), text=None),
    Row("a tag in quotes", said(f'He wrote "<tool_call>{J_WRITE}</tool_call>"'), (), text=None),
    Row("a tag in inline code", said(f"Try `<tool_call>{J_WRITE}</tool_call>`"), (), text=None),
    Row("a tag in a fence", said(f"For example:\n```xml\n<tool_call>\n{J_WRITE}\n</tool_call>\n```\nSo it goes."), (), text=None),
    Row("a fenced example of invoke", said('Like so:\n\n```\n<invoke name="write_file">\n<parameter name="path">a</parameter>\n<parameter name="text">b</parameter>\n</invoke>\n```\n'), (), text=None),
    Row("a fenced example of invoke and nothing else", said('```xml\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n```'), (), text=None),
    Row("a quoted line", said(f"You said:\n> <tool_call>{J_WRITE}</tool_call>\nI did not."), (), text=None),
    Row("a call in a thought", said(f"<think>\n<tool_call>{J_WRITE}</tool_call>\n</think>\nDone."), (), text="\nDone."),
    Row("a call in a thought that never ends", said(f"<think>\n<tool_call>{J_WRITE}</tool_call>"), ()),
    Row("a call in a thought that the template opened", said(f"I could send\n<tool_call>{J_WRITE}</tool_call>\n</think>\nDone."), (), text="\nDone."),
    Row("a call in the reasoning channel", ModelReply(text="Done.", reasoning=f"<tool_call>{J_WRITE}</tool_call>", finish="stop"), (), text="Done."),
    Row("a tag and words behind it", said("<tool_call> is what Qwen writes before a call."), (), text=None),
    Row("a split marker", said("hello<‖DS|ML‖tool_calls>world"), (), text="helloworld"),
    Row("JSON that has a name and is no call", said('{"name": "search", "version": "1.0"}'), (), text=None),
    Row("JSON that is an answer", said('{"files": ["a.py", "b.py"]}'), (), text=None),
    Row("python code that calls a function of that name", said("def main():\n    read_file(path='a.py')\n"), (), text=None),
    Row("a shell line in prose", said("Run it with `bash` and then call read_file(path='a.py')."), (), text=None),
)  # fmt: skip

ROWS = (*PRINTED, *GIVEN, *REFUSED)
