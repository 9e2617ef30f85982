"""The tables by which a syntax tree is read: which nodes and words mean what, per language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.preservation.fact import FactKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _facts_by_kind(
    *rows: tuple[FactKind, Mapping[str, str]],
) -> dict[str, list[tuple[FactKind, str]]]:
    table: dict[str, list[tuple[FactKind, str]]] = {}
    for fact, words in rows:
        for kind, word in words.items():
            table.setdefault(kind, []).append((fact, word))

    return table


# ------------------------------------------------------------------------------------------- nodes

CALLEES: Final = {
    "call": "function",
    "call_expression": "function",
    "method_invocation": "name",
    "new_expression": "constructor",
    "object_creation_expression": "type",
    "macro_invocation": "macro",
}
"""The calls, each with the field that names the function."""
LAST_PARTS: Final = ("function", "attribute", "property", "field", "name", "type")
"""The fields by which the last part of a dotted or generic name is found."""

NAMES: Final = _words(
    "identifier field_identifier property_identifier shorthand_property_identifier"
    " shorthand_field_identifier package_identifier"
)
TYPES: Final = _words(
    "type type_annotation type_identifier primitive_type predefined_type generic_type"
    " scoped_type_identifier type_arguments type_parameters sized_type_specifier union_type"
    " type_descriptor template_argument_list integral_type floating_point_type boolean_type"
    " array_type slice_type pointer_type map_type qualified_type interface_type function_type"
    " reference_type abstract_type dynamic_type type_alias_declaration"
)
"""Nodes below which names are types."""
IMPORTS: Final = _words(
    "import_statement import_from_statement import_declaration use_declaration preproc_include"
    " package_declaration future_import_statement"
)
CONDITIONED: Final = _words(
    "if_statement else_clause while_statement for_statement for_in_statement for_range_loop"
    " enhanced_for_statement"
)
"""Statements whose body is their last part."""
BLOCKS: Final = _words("block compound_statement statement_block")
LITERALS: Final = _words(
    "integer float number number_literal integer_literal float_literal int_literal"
    " decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal"
    " decimal_floating_point_literal string string_literal raw_string_literal template_string"
    " interpreted_string_literal char_literal character_literal rune_literal concatenated_string"
    " true false none null null_literal boolean_literal nil undefined imaginary_literal"
)
OPERATIONS: Final = _words(
    "binary_expression binary_operator comparison_operator boolean_operator not_operator"
    " unary_expression augmented_assignment augmented_assignment_expression assignment_expression"
    " assignment_statement compound_assignment_expr"
)
"""Nodes whose unnamed children are operators."""
MADE_UP: Final = LITERALS.union(CALLEES) | _words("! not_operator")
"""What a result has that no variable holds."""
COMPARISONS: Final = _words("== != === !== < > <= >= in is") | {"not in", "is not"}
LOGIC: Final = _words("and or not && || ! ??")
ARITHMETIC: Final = _words("+ - * / % ** // & | ^ << >>")
ASSERTION: Final = lazy_pattern(
    r"\W*(?:[\w.:]+(?:\.|::))?_?(?:static_|debug_)?(?:assert|expect|check|require)\w*\W",
    re.IGNORECASE,
)
"""How a statement begins that only checks something."""
ORDERED: Final = _words("- / % ** // << >> < > <= >=")
"""Operators whose operands cannot be swapped."""
ASSIGNING: Final = {f"{word}=": word for word in ARITHMETIC}
OPERATORS: Final[dict[str, FactKind]] = {
    **dict.fromkeys(COMPARISONS, "comparison"),
    **dict.fromkeys(LOGIC, "logic"),
    **dict.fromkeys(ARITHMETIC, "arithmetic"),
}
STOPS: Final = {
    "raise_statement": "raise",
    "throw_statement": "throw",
    "throw_expression": "throw",
    "assert_statement": "assert",
    "return_statement": "return",
    "return_expression": "return",
}
"""Statements that end a function, or the program."""
ERRORS: Final = _words("raise throw assert")
STOP_WORDS: Final = ERRORS | _words("return await break continue")
TRUTH_TYPES: Final = _words("bool boolean Boolean")
GUARDS: Final = {
    "await": "await",
    "await_expression": "await",
    "defer_statement": "defer",
    "with_item": "with",
    "synchronized_statement": "synchronized",
    "finally_clause": "finally",
    "lock_statement": "lock",
    "virtual_specifier": "override",
    "override_modifier": "override",
    "super_interfaces": "implements",
    "implements_clause": "implements",
    "superclass": "extends",
    "extends_clause": "extends",
    "base_class_clause": "extends",
    "reference_declarator": "&",
}
"""Constructs that protect what is in them, or wait for it."""
FACTS_BY_KIND: Final = _facts_by_kind(
    ("name", dict.fromkeys(NAMES, "")),
    ("literal", dict.fromkeys(LITERALS, "")),
    ("stop", STOPS),
    ("guard", GUARDS),
)
"""What a node is by its kind alone, with the word for it; "": its text."""
MEMBER_LISTS: Final = ("declaration_list", "class_body", "block/class_definition")
"""What a method is in: the kind of the node around it, and more if that is not clear."""
TEXTS: Final = _words("string template_string")
DOCUMENTED: Final = {""} | _words("function_definition class_definition")
"""What a documentation is in; "": the text itself."""
BINDINGS: Final = {
    "assignment": ("left", "right"),
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "let_declaration": ("pattern", "value"),
    "const_item": ("name", "value"),
    "static_item": ("name", "value"),
    "short_var_declaration": ("left", "right"),
    "assignment_statement": ("left", "right"),
    "var_spec": ("name", "value"),
    "const_spec": ("name", "value"),
    "init_declarator": ("declarator", "value"),
    "preproc_def": ("name", "value"),
    "preproc_function_def": ("name", "value"),
    "enumerator": ("name", "value"),
    "function_definition": ("name", "body"),
    "function_declaration": ("name", "body"),
    "function_item": ("name", "body"),
    "method_declaration": ("name", "body"),
    "method_definition": ("name", "body"),
    "class_definition": ("name", "body"),
}
"""Nodes that define a name, with the fields of the name and of its value."""
WRITES: Final = {
    "assignment": "left",
    "augmented_assignment": "left",
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "compound_assignment_expr": "left",
    "update_expression": "argument",
    "assignment_statement": "left",
    "inc_statement": "",
    "dec_statement": "",
    "for_statement": "left",
    "for_in_statement": "left",
    "global_statement": "",
    "nonlocal_statement": "",
    "attribute": "object",
    "member_expression": "object",
    "field_expression": "argument",
    "selector_expression": "operand",
    "method_invocation": "object",
    "subscript": "value",
    "subscript_expression": "object",
    "index_expression": "operand",
    "array_access": "array",
    "pointer_expression": "argument",
    "reference_expression": "value",
}
"""Nodes that set a variable, or use what is in it, with the field of the variable."""
NOTHING: Final = {""} | _words(
    "None null nil NULL nullptr undefined 0 0.0 0L 0.0f -1 False false FALSE True true TRUE"
    " \"\" '' `` [] {} () list() dict() set() tuple() vec![] object() pass ... {0} todo!()"
    " unimplemented!() unreachable!() String::new() Vec::new() Default::default() lambda:None"
)
"""Values and bodies without meaning."""
NAMES_OF_NOTHING: Final = {""} | _words(
    "main false true null nil none noop unused UNUSED no_op False True None NULL FALSE TRUE"
)
"""Names that mean nothing, and the one function that a program must have."""

# -------------------------------------------------------------------------------------- words

EVADING_CALLS: Final = {
    "python": _words(
        "cast getattr setattr eval exec suppress vars globals locals __import__ hasattr bool"
    ),
    "typescript": _words("eval Function parse stringify catch Boolean"),
    "tsx": _words("eval Function parse stringify catch Boolean"),
    "javascript": _words("eval Function catch Boolean"),
    "c": frozenset[str](),
    "cpp": _words("reinterpret_cast const_cast any_cast value_or"),
    "rust": _words(
        "unwrap_or unwrap_or_default unwrap_or_else ok unreachable todo unimplemented transmute"
        " forget leak from_raw catch_unwind is_ok is_err is_some is_none"
    ),
    "java": _words("orElse orElseGet requireNonNullElse hashCode identityHashCode"),
    "go": _words("recover"),
}
"""Functions that keep the checker from seeing an error, or put a value in its place."""
FOREIGN_COMMENTS: Final = {
    "python": ("//", "/*"),
    "javascript": ("# ",),
    "typescript": ("# ",),
    "tsx": ("# ",),
    "c": ("--",),
    "cpp": ("--",),
    "rust": ("# ",),
    "java": ("# ",),
    "go": ("# ",),
}
"""How comments of other languages begin, which are no code here."""
WIDE_TYPES: Final = {
    "python": _words("Any any Incomplete object"),
    "typescript": _words("any unknown Function object never"),
    "tsx": _words("any unknown Function object never"),
    "javascript": frozenset[str](),
    "c": frozenset[str](),
    "cpp": frozenset[str](),
    "rust": _words("Any"),
    "java": _words("Object"),
    "go": _words("any"),
}
"""Types that fit every value."""
UNCHECKED_TYPES: Final = _words("Any any Incomplete")
"""Those of them with which nothing is checked any more."""
UNIONS: Final = _words("| Optional Union")
OPTIONAL_PARAMETERS: Final = _words(
    "default_parameter typed_default_parameter optional_parameter optional_parameter_declaration"
    " assignment_pattern list_splat_pattern dictionary_splat_pattern variadic_parameter"
)
DECLARED_TYPES: Final = _words(
    "class_definition class_declaration abstract_class_declaration interface_declaration"
    " enum_declaration type_alias_declaration record_declaration struct_item enum_item trait_item"
    " type_item struct_specifier class_specifier enum_specifier union_specifier type_spec"
)
DECLARED_VALUES: Final = {
    "variable_declarator": "name",
    "const_spec": "name",
    "var_spec": "name",
    "const_item": "name",
    "static_item": "name",
    "init_declarator": "declarator",
    "preproc_function_def": "name",
    "assignment": "left",
}
"""Declarations whose names others may use if they are not in a function."""
DECLARING: Final = DECLARED_TYPES.union(DECLARED_VALUES)
VISIBILITY_WORDS: Final = {
    "python": frozenset[str](),
    "javascript": _words("export default"),
    "typescript": _words("export default public private protected"),
    "tsx": _words("export default public private protected"),
    "c": _words("static"),
    "cpp": _words("static public private protected"),
    "rust": _words("pub"),
    "java": _words("public private protected"),
    "go": frozenset[str](),
}
"""Words that say who may use a name; in C `static` keeps it in its file."""
NARROWING: Final = _words("private protected static")
READ_ONLY: Final = _words("const final readonly")
_COPYING: Final = (
    r"\b(list|dict|set|tuple|copy|deepcopy|sorted|slice|concat|clone|to_vec|to_owned|from|of)"
)
"""Functions that return a copy of what they get, or are called on."""
_COPY: Final = (
    r"(?:[\[{]\.\.\.\w|(?:list|dict|set)\([^\W\d]|new \w+<[^()]*>\([^\W\d]"
    r"|[^;{}]*(?:\[:\]$|\b(?:copy|deepcopy|slice|clone|to_vec|to_owned)\())"
)
"""How a value begins that is a copy of a variable."""
_CHANGING: Final = "iter_mut|get_mut|as_mut|as_mut_slice|as_mut_ptr|last_mut|first_mut"
"""Functions through whose result their receiver is changed."""
RECEIVERS: Final = _words("self cls this super _")
CONVERSIONS: Final = _words(
    "str int float bool bytes list tuple set dict repr len iter String Number Boolean BigInt Array"
    " parseInt parseFloat toString valueOf to_string to_owned clone into as_str as_ref iter collect"
    " string from static_cast c_str cloned copied unwrap borrow intValue doubleValue longValue"
    " as_bytes encode decode float64 int64 int32 uint"
)
"""Functions that only change the type of a value."""
VALUE_CONVERSIONS: Final = CONVERSIONS - {"len"} | _words(
    "Decimal Fraction complex parse stoi stol stoll stod stof stoul atoi atol atof strtol strtoul"
    " strtod strtof Atoi Itoa ParseInt ParseFloat FormatInt Sprint Sprintf format parseLong"
    " parseDouble toFixed join"
)
"""Those of them, and others, whose result is the value itself: no length, no test."""
TEXT_TYPES: Final = {
    "python": _words("str bytes"),
    "javascript": _words("string"),
    "typescript": _words("string"),
    "tsx": _words("string"),
    "c": frozenset[str](),
    "cpp": _words("string string_view basic_string"),
    "rust": _words("str String"),
    "java": _words("String CharSequence"),
    "go": _words("string"),
}
NUMBER_TYPES: Final = {
    "python": _words("int float complex Decimal"),
    "javascript": _words("number bigint"),
    "typescript": _words("number bigint"),
    "tsx": _words("number bigint"),
    "c": frozenset[str](),
    "cpp": _words("int long short double float unsigned size_t"),
    "rust": _words("i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64"),
    "java": _words("int long short byte double float Integer Long Double"),
    "go": _words("int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64"),
}

# ------------------------------------------------------------------------------------- patterns

_BLANK_ON_THE_LEFT: Final = r"(?:[\w.]+\s*,\s*)*(_)\s*:?=[^=].*\w\("
"""In the place of the last result, which in Go is the error."""
_OWNER: Final = r"(?:std::)?(?:unique|shared)_ptr\s*<[^;=()]*>\s*"
_OWNED: Final = r"(?:[\w.>-]+?(?:\.|->)get\(\)|&\w|this\b)"
"""What already has an owner: the pointer of another one, a variable, the object itself."""
_OPTIONAL: Final = r"[^:=]*?(\?)"
_MADE_UP: Final = r"(?:-?\d[\w.]*|\"[^\"]+\"|None|\w+::(?:new|default)\(\)|vec!\[\])"
"""A value that takes the place of a missing one."""
_PASSED_ON: Final = r"(?:[^{}]|\{[\w:?.#]*\})*(?:panic|bail|Err\()"
"""A block of Rust that gives the error to its caller."""
_STOP: Final = "|".join(sorted(set(STOPS.values())))
_SET: Final = r"\(\s*[\w.]+\s*:?=(?!=)\s*[\w.\"'-]+\s*\)"
"""A variable that is set to a constant or to another variable."""
_DECLARED: Final = r"\*?\b\w+(?:\s*,\s*\*?\w+)*"
"""What C declares without a value."""
_ELSEWHERE: Final = "extern|va_list|jmp_buf|return"
"""Words of a declaration of C whose variable another function sets."""


NUMBER_BITS: Final = {
    "int8": 8, "uint8": 8, "byte": 8, "int16": 16, "uint16": 16, "int32": 32, "rune": 32, "uint32": 32, "int": 64,
    "uint": 64, "int64": 64, "uint64": 64, "float32": 24, "float64": 64,
    "i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "f32": 24, "f64": 53, "isize": 64, "usize": 64,
    "i64": 64, "u64": 64, "i128": 128, "u128": 128,
}  # fmt: skip
"""Bits of the whole numbers that a type of Rust or Go can hold; nobody minds the last ones in a `float64`."""


def _by_node(
    rows: list[tuple[str, FactKind, str, str]],
) -> dict[str, list[tuple[str, FactKind, str]]]:
    table: dict[str, list[tuple[str, FactKind, str]]] = {}
    for node, fact, word, pattern in rows:
        table.setdefault(node, []).append((pattern, fact, word))

    return table


PATTERNS: Final = _by_node(
    [
        ("preproc_if", "compiled out", "", r"(#[^\n]*)"),
        (
            "preproc_ifdef",
            "compiled out",
            "",
            r"(?!#\s*ifndef\s+(?P<name>\w+)\s*#\s*define\s+(?P=name)\b)(#[^\n]*)",
        ),
        ("preproc_def", "compiled out", "", r"(#\s*define\s+NDEBUG)"),
        (
            "expression_statement",
            "copy",
            "",
            rf"(?!(?:for|while|if)\b)[^;{{}}]*?{_COPYING}\([^;{{}}()]*\)\.\w+!?\(",
        ),
        ("call_expression", "copy", "", rf".*{_COPYING}\(\)\s*\.(?:{_CHANGING})\("),
        ("for_expression", "copy", "", rf"for\s+mut\b[^{{]*?{_COPYING}\("),
        ("let_declaration", "copied variable", "", rf"let mut (\w+)[^=]*=\s*{_COPY}"),
        ("variable_declarator", "copied variable", "", rf"(\w+)[^=]*=\s*{_COPY}"),
        ("assignment", "copied variable", "", rf"(\w+)[^=]*=\s*{_COPY}"),
        ("or_pattern", "shared case", "", r".*(\|.*)"),
        ("union_pattern", "shared case", "", r".*(\|.*)"),
        ("switch_label", "shared case", "", r".*(,.*)"),
        ("expression_case", "shared case", "", r"case\b[^:]*(,[^:]*)"),
        ("type_case", "shared case", "", r"case\b[^:]*(,[^:]*)"),
        ("cast_expression", "cast", "", r"(\([^()*]*\))"),
        ("attribute_item", "compiled out", "", r"(#\[cfg.*)"),
        # `text.encode("ascii", errors="ignore")`
        ("keyword_argument", "evasion", "", r"(errors\s*=\s*[\"'](?:ignore|replace)[\"'])"),
        ("except_clause", "handler", "except", r"(except)(?!.*\b(?:raise|assert)\b)"),
        ("catch_clause", "handler", "catch", r"(catch)(?!.*\b(?:throw|assert)\b)"),
        ("finally_clause", "handler", "finally", rf".*\b({_STOP})\b"),
        ("parenthesized_expression", "set in condition", "", rf"\(.*?({_SET})"),
        ("parenthesized_expression", "set in condition", "", rf"({_SET})\s*(?:&&|\|\|)"),
        ("declaration", "nothing", "", rf"(?!.*\b(?:{_ELSEWHERE})\b)[^=({{\[]*?({_DECLARED});$"),
        ("if_statement", "handler", "if", r"if\b[^{]*(\{)\s*\}$"),
        ("type_qualifier", "guard", "", r"(const)$"),
        ("marker_annotation", "guard", "", r"(@Override)$"),
        ("final", "guard", "", r"(final)$"),
        ("readonly", "guard", "", r"(readonly)$"),
        ("try_expression", "guard", "", r".*(\?)$"),
        ("as_expression", "evasion", "", r".*\s(as)\s"),
        ("non_null_expression", "evasion", "", r".*(!)$"),
        ("type_assertion", "evasion", "<type>", r"(<)"),
        ("ambient_declaration", "evasion", "", r"(declare)\b"),
        ("unary_expression", "evasion", "", r"(typeof)\b"),
        ("call_expression", "evasion", "?.", r"[\w.]+(\?\.)\("),
        ("type_qualifier", "evasion", "", r"(mutable)$"),
        ("storage_class_specifier", "evasion", "", r"(mutable)$"),
        (
            "cast_expression",
            "evasion",
            "a pointer cast",
            r"(\()(?!\s*(?:const\s+)?void\b)[\w\s]+\*+\s*\)",
        ),
        ("call_expression", "evasion", "a second owner", rf"{_OWNER}(\()\s*{_OWNED}"),
        ("call_expression", "evasion", "a second owner", rf"[\w.>-]+reset(\()\s*{_OWNED}"),
        ("declaration", "evasion", "a second owner", rf"{_OWNER}\w+\s*([({{=])\s*{_OWNED}"),
        ("catch_clause", "evasion", "", r"catch\s*\([^)]*?\b(exception)\b"),
        ("match_arm", "evasion", "_", r"(_)\s*=>"),
        ("throws", "evasion", "", r"throws.*\b(Exception|Throwable)\b"),
        ("assignment_statement", "evasion", "_ =", r"(_)\s*=\s*[\w.]+$"),
        ("let_declaration", "evasion", "let _", r"let\s+(_)\s*=\s*[\w.]+;?$"),
        ("ternary_expression", "logic", "? :", r".*?(\?)"),
        ("conditional_expression", "logic", "if else", r".*?\s(if|\?)\s"),
        ("goto_statement", "evasion", "", r"(goto)"),
        ("unsafe_block", "evasion", "", r"(unsafe)"),
        ("catch_clause", "evasion", "catch (...)", r"catch\s*\(\s*(\.\.\.)"),
        ("catch_clause", "evasion", "", r"catch\s*\([^)]*?\b(Exception|Throwable)\b"),
        ("except_clause", "evasion", "", r"except\s+(Exception|BaseException)\b"),
        ("except_clause", "evasion", "except:", r"except\s*(:)"),
        ("property_signature", "wider type", "", _OPTIONAL),
        ("optional_parameter", "wider type", "", _OPTIONAL),
        ("public_field_definition", "wider type", "", _OPTIONAL),
        ("cast_expression", "discard", "", r"(\(void\))\s*[\w.:>-]+\("),
        ("if_expression", "discard", "", r"if\s+let\s+(?:Ok|Some)\(_\)[^{]*(\{)\s*\}$"),
        (
            "if_expression",
            "handler",
            "",
            rf"if\s+let\s+Some\(.*\}}\s*(else)\s*\{{\s*{_MADE_UP}\s*\}}$",
        ),
        (
            "if_expression",
            "handler",
            "if let Ok",
            rf"if\s+let\s+(Ok)\((?!.*\}}\s*else\s*\{{{_PASSED_ON})",
        ),
        ("let_declaration", "handler", "", rf"let\s+Ok\([^{{}}]*\b(else)\s*\{{(?!{_PASSED_ON})"),
        (
            "if_statement",
            "handler",
            "",
            rf"if\b[^{{]*\b(?:e|err\w*)\s*!=\s*nil\s*(\{{)\s*return\s+{_MADE_UP}\s*\}}$",
        ),
        ("call_expression", "evasion", "", r"(panic)\((?!.*\berr)"),
        (
            "if_statement",
            "discard",
            "",
            r"if\b[^{]*\berr\w*\s*!=\s*nil\s*\{\s*return\b[^}]*\b(nil)\s*\}$",
        ),
        ("match_arm", "evasion", "Err(_) =>", r"(Err\(_\w*\))\s*=>(?!.*(?:panic|Err\())"),
        ("let_declaration", "discard", "", r"let\s+(_)\s*(?::[^=]*)?=.*\("),
        ("short_var_declaration", "discard", "", _BLANK_ON_THE_LEFT),
        ("assignment_statement", "discard", "", _BLANK_ON_THE_LEFT),
        ("assignment", "discard", "", _BLANK_ON_THE_LEFT),
    ]
)
"""How the texts of some nodes show a fact; the group is its word, unless one is given."""
LOCAL_FUNCTIONS: Final = {
    "c": r"^[ \t]*static\b.*\bNAME\s*\(",
    "cpp": r"^static\b.*\bNAME\s*\(",
    "java": r"\bprivate\b.*\bNAME\s*\(",
    "typescript": r"\bprivate\b.*\bNAME\s*\(",
    "rust": r"^[ \t]*(?!pub\b)(?:async |unsafe |const )*fn NAME\b",
    "go": r"^func (?:\([^()]*\) )?(?=[a-z_])NAME\(",
    "python": r"\bdef (?=_[^_])NAME\(",
}
"""How a function is declared that only its own file can call; of `NAME`."""
