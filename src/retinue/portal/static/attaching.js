// Files that go with a message: uploaded as soon as they are chosen or dropped.
import { h, icon } from "./dom.js";
import { failure, post } from "./sse.js";
import { toast } from "./toast.js";
import { _ } from "./translation.js";

const MOST = 10;
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The files of a message: pictures as such, others by their names. */
export function previews(files) {
  const shown = files.map(({ id, name, media_type: type }) => {
    const address = `/files/${id}/view`;
    if (PICTURES.has(type)) return h("li", {}, h("a", { href: address, target: "_blank" }, h("img", { src: address, alt: name })));
    return h("li", { class: "file" }, icon("file-text", 14), h("a", { href: address, target: "_blank" }, name));
  });
  return shown.length ? [h("ul", { class: "previews" }, shown)] : [];
}

async function upload(file) {
  const address = `/playground/files?name=${encodeURIComponent(file.name)}`;
  const headers = { "Content-Type": file.type || "application/octet-stream", Accept: "application/json" };
  const response = await post(address, { headers, body: file });
  if (!response.ok) throw await failure(response);
  return (await response.json()).data;
}

export function watchFiles(form) {
  const chooser = form.querySelector("input[type=file]");
  const shelf = form.querySelector(".attached");
  const kept = new Map();
  let under = 0;

  async function add(file) {
    if (kept.size >= MOST) return toast(_("A message can have at most {number} files.", { number: MOST }));
    const remove = h("button", { type: "button", "aria-label": _("Remove {name}", { name: file.name }) }, icon("x", 12));
    const row = h("li", { class: "file", "aria-busy": "true" }, icon("file-text", 14), file.name, remove);
    shelf.append(row);
    kept.set(row, {});
    remove.onclick = () => { kept.delete(row); row.remove(); };
    under += 1;
    try {
      const { id, name, media_type } = await upload(file);
      if (kept.has(row)) kept.set(row, { id, name, media_type });
      if (PICTURES.has(media_type)) row.firstElementChild.replaceWith(h("img", { src: `/files/${id}/view`, alt: "" }));
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
  form.elements.message.addEventListener("paste", (event) => {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    addAll(event.clipboardData.files);
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => { event.preventDefault(); addAll(event.dataTransfer.files); });
  return {
    ids: () => [...kept.values()].map((file) => file.id).filter(Boolean),
    all: () => [...kept.values()].filter(({ id }) => id),
    busy: () => { if (under) toast(_("Wait until the files are uploaded.")); return under > 0; },
    clear: () => { kept.clear(); shelf.replaceChildren(); },
  };
}
