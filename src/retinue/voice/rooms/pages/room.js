"use strict";
const token = location.hash.slice(1);
const show = (text) => { document.getElementById("state").textContent = text; };
const [join, mute, leave, sound] = ["join", "mute", "leave", "sound"].map((id) => document.getElementById(id));
let connection = null;
let microphone = null;

async function gathered(peer) {
  if (peer.iceGatheringState === "complete") return;
  await new Promise((done) => {
    peer.addEventListener("icegatheringstatechange", () => peer.iceGatheringState === "complete" && done());
    setTimeout(done, 3000);
  });
}

async function enter() {
  microphone = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } });
  connection = new RTCPeerConnection();
  for (const track of microphone.getTracks()) connection.addTrack(track, microphone);
  connection.addEventListener("track", (event) => { sound.srcObject = new MediaStream([event.track]); });
  connection.addEventListener("connectionstatechange", () => {
    if (connection.connectionState === "connected") show("You are in the room.");
    if (["failed", "closed", "disconnected"].includes(connection.connectionState)) exit("You have left the room.");
  });
  await connection.setLocalDescription(await connection.createOffer());
  await gathered(connection);
  const response = await fetch(`${location.pathname}/whip`, {
    method: "POST",
    headers: { "Content-Type": "application/sdp", Authorization: `Bearer ${token}` },
    body: connection.localDescription.sdp,
  });
  if (!response.ok) throw new Error((await response.json()).error.message);
  await connection.setRemoteDescription({ type: "answer", sdp: await response.text() });
}

function exit(text) {
  if (connection) connection.close();
  if (microphone) microphone.getTracks().forEach((track) => track.stop());
  connection = microphone = null;
  [join.hidden, mute.hidden, leave.hidden] = [false, true, true];
  show(text);
}

join.addEventListener("click", async () => {
  join.hidden = true;
  show("Joining …");
  try {
    await enter();
    [mute.hidden, leave.hidden] = [false, false];
  } catch (error) {
    exit(error.message);
  }
});
mute.addEventListener("click", () => {
  const [track] = microphone.getAudioTracks();
  track.enabled = !track.enabled;
  mute.setAttribute("aria-pressed", String(!track.enabled));
  mute.textContent = track.enabled ? "Mute" : "Unmute";
});
leave.addEventListener("click", () => exit("You have left the room."));
if (!token) show("This link has no token. Ask for a new one: POST /voice/rooms/{id}/join gives it.");
