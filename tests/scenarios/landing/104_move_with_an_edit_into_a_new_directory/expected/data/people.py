NAMES = [
    "Ada",
    "grace",
]
