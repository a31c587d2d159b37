// Choosing among many checkboxes: a filter, and one checkbox for each group. Without this script, all are simply listed.
import { _ } from "./translation.js";

/** Shows how many are chosen, and how far each group is. */
function count(root, status) {
  const boxes = [...root.querySelectorAll("[name]")];
  const chosen = boxes.filter((box) => box.checked).length;
  status.textContent = _("{count} of {all} chosen", { count: chosen, all: boxes.length });
  for (const group of root.querySelectorAll("fieldset")) {
    const members = [...group.querySelectorAll("[name]")];
    const every = group.querySelector(".every input");
    every.checked = members.every((box) => box.checked);
    every.indeterminate = !every.checked && members.some((box) => box.checked);
  }
}

/** Shows the labels that contain all words, and the groups that have one. The name of a group counts for its members. */
function filter(root, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of root.querySelectorAll("fieldset")) {
    const title = group.querySelector("legend").textContent;
    for (const label of group.querySelectorAll("label:has([name])")) {
      const content = `${title} ${label.textContent}`.toLowerCase();
      label.hidden = !words.every((word) => content.includes(word));
    }
    group.hidden = !group.querySelector("label:has([name]):not([hidden])");
    group.querySelector(".every").hidden = words.length > 0 || group.querySelectorAll("[name]").length < 2;
  }
  root.querySelector(".none").hidden = Boolean(root.querySelector("fieldset:not([hidden])"));
}

for (const root of document.querySelectorAll("[data-groups]")) {
  const search = root.querySelector("input[type=search]");
  const status = root.querySelector("[role=status]");
  search.parentElement.hidden = false;
  search.addEventListener("input", () => filter(root, search.value));
  search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  root.addEventListener("change", ({ target }) => {
    if (target.closest(".every")) {
      for (const box of target.closest("fieldset").querySelectorAll("[name]")) box.checked = target.checked;
    }
    count(root, status);
  });
  filter(root, "");
  count(root, status);
}
