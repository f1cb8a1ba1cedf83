// Passkeys (Web Authentication). A form with the class "passkey" fetches a challenge, asks the browser for its answer,
// and sends it. Without scripts, and in browsers without passkeys, the form stays hidden. A paragraph of the
// class "no-passkeys" is shown in such browsers.

for (const form of document.querySelectorAll("form.passkey")) {
  if (!isSecureContext || !window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    form.parentElement.querySelector(".no-passkeys")?.removeAttribute("hidden")
    continue
  }
  const problem = form.querySelector("[role=alert]")
  const failed = problem.textContent
  form.hidden = false
  // A page that the browser shows again has an answer that was used.
  window.addEventListener("pageshow", () => { form.elements.credential.value = "" })
  form.addEventListener("submit", async (event) => {
    if (form.elements.credential.value) return
    event.preventDefault()
    problem.hidden = true
    try {
      const answer = await fetch(form.dataset.challenge, { method: "POST", body: new URLSearchParams(new FormData(form)) })
      const options = await answer.json()
      if (!answer.ok) throw options
      const credential = form.dataset.kind == "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
      form.elements.credential.value = JSON.stringify(credential)
      form.requestSubmit()
    } catch (error) {
      problem.textContent = error.problem || failed
      problem.hidden = false
    }
  })
}
