"""TLS that does not fit: it is named, and not taken for silence."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from holdfast.adapters.models.discovery import find_server
from holdfast.adapters.models.openai_compatible import OpenAICompatible
from holdfast.adapters.models.servers import ServerNotFound
from holdfast.testing import ScriptedServer, say
from tests.adapters.models.asking import ask, last


@contextmanager
def tls_server(place: Path) -> Iterator[int]:
    """A server with a certificate that nobody has signed; yields its port."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificate")
    key, certificate = place / "key.pem", place / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*words, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign] # a failed handshake is no news
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def said(url: str) -> tuple[str, str]:
    """What the search for a server says, and what a request says."""
    found = find_server(url)
    assert isinstance(found, ServerNotFound)
    with OpenAICompatible(url, "m") as model:
        failure = last(ask(model))
    assert failure.kind == "unreachable"
    return found.message, failure.message


def test_https_at_a_server_of_plain_http_is_a_failed_handshake() -> None:
    with ScriptedServer([say("Hello.")]) as server:
        url = server.base_url.replace("http:", "https:")
        found, failed = said(url)
    cure = "if it speaks plain HTTP, write http:// in the base URL."
    assert found == f"{url}: the TLS handshake failed; {cure}"
    assert failed.startswith(f"{url}: the TLS handshake failed (")
    assert failed.endswith(f"; {cure}")


def test_a_certificate_that_nobody_signed_is_not_trusted(tmp_path: Path) -> None:
    with tls_server(tmp_path) as port:
        url = f"https://127.0.0.1:{port}/v1"
        found, failed = said(url)
    cure = "check the base URL, or set SSL_CERT_FILE."
    assert found == f"the certificate of {url} is not trusted; {cure}"
    assert "CERTIFICATE_VERIFY_FAILED" in failed
    assert failed.endswith(f"; {cure}")
