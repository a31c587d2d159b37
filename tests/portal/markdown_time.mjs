// Measures the CPU time of rendering Markdown. Usage: node markdown_time.mjs ADDRESS_OF_MARKDOWN_JS <patterns.json
// Prints, for each pattern of the list, by how much four times as many repetitions take longer.
import { readFileSync } from "node:fs";

const SHORT = 20_000;
const node = () => ({ setAttribute() {}, append() {}, replaceChildren() {}, get lastElementChild() { return node(); } });
const html = { lang: "en" };
globalThis.navigator ??= { languages: [] };
globalThis.document = { createElement: node, createElementNS: node, head: node(), documentElement: html, getElementById: () => null };
const { showMarkdown } = await import(process.argv[2]);

function cost(text) {
  const best = [1, 2, 3].map(() => {
    const began = process.cpuUsage();
    showMarkdown(node(), text);
    const { user, system } = process.cpuUsage(began);
    return user + system;
  });
  return Math.min(...best);
}

const patterns = JSON.parse(readFileSync(0, "utf8"));
const repeated = ([start, piece, end], times) => start + piece.repeat(times) + end;
console.log(JSON.stringify(patterns.map((one) => cost(repeated(one, 4 * SHORT)) / Math.max(cost(repeated(one, SHORT)), 2000))));
