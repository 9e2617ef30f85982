def area(w, h):
    size = w * h
    return size


print(area(2, 3))
