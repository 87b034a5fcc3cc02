"""Every environment in turn, for its contract."""

import pytest
from contract_cases import NAMES, WITH_ARGUMENT

from workbench.environments.registry import environment_named


@pytest.fixture(params=[*NAMES, *WITH_ARGUMENT])
def environment(request):
    return environment_named(request.param)
