"""The widgets' JavaScript and CSS, put together from their files."""

import re

import chess
import pytest

from workbench.errors import AssetError
from workbench.explore.page import assets

WIDGET_FILES = sorted(
    path.relative_to(assets.FOLDER).as_posix()
    for path in assets.FOLDER.glob("*/*.js")
    if re.search(r"^export default\b", path.read_text(encoding="utf-8"), re.MULTILINE)
)
SOURCES = sorted(
    path.relative_to(assets.FOLDER).as_posix()
    for path in assets.FOLDER.rglob("*")
    if path.suffix in {".js", ".css"}
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    assets._source.cache_clear()
    yield tmp_path
    assets._source.cache_clear()


def write(folder, files):
    for name, text in files.items():
        path = folder / f"{name}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_files_come_once_and_after_what_they_import(folder):
    write(
        folder,
        {
            "pair/widget": 'import { one } from "./one.js";\n'
            'import {\n  two,\n} from "../page/two.js";\n'
            "export default { render: () => one(two) };\n",
            "pair/one": 'import { two } from "../page/two.js";\n'
            "export function one() { return two; }\n",
            "page/two": "export const two = 2;\nclass Hidden {}\n",
        },
    )
    composed = assets.javascript("pair/widget.js")
    assert "import" not in composed
    assert composed.count("const two = 2;") == 1
    assert composed.index("const two") < composed.index("function one") < composed.index("render")
    assert re.findall(r"^export.*", composed, re.MULTILINE) == [
        "export default { render: () => one(two) };"
    ]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"widget": 'import { a } from "./a.js";\nexport default {};'}, "found none"),
        ({"widget": "export const a = 1;\n"}, "export default"),
        (
            {
                "widget": 'import { a } from "./a.js";\nconst b = 1;\nexport default {};',
                "a": "export const a = 1;\nfunction b() {}\n",
            },
            "'b' is defined in 'a.js' as well",
        ),
        (
            {
                "widget": 'import { a } from "./a.js";\nexport default {};',
                "a": "const a = 1;\n",
            },
            r"imports \['a'\] from 'a.js', which exports \[\]",
        ),
        (
            {
                "widget": 'import { a } from "./a.js";\nexport default {};',
                "a": 'import { b } from "./b.js";\nexport const a = 1;\n',
                "b": 'import { a } from "./a.js";\nexport const b = 1;\n',
            },
            "a.js -> b.js -> a.js",
        ),
        ({"widget": 'import * as far from "https://a.example/x.js";\nexport default {};'}, "got"),
        ({"widget": "const a = 1;\nexport { a };\nexport default {};"}, "got 'export { a };'"),
        (
            {
                "widget": 'import { a } from "./a.js";\nexport default {};',
                "a": "export const a = 1;\nexport default {};\n",
            },
            "widget's own file",
        ),
    ],
)
def test_what_cannot_be_put_together_is_refused(folder, files, said):
    write(folder, files)
    with pytest.raises(AssetError, match=said):
        assets.javascript("widget.js")


def test_style_sheets_follow_the_theme(folder):
    (folder / "page").mkdir()
    (folder / "page" / "theme.css").write_text("a {}")
    (folder / "x.css").write_text("b {}")
    assert assets.stylesheet("x.css") == "/* page/theme.css */\na {}\n\n/* x.css */\nb {}\n"


def test_there_are_widgets():
    assert WIDGET_FILES == [
        "game/game_tracker.js",
        "lab/estimator_lab.js",
        "lesson/guess.js",
        "pair/board_pair.js",
        "run/run_browser.js",
        "state/state_pair.js",
    ]


@pytest.mark.parametrize("name", WIDGET_FILES)
def test_each_widget_is_one_module_without_imports(name):
    composed = assets.javascript(name)
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", composed, flags=re.DOTALL)
    assert not re.search(r"^import\b|\bimport\(", code, re.MULTILINE)
    assert composed.count("export ") == len(
        re.findall(r"^export default\b", composed, re.MULTILINE)
    )
    words = assets.top_level_names(composed)
    assert len(words) == len(set(words))


@pytest.mark.parametrize("name", SOURCES)
def test_sources_load_nothing_and_read_no_markup(name):
    text = (assets.FOLDER / name).read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
    # The second is where a link leads; a browser test sees that nothing is asked for there.
    assert addresses <= {"http://www.w3.org/2000/svg", "https://lichess.org/analysis/standard/"}
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|@import|url\("
    assert not re.search(forbidden, text)
    assert len(text.splitlines()) <= 400


def test_every_piece_has_a_drawing():
    drawings = assets.piece_drawings()
    assert set(drawings) == {
        piece.symbol()
        for colour in chess.COLORS
        for kind in chess.PIECE_TYPES
        for piece in [chess.Piece(kind, colour)]
    }
    assert all(text.startswith("<g") for text in drawings.values())
