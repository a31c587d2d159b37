// How loud the microphone and the room are, for the eye alone.
const EVERY_MS = 100;
const AUDIBLE = 0.012;

/** Calls `show(own, others)` with whether others speak and how loud oneself is, until it is stopped. */
export function watchLevels(own, show) {
  const context = new AudioContext();
  const mine = analyser(context, own);
  let others = null;
  const timer = setInterval(() => show(level(mine), others !== null && level(others) > AUDIBLE), EVERY_MS);
  return {
    hear: (stream) => { others = analyser(context, stream); },
    stop: () => { clearInterval(timer); context.close(); },
  };
}

function analyser(context, stream) {
  const node = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(node);
  return node;
}

/** The root mean square of the newest samples, from 0 to 1. */
function level(node) {
  const samples = new Float32Array(node.fftSize);
  node.getFloatTimeDomainData(samples);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
