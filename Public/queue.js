// The queue and an open case: keys, a live count, and the heartbeat of a claim.

{
  const decisionForm = document.querySelector("#decision")
  const isTyping = (target) => target.closest("textarea, select, input:not([type=radio]):not([type=checkbox])")

  // The error is beside the decision, which on a phone is far down.
  document.querySelector("#problem")?.scrollIntoView({ block: "center" })

  // The number of cases left, requested every few seconds while the page is visible.
  const left = document.querySelector("[data-left]")
  let tag = ""
  async function count() {
    if (document.hidden) return
    const answer = await fetch(left.dataset.left, { headers: tag ? { "If-None-Match": tag } : {} }).catch(() => null)
    if (!answer?.ok) return
    tag = answer.headers.get("ETag") ?? ""
    left.querySelector("span").textContent = (await answer.json()).text
  }
  if (left) setInterval(count, 5_000)

  // A claim is kept while the page is open, and released when it is left.
  const fields = decisionForm && Object.fromEntries(new FormData(decisionForm))
  if (fields?.claim) {
    const body = () => new URLSearchParams({ csrf: fields.csrf, number: fields.number, claim: fields.claim })
    const ping = setInterval(async () => {
      const answer = await fetch("/moderation/queue/ping", { method: "POST", body: body() }).catch(() => null)
      if (answer?.status == 409) clearInterval(ping)
    }, 60_000)
    let isSent = false
    // Closing a dialog is also a submit event, and sends nothing.
    document.addEventListener("submit", (event) => { if (event.target.method != "dialog") isSent = true })
    addEventListener("pagehide", () => {
      if (!isSent) navigator.sendBeacon("/moderation/queue/release", body())
    })
  }

  // Keys.
  const sheet = keySheet()
  const choices = { b: "block", i: "identify", a: "allow", u: "unsure", e: "escalate" }

  // The list of keys: a section of the page without this script, a dialog with it.
  function keySheet() {
    const keys = document.querySelector("#keys")
    if (!keys) return null
    const sheet = document.createElement("dialog")
    sheet.className = "sheet"
    sheet.setAttribute("aria-labelledby", "keys-title")
    keys.querySelector("form").hidden = false
    sheet.append(keys)
    document.body.append(sheet)
    // A click outside of the dialog.
    sheet.addEventListener("click", (event) => { if (event.target == sheet) sheet.close() })
    const link = document.querySelector('a[href="#keys"]')
    link.setAttribute("aria-haspopup", "dialog")
    link.addEventListener("click", (event) => {
      event.preventDefault()
      sheet.showModal()
    })
    return sheet
  }

  function choose(decision) {
    const choice = decisionForm?.querySelector(`input[name=decision][value=${decision}]`)
    if (!choice) return false
    choice.checked = true
    mark()
    const reason = decisionForm.querySelector("#reason")
    const label = decisionForm.querySelector("#label")
    if (decision == "block" && !reason.value) reason.focus()
    else if (decision == "identify" && !label.value) label.focus()
    else if (decision == "identify" && !reason.value) reason.focus()
    else if (decision == "block" || decision == "identify") decisionForm.querySelector("button.primary").focus()
    // Keys without a lasting effect act at once.
    else decisionForm.requestSubmit(decisionForm.querySelector("button.primary"))
    return true
  }

  // The browser shows which field is missing.
  function mark() {
    const decision = decisionForm.querySelector("input[name=decision]:checked")?.value
    const reason = decisionForm.querySelector("#reason")
    if (reason) reason.required = decision == "block" || decision == "identify"
    const label = decisionForm.querySelector("#label")
    if (label) label.required = decision == "identify"
  }
  if (decisionForm) {
    decisionForm.addEventListener("change", mark)
    mark()
  }

  // The pressed key; for a keyboard of another alphabet, its Latin letter.
  function pressed(event) {
    const isForeign = event.key.length == 1 && event.key > "\u007f"
    return isForeign && event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.key
  }

  document.addEventListener("keydown", (event) => {
    const key = pressed(event)
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    // A modal dialog: the browser closes it on Escape and restores the focus.
    if (sheet?.open) {
      if (key == "?") {
        sheet.close()
        event.preventDefault()
      }
      return
    }
    if (key == "Escape") {
      if (isTyping(event.target)) event.target.blur()
      return
    }
    if (key == "Enter" && event.target.matches("input[type=radio]")) {
      event.preventDefault()
      decisionForm.requestSubmit(decisionForm.querySelector("button.primary"))
      return
    }
    if (isTyping(event.target)) return
    let isDone = true
    const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`)
    if (key == "?" && sheet) sheet.showModal()
    else if (key in choices) isDone = choose(choices[key])
    else if (/^[1-5]$/.test(key) && decisionForm?.querySelector("#reason")) {
      decisionForm.querySelector("#reason").value = document.querySelectorAll("#reasons option")[key - 1].value
    } else if (key == "o" && decisionForm) decisionForm.querySelector("#note").focus()
    else if (button) button.click()
    else isDone = false
    if (isDone) event.preventDefault()
  })
}
