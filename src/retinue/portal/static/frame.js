// The frame: the menu on phones, the theme, and what the last page left to say.
import { toast } from "./toast.js";

/** Scrolls a menu that is higher than the window to the entry of the current page. */
function showCurrentEntry() {
  const entries = document.querySelector(".side nav");
  const current = entries?.querySelector("[aria-current]");
  if (current) entries.scrollTop = current.offsetTop - entries.clientHeight;
}

/** Puts the reader into the first field that is wrong. What its field says is not said a second time above the form. */
function showProblems() {
  const wrong = document.querySelector("main [aria-invalid=true]");
  if (!wrong) return;
  wrong.closest("details:not([open])")?.setAttribute("open", "");
  wrong.focus();
  const notice = document.querySelector("#problems .notice");
  const said = document.querySelector(`#${CSS.escape(wrong.getAttribute("aria-describedby") ?? "none")}`);
  const isRepeated = said && notice?.querySelector("span")?.textContent.trim() === said.textContent.trim();
  if (isRepeated && !notice.querySelector(".code-box")) notice.remove();
}

/** A click anywhere in a row of a table opens what its first link names. */
function openRow({ target }) {
  const link = target.closest("tbody tr")?.querySelector("td > a[href]");
  if (link && !target.closest("a, button, input, label, summary, form, .diff, .prose") && !getSelection().toString()) link.click();
}

export function watchFrame() {
  showCurrentEntry();
  showProblems();
  const menu = document.querySelector(".menu-button");
  const setMenu = (open) => {
    document.body.classList.toggle("menu-open", open);
    for (const beneath of document.querySelectorAll(".skip, .top, main")) beneath.inert = open;
    menu?.setAttribute("aria-expanded", open);
    const side = document.querySelector(".side");
    for (const [name, value] of [["role", "dialog"], ["aria-modal", "true"]]) open ? side.setAttribute(name, value) : side.removeAttribute(name);
    if (open) side.querySelector("a").focus();
  };
  menu?.addEventListener("click", () => setMenu(true));
  document.querySelector(".close-menu")?.addEventListener("click", () => { setMenu(false); menu.focus(); });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && document.body.classList.contains("menu-open")) { setMenu(false); menu.focus(); } });
  document.addEventListener("click", ({ target }) => { if (target === document.body) setMenu(false); });

  document.querySelector("#theme")?.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* It holds for this page then. */ }
  });

  // What one user has begun to write is not for the next one.
  document.querySelector("form[action='/sign-out']")?.addEventListener("submit", () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
  });

  document.querySelector("#main")?.addEventListener("click", openRow);

  const flash = document.querySelector("meta[name=flash]");
  if (flash) toast(flash.content);
}
