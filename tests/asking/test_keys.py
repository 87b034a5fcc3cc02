"""Keys are found nowhere in what a run writes, whatever the server sends back."""

import io
import zipfile

import pytest
from local_run import KEY, needs_inspect
from local_server import LocalServer

from workbench.errors import AskingError
from workbench.replies.asking.keys import keys_in, remove_keys
from workbench.replies.asking.run import ask
from workbench.replies.asking.settings import Operation, Question
from workbench.replies.eval_logs import log_entries

ARGUMENT = "sk-argument-9876543210-never-to-be-written"


def places_with(folder, secret):
    """Return where a secret stands, in files and in entries of zips."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            if secret.encode() in path.read_bytes():
                found.append(str(path))
            if path.suffix == ".eval":
                found += [name for name, text in log_entries(path) if secret.encode() in text]
    return found


@needs_inspect
@pytest.mark.parametrize("given", ["environment", "argument"])
def test_a_key_that_the_server_repeats_is_written_nowhere(
    positions_path, answers, tmp_path, given, capfd
):
    from inspect_ai.log import read_eval_log

    secret = KEY if given == "environment" else ARGUMENT
    # Five rows hold a message with the key, then it ends the run.
    faults = dict(
        zip(list(answers)[5:], ["server_error_with_key"] * 5 + ["unauthorized"] * 30, strict=True)
    )
    with LocalServer(answers, faults, key=secret) as server:
        with pytest.raises(AskingError) as stopped:
            ask(
                positions_path,
                tmp_path / "run",
                Question("openai-api/local/model"),
                Operation(base_url=server.url, retries=0, sample_retries=0, connections=1),
                api_key=None if given == "environment" else secret,
                progress=True,
            )
        assert server.headers[0]["authorization"] == f"Bearer {secret}"
        assert secret not in str(stopped.value)
        assert "[key removed]" in str(stopped.value)
    assert places_with(tmp_path, secret) == []
    assert places_with(tmp_path / "run", "[key removed]")
    (path,) = (tmp_path / "run" / "logs").glob("*.eval")
    failed = [sample for sample in read_eval_log(str(path)).samples if sample.error]
    assert sum("[key removed]" in sample.error.message for sample in failed) >= 5
    assert secret not in "".join(capfd.readouterr())


def test_which_variables_hold_keys():
    variables = {
        "OPENAI_API_KEY": "sk-one-long",
        "HF_TOKEN": "hf_two_long",
        "MY_PASSWORD": 'quo"ted-long',
        "SHORT_API_KEY": "EMPTY",
        "KEYBOARD": "not a secret",
        "PATH": "/usr/bin:/bin",
    }
    found = keys_in(variables, None, "sk-three-long")
    assert set(found) == {
        b"sk-one-long", b"hf_two_long", b'quo"ted-long', b'quo\\"ted-long', b"sk-three-long",
    }  # fmt: skip


def test_removing_leaves_all_else_as_it_was(tmp_path):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/a_epoch_1.json", b'{"said": "sk-one-long!"}')
        archive.writestr("samples/b_epoch_1.json", b'{"said": "nothing"}')
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / "x.eval"
    path.write_bytes(stored.getvalue())
    (tmp_path / "answers.jsonl").write_bytes(b'{"failed": "sk-one-long"}\n')
    (tmp_path / "run.json").write_bytes(b"{}")
    (tmp_path / "mine.txt").write_bytes(b"sk-one-long")
    changed = remove_keys(tmp_path, [b"sk-one-long"])
    assert [found.name for found in changed] == ["answers.jsonl", "x.eval"]
    assert dict(log_entries(path)) == {
        "samples/a_epoch_1.json": b'{"said": "[key removed]!"}',
        "samples/b_epoch_1.json": b'{"said": "nothing"}',
    }
    assert (tmp_path / "mine.txt").read_bytes() == b"sk-one-long"
    assert remove_keys(tmp_path, [b"sk-one-long"]) == []
    assert remove_keys(tmp_path, []) == []
