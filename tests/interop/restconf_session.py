"""A session of httpx and yangson, neither of them ours, with a running platform's RESTCONF.

    restconf_session.py URL TOKEN NOW

Finds the API resource, loads the modules that yang-library names as `get-schema` gives them, and holds
what comes as JSON to them: the whole datastore, the output of a rpc, events, and the datastores of the
management systems of the network. Prints what it found as JSON;
what any of it should be is for `tests/foreign/restconf.rs` to say.
"""

import json
import pathlib
import re
import sys
import tempfile

import httpx
from yangson import DataModel
from yangson.enumerations import ContentType, ValidationScope

JSON = "application/yang-data+json"


def modules(client, folder):
    """The modules of yang-library in a folder, and the library in the form of RFC 7895."""
    library = client.get("data/ietf-yang-library:modules-state").json()
    for module in library["ietf-yang-library:modules-state"]["module"]:
        name, revision = module["name"], module["revision"]
        asked = {"identifier": name, "version": revision}
        answer = client.post(
            "operations/ietf-netconf-monitoring:get-schema",
            headers={"Content-Type": JSON},
            content=json.dumps({"ietf-netconf-monitoring:input": asked}),
        )
        text = answer.json()["ietf-netconf-monitoring:output"]["data"]
        file = f"{name}@{revision}.yang" if revision else f"{name}.yang"
        pathlib.Path(folder, file).write_text(text)
    return library


def held(model, raw):
    """None if the model takes data, else its complaint."""
    try:
        model.from_raw(raw).validate(ValidationScope.syntax, ContentType.all)
    except Exception as complaint:  # whatever it is, the test shows it
        return f"{type(complaint).__name__}: {complaint}"
    return None


def events(client, now):
    """The events so far, as yangson names them."""
    span = {"start-time": "2020-01-01T00:00:00Z", "stop-time": now}
    answer = client.get("streams/NETCONF", params=span, headers={"Accept": "text/event-stream"})
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    told = [json.loads(line)["ietf-restconf:notification"] for line in lines]
    return sorted({name for event in told for name in event if ":" in name})


def system(client, model, platform, name):
    """What a management system has, and what the model says of it beside the platform's data, which it wants."""
    data = client.get(f"/ems/{name}/restconf/data").json()["ietf-restconf:data"]
    return {"complaint": held(model, {**platform, **data}), "top": sorted(data)}


def main(url, token, now):
    host = httpx.get(url + "/.well-known/host-meta").text
    root = re.search(r"rel=.restconf. href=.([^'\"]+)", host).group(1)
    headers = {"Authorization": f"Bearer {token}", "Accept": JSON}
    with httpx.Client(base_url=url + root + "/", headers=headers, timeout=60) as client:
        with tempfile.TemporaryDirectory() as folder:
            library = modules(client, folder)
            model = DataModel(json.dumps(library), (folder,))
        data = client.get("data")
        platform = data.json()["ietf-restconf:data"]
        facts = {
            "root": root,
            "type": data.headers["content-type"],
            "modules": len(library["ietf-yang-library:modules-state"]["module"]),
            "complaint": held(model, platform),
            "top": sorted(platform),
            "events": events(client, now),
        }
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        facts["systems"] = {name: system(client, model, platform, name) for name in ("wireless", "ip", "customer")}
    print(json.dumps(facts))


main(*sys.argv[1:])
