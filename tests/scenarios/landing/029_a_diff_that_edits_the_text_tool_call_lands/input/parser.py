OPEN = "<tool_call>"

SAMPLE = """
<tool_call>
{"name": "run"}
</tool_call>
"""
