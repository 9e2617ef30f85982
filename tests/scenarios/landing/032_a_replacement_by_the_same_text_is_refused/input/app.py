import os


def start():
    return os.getcwd()


def stop():
    return None
