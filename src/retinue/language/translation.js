// The words of scripts in the language of the page. A page in English has no catalogue: messages are English.
const catalogue = JSON.parse(document.getElementById("script-messages")?.textContent ?? "{}");

/** A message in the language of the page. `{name}` in it is replaced by a value. */
export function _(message, values = {}) {
  const words = catalogue[message] ?? message;
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A message whose `{name}`s are nodes, as a list of texts and nodes. */
export function withNodes(words, nodes) {
  return words.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? nodes[part] : part));
}

/** The reader's locale if it has the language of the page, such as en-GB, else that language. */
export const locale = navigator.languages.find((one) => one.split("-")[0] === document.documentElement.lang) ?? document.documentElement.lang;
