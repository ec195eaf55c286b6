"""A server by the library `websockets` that compresses, for tests/foreign.rs: `pip install websockets`.

It answers a text with the same text; in fragments where the path says so. It prints its port, then for each connection what
was agreed on and how many messages came, and ends when its input does.
"""

import asyncio
import sys

from websockets.asyncio.server import serve


async def echo(socket):
    count, path = 0, socket.request.path
    async for message in socket:
        count += 1
        if path == "/parts":
            third = len(message) // 3
            await socket.send([message[:third], message[third : 2 * third], message[2 * third :]])
        else:
            await socket.send(message)
    print("agreed", socket.response.headers.get("Sec-WebSocket-Extensions", "nothing"), "messages", count, flush=True)


async def main():
    compression = None if sys.argv[1:] == ["without"] else "deflate"
    async with serve(echo, "127.0.0.1", 0, compression=compression, max_size=4_000_000) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
