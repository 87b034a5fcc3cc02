"""Everything about affordance is held to the same on both engines."""

import os

import pytest

from workbench.automaton import ENGINE_VARIABLE


@pytest.fixture(scope="module", params=["reference", "compiled"], autouse=True)
def engine(request):
    before = os.environ.get(ENGINE_VARIABLE)
    os.environ[ENGINE_VARIABLE] = request.param
    yield request.param
    if before is None:
        del os.environ[ENGINE_VARIABLE]
    else:
        os.environ[ENGINE_VARIABLE] = before
