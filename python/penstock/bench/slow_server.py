"""A server whose answers begin late. For `buckets.py`.

usage: python -P slow_server.py SIZE LATENCY

Every path is a file of SIZE random bytes, of which the server gives ranges LATENCY seconds after a client asked for
them. It prints its port, and ends with its standard input.
"""

import asyncio
import os
import re
import sys


async def _serve(reader, writer, body, latency):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(latency)
            asked = re.search(rb"(?i)\r\nrange: bytes=(\d+)-(\d+)", head)
            begin, end = (int(asked[1]), min(int(asked[2]) + 1, len(body))) if asked else (0, len(body))
            lines = ["HTTP/1.1 200 OK", f"Content-Length: {end - begin}", 'ETag: "one"']
            if asked:
                lines[0] = "HTTP/1.1 206 Partial Content"
                lines.append(f"Content-Range: bytes {begin}-{end - 1}/{len(body)}")
            writer.write("\r\n".join([*lines, "", ""]).encode())
            writer.write(memoryview(body)[begin:end])
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _main(size, latency):
    body = os.urandom(size)
    server = await asyncio.start_server(lambda *ends: _serve(*ends, body, latency), "127.0.0.1", 0, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # without waiting for clients that are still connected


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), float(sys.argv[2])))
