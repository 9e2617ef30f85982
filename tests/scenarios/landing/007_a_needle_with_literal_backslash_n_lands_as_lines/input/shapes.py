def area(width, height):
    return width + height


def border(width, height):
    return 2 * (width + height)
