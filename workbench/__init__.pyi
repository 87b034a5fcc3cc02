from workbench.automaton import SINK as SINK
from workbench.automaton import Automaton as Automaton
from workbench.explore import explore as explore
from workbench.front_door.audits import audit as audit
from workbench.front_door.class_answers import class_answers as class_answers
from workbench.front_door.comparison import compare as compare
from workbench.front_door.models import ask as ask
from workbench.front_door.models import evaluate as evaluate
from workbench.front_door.models import legal_mass as legal_mass
from workbench.front_door.models import positions as positions
from workbench.front_door.models import recorded_replies as recorded_replies
from workbench.front_door.plots import plot as plot
from workbench.front_door.scores import causes as causes
from workbench.front_door.scores import score as score
from workbench.front_door.scores import summary as summary
from workbench.front_door.states import estimate as estimate
from workbench.front_door.states import exact_profile as exact_profile
from workbench.front_door.states import exact_set_overlap as exact_set_overlap
from workbench.front_door.states import measure as measure
from workbench.front_door.states import survival_curve as survival_curve

__version__: str
