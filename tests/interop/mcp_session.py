"""A session of the official MCP SDK for Python with `convoke mcp`.

    mcp_session.py LIFECYCLE COMMAND STATE NETCONF ELEMENT ASKING SCHEMA

Starts the command as assistants do, over the lifecycle named: `legacy`, which begins with
`initialize`, or `auto`, the newest that both know. Lists what there is, has the element diagnosed,
sends a payload that is wrong, answers the task ASKING, gives a call up, reads resources, and retires
SCHEMA to hear that the tools changed. Prints what it found as JSON; what any of it should be is for
`tests/foreign/mcp.rs` to say.
"""

import json
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters

DIAGNOSE = "ip-fault_fault-diagnosis"
REPORT = "ip-fault_incident-reporting"


def told(result):
    """What came of a call."""
    return {
        "error": result.is_error,
        "words": [part.text for part in result.content if part.type == "text"],
        "links": [str(part.uri) for part in result.content if part.type == "resource_link"],
        "structured": result.structured_content,
        "meta": result.meta,
    }


async def refused(asked):
    """The code of the protocol's error that comes of it."""
    try:
        await asked
    except MCPError as error:
        return error.code
    return None


async def tasks(client):
    content = (await client.read_resource("convoke://tasks", cache_mode="bypass")).contents
    return json.loads(content[0].text)


async def given_up(client):
    """How a task stands whose call was given up."""
    before = {it["task"]["task-id"] for it in await tasks(client)}
    new = set()
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, REPORT, {"report": "incidents", "domain": "IP"})
        while not new:
            new = {it["task"]["task-id"] for it in await tasks(client)} - before
        group.cancel_scope.cancel()
    (task,) = new
    while task in {it["task"]["task-id"] for it in await tasks(client)}:
        pass
    content = (await client.read_resource(f"convoke://tasks/{task}")).contents
    return json.loads(content[0].text)["task"]["task-status"]


async def changed(client, retire, heard):
    """How many tools there are before a schema is retired, and after that was heard."""
    before = len((await client.list_tools(cache_mode="bypass")).tools)
    if client.protocol_version == "2026-07-28":
        async with client.listen(tools_list_changed=True) as events:
            await anyio.run_process(retire)
            await anext(events)
    else:
        await anyio.run_process(retire)
        await heard.wait()
    return [before, len((await client.list_tools(cache_mode="bypass")).tools)]


async def session(lifecycle, command, state, netconf, element, asking, schema):
    common = ["--state", state, "--netconf", netconf]
    server = StdioServerParameters(command=command, args=["mcp", *common, "--language", "zh"])
    heard = anyio.Event()

    async def listen(message):
        if type(message).__name__ == "ToolListChangedNotification":
            heard.set()

    async with Client(server, mode=lifecycle, message_handler=listen) as client:
        tools = (await client.list_tools()).tools
        steps = []

        async def progress(so_far, total, message):
            steps.append([so_far, total])

        diagnosed = await client.call_tool(
            DIAGNOSE, {"target": element}, progress_callback=progress
        )
        wrong = await client.call_tool(DIAGNOSE, {"target": "x", "y": 1, "sites": ["z"]})
        waited = await client.call_tool("wait", {"task": asking})
        answered = await client.call_tool("answer", {"task": asking, "answer": element})
        agents = (await client.read_resource("convoke://agents")).contents[0]
        task = diagnosed.meta["convoke/task-id"]
        shown = (await client.read_resource(f"convoke://tasks/{task}")).contents[0]
        templates = (await client.list_resource_templates()).resource_templates
        return {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "instructions": client.instructions,
            "tools": {tool.name: tool.model_dump(mode="json", by_alias=True) for tool in tools},
            "diagnosed": told(diagnosed),
            "progress": steps,
            "wrong": told(wrong),
            "waited": told(waited),
            "answered": told(answered),
            "no task": told(await client.call_tool("wait", {"task": "nothing"})),
            "no arguments": told(await client.call_tool("wait", {})),
            "no tool": await refused(client.call_tool("nothing", {})),
            "resources": [str(it.uri) for it in (await client.list_resources()).resources],
            "templates": [it.uri_template for it in templates],
            "agents": [agents.mime_type, json.loads(agents.text)],
            "task": json.loads(shown.text),
            "nowhere": await refused(client.read_resource("convoke://tasks/nothing")),
            "given up": await given_up(client),
            "changed": await changed(
                client, [command, "schema", "retire", schema, *common], heard
            ),
        }


print(json.dumps(anyio.run(session, *sys.argv[1:])))
