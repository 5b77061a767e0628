#!/usr/bin/env python3
"""Receives reports of tasks at a webhook, and believes only those that the platform has signed.

A task assigned with a task-subscription (subscript-protocol http or https, subscript-method POST,
subscript-url this program's address) is told here at every change. Each report carries an HTTP
message signature (RFC 9421) made with the platform's host key, the one in STATE/known_hosts, over
method, address, digest of the body (RFC 9530), media type and time. Reports come at least once, in
order for each task; one that comes again has the same `sequence`. Needs the package cryptography.
"""

import argparse
import base64
import hashlib
import http.server
import json
import re
import ssl
import sys
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

LONGEST = 8 * 1024 * 1024
COVERED = ("@method", "@target-uri", "content-digest", "content-type")
MOST_SECONDS_OFF = 300


class Refused(Exception):
    """The request is not a report of the platform."""


def host_keys(path):
    """The Ed25519 keys in a known_hosts file, by the fingerprint that is their keyid."""
    keys = {}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if "ssh-ed25519" not in words:
                continue
            blob = words[words.index("ssh-ed25519") + 1]
            digest = hashlib.sha256(base64.b64decode(blob)).digest()
            fingerprint = "SHA256:" + base64.b64encode(digest).decode().rstrip("=")
            keys[fingerprint] = load_ssh_public_key(f"ssh-ed25519 {blob}".encode())
    return keys


def verify(keys, method, uri, fields, body, now):
    """Refuses what is not signed by one of the keys: RFC 9421 section 3.2."""
    signed = re.fullmatch(r"(\w+)=(\(([^)]*)\)(;.*))", fields.get("Signature-Input", ""))
    if not signed:
        raise Refused("no signature")
    label, parameters, covered, attributes = signed.groups()
    covered = re.findall(r'"([^"]+)"', covered)
    if not set(COVERED) <= set(covered):
        raise Refused("the signature does not cover enough")
    created = re.search(r";created=(\d+)", attributes)
    if not created or abs(now - int(created[1])) > MOST_SECONDS_OFF:
        raise Refused("the signature is of another time")
    digest = "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"
    if fields.get("Content-Digest") != digest:
        raise Refused("the body is not the one that was signed")
    keyid = re.search(r';keyid="([^"]+)"', attributes)
    key = keys.get(keyid[1]) if keyid else None
    if key is None:
        raise Refused("the key is not known")
    derived = {"@method": method, "@target-uri": uri}
    base = [f'"{name}": {derived.get(name) or fields.get(name)}' for name in covered]
    base.append(f'"@signature-params": {parameters}')
    signature = re.fullmatch(rf"{label}=:([A-Za-z0-9+/=]+):", fields.get("Signature", ""))
    try:
        key.verify(base64.b64decode(signature[1]), "\n".join(base).encode())
    except (InvalidSignature, TypeError) as error:
        raise Refused("the signature is wrong") from error


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers 204 to a report, 401 to anything else."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > LONGEST:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        uri = f"{self.server.scheme}://{self.headers.get('Host')}{self.path}"
        try:
            verify(self.server.keys, self.command, uri, self.headers, body, time.time())
        except Refused as refused:
            self.server.say({"event": "refused", "why": str(refused)})
            return self.answer(401)
        report = json.loads(body)
        if report["sequence"] not in self.server.seen:
            self.server.seen.add(report["sequence"])
            self.server.say({"event": "report", **report})
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, options):
        super().__init__(("127.0.0.1", options.port), Receiver)
        self.keys = host_keys(options.known_hosts)
        self.seen = set()
        self.json = options.json
        self.scheme = "http"
        if options.certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(options.certificate, options.certificate_key)
            # The handshake is the thread's that serves the connection, not the listener's.
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
            self.scheme = "https"

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(request, client_address)

    def say(self, event):
        if self.json:
            print(json.dumps(event), flush=True)
        elif event["event"] == "report":
            change = event["irtf-agent:condition-notifications"]
            told = change["input-required"][0]
            percent = change["convoke-negotiation:progress"]
            print(f"{change['task-id']}  {percent:3} %  {told['status']}", flush=True)
        else:
            print(" ".join(str(value) for value in event.values()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8090, help="where to listen; 0 takes a free one")
    parser.add_argument("--known-hosts", default="convoke-state/known_hosts")
    parser.add_argument("--certificate", help="PEM: speak TLS, as this server")
    parser.add_argument("--certificate-key", help="PEM: its private key")
    parser.add_argument("--json", action="store_true", help="one object a line")
    options = parser.parse_args()
    with Server(options) as server:
        host, port = server.server_address
        server.say({"event": "ready", "url": f"{server.scheme}://{host}:{port}/"})
        server.serve_forever()


if __name__ == "__main__":
    main()
