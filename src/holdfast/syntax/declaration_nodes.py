"""The kinds of nodes that declare names, a language each, as their grammars call them."""

from __future__ import annotations

from typing import Final

_JAVASCRIPT: Final = (
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "method_definition",
    "variable_declarator",
    "field_definition",
)
_TYPESCRIPT: Final = (
    *_JAVASCRIPT[:-1],
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "abstract_class_declaration",
    "abstract_method_signature",
    "method_signature",
    "property_signature",
    "public_field_definition",
    "property_identifier",
    "enum_assignment",
    "internal_module",
)
_C: Final = (
    "function_definition",
    "struct_specifier",
    "enum_specifier",
    "union_specifier",
    "enumerator",
    "field_declaration",
    "type_definition",
    "declaration",
    "preproc_def",
    "preproc_function_def",
)
KINDS: Final = {
    "python": ("function_definition", "class_definition", "assignment"),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "c": _C,
    "cpp": (
        *_C,
        "class_specifier",
        "namespace_definition",
        "alias_declaration",
        "concept_definition",
    ),
    "rust": (
        "function_item",
        "function_signature_item",
        "struct_item",
        "enum_item",
        "enum_variant",
        "field_declaration",
        "trait_item",
        "impl_item",
        "mod_item",
        "const_item",
        "static_item",
        "type_item",
        "union_item",
        "macro_definition",
        "use_declaration",
    ),
    "java": (
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "method_declaration",
        "constructor_declaration",
        "variable_declarator",
        "enum_constant",
        "formal_parameter",
    ),
    "go": (
        "function_declaration",
        "method_declaration",
        "type_spec",
        "type_alias",
        "field_declaration",
        "method_elem",
        "const_spec",
        "var_spec",
    ),
}
"""What declares a name that others may use."""
FUNCTIONS: Final = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_signature",
        "abstract_method_signature",
        "function_item",
        "function_signature_item",
        "method_declaration",
        "method_elem",
        "constructor_declaration",
        "arrow_function",
        "function_expression",
        "function",
    }
)
LOCAL: Final = frozenset(
    {
        *(FUNCTIONS - {"function"}),
        "lambda",
        "lambda_expression",
        "closure_expression",
        "func_literal",
        "compound_statement",
    }
)
"""What is declared in one of these is seen nowhere else."""
_TYPES: Final = frozenset(
    {
        "struct_specifier",
        "enum_specifier",
        "union_specifier",
        "class_specifier",
        "namespace_definition",
        "type_definition",
    }
)
SCOPES: Final = {
    "python": frozenset({"class_definition"}),
    "javascript": frozenset({"class_declaration"}),
    "typescript": frozenset(
        {
            "class_declaration",
            "abstract_class_declaration",
            "interface_declaration",
            "enum_declaration",
            "internal_module",
        }
    ),
    "tsx": frozenset(
        {
            "class_declaration",
            "abstract_class_declaration",
            "interface_declaration",
            "enum_declaration",
            "internal_module",
        }
    ),
    "c": _TYPES,
    "cpp": _TYPES,
    "rust": frozenset(
        {
            "struct_item",
            "enum_item",
            "enum_variant",
            "trait_item",
            "impl_item",
            "mod_item",
            "union_item",
        }
    ),
    "java": frozenset(
        {
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
        }
    ),
    "go": frozenset({"type_spec"}),
}
"""What gives its own name to those that are declared in it."""
