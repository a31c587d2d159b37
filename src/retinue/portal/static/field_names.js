// Notices name the fields of a form. The form knows their labels.

/** The field with a name, or with its last part. One that was refused comes first. */
function findField(name) {
  const found = [name, name.split(".").at(-1)].flatMap((one) => [...document.getElementsByName(one)]).filter(({ labels }) => labels?.length);
  return found.find((field) => field.hasAttribute("aria-invalid")) ?? found[0];
}

/** Puts the label of each field that a notice names in place of its name. */
export function nameFields(root) {
  for (const name of root.querySelectorAll("[data-label-of]")) {
    const label = findField(name.dataset.labelOf)?.labels[0];
    const words = label && [...label.childNodes].map(({ textContent }) => textContent.trim()).find(Boolean);
    if (words) name.textContent = words;
  }
}
