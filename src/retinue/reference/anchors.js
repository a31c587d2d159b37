// Leads addresses of the time when the reference was one page, such as /docs#create_agent, to the page of the resource.
function follow() {
  const anchor = decodeURIComponent(location.hash.slice(1));
  if (!anchor || document.getElementById(anchor)) return;
  const link = document.querySelector(`main a[href^="/docs/api/"][href$="#${CSS.escape(anchor)}"]`);
  if (link) location.replace(link.href);
}

addEventListener("hashchange", follow);
follow();
