"""The Towers of Hanoi as an environment: discs on three pegs, no disc on a smaller one."""

import re

from workbench.automaton import Automaton
from workbench.environment import Environment
from workbench.errors import InvalidBoardError

PEGS = "ABC"


class Hanoi(Automaton):
    """A state is a tuple of three pegs, each a tuple of discs from below; an action names two pegs."""

    initial = ((4, 3, 2, 1), (), ())

    def permitted(self, state):
        tops = [peg[-1] if peg else 9 for peg in state]
        return tuple((i, j) for i in range(3) for j in range(3) if tops[i] < tops[j])

    def successor(self, state, action):
        pegs = [list(peg) for peg in state]
        pegs[action[1]].append(pegs[action[0]].pop())
        return tuple(map(tuple, pegs))


class HanoiEnvironment(Environment):
    """What the pipeline needs to know besides: texts, and the slips of a simulated tracker."""

    title = "Towers of Hanoi"
    summary = "discs on three pegs, moves such as A to C"
    automaton = Hanoi()
    rules = (
        "The Towers of Hanoi: discs of the sizes 1 to 4 lie on three pegs, A, B and C. First all lie "
        "on A, the largest (4) lowest. The top disc of a peg may be moved to a peg that is empty or "
        "has a larger top disc."
    )
    state_format = "Write a line a peg: name, colon, discs from the lowest up, as in 'A: 4 3'."
    action_format = "Write an action as the two pegs, as in 'A to C'."

    def state_text(self, state):
        lines = (
            " ".join([f"{name}:", *map(str, peg)]) for name, peg in zip(PEGS, state, strict=True)
        )
        return "\n".join(lines)

    def read_state(self, text):
        pegs = re.fullmatch(r"\s*A\s*:([ 1-4]*)\n\s*B\s*:([ 1-4]*)\n\s*C\s*:([ 1-4]*)\s*", text)
        if pegs is None:
            raise InvalidBoardError(
                f"expected lines A:, B:, C: with discs 1 to 4, got {text!r:.80}"
            )
        return tuple(tuple(map(int, peg.split())) for peg in pegs.groups())

    def conditions(self, state):
        met = {
            "each_disc_once": sorted(sum(state, ())) == [1, 2, 3, 4],
            "no_disc_on_a_smaller_one": all(peg == tuple(sorted(peg))[::-1] for peg in state),
        }
        return tuple(name for name, holds in met.items() if not holds)

    def action_text(self, action):
        return f"{PEGS[action[0]]} to {PEGS[action[1]]}"

    def plain_action(self, text):
        pegs = re.fullmatch(r"\s*([ABC])\s+to\s+([ABC])\s*\.?", text, re.IGNORECASE)
        return f"{pegs[1]} to {pegs[2]}".upper().replace("TO", "to") if pegs else None

    def elements(self, state):
        return {f"disc {disc}": name for name, peg in zip(PEGS, state, strict=True) for disc in peg}

    def slip(self, state, generator):
        """Put one disc on another peg, where its size allows it."""
        disc, by = int(generator.integers(1, 5)), int(generator.integers(1, 3))
        at = next((place for place, peg in enumerate(state) if disc in peg), 0)
        pegs = [{*peg} - {disc} for peg in state]
        pegs[(at + by) % 3].add(disc)
        return tuple(tuple(sorted(peg, reverse=True)) for peg in pegs)


environment = HanoiEnvironment
