def label():
    title = "it's here"
    note = "wait... now"
    return title + note
