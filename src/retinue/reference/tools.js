// The tool catalogue: results while one types, and the form that tries a tool. The key stays in this tab.
const BASE = "/api/v1";
const MOST_SHOWN = 200_000;
const at = (id) => document.getElementById(id);

function watchSearch() {
  const field = at("search"), found = at("found"), count = at("count");
  if (!field || !found) return;
  const before = found.innerHTML;
  let timer, asked = 0;
  const show = async () => {
    const text = field.value.trim(), number = ++asked;
    if (!text) { found.innerHTML = before; count.textContent = ""; return; }
    const answer = await fetch("/docs/tools?" + new URLSearchParams({ search: text }));
    if (!answer.ok || number !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number !== asked) return;
    found.replaceChildren(...page.getElementById("found").childNodes);
    count.textContent = page.getElementById("count").textContent;
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 150); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); field.focus(); }
  });
}

async function call(method, path, options = {}) {
  const key = at("key").value.trim();
  if (!key) { at("key").focus(); throw new Error("Enter an API key first: create one with retinue keys create --user EMAIL."); }
  const answer = await fetch(BASE + path, {
    method, ...options, credentials: "omit", headers: { Authorization: "Bearer " + key, ...options.headers },
  });
  if (answer.ok) return answer;
  const { error } = await answer.json();
  throw new Error(`${error.status} ${error.code}: ${error.message}`);
}

function tell(text, bad = false) {
  at("told").textContent = text;
  at("told").classList.toggle("bad", bad);
}

async function attempt(work) {
  at("run").disabled = true;
  at("run").setAttribute("aria-busy", "true");
  try { await work(); } catch (error) { at("result").hidden = true; tell(error.message, true); }
  at("run").disabled = false;
  at("run").removeAttribute("aria-busy");
}

async function run() {
  let args;
  at("saves").replaceChildren();
  try { args = JSON.parse(at("args").value); } catch (error) { throw new Error("The arguments are not JSON: " + error.message); }
  tell("Running…");
  const began = performance.now();
  const answer = await call("POST", `/tools/${at("try").dataset.tool}/execute`, {
    headers: { "Content-Type": "application/json" }, body: JSON.stringify({ args }),
  });
  const { data } = await answer.json();
  const took = Math.round(performance.now() - began);
  const text = JSON.stringify(data.result, null, 2);
  tell(`Done in ${data.execution_time_ms} ms, ${took} ms with the way there and back. Credits: ${data.credits_used}.`);
  at("result").textContent = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) + "\n…" : text;
  at("result").hidden = false;
  const sent = at("args").value;
  const made = new Set([...text.matchAll(/file_[0-9a-z]{26}/g)].map(([id]) => id).filter((id) => !sent.includes(id)));
  for (const id of made) addSave(id);
}

function addSave(id) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Save " + id;
  button.addEventListener("click", () => attempt(() => save(id)));
  at("saves").append(button);
}

async function save(id) {
  const { data } = await (await call("GET", `/files/${id}`)).json();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await call("GET", `/files/${id}/content`)).blob());
  link.download = data.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function upload(file) {
  const body = new FormData();
  body.append("file", file);
  const { data } = await (await call("POST", "/files", { body })).json();
  at("args").value = at("args").value.replace(/file_[0-9a-z]{26}/, data.id);
  tell(`Uploaded as ${data.id}.`);
}

function watchTrial() {
  if (!at("try")) return;
  at("try").hidden = false;
  at("key").value = sessionStorage.getItem("retinue-key") ?? "";
  at("key").addEventListener("input", () => sessionStorage.setItem("retinue-key", at("key").value.trim()));
  at("run").addEventListener("click", () => attempt(run));
  at("args").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(run);
  });
  at("file")?.addEventListener("change", () => attempt(() => upload(at("file").files[0])));
}

watchSearch();
watchTrial();
