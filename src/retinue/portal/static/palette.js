// The command palette: `/` or Ctrl+K opens it, arrows move through what it found, Enter goes there.
export function watchPalette() {
  const dialog = document.querySelector("#palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const goals = () => [...dialog.querySelectorAll(".goals a")];
  let entered = false; // Enter was pressed, and waits for results.

  /** Follows the first result. The results of what was typed last may still be on their way. */
  function follow() {
    const text = dialog.querySelector("[data-search]")?.dataset.search;
    entered = text !== input.value.trim();
    if (!entered) goals()[0]?.click();
  }

  function open() {
    if (document.querySelector("dialog[open]")) return;
    input.value = "";
    dialog.showModal();
    input.dispatchEvent(new Event("portal:opened"));
  }

  document.querySelector(".finder").addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const asked = (event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!asked || event.altKey) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener("keydown", (event) => {
    const every = goals();
    const at = every.indexOf(document.activeElement);
    if (event.key === "Enter" && event.target === input) {
      event.preventDefault();
      follow();
    } else if (event.key === "ArrowDown" && every.length) {
      event.preventDefault();
      every[Math.min(at + 1, every.length - 1)].focus();
    } else if (event.key === "ArrowUp") {
      event.preventDefault();
      (every[at - 1] ?? input).focus();
    }
  });
  dialog.addEventListener("htmx:after:swap", () => { if (entered) follow(); });
  for (const [target, type] of [[input, "input"], [dialog, "close"]]) {
    target.addEventListener(type, () => { entered = false; });
  }
}
