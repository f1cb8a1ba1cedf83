"""Layout checks of every page, run by the browser."""

# Visible text that is too small, including parts of charts.
SMALL_TEXT = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement
    if (!walker.currentNode.data.trim() || !parent.checkVisibility()) continue
    const matrix = parent.getScreenCTM?.()
    const size = parseFloat(getComputedStyle(parent).fontSize) * (matrix ? Math.min(Math.abs(matrix.a), Math.abs(matrix.d)) : 1)
    if (size < 12) found.push(`${size} px: ${walker.currentNode.data.trim().slice(0, 40)}`)
  }
  return found
}"""

# Tables with a row that has not as many cells as the head.
UNEVEN_TABLES = """() => [...document.querySelectorAll('table:has(thead)')].filter(table => {
  const cells = row => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0)
  return [...table.tBodies].some(body => [...body.rows].some(row => cells(row) !== cells(table.tHead.rows[0])))
}).map(table => table.tHead.innerText)"""

# Controls that are smaller than WCAG 2.2 requires. Links within a text are as high as its lines.
SMALL_TARGETS = """() => [...document.querySelectorAll(
  "button, .button, summary, select, textarea, input:not([type=hidden]), nav a, th a")]
  .filter(each => each.checkVisibility()).map(each => [each, (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([each, box]) => (box.width < 24 || box.height < 24) && box.width > 1)
  .map(([each, box]) => `${box.width} × ${box.height}: ${each.outerHTML.slice(0, 80)}`)"""

# Layout shifts since the page was opened, with their elements.
SHIFTS = """() => new Promise(done => {
  const words = list => list.getEntries().filter(each => !each.hadRecentInput).map(each => `${each.value.toFixed(5)} `
    + each.sources.map(source => (source.node?.outerHTML ?? source.node?.data ?? "?").slice(0, 80)).join(" | "))
  new PerformanceObserver(list => done(words(list))).observe({ type: "layout-shift", buffered: true })
  setTimeout(done, 50, [])
})"""

# Tables cut off on paper, and printed controls that only a window can use.
UNPRINTABLE = """() => [
  ...[...document.querySelectorAll("table")].filter(each => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => `cut off: ${each.parentElement.getAttribute("aria-label")}`),
  ...[...document.querySelectorAll(".table")].filter(each => getComputedStyle(each).overflowX != "visible")
    .map(each => `scrolls: ${each.getAttribute("aria-label")}`),
  ...[...document.querySelectorAll("nav, header, button, .button, input[type=submit], .skip")].filter(each => each.checkVisibility())
    .map(each => `printed: ${each.outerHTML.slice(0, 80)}`),
]"""

# In a theme of two or three colors: badges without an edge, and bars that look like the background or each other.
INDISTINCT = """() => {
  const style = each => getComputedStyle(each)
  const faults = [...document.querySelectorAll(".badge:not(.quiet-badge, .threshold), .error, .notice, .count, button")]
    .filter(each => each.checkVisibility() && (style(each).borderTopStyle == "none" || parseFloat(style(each).borderTopWidth) < 1))
    .map(each => `no edge: ${each.outerHTML.slice(0, 80)}`)
  const ground = style(document.body).backgroundColor
  const look = each => `${style(each).fill} ${style(each).stroke}`
  for (const bar of document.querySelectorAll(".chart .bar-1, .chart .bar-2"))
    if (style(bar).fill == ground && [ground, "none"].includes(style(bar).stroke)) faults.push("a bar has the colour of its ground")
  const [one, other] = [".bar-1", ".bar-2"].map(kind => document.querySelector(`.chart ${kind}`))
  if (one && other && look(one) == look(other)) faults.push("both kinds of bars look alike")
  for (const key of document.querySelectorAll(".key"))
    if (style(key).backgroundColor == ground && style(key).borderTopStyle == "none") faults.push("a key has the color of its ground")
  const current = document.querySelector(".side [aria-current]")
  if (current && style(current).borderTopStyle == "none") faults.push("the area one is in has no edge")
  return faults
}"""

MOVING = """() => [...document.querySelectorAll("*")].filter(each =>
  [getComputedStyle(each).transitionDuration, getComputedStyle(each).animationDuration].some(time => parseFloat(time) > 0)
  || getComputedStyle(each).scrollBehavior == "smooth").map(each => each.outerHTML.slice(0, 80))"""

IS_TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"

# Tables that show only a part of their content.
SCROLLING_TABLES = """() => [...document.querySelectorAll(".table")]
  .filter(each => each.checkVisibility() && each.scrollWidth > each.clientWidth)
  .map(each => `${each.getAttribute("aria-label")}: ${each.scrollWidth} in ${each.clientWidth}`)"""


def faults_of_widths(page, widths, whole=640):
    """The widths at which the page is wider than its window, and tables that scroll at widths up to `whole`."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate(IS_TOO_WIDE):
            found.append(width)
        if width <= whole:
            found += [f"{width}: {table}" for table in page.evaluate(SCROLLING_TABLES)]
    return found
