def label():
    title = "it's there"
    note = "wait... now"
    return title + note
