// Dictation: a button that records, and the server that writes down what was said. Pages without the button do without.
import { failure, post } from "./sse.js";
import { toast } from "./toast.js";
import { _ } from "./translation.js";

async function transcribe(recording) {
  const headers = { "Content-Type": recording.type, Accept: "application/json" };
  const response = await post("/playground/transcription", { headers, body: recording });
  if (!response.ok) throw await failure(response);
  return (await response.json()).text;
}

/** Writes what is said into the field, at its end. */
export function watchDictation(button, field) {
  let recorder;

  async function write(recording) {
    button.disabled = true;
    toast(_("Writing down what you said…"));
    try {
      const said = await transcribe(recording);
      if (said) field.value = [field.value.trimEnd(), said].filter(Boolean).join(" ");
      else toast(_("Nothing was understood."));
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    } catch (error) {
      toast(error.message);
    } finally {
      button.disabled = false;
    }
  }

  async function record() {
    const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
    const parts = [];
    recorder = new MediaRecorder(sound);
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      for (const track of sound.getTracks()) track.stop();
      button.setAttribute("aria-pressed", "false");
      return write(new Blob(parts, { type: recorder.mimeType }));
    };
    recorder.start();
    button.setAttribute("aria-pressed", "true");
  }

  button?.addEventListener("click", async () => {
    if (recorder?.state === "recording") return recorder.stop();
    try {
      await record();
    } catch {
      toast(_("The browser does not give access to a microphone. It asks only on pages with HTTPS or on localhost."));
    }
  });
}
