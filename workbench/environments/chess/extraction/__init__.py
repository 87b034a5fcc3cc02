"""The choice of the board that a reply gives as its answer: a sequence of named rules.

A reply goes through four steps. `plain_text` writes it in plain signs, with boards on one line.
`boards` finds every board in it, with the FEN fields that follow; where there is none, `other_notations`
writes links, figurines and diagrams as FENs. `roles` gives each board a role
(offered, rejected, example, conditional, earlier, ...) by the words around it. `choice` chooses
one, and names the rule that decided.
"""
