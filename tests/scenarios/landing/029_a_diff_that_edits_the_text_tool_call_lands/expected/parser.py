OPEN = "<tool_call>"

SAMPLE = """
<tool_call id="1">
{"name": "stop"}
</tool_call>
"""
