// Markdown of models as nodes: paragraphs, headings, lists, code, quotes, tables, emphasis and links.
// HTML in the text stays text, pictures are not loaded, and links lead to http, https, mailto and pages of this server alone.
import { h, icon } from "./dom.js";
import { highlight } from "./highlight.js";
import { formula, isFormula } from "./math.js";
import { _ } from "./translation.js";

// Every repetition has a limit, so that a long text without a closing mark costs time in proportion to its length.
const INLINE = /(`{1,20})(.{1,1000}?)\1|\*\*(.{1,1000}?)\*\*|__(.{1,1000}?)__|\*([^\s*](?:.{0,1000}?[^\s*])?)\*|!?\[([^[\]]{0,1000})\]\(([^()\s]{1,2000}(?:\([^()\s]{0,1000}\))?)\)|~~(.{1,1000}?)~~|\$\$(.{1,1000}?)\$\$|\\\[(.{1,1000}?)\\\]|\\\((.{1,1000}?)\\\)|(?<![\w$\\])\$([^\s$](?:[^$\n]{0,500}[^\s$\\])?)\$(?![\w$])|(https?:\/\/(?:[^\s<>()"']|\([^\s<>()"']{0,1000}\)){1,2000}(?<![.,;:!?]))/s;
const SAFE = /^(https?:|mailto:)/i;
const OWN_PAGE = /^\/(?![/\\])[\w\-./?=&#%]*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/s;
const COLUMNS = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;
const DEEPEST = 8;

function link(label, address) {
  if (OWN_PAGE.test(address)) return h("a", { href: address }, label);
  if (!SAFE.test(address)) return label;
  return h("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, label);
}

function inline(text, depth = 0) {
  const nodes = [];
  let rest = text;
  for (let match; depth < DEEPEST && (match = INLINE.exec(rest)); rest = rest.slice(match.index + match[0].length)) {
    const [, , code, strong, strong2, em, label, address, struck, dollars2, squared, round, dollars, bare] = match;
    if (match.index) nodes.push(rest.slice(0, match.index));
    if (code !== undefined) nodes.push(h("code", {}, code.trim() || code));
    else if (strong ?? strong2) nodes.push(h("b", {}, inline(strong ?? strong2, depth + 1)));
    else if (em) nodes.push(h("em", {}, inline(em, depth + 1)));
    else if (struck) nodes.push(h("del", {}, inline(struck, depth + 1)));
    else if (dollars2 ?? squared) nodes.push(formula(dollars2 ?? squared, true));
    else if (round) nodes.push(formula(round, false));
    else if (dollars) nodes.push(isFormula(dollars) ? formula(dollars, false) : match[0]);
    else if (address) nodes.push(link(label || address, address));
    else nodes.push(link(bare, bare));
  }
  if (rest) nodes.push(rest);
  return nodes;
}

function lines(texts) {
  return texts.flatMap((text, at) => (at ? [h("br"), ...inline(text)] : inline(text)));
}

function fence(source, mark) {
  const language = /^\s*(?:```|~~~)\s*([\w+#-]{0,30})/.exec(source.pop())?.[1] ?? "";
  const body = [];
  while (source.length && !source.at(-1).trim().startsWith(mark)) body.push(source.pop());
  source.pop();
  const copy = h("button", { type: "button", class: "ghost small", "data-copy-code": true }, icon("copy", 13), _("Copy"));
  const code = h("code", {}, highlight(body.join("\n"), language));
  return h("div", { class: "code-block" }, h("div", { class: "code-head" }, h("span", {}, language || _("code")), copy), h("pre", { tabindex: 0 }, code));
}

/** An item of a list. One that begins with [ ] or [x] is a task. */
function item(text) {
  const task = /^\[([ xX])\]\s+(.*)$/s.exec(text);
  if (!task) return h("li", {}, inline(text));
  const done = task[1] !== " ";
  return h("li", { class: "task" }, h("input", { type: "checkbox", disabled: true, checked: done, "aria-label": done ? _("Done") : _("Open") }), inline(task[2]));
}

function list(source) {
  const [, indent, bullet] = ITEM.exec(source.at(-1));
  const ordered = /\d/.test(bullet);
  const node = h(ordered ? "ol" : "ul", ordered && parseInt(bullet) !== 1 ? { start: parseInt(bullet) } : {});
  while (source.length) {
    const match = ITEM.exec(source.at(-1));
    if (match && match[1].length === indent.length && /\d/.test(match[2]) === ordered) {
      source.pop();
      node.append(item(match[3]));
    } else if (match && match[1].length > indent.length) {
      node.lastElementChild.append(list(source));
    } else if (!match && /^\s+\S/.test(source.at(-1)) && node.lastElementChild) {
      for (const part of [" ", ...inline(source.pop().trim())]) node.lastElementChild.append(part);
    } else break;
  }
  return node;
}

const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(source) {
  const head = cells(source.pop());
  const sides = cells(source.pop()).map((rule) => (/^:-+:$/.test(rule) ? "center" : /-:$/.test(rule) ? "right" : undefined));
  const body = h("tbody");
  while (source.length && source.at(-1).includes("|")) {
    body.append(h("tr", {}, cells(source.pop()).map((cell, at) => h("td", { class: sides[at] }, inline(cell)))));
  }
  return h("table", {}, h("thead", {}, h("tr", {}, head.map((cell, at) => h("th", { scope: "col", class: sides[at] }, inline(cell))))), body);
}

/** Lines from `$$` or `\[` to the closing mark. Without one, the lines are text. */
function block(source, close) {
  const taken = [];
  let ended = false;
  while (source.length && !ended && (source.at(-1).trim() || !taken.length)) {
    taken.push(source.pop());
    const line = taken.at(-1).trim();
    ended = line.endsWith(close) && (taken.length > 1 || line.length >= 2 + close.length);
  }
  const text = taken.join("\n").trim();
  return ended ? formula(text.slice(2, -2), true) : h("p", {}, lines(taken));
}

function paragraph(source) {
  const taken = [];
  while (source.length && source.at(-1).trim() && !/^\s*(```|~~~|\$\$|\\\[|#{1,6}\s|>)/.test(source.at(-1)) && !(taken.length && ITEM.test(source.at(-1)))) {
    taken.push(source.pop().trim());
  }
  return h("p", {}, lines(taken.length ? taken : [source.pop()]));
}

function unmarked(heading) {
  let end = heading.trimEnd().length;
  while (heading[end - 1] === "#") end -= 1;
  return heading.slice(0, end).trimEnd();
}

const sources = new WeakMap();

/** The Markdown that an element shows. */
export const sourceOf = (element) => sources.get(element) ?? element.textContent;

/** Shows the text in an element. */
export function showMarkdown(element, text) {
  sources.set(element, text);
  element.replaceChildren();
  for (const node of markdown(text)) element.append(node);
}

function markdown(text) {
  const source = text.replace(/\r\n?/g, "\n").split("\n").reverse(); // lines are taken from the end, which is cheap
  const nodes = [];
  while (source.length) {
    const line = source.at(-1);
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    const heading = /^(#{1,6})\s+(.*)$/s.exec(line);
    const formulaMark = /^\s*(\$\$|\\\[)/.exec(line)?.[1];
    if (!line.trim()) source.pop();
    else if (mark) nodes.push(fence(source, mark));
    else if (formulaMark) nodes.push(block(source, formulaMark === "$$" ? "$$" : "\\]"));
    else if (heading) { source.pop(); nodes.push(h("p", { class: `heading level-${heading[1].length}` }, h("b", {}, inline(unmarked(heading[2]))))); }
    else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) { source.pop(); nodes.push(h("hr")); }
    else if (line.startsWith(">")) {
      const quoted = [];
      while (source.length && source.at(-1).startsWith(">")) quoted.push(source.pop().replace(/^>\s?/, ""));
      nodes.push(h("blockquote", {}, lines(quoted)));
    }
    else if (ITEM.test(line)) nodes.push(list(source));
    else if (line.includes("|") && COLUMNS.test((source.at(-2) ?? "").trim())) nodes.push(table(source));
    else nodes.push(paragraph(source));
  }
  return nodes;
}

/** Renders the elements that hold Markdown as their text. */
export function renderMarkdown(root) {
  for (const element of root.querySelectorAll("[data-markdown]")) {
    showMarkdown(element, element.textContent);
    element.removeAttribute("data-markdown");
  }
}
