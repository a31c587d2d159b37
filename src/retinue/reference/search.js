// Searches operations and guides. The index is loaded once, when the search is opened; the server sees no query.
const MOST_HITS = 20;
const TITLE = 12, NOTE = 5, BODY = 1; // What a word counts where it is found.
const dialog = document.getElementById("search-dialog");
const query = document.getElementById("search-query");
const hits = document.getElementById("search-hits");
const count = document.getElementById("search-count");
let index;

function tokens(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

// Whole words count more than beginnings of words.
function score(words, searched) {
  return words.reduce((best, word) => Math.max(best, word === searched ? 2 : word.startsWith(searched) ? 1 : 0), 0);
}

// An entry is found if it has every searched word.
function weigh(entry, searched) {
  const weights = searched.map((word) => TITLE * score(entry.title, word) + NOTE * score(entry.note, word) + BODY * score(entry.words, word));
  return weights.includes(0) ? 0 : weights.reduce((sum, weight) => sum + weight, 0) - entry.title.length / 100;
}

function find(text) {
  const searched = tokens(text);
  const found = index.map((entry) => ({ ...entry.shown, weight: weigh(entry, searched) })).filter(({ weight }) => weight > 0);
  return found.sort((one, other) => other.weight - one.weight).slice(0, MOST_HITS);
}

function newHit({ title, note, href }) {
  const link = document.createElement("a");
  const [strong, small] = [document.createElement("span"), document.createElement("small")];
  link.href = href;
  strong.textContent = title;
  small.textContent = note;
  link.append(strong, small);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function show() {
  const text = query.value.trim();
  if (!index) return;
  const found = text ? find(text) : [];
  hits.replaceChildren(...found.map(newHit));
  if (text) hits.append(newHit({ title: `Search the tools for “${text}”`, note: "Tool catalogue", href: "/docs/tools?" + new URLSearchParams({ search: text }) }));
  count.textContent = !text ? "" : found.length ? `${found.length} result${found.length === 1 ? "" : "s"}` : "Nothing was found. Try fewer or other words.";
}

async function load() {
  const answer = await fetch("/docs/search.json");
  if (!answer.ok) throw new Error("The index could not be loaded. Try again later.");
  index = (await answer.json()).map(([title, note, href, words]) => (
    { title: tokens(title), note: tokens(note), words: tokens(words), shown: { title, note, href } }));
}

async function open() {
  if (dialog.open) return;
  dialog.showModal();
  query.select();
  try { if (!index) await load(); show(); } catch (error) { count.textContent = error.message; }
}

function move(event) {
  const links = [...hits.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
  else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : query).focus();
  else if (event.key === "Enter" && at < 0) links[0]?.click();
  else return;
  event.preventDefault();
}

query.addEventListener("input", show);
dialog.addEventListener("keydown", move);
dialog.addEventListener("click", (event) => { if (event.target === dialog || event.target.closest("a")) dialog.close(); });
document.getElementById("search-open").addEventListener("click", open);
document.getElementById("search-open").hidden = false;
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  const taken = document.getElementById("search"); // The tool catalogue has a field of its own.
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing || taken) return;
  event.preventDefault();
  open();
});
document.querySelector(".wide [aria-current]")?.scrollIntoView({ block: "nearest" });
