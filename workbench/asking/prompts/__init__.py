"""The prompts: named, versioned, stored as data or made of a task's own wording.

`written_prompt` is the form of a prompt, `published_prompts` has those about chess, `prompt_choice`
finds a prompt by its name, and `prompt_files` reads prompts of others.
"""

from workbench.asking.prompts.prompt_choice import prompt_named, prompts_of, task_prompt
from workbench.asking.prompts.prompt_files import prompt_given, read_prompt
from workbench.asking.prompts.published_prompts import MOVES_HEADING, PROMPTS
from workbench.asking.prompts.written_prompt import Prompt

__all__ = [
    "MOVES_HEADING",
    "PROMPTS",
    "Prompt",
    "prompt_given",
    "prompt_named",
    "prompts_of",
    "read_prompt",
    "task_prompt",
]
