// Markdown of models as nodes: paragraphs, headings, lists, code, quotes, tables, emphasis and links.
// HTML in the text stays text, pictures are not loaded, and links lead to http, https and mailto alone.
import { h } from "./dom.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*([^\s*](?:.*?[^\s*])?)\*|!?\[([^\]]*)\]\(([^()\s]+(?:\([^()\s]*\))?)\)|(https?:\/\/[^\s<>)"']+[^\s<>)"'.,;:!?])/s;
const SAFE = /^(https?:|mailto:)/i;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const DEEPEST = 8;

function link(label, address) {
  if (!SAFE.test(address)) return label;
  return h("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, label);
}

function inline(text, depth = 0) {
  const nodes = [];
  let rest = text;
  for (let match; depth < DEEPEST && (match = INLINE.exec(rest)); rest = rest.slice(match.index + match[0].length)) {
    const [, , code, strong, strong2, em, label, address, bare] = match;
    if (match.index) nodes.push(rest.slice(0, match.index));
    if (code !== undefined) nodes.push(h("code", {}, code.trim() || code));
    else if (strong ?? strong2) nodes.push(h("b", {}, ...inline(strong ?? strong2, depth + 1)));
    else if (em) nodes.push(h("em", {}, ...inline(em, depth + 1)));
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
  const end = source.findIndex((line) => line.trim().startsWith(mark));
  const body = source.splice(0, end < 0 ? source.length : end + 1);
  if (end >= 0) body.pop();
  return h("pre", { tabindex: 0 }, h("code", {}, body.join("\n")));
}

function list(source) {
  const [, indent, bullet] = ITEM.exec(source[0]);
  const ordered = /\d/.test(bullet);
  const node = h(ordered ? "ol" : "ul", ordered && parseInt(bullet) !== 1 ? { start: parseInt(bullet) } : {});
  while (source.length) {
    const match = ITEM.exec(source[0]);
    if (match && match[1].length === indent.length && /\d/.test(match[2]) === ordered) {
      source.shift();
      node.append(h("li", {}, ...inline(match[3])));
    } else if (match && match[1].length > indent.length) {
      node.lastElementChild.append(list(source));
    } else if (!match && /^\s+\S/.test(source[0]) && node.lastElementChild) {
      node.lastElementChild.append(" ", ...inline(source.shift().trim()));
    } else break;
  }
  return node;
}

const cells = (row) => row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(source) {
  const head = cells(source.shift());
  source.shift();
  const body = h("tbody");
  while (source.length && source[0].includes("|")) {
    body.append(h("tr", {}, ...cells(source.shift()).map((cell) => h("td", {}, ...inline(cell)))));
  }
  return h("table", {}, h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, ...inline(cell))))), body);
}

function paragraph(source) {
  const taken = [];
  while (source.length && source[0].trim() && !/^\s*(```|~~~|#{1,6}\s|>)/.test(source[0]) && !(taken.length && ITEM.test(source[0]))) {
    taken.push(source.shift().trim());
  }
  return h("p", {}, ...lines(taken.length ? taken : [source.shift()]));
}

/** The text as nodes. */
export function markdown(text) {
  const source = text.replace(/\r\n?/g, "\n").split("\n");
  const nodes = [];
  while (source.length) {
    const line = source[0];
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (!line.trim()) source.shift();
    else if (mark) { source.shift(); nodes.push(fence(source, mark)); }
    else if (heading) { source.shift(); nodes.push(h("p", { class: "heading" }, h("b", {}, ...inline(heading[2])))); }
    else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) { source.shift(); nodes.push(h("hr")); }
    else if (line.startsWith(">")) {
      const quoted = [];
      while (source.length && source[0].startsWith(">")) quoted.push(source.shift().replace(/^>\s?/, ""));
      nodes.push(h("blockquote", {}, ...lines(quoted)));
    }
    else if (ITEM.test(line)) nodes.push(list(source));
    else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(source[1] ?? "")) nodes.push(table(source));
    else nodes.push(paragraph(source));
  }
  return nodes;
}

/** Renders the elements that hold Markdown as their text. */
export function renderMarkdown(root) {
  for (const element of root.querySelectorAll("[data-markdown]")) {
    element.replaceChildren(...markdown(element.textContent));
    element.removeAttribute("data-markdown");
  }
}
