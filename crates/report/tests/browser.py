"""Opens HTML reports in headless Chromium, follows their links, and fails where a page is slow, missing, too wide or logs an error."""

import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

OPENS_WITHIN = 2.0  # seconds, from the navigation to the first screen
SHOWS_WITHIN = 1.0  # seconds, for every other page

# Follows links inside of the page, which is faster than the driver: returns what is wrong with each page.
FOLLOW = """
const [links, done] = arguments;
const found = { problems: [], links: [], slowest: [0, ""] };
(async () => {
  for (const route of links) {
    const begin = performance.now();
    if (location.hash !== route) {
      const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
      location.hash = route;
      await changed;
    }
    document.body.getBoundingClientRect();
    const spent = performance.now() - begin;
    if (spent > found.slowest[0]) found.slowest = [spent, route];
    const title = document.querySelector("main h1");
    if (!title || title.textContent === "Not in this report") found.problems.push(`${route}: there is no such page`);
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (wide > 0) found.problems.push(`${route}: ${wide} pixels too wide`);
    for (const anchor of document.querySelectorAll("main a, nav a")) found.links.push(anchor.getAttribute("href"));
  }
  found.links = [...new Set(found.links)];
  done(found);
})();
"""


def started():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--disable-dev-shm-usage"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service("/usr/bin/chromedriver")
    return webdriver.Chrome(options=options, service=service)


class Report:
    """A report in the browser."""

    def __init__(self, driver, file):
        self.driver = driver
        self.name = file.stem
        driver.get("about:blank")
        driver.get(file.as_uri())
        WebDriverWait(driver, 20).until(lambda _: self.run("return performance.getEntriesByName('shown').length > 0"))

    def opened(self):
        """The seconds from the navigation until the first screen was painted."""
        return self.run("return performance.getEntriesByName('shown')[0].startTime") / 1000

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def title(self):
        return self.driver.find_element(By.CSS_SELECTOR, "main h1").text

    def words(self):
        return self.run("return document.getElementById('main').textContent")

    def route(self):
        return self.run("return location.hash")

    def width(self, pixels):
        metrics = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def click(self, selector, expected):
        """Clicks the first element, and expects a page whose route begins with this."""
        # The route changes before its page is drawn.
        nothing = f"{self.name}: nothing to click at {self.route()}: {selector}"
        element = WebDriverWait(self.driver, 5).until(lambda _: self.all(selector), nothing)
        # Edges of a graph are thin: the event is sent to the element and not to a point.
        self.run("arguments[0].scrollIntoView({block: 'center'});"
                 "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))", element[0])
        WebDriverWait(self.driver, 5).until(lambda _: self.route().startswith(expected), f"{selector} leads to {self.route()}, not to {expected}")
        assert self.title() != "Not in this report", f"{self.name}: {self.route()}"

    def open(self, route):
        self.run("location.hash = arguments[0]", route)
        WebDriverWait(self.driver, 5).until(lambda _: self.route() == route)

    def follow(self, links):
        found = self.driver.execute_async_script(FOLLOW, links)
        assert not found["problems"], f"{self.name}: " + "; ".join(found["problems"][:5])
        assert found["slowest"][0] <= SHOWS_WITHIN * 1000, f"{self.name}: {found['slowest']} ms"
        return found

    def follow_all(self, most=12):
        """Follows links, and those of the pages that they lead to, up to a number of each kind of page."""
        followed, pending, slowest = set(), ["#/"], [0, ""]
        for _ in range(4):
            found = self.follow(pending)
            slowest = max(slowest, found["slowest"])
            followed.update(pending)
            kinds, pending = {}, []
            for route in followed:
                kinds[route.split("/")[1]] = kinds.get(route.split("/")[1], 0) + 1
            for route in found["links"]:
                kind = route.split("/")[1]
                if route not in followed and kinds.get(kind, 0) < most:
                    kinds[kind] = kinds.get(kind, 0) + 1
                    pending.append(route)
            if not pending:
                break
        return len(followed), kinds, slowest

    def assert_no_errors(self):
        errors = [entry for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        assert not errors, f"{self.name}: {errors[:3]}"


def check_large(report):
    for page in ["directions", "open", "findings", "tests", "ledger", ""]:
        report.click(f"nav a[href='#/{page}']", f"#/{page}")
    # From the first screen to a function, by its graph to its code, by an edge to a direction, and on to a test.
    report.click("td.function a", "#/function/")
    report.open("#/function/uart_parse_1")
    report.click(".graph a.block", "#/function/uart_parse_1/0x")
    assert report.all("tr.here"), "the block is not marked in the listing"
    report.click(".graph a:has(.edge.covered)", "#/direction/")
    report.click("a[href^='#/test/']", "#/test/")
    report.click(".neighbours a", "#/test/")
    report.click("td.function a", "#/function/")
    report.click("tr.direction a[href^='#/direction/']", "#/direction/")
    report.open("#/directions/infeasible")
    report.click("td a[href^='#/direction/']", "#/direction/")
    assert "everypath check-certificate flight-control.elf.tests/certificates/" in report.driver.find_element(By.CSS_SELECTOR, ".command pre").text
    report.open("#/open")
    report.all("details summary")[0].click()
    report.click("details td a[href^='#/direction/']", "#/direction/")
    assert "What to try" in report.words()
    report.open("#/findings")
    report.click("td a[href^='#/test/']", "#/test/")
    report.open("#/ledger")
    report.click("td .place a", "#/function/")
    check_large_function(report)
    check_table(report)
    check_search(report)
    before = report.run("return getComputedStyle(document.body).backgroundColor")
    report.all("#theme")[0].click()
    assert before != report.run("return getComputedStyle(document.body).backgroundColor"), "the colours do not change"


def check_large_function(report):
    spent = report.follow(["#/function/command_dispatch"])["slowest"][0]
    print(f"large: a function of thousands of blocks is there after {spent:.0f} ms")
    assert "No graph is drawn" in report.words()
    report.run("[...document.querySelectorAll('.pager button')].find((button) => button.textContent === 'Next').click()")
    assert "part 2 of" in report.all(".pager .range")[0].text


def check_table(report):
    report.open("#/directions")
    assert report.all(".pager .range")[0].text.startswith("1–50 of 50,")
    report.run("[...document.querySelectorAll('.pager button')].find((button) => button.textContent === 'Last').click()")
    assert " of 50," in report.all(".pager .range")[0].text
    report.run("[...document.querySelectorAll('thead button')].find((button) => button.textContent === 'Function').click()")
    assert report.all("th[aria-sort='ascending']")[0].text.startswith("Function")
    names = [cell.text for cell in report.all("td.function")]
    assert names == sorted(names), names


def check_search(report):
    def search(words, expected):
        ActionChains(report.driver).send_keys("/").perform()
        box = report.driver.switch_to.active_element
        assert box.get_attribute("id") == "search", "the key / does not lead to the search"
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(words)
        box.send_keys(Keys.ENTER)
        WebDriverWait(report.driver, 5).until(lambda _: report.route().startswith(expected), f"{words} leads to {report.route()}, not to {expected}")
        report.run("document.activeElement.blur()")

    search("uart_parse_1", "#/function/uart_parse_1")
    search("test 0042", "#/test/0042")
    search("/src/fcu/uart_1.c", "#/source/")
    search("time limit", "#/open/")
    search("division by zero", "#/findings")
    search("0x8400002", "#/function/uart_parse_1/0x8400002")


def check_justified(report):
    assert "1 of 2 open directions justified" in report.words(), report.words()
    report.open("#/open")
    for words in ["Justified directions", "A. Reviewer, 2026-01-31", "Lapsed justifications", "infeasible now"]:
        assert words in report.words(), words
    report.click("td a[href^='#/direction/']", "#/direction/")
    assert "the direction is still open" in report.words() and "[[justification]]" not in report.words(), report.words()
    report.open("#/direction/0x100a-0x1010")
    entry = '[[justification]]\nfunction = "function_0"\noffset = 0xa\ntarget = "+0x10"\ncode = "9f86d081884c7d65"\nreason = ""'
    assert entry in report.words(), report.words()


def main(folder):
    driver = started()
    try:
        # The best of several: what else the machine does is not the report's time.
        opened = [Report(driver, folder / "large.html").opened() for _ in range(3)]
        print("large: the first screen is there after", ", ".join(f"{seconds:.2f} s" for seconds in opened))
        assert min(opened) <= OPENS_WITHIN, "the report opens too late"
        report = Report(driver, folder / "large.html")
        check_large(report)
        for width, most in [(1280, 12), (390, 4)]:
            report.width(width)
            number, kinds, slowest = report.follow_all(most)
            print(f"large: {number} pages at {width} pixels, the slowest after {slowest[0]:.0f} ms ({slowest[1]}); {kinds}")
        report.assert_no_errors()
        report = Report(driver, folder / "awkward.html")
        assert report.title().startswith("</script><b id=\"x\">'&amp;<!--"), report.title()
        report.follow_all()
        assert not report.all("#x"), "text became markup"
        report.assert_no_errors()
        report = Report(driver, folder / "bare.html")
        report.follow_all()
        report.assert_no_errors()
        report = Report(driver, folder / "justified.html")
        check_justified(report)
        report.follow_all()
        report.assert_no_errors()
    finally:
        driver.quit()


main(Path(sys.argv[1]))
