"""A server with the interface of OpenAI's chat completions, with every fault on demand."""

import asyncio
import json
import socket
import struct
import threading
import zlib
from collections import Counter
from functools import cache

from workbench.asking.prompts import MOVES_HEADING

HANG_SECONDS = 60
NEW_MOVES = "New moves:\n"
BOMB_BYTES = 300_000_000
ESCAPES = "\x1b[2J\x1b]0;owned\x07 at the server\r\x9b31m\u202e"
USAGE = {"prompt_tokens": 400, "completion_tokens": 50, "total_tokens": 450}


class LocalServer:
    """Answers each question with the FEN given for its moves, or with a fault.

    ``asked`` counts the requests and ``answered`` the whole right answers sent, by the moves.
    """

    def __init__(self, answers, faults=None, seconds=0.0, key=None):
        self.answers = answers
        self.faults = faults or {}
        self.seconds = seconds
        self.key = key
        self.usage = USAGE
        self.asked = Counter()
        self.answered = Counter()
        self.requests = []
        self.headers = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def _run(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))

    async def _serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                headers = dict(
                    line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line
                )
                headers = {name.lower(): value for name, value in headers.items()}
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                self.requests.append(body)
                self.headers.append(headers)
                if not await self._reply(body, writer):
                    return
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            return
        finally:
            writer.close()

    async def _reply(self, body, writer):
        moves = moves_of(body)
        self.asked[moves] += 1
        fault = self.faults.get(moves)
        if fault is not None:
            return await getattr(self, f"_fault_{fault}")(moves, writer)
        await asyncio.sleep(self.seconds)
        return await self._answer(moves, writer)

    async def _answer(self, moves, writer, **changes):
        body = {**completion(self.answers[moves]), "usage": self.usage, **changes}
        await self._send(writer, 200, {name: part for name, part in body.items() if part})
        self.answered[moves] += 1
        return True

    async def _send(self, writer, status, body, *extra, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {kind}",
                 f"Content-Length: {len(data)}", *extra]  # fmt: skip
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await writer.drain()
        return True

    async def _fault_rate_limit_once(self, moves, writer):
        if self.asked[moves] == 1:
            body = problem("Rate limit reached", "rate_limit_exceeded")
            return await self._send(writer, 429, body, "Retry-After: 1")
        return await self._answer(moves, writer)

    async def _fault_rate_limit(self, moves, writer):
        body = problem("Rate limit reached", "rate_limit_exceeded")
        return await self._send(writer, 429, body, "Retry-After: 0")

    async def _fault_server_error(self, moves, writer):
        return await self._send(writer, 500, problem("The server had an error", "server_error"))

    async def _fault_server_error_with_key(self, moves, writer):
        said = f"Cannot use {self.key}: {json.dumps(self.headers[-1])}"
        return await self._send(writer, 500, problem(said, "server_error"))

    async def _fault_bad_request_with_key(self, moves, writer):
        return await self._send(writer, 400, problem(self.key, self.key), self._key_in_header())

    async def _fault_reply_with_key(self, moves, writer):
        body = completion(f"{self.key}\n{self.answers[moves]}")
        body |= {"id": self.key, "model": self.key, "system_fingerprint": self.key}
        body["choices"][0]["message"]["reasoning_content"] = self.key
        return await self._send(writer, 200, body, self._key_in_header())

    async def _fault_html_with_key(self, moves, writer):
        return await self._send(writer, 200, f"<html>{self.key}".encode(), kind="text/html")

    async def _fault_nonsense_with_key(self, moves, writer):
        return await self._send(writer, 200, {**completion(""), "choices": self.key})

    def _key_in_header(self):
        return "x-request-id: " + " ".join(self.key.split())

    async def _fault_reset(self, moves, writer):
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False

    async def _fault_hang(self, moves, writer):
        await asyncio.sleep(HANG_SECONDS)
        return False

    async def _fault_truncated_json(self, moves, writer):
        data = json.dumps(completion(self.answers[moves])).encode()
        return await self._send(writer, 200, data[: len(data) // 2])

    async def _fault_empty_choices(self, moves, writer):
        return await self._send(writer, 200, {**completion(""), "choices": []})

    async def _fault_html(self, moves, writer):
        return await self._send(
            writer, 200, b"<html><body>Please log in</body></html>", kind="text/html"
        )

    async def _fault_unauthorized(self, moves, writer):
        body = problem(f"Incorrect API key provided: {self.key}", "invalid_api_key")
        return await self._send(writer, 401, body)

    async def _fault_context_length(self, moves, writer):
        said = "This model's maximum context length is 100 tokens, your messages have 300."
        return await self._send(writer, 400, problem(said, "context_length_exceeded"))

    async def _fault_bad_request(self, moves, writer):
        said = "Unsupported parameter: 'temperature' is not supported with this model."
        return await self._send(writer, 400, problem(said, "unsupported_parameter"))

    async def _fault_forbidden(self, moves, writer):
        return await self._send(writer, 403, problem("Not in your region", "forbidden"))

    async def _fault_not_found(self, moves, writer):
        return await self._send(writer, 404, problem("No such model", "model_not_found"))

    async def _fault_error_with_200(self, moves, writer):
        return await self._send(writer, 200, problem("The model is overloaded", "server_error"))

    async def _fault_no_usage(self, moves, writer):
        return await self._answer(moves, writer, usage=None)

    async def _fault_negative_usage(self, moves, writer):
        usage = {"prompt_tokens": 400, "completion_tokens": -5000, "total_tokens": -4600}
        return await self._answer(moves, writer, usage=usage)

    async def _fault_absurd_usage(self, moves, writer):
        usage = {"prompt_tokens": 10**12, "completion_tokens": 50, "total_tokens": 10**12 + 50}
        return await self._answer(moves, writer, usage=usage)

    async def _fault_huge_usage(self, moves, writer):
        return await self._answer(moves, writer, usage=dict.fromkeys(USAGE, 10**400))

    async def _fault_huge_total(self, moves, writer):
        return await self._answer(moves, writer, usage={**USAGE, "total_tokens": 10**400})

    async def _fault_huge_reasoning(self, moves, writer):
        usage = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 10**400}}
        return await self._answer(moves, writer, usage=usage)

    async def _fault_infinite_usage(self, moves, writer):
        return await self._answer(moves, writer, usage={**USAGE, "prompt_tokens": float("inf")})

    async def _fault_usage_as_text(self, moves, writer):
        return await self._answer(moves, writer, usage="many")

    async def _fault_usage_of_nulls(self, moves, writer):
        return await self._answer(moves, writer, usage=dict.fromkeys(USAGE))

    async def _fault_usage_of_words(self, moves, writer):
        return await self._answer(moves, writer, usage=dict.fromkeys(USAGE, "many"))

    async def _fault_quota(self, moves, writer):
        said = "You exceeded your current quota, check your plan and billing details."
        return await self._send(writer, 429, problem(said, "insufficient_quota"))

    async def _fault_refusal(self, moves, writer):
        body = completion(None)
        body["choices"][0]["message"]["refusal"] = "I cannot help with that."
        return await self._send(writer, 200, body)

    async def _fault_megabyte(self, moves, writer):
        return await self._send(
            writer, 200, completion("Let me think. " * 75_000 + f"\nFEN: {self.answers[moves]}")
        )

    async def _fault_gzip_bomb(self, moves, writer):
        data = await asyncio.to_thread(bomb, self.answers[moves])
        return await self._send(writer, 200, data, "Content-Encoding: gzip")

    async def _fault_gzip(self, moves, writer):
        data = json.dumps(completion(self.answers[moves])).encode()
        self.answered[moves] += 1
        return await self._send(
            writer, 200, zlib.compress(data, wbits=31), "Content-Encoding: gzip"
        )

    async def _fault_zstd(self, moves, writer):
        return await self._send(writer, 200, b"(\xb5/\xfd", "Content-Encoding: zstd")

    async def _fault_endless(self, moves, writer):
        head = "HTTP/1.1 200 Said\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked"
        writer.write(f"{head}\r\n\r\n".encode())
        while not writer.is_closing():
            writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
            await writer.drain()
        return False

    async def _fault_escape_codes(self, moves, writer):
        return await self._send(writer, 500, problem(ESCAPES, "server_error"))

    async def _fault_invalid_utf8(self, moves, writer):
        data = json.dumps(completion(self.answers[moves] + " MARK")).encode()
        return await self._send(writer, 200, data.replace(b"MARK", b"\xff\xfe\x80"))

    async def _fault_cut_off(self, moves, writer):
        body = completion(self.answers[moves][:20])
        body["choices"][0]["finish_reason"] = "length"
        return await self._send(writer, 200, body)


@cache
def bomb(answer):
    """Return a right answer after `BOMB_BYTES` of spaces, compressed to some 300 kB."""
    packed = zlib.compressobj(1, wbits=31)
    begin, end = json.dumps(completion(f"MARK{answer}")).encode().split(b"MARK")
    spaces = [packed.compress(b" " * 1_000_000) for _ in range(BOMB_BYTES // 1_000_000)]
    return b"".join([packed.compress(begin), *spaces, packed.compress(end), packed.flush()])


def moves_of(body):
    """Return the moves that a request asks about."""
    users = [said["content"] for said in body["messages"] if said["role"] == "user"]
    told = [text.rpartition(NEW_MOVES)[2].strip() for text in users if NEW_MOVES in text]
    if told:
        return " ".join(told)
    (question,) = [text for text in users if MOVES_HEADING in text]
    return question.rpartition(MOVES_HEADING)[2].strip()


def completion(text):
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "local",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
    }


def problem(message, code):
    return {"error": {"message": message, "type": code, "param": None, "code": code}}
