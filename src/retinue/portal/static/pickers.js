// Choosing tools: a search whose results are buttons, and the chosen ones as marks that can be taken out again.
import { h, icon } from "./dom.js";
import { _ } from "./translation.js";

function chip(name, value) {
  const remove = h("button", { type: "button", "data-unpick": true, "aria-label": _("Remove {name}", { name: value }) }, icon("x", 12));
  return h("li", { class: "tag" }, value, h("input", { type: "hidden", name, value }), remove);
}

function mark(picker) {
  const chosen = new Set([...picker.querySelectorAll(".chosen input")].map((input) => input.value));
  for (const button of picker.querySelectorAll("[data-pick]")) {
    button.setAttribute("aria-pressed", chosen.has(button.dataset.pick));
  }
  picker.dispatchEvent(new CustomEvent("portal:picked", { bubbles: true }));
}

export function watchPickers() {
  document.addEventListener("click", ({ target }) => {
    const picker = target.closest("[data-picker]");
    if (!picker) return;
    const pick = target.closest("[data-pick]");
    const unpick = target.closest("[data-unpick]");
    if (pick) {
      const values = [...picker.querySelectorAll(".chosen input")];
      const there = values.find((input) => input.value === pick.dataset.pick);
      if (there) there.closest("li").remove();
      else picker.querySelector(".chosen").append(chip(picker.dataset.picker, pick.dataset.pick));
    } else if (unpick) {
      unpick.closest("li").remove();
      picker.querySelector("input[type=search]").focus();
    } else return;
    mark(picker);
  });
  document.addEventListener("htmx:after:swap", () => {
    for (const picker of document.querySelectorAll("[data-picker]")) mark(picker);
  });
  // Enter searches; it does not send the form around the picker.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("[data-picker] input[type=search]")) event.preventDefault();
  });
}
