"""Screens one payment: python3 caller.py USER AMOUNT CURRENCY ORDER [IP_ADDRESS]"""

import os
import sys

from portcullis import PortcullisError, screen


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    user, amount, currency, order, *address = sys.argv[1:]
    payment = {"user_id": user, "amount": float(amount), "currency": currency, "metadata": {"order_id": order}}
    if address:
        payment["ip_address"] = address[0]
    try:
        result = screen(
            os.environ.get("PORTCULLIS_URL", "http://127.0.0.1:8080"),
            os.environ["PORTCULLIS_KEY"],
            payment,
            # One order, one payment, even if this program restarts after a crash.
            idempotency_key="order-" + order,
        )
    except PortcullisError as error:
        sys.exit(f"{error} (request {error.request_id})")
    print(result["decision"], result["risk_score"], " ".join(result["signals"]))


if __name__ == "__main__":
    main()
