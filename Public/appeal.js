// Computes the proof of work of the form while its reader writes, so that sending does not have to wait. Without Web
// Crypto, which browsers have only on https and on this machine, it waits for the delay of the form.

{
  const form = document.querySelector("form[data-stamp]")
  const said = document.getElementById("work")
  const stamp = form.elements.stamp.value
  const difficulty = Number(form.dataset.difficulty)
  const opened = performance.now()
  const encoder = new TextEncoder()
  let work

  function zeroBits(hash) {
    const bytes = new Uint8Array(hash)
    let bits = 0
    for (const byte of bytes) {
      if (byte == 0) { bits += 8; continue }
      return bits + Math.clz32(byte) - 24
    }
    return bits
  }

  async function solve() {
    // Many at a time, because a single digest costs mostly the call.
    for (let first = 0; ; first += 512) {
      const hashes = await Promise.all(Array.from({ length: 512 }, (_, index) =>
        crypto.subtle.digest("SHA-256", encoder.encode(stamp + (first + index)))))
      const found = hashes.findIndex((hash) => zeroBits(hash) >= difficulty)
      if (found >= 0) return String(first + found)
    }
  }

  async function patience() {
    const left = Number(form.dataset.delay) * 1000 - (performance.now() - opened) + 500
    if (left > 0) await new Promise((done) => setTimeout(done, left))
    return ""
  }

  function begin() {
    work ??= globalThis.crypto?.subtle ? solve() : patience()
    return work
  }

  document.getElementById("patience")?.toggleAttribute("hidden", Boolean(globalThis.crypto?.subtle))
  form.addEventListener("input", begin, { once: true })
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    if (form.dataset.sending) return
    form.dataset.sending = "1"
    said.hidden = false
    form.elements.nonce.value = await begin()
    form.submit()
  })
}
