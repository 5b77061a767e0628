"""A plugin of pytest for suites that know no credentials: every request of httpx and requests shows
the token in A2A_TOKEN.

    A2A_TOKEN=$(convoke token issue operator) PYTHONPATH=tests/interop pytest -p a2a_bearer …

What a suite asks without a credential on purpose shows one as well: see to those tests without it.
"""

import os

import httpx

SHOWN = {"Authorization": "Bearer " + os.environ["A2A_TOKEN"]}


def shows(client):
    """Has every client of a class show the token."""
    begin = client.__init__

    def begin_with_it(self, *arguments, **options):
        begin(self, *arguments, **options)
        self.headers.update(SHOWN)

    client.__init__ = begin_with_it


shows(httpx.Client)
shows(httpx.AsyncClient)
try:
    import requests

    shows(requests.Session)
except ImportError:
    pass  # only the suite of v0.3 needs it
