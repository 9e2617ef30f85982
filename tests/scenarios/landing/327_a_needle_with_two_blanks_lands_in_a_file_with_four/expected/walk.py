def walk(tree):
    for node in tree:
        if node.leaf:
            if node.value:
                yield node
        else:
            yield from walk(node)
