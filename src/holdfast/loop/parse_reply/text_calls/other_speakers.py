"""Where a model speaks for somebody else: a tool whose answer it invents, or a user."""

from __future__ import annotations

from typing import Final

RESULT_LABEL: Final = (
    r"(?m-i:^\**(?:Observation|(?:Tool|Function) (?:[Oo]utput|[Rr]esult|[Rr]esponse))s?\**:)"
)
INVENTED: Final = (
    r"<(?:tool_response|tool_result|tool_results|function_results?|observation)>"
    rf"|\[TOOL_RESULTS\]|<\|tool_response\|?>|{RESULT_LABEL}"
)
"""The answer of a tool. Behind a call the model has invented it."""
_ROLE: Final = r"\s*(?:user|human|system|developer|tool|ipython|environment|observation)\b"
OTHER_SPEAKER: Final = (
    rf"<\|(?:im_start|start_header_id|start_of_role|start)\|>{_ROLE}"
    r"|<\|(?:user|human|system|observation)\|>|<\|turn>\s*user\b|<start_of_turn>\s*user\b"
    r"|<｜(?:user|tool▁outputs▁begin|tool▁output▁begin)｜>|\[INST\]"
)
"""The turn of another speaker: the model's own reply ends here."""
DIALOGUE: Final = r"(?m-i:^(?:User|Human):)"
"""A dialogue of plain lines may be a quotation: it stays in the text, and no call in it is run."""
