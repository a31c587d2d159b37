import { _ } from "./translation.js";

/** Sends a POST. Without a connection, the error is in the language of the page, unlike that of `fetch`. */
export async function post(url, options) {
  try {
    return await fetch(url, { method: "POST", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(_("The server cannot be reached. Check your connection, then try again."));
  }
}

// Reads a streamed POST: yields the JSON of each event, up to `[DONE]`. `onAnswer` gets the response's headers.
export async function* events(url, body, signal, onAnswer) {
  const response = await post(url, {
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(body),
    signal,
  });
  onAnswer(response.headers);
  if (!response.ok) throw await failure(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      if (error.name === "AbortError") throw error;
      return { done: true };
    });
    if (done) throw new Error(_("The connection ended before the reply was complete. Send the message again."));
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      if (line === "data: [DONE]") return;
      yield JSON.parse(line.slice(6));
    }
  }
}

/** What a refusal says. */
export async function failure(response) {
  if (response.status === 401) return new Error(_("Your session has ended. Reload the page to sign in again."));
  try {
    return new Error((await response.json()).error.message);
  } catch {
    return new Error(_("The server responded with status {status}. Try again.", { status: response.status }));
  }
}
