def walk(tree):
    for node in tree:
        if node.leaf:
            yield node
        else:
            yield from walk(node)
