// Copy buttons: data-copy names what is copied by a selector.
import { toast } from "./toast.js";

export function watchCopying() {
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy]");
    if (!button) return;
    const source = document.querySelector(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      toast("Copied");
    } catch {
      // Without HTTPS browsers refuse the clipboard: mark the text, so that it can be copied by hand.
      getSelection().selectAllChildren(source);
      toast("Selected. Copy it with Ctrl+C.");
    }
  });
}
