// The connection to the room: the browser's microphone by WebRTC, with one offer and one answer (WHIP, RFC 9725).
import { _ } from "./translation.js";

const GATHER_MS = 3000;

/** A refusal that says whether it is worth waiting for. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Asks the server something about this room. */
async function ask(path, token, options = {}) {
  let response;
  try {
    const headers = { Authorization: `Bearer ${token}`, ...options.headers };
    response = await fetch(`${location.pathname}/${path}`, { ...options, headers });
  } catch {
    throw new Refused(_("The server cannot be reached. Check your connection, then try again."), 0);
  }
  if (response.ok) return response;
  const text = await response.json().then((body) => body.error.message, () => _("The server responded with {status}.", { status: response.status }));
  throw new Refused(response.status === 401 ? _("This link is no longer valid. Ask for a new one.") : text, response.status);
}

/** The room, who is in it, and whether voice is ready. Once inside, `participant` shows it after the link has expired. */
export const look = async (token, participant) =>
  (await ask(`state${participant ? `?participant=${participant}` : ""}`, token)).json();

/** The microphone, or an error that says what to do. */
export async function microphone() {
  if (!navigator.mediaDevices) {
    throw new Error(_("Browsers only allow the microphone on HTTPS pages. Open this page with https://."));
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } });
  } catch (error) {
    throw new Error(MICROPHONE[error.name] ?? _("The microphone cannot be used: {problem}", { problem: error.message }));
  }
}

const MICROPHONE = {
  NotAllowedError: _("The browser blocks the microphone on this page. Allow it next to the page's address, then join again."),
  NotFoundError: _("No microphone was found. Plug one in, then join again."),
  NotReadableError: _("The microphone is in use by another program. Close that, then join again."),
};

/** Connects: returns the connection and the participant's id. `changed` hears of its state, `heard` gets the room's sound. */
export async function connect(token, stream, iceServers, changed, heard) {
  const peer = new RTCPeerConnection({ iceServers });
  for (const track of stream.getTracks()) peer.addTrack(track, stream);
  peer.addEventListener("track", (event) => heard(new MediaStream([event.track])));
  peer.addEventListener("connectionstatechange", () => changed(peer.connectionState));
  try {
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    const headers = { "Content-Type": "application/sdp" };
    const answer = await ask("whip", token, { method: "POST", headers, body: peer.localDescription.sdp });
    const participant = answer.headers.get("Location").split("/").pop();
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    return [peer, participant];
  } catch (error) {
    peer.close();
    throw error;
  }
}

async function gathered(peer) {
  if (peer.iceGatheringState === "complete") return;
  await new Promise((done) => {
    peer.addEventListener("icegatheringstatechange", () => peer.iceGatheringState === "complete" && done());
    setTimeout(done, GATHER_MS);
  });
}
