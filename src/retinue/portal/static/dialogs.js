// Dialogs: data-open="#id" opens one, data-close closes it. A form with data-confirm asks before it is sent.
import { toast } from "./toast.js";
import { _ } from "./translation.js";

export function watchDialogs() {
  document.addEventListener("click", ({ target }) => {
    const opener = target.closest("[data-open]");
    if (opener) document.querySelector(opener.dataset.open).showModal();
    if (target.closest("[data-close]")) target.closest("dialog").close();
    if (target.nodeName === "DIALOG") target.close(); // a click beside it
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.confirm && !form.dataset.confirmed) {
      event.preventDefault();
      ask(form, event.submitter);
    } else if (form.method === "post" && !event.defaultPrevented) {
      // A second click must not send it again. The button's own name and value have to go with it, so disable it later.
      const button = event.submitter;
      setTimeout(() => { if (button) button.disabled = true; });
    }
  });
  // A page that comes back from the browser's cache has its buttons as they were left.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
  });
  const named = document.getElementById(location.hash.slice(1));
  (document.querySelector("dialog[data-show]") ?? (named?.nodeName === "DIALOG" ? named : null))?.showModal();
}

function ask(form, submitter) {
  const dialog = document.querySelector("#confirm");
  const action = form.getAttribute("action");
  const { confirm, confirmText, confirmAction } = form.dataset;
  dialog.querySelector("h2").textContent = confirm;
  dialog.querySelector("p").textContent = confirmText ?? "";
  const button = dialog.querySelector("[data-yes]");
  button.textContent = confirmAction ?? _("Delete");
  button.onclick = () => {
    dialog.close();
    // A live part may have given the form to another record meanwhile.
    if (!form.isConnected || form.getAttribute("action") !== action) {
      toast(_("The list has changed. Nothing was done. Try again."));
      return;
    }
    form.dataset.confirmed = "yes";
    form.requestSubmit(submitter?.form === form ? submitter : undefined);
    delete form.dataset.confirmed;
  };
  dialog.showModal();
}
