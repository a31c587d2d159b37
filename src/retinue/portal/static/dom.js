// Building nodes. Text always goes in as text: nothing is ever parsed as HTML.
import { locale } from "./translation.js";

const SPRITE = new URL("icons.svg", import.meta.url).href;

/** An element with its class, attributes and children, some of which may be lists. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) node.append(child); // a call takes only so many arguments
  return node;
}

/** One of the icons. */
export function icon(name, size = 16) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("width", size);
  svg.setAttribute("height", size);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `${SPRITE}#${name}`);
  svg.append(use);
  return svg;
}

const seconds = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });

/** Milliseconds as people say them. */
export const took = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${seconds.format(ms / 1000)} s`);
