// Keeps what is typed in the forms of signed-in pages, in the tab's storage, until the server has accepted the form. It
// survives an ended session, a claim of another account, a lost connection and a click elsewhere.

{
  const prefix = "draft "
  const typeable = "textarea, select, input:not([type=hidden], [type=password], [type=file], [type=submit], [type=checkbox], [type=radio])"
  // Forms with a secret are never stored, and forms without text have nothing to lose.
  const isKept = (form) =>
    form.getAttribute("method") == "post" && form.querySelector(typeable) && !form.querySelector("[type=password], [autocomplete=one-time-code]")

  const address = (form) => form.getAttribute("action") ?? location.pathname
  // Pages without a session store nothing, but the sign-in page knows that a form was not accepted.
  const isSignedIn = document.querySelector("form.account")
  const forms = isSignedIn ? [...document.querySelectorAll("main form")].filter(isKept) : []
  // Forms with one address are counted: a page may have one for each row.
  const keys = new Map(forms.map((form) => {
    const same = forms.filter((each) => address(each) == address(form))
    return [form, `${prefix}${address(form)} ${same.indexOf(form)}`]
  }))

  const fields = (form) =>
    [...form.elements].filter((each) => each.name && each.matches("textarea, select, input:not([type=hidden])"))
  const isChoice = (field) => field.matches("[type=checkbox], [type=radio]")
  const name = (field) => (isChoice(field) ? `${field.name}=${field.value}` : field.name)
  const value = (field) => (isChoice(field) ? field.checked : field.value)
  const read = (form) => Object.fromEntries(fields(form).map((each) => [name(each), value(each)]))

  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  const load = (key) => JSON.parse(sessionStorage.getItem(key) ?? "null")
  const store = (key, draft) => sessionStorage.setItem(key, JSON.stringify(draft))

  // A form that was sent is done if this page is the answer: not the sign-in page, an error, or the page of before.
  const arrival = performance.getEntriesByType("navigation")[0]
  const isRefused = arrival.responseStatus >= 400 || arrival.type != "navigate" || !isSignedIn
  for (const key of drafts()) {
    const draft = load(key)
    if (!draft.isSent) continue
    if (isRefused) store(key, { ...draft, isSent: false })
    else sessionStorage.removeItem(key)
  }

  function restore(form, typed) {
    let isChanged = false
    for (const field of fields(form)) {
      const wanted = typed[name(field)]
      if (wanted === undefined || wanted === value(field)) continue
      isChanged = true
      if (isChoice(field)) field.checked = wanted
      else field.value = wanted
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true
    }
    return isChanged
  }

  const notice = document.querySelector("#draft")
  for (const [form, key] of keys) {
    const draft = load(key)
    const shown = read(form)
    if (draft && restore(form, draft.typed) && notice) {
      const copy = notice.content.cloneNode(true)
      copy.querySelector("button").addEventListener("click", (event) => {
        sessionStorage.removeItem(key)
        restore(form, shown)
        event.target.closest("[role=status]").remove()
      })
      form.prepend(copy)
    }
    const keep = () => store(key, { typed: read(form), isSent: false })
    form.addEventListener("input", keep)
    form.addEventListener("change", keep)
  }

  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return
    if (event.target.matches("form.account")) drafts().forEach((key) => sessionStorage.removeItem(key))
    const key = keys.get(event.target)
    const draft = key && load(key)
    if (draft) store(key, { typed: read(event.target), isSent: true })
  })
}
