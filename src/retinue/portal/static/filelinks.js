// Ids of files in what a model wrote become links, with the name of the file if the page shows it.
import { h } from "./dom.js";

const FILE_ID = /\bfile_[0-9a-z]{26}\b/;

function link(id) {
  const shown = document.querySelector(`[data-file="${id}"]`);
  const name = shown?.querySelector("img")?.alt ?? shown?.textContent.trim();
  return h("a", { href: `/files/${id}/view`, target: "_blank" }, name || id);
}

/** Links the files that the texts within `root` name. */
export function linkFiles(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    FILE_ID.test(node.data) && node.parentElement.closest(".prose") ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
  for (let text = texts.nextNode(), next; text; text = next) {
    const id = FILE_ID.exec(text.data);
    const rest = text.splitText(id.index);
    rest.deleteData(0, id[0].length);
    if (text.parentElement.closest("a")) text.after(id[0]);
    else text.after(link(id[0]));
    next = FILE_ID.test(rest.data) ? rest : (texts.currentNode = rest, texts.nextNode());
  }
}
