NAMES = [
    "ada",
    "grace",
]
