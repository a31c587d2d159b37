// The words of scripts in the language of the page. A page in English has no catalogue: messages are English.
const element = document.querySelector("script#messages");
const catalogue = JSON.parse(element?.textContent ?? "{}");
element?.remove(); // Pages with a chat have another element of this id.

/** A message in the language of the page. `{name}` in it is replaced by a value. */
export function _(message, values = {}) {
  const words = catalogue[message] ?? message;
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The reader's locale if it has the language of the page, such as en-GB, else that language. */
export const locale = navigator.languages.find((one) => one.split("-")[0] === document.documentElement.lang) ?? document.documentElement.lang;
