// The page that joins a room. Its address has the token after `#`, which no server sees.
import { connect, look, microphone } from "./line.js";
import { watchLevels } from "./levels.js";
import { _ } from "./translation.js";

const LOOK_MS = 3000;
const RECONNECT_MS = 10_000;
const ids = ["name", "state", "progress", "levels", "level", "speaking", "join", "mute", "leave", "there", "people", "sound"];
const page = Object.fromEntries(ids.map((id) => [id, document.getElementById(id)]));
const token = location.hash.slice(1);
let peer = null;
let stream = null;
let levels = null;
let participant = null;
let deadline = null; // the timer that gives up a connection that does not recover
let visit = 0; // counts joins: what belongs to an earlier one is dropped

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function say(text, bad = false) {
  if (page.state.textContent !== text) page.state.textContent = text;
  page.state.classList.toggle("bad", bad);
}

/** Shows the room as the server has it. */
function show(room) {
  document.title = `${room.name} · ${_("Voice room")}`;
  page.name.textContent = room.name;
  page.there.hidden = room.status === "closed";
  const lines = room.participants.map((one) => {
    const line = document.createElement("li");
    const note = document.createElement("small");
    line.append(one.name, note);
    note.textContent = String(one.id) === participant ? _("you") : one.kind === "phone" ? _("by telephone") : "";
    return line;
  });
  if (!lines.length) lines.push(Object.assign(document.createElement("li"), { textContent: _("Nobody is here yet.") }));
  if (page.people.textContent !== lines.map((line) => line.textContent).join("")) page.people.replaceChildren(...lines);
}

/** Connects, and waits for a server that is still installing its voice. */
async function enter(mine) {
  for (;;) {
    const room = await look(token);
    show(room);
    try {
      return await connect(token, stream, room.ice_servers, (state) => mine === visit && follow(state), hear);
    } catch (error) {
      if (error.status !== 503) throw error;
      const now = await look(token);
      if (now.voice === "ready" || mine !== visit) throw error;
      showProgress(now);
      await pause(LOOK_MS);
      if (mine !== visit) throw error;
    }
  }
}

/** Shows how far an installation is. `voice` is such as "installing, 12 of 35 packages". */
function showProgress({ voice, voice_state: state }) {
  const counted = voice.match(/(\d+) of (\d+)/);
  page.progress.hidden = false;
  if (counted) [page.progress.value, page.progress.max] = [Number(counted[1]), Number(counted[2])];
  else page.progress.removeAttribute("value");
  say(_("The server is preparing voice ({state}). You will join as soon as it is ready.", { state }));
}

function hear(sound) {
  page.sound.srcObject = sound;
  levels.hear(sound);
}

function follow(state) {
  if (state === "connected") {
    clearTimeout(deadline);
    say(_("You are in the room."));
  }
  if (state === "disconnected") {
    clearTimeout(deadline);
    deadline = setTimeout(() => leave(visit), RECONNECT_MS);
    say(_("Reconnecting…"));
  }
  if (["failed", "closed"].includes(state)) leave(visit);
}

/** The connection has ended: say why, as far as the server knows. */
async function leave(mine) {
  const was = participant;
  exit(_("You have left the room."));
  const room = await look(token, was).catch(() => null);
  if (!room || visit !== mine + 1) return;
  show(room);
  if (room.status === "closed") close();
}

function close() {
  page.join.hidden = true;
  say(_("The room is closed. Nobody can join it any more."));
}

function exit(text, bad = false) {
  visit += 1;
  clearTimeout(deadline);
  peer?.close();
  levels?.stop();
  stream?.getTracks().forEach((track) => track.stop());
  peer = stream = levels = participant = null;
  const inside = [page.mute, page.leave].includes(document.activeElement);
  [page.join.hidden, page.mute.hidden, page.leave.hidden, page.levels.hidden, page.progress.hidden] = [false, true, true, true, true];
  if (inside) page.join.focus();
  say(text, bad);
}

page.join.addEventListener("click", async () => {
  const mine = (visit += 1);
  const byKey = document.activeElement === page.join;
  [page.join.hidden, page.leave.hidden] = [true, false];
  if (byKey) page.leave.focus();
  say(_("Joining …"));
  try {
    const given = await microphone();
    if (mine !== visit) return given.getTracks().forEach((track) => track.stop());
    stream = given;
    levels = watchLevels(stream, showLevels);
    const [line, id] = await enter(mine);
    if (mine !== visit) return line.close();
    [peer, participant] = [line, id];
    setMuted(false);
    [page.mute.hidden, page.levels.hidden, page.progress.hidden] = [false, false, true];
    if (byKey) page.mute.focus();
    keepLooking(mine);
  } catch (error) {
    if (mine !== visit) return;
    exit(error.message, true);
    page.join.hidden = error.status === 401;
  }
});

function showLevels(own, others) {
  page.level.value = Math.min(1, own * 4);
  document.body.classList.toggle("talking", others);
  page.speaking.textContent = others ? _("Somebody is speaking") : _("Quiet");
}

function setMuted(muted) {
  for (const track of stream.getAudioTracks()) track.enabled = !muted;
  page.mute.setAttribute("aria-pressed", String(muted));
}
page.mute.addEventListener("click", () => setMuted(page.mute.getAttribute("aria-pressed") !== "true"));
page.leave.addEventListener("click", () => exit(_("You have left the room.")));

/** Keeps the list of people current while one is in the room, and leaves when the server no longer lists oneself. */
async function keepLooking(mine) {
  while (mine === visit) {
    try {
      const room = await look(token, participant);
      if (mine !== visit) return;
      show(room);
      if (room.status === "closed") { exit(""); close(); return; }
      if (!room.participants.some((one) => String(one.id) === participant)) return leave(mine);
    } catch (error) {
      if (error.status === 401) return leave(mine);
      // The sound may well go on; the list is current again when the server answers.
    }
    await pause(LOOK_MS);
  }
}

if (token) {
  look(token).then((room) => {
    show(room);
    if (room.status === "closed") close();
  }, (error) => {
    page.join.hidden = error.status === 401;
    say(error.message, true);
  });
} else {
  page.join.hidden = true;
  say(_("This link has no token. Ask the person who invited you for a new one."), true);
}
