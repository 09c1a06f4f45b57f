"""A webhook for tests: an HTTPS server on loopback whose answers depend on the path it is called at.

`tests.real.test_webhooks` has a real API server and the sandbox call the same one.
"""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import pathlib
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any


def answer(path: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the response of an AdmissionReview."""
    allowed: dict[str, Any] = {"uid": request["uid"], "allowed": True}
    match path.partition("?")[0].strip("/"):
        case "warn":
            return {**allowed, "warnings": ["mind the gap", "and the step"]}
        case "deny":
            status = {
                "message": f"no {request['operation']} of {request.get('name', '')}",
                "code": 418,
                "reason": "Nope",
            }
            return {**allowed, "allowed": False, "status": status}
        case "deny-bare":
            return {**allowed, "allowed": False}
        case "label":
            return {**allowed, **_patch({"op": "add", "path": "/metadata/labels", "value": {"hooked": "yes"}})}
        case "count":
            seen = int((request["object"].get("data") or {}).get("count", "0")) + 1
            return {**allowed, **_patch({"op": "add", "path": "/data/count", "value": str(seen)})}
        case "shape":
            return {**allowed, "warnings": [json.dumps(shape(request), sort_keys=True)[:250]]}
        case "bad-patch":
            return {**allowed, **_patch({"op": "remove", "path": "/data/nope"})}
        case "wrong-id":
            return {"uid": "other", "allowed": True}
    return allowed


def shape(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a test compares of a request: not what is drawn."""
    kept = ("operation", "name", "dryRun", "subResource", "requestKind")
    told = {name: request[name] for name in kept if name in request}
    told["fields"] = [name for name in ("object", "oldObject") if request.get(name)]
    return {**told, "user": request["userInfo"]["username"], "options": request["options"].get("kind")}


def _patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.startswith("/slow"):
            time.sleep(2.5)
        if self.path.startswith("/broken"):
            self.send_error(503)
            return
        review["response"] = answer(self.path, review.pop("request"))
        if self.path.startswith("/empty"):
            del review["response"]
        content = json.dumps(review).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(OSError):  # whoever asked may have gone
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(folder: pathlib.Path) -> Iterator[int]:
    """Serve with the certificate in a folder, and return the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
