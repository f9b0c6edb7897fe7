"""Calls Portcullis and verifies its webhooks, with Python's standard library alone.

It is plain HTTP with JSON: copy what you need.
"""

import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.error
import urllib.request

API_VERSION = "2026-11-01"
DEADLINE_SECONDS = 5
ATTEMPTS = 4
# The service, or a proxy in front of it, asks to come back later.
PASSING = {429, 502, 503, 504}
TOLERANCE_SECONDS = 300


class PortcullisError(Exception):
    """The service refused, or did not answer. `code` is for programs: see the table of errors in the API guide."""

    def __init__(self, code, message, status=None, request_id=None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.request_id = request_id


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to where nobody configured it."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_StayHere)


def _read_error(answer):
    try:
        error = json.loads(answer.read())["error"]
        code, message, request_id = error["code"], error["message"], error["request_id"]
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        code, message, request_id = "invalid_response", "This is no answer of Portcullis.", None
    return PortcullisError(code, message, answer.code, request_id)


def _once(request, seconds):
    """Makes the request once: its result, or the error and how long to wait before the next attempt (None: never)."""
    try:
        with _opener.open(request, timeout=seconds) as answer:
            return json.loads(answer.read()), None, None
    except urllib.error.HTTPError as answer:
        error = _read_error(answer)
        # In progress: an earlier attempt whose connection broke is still being worked on.
        passes = answer.code in PASSING or error.code == "idempotency_in_progress"
        after = answer.headers.get("Retry-After", "0")
        return None, error, (int(after) if after.isdecimal() else 0) if passes else None
    except (OSError, http.client.HTTPException, ValueError) as fault:
        return None, PortcullisError("network_error", type(fault).__name__), 0


def screen(url, api_key, payment, idempotency_key):
    """Screens a payment and returns the result. Under the same key it is counted once, however often it is sent."""
    request = urllib.request.Request(
        url.rstrip("/") + "/v1/transactions/screen",
        # Written once: the same key goes with the same text.
        data=json.dumps(payment).encode(),
        headers={
            "Authorization": "Bearer " + api_key,
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
            "X-Api-Version": API_VERSION,
        },
    )
    deadline = time.monotonic() + DEADLINE_SECONDS
    for attempt in range(1, ATTEMPTS + 1):
        left = deadline - time.monotonic()
        result, error, after = _once(request, left if attempt == ATTEMPTS else left / 2)
        if error is None:
            return result
        # Twice as long each time, and by chance: those who failed together should not come back together.
        pause = (after or 0) + 0.1 * 2**attempt * random.uniform(0.5, 1)
        if after is None or attempt == ATTEMPTS or time.monotonic() + pause >= deadline:
            raise error
        time.sleep(pause)


def verify(body, signature, secret, now=time.time):
    """Returns the message of a webhook delivery, or raises ValueError.

    `body` is the bytes that came, `signature` the header X-Service-Signature, `secret` the signing secret of the endpoint.
    """
    parts = [part.partition("=") for part in (signature or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()):
        raise ValueError("The signature is missing or broken.")
    signed = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    given = [value.encode() for name, _, value in parts if name == "v1"]
    # Two are there while a secret is being rotated. Compared in constant time.
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("The signature does not match.")
    if abs(now() - int(times[0])) > TOLERANCE_SECONDS:
        raise ValueError("The delivery is too old, or a clock is wrong.")
    return json.loads(body)
