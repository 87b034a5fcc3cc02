"""The harness itself: it runs a widget, and it notices what the other tests rely on it to notice."""

import pytest
from playwright.sync_api import expect

from .lab_page import save_notebook

COUNTER = '''
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    _esm = """export default {render({model, el}) {
        el.classList.add('world-state');
        el.dataset.role = 'counter';
        const button = document.createElement('button');
        const show = () => { button.textContent = 'count ' + model.get('count'); };
        button.onclick = () => { model.set('count', model.get('count') + 1); model.save_changes(); };
        model.on('change:count', show); show(); el.append(button);
    }}"""
    count = traitlets.Int(3).tag(sync=True)

counter = Counter()
counter
'''


def test_a_widget_shows_and_its_kernel_hears_of_a_click(lab, server):
    path = save_notebook(server.folder, "counter", COUNTER, "counter.count = 10")
    with lab.notebook(path) as notebook:
        button = notebook.widget("counter").get_by_role("button")
        expect(button).to_have_text("count 10")
        button.click()
        expect(button).to_have_text("count 11")


def test_a_failing_cell_is_told(lab, server):
    path = save_notebook(server.folder, "failing", "1 / 0")
    with pytest.raises(AssertionError, match="ZeroDivisionError"), lab.notebook(path):
        pass


def test_console_errors_and_off_site_requests_are_noticed(opened_lab):
    opened_lab.page.evaluate("() => console.error('seen')")
    opened_lab.page.evaluate("() => fetch('http://example.invalid/x').catch(() => {})")
    assert any(error.startswith("seen") for error in opened_lab.errors)
    assert opened_lab.off_site == ["http://example.invalid/x"]
    opened_lab.forget()
