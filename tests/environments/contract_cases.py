"""The environments that the contract holds to account, and episodes and states of each."""

from functools import lru_cache
from itertools import islice

import numpy as np

from workbench.environments.registry import environment_named, environment_names

NAMES = environment_names()
WITH_ARGUMENT = ["boxes:7x3", "planning:gripper", "planning:logistics", "sokoban:corridors"]
LENGTHS = (1, 4, 9)
PROSE = "I am sorry, but I would rather talk about the weather. It has been lovely of late."


@lru_cache
def episodes(name):
    environment = environment_named(name)
    return [one for length in LENGTHS for one in islice(environment.episodes(length, seed=5), 3)]


@lru_cache
def states(name):
    """The last states of some episodes, each with a state after a slip."""
    environment = environment_named(name)
    found = []
    for number, episode in enumerate(episodes(name)):
        state = environment.read_state(episode.true)
        found.append((state, environment.slip(state, np.random.default_rng(number))))
    return found
