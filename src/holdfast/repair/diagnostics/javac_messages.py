"""Sentences for the keys of javac, whose raw diagnostics have none."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_pattern import lazy_pattern

_KINDS = lazy_pattern(r"kindname\.([\w.]+)")
_INNER = lazy_pattern(r"compiler\.misc\.([\w.]+)")
_WORDS = {
    "already.defined": "already defined",
    "cant.apply.symbol": "cannot be called with these arguments",
    "cant.apply.symbols": "no version of it can be called with these arguments",
    "cant.assign.val.to.final.var": "a final variable cannot be assigned to",
    "cant.assign.val.to.var": "a final variable cannot be assigned to",
    "cant.inherit.from.final": "a final class cannot be extended",
    "cant.ref.non.effectively.final.var": "a variable used here must be final or effectively final",
    "cant.resolve": "cannot find symbol",
    "cant.resolve.args": "cannot find symbol",
    "cant.resolve.location": "cannot find symbol",
    "cant.resolve.location.args": "cannot find symbol",
    "class.public.should.be.in.file": "a public class must be in a file of its own name",
    "does.not.override.abstract": "not abstract, and does not override an abstract method",
    "does.not.exist": "does not exist",
    "doesnt.exist": "package does not exist",
    "duplicate.class": "duplicate class",
    "else.without.if": "'else' without 'if'",
    "expected": "expected",
    "expected2": "one of these expected",
    "expected3": "one of these expected",
    "illegal.char": "illegal character",
    "illegal.start.of.expr": "illegal start of an expression",
    "illegal.start.of.type": "illegal start of a type",
    "incomparable.types": "incomparable types",
    "incompatible.types": "incompatible types",
    "int.number.too.large": "the integer is too large",
    "invalid.meth.decl.ret.type.req": "invalid method declaration; a return type is required",
    "method.does.not.override.superclass": "the method does not override one of a supertype",
    "missing.ret.stmt": "missing return statement",
    "name.clash.same.erasure": "name clash: the same erasure",
    "non-static.cant.be.ref": "not static, and cannot be referred to from a static context",
    "not.def.public.cant.access": "not public, and cannot be accessed from outside its package",
    "not.stmt": "not a statement",
    "operator.cant.be.applied.1": "bad operand types for the operator",
    "premature.eof": "the end of the file was reached while parsing",
    "prob.found.req": "incompatible types",
    "report.access": "has private or protected access",
    "ret.outside.meth": "return outside a method",
    "unclosed.str.lit": "unclosed string literal",
    "unreachable.stmt": "unreachable statement",
    "unreported.exception.need.to.catch.or.throw": (
        "an unreported exception must be caught or declared to be thrown"
    ),
    "var.might.not.have.been.initialized": "a variable might not have been initialized",
    "inconvertible.types": "cannot be converted: from, to",
    "possible.loss.of.precision": "possible loss of precision: from, to",
    "arg.length.mismatch": "the numbers of arguments differ",
    "no.conforming.assignment.exists": "an argument does not fit",
    "no.args": "no arguments",
    "location": "in",
    "location.1": "in",
}


def in_words(code: str, arguments: str) -> str:
    """Return a sentence for a key, with its arguments; internal names of javac are left out.

    >>> in_words("compiler.err.cant.resolve", "kindname.variable, x, , ")
    'cannot find symbol: variable, x'
    """
    key = code.split(".", 2)[-1]
    rest = _KINDS.sub(lambda found: found[1].replace(".", " "), arguments)
    rest = _INNER.sub(lambda found: _words_of(found[1]), rest)
    rest = re.sub(r"(?:, )+(?=, |$)", "", rest).removesuffix(",").strip()
    if not rest:
        return _words_of(key)

    return f"{_words_of(key)}: {rest}"


def _words_of(key: str) -> str:
    return _WORDS.get(key) or key.replace(".", " ")
