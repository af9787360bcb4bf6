"""One browser for all tests that look at pages."""

from contextlib import closing

import pytest

from tests.old.report.browser import Browser
from tests.old.report.documents import DOCUMENT, rendered


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with closing(Browser(tmp_path_factory.mktemp("browser"))) as browser:
        yield browser


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of a document, which loads nothing and has nothing run."""

    def opened(document=DOCUMENT, width=1200, mode="light"):
        page = tmp_path / "page.html"
        page.write_text(rendered("html", document), encoding="ascii")
        browser.open(page, width, mode)
        assert (browser.requested, browser.complaints) == ([], [])
        assert browser.value("window.hacked") is None
        return browser

    return opened
