"""Keys are found nowhere in what a run writes, whatever the server sends back."""

import base64
import gzip
import html
import json
import logging
import os
import re
import urllib.parse

import pytest
from filelock import FileLock
from local_run import KEY, needs_inspect
from local_server import LocalServer

from workbench.answers.imports.inspect_logs import log_entries
from workbench.asking import resumable_run as asking_run
from workbench.asking.journal import FILE_NAME, Failure, Journal, journal_record
from workbench.asking.redaction import REMOVED, Secrets, secrets_in, without_secrets
from workbench.asking.resumable_run import ask
from workbench.asking.run_folder import RUN_LOCK
from workbench.asking.settings import Operation, Question
from workbench.errors import AskingError
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table

ARGUMENT = "sk-argument-9876543210-never-to-be-written"
# Signs that JSON, URLs and HTML each write in their own way.
HARD = 'sk-hard"&/+key=01/234%56789-never-to-be-written'
HEADER = "header-value-0123456789-never-to-be-written"


def encodings(secret):
    """A secret as servers, clients and loggers write it."""
    coded = secret.encode()
    middle = len(secret) // 2
    return {
        "plain": secret,
        "json": json.dumps(secret),
        "json in json": json.dumps(json.dumps({"key": secret})),
        "json with slashes": json.dumps(secret).replace("/", "\\/"),
        "url": urllib.parse.quote(secret, safe=""),
        "url twice": urllib.parse.quote(urllib.parse.quote(secret, safe=""), safe=""),
        "html": html.escape(json.dumps(secret)),
        "repr": repr({"key": secret}),
        "base64": base64.b64encode(coded).decode(),
        "basic authorization": base64.b64encode(b"user:" + coded).decode(),
        "base64 in a longer text": base64.b64encode(b"ab" + coded + b"?").decode(),
        "base64 for URLs": base64.urlsafe_b64encode(b"\xff\xfe" + coded).decode(),
        "hexadecimal": coded.hex(),
        "upper case": secret.upper(),
        "over two lines": f"{secret[:middle]}\n      {secret[middle:]}",
        "over two lines in json": json.dumps(f"{secret[:middle]}\n{secret[middle:]}"),
    }


def held(text, secret):
    """Tell whether a text holds a secret in any of its forms, broken or not."""
    kept = re.sub(r"\s|\\[nr]|\x1b\[[0-9;]*m", "", text.lower())
    forms = [*encodings(secret).values(), secret[:20], secret[-20:]]
    # What stands before or after the secret changes the signs of base64 at both ends.
    cut = [form[6:-6] if "base64" in name or "basic" in name else form.strip('"')
           for name, form in encodings(secret).items()]  # fmt: skip
    return any(re.sub(r"\s|\\[nr]", "", form.lower()) in kept for form in [*cut, *forms[-2:]])


def places_with(folder, *secrets):
    """Return where a secret stands: in files, entries of zips, and columns and metadata of tables."""
    found = []
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        texts = {"": path.read_bytes()}
        if path.suffix == ".gz":
            texts = {"": gzip.decompress(path.read_bytes())}
        elif path.suffix == ".eval":
            texts |= dict(log_entries(path))
        elif path.name == "predictions.parquet":
            table = read_table(path, PREDICTIONS).to_csv() + json.dumps(read_provenance(path))
            texts |= {"table": table.encode()}
        found += [
            f"{path}:{name}"
            for name, text in texts.items()
            if any(held(text.decode("latin-1"), secret) for secret in secrets)
        ]
    return found


@needs_inspect
def test_a_key_that_the_server_repeats_is_written_nowhere(
    ask_server, answers, asked_moves, tmp_path, capfd
):
    from inspect_ai.log import read_eval_log

    # Five rows hold a message with the key, then it ends the run.
    faults = dict(
        zip(asked_moves[5:], ["server_error_with_key"] * 5 + ["unauthorized"] * 30, strict=True)
    )
    with LocalServer(answers, faults, key=KEY) as server:
        with pytest.raises(AskingError) as stopped:
            ask_server(server, {"connections": 1})
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert KEY not in str(stopped.value)
        assert REMOVED in str(stopped.value)
    assert places_with(tmp_path, KEY) == []
    (path,) = (tmp_path / "run" / "logs").glob("*.eval")
    failed = [sample for sample in read_eval_log(str(path)).samples if sample.error]
    assert sum(REMOVED in sample.error.message for sample in failed) >= 5
    assert KEY not in "".join(capfd.readouterr())


@pytest.mark.slow
@needs_inspect
def test_no_form_of_a_secret_reaches_any_file(positions_path, answers, tmp_path, monkeypatch):
    # Every place that the process could write to, and every way of Inspect to write more.
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("INSPECT_TRACEBACK_LOCALS", "1")
    monkeypatch.setenv("INSPECT_LOG_LEVEL", "debug")
    monkeypatch.setenv("INSPECT_PY_LOGGER_FILE", str(tmp_path / "logger.txt"))
    # A placeholder for a key, as local servers want it, spoils nothing if it is also a name.
    monkeypatch.setenv("LOCAL_API_KEY", "local-model-7b")
    kinds = ["server_error_with_key", "bad_request_with_key", "reply_with_key", "html_with_key",
             "nonsense_with_key"]  # fmt: skip
    faults = dict(zip(answers, kinds, strict=False))
    echoed = " | ".join(form for key in (HARD, HEADER) for form in encodings(key).values())
    question = Question(
        "openai-api/local/local-model-7b",
        model_args={"default_headers": {"X-Gateway": f"Bearer {HEADER}"}},
    )
    with LocalServer(answers, faults, key=echoed) as server:
        operation = Operation(base_url=server.url, retries=0)
        run = ask(positions_path, tmp_path / "run", question, operation, api_key=HARD)
        assert server.headers[0]["x-gateway"] == f"Bearer {HEADER}"
    assert held(echoed, HARD)
    assert places_with(tmp_path, HARD, HEADER) == []
    # What the server said is there, but for the secrets; and Inspect wrote nothing elsewhere.
    rows = run.predictions.set_index("movetext").loc[list(faults)]
    assert rows["reason"].iloc[0].startswith("call failed: InternalServerError")
    assert rows["reason"].str.contains(REMOVED, regex=False).sum() == 3
    assert rows["reply"].iloc[2].endswith(answers[list(faults)[2]])
    assert REMOVED in rows["reply"].iloc[2]
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR"):
        assert [path for path in (tmp_path / name).rglob("*") if path.is_file()] == []
    shown = read_provenance(run.path)["asked"]
    assert shown["model_args"] == {"default_headers": {"X-Gateway": REMOVED}}
    description = json.loads((tmp_path / "run" / "run.json").read_text())
    assert description["question"] == shown == question.description()
    assert shown["model"] == "openai-api/local/local-model-7b"


def test_a_process_that_was_refused_leaves_the_journal_of_the_other_alone(
    positions_path, tmp_path, monkeypatch
):
    question = Question("openai-api/local/model")
    folder = asking_run.open_run(
        tmp_path / "run", question, asking_run.read_table(positions_path, asking_run.POSITIONS),
        positions_path,
    )  # fmt: skip
    live = Journal(folder.path)
    live.failed(("a", 0, 0), Failure(f"the server said {KEY}", permanent=False))
    before = (folder.path / FILE_NAME).read_bytes()
    monkeypatch.setattr(asking_run, "LOCK_SECONDS", 0.1)
    monkeypatch.setattr(asking_run, "require_extra", lambda: None)
    with (
        FileLock(folder.path / RUN_LOCK),
        pytest.raises(AskingError, match="another process is using"),
    ):
        ask(positions_path, folder.path, question)
    assert (folder.path / FILE_NAME).read_bytes() == before
    live.answered(("a", 0, 0), {"choices": []}, None)
    assert set(journal_record(folder.path).answers) == {("a", 0, 0)}


class TestSecrets:
    @pytest.mark.parametrize("form", encodings(HARD))
    def test_every_form_is_found_and_nothing_else_is_changed(self, form):
        written = encodings(HARD)[form]
        redacted = Secrets([HARD]).redacted(f"before (\n{written}\n) \\n%41 after")
        assert REMOVED in redacted
        assert redacted.startswith("before (\n")
        assert redacted.endswith("\n) \\n%41 after")
        assert not held(redacted, HARD)
        if "json" in form:
            json.loads(Secrets([HARD]).redacted(written))

    def test_what_was_cut_off_counts_from_half_of_it(self):
        secrets = Secrets([ARGUMENT])
        for length in range(20, len(ARGUMENT)):
            assert secrets.redacted(f"x{ARGUMENT[:length]}…") == f"x{REMOVED}…"
            assert secrets.redacted(f"…{ARGUMENT[-length:]} x") == f"…{REMOVED} x"
        assert secrets.redacted(ARGUMENT[:10]) == ARGUMENT[:10]

    def test_a_short_secret_is_not_looked_for_across_words(self):
        secrets = Secrets(["abcdefgh"])
        assert secrets.redacted("  a b c d e f g h\n8 r n b q k b n r") == (
            "  a b c d e f g h\n8 r n b q k b n r"
        )
        assert secrets.redacted("abcdefgh") == REMOVED

    def test_values_of_every_kind(self):
        secrets = Secrets([ARGUMENT])
        value = {"a": [ARGUMENT, 1, None, (ARGUMENT,)], ARGUMENT: {"b": f"x {ARGUMENT}".encode()}}
        assert secrets.redacted(value) == {
            "a": [REMOVED, 1, None, (REMOVED,)], REMOVED: {"b": f"x {REMOVED}".encode()},
        }  # fmt: skip
        untouched = {"a": [1, "nothing"]}
        assert secrets.redacted(untouched) is untouched
        assert Secrets([]).redacted(ARGUMENT) == ARGUMENT

    def test_which_variables_hold_secrets(self):
        variables = {
            "OPENAI_API_KEY": "sk-one-long",
            "HF_TOKEN": "hf_two_long",
            "MY_PASSWORD": 'quo"ted-long',
            "AWS_ACCESS_KEY_ID": "AKIA-three-long",
            "HTTPS_PROXY": "http://user:four-long@proxy:8080",
            "SHORT_API_KEY": "EMPTY",
            "KEYBOARD": "not a secret",
            "PWD": "/home/somebody",
            "LOCAL_API_KEY": "open-model",
        }
        secrets = secrets_in(variables, None, "sk-five-long", open_texts=["local/open-model-7b"])
        for value in ("sk-one-long", "hf_two_long", 'quo"ted-long', "AKIA-three-long", "four-long",
                      "sk-five-long"):  # fmt: skip
            assert secrets.redacted(value) == REMOVED
        for value in ("EMPTY", "not a secret", "/home/somebody", "local/open-model-7b", "proxy"):
            assert secrets.redacted(value) == value

    def test_secrets_among_arguments(self):
        shown, secrets = without_secrets(
            {
                "rate": 0.3,
                "max_tokens": 10,
                "defaultHeaders": {"X-A": "Bearer abc", "anthropic-beta": "context-1m"},
                "client": {"apiKey": "one", "timeout": 5, "options": [{"password": "two"}]},
                "aws_secret_access_key": "three",
            }
        )
        assert shown == {
            "rate": 0.3,
            "max_tokens": 10,
            "defaultHeaders": {"X-A": REMOVED, "anthropic-beta": "context-1m"},
            "client": {"apiKey": REMOVED, "timeout": 5, "options": [{"password": REMOVED}]},
            "aws_secret_access_key": REMOVED,
        }
        assert set(secrets) == {"Bearer abc", "Bearer", "abc", "one", "two", "three"}


@needs_inspect
class TestErrorsOfProviders:
    def raised(self, error, secret=HARD):
        from workbench.asking.redaction import _redacted_error

        return _redacted_error(error, Secrets([secret]))

    def test_an_error_keeps_its_class_and_its_attributes(self):
        error = RuntimeError(f"cannot use {HARD}", 5)
        error.status_code, error.body = 500, {"said": [HARD]}
        error.__cause__ = ValueError(json.dumps(HARD))
        found = self.raised(error)
        assert found is error
        assert (found.args, found.status_code) == ((f"cannot use {REMOVED}", 5), 500)
        assert found.body == {"said": [REMOVED]}
        assert str(found.__cause__) == f'"{REMOVED}"'

    def test_an_error_whose_text_is_made_elsewhere_is_replaced(self):
        class MadeError(Exception):
            def __str__(self):
                return f"made of {HARD}"

        error = MadeError()
        error.status_code = 429
        found = self.raised(error)
        assert str(found) == f"MadeError: made of {REMOVED}"
        assert found.status_code == 429


@needs_inspect
def test_what_the_process_logs_and_prints_is_redacted(tmp_path):
    import subprocess
    import sys

    script = f"""
import logging
from workbench.asking.redaction import Secrets
from workbench.asking.redaction import redact_output
redact_output(lambda: Secrets([{HARD!r}]))
logging.basicConfig(level=0)
logging.warning("said %s and %r", {HARD!r}, dict(key={HARD!r}))
logging.warning("fits not %d", "x")
try:
    raise ValueError({HARD!r})
except ValueError:
    logging.exception("failed")
print("printed", {HARD!r})
raise SystemExit({HARD!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert said.count(REMOVED) == 5
    assert "WARNING:root:fits not" not in said
    assert "ValueError" in said
    assert not held(said, HARD)
    assert logging.getLogRecordFactory() is logging.LogRecord
    assert os.environ.get("INSPECT_TRACE_FILE") is None
