import sys


def greet(name):
    message = "Good morning, " + name
    log(message)
    print(message)
    return message


def main():
    greet(sys.argv[1])
