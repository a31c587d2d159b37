// The reader's own time zone in a new form.
const zone = document.querySelector("[data-own-zone]");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && [...document.querySelectorAll("#zones option")].some(({ value }) => value === own)) zone.value = own;
