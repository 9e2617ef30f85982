import re

# range – inclusive, “both ends”
PATTERN = re.compile("a-b")
LIMIT = 5
