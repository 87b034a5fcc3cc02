"""Everything about affordance is held to the same on both engines."""

import os

import pytest

from workbench.affordance.engine import VARIABLE


@pytest.fixture(scope="module", params=["reference", "compiled"], autouse=True)
def engine(request):
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = request.param
    yield request.param
    if before is None:
        del os.environ[VARIABLE]
    else:
        os.environ[VARIABLE] = before
