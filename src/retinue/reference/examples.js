// Puts a test key into the examples. The key stays in this tab: in its session storage, and nowhere else.
const STORED = "retinue-reference-key";
const PLACES = [
  ["$RETINUE_KEY", (key) => key],
  ["Retinue(base_url=", (key) => `Retinue(api_key='${key}', base_url=`],
  ["Retinue({ baseUrl:", (key) => `Retinue({ apiKey: '${key}', baseUrl:`],
]; // What stands for a key in curl, Python and JavaScript, and what it becomes.
const bar = document.getElementById("key-bar");
const told = document.getElementById("key-told");
const make = document.getElementById("key-make");
const forget = document.getElementById("key-forget");

function kept() {
  try { return sessionStorage.getItem(STORED) || ""; } catch { return ""; }
}

function keep(key) {
  try { if (key) sessionStorage.setItem(STORED, key); else sessionStorage.removeItem(STORED); } catch { /* this page alone */ }
}

function replaceText(from, to) {
  for (const block of document.querySelectorAll("pre")) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) walker.currentNode.data = walker.currentNode.data.replaceAll(from, to);
  }
}

function show(key) {
  make.hidden = Boolean(key);
  forget.hidden = !key;
  if (key) {
    for (const [place, filled] of PLACES) replaceText(place, filled(key));
    told.textContent = `The examples use the test key ${key.slice(0, 16)}…, which works in the sandbox for a day. It stays in this tab.`;
  }
}

async function makeKey() {
  make.disabled = true;
  try {
    const answer = await fetch("/keys/reference", { method: "POST", credentials: "same-origin" });
    if (answer.status === 401) {
      const link = document.createElement("a");
      link.href = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
      link.textContent = "Sign in";
      told.replaceChildren(link, " first: the key is created for your user.");
      return;
    }
    const { data, error } = await answer.json();
    if (error) throw new Error(error.message);
    keep(data.key);
    show(data.key);
  } catch (error) {
    told.textContent = error.message;
  } finally {
    make.disabled = false;
  }
}

make.addEventListener("click", makeKey);
forget.addEventListener("click", () => {
  const key = kept();
  keep("");
  if (key) for (const [place, filled] of PLACES.toReversed()) replaceText(filled(key), place);
  show("");
  told.textContent = "The examples use the variable again. The key works until it expires or you revoke it.";
});
bar.hidden = false;
show(kept());
