"""Which board a model's reply gives as its answer: a sequence of rules, each with a name.

A reply goes through four steps. `plain_text` writes it in plain signs, with boards on one line.
`boards` finds every board in it, with the FEN fields that follow. `roles` gives each board a role
(offered, rejected, example, conditional, earlier, ...) by the words around it. `choice` chooses
one, and names the rule that decided.
"""
