// The list of the queue: selecting many cases, and keys.

{
  const form = document.querySelector("#bulk")
  const boxes = form ? [...form.querySelectorAll("tbody input[type=checkbox]")] : []
  const all = document.querySelector("#select-all")

  // The checkbox of all cases shows whether none, some or all are selected.
  function showAll() {
    if (!all) return
    const count = boxes.filter((each) => each.checked).length
    all.checked = count > 0 && count == boxes.length
    all.indeterminate = count > 0 && count < boxes.length
  }

  all?.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked
  })

  // With Shift, all cases between the last one and this one get its state.
  let last = null
  form?.addEventListener("click", (event) => {
    const place = boxes.indexOf(event.target)
    if (place < 0) return
    if (event.shiftKey && last != null) {
      for (const box of boxes.slice(Math.min(last, place), Math.max(last, place) + 1)) box.checked = event.target.checked
    }
    last = place
    showAll()
  })

  // A page that comes back from the browser's memory keeps its selection.
  addEventListener("pageshow", showAll)

  // Keys: j and k go to the next and the previous case, x selects it, Enter opens it. Beside an open case, j and k open it.
  const areKeysOff = [document.documentElement, document.body].some((each) => each.dataset.keys == "off")
  const rows = [...document.querySelectorAll(".cases tbody tr")]
  // Beside the case that is open, keys start from its row.
  const open = rows.findIndex((row) => row.querySelector("[aria-current]"))

  // The link of a row: one of two, by the window's width.
  const link = (row) => [...row.querySelectorAll("th a")].find((each) => each.checkVisibility())

  // The pressed key; for a keyboard of another alphabet, its Latin letter.
  function pressed(event) {
    const isForeign = event.key.length == 1 && event.key > "\u007f"
    return isForeign && event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.key
  }

  function go(place) {
    const row = rows[Math.max(0, Math.min(rows.length - 1, place))]
    if (open >= 0) {
      if (row != rows[open]) link(row).click()
      return
    }
    link(row).focus()
    row.scrollIntoView({ block: "nearest" })
  }

  function act(key, row, target) {
    row ??= rows[open]
    const place = row ? rows.indexOf(row) : -1
    if (key == "j") go(place + 1)
    else if (key == "k") go(place < 0 ? rows.length - 1 : place - 1)
    else if (key == "x" && row) row.querySelector("input[type=checkbox]")?.click()
    else if (key == "Enter" && row && target.matches("input[type=checkbox]")) link(row).click()
    else return false
    return true
  }

  document.addEventListener("keydown", (event) => {
    // An account may have given one of these keys to an action of queue.js, which comes first.
    if (event.defaultPrevented || areKeysOff || !rows.length || document.querySelector("dialog[open]")) return
    // In a window without space for the list beside the case.
    if (!link(rows[0])) return
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    // Keys are letters in a field.
    if (event.target.closest("textarea, select, input:not([type=checkbox], [type=radio])")) return
    const row = event.target.closest(".cases tbody tr")
    if (act(pressed(event), row, event.target)) event.preventDefault()
  })
}
