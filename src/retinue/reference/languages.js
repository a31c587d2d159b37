// Shows the examples in one language at a time, the same on all pages, and copies them.
const LANGUAGE = "retinue-reference-language";
const LABELS = { curl: "curl", python: "Python", javascript: "JavaScript" };

function storedLanguage() {
  try { return localStorage.getItem(LANGUAGE) || "curl"; } catch { return "curl"; }
}

function choose(language) {
  document.documentElement.dataset.language = language;
  for (const button of document.querySelectorAll(".tabs [data-choose]")) {
    button.setAttribute("aria-pressed", String(button.dataset.choose === language));
  }
}

function newButton(label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", () => action(button));
  return button;
}

// The chosen button stays where it is on the screen, although examples above it change their height.
function chooseAt(button) {
  const before = button.getBoundingClientRect().top;
  choose(button.dataset.choose);
  scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
  try { localStorage.setItem(LANGUAGE, button.dataset.choose); } catch { /* this page alone */ }
}

async function copy(group, button) {
  const shown = [...group.querySelectorAll("figure")].find((figure) => figure.offsetParent !== null);
  await navigator.clipboard.writeText(shown.querySelector("pre").textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

for (const group of document.querySelectorAll(".languages")) {
  const tabs = document.createElement("div");
  tabs.className = "tabs";
  tabs.setAttribute("role", "group");
  tabs.setAttribute("aria-label", "Language of the example");
  for (const [language, label] of Object.entries(LABELS)) {
    const button = newButton(label, chooseAt);
    button.dataset.choose = language;
    tabs.append(button);
  }
  if (navigator.clipboard) {
    const button = newButton("Copy", () => copy(group, button));
    button.className = "copy";
    tabs.append(button);
  }
  group.prepend(tabs);
}
choose(storedLanguage());
