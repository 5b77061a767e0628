"""An A2A agent of somebody else, with the official SDK: a surveyor who drives to places.

The skill `check` takes a payload typed by its schema (extension 002) and answers with another; the skill
`guide` takes an intent with slots (extension 004). In plain words it wants to know the place first. It
knows nothing of the platform; see docs/outside.md for how the platform takes it on.
"""

import argparse
import asyncio

import uvicorn
from a2a.helpers.proto_helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as a2a
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.applications import Starlette

OBJECT_SCHEMAS = (
    "https://raw.githubusercontent.com/facultyai/a2a-extension-object-schemas/refs/heads/main/v1"
)
INTENT = "https://help.aliyun.com/en/model-studio/multimodal-integration-a2a-intent"
CHECK, RESULT = ("application/json;schema=" + s for s in ("quality_check_v1", "quality_check_result_v1"))
TEXT = {"type": "string"}
SCHEMAS = {
    "quality_check_v1": {
        "type": "object",
        "properties": {"ticket_id": TEXT, "from": TEXT, "until": TEXT, "place": TEXT},
        "required": ["ticket_id", "from", "until"],
    },
    "quality_check_result_v1": {
        "type": "object",
        "properties": {"verdict": {"enum": ["good", "degraded", "failed", "no_data"]}},
        "required": ["verdict"],
    },
}
GUIDE = {
    "type": "object",
    "properties": {"question": TEXT, "element": TEXT},
    "required": ["question", "element"],
}


def card(url):
    """Who it is."""
    skill = {"description": "looks at places", "tags": ["field"], "outputModes": ["text/plain"]}
    check = {**skill, "inputModes": ["text/plain", CHECK], "outputModes": ["text/plain", RESULT]}
    extensions = [
        {"uri": OBJECT_SCHEMAS, "params": {"schemas": SCHEMAS}},
        {"uri": INTENT, "params": {"skills": [{"id": "guide", "inputSchema": GUIDE}]}},
    ]
    interface = {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return ParseDict(
        {
            "name": "Surveyor",
            "description": "Drives to places and says how the network is there",
            "version": "1.0.0",
            "provider": {"organization": "Example", "url": url},
            "supportedInterfaces": [interface],
            "capabilities": {"streaming": True, "extensions": extensions},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["text/plain", "application/json"],
            "skills": [{**check, "id": "check", "name": "check"}, {**skill, "id": "guide", "name": "guide"}],
        },
        a2a.AgentCard(),
    )


class Surveyor(AgentExecutor):
    """Drives there, and says what it saw."""

    def __init__(self, drive):
        self.drive = drive

    async def execute(self, context, event_queue):
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        message = MessageToDict(context.message)
        typed = [p["data"] for p in message["parts"] if p.get("mediaType") == CHECK]
        intents = message.get("metadata", {}).get("intentInfos", [])
        if not typed and not intents and context.current_task is None:
            asked = [new_text_part("Which place?")]
            return await updater.requires_input(updater.new_agent_message(asked))
        await updater.start_work(updater.new_agent_message([new_text_part("on the way")]))
        await asyncio.sleep(self.drive)
        if typed:
            part = new_data_part({"verdict": "good"}, media_type=RESULT)
        elif intents:
            slots = {slot["name"]: slot["value"] for slot in intents[0]["slots"]}
            part = new_text_part(f"{slots['element']}: open the left door first")
        else:
            part = new_text_part(f"seen: {context.get_user_input()}")
        await updater.add_artifact([part], name="result")
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=9300, help="where to listen")
    parser.add_argument("--drive", type=float, default=2.0, help="seconds on the way")
    asked = parser.parse_args()
    own = card(f"http://127.0.0.1:{asked.port}/")
    handler = DefaultRequestHandler(
        agent_executor=Surveyor(asked.drive), task_store=InMemoryTaskStore(), agent_card=own
    )
    routes = create_agent_card_routes(own) + create_jsonrpc_routes(handler, "/")
    config = uvicorn.Config(Starlette(routes=routes), port=asked.port, log_level="warning")
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main())
