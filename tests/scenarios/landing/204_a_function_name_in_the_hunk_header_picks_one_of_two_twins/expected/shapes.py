def circle(r):
    check(r)
    return 3 * r * r


def square(a):
    check(a)
    return a * a


def cube(a):
    check_positive(a)
    return a * a * a
