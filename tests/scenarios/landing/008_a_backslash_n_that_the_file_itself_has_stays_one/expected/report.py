def report(name, count):
    print(name + "\n\t")
    print(count)
