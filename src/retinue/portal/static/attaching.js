// Files that go with a message: uploaded as soon as they are chosen or dropped.
import { h, icon } from "./dom.js";
import { failure } from "./sse.js";
import { toast } from "./toast.js";

const MOST = 10;

async function upload(file) {
  const address = `/playground/files?name=${encodeURIComponent(file.name)}`;
  const headers = { "Content-Type": file.type || "application/octet-stream", Accept: "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: file });
  if (!response.ok) throw await failure(response);
  return (await response.json()).data;
}

export function watchFiles(form) {
  const chooser = form.querySelector("input[type=file]");
  const shelf = form.querySelector(".attached");
  const kept = new Map();
  let under = 0;

  async function add(file) {
    if (kept.size >= MOST) return toast(`A message can have at most ${MOST} files.`);
    const remove = h("button", { type: "button", "aria-label": `Remove ${file.name}` }, icon("x", 12));
    const row = h("li", { class: "tag", "aria-busy": "true" }, icon("paperclip", 12), file.name, remove);
    shelf.append(row);
    kept.set(row, { name: file.name });
    remove.onclick = () => { kept.delete(row); row.remove(); };
    under += 1;
    try {
      const { id } = await upload(file);
      if (kept.has(row)) kept.get(row).id = id;
    } catch (error) {
      remove.onclick();
      toast(`${file.name}: ${error.message}`);
    } finally {
      under -= 1;
      row.removeAttribute("aria-busy");
    }
  }

  const addAll = (files) => { for (const file of files) add(file); };
  form.querySelector(".attach").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => { addAll(chooser.files); chooser.value = ""; });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => { event.preventDefault(); addAll(event.dataTransfer.files); });
  return {
    ids: () => [...kept.values()].map((file) => file.id).filter(Boolean),
    names: () => [...kept.values()].map((file) => file.name),
    busy: () => { if (under) toast("Wait until the files are uploaded."); return under > 0; },
    clear: () => { kept.clear(); shelf.replaceChildren(); },
  };
}
