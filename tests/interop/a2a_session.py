"""A session of the official A2A SDK for Python with a running platform.

    a2a_session.py URL-OF-AGENT TOKEN ELEMENT

Finds the agent by its card, verifies the card's signature if it has one, and over each binding and version that the card offers sends a typed
diagnosis of the element, follows it, reads it again, has it pushed and no more, and lists what there
is. Prints what it found as JSON; what any of it should be is for `tests/foreign/a2a.rs` to say.
"""

import asyncio
import json
import sys

import httpx
import jwt
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError
from a2a.types import a2a_pb2 as a2a
from a2a.utils.errors import A2AError
from a2a.utils.signing import SignatureVerificationError, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict

TYPED = "application/json;schema=fault_diagnosis_v1"
HOOK = "https://hook.example/in"


def message(name, target):
    return ParseDict(
        {
            "messageId": name,
            "role": "ROLE_USER",
            "parts": [
                {
                    "data": {"target": target},
                    "mediaType": TYPED,
                    # Where v0.3 has it: its data parts have no media type.
                    "metadata": {"mimeType": TYPED},
                }
            ],
        },
        a2a.Message(),
    )


def vouched(card, url):
    """Who vouches for a card, by the keys that the platform publishes."""
    keys = jwt.PyJWKClient(url.split("/agents/")[0] + "/.well-known/jwks.json")
    verify = create_signature_verifier(lambda kid, _: keys.get_signing_key(kid), ["EdDSA"])
    try:
        verify(card)
        return "holds"
    except SignatureVerificationError as error:
        return type(error).__name__


def state(task):
    return a2a.TaskState.Name(task.status.state)


async def converse(client, name, target):
    """Everything that a client does with one task."""
    facts = {"events": []}
    task_id = None
    async for event in client.send_message(a2a.SendMessageRequest(message=message(name, target))):
        kind = event.WhichOneof("payload")
        facts["events"].append(kind)
        if kind == "task":
            task_id = event.task.id
            facts["begun"] = state(event.task)
        elif kind == "status_update":
            facts["ended"] = a2a.TaskState.Name(event.status_update.status.state)
        elif kind == "artifact_update":
            parts = event.artifact_update.artifact.parts
            facts["result"] = [part.media_type for part in parts]
    task = await client.get_task(a2a.GetTaskRequest(id=task_id))
    facts["id"], facts["state"] = task.id, state(task)
    facts["said"] = [a2a.Role.Name(it.role) for it in task.history][:1]
    try:
        await client.cancel_task(a2a.CancelTaskRequest(id=task_id))
    except (A2AError, A2AClientError) as error:
        facts["cancelled"] = type(error).__name__
    try:
        await client.get_task(a2a.GetTaskRequest(id="nothing"))
    except (A2AError, A2AClientError) as error:
        facts["unknown"] = type(error).__name__
    return facts


async def pushed(client, task_id):
    """Has a task pushed, reads that back, and has it pushed no more."""
    given = a2a.TaskPushNotificationConfig(task_id=task_id, id="hook", url=HOOK, token="known")
    made = await client.create_task_push_notification_config(given)
    key = {"task_id": task_id, "id": "hook"}
    wanted = a2a.GetTaskPushNotificationConfigRequest(**key)
    read = await client.get_task_push_notification_config(wanted)
    facts = {"made": [made.id, made.url, made.token], "read": [read.id, read.url, read.token]}
    every = a2a.ListTaskPushNotificationConfigsRequest(task_id=task_id)
    try:
        listed = await client.list_task_push_notification_configs(every)
        facts["listed"] = [it.id for it in listed.configs]
        forget = a2a.DeleteTaskPushNotificationConfigRequest(**key)
        await client.delete_task_push_notification_config(forget)
        left = await client.list_task_push_notification_configs(every)
        facts["left"] = [it.id for it in left.configs]
    except NotImplementedError:
        # The SDK neither lists nor deletes over HTTP+JSON of v0.3.
        facts["listed"] = None
    return facts


def by(card, version, binding):
    """The card as if it offered nothing else."""
    one = a2a.AgentCard()
    one.CopyFrom(card)
    kept = [
        it
        for it in card.supported_interfaces
        if (it.protocol_version, it.protocol_binding) == (version, binding)
    ]
    del one.supported_interfaces[:]
    one.supported_interfaces.extend(kept)
    return one


async def main(url, token, target):
    facts = {}
    # A client of its own for each conversation, so that a load balancer may take it elsewhere.
    http_client = lambda: httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    async with http_client() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    facts["name"] = card.name
    facts["signature"] = vouched(card, url)
    card_of_others = a2a.AgentCard()
    card_of_others.CopyFrom(card)
    card_of_others.name = "somebody else"
    facts["forged"] = vouched(card_of_others, url)
    facts["skills"] = [skill.id for skill in card.skills]
    offered = [(it.protocol_version, it.protocol_binding) for it in card.supported_interfaces]
    facts["offered"] = [" ".join(pair) for pair in offered]
    for version, binding in offered:
        for streaming in (True, False):
            async with http_client() as http:
                config = ClientConfig(
                    httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding]
                )
                client = ClientFactory(config).create(by(card, version, binding))
                how = "stream" if streaming else "wait"
                name = f"{version} {binding} {how}"
                facts[name] = await converse(client, name.replace(" ", "-"), target)
                if card.capabilities.push_notifications:
                    facts[name]["pushed"] = await pushed(client, facts[name]["id"])
                if version == "1.0":
                    listed = await client.list_tasks(a2a.ListTasksRequest(page_size=1))
                    facts[name]["listed"] = [len(listed.tasks), bool(listed.next_page_token)]
                extended = await client.get_extended_agent_card(a2a.GetExtendedAgentCardRequest())
                facts[name]["extended"] = MessageToDict(extended)["name"]
    print(json.dumps(facts))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
