"""Which texts are tokens."""

from __future__ import annotations

import pytest

from holdfast.guards.tokens import MARK, has_key_block, has_token, remove_tokens


@pytest.mark.parametrize(
    "token",
    [
        "sk-proj-aB3dE6gH9aB3dE6gH9aB3dE6gH9",
        "sk-ant-api03-" + "aB3_" * 20,
        "sk_live_" + "a1B2c3D4" * 3,
        "ghp_" + "a1B2" * 9,
        "gho_" + "a1B2" * 9,
        "github_pat_11ABCDEFG0" + "a1B2_" * 10,
        "glpat-" + "aB3-" * 5,
        "AKIAIOSFODNN7EXAMPLE",
        "AIza" + "aB3dE" * 7,
        "xoxb-123456789012-abcdefGHIJKL",
        "npm_" + "a1B2" * 9,
        "hf_" + "aBcD" * 9,
        "SG." + "aB3-" * 5 + "." + "aB3_" * 10,
        "dop_v1_" + "0a1b2c3d" * 8,
        "AGE-SECRET-KEY-1" + "QPZRY9X8" * 7,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + "aB3d" * 8,
        "gsk_" + "a1B2" * 13,
        "hvs." + "aB3_" * 10,
        "ya29." + "a0-B" * 10,
        "GOCSPX-" + "aB3-" * 7,
        "dckr_pat_" + "aB3-" * 7,
        "shpat_" + "0a1b2c3d" * 4,
        "xapp-1-A0123-456-" + "0a1b" * 16,
        "glsa_" + "a1B2" * 8 + "_0a1b2c3d",
        "ATATT3xFfGF0" + "a-B_" * 20,
        "tskey-auth-kA1-" + "a1B2" * 8,
        "sbp_" + "0a1b2c3d" * 5,
        "rubygems_" + "0a1b2c3d" * 6,
        "nvapi-" + "aB3_" * 15,
        "xai-" + "a1B2" * 20,
        "r8_" + "a1B2" * 9,
        "lin_api_" + "a1B2" * 10,
        "sntrys_" + "eyJp" + "a1B2" * 20,
        "gldt-" + "aB3-" * 5,
        "figd_" + "aB3_" * 10,
    ],
)
def test_a_token_is_removed_wherever_it_is(token: str) -> None:
    texts = (
        "{}",
        "KEY={}\n",
        "f('{}', 1)",
        "https://x/?k={}&a",
        '{{"k": "{}"}}',
        '{{"k": "a\\n{}\\n"}}',
        "https://x/?k%3D{}&a",
        "\\u003d{} ",
        "backup-{}",
        "key_{}, x",
    )
    for text in texts:
        assert remove_tokens(text.format(token)) == text.format(MARK)


@pytest.mark.parametrize(
    "text",
    [
        "sk-loading-spinner-container",
        "task-12345678901234567890",
        "import AKIA",
        "https://example.org:8080/a@b",
        "postgres://postgres:postgres@localhost/test",
        "postgres://app:@localhost/test",
        "amqp://user:$PASSWORD@host",
        'f"mysql://{user}:{password}@{host}/db"',
        'f"mysql://{user}:{quote(password)}@{host}/db"',
        '"mysql://$user:$password@$host/db"',
        "https://${{ secrets.USER }}:${{secrets.TOKEN}}@example.org",
        "postgres://app:[password]@db",
        '{"a": "http://h:80", "b": "x@y"}',
        "test_that_a_github_pat_in_the_output_of_a_tool_is_removed",
        "redis://:${REDIS_PASSWORD}@cache:6379",
        "amqp://user:<password>@host",
        "https://hooks.slack.com/services/",
        "git@github.com:a/b.git",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "ghp_short",
        "Authorization: Bearer YOUR_TOKEN_GOES_HERE",
        "Authorization: Basic $TOKEN",
        "0123456789abcdef0123456789abcdef01234567",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert not has_token(text)


def test_a_private_key_of_several_lines_is_a_key_block_and_a_token_is_none() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"
    assert has_key_block(f"a\n{key}\n")
    assert not has_key_block("KEY=ghp_" + "a1" * 18)


@pytest.mark.parametrize(
    "address",
    [
        "origin https://me:{}@example.org/x.git",
        "DATABASE_URL=postgresql+psycopg://app:{}@db:5432/app",
        "redis://:{}@cache:6379/0",
        "mongodb+srv://app:{}@cluster.example.org",
    ],
)
def test_the_password_of_an_address_is_removed(address: str) -> None:
    for password in (
        "hunter2",
        "a:b",
        "p@ss",
        "@a@b:c",
        "$ecret",
        "<x",
        "{y",
        "${HOME:-hunter2}",
        "[z",
    ):
        assert remove_tokens(address.format(password)) == address.format(MARK), password


@pytest.mark.parametrize(
    "text",
    [
        '{{"url": "postgres://app:{}@db", "mail": "me@example.org"}}',
        "postgres://app:{}@db/app me@example.org",
        "postgres://app:{}@db\\nmail me@example.org",
        "url = 'postgres://app:{}@db' # me@example.org",
    ],
)
def test_an_address_of_mail_behind_that_of_a_server_is_no_part_of_the_password(text: str) -> None:
    assert remove_tokens(text.format("a:b@c")) == text.format(MARK)


def test_the_address_of_a_slack_channel_is_removed() -> None:
    address = "https://hooks.slack.com/services/T0000/B0000/aB3dE6gH9aB3dE6gH9"
    assert remove_tokens(address) == f"https://hooks.slack.com/{MARK}"


def test_a_key_block_without_its_end_is_removed_to_the_end() -> None:
    text = "a\n-----BEGIN OPENSSH PRIVATE KEY-----\r\nb3Bl\r\nAAAA"
    assert remove_tokens(text) == f"a\n{MARK}\r\n{MARK}\r\n{MARK}"


def test_the_key_of_an_azure_account_is_removed() -> None:
    key = "a1B2/c3+" * 10 + "a1B2c3=="
    assert remove_tokens(f"AccountName=x;AccountKey={key};") == f"AccountName=x;AccountKey={MARK};"


@pytest.mark.parametrize("scheme", ["AUTHORIZATION: basic", "Authorization: Bearer"])
def test_the_key_in_a_header_is_removed(scheme: str) -> None:
    text = f"\textraheader = {scheme} eC1hY2Nlc3MtdG9rZW46Z2hzXzEyMzQ=\n"
    assert remove_tokens(text) == f"\textraheader = {scheme} {MARK}\n"
