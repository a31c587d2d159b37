// What every page needs. Pages with more to do load a module of their own.
import { fillTimes } from "./times.js";
import { watchDialogs } from "./dialogs.js";
import { watchCopying } from "./copying.js";
import { watchLive } from "./live.js";
import { watchFrame } from "./frame.js";

watchFrame();
watchDialogs();
watchCopying();

/** Prepares what has just arrived in the page. */
function prepare(root) {
  fillTimes(root);
  watchLive(root);
}
prepare(document);
document.addEventListener("htmx:after:settle", () => prepare(document));
document.addEventListener("portal:swapped", (event) => prepare(event.target));
