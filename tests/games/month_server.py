"""A local server that behaves as servers of large files do, well or badly, as a test asks."""

import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MONTH = "2017-04"
NAME = f"lichess_db_standard_rated_{MONTH}.pgn.zst"


@dataclass
class Answer:
    """How one request for the month is answered.

    Attributes:
        status: Of a refusal, with `headers`; 0 for the file.
        headers: Sent beyond the usual ones.
        cut_after: Bytes of the body after which the connection is closed.
        stall_after: Bytes of the body after which nothing comes for `pause` seconds.
        pause: Seconds; without `stall_after` a pause between pieces of 8 KiB.
        chunked: Whether the body is sent without saying its length.
        body: Sent in place of the file.
    """

    status: int = 0
    headers: dict = field(default_factory=dict)
    cut_after: int | None = None
    stall_after: int | None = None
    pause: float = 0.0
    chunked: bool = False
    body: bytes | None = None


@dataclass
class Seen:
    """A request for the month, and what became of it."""

    range: str | None
    if_range: str | None
    status: int = 0
    sent: int = 0


class MonthServer:
    """The state of the server: its file, and the answers to the next requests in their order."""

    def __init__(self, data):
        self.data = data
        self.sums = f"{sha256(data).hexdigest()}  {NAME}\n"
        self.etag = '"one"'
        self.ranges = True
        self.if_ranges = True
        self.longest_range = None
        self.answers = deque()
        self.always = Answer()
        self.before_answer = lambda seen: None
        self.seen = []
        self.address = ""

    def replace_data(self, data, etag):
        self.data, self.etag = data, etag
        self.sums = f"{sha256(data).hexdigest()}  {NAME}\n"


@contextmanager
def serving(data):
    state = MonthServer(data)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path == f"/standard/{NAME}":
                _send_month(self, state)
            elif self.path == "/standard/sha256sums.txt" and state.sums is not None:
                _send(self, 200, state.sums.encode())
            else:
                _send(self, 404, b"no such file")

    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            if not isinstance(sys.exception(), ConnectionError):
                super().handle_error(request, client_address)

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _send(handler, status, body, headers=()):
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in dict(headers).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def _send_month(handler, state):
    seen = Seen(handler.headers.get("Range"), handler.headers.get("If-Range"))
    state.seen.append(seen)
    state.before_answer(seen)
    answer = state.answers.popleft() if state.answers else state.always
    if answer.status:
        seen.status = answer.status
        _send(handler, answer.status, b"not now", answer.headers)
        return
    data = state.data if answer.body is None else answer.body
    start = 0
    wanted = seen.range and state.ranges
    if wanted and not (state.if_ranges and seen.if_range and seen.if_range != state.etag):
        start = int(seen.range.removeprefix("bytes=").removesuffix("-"))
        if start >= len(data):
            seen.status = 416
            _send(handler, 416, b"", {"Content-Range": f"bytes */{len(data)}"})
            return
        seen.status = 206
    else:
        seen.status = 200
    handler.send_response(seen.status)
    end = len(data)
    if seen.status == 206:
        end = min(end, start + (state.longest_range or end))
        handler.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
    if state.etag:
        handler.send_header("ETag", state.etag)
    if answer.chunked:
        handler.send_header("Transfer-Encoding", "chunked")
    else:
        handler.send_header("Content-Length", str(end - start))
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    _send_body(handler, data[start:end], answer, seen)


def _send_body(handler, body, answer, seen):
    end = len(body) if answer.cut_after is None else min(len(body), answer.cut_after)
    try:
        while seen.sent < end:
            piece = body[seen.sent : min(seen.sent + 8192, end)]
            if answer.stall_after is not None and seen.sent >= answer.stall_after:
                time.sleep(answer.pause)
                answer.stall_after = None
            elif answer.pause and answer.stall_after is None:
                time.sleep(answer.pause)
            frame = b"%x\r\n%s\r\n" % (len(piece), piece) if answer.chunked else piece
            handler.wfile.write(frame)
            seen.sent += len(piece)
        if answer.chunked and end == len(body):
            handler.wfile.write(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        # The reader has had enough.
        pass
    if end < len(body):
        handler.close_connection = True
