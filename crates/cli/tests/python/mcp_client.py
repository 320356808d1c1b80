"""The official Python client: connects, lists everything, makes the calls it is told to, and prints what it saw as JSON."""

import asyncio
import contextlib
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


@contextlib.asynccontextmanager
async def connected(asked):
    if "command" in asked:
        command, *arguments = asked["command"]
        server = StdioServerParameters(command=command, args=arguments, env=asked["env"])
        async with Client(server, mode=asked["mode"]) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {asked['key']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(asked["url"], http_client=http)
        async with Client(transport, mode=asked["mode"]) as client:
            yield client


async def main(asked):
    async with connected(asked) as client:
        saw = {
            "revision": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "calls": [],
        }
        for name, arguments in asked["calls"]:
            result = await client.call_tool(name, arguments)
            saw["calls"].append({"error": bool(result.is_error), "answer": result.structured_content})
        saw["resources"] = [str(resource.uri) for resource in (await client.list_resources()).resources]
        templates = await client.list_resource_templates()
        saw["templates"] = [template.uri_template for template in templates.resource_templates]
        saw["context"] = (await client.read_resource("memory://context")).contents[0].text
        saw["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
        saw["boot"] = (await client.get_prompt("boot", {"task": "build"})).messages[0].content.text
    print(json.dumps(saw))


asyncio.run(main(json.loads(sys.argv[1])))
