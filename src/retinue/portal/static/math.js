// Formulas as MathML. The renderer is loaded with the first formula, so that pages without one stay small.
import { h } from "./dom.js";

const RENDERER = new URL("vendor/temml-0.13.5.min.js", import.meta.url).href;
const OPTIONS = { throwOnError: false, errorColor: "currentColor", maxExpand: 200, trust: false };
const waiting = new Set();
const drawn = new Map(); // A reply is drawn again with each new word.
let script;

/** Text between dollars that is no price: it has an operator, or is one symbol or number. */
export const isFormula = (text) => /[\\^_={}<>+*/|]|^\w'?$/.test(text);

/** A formula in TeX. Until the renderer is there, it shows its source. */
export function formula(source, display) {
  const node = h("span", { class: display ? "math display" : "math" }, source.trim());
  if (globalThis.temml) show(node, source, display);
  else load(() => show(node, source, display));
  return node;
}

function show(node, source, display) {
  const key = `${display} ${source}`;
  if (!drawn.has(key)) {
    const math = h("span");
    globalThis.temml.render(source, math, { ...OPTIONS, displayMode: display });
    drawn.set(key, math);
  }
  node.replaceChildren(...drawn.get(key).cloneNode(true).childNodes);
}

function load(then) {
  waiting.add(then);
  if (script) return;
  script = h("script", { src: RENDERER });
  script.onload = () => {
    for (const one of waiting) one();
    waiting.clear();
  };
  document.head.append(script);
}
