"""Receives webhooks over plain HTTP, behind a TLS proxy: python3 receiver.py"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from portcullis import verify

MAX_BODY_BYTES = 1024 * 1024
SECRET = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    # A silent connection must not hold a thread forever.
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self.answer(413)
            return
        body = self.rfile.read(int(length))
        try:
            message = verify(body, self.headers.get("X-Service-Signature"), SECRET)
        except ValueError as error:
            self.answer(400)
            print("refused:", error)
            return
        # Respond first, then work. Remember the id: a message may arrive twice.
        self.answer(204)
        print(message["id"], message["type"])

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8083"))), Receiver)
    print(f"listening: http://127.0.0.1:{server.server_port}")
    server.serve_forever()
