// Additions to pages that also work without scripts.

{
  // Times in the reader's own zone; the absolute one stays at hand in the title.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  // The form of the server's own text: 22 November 2026, 01:10.
  const language = document.documentElement.lang
  const format = new Intl.DateTimeFormat(language == "en" ? "en-GB" : language, {
    day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone,
  })
  const written = moment => {
    const parts = format.formatToParts(moment)
    const part = type => parts.find(each => each.type == type).value
    // With the language's own text between day, month and year, such as "22. November 2026".
    const day = parts.slice(0, parts.findIndex(each => each.type == "year") + 1).map(each => each.value).join("")
    return `${day.replaceAll(" ", "\u00A0")}, ${part("hour")}:${part("minute")}`
  }

  function localise(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
      const moment = new Date(time.dateTime)
      if (Number.isNaN(moment.valueOf())) continue
      time.title = time.textContent
      time.textContent = written(moment)
    }
  }
  localise(document)
  // For elements that other scripts add to the page.
  window.ringfence = { localise }

  // Where something goes on, the page asks now and then how far it is, and changes only what has changed: what has the focus
  // keeps it, and what was typed or opened stays. Without this there is a link.
  const own = new Set(["open", "tabindex", "data-sent"])

  function isLike(one, other) {
    return one.nodeName == other.nodeName && (one.id ?? "") == (other.id ?? "")
  }

  // Attributes of fields that hold typed or chosen values.
  const isTyped = (element, name) =>
    element.matches("input, textarea, select, option") && ["value", "checked", "selected"].includes(name)

  // Makes an element like another, of its very nodes where that can be.
  function liken(element, wanted) {
    for (const { name } of [...element.attributes])
      if (!own.has(name) && !isTyped(element, name) && !wanted.hasAttribute(name)) element.removeAttribute(name)
    for (const { name, value } of wanted.attributes)
      if (!own.has(name) && !isTyped(element, name) && element.getAttribute(name) != value) element.setAttribute(name, value)
    let next = element.firstChild
    for (const node of [...wanted.childNodes]) {
      let like = next
      // Text is never looked for behind an element: all blanks are alike.
      if (node.nodeType == Node.ELEMENT_NODE) while (like && !isLike(like, node)) like = like.nextSibling
      if (!like || !isLike(like, node)) {
        element.insertBefore(node, next)
        continue
      }
      while (next != like) {
        const gone = next
        next = next.nextSibling
        gone.remove()
      }
      if (node.nodeType == Node.ELEMENT_NODE) liken(like, node)
      else if (like.data != node.data) like.data = node.data
      next = like.nextSibling
    }
    while (next) {
      const gone = next
      next = next.nextSibling
      gone.remove()
    }
  }

  async function lookAgain() {
    const answer = document.hidden
      ? null : await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null)
    if (answer?.redirected) {
      // After signing out the page stays as it is, and so does a page whose job is gone.
      if (new URL(answer.url).pathname != "/sign-in") location.reload()
      return
    }
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      localise(page)
      for (const part of document.querySelectorAll("[data-live]")) {
        const wanted = page.getElementById(part.id)
        if (!wanted) continue
        const had = part.contains(document.activeElement)
        liken(part, wanted)
        if (!had || part.contains(document.activeElement)) continue
        // The focused element is gone.
        part.tabIndex = -1
        part.focus({ preventScroll: true })
      }
    }
    waitForMore()
  }

  function waitForMore() {
    const seconds = document.querySelector("[data-again]")?.dataset.again
    if (seconds) setTimeout(lookAgain, seconds * 1_000)
  }
  waitForMore()

  // The menu closes when the focus leaves it, and by Escape.
  const menu = document.querySelector("details.menu")
  if (menu) {
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false })
    menu.addEventListener("keydown", (event) => {
      if (event.key != "Escape") return
      menu.open = false
      menu.querySelector("summary").focus()
    })
  }

  // The focus goes to the first error of a form that was refused, where the page does not say another place.
  const error = document.querySelector("main .error[role=alert]:not([hidden]), main [aria-invalid=true]")
  if (error && document.querySelector("main form")) {
    const place = document.querySelector("main [autofocus]") ?? error
    if (place.matches(".error")) place.tabIndex = -1
    place.focus()
    place.scrollIntoView({ block: "center" })
  }

  // A button that fills a text field. Without this the server does it.
  for (const button of document.querySelectorAll("[data-fill]")) {
    button.addEventListener("click", (event) => {
      event.preventDefault()
      // At the cursor, in place of what is selected, and so that the browser can undo it.
      const field = button.form.querySelector("textarea")
      field.focus()
      document.execCommand("insertText", false, button.dataset.fill)
    })
  }

  // The length of a long text beside its limit. Nothing is cut: the server refuses what is too long, and keeps it.
  const plain = new Intl.NumberFormat(language)
  for (const field of document.querySelectorAll("[data-most]")) {
    const counter = document.createElement("span")
    counter.className = "counter"
    const most = Number(field.dataset.most)
    const count = () => {
      const length = [...field.value.trim()].length
      counter.textContent = length > most * 0.8 ? `${plain.format(length)} / ${plain.format(most)}` : ""
      counter.classList.toggle("over", length > most)
    }
    field.after(counter)
    field.addEventListener("input", count)
    count()
  }

  // Code can be copied where the browser lets a page do that.
  const copying = document.querySelector("#copy")
  for (const block of navigator.clipboard ? document.querySelectorAll("main pre") : []) {
    const button = copying.content.cloneNode(true).firstElementChild
    const name = button.textContent
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent)
      button.textContent = button.dataset.done
      setTimeout(() => { button.textContent = name }, 2_000)
    })
    block.before(button)
  }

  // A form is sent once, however often its button is pressed.
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return
    if (event.target.dataset.sent) event.preventDefault()
    event.target.dataset.sent = "1"
  })
  // A page that comes back from the browser's memory may send its forms again.
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent
  })
}
