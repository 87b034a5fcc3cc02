"""The folder of an evaluation: who may work in it, and what is finished there."""

import json
from multiprocessing import get_context

import pytest

from workbench import evaluation
from workbench.asking.run_folder import open_run, refuse_other_run
from workbench.asking.settings import Question
from workbench.episodes import EpisodeSample
from workbench.errors import OutputError, RunMismatchError
from workbench.evaluation import EvaluationFolder

SETTINGS = {"positions": {"limit": 5, "seed": 0}, "scoring": {"depth": 4}}


@pytest.fixture
def folder(tmp_path):
    return EvaluationFolder(tmp_path / "run")


def test_other_settings_are_refused_and_named(folder):
    with folder.locked(SETTINGS):
        pass
    before = (folder.path / "evaluation.json").read_bytes()
    other = {"positions": {"limit": 6, "seed": 0}, "scoring": {"depth": 3}}
    with (
        pytest.raises(
            RunMismatchError, match=r"limit: found 5, requested 6; scoring depth: found 4"
        ),
        folder.locked(other),
    ):
        raise AssertionError
    assert (folder.path / "evaluation.json").read_bytes() == before
    with folder.locked(SETTINGS):
        pass


def test_the_hash_of_a_table_decides_and_not_its_name(folder):
    def of(name, digest):
        positions = {"table": name, "table_sha256": digest, "limit": 5, "seed": 0}
        return {**SETTINGS, "positions": positions}

    for name in ("a.parquet", "b.parquet"):
        with folder.locked(of(name, "12ab")):
            pass
    with (
        pytest.raises(RunMismatchError, match="table_sha256: found '12ab', requested '34cd'"),
        folder.locked(of("a.parquet", "34cd")),
    ):
        raise AssertionError


def test_a_stage_is_finished_for_what_it_was_made_of(folder):
    with folder.locked(SETTINGS):
        folder.finish("report", {"scores_sha256": "a"}, [])
        folder.finish("03", {"scores_sha256": "b"}, [])
        assert folder.is_finished("report", {"scores_sha256": "a"})
        assert not folder.is_finished("report", {"scores_sha256": "b"})
        assert not folder.is_finished("figures", {"scores_sha256": "a"})
    with folder.locked(SETTINGS):
        assert folder.is_finished("03", {"scores_sha256": "b"})


def test_a_stage_is_finished_while_its_files_are_there(folder):
    made_of = {"scores_sha256": "a"}
    with folder.locked(SETTINGS):
        page = folder.report / "tables" / "page.html"
        page.parent.mkdir(parents=True)
        page.write_text("page")
        folder.finish("report", made_of, [page])
        assert folder.is_finished("report", made_of)
        page.write_text("another")
        assert not folder.is_finished("report", made_of)
        page.unlink()
        assert not folder.is_finished("report", made_of)
        page.write_text("page")
        assert folder.is_finished("report", made_of)
        described = json.loads((folder.path / "evaluation.json").read_text())
        # As earlier versions wrote it.
        (folder.path / "evaluation.json").write_text(
            json.dumps({**described, "finished": {"report": made_of}})
        )
        assert not folder.is_finished("report", made_of)


def test_other_folders_are_left_alone(folder):
    folder.path.mkdir()
    (folder.path / "thesis.tex").touch()
    with pytest.raises(RunMismatchError, match="other files"), folder.locked(SETTINGS):
        raise AssertionError
    assert [path.name for path in folder.path.iterdir()] == ["thesis.tex"]


def test_a_run_of_ask_is_no_evaluation(folder):
    sample = EpisodeSample("boxes", per_group=1)
    folder.path.mkdir()
    open_run(
        folder.path, Question("workbench/simulated", environment="boxes"), sample.positions, sample
    )
    with pytest.raises(RunMismatchError, match="one of `workbench ask`"), folder.locked(SETTINGS):
        raise AssertionError


def test_asking_takes_the_folder_of_an_evaluation(folder):
    sample = EpisodeSample("boxes", per_group=1)
    question = Question("workbench/simulated", environment="boxes")
    with folder.locked(SETTINGS):
        folder.run.positions.touch()
        refuse_other_run(folder.path, question, sample)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"settings": 1, "finished": {}}', "\x00", "<b>" * 10**5]
)
def test_a_description_that_cannot_be_read(folder, text):
    folder.path.mkdir()
    (folder.path / "evaluation.json").write_text(text)
    with (
        pytest.raises(
            RunMismatchError, match="expected the description of an evaluation"
        ) as raised,
        folder.locked(SETTINGS),
    ):
        raise AssertionError
    assert len(str(raised.value)) < 1000


def _hold(path, held, done):
    with EvaluationFolder(path).locked(SETTINGS):
        held.set()
        done.wait(60)


@pytest.mark.slow
def test_a_second_process_waits_or_is_refused(folder, monkeypatch):
    monkeypatch.setattr(evaluation, "LOCK_SECONDS", 0.1)
    context = get_context("spawn")
    held, done = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(folder.path, held, done), daemon=True)
    process.start()
    assert held.wait(60)
    with pytest.raises(OutputError, match="another process"), folder.locked(SETTINGS):
        raise AssertionError
    # What a kill leaves is no obstacle.
    process.kill()
    process.join()
    with folder.locked(SETTINGS):
        assert json.loads((folder.path / "evaluation.json").read_text())["settings"] == SETTINGS
