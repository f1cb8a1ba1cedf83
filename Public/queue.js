// The queue and an open case: keys, a live count, and the heartbeat of a claim.

{
  const decisionForm = document.querySelector("#decision")
  const isTyping = (target) => target.closest("textarea, select, input:not([type=radio]):not([type=checkbox])")

  // The number of cases left, requested every few seconds while the page is visible.
  const left = document.querySelector("[data-left]")
  let tag = ""
  async function count() {
    if (document.hidden) return
    const answer = await fetch(left.dataset.left, { headers: tag ? { "If-None-Match": tag } : {} }).catch(() => null)
    if (!answer?.ok) return
    tag = answer.headers.get("ETag") ?? ""
    const now = await answer.json()
    left.querySelector("span").textContent = now.text
    for (const badge of document.querySelectorAll("nav .count")) badge.textContent = now.waiting
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
    // The forms of the case release its claim themselves, or lead to the case again. Others leave it.
    const isOfCase = (form) =>
      form.elements.claim || (form.getAttribute("action") ?? "").startsWith(`/moderation/numbers/${fields.number}/`)
    document.addEventListener("submit", (event) => { if (!event.defaultPrevented && isOfCase(event.target)) isSent = true })
    addEventListener("pagehide", () => {
      if (!isSent) navigator.sendBeacon("/moderation/queue/release", body())
    })
  }

  // Keys.
  const sheet = keySheet()

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

  // Chooses a decision. The focus goes to the button and never to a text field, where the next key would be typed.
  function choose(choice) {
    choice.checked = true
    choice.dispatchEvent(new Event("change", { bubbles: true }))
    // Each action waits for Enter, so that a reason may precede or follow it.
    decisionForm.querySelector("button.primary").focus()
  }

  // Moves the focus to a field; a folded one is opened.
  function enter(field) {
    const fold = field.closest("details")
    if (fold) fold.open = true
    field.focus()
  }

  // The fields that the form needs, and does not have.
  function missing() {
    const decision = decisionForm.querySelector("input[name=decision]:checked")?.value
    const isEmpty = (id) => decisionForm.querySelector(id)?.value.trim() === ""
    const common = decisionForm.querySelector("input[name=common_reason]:checked")
    const needsReason = ["block", "identify", "approve", "reject_range"].includes(decision)
      || (decision == "allow" && "guarded" in decisionForm.dataset)
    const confirmation = decisionForm.querySelector("input[name=confirm]")
    return {
      decision: !decision, confirm: decision == "block" && confirmation && !confirmation.checked, reason: needsReason && !common?.value && isEmpty("#reason"), label: decision == "identify" && isEmpty("#label"),
      words: decision == "reject" && isEmpty("#words"),
    }
  }

  if (decisionForm) {
    // The page says what is missing, where the browser's own message would disappear.
    decisionForm.noValidate = true
    const text = decisionForm.querySelector("#reason")
    decisionForm.addEventListener("submit", (event) => {
      if (event.submitter?.name == "fill") return
      let isFirst = true
      for (const [name, isMissing] of Object.entries(missing())) {
        const note = document.querySelector(`#${name}-missing`)
        if (!note) continue
        note.hidden = !isMissing
        if (!isMissing) continue
        event.preventDefault()
        // The focus goes to the first error: for a decision or a reason to the choices, where digits and letters are still keys.
        const choices = { decision: "input[name=decision]", reason: "input[name=common_reason]:checked", confirm: "input[name=confirm]" }
        const where = choices[name] ?? `#${name}`
        if (isFirst) enter(decisionForm.querySelector(where))
        isFirst = false
      }
      // A note that was begun under the case is saved with it.
      const [note, below] = [decisionForm.querySelector("#note"), document.querySelector("#new-note")]
      if (event.defaultPrevented || !below?.value.trim()) return
      note.value = [note.value, below.value].filter((each) => each.trim()).join("\n")
      below.value = ""
      below.dispatchEvent(new Event("input", { bubbles: true }))
    })
    // The answers for the chosen outcome come first.
    decisionForm.addEventListener("change", (event) => {
      const those = decisionForm.querySelector(`.fills [data-outcome="${CSS.escape(event.target.value)}"]`)
      if (event.target.name == "decision") those?.parentElement.querySelector("legend").after(those)
    })
    // A common reason is sent in place of the typed one, which stays in its field. A label needs its field.
    decisionForm.addEventListener("change", (event) => {
      const label = decisionForm.querySelector("#label")
      if (event.target.value == "identify" && label) label.closest("details").open = true
    })
    decisionForm.addEventListener("formdata", ({ formData }) => {
      if (formData.get("common_reason")) formData.set("reason", "")
    })
    text?.addEventListener("input", () => {
      if (text.value) decisionForm.querySelector('input[name=common_reason][value=""]').checked = true
    })
  }

  // Chooses a common reason.
  function chooseReason(place) {
    const choice = decisionForm.querySelector(`input[name=common_reason][data-key="${place}"]`)
    if (!choice) return
    choice.checked = true
    choice.dispatchEvent(new Event("change", { bubbles: true }))
  }

  // The pressed key; for a keyboard of another alphabet, its Latin letter.
  function pressed(event) {
    const isForeign = event.key.length == 1 && event.key > "\u007f"
    return isForeign && event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.key
  }

  // Whether the account has turned off keys that are pressed alone.
  const areKeysOff = document.body.dataset.keys == "off"

  // A key that was pressed for the page before does nothing: until this one is drawn, and after its form was sent.
  let isReady = false
  requestAnimationFrame(() => { isReady = true })
  document.addEventListener("submit", (event) => { if (!event.defaultPrevented) isReady = false })
  addEventListener("pageshow", (event) => { if (event.persisted) isReady = true })

  document.addEventListener("keydown", (event) => {
    const key = pressed(event)
    if (!isReady && !isTyping(event.target)) {
      if (key.length == 1 || key == "Enter") event.preventDefault()
      return
    }
    const save = decisionForm?.querySelector("button.primary")
    // A key that is held from the page before saves nothing.
    if (key == "Enter" && event.repeat) {
      event.preventDefault()
      return
    }
    if (key == "Enter" && (event.ctrlKey || event.metaKey) && decisionForm?.contains(event.target)) {
      event.preventDefault()
      decisionForm.requestSubmit(save)
      return
    }
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
      if (!isTyping(event.target)) return
      // The button saves the form by Enter, and letters are keys again.
      if (decisionForm?.contains(event.target)) save.focus()
      else event.target.blur()
      return
    }
    // Enter saves the case from anywhere except where it has a meaning of its own.
    if (key == "Enter" && save && !event.target.closest("a, button, summary, textarea, select, .cases, form:not(#decision)")) {
      event.preventDefault()
      decisionForm.requestSubmit(save)
      return
    }
    if (areKeysOff || isTyping(event.target)) return
    let isDone = true
    const letter = CSS.escape(key)
    const choice = decisionForm?.querySelector(`input[name=decision][data-key="${letter}"]`)
    const button = document.querySelector(`button[data-key="${letter}"]`)
    // The text field of a key: the only keys that lead to one.
    const field = decisionForm?.querySelector(`[data-field-key="${letter}"]`)
    // The tick that a decision needs; it is visible only with that decision.
    const tick = decisionForm?.querySelector(`input[type=checkbox][data-key="${letter}"]`)
    if (key == "?" && sheet) sheet.showModal()
    else if (tick?.checkVisibility()) {
      tick.click()
      tick.focus()
    }
    else if (choice) choose(choice)
    else if (/^[1-9]$/.test(key) && decisionForm?.querySelector("#reasons")) chooseReason(Number(key))
    else if (field) enter(field)
    else if (button) button.click()
    else isDone = false
    if (isDone) event.preventDefault()
  })
}
