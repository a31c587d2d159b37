// Copy buttons: data-copy names what is copied by a selector; data-copy-code copies the code beside it, and
// data-copy-answer the Markdown of an answer.
import { sourceOf } from "./markdown.js";
import { toast } from "./toast.js";
import { _ } from "./translation.js";

async function copy(text, source) {
  try {
    await navigator.clipboard.writeText(text);
    toast(_("Copied"));
  } catch {
    // Without HTTPS browsers refuse the clipboard: mark the text, so that it can be copied by hand.
    getSelection().selectAllChildren(source);
    toast(_("Selected. Copy it with Ctrl+C."));
  }
}

export function watchCopying() {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy], [data-copy-code], [data-copy-answer]");
    if (!button) return undefined;
    if (button.dataset.copy) {
      const source = document.querySelector(button.dataset.copy);
      return copy(source.value ?? source.textContent, source);
    }
    if ("copyCode" in button.dataset) {
      const source = button.closest(".code-block").querySelector("code");
      return copy(source.textContent, source);
    }
    const source = button.closest(".msg").querySelector(".prose");
    return copy(sourceOf(source), source);
  });
}
