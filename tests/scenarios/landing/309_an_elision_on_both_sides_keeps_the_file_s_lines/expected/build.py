def build(source):
    tokens = scan(source.strip())
    tree = parse(tokens)
    tree = fold(tree)
    tree = inline(tree)
    code = emit(tree)
    return optimise(code)
