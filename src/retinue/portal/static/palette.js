// The command palette: `/` or Ctrl+K opens it, arrows move through what it found, Enter goes there.
export function watchPalette() {
  const dialog = document.querySelector("#palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const goals = () => [...dialog.querySelectorAll(".goals a")];

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
    if (event.key === "Enter" && event.target === input && every.length) {
      event.preventDefault();
      every[0].click();
    } else if (event.key === "ArrowDown" && every.length) {
      event.preventDefault();
      every[Math.min(at + 1, every.length - 1)].focus();
    } else if (event.key === "ArrowUp") {
      event.preventDefault();
      (every[at - 1] ?? input).focus();
    }
  });
}
