// Colours for code: comments, strings, numbers and keywords of common languages, found by one expression each.
import { h } from "./dom.js";

const LONGEST = 50_000;
const SLASH = "\\/\\/[^\\n]*|\\/\\*[^]*?(?:\\*\\/|$)";
const STYLE = "\\/\\*[^]*?(?:\\*\\/|$)";
const HASH = "#[^\\n]*";
const DASH = "--[^\\n]*";
const MARKUP = "<!--[^]*?(?:-->|$)";
const NONE = "(?!)";
const COMMENTS = {
  python: HASH, py: HASH, bash: HASH, sh: HASH, shell: HASH, console: HASH, yaml: HASH, yml: HASH, toml: HASH, ruby: HASH, rb: HASH,
  dockerfile: HASH, makefile: HASH, r: HASH, perl: HASH, sql: DASH, lua: DASH, haskell: DASH, html: MARKUP, xml: MARKUP, svg: MARKUP,
  css: STYLE, json: NONE,
};
const PLAIN = new Set(["", "text", "txt", "plain", "markdown", "md", "diff", "csv"]);
const TRIPLE = `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
const STRINGS = `${TRIPLE}|"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?|\`(?:\\\\[^]|[^\`\\\\])*\`?`;
const KEYWORDS = new Set((
  "abstract and as assert async await begin bool boolean break case catch char class const continue def default defer del do double elif else "
  + "elsif end enum except export extends false False finally float fn for foreach from func function global go if impl implements import in "
  + "instanceof int interface is lambda let long match mod module mut namespace new nil None not null of or package pass private protected pub "
  + "public raise return self short static string struct super switch then this throw trait true True try type typeof undefined unless "
  + "unsafe until use using val var void when where while with yield echo fi done esac"
).split(" "));
const SQL_KEYWORDS = new Set((
  "select insert update delete create table into values join left right inner outer on group by order having limit set alter drop primary key null not and or as is in case when then else end distinct union all exists between like"
).split(" "));
const expressions = new Map();

function expressionFor(language) {
  if (!expressions.has(language)) {
    const comment = COMMENTS[language] ?? SLASH;
    expressions.set(language, new RegExp(`(${comment})|(${STRINGS})|(\\b\\d[\\w.]*)|([A-Za-z_$][\\w$]*)`, "g"));
  }
  return expressions.get(language);
}

function kindOf([, comment, string, number, word], after, language) {
  if (comment !== undefined) return "comment";
  if (string !== undefined) return language === "json" && /^\s*:/.test(after) ? "keyword" : "string";
  if (number !== undefined) return "number";
  const known = language === "sql" ? SQL_KEYWORDS.has(word.toLowerCase()) : KEYWORDS.has(word);
  return known ? "keyword" : undefined;
}

/** The code as text and coloured spans. */
export function highlight(code, name) {
  const language = name.toLowerCase();
  if (PLAIN.has(language) || code.length > LONGEST) return [code];
  const nodes = [];
  let done = 0;
  for (const match of code.matchAll(expressionFor(language))) {
    const end = match.index + match[0].length;
    const kind = kindOf(match, code.slice(end, end + 20), language);
    if (!kind) continue;
    nodes.push(code.slice(done, match.index), h("span", { class: `code-${kind}` }, match[0]));
    done = end;
  }
  nodes.push(code.slice(done));
  return nodes;
}
