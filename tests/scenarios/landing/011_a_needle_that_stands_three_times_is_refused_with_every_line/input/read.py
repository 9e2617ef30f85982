def first(path):
    with open(path) as file:
        return file.read()


def second(path):
    with open(path) as file:
        return file.read()


def third(path):
    with open(path) as file:
        return file.read()
