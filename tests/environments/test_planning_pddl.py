"""PDDL of the user's own: what is taken, and what is refused by its name, however hostile."""

import time
from pathlib import Path

import pytest

import workbench.environments.planning
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError

BUNDLED = Path(workbench.environments.planning.__file__).parent / "problems"
DOMAIN = (BUNDLED / "blocksworld_domain.pddl").read_text(encoding="utf-8")
PROBLEM = (BUNDLED / "blocksworld_problem.pddl").read_text(encoding="utf-8")

LAMP = """
(define (domain lamp)
  (:predicates (lit) (broken ?x) (spare ?x) (goes ?x))
  (:constants bulb)
  (:action switch :effect (and (lit)) :precondition ())
  (:action change
    :parameters (?x)
    :precondition (and (and (broken bulb)) (spare ?x))
    :effect (and (not (broken bulb)) (not (spare ?x)) (goes ?x) (not (goes ?x)) (lit))))
"""
TWO_SPARE = """
; Sections in an order of their own, an untyped domain and no goal.
(define (problem two-spare)
  (:domain LAMP)
  (:init (Broken bulb) (spare ONE) (spare two))
  (:objects one two))
"""


@pytest.fixture
def written(tmp_path):
    """The environment of two texts, written to files."""

    def environment(domain, problem):
        for name, text in (("domain", domain), ("problem", problem)):
            data = text if isinstance(text, bytes) else text.encode()
            (tmp_path / f"{name}.pddl").write_bytes(data)
        return environment_named(f"planning:{tmp_path}/domain.pddl,{tmp_path}/problem.pddl")

    return environment


class TestTaken:
    def test_a_domain_of_ones_own(self, written):
        lamp = written(LAMP, TWO_SPARE)
        initial = lamp.automaton.initial
        assert initial == {"(broken bulb)", "(spare one)", "(spare two)"}
        assert lamp.automaton.permitted(initial) == ("(switch)", "(change one)", "(change two)")
        # What is added and deleted by one action is added.
        assert lamp.automaton.successor(initial, "(change one)") == {
            "(spare two)",
            "(goes one)",
            "(lit)",
        }
        # The bulb is broken until one of the spare ones is taken.
        assert lamp.conditions(lamp.read_state("(lit) (goes one) (spare two)")) == ()
        assert lamp.conditions(lamp.read_state("(broken bulb) (goes one) (spare two)")) == (
            "exclusive_facts",
        )
        assert "(switch) needs nothing; (lit) becomes true." in lamp.rules

    def test_operators_that_do_not_help_to_reach_the_goal_are_permitted(self, written):
        blocks = written(DOMAIN, PROBLEM.replace("(and (on c d) (on d a) (on a e))", "(clear a)"))
        assert len(blocks.automaton.operators) == 5 + 5 + 25 + 25
        assert "(unstack d e)" in blocks.automaton.permitted(blocks.automaton.initial)

    def test_operators_come_in_the_order_of_the_files(self, written):
        names = [each.name for each in written(DOMAIN, PROBLEM).automaton.operators]
        assert names[:7] == [*(f"(pick-up {x})" for x in "abcde"), "(put-down a)", "(put-down b)"]


def replaced(text, old, new):
    assert old in text
    return text.replace(old, new)


REFUSED = {
    "empty": ("", PROBLEM, "empty text"),
    "exchanged": (PROBLEM, DOMAIN, r"define \(domain NAME\)"),
    "adl": (replaced(DOMAIN, ":typing", ":typing :adl"), PROBLEM, ":adl"),
    "functions": (
        replaced(DOMAIN, "(:predicates", "(:functions (cost)) (:predicates"),
        PROBLEM,
        ":numeric-fluents",
    ),
    "negative precondition": (
        replaced(DOMAIN, ":precondition (holding ?block)", ":precondition (not (holding ?block))"),
        PROBLEM,
        ":negative-preconditions",
    ),
    "or": (
        replaced(DOMAIN, "(and (clear ?block) (on-table", "(or (clear ?block) (on-table"),
        PROBLEM,
        ":disjunctive-preconditions",
    ),
    "when": (
        replaced(DOMAIN, "(and (on ?block ?onto)", "(and (when (clear ?block) (on ?block ?onto))"),
        PROBLEM,
        ":conditional-effects",
    ),
    "equality": (
        replaced(DOMAIN, "(and (holding ?block) (clear", "(and (= ?block ?onto) (clear"),
        PROBLEM,
        ":equality",
    ),
    "metric": (
        DOMAIN,
        replaced(PROBLEM, "(:goal", "(:metric minimize (cost)) (:goal"),
        ":numeric-fluents",
    ),
    "types in a circle": (
        replaced(DOMAIN, "(:types block)", "(:types block - thing thing - block)"),
        PROBLEM,
        "above itself",
    ),
    "object as a type": (
        replaced(DOMAIN, "(:types block)", "(:types object block)"),
        PROBLEM,
        "object",
    ),
    "unknown type": (replaced(DOMAIN, "(:types block)", "(:types brick)"), PROBLEM, "block"),
    "unknown variable": (
        replaced(DOMAIN, "(holding ?block) (clear ?from)", "(holding ?x)"),
        PROBLEM,
        "x",
    ),
    "a parameter twice": (
        replaced(DOMAIN, "?block - block ?from - block", "?block - block ?block - block"),
        PROBLEM,
        "different names",
    ),
    "unknown object": (DOMAIN, replaced(PROBLEM, "(on a b)", "(on a z)"), "object z"),
    "too many objects": (DOMAIN, replaced(PROBLEM, "(on a b)", "(on a b c)"), r"\(on a b c\)"),
    "unknown predicate": (DOMAIN, replaced(PROBLEM, "(on a b)", "(under a b)"), r"\(under a b\)"),
    "another domain": (
        DOMAIN,
        replaced(PROBLEM, ":domain blocksworld", ":domain gripper"),
        "gripper",
    ),
    "an object twice": (
        DOMAIN,
        replaced(PROBLEM, "a b c", "a a b c"),
        "names of their own, each of one type, got 'a'",
    ),
    "a look-alike": (DOMAIN, replaced(PROBLEM, "(on a b)", "(on \u0430 b)"), "\u0430"),
    "a pattern as a name": (replaced(DOMAIN, "arm-empty", "a*a*a*a*"), PROBLEM, r"a\*a\*"),
    "no UTF-8": (b"\xff\xfe(\x00", PROBLEM, "UTF-8"),
    "a million parentheses": ("(" * 1_000_000, PROBLEM, "nested"),
    "one too many": (DOMAIN, PROBLEM + ")", "too many"),
    "one missing": (DOMAIN, PROBLEM.rstrip()[:-1], "missing"),
    "a million words": ("(define " + "a " * 490_000 + ")", PROBLEM, "20,000"),
    "two megabytes": (" " * 2_000_000, PROBLEM, "1,000,000 bytes"),
    "many objects": (
        DOMAIN,
        replaced(
            PROBLEM, "a b c d e -", " ".join(["a b c d e", *(f"b{n}" for n in range(5000))]) + " -"
        ),
        "1,000 objects",
    ),
    "many operators": (
        replaced(
            DOMAIN,
            "(:action put-down",
            f"(:action x :parameters ({' '.join(f'?x{n}' for n in range(40))}) :effect (arm-empty)) "
            "(:action put-down",
        ),
        PROBLEM,
        "fewer objects",
    ),
    "a long hierarchy": (
        replaced(
            DOMAIN,
            "(:types block)",
            f"(:types {' '.join(f't{n} - t{n + 1}' for n in range(4000))} t4000 block)",
        ),
        PROBLEM,
        "500 types",
    ),
    "a lambda": ("__import__('os').system('touch harmed')", PROBLEM, "define"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_its_name_and_soon(written, name):
    domain, problem, said = REFUSED[name]
    before = time.thread_time()
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        written(domain, problem)
    assert time.thread_time() - before < 5
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("hanoi", "blocksworld, gripper, logistics, or DOMAIN.pddl,PROBLEM.pddl"),
        (",", "DOMAIN.pddl,PROBLEM.pddl"),
        ("a,b,c", "DOMAIN.pddl,PROBLEM.pddl"),
        ("no/such.pddl,file.pddl", "no/such.pddl"),
        ("\0,\0", "null"),
    ],
)
def test_an_argument_that_names_no_problem(argument, said):
    with pytest.raises(InvalidArgumentError, match=said):
        environment_named(f"planning:{argument}")
