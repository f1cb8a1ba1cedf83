// Comfort for pages that work without it.

{
  // Times in the reader's own zone; the absolute one stays at hand in the title.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: zone,
  })

  function localise(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
      const moment = new Date(time.dateTime)
      if (Number.isNaN(moment.valueOf())) continue
      time.title = time.textContent
      time.textContent = format.format(moment)
    }
  }
  localise(document)
  // For what the scripts of other areas put into a page.
  window.ringfence = { localise }

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
