"""Reading Inspect's logs without Inspect gives what Inspect itself reads."""

import io
import json

import pytest
from local_run import needs_inspect
from local_server import LocalServer

from workbench.answers.imports.inspect_logs import log_entries, read_replies, read_spec
from workbench.compression import zipfile
from workbench.environments.registry import environment_named
from workbench.errors import ReplyFileError
from workbench.tasks import task_named

CHESS, STATE = environment_named("chess"), task_named("state")
SPEC = {"eval": {"model": "somebody/model", "task": "theirs"}}


METHODS = (
    zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA,
    zipfile.ZIP_ZSTANDARD,
)  # fmt: skip


def log_file(path, samples, spec=SPEC, method=zipfile.ZIP_ZSTANDARD):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", json.dumps(spec))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
    return path


def sample(content="8/8/8/8/8/8/8/8 w - - 0 1", stop_reason="stop", **changes):
    return {
        "id": "a", "epoch": 1, "input": "?", "target": "x",
        "output": {"choices": [{"message": {"content": content}, "stop_reason": stop_reason}]},
        **changes,
    }  # fmt: skip


def only(path):
    (reply,) = read_replies(path)
    return reply


@needs_inspect
def test_the_same_as_inspect_reads(ask_server, answers, tmp_path):
    from inspect_ai.log import read_eval_log

    texts = list(answers)
    faults = {texts[0]: "refusal", texts[1]: "server_error", texts[2]: "cut_off"}
    with LocalServer(answers, faults) as server:
        ask_server(server, samples_per_position=2)
    (path,) = (tmp_path / "run" / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    ours = {(reply.position_id, reply.sample): reply for reply in read_replies(path)}
    assert len(ours) == len(log.samples) == 80
    assert read_spec(path)["model"] == log.eval.model
    for theirs in log.samples:
        reply = ours[theirs.id, theirs.epoch - 1]
        assert reply.question == theirs.input
        assert reply.target == theirs.target
        assert reply.metadata == theirs.metadata
        if theirs.error is None:
            assert reply.reply == theirs.output.completion
            assert reply.stop_reason == theirs.output.stop_reason
        else:
            assert reply.reply is None
            assert "500" in reply.failure
    # What a killed process leaves has the journal's start, and no header yet.
    copy = tmp_path / "killed.eval"
    with zipfile.ZipFile(copy, "w") as archive:
        for name, text in log_entries(path):
            if name != "header.json":
                archive.writestr(name, text)
    assert list(read_replies(copy)) == list(read_replies(path))


class TestSamples:
    def test_parts_of_a_message_that_are_no_text_are_left_out(self, tmp_path):
        content = [
            {"type": "reasoning", "reasoning": "8/8/8/8/8/8/8/8 w - - 0 1"},
            {"type": "text", "text": "first"},
            {"type": "text", "text": "second"},
        ]
        assert only(log_file(tmp_path / "a.eval", [sample(content)])).reply == "first\nsecond"

    def test_attachments_are_put_back(self, tmp_path):
        logged = sample("attachment://abc", attachments={"abc": "the long text"})
        assert only(log_file(tmp_path / "a.eval", [logged])).reply == "the long text"

    def test_a_lone_surrogate_is_replaced(self, tmp_path):
        assert only(log_file(tmp_path / "a.eval", [sample("a\ud800b")])).reply == "a\ufffdb"

    def test_the_last_message_of_the_user_is_the_question(self, tmp_path):
        given = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"},
                 {"role": "user", "content": "three"}]  # fmt: skip
        path = log_file(tmp_path / "a.eval", [sample(input=given)])
        assert only(path).question == "three"

    @pytest.mark.parametrize(
        ("logged", "failure"),
        [
            (sample(output={"choices": []}), "call failed: the response holds no choice"),
            (sample(output={"choices": [], "error": "no\nwords"}), "call failed: no words"),
            (sample(error={"message": "Request:\n{}\n\nboom"}), "call failed: boom"),
            (sample("too long", "model_length"), "call failed: the context is too long for the "
             "model: too long"),
        ],
    )  # fmt: skip
    def test_what_is_no_reply(self, tmp_path, logged, failure):
        reply = only(log_file(tmp_path / "a.eval", [logged]))
        assert reply.reply is None
        assert reply.failure == failure
        assert reply.prediction(CHESS, STATE).columns() == {
            "predicted_state": None, "predicted_actions": None, "reply_class": "failed", "status": "", "reason": failure,
        }  # fmt: skip

    def test_a_reply_that_a_filter_stopped_says_so(self, tmp_path):
        reply = only(log_file(tmp_path / "a.eval", [sample("I", "content_filter")]))
        assert reply.reply == "I"
        assert reply.prediction(CHESS, STATE).reason.endswith("content filter stopped the reply")


class TestDamage:
    def test_files_that_are_no_logs(self, tmp_path):
        path = tmp_path / "a.eval"
        with pytest.raises(ReplyFileError, match="No such file"):
            list(read_replies(path))
        for text in (b"", b"not a zip", b"PK\x03\x04 but no more"):
            path.write_bytes(text)
            with pytest.raises(ReplyFileError, match=r"a\.eval"):
                list(read_replies(path))

    def test_a_zip_of_something_else(self, tmp_path):
        path = tmp_path / "a.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("holiday.jpg", b"\xff\xd8")
        with pytest.raises(ReplyFileError, match="found neither"):
            list(read_replies(path))

    @pytest.mark.parametrize("method", METHODS)
    def test_a_flipped_bit_is_found(self, tmp_path, method):
        whole = log_file(tmp_path / "a.eval", [sample("x" * 200)], method=method)
        archive = zipfile.ZipFile(whole)
        info = archive.infolist()[1]
        data = bytearray(whole.read_bytes())
        data[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 1
        whole.write_bytes(bytes(data))
        with pytest.raises(
            ReplyFileError, match=r"a\.eval: entry 'samples/a_epoch_1\.json'.*whole"
        ):
            list(read_replies(whole))

    def test_no_changed_byte_is_any_other_error(self, tmp_path):
        path = log_file(tmp_path / "a.eval", [sample(id="ä")])
        whole = path.read_bytes()
        refused = 0
        for place in range(len(whole)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x80]) + whole[place + 1 :])
            try:
                found = {reply.reply for reply in read_replies(path)}
                assert found <= {"8/8/8/8/8/8/8/8 w - - 0 1"}
            except ReplyFileError:
                refused += 1
        assert refused > len(whole) // 2

    def test_a_truncated_copy(self, tmp_path):
        whole = log_file(tmp_path / "a.eval", [sample()])
        whole.write_bytes(whole.read_bytes()[:-30])
        with pytest.raises(ReplyFileError, match=r"whole \.eval log"):
            list(read_replies(whole))

    @pytest.mark.parametrize(
        "entry", [b"no json", b"[]", b'{"epoch": 1}', b'{"id": "a", "epoch": "x"}']
    )
    def test_an_entry_that_is_no_sample_is_named(self, tmp_path, entry):
        stored = io.BytesIO()
        with zipfile.ZipFile(stored, "w") as archive:
            archive.writestr("header.json", json.dumps(SPEC))
            archive.writestr("samples/odd.json", entry)
        path = tmp_path / "a.eval"
        path.write_bytes(stored.getvalue())
        with pytest.raises(ReplyFileError, match=r"entry samples/odd\.json"):
            list(read_replies(path))
