// Keeps what is typed in the forms of signed-in pages, in the tab's storage, until the server has accepted the form. It
// survives an ended session, a claim of another account, a lost connection and a click elsewhere.

{
  const prefix = "draft "
  const typeable = "textarea, select, input:not([type=hidden], [type=password], [type=file], [type=submit], [type=checkbox], [type=radio])"
  // Forms with a secret are never stored, and forms without text have nothing to lose.
  const isKept = (form) =>
    form.getAttribute("method") == "post" && form.querySelector(typeable) && !form.querySelector("[type=password], [autocomplete=one-time-code]")

  // Pages without a session store nothing, but the sign-in page knows that a form was not accepted.
  const account = document.querySelector("form.account a")?.textContent
  const forms = account ? [...document.querySelectorAll("main form")].filter(isKept) : []
  // A draft belongs to an account, and to what its form is about: the hidden values, except those that each page makes anew.
  const passing = ["csrf", "id", "version", "claim", "fingerprint", "base"]
  const own = `${prefix}${account} `
  const address = (form) => (form.getAttribute("action") ?? location.pathname).split("?")[0]
  const subject = (form) =>
    own + JSON.stringify([
      address(form),
      // An address with a number names what the form is about.
      /\d/.test(address(form)) ? [] : [...form.elements]
        .filter((each) => each.type == "hidden" && !passing.includes(each.name)).map((each) => [each.name, each.value]),
    ])
  const keys = new Map(forms.filter((form) => forms.every((each) => each == form || subject(each) != subject(form)))
    .map((form) => [form, subject(form)]))

  const fields = (form) =>
    [...form.elements].filter((each) => each.name && each.matches("textarea, select, input:not([type=hidden])"))
  const isChoice = (field) => field.matches("[type=checkbox], [type=radio]")
  // A confirmation belongs to what the page said then.
  const isRestored = (field) => !["confirm", "replace"].includes(field.name)
  // Fields may share a name, such as the texts of a template.
  const place = (field) => [...field.form.elements].filter((each) => each.name == field.name).indexOf(field)
  const name = (field) => (isChoice(field) ? `${field.name}=${field.value}` : `${field.name} ${place(field)}`)
  const value = (field) => (isChoice(field) ? field.checked : field.value)
  const read = (form) => Object.fromEntries(fields(form).map((each) => [name(each), value(each)]))

  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  const load = (key) => JSON.parse(sessionStorage.getItem(key) ?? "null")
  const store = (key, draft) => sessionStorage.setItem(key, JSON.stringify(draft))

  const forget = () => drafts().filter((key) => key.startsWith(own)).forEach((key) => sessionStorage.removeItem(key))

  // The server names the form that it accepted last. Without its answer, a form that was sent is kept.
  const saved = document.cookie.match(/(?:^|; )ringfence_saved=(\w+)/)?.[1]
  for (const key of drafts()) {
    const isDone = saved && load(key).id == saved
    // A draft of another account is neither shown nor deleted.
    if (isDone) sessionStorage.removeItem(key)
  }

  // The sign-in page names what is kept: the accounts and pages of forms that were sent.
  const kept = document.querySelector("#kept")
  const waiting = kept ? drafts().filter((key) => load(key).id) : []
  if (waiting.length) {
    kept.hidden = false
    kept.querySelector("span").textContent = waiting.map((key) => {
      const [, name, about] = key.match(/^draft (.*) (\[.*)$/s)
      return `${name}: ${JSON.parse(about)[0].replace(/\/(decision|notes)$/, "")}`
    }).join(", ")
  }

  function restore(form, typed) {
    let isChanged = false
    for (const field of fields(form).filter(isRestored)) {
      const wanted = typed[name(field)]
      if (wanted === undefined || wanted === value(field)) continue
      isChanged = true
      if (isChoice(field)) field.checked = wanted
      else field.value = wanted
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true
    }
    return isChanged
  }

  // The server stores a form once by its id. A form whose answer was lost keeps its id until its input changes.
  const formID = (form) => form.querySelector("input[type=hidden][name=id]")
  // A page that can undo the form's decision shows that it is saved.
  const isSaved = (draft) => draft?.sent && document.querySelector(`input[name=decision][value="${CSS.escape(draft.sent)}"]`)

  const notice = document.querySelector("#draft")
  for (const [form, key] of keys) {
    if (isSaved(load(key))) sessionStorage.removeItem(key)
    const draft = load(key)
    const shown = read(form)
    const [id, newID] = [formID(form), formID(form)?.value]
    if (id && draft?.sent) id.value = draft.sent
    if (draft && restore(form, draft.typed) && notice) {
      const said = notice.content.cloneNode(true).firstElementChild
      said.setAttribute("role", "status")
      said.querySelector("button").addEventListener("click", () => {
        sessionStorage.removeItem(key)
        restore(form, shown)
        if (id) id.value = newID
        said.remove()
      })
      form.prepend(said)
    }
    const keep = () => {
      if (id) id.value = newID
      store(key, { typed: read(form) })
    }
    form.addEventListener("input", keep)
    form.addEventListener("change", keep)
  }

  // Gives a form a name that its draft shares.
  function send(form, key) {
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join("")
    store(key, { typed: read(form), id, sent: formID(form)?.value })
    const field = form.elements.namedItem("draft") ?? document.createElement("input")
    Object.assign(field, { type: "hidden", name: "draft", value: id })
    form.append(field)
  }

  // Signing out in one tab ends the drafts of all.
  const tabs = new BroadcastChannel("drafts")
  tabs.addEventListener("message", ({ data }) => { if (data == account) forget() })

  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return
    if (event.target.matches("form.account")) {
      forget()
      tabs.postMessage(account)
    }
    const key = keys.get(event.target)
    // A button that fills in an answer saves nothing.
    if (key && event.submitter?.name != "fill") send(event.target, key)
  })
}
