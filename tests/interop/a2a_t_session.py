"""A session of the SDK of A2A-T (a2a-t-sdk) with a running platform, over the official A2A SDK.

    a2a_t_session.py URL-OF-PLATFORM TOKEN AREA PROMPT BREAK

The SDK writes and checks texts; its language model is a table here, which says what the test has it say.
PROMPT is a task as Convoke writes it for a peer, which the SDK's server side checks; BREAK is a command, as
a JSON array, after which there is an incident. Prints what it found as JSON; what any of it should be is for `tests/foreign/telecom.rs` to say.
"""

import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as a2a
from google.protobuf.json_format import MessageToDict, ParseDict

# The client of the language model that the SDK would load, and never calls here.
sys.modules["openai"] = types.ModuleType("openai")
sys.modules["openai"].__getattr__ = lambda name: type(name, (Exception,), {})

try:
    from a2a_t.client import A2ATClient
    from a2a_t.core.metadata import NegotiationContext, NegotiationPerformative
    from a2a_t.llm import LLMClientFactory, LLMResponse
    from a2a_t.negotiation.content.enums import NegotiationAction, NegotiationConclusion
    from a2a_t.negotiation.content.models import (
        FeasibilityEndingContent,
        FeasibilityProposeContent,
        InformationEndingContent,
        NegotiationAbortContent,
        NegotiationAbortData,
        NegotiationEndingData,
        NegotiationItem,
        NegotiationProposeData,
    )
    from a2a_t.server import A2ATServer
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

ENERGY = "Task-T/network-layer/ran-energy-saving/v1"
INCIDENT = "Notification-T/network-layer/subscribe-incident/v1"
NEGOTIATION = "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Negotiation-T/v1"


class Table:
    """In the place of a language model: says for each member what stands in the table."""

    says = {}
    asked = 0

    def __init__(self, config, logger=None):
        pass

    def structured(self, *, messages, json_schema, temperature=None, max_tokens=None):
        Table.asked += 1
        content = json.dumps(self.filled(json_schema))
        return LLMResponse(content=content, model="table", usage={}, metadata={})

    def filled(self, schema, name=None):
        if name in Table.says:
            return Table.says[name]
        kinds = schema.get("type")
        if kinds == "object" or "properties" in schema:
            members = schema.get("properties", {}).items()
            return {member: self.filled(one, member) for member, one in members}
        if kinds == "array":
            return []
        return True if kinds == "boolean" else None


def both_sides():
    """The SDK's client and server, with the table as their model."""
    LLMClientFactory.register("table", Table)
    settings = pathlib.Path(tempfile.mkdtemp()) / "env"
    settings.write_text(
        "A2AT_LLM_PROVIDER=table\nA2AT_LLM_MODEL=table\nA2AT_LLM_API_KEY=none\nA2AT_LANGUAGE=en-US\n"
    )
    return A2ATClient(env_path=settings), A2ATServer(env_path=settings)


def message(content, task_id=None):
    said = {
        "messageId": str(uuid.uuid4()),
        "role": "ROLE_USER",
        "parts": [{"text": "as the prompt says"}],
        "metadata": content.build_metadata_content(),
    }
    if task_id:
        said["taskId"] = task_id
    return ParseDict(said, a2a.Message())


class Agent:
    """An agent of the platform, over JSON-RPC of v1.0."""

    def __init__(self, client):
        self.client = client

    @classmethod
    async def at(cls, http, url):
        card = await A2ACardResolver(http, url).get_agent_card()
        uris = [it.uri for it in card.capabilities.extensions]
        config = ClientConfig(
            httpx_client=http, streaming=True, supported_protocol_bindings=["JSONRPC"]
        )
        agent = cls(ClientFactory(config).create(card))
        agent.declares = sorted(uri.split("/extensions/")[1] for uri in uris if "tmforum" in uri)
        return agent

    async def say(self, content, task_id=None, until=lambda event: False):
        """What is streamed back, up to an event that is enough."""
        context = ClientCallContext(service_parameters={"A2A-Extensions": content.extension_uri})
        request = a2a.SendMessageRequest(message=message(content, task_id))
        events = []
        stream = self.client.send_message(request, context=context)
        async for event in stream:
            events.append(MessageToDict(event))
            if until(events[-1]):
                await stream.aclose()
                break
        return events

    async def cancel(self, task_id):
        task = await self.client.cancel_task(a2a.CancelTaskRequest(id=task_id))
        return a2a.TaskState.Name(task.status.state)


def state(event):
    status = (event.get("task") or event.get("statusUpdate") or {}).get("status", {})
    return status.get("state", "artifact" if "artifactUpdate" in event else "message")


def metadata(event):
    """What stands in the metadata of what an event brings."""
    for place in ("message", "artifactUpdate"):
        if place in event:
            return (event[place].get("artifact") or event[place]).get("metadata", {})
    status = (event.get("task") or event.get("statusUpdate"))["status"]
    return status.get("message", {}).get("metadata", {})


def context_of(said, performative):
    context = said["negotiationContext"]
    number = lambda name: int(context[name])
    return NegotiationContext(context["id"], number("round"), number("maxRounds"), performative)


def checked(client, said, kind):
    """Whether the SDK takes what was said for a proposal of this kind."""
    Table.says = {"semantic_verdict": True, "negotiation_type": kind}
    filled = client.validate_propose_prompt_and_data_filling(
        said[NEGOTIATION],
        context_of(said, NegotiationPerformative.PROPOSE),
        {"type": "object", "properties": {}},
        said["templateUri"],
    )
    return sorted(filled.data)


async def energy(client, agent, area):
    """A task that lacks something, what it asks, and how it goes on."""
    Table.says = {
        "operation_type": "Create",
        "task_description": "Save energy at <Task Object> as <Task Target> says.",
        "task_object": f"Area: {area}",
        "task_target": "Energy consumption goal: plenty",
        "task_context": None,
        "expected_output": None,
    }
    prompt = client.generate_task_prompt_from_text("save energy", ENERGY)
    asked = await agent.say(prompt)
    said = metadata(asked[-1])
    task_id = asked[0]["task"]["id"]
    facts = {"id": task_id, "states": [state(it) for it in asked]}
    facts["checked"] = checked(client, said, "information")
    facts["asked"] = said[NEGOTIATION]
    items = [NegotiationItem("Energy consumption goal", "10%")]
    answer = client.generate_negotiation_accept_prompt_from_data(
        NegotiationEndingData(
            context_of(said, NegotiationPerformative.ACCEPT),
            InformationEndingContent(NegotiationConclusion.ACCEPT, items),
        ),
        "Negotiation-T/information-negotiation/accept-reject/v1",
    )
    reported = lambda event: any("Task-T" in name for name in metadata(event))
    went_on = await agent.say(answer, task_id, until=reported)
    facts["reports"] = metadata(went_on[-1])
    facts["cancelled"] = await agent.cancel(task_id)
    return facts


async def feasibility(client, agent, area):
    """A feasibility: proposed, answered, and left."""
    context = NegotiationContext.of(str(uuid.uuid4()), 1, NegotiationPerformative.PROPOSE)
    items = [NegotiationItem("Area", area), NegotiationItem("Energy consumption goal", "10%")]
    proposal = client.generate_negotiation_propose_prompt_from_data(
        NegotiationProposeData(
            context,
            FeasibilityProposeContent(
                "Please assess, see <Under Evaluation Description>.",
                NegotiationAction.REQUEST_FEASIBILITY_EVALUATION,
                items,
                None,
                None,
            ),
        ),
        "Negotiation-T/feasibility-negotiation/propose/v1",
    )
    answered = await agent.say(proposal)
    said = metadata(answered[-1])
    facts = {"id": context.id, "kinds": [state(it) for it in answered], "said": said}
    late = client.generate_negotiation_abort_prompt_from_data(
        NegotiationAbortData(
            context_of(said, NegotiationPerformative.ABORT),
            NegotiationAbortContent("not needed any more"),
        ),
        "Negotiation-T/common/abort/v1",
    )
    try:
        facts["left"] = [state(it) for it in await agent.say(late)]
    except Exception as error:  # noqa: BLE001 (whichever the SDK raises)
        facts["left"] = str(error)
    return facts


async def subscription(client, agent, command):
    """A subscription that is taken, told of an incident, and cancelled."""
    Table.says = {
        "notification_topic": "Incident",
        "subscribe_condition": "Fault priority: critical, high",
        "notification_data_format": "report Incident data via DataPart",
    }
    prompt = client.generate_notification_prompt_from_text("critical incidents", INCIDENT)

    def is_told(event):
        if state(event) == "TASK_STATE_WORKING":
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return state(event) == "artifact"

    taken = await agent.say(prompt, until=is_told)
    facts = {"states": [state(it) for it in taken], "outcome": metadata(taken[1])}
    facts["told"] = taken[-1]["artifactUpdate"]["artifact"]
    facts["cancelled"] = await agent.cancel(taken[0]["task"]["id"])
    return facts


def read_by_its_server(server, prompt):
    """Whether the SDK's server side takes a task of ours; it says so, or raises."""
    Table.says = {"semantic_verdict": True, "area": "Haidian"}
    schema = {"type": "object", "properties": {"area": {"type": "string"}}}
    server.validate_task_prompt_and_data_filling(prompt, schema, ENERGY)
    return True


async def main(url, token, area, prompt, command):
    client, server = both_sides()
    facts = {}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        agent = await Agent.at(http, f"{url}/agents/TMF-Convoke-Energy-1.0.0")
        facts["declares"] = agent.declares
        facts["energy"] = await energy(client, agent, area)
        facts["feasibility"] = await feasibility(client, agent, area)
        domain = await Agent.at(http, f"{url}/agents/TMF-Convoke-IP-1.0.0")
        facts["subscription"] = await subscription(client, domain, json.loads(command))
    facts["ours"] = read_by_its_server(server, prompt)
    facts["asked of the table"] = Table.asked
    print(json.dumps(facts))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:6]))
