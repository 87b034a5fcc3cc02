import asyncio
import math
from pathlib import Path

import pytest

import workbench
from workbench.rewards import reward_parts

vf = pytest.importorskip("verifiers.v1", reason="needs the extra verifiers")
PACKAGE = Path(__file__).resolve().parents[2] / "notebooks" / "examples" / "world_state"


@pytest.fixture
def taskset(monkeypatch):
    from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

    monkeypatch.syspath_prepend(PACKAGE)
    config = taskset_config_type("world-state")(id="world-state", positions=5, seed=1)
    return load_taskset(config)


def scored(task, reply):
    """The trace of one reply, or of a conversation without one."""
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage

    nodes = (
        []
        if reply is None
        else [MessageNode(message=AssistantMessage(content=reply), sampled=True)]
    )
    trace = Trace(
        task=TraceTask(type=type(task).__name__, data=task.data),
        agent=AgentInfo(config=vf.AgentConfig()),
        nodes=nodes,
    )
    asyncio.run(task.score(trace))
    return trace


def test_tasks_ask_about_the_positions(taskset):
    positions = workbench.positions(5, seed=1)
    assert [task.data.true_state for task in taskset] == positions["true_state"].tolist()
    assert [task.data.id for task in taskset] == positions["position_id"].tolist()


def test_the_rubric_records_reward_and_metrics(taskset):
    tasks = list(taskset)
    true = [task.data.true_state for task in tasks]
    replies = [true[0], true[0], "none", *true[3:]]
    for task, reply, parts in zip(tasks, replies, reward_parts(replies, true), strict=True):
        trace = scored(task, reply)
        assert trace.reward == parts["f"]
        assert list(trace.rewards) == ["f_4"]
        assert trace.metrics["p_4"] == parts["precision"]
        assert trace.metrics[parts["reply_class"]] == 1
        assert not any(math.isnan(value) for value in trace.metrics.values())


def test_without_a_reply_the_answer_is_absent(taskset):
    trace = scored(next(iter(taskset)), None)
    assert trace.reward == 0
    assert trace.metrics["absent"] == 1
