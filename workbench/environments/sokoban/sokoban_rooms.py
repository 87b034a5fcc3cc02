"""Rooms of Sokoban that come with the workbench; each can be solved."""

from typing import Final

DEFAULT: Final = "three_boxes"

ROOMS: Final = {
    "one_box": """
######
#    #
# $  #
# @ .#
######
""",
    "three_boxes": """
#######
#  .  #
# $ $ #
#. @ .#
#  $  #
#     #
#######
""",
    "corridors": """
#########
#. ##  .#
#  ##   #
# $   $ #
#   @   #
# ## ####
#   $  .#
#########
""",
    "store": """
##########
#   ##   #
# $  $   #
#  #  ## #
## # @  .#
#  $   ..#
#   ######
##########
""",
}
"""Maps by name, in the characters of `workbench.environments.sokoban.sokoban_automaton`."""
