"""The scenarios of the public A2A conformance suites, played by the official SDK for Python.

    a2a_conformance.py URL-OF-AGENT TOKEN PREFIX…

Over each binding and version that the card offers sends a message whose identifier begins with each
prefix, waits for its answer, and follows another as a stream. Prints what came as JSON; what ought to
come is for `tests/conformance_a2a.rs` to say.
"""

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as a2a
from google.protobuf.json_format import MessageToDict, ParseDict


def message(name, task_id=""):
    parts = [{"text": "play"}]
    said = {"messageId": name, "role": "ROLE_USER", "parts": parts, "taskId": task_id}
    return a2a.SendMessageRequest(message=ParseDict(said, a2a.Message()))


def state(status):
    return a2a.TaskState.Name(status.state).removeprefix("TASK_STATE_")


def held(part):
    """What a part holds, in a line."""
    kind = part.WhichOneof("content")
    match kind:
        case "raw":
            value = part.raw.decode()
        case "data":
            value = json.dumps(MessageToDict(part.data), sort_keys=True)
        case _:
            value = getattr(part, kind)
    return " ".join(filter(None, [kind, part.filename, part.media_type, value]))


async def said(client, request):
    """What the events of an answer tell, a line for each."""
    told, task_id = [], None
    async for event in client.send_message(request):
        match event.WhichOneof("payload"):
            case "message":
                told.append("message " + held(event.message.parts[0]))
            case "task":
                task_id = event.task.id
                told.append("task " + state(event.task.status))
                told += ["has " + held(it.parts[0]) for it in event.task.artifacts]
            case "status_update":
                told.append("status " + state(event.status_update.status))
            case "artifact_update":
                told.append("artifact " + held(event.artifact_update.artifact.parts[0]))
    return told, task_id


async def both(waiting, streaming, prefix):
    each = (said(it, message(prefix + "-1")) for it in (waiting, streaming))
    return [told for told, _ in await asyncio.gather(*each)]


async def answered(client):
    """Input is asked for, given twice under one identifier, and completes the task."""
    told, task_id = await said(client, message("tck-input-required-2"))
    for name in ("tck-input-required-2", "tck-input-required-2", "tck-complete-task-2"):
        told += (await said(client, message(name, task_id)))[0]
    task = await client.get_task(a2a.GetTaskRequest(id=task_id))
    told.append([a2a.Role.Name(it.role) for it in task.history].count("ROLE_USER"))
    return told


def client(http, card, offered, streaming):
    one = a2a.AgentCard()
    one.CopyFrom(card)
    del one.supported_interfaces[:]
    one.supported_interfaces.append(offered)
    bindings = [offered.protocol_binding]
    config = ClientConfig(
        httpx_client=http, streaming=streaming, supported_protocol_bindings=bindings
    )
    return ClientFactory(config).create(one)


async def scenes(http, card, offered, name, prefixes):
    waiting, streaming = (client(http, card, offered, it) for it in (False, True))
    if name == "0.3 HTTP+JSON":
        # There the SDK takes bytes for text in base64, which they are not.
        prefixes = [it for it in prefixes if not it.endswith("artifact-file")]
    played = [both(waiting, streaming, prefix) for prefix in prefixes]
    facts = dict(zip(prefixes, await asyncio.gather(*played)))
    facts["answered"] = await answered(waiting)
    return facts


async def main(url, token, prefixes):
    facts = {}
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        facts["name"] = card.name
        ways = card.supported_interfaces
        names = [f"{it.protocol_version} {it.protocol_binding}" for it in ways]
        played = [scenes(http, card, *way, prefixes) for way in zip(ways, names)]
        facts |= zip(names, await asyncio.gather(*played))
    print(json.dumps(facts))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
