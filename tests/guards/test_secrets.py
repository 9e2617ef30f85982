"""Which names are those of secrets."""

from __future__ import annotations

import pytest

from holdfast.guards.secrets import is_secret, values_in


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env~feature",
        "deploy/id_rsa~HEAD_0",
        "app/.env",
        ".ENV",
        ".env.local",
        ".env.production",
        ".env-staging",
        "prod.env",
        ".envrc",
        "certs/server.pem",
        "server.key",
        "release.keystore",
        "home/.ssh/config",
        "id_rsa",
        "keys/id_ed25519",
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".git-credentials",
        ".aws/credentials",
        "credentials.json",
        "gcp-service-account.json",
        "config/secrets.yaml",
        "app.secrets.toml",
        "terraform.tfstate",
        r"app\.env",
        ".docker/config.json",
        "application_default_credentials.json",
        "terraform.tfstate.backup",
        ".env~",
        "id_rsa.bak",
        "server.bak.pem.old",
        "id_ed25519-github",
        ".s3cfg",
        "AuthKey_1.p8",
        "x-firebase-adminsdk-1.json",
        "passwords.txt",
        "env.local",
        ".flaskenv",
        ".dev.vars",
        "github_rsa",
        "token.json",
        "kubeconfig.yaml",
        "terraform.tfvars.json",
        "passwords.csv",
        ".vault_pass",
        ".vault_pass.txt",
        "svc.keytab",
        "rclone.conf",
        "auth.json",
        ".composer/auth.json",
        "gh/hosts.yml",
        ".bash_history",
        ".psql_history",
        ".mylogin.cnf",
        ".secrets",
        ".secrets/x",
        ".envs/.production/.django",
        "#.env#",
        ".#id_rsa",
        "..env.un~",
        "..env.swo",
        ".id_rsa.swp",
        ".env copy",
        ".env copy 2",
        ".env 2",
        "id_rsa (1)",
        ".yarnrc.yml",
        "local.settings.json",
    ],
)
def test_a_secret_is_known_by_its_name(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        ".env.example",
        ".env.example~",
        "default.env",
        "rapid_rsa.py",
        "password.py",
        ".env.sample",
        ".env.template",
        "example.env",
        "secrets.example.yaml",
        "src/secrets.py",
        "credentials.ts",
        "id_rsa.pub",
        "environment.py",
        "env.py",
        "src/env/main.py",
        "keyboard.js",
        "monkey.txt",
        "hosts.yml",
        "ansible/hosts.yml",
        "tokens.json",
        "auth.py",
        "release_history",
        "env.py.local",
        "vault.py",
        "docs/secrets.md",
        ".environment",
        ".envoy.yaml",
        ".env.example copy",
        "..env.example.swp",
        "#notes.txt#",
        "chapter 2",
    ],
)
def test_what_only_looks_like_a_secret_is_none(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("URL=postgres://me:hunter2@host/db", "postgres://me:hunter2@host/db"),
        ("token: abc=def=ghi", "abc=def=ghi"),
        ('  "key": "a:b:c:d",', "a:b:c:d"),
    ],
)
def test_a_value_is_all_that_follows_the_first_sign_behind_a_name(line: str, value: str) -> None:
    assert values_in(line) == {value}
