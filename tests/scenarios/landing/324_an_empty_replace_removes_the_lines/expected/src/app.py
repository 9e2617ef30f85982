import sys


def greet(name):
    message = "Hello, " + name
    return message


def main():
    greet(sys.argv[1])
