def build(source):
    tokens = scan(source)
    tree = parse(tokens)
    tree = fold(tree)
    tree = inline(tree)
    code = emit(tree)
    return code
