"""Phrases that give a board its role in a reply, in six languages and a little of others.

Each meaning is one regular expression, made of those of the languages. A pattern begins and ends at
the edge of a word where its script has such edges.
"""

import re
from typing import Final

_LETTER_BEFORE: Final = r"(?<![A-Za-z0-9\u00c0-\u024f\u0400-\u04ff])"


def _phrases(*patterns: str, ending: str = "") -> re.Pattern[str]:
    """Return one pattern for several, of which those in Latin or Cyrillic begin a word."""
    words = (
        pattern if pattern[0] in "[\\" or pattern[0] > "\u2fff" else _LETTER_BEFORE + pattern
        for pattern in patterns
    )
    return re.compile(f"(?:{'|'.join(words)}){ending}", re.IGNORECASE)


_NOT_PLAYED: Final = (
    r"(?:likely|probable|expected|best|recommended|suggested|predicted|planned|natural|possible)"
)

NEGATED: Final = _phrases(
    r"(?:(?<!or )not|isn['’]t|aren['’]t|never|neither|nor|than|instead of|as opposed to|unlike)",
    r"(?:nicht|keineswegs|statt|anstatt|anstelle von|anstelle)",
    r"(?:pas|ni|au lieu de|plutôt que)",
    r"(?:en lugar de|en vez de|tampoco)",
    r"(?:не|вместо|а не)",
    r"(?:invece di|em vez de|não|anziché)",
    r"(?:no|non)(?: es)?(?=\s[^\w,.:;!?]*\Z)",
    r"不是|而非|并非|不应是|ではなく|じゃなく",
    ending=r"(?: (?:the|be|use|the fen|fen|simply|just|это|la|le|el|die|das))?[^\w,.;!?]*\Z",
)
"""Right before a board: it is denied."""

WRONG: Final = _phrases(
    r"(?:wrong|incorrect|mistaken|erroneous)(?:ly)?\b",
    r"(?:tempt\w+|confus\w+|mix\w* (?:it|this|them) up|common (?:mistake|error)|do(?:n['’]t| not) write"
    r"|(?:some|many|most|others?) (?:\w+ )?(?:would|might|may) \w+"
    r"|(?:you|one) (?:would|might|may) (?:expect|think|guess))\b",
    r"(?:falsch|irrig|verwechsel\w+|fehlerhaft)\w{0,3}\b",
    r"(?:fauss?e?|erroné\w?|confond\w+)\b",
    r"(?:incorrect[oa]|equivocad[oa]|erróne[oa]|confund\w+)\b",
    r"(?:неверн|неправильн|ошибочн|путать)\w*",
    r"(?:sbagliat[oa]|errad[oa])\b",
    r"错误|不正确|错的|間違い",
    r"[❌✗✘❎]",
)
"""In the clause before a board: it is called wrong."""

ADMITTED: Final = _phrases(
    r"(?:that|this|it|i|which|above|one|answer|reply)(?:['’]s| is| was| were| am| seems| looks)"
    r"(?: \w+)? (?:wrong|incorrect|mistaken|erroneous)(?! to)\b",
    r"(?:das|es|dies) (?:ist|war) (?:\w+ )?(?:falsch|fehlerhaft)\b",
    r"(?:c['’](?:est|était)|j['’]avais) (?:faux|incorrect|tort)\b",
    r"(?:eso|esto) (?:es|era|fue|está|estaba) (?:\w+ )?(?:incorrecto|mal)\b",
    r"это (?:было )?(?:неверно|неправильно|ошибочно)",
    r"(?:ho sbagliato|è sbagliato|está errado|estava errado)\b",
    r"(?:有|是|出现)错误|错了",
)
"""In the clause before a board: what was said before it is called wrong."""

CALLED_WRONG: Final = re.compile(
    r"\s{0,3}\|\s{0,3}no\s{0,3}\||\s{0,3}[^\w\s?]{0,6}\s{0,3}(?:"
    r"[❌✗✘❎]|\?[^\w]{0,6}(?:no\b|nein\b|non\b|нет\b|不)"
    r"|(?:typo|wrong|incorrect|outdated|superseded|illegal|invalid|impossible|inaccurate)\b"
    r"|(?:,? ?(?:which|that|it|this) )?(?:is|was|has|had|would be|would have been|looks|seems)"
    r"(?: \w+){0,3} (?:wrong|incorrect|not right|not correct|mistaken|slip|typo|error|mistake"
    r"|illegal|invalid|inaccurate)\b"
    r"|(?:which|that|it) (?:forgets|overlooks|misses|ignores|leaves out|puts)\b"
    r"|(?:ist|war|wäre)(?: \w+){0,2} (?:falsch|fehlerhaft|nicht richtig)\b"
    r"|(?:est|était|serait)(?: \w+){0,2} (?:fausse?|incorrecte?|erronée?)\b"
    r"|(?:es|era|sería)(?: \w+){0,2} (?:incorrect[oa]|fals[oa])\b"
    r"|(?:неверно|неправильно|это ошибка|ошибка)|是?(?:错|不对|不正确)"
    r")",
    re.IGNORECASE,
)
"""Right behind a board, on its line: it is called wrong."""

EXAMPLE: Final = _phrases(
    r"(?:for example|example|e\.g\.|for instance|such as|looks? (?:\w+ )?like|similar to"
    r"|something like)",
    r"(?:sample|template|placeholder|illustrat\w+)\b",
    r"(?:zum beispiel|beispiel\w*|z\. ?b\.|etwa so|sieht (?:\w+ ){0,2}so aus)",
    r"(?:par exemple|exemple|ressemble\w*)\b",
    r"(?:por ejemplo|ejemplo)\b",
    r"(?:например|пример)\b",
    r"(?:per esempio|por exemplo|exemplo)\b",
    r"例如|比如|示例|举例|たとえば|例:",
)
"""In the clause before a board: it is only an example."""

EXAMPLE_BEHIND: Final = re.compile(
    r"[^\w\n]{0,4}(?:as|is|being|was) (?:\w+ )?(?:an?|the|your) (?:\w+ )?(?:example|sample|template)\b",
    re.IGNORECASE,
)
"""Right behind a board: it is only an example."""

QUOTED: Final = _phrases(
    r"(?:you|the prompt) (?:\w+ )?(?:wrote|gave|sent|provided|mentioned|quoted|says|shows|has)\b",
    r"your (?:prompt|question|message|example|input)\b",
    r"(?:in|of) the (?:\w+ )?(?:form|format|notation)",
    r"format(?=[^\w]*\Z)",
    r"(?:textbook|compari(?:son|ng))\b",
)
"""In the clause before a board: it is the user's, or taken from elsewhere."""

HEADER: Final = re.compile(r"\[\s{0,3}fen\W{0,4}\Z", re.IGNORECASE)
"""Right before a board: it is in the header of a game."""

SUPPOSED: Final = _phrases(
    r"(?:if|suppose|supposing|assum(?:e|ing)|imagine|in case|unless)\b",
    r"(?<![^\W_]\s)(?:should|had|were) (?:the|white|black|it|we|you)\b",
    r"(?:wenn|falls|angenommen|sollte)\b",
    r"(?:si|supposons|en supposant|au cas où)\b",
    r"(?:suponiendo|supongamos|en caso de)\b",
    r"(?:если|предположим|допустим)\b",
    r"如果|假如|假设|若|要是|もし",
)
"""In the sentence before a board: it hangs on a condition."""

LATER: Final = _phrases(
    r"next(?: \w+)? (?:moves?|fen|position|board|ply|turn)\b",
    r"(?:one|a|another) (?:more )?(?:move|ply) (?:later|further|on)\b",
    r"next(?=[^\w]*(?:fen)?[^\w]*\Z)",
    r"(?:continuation|future|alternatives?|hypothetical|suggestion|planned)\b",
    rf"after (?:an? |the )?(?:\w+ )?{_NOT_PLAYED}\b",
    rf"{_NOT_PLAYED} (?:reply|replies|move|response|continuation|line)\b",
    r"not (?:yet )?(?:been )?played\b",
    r"(?:nächste\w?n? zug|nächsten)\b",
    r"(?:prochain coup|coup suivant)\b",
    r"(?:siguiente (?:jugada|movimiento)|próxim[ao])\b",
    r"следующ\w+ ход\w*",
    r"下一步|再走",
)
"""In the clause before a board: it comes after the one that was asked for."""

LATER_BEHIND: Final = re.compile(
    r"[^\w\n]{0,4}(?:hypothetical|not (?:yet )?(?:been )?played|if played)\b", re.IGNORECASE
)
"""Right behind a board: it comes after the one that was asked for."""

EARLIER: Final = _phrases(
    r"(?:start(?:s|ed|ing)?|initial(?:ly)?|original(?:ly)?|previous(?:ly)?|earlier|prior|before)\b",
    r"(?:draft|(?<!best )(?<!top )guess|tentative(?:ly)?|intermediate|preliminary|rough|old|begins?|began|beginning)\b",
    r"first (?:try|thought|guess|attempt|version|answer|reply|pass|idea|stab)\b",
    r"i (?:\w+ )?(?:wrote|thought|said|answered|had|gave)\b",
    r"(?:from|at first|my last (?:answer|reply))(?=[^\w]*\Z)",
    r"(?:ausgangs|anfangs|start|grund)(?:stellung|position|fen)\w*",
    r"(?:zuvor|vorher|vorherig\w*|früher\w*|entwurf|ursprünglich\w*|zuerst|anfang)\b",
    r"(?:départ|initiale?|précédent\w*|brouillon|auparavant|d'abord|avant)\b",
    r"(?:inicial|anterior|antes|borrador|originalmente|al principio)\b",
    r"(?:начал\w+|исходн\w+|предыдущ\w+|черновик|раньше|сначала|до этого)",
    r"(?:partenza|iniziale|precedente|bozza|prima)\b",
    r"初始|起始|开始|之前|上一|草稿|起初|原来|初期",
)
"""In the clause before a board: it is one from before, or a draft."""

_FOLLOWING: Final = (
    r"(?:after|result(?:s|ing)?|becomes?|now|then|so|thus|hence|therefore)\b",
    r"(?:nach|daher|also|jetzt|nun|ergibt|dann|après|donc|maintenant|alors|obtient)\b",
    r"(?:después|así|ahora|entonces|queda)\b",
    r"(?:после|итак|теперь|получ\w+)",
    r"之后|所以|因此|现在|得到",
)
FOLLOWS: Final = _phrases(*_FOLLOWING)
"""Between two boards: the second follows from the first."""

ARRIVED: Final = _phrases(
    *_FOLLOWING,
    r"(?:gives?|yields?|leads?|reach|arrive|ends?|overlooks?|fix(?:ed|ing)?|instead|right)\b",
    r"(?:correct(?:ed|ing)?|richtig\w*|korrigiert\w*|corrigée?|corregid[oa])\b",
    r"(?:правильн\w+|верн\w+)",
    r"正确",
)
"""Words that end the reach of `EARLIER` and `WRONG` in a clause."""

FINAL: Final = _phrases(
    r"final\w*",
    r"(?:decided on|settled on|closing)\b",
    r"(?:current|actual|correct(?:ed|ion)?|right|revised|fixed|updated|truth)\b",
    r"(?:f?boxed\{)",
    r"[✅✓✔☑]",
    r"(?:end(?:gültig\w*|stellung|position|ergebnis)|schluss\w+|aktuell\w*)\b",
    r"(?:richtig\w*|korrekt\w*|korrigiert\w*)\b",
    r"(?:définiti\w+|corrigée?|correcte?|bonne|exacte?|actuelle)\b",
    r"(?:definitiv\w+|corregid[oa]|correct[oa]|actual)\b",
    r"(?:итог\w*|окончат\w+|финальн\w+|конечн\w+|правильн\w+|верн\w+|исправлен\w+)",
    r"(?:corrett[oa]|corret[oa])\b",
    r"最终|最終|最后|正确|更正|当前|訂正|正しい|正しくは",
)
"""In the clause before a board: it is the last word."""

ANSWER: Final = _phrases(
    r"(?:answer|solution|result|antwort|lösung|ergebnis|réponse|résultat)\b",
    r"(?:respuesta|resultado|risposta|risultato|resposta)\b",
    r"(?:ответ|результат)(?!\w)",
    r"答案|回答|结果",
)
"""In the clause before a board: it is the answer."""

HEDGED: Final = _phrases(
    r"(?:perhaps|maybe|possibly|(?:may|might|could) (?:\w+ )?be)\b",
    r"(?:alternatively|unlikely|(?:less|least) (?:likely|probable)|(?:small|slight) chance)\b",
    r"(?:backup|runner-up|second choice)\b",
    r"(?:vielleicht|möglicherweise|könnte)\b",
    r"(?:peut-être|pourrait)\b",
    r"(?:quizás?|tal vez|podría)\b",
    r"(?:возможно|может быть)",
    r"也许|可能|或许",
)
"""In the clause before a board: it is a guess."""

ANNOUNCED: Final = _phrases(
    r"(?:use|take)(?=[^\w]*\Z)",
    r"(?:fen|epd|position|output|stellung|posición|позиция|posizione|posição)\b",
    r"局面|位置",
)
"""In the clause before a board: it is what was asked for."""

ANSWERS: Final = re.compile(
    r"[^\w\n]{0,4}(?:is|it is|that is|ist|est|es|—это|это) "
    r"(?:\w+ ){0,2}(?:final|answer|correct|right|antwort|réponse|respuesta|ответ)\b"
    r"|[^\w\n]{0,4}[✅✓✔☑]|\s{0,3}\|\s{0,3}yes\s{0,3}\|"
    r"|[^\w\n]{1,4}(?:right|correct|yes)[^\w\n]{0,4}\Z",
    re.IGNORECASE,
)
"""Right behind a board: it is the answer."""

SUPPOSED_BEHIND: Final = re.compile(
    r"[^\w\n]{0,4}(?:would|could|might) (?:be|become|arise|follow|come)\b[^.\n]{0,60}"
    r"\b(?:if|once|after)\b",
    re.IGNORECASE,
)
"""Right behind a board: it hangs on a condition."""

EARLIER_BEHIND: Final = re.compile(
    r"[^\w\n]{0,4}(?:(?:is|was|being|ist|war|est|était|es|era) )?(?:(?:the|my|die|la) )?"
    r"(?:start(?:ing)?|initial|original|previous|earlier|draft|ausgangs\w+|inicial)\b",
    re.IGNORECASE,
)
"""Right behind a board: it is one from before, or a draft."""

CORRECTION: Final = _phrases(
    r"(?:wait|hmm+|oops|whoops|actually|sorry|apolog\w+|slip|however|edit)\b",
    r"(?<!no )(?<!any )(?<!avoid )(?<!without )(?:mistake|error)\b",
    r"let me (?:fix|correct)\b",
    r"(?:correct(?:ion|ed|ing|\s+myself)|correct:|revis(?:ed|ion)|scratch that|strike (?:that|the)|on second)\b",
    r"(?:my bad|errat(?:um|a)|(?:up)?on (?:review|reflection|closer|further)|forg[eo]t\w*)\b",
    r"(?:overlooked|skipped|omitted|miss(?:ed|ing)|left out|off by|hold on)\b",
    r"(?:looking (?:\w+ ){0,3}again|look again|i see (?:the|my)|second (?:attempt|try|look))\b",
    r"(?:vergessen|übersehen|fehlte?|halt|oublié|manqu\w+|olvidé|falt(?:ó|a|aba)|dimenticato)\b",
    r"(?:esqueci|faltou)\b",
    r"(?:забыл\w*|хотя нет|не хвата\w+|пропустил\w*|прошу прощения|упустил\w*)",
    r"(?:should (?:be|read|have been)|or rather|i mean|misread|miscount\w*|that['’]s not)\b",
    r"(?:(?:got|had) [^.\n]{0,30}wrong|wrong above|p\.?s)\b",
    r"(?:(?:can['’]t|cannot) be right|(?:is|was) (?:wrong|incorrect)"
    r"|(?:is not|was not|isn['’]t|wasn['’]t) (?:quite )?(?:right|correct))\b",
    r"(?:no|nope|nein|non|нет)[,.!:]",
    r"(?:moment|entschuldigung|korrektur|korrigier\w*|doch nicht|fehler|hoppla|verzeihung)\b",
    r"(?:stimmt nicht|richtig (?:ist|wäre)|muss [^.\n]{0,20}(?:heißen|lauten|sein)|genauer)\b",
    r"(?:attende[zs]|pardon|désolée?|erreur|trompée?|corrig\w+|en fait|rectif\w+|oups|plutôt)\b",
    r"(?:espera|perdón|equivoqu\w+|correg\w+|corrijo|en realidad|mejor dicho|corrección|ups)\b",
    r"(?:стоп|подожди\w*|погоди\w*|ой|ошиб\w+|исправ\w+|точнее|вернее|правильн\w+|извини\w*)",
    r"(?:anzi|sbagli\w+|scus\w+|aspetta|errore|espere|desculpe|errei|engano|corrigi\w*)\b",
    r"等等|等一下|不对|有误|漏|忘|更正|修正|抱歉|应该是|错了|纠正|稍等|訂正|間違|正しくは|すみません",
)
"""Between two boards: the second takes the place of the first."""

OR: Final = re.compile(
    r"[^\w.;!?]*(?:or|oder|ou|o|или|或者?|または)[^\w.;!?]*(?:(?:FEN|the|la|die) ?)?[^\w.;!?]*",
    re.IGNORECASE,
)
"""The whole text between two boards: they exclude each other."""

CHECKING: Final = _phrases(
    r"(?:let me|i(?:'ll| will| should| need to| have to)?) "
    r"(?:re-?(?:do|check|count|calculate|consider|construct|trace|vise|view|play|evaluate|think"
    r"|examine|start|verify|compute|write|state|try)|double|try|check|verify|go over)",
)
"""Between two boards: the first is looked at once more."""

CONFIRMED: Final = re.compile(
    r"\b(?:above|first|original|initial|my|earlier)\b[^.\n]{0,40}"
    r"\b(?:is|was|are|stands?|remains?|holds?)\b[^.\n]{0,12}?"
    r"\b(?:right|correct|stands|fine|unchanged|valid)\b"
    r"|\banswer stands\b|\beverything (?:matches|fits|checks|agrees)|\bchecks out\b"
    r"|\bconfirm(?:s|ed)? (?:the|my) ",
    re.IGNORECASE,
)
"""Behind the last board: an earlier answer holds."""

REFUSAL: Final = _phrases(
    r"(?:i|we) (?:cannot|can['’]t|can not|am unable|am not able|won['’]t)\b",
    r"(?:i|we) (?:do not|don['’]t) (?:have|know)\b",
    r"(?:i['’]m (?:unable|not able|sorry)|unable to|unfortunately|as an? (?:ai|language model))\b",
    r"(?:kann|konnte) [^.\n]{0,60}nicht\b",
    r"(?:je ne (?:peux|suis)|impossible de)\b",
    r"(?:no puedo|no soy capaz|lamentablemente)\b",
    r"(?:не могу|невозможно|к сожалению)",
    r"无法|不能|抱歉",
)
"""The reply gives no answer, or no reliable one."""

LOGGED: Final = re.compile(
    r"(?<!\w)(?:after|move|ply|step|stage|nach|zug|schritt|après|coup|étape|tras|jugada|paso"
    r"|после|ход|шаг)\W{0,3}(?:(?:move|ply|the|white['’]s|black['’]s|zug|coup|хода) ?){0,2}\W{0,3}"
    r"(?:\d{1,3}(?:st|nd|rd|th)?\b|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]\b|O-O|first|second|third|fourth|one before)"
    r"|第\s?[\d一二三四五六七八九十]+\s?(?:步|手|回合)"
    r"|(?:\A|\n)[\s*#>|•_-]{0,8}\d{1,3}\s?(?:\.|\)|…|\|)",
    re.IGNORECASE,
)
"""Before a board: it is the one after some move of the game."""

LISTED_KEYS: Final = re.compile(
    r"\b(?:steps?|history|trace|moves?|log|progress\w*|alternatives?|candidates?|others?)\b",
    re.IGNORECASE,
)
"""Among JSON keys: what stands under it is on the way, or beside."""

REASONING_KEYS: Final = re.compile(
    r"\b(?:reason\w*|think\w*|thoughts?|explanation|explain|analysis|notes?|comments?|rationale)\b",
    re.IGNORECASE,
)
"""Among JSON keys: a text about the answer."""
