"""Calls Portcullis and verifies its webhooks, with only Python's standard library. Copy what you need."""

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
# Temporary errors of the service or a proxy.
RETRYABLE = {429, 502, 503, 504}
TOLERANCE_SECONDS = 300


class PortcullisError(Exception):
    """The service refused, or did not respond. `code` is for programs: see the errors in the API guide."""

    def __init__(self, code, message, status=None, request_id=None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.status = status
        self.request_id = request_id


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another host."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _read_error(answer):
    try:
        error = json.loads(answer.read())["error"]
        code, message, request_id = error["code"], error["message"], error["request_id"]
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        code, message, request_id = "invalid_response", "The response is not from Portcullis.", None
    return PortcullisError(code, message, answer.code, request_id)


def _once(request, seconds):
    """Sends the request once. Returns its result, or the error and the delay before the next attempt (None: do not retry)."""
    try:
        with _opener.open(request, timeout=seconds) as answer:
            return json.loads(answer.read()), None, None
    except urllib.error.HTTPError as answer:
        error = _read_error(answer)
        # An earlier attempt whose connection broke is still in progress.
        passes = answer.code in RETRYABLE or error.code == "idempotency_in_progress"
        after = answer.headers.get("Retry-After", "0")
        return None, error, (int(after) if after.isdecimal() else 0) if passes else None
    except (OSError, http.client.HTTPException, ValueError) as error:
        return None, PortcullisError("network_error", type(error).__name__), 0


def screen(url, api_key, payment, idempotency_key):
    """Screens a payment and returns the result. With the same key it is counted once, however often it is sent."""
    request = urllib.request.Request(
        url.rstrip("/") + "/v1/transactions/screen",
        # Serialised once: the same key needs the same text.
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
        # Exponential backoff with jitter, to spread the retries of many callers.
        pause = (after or 0) + 0.1 * 2**attempt * random.uniform(0.5, 1)
        if after is None or attempt == ATTEMPTS or time.monotonic() + pause >= deadline:
            raise error
        time.sleep(pause)


def verify(body, signature, secret, now=time.time):
    """Returns the message of a webhook delivery, or raises ValueError.

    `body` is the raw body, `signature` the header X-Service-Signature, `secret` the signing secret of the endpoint.
    """
    parts = [part.partition("=") for part in (signature or "").split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()):
        raise ValueError("The signature is missing or malformed.")
    signed = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    given = [value.encode() for name, _, value in parts if name == "v1"]
    # There are two signatures during a rotation. The comparison takes constant time.
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("The signature does not match.")
    if abs(now() - int(times[0])) > TOLERANCE_SECONDS:
        raise ValueError("The delivery is too old, or a clock is wrong.")
    return json.loads(body)
