"""The pages of reports in a real browser: nothing asked of the network, no error, readable by everybody."""

import pytest

from browser.chromium import axe, open_chromium
from shoal.models import KAnonymity
from shoal.workflow import audit, sweep
from unit.report.releases import ROLES, hostile, release, visits

pytestmark = pytest.mark.browser

PAGES = ("internal", "external", "hostile", "audit", "sweep")


@pytest.fixture(scope="module")
def browser():
    yield from open_chromium()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the file of each page."""
    folder = tmp_path_factory.mktemp("pages")
    made = release(policy="pdpc-sg")
    made.to_html(folder / "internal.html")
    made.to_html(folder / "external.html", external=True)
    hostile().to_html(folder / "hostile.html")
    audit(visits(), ROLES, models=KAnonymity(k=5), policy="hipaa-safe-harbor").to_html(folder / "audit.html")
    sweep(visits(), ROLES, k=[2, 5, 10, 500], algorithms=["mondrian", "optimal"]).to_html(folder / "sweep.html")
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.fixture
def opened(browser, pages):
    """Open a page, and gather what it asks for and complains of."""
    contexts = []

    def open_page(name, *, scheme="light", width=1100):
        # Axe is run within the page, whose own policy forbids every script.
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True
        )
        contexts.append(context)
        page = context.new_page()
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(pages[name].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_and_complains_of_nothing(opened, pages, name):
    page = opened(name)
    assert page.asked == [pages[name].as_uri()]
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened, name, scheme):
    script = axe()
    if script is None:
        pytest.skip("axe-core is not here (SHOAL_AXE names its axe.min.js)")
    page = opened(name, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((found) => { found.open = true })")
    page.evaluate(script.read_text("utf-8"))
    found = page.evaluate("axe.run()")
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []


@pytest.mark.parametrize("width", [320, 700, 1100])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_never_wider_than_the_screen(opened, name, width):
    page = opened(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_it_is_dark_on_white_and_the_numbers_are_there(opened, name):
    page = opened(name, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    colours = page.evaluate(
        "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
    )
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    if name in ("internal", "external"):
        assert page.locator("#associations table").is_visible()
    assert len(page.pdf()) > 10_000


def test_the_keyboard_reaches_the_content_and_the_numbers(opened):
    page = opened("internal")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#risk summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#risk table").is_visible()


def test_a_plot_has_the_page_s_colours_in_light_and_in_dark(opened):
    seen = set()
    for scheme in ("light", "dark"):
        page = opened("internal", scheme=scheme)
        seen.add(page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill"))
    assert len(seen) == 2
