"""Which files are protected: what configures something that runs unasked."""

from __future__ import annotations

import pytest

from holdfast.guards.protected_paths import why_protected


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".holdfast/config.toml", "it configures Holdfast itself"),
        (".holdfast/rules/python/x.json", "it configures Holdfast itself"),
        (".Holdfast./config.toml", "it configures Holdfast itself"),
        (".holdfast", "it configures Holdfast itself"),
        (".config/holdfast/config.toml", "it configures Holdfast itself"),
        ("sub/AGENTS.md", "models are instructed by it"),
        ("QWEN.md", "models are instructed by it"),
        ("opencode.json", "an editor may run what it names"),
        (".vscode/tasks.json", "an editor may run what it names"),
        (".idea/workspace.xml", "an editor may run what it names"),
        (".github/workflows/test.yml", "a CI server runs it"),
        (".gitlab-ci.yml", "a CI server runs it"),
        (".circleci/config.yml", "a CI server runs it"),
        (".envrc", "a shell runs it when somebody enters the directory"),
        (".tool-versions", "a shell runs it when somebody enters the directory"),
        (".husky/pre-commit", "git runs what it names"),
        (".gitattributes", "git runs what it names"),
        ("sub/.gitattributes", "git runs what it names"),
        (".gitmodules", "git runs what it names"),
        (".pre-commit-config.yaml", "git runs what it names"),
        (".venv/bin/mypy", "the tools that check this project run it, or are in it"),
        ("node_modules/.bin/tsc", "the tools that check this project run it, or are in it"),
        ("mypy.ini", "the tools that check this project run it, or are in it"),
        ("eslint.config.ts", "the tools that check this project run it, or are in it"),
        (".eslintrc.cjs", "the tools that check this project run it, or are in it"),
        (".pnpmfile.cjs", "a package manager runs what it names"),
        ("eslint.config.mjs", "the tools that check this project run it, or are in it"),
        (".eslintrc.json", "the tools that check this project run it, or are in it"),
        (".npmrc", "a package manager runs what it names"),
        ("azure-pipelines.yaml", "a CI server runs it"),
        ("lefthook.toml", "git runs what it names"),
        ("x.code-workspace", "an editor may run what it names"),
        (".devcontainer.json", "an editor may run what it names"),
        ("opencode.jsonc", "an editor may run what it names"),
        ("crush.json", "an editor may run what it names"),
        ("lefthook-local.yml", "git runs what it names"),
        ("mise.local.toml", "a shell runs it when somebody enters the directory"),
        ("mise/config.toml", "a shell runs it when somebody enters the directory"),
        ("mise/config.local.toml", "a shell runs it when somebody enters the directory"),
        ("CLAUDE.local.md", "models are instructed by it"),
        ("sub/AGENTS.override.md", "models are instructed by it"),
        (".github/instructions/a.instructions.md", "a program may run what it names"),
        (".gitlab/duo/agents/a.yml", "a program may run what it names"),
        ("prettier.config.js", "the tools that check this project run it, or are in it"),
        ("web/vite.config.mts", "the tools that check this project run it, or are in it"),
        ("web/vite.config.local.ts", "the tools that check this project run it, or are in it"),
        ("venv", "the tools that check this project run it, or are in it"),
        (".prettierrc.js", "a program may run what it names"),
        (".prettierrc", "a program may run what it names"),
        (".prettierrc.json", "a program may run what it names"),
        (".markdownlint.cjs", "a program may run what it names"),
        (".gitignore.js", "a program may run what it names"),
        # Settings of a program that nobody has heard of.
        (".exrc", "a program may run what it names"),
        (".gdbinit", "a program may run what it names"),
        (".tekton/deploy.yaml", "a program may run what it names"),
        ("sub/.unheard-of/main.js", "a program may run what it names"),
        (".env", "a program may run what it names"),
    ],
)
def test_what_configures_something_that_runs_is_protected(path: str, why: str) -> None:
    assert why_protected(path) == why


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "README.md",
        ".gitignore",
        "sub/.dockerignore",
        ".gitkeep",
        ".editorconfig",
        ".markdownlint.json",
        ".yamllint.yaml",
        ".rustfmt.toml",
        ".github/PULL_REQUEST_TEMPLATE/a.md",
        ".github/dependabot.yml",
        "src/app/app.config.ts",
        "src/config.ts",
        "mise/src/config.toml",
        "src/locale.local.ts",
        "config.toml",
        ".env.example",
        ".python-version",
        "mise/a.py",
        "lefthook.py",
        ".github/ISSUE_TEMPLATE/bug.md",
        "workflows/a.py",
        "holdfast/a.toml",
        "app/config.toml",
        "docs/agents.md.txt",
        "pyproject.toml",
        "package.json",
        "conftest.py",
    ],
)
def test_an_ordinary_file_is_not_protected(path: str) -> None:
    assert why_protected(path) is None
