"""The peer of the A2A bench: the official Python SDK's server, with an agent that answers at once.

Takes a typed message, keeps a task in memory, answers with a typed result. Listens on a free port of
loopback and prints it; ends with its standard input.
"""

import asyncio
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_data_part, new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as a2a
from starlette.applications import Starlette

RESULT = {
    "status": "in_force",
    "priorities": ["fault", "experience", "energy"],
    "min_throughput_mbps": 2,
    "max_load_percent": 50,
    "saving_target_percent": 5,
    "duration_minutes": 240,
}


class Agent(AgentExecutor):
    """Says what is in force."""

    async def execute(self, context, event_queue):
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.add_artifact([new_data_part(RESULT)], name="result")
        await updater.complete()

    async def cancel(self, context, event_queue):
        raise NotImplementedError


def application():
    """The server, as the SDK's samples put it together."""
    url = a2a.AgentInterface(
        url="http://127.0.0.1", protocol_binding="JSONRPC", protocol_version="1.0"
    )
    skill = a2a.AgentSkill(id="intent", name="intent", description="what is in force", tags=["-"])
    card = a2a.AgentCard(
        supported_interfaces=[url],
        skills=[skill],
        name="sample",
        description="answers at once",
        version="1",
        default_input_modes=["application/json"],
        default_output_modes=["application/json"],
        capabilities=a2a.AgentCapabilities(streaming=True),
    )
    handler = DefaultRequestHandler(
        agent_executor=Agent(), task_store=InMemoryTaskStore(), agent_card=card
    )
    return Starlette(routes=create_jsonrpc_routes(handler, "/"))


async def main():
    config = uvicorn.Config(
        application(), host="127.0.0.1", port=0, log_level="critical", access_log=False
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving


if __name__ == "__main__":
    asyncio.run(main())
