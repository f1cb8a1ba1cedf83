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
}
