"""A game back end in Python, from the interface alone: the standard library and nothing of ours.

Usage: spec-client.py <auth_url> <base_url> <game id> <private key>
Signs a player in by a signed request, saves an entry, reads it back, and prints what it read.
"""

import base64
import hashlib
import hmac
import json
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

auth_url, base_url, game, key = sys.argv[1:]


def send(method, url, body=None, headers=None):
    request = urllib.request.Request(url, data=body, method=method)
    request.add_header("Content-Type", "application/json")
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def sign_in(encode):
    # As Python writes it: spaces after colons, letters beyond ASCII as they are.
    body = json.dumps(
        {"custom_user_id": "игрок-1", "device_id": "python-device", "game_id": game, "env": 0}, ensure_ascii=False
    ).encode()
    timestamp = str(int(time.time() * 1000))
    nonce = secrets.token_urlsafe(24)
    payload = timestamp.encode() + b"\n" + nonce.encode() + b"\n" + body + b"\n"
    signature = encode(hmac.new(key.encode(), payload, hashlib.sha256).digest())
    headers = {
        "Service-Signature": signature,
        "Service-Timestamp": timestamp,
        "Service-Nonce": nonce,
        "X-Forwarded-For": "203.0.113.7",
    }
    return send("POST", auth_url + "/v2/auth/server", body, headers)


status, text = sign_in(bytes.hex)
answer = json.loads(text)
print("signed in:", status, sorted(answer))
status, text = sign_in(lambda mac: base64.b64encode(mac).decode())
print("signed in with base64:", status, json.loads(text)["userId"] == answer["userId"])

bearer = {"Authorization": "Bearer " + key}
collection = f"{base_url}/v2/pr/games/{game}/saves/{answer['userId']}/collections/" + urllib.parse.quote("герой", safe="")
entry = collection + "/" + urllib.parse.quote("stats/Ω", safe="") + "?env=0"
for version in (-1, 0, 0):
    update = json.dumps({"value": {"level": 2, "coins": 1.5}, "version": version}).encode()
    status, text = send("PATCH", entry, update, bearer)
    answered = json.loads(text)
    print("saved:", status, answered.get("version", answered.get("currentVersion")))
print("read:", *send("GET", collection + "?env=0", headers=bearer))
