"""The widgets' JavaScript and CSS, put together from their files."""

import base64
import posixpath
import re

import chess
import pytest

from workbench.explore.page import assets
from workbench.explore.pair.pair_html import pair_html
from workbench.explore.reader.reader_html import reader_html

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


EXPORTED = r"^export (?:async )?(?:function\*?|const|class)\s+([A-Za-z_$][\w$]*)"
TOP_LEVEL = r"^(?:export )?(?:async )?(?:function\*?|const|let|var|class)\s+([A-Za-z_$][\w$]*)"
LEFT_OVER = r"^(?:import\b|export\b(?! (?:default|function|async function|const|class)\b)).*$"


@pytest.mark.parametrize("name", [name for name in SOURCES if name.endswith(".js")])
def test_a_file_imports_what_another_one_exports(name):
    text = assets._source(name)
    assert not re.findall(LEFT_OVER, assets._IMPORT.sub("", text), re.MULTILINE)
    for match in assets._IMPORT.finditer(text):
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), match["file"]))
        words = {word.strip() for word in match["names"].split(",") if word.strip()}
        assert words <= set(re.findall(EXPORTED, assets._source(other), re.MULTILINE))
        assert other not in WIDGET_FILES


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
    words = re.findall(TOP_LEVEL, composed, re.MULTILINE)
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


def test_every_page_has_the_icon():
    svg = (assets.FOLDER / "page" / "icon.svg").read_text(encoding="utf-8")
    kind, _, drawing = assets.icon().partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(drawing).decode() == svg
    link = f'<link rel="icon" href="{assets.icon()}">\n'
    assert link in pair_html()
    assert link in reader_html(["tiny"])
    # Templates of the app cannot ask for it.
    templates = assets.FOLDER.parent / "app" / "jupyter" / "nbconvert" / "templates" / "workbench"
    assert (templates / "page_icon.html").read_text(encoding="utf-8") == link
