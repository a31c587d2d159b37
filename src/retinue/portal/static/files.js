// Uploads with their progress, one after the other: chosen or dropped. Without this script the form sends one file.
import { h } from "./dom.js";
import { toast } from "./toast.js";
import { _ } from "./translation.js";

const form = document.querySelector(".upload");
const chooser = form.querySelector("input[type=file]");
const shelf = form.querySelector(".uploads");
const button = form.querySelector("button");
chooser.multiple = true;

/** Sends a file; resolves to what is wrong, or to nothing. */
function send(file, progress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
    request.open("POST", `${form.getAttribute("action")}?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = ({ loaded, total }) => { progress.max = total || 1; progress.value = loaded; };
    request.onload = () => resolve(request.status === 201 ? "" : reason(request));
    request.onerror = () => resolve(_("The connection was interrupted. Choose the file again."));
    request.send(file);
  });
}

function reason(request) {
  if (request.status === 401) return _("Your session has ended. Reload the page to sign in again.");
  try {
    return JSON.parse(request.responseText).error.message;
  } catch {
    return _("The server responded with {status}. Try again in a moment.", { status: request.status });
  }
}

async function sendAll(files) {
  if (!files.length) return;
  if (button.disabled) return toast(_("Wait until the files are uploaded."));
  button.disabled = true;
  shelf.replaceChildren();
  let failed = 0;
  for (const file of files) {
    const progress = h("progress", { max: "1", value: "0", "aria-label": _("Upload of {name}", { name: file.name }) });
    const row = h("li", {}, h("span", {}, file.name), progress);
    shelf.append(row);
    const problem = await send(file, progress);
    if (problem) {
      failed += 1;
      progress.replaceWith(h("span", { class: "problem" }, problem));
    }
  }
  button.disabled = false;
  chooser.value = "";
  if (!failed) location.assign(location.pathname);
  else if (failed === 1) toast(_("1 of {count} files was not uploaded.", { count: files.length }));
  else toast(_("{failed} of {count} files were not uploaded.", { failed, count: files.length }));
}

form.addEventListener("submit", (event) => { event.preventDefault(); sendAll([...chooser.files]); });
form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
form.addEventListener("dragleave", () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  sendAll([...event.dataTransfer.files]);
});
