def report(name, count):
    print(name + "\n")
    print(count)
