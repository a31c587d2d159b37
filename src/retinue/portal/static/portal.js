// What every page needs. Pages with more to do load a module of their own.
import { fillTimes } from "./times.js";
import { watchDialogs } from "./dialogs.js";
import { watchCopying } from "./copying.js";
import { watchLive } from "./live.js";
import { toast } from "./toast.js";
import { watchFrame } from "./frame.js";
import { watchPalette } from "./palette.js";
import { watchModelPickers } from "./modelpicker.js";
import { watchPickers } from "./pickers.js";
import { linkFiles } from "./filelinks.js";
import { nameFields } from "./field_names.js";
import { renderMarkdown } from "./markdown.js";
import { _ } from "./translation.js";

watchFrame();
watchDialogs();
watchCopying();
watchPickers();
watchModelPickers();
watchPalette();

/** Prepares what has just arrived in the page. */
function prepare(root) {
  fillTimes(root);
  renderMarkdown(root);
  linkFiles(root);
  nameFields(root);
  watchLive(root);
}
prepare(document);
document.addEventListener("htmx:after:swap", () => prepare(document));
document.addEventListener("htmx:error", () => toast(_("The server did not answer. Check the connection and try again.")));
document.addEventListener("portal:swapped", (event) => prepare(event.target));

/** Searches for text that was typed while the scripts were still loading. */
function searchTyped() {
  for (const input of document.querySelectorAll("input[type=search]")) {
    if (input.value !== input.defaultValue) input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
setTimeout(searchTyped); // htmx starts with a timeout of its own, set before this one.
