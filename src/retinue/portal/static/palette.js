// The command palette: `/` or Ctrl+K opens it, arrows choose among the results, Enter goes there. `?` lists shortcuts.
export function watchPalette() {
  const dialog = document.querySelector("#palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const goals = () => [...dialog.querySelectorAll(".goals a")];
  let entered = false; // Enter was pressed, and waits for results.

  const chosen = () => dialog.querySelector(".goals [aria-selected=true]");

  function choose(goal) {
    chosen()?.setAttribute("aria-selected", "false");
    goal?.setAttribute("aria-selected", "true");
    goal?.scrollIntoView({ block: "nearest" });
    if (goal) input.setAttribute("aria-activedescendant", goal.id);
    else input.removeAttribute("aria-activedescendant");
  }

  /** Follows the chosen result. The results of what was typed last may still be on their way. */
  function follow() {
    const text = dialog.querySelector("[data-search]")?.dataset.search;
    entered = text !== input.value.trim();
    if (!entered) chosen()?.click();
  }

  function open() {
    if (document.querySelector("dialog[open]")) return;
    input.value = "";
    dialog.showModal();
    input.dispatchEvent(new Event("portal:opened"));
  }

  document.querySelector(".finder").addEventListener("click", open);
  let leading = 0; // When "g" was pressed.
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const control = event.ctrlKey || event.metaKey;
    if ((event.key === "/" && !typing && !control) || (event.key === "k" && control)) {
      if (event.altKey) return;
      event.preventDefault();
      open();
      return;
    }
    if (typing || control || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "?") {
      event.preventDefault();
      document.querySelector("#shortcuts").showModal();
    } else if (event.key === "g") {
      leading = event.timeStamp;
    } else if (leading && event.timeStamp - leading < 1500) {
      leading = 0;
      const row = document.querySelector(`#shortcuts [data-key="${CSS.escape(event.key)}"]`);
      if (row) location.assign(row.dataset.path);
    }
  });
  dialog.addEventListener("keydown", (event) => {
    const every = goals();
    const at = every.indexOf(chosen());
    if (event.key === "Escape") { // A search field would take the first one to empty itself.
      event.preventDefault();
      dialog.close();
    } else if (event.key === "Enter") {
      event.preventDefault();
      follow();
    } else if (event.key === "ArrowDown" && every.length) {
      event.preventDefault();
      choose(every[Math.min(at + 1, every.length - 1)]);
    } else if (event.key === "ArrowUp" && every.length) {
      event.preventDefault();
      choose(every[Math.max(at - 1, 0)]);
    }
  });
  // A path that begins with # names a button of the page.
  dialog.addEventListener("click", (event) => {
    const path = event.target.closest(".goals a")?.getAttribute("href");
    if (!path) return;
    dialog.close();
    if (!path.startsWith("#")) return;
    event.preventDefault();
    document.querySelector(path)?.click();
  });
  dialog.addEventListener("htmx:after:swap", () => {
    choose(goals()[0]);
    if (entered) follow();
  });
  for (const [target, type] of [[input, "input"], [dialog, "close"]]) {
    target.addEventListener(type, () => { entered = false; });
  }
}
