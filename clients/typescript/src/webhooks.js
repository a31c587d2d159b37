import { WebhookVerificationError } from "./errors.js";

const TOLERANCE_S = 300;
// The server attempts a delivery for less than this time. It limits replays if no signature covers the attempt's time.
const EVENT_AGE_S = 5 * 24 * 3600;

const encoder = new TextEncoder();

/**
 * @param {string | ArrayBuffer | Uint8Array} body
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string} secret
 * @param {import("../types/webhooks.js").VerifyOptions} options
 * @returns {Promise<any>}
 */
export async function verify(body, headers, secret, options = {}) {
  const { tolerance = TOLERANCE_S, now = Date.now() / 1000 } = options;
  const bytes = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const header = headerReader(headers);
  if (header("webhook-signature") !== null) {
    await checkStandard(bytes, header, secret, tolerance, now);
    return parseEvent(bytes);
  }
  await checkBodySignature(bytes, header("x-webhook-signature") ?? "", secret);
  const event = parseEvent(bytes);
  const sent = Date.parse(event.timestamp) / 1000;
  if (Number.isNaN(sent)) throw new WebhookVerificationError("The event's timestamp is not an ISO 8601 time.");
  if (Math.abs(now - sent) > EVENT_AGE_S) throw new WebhookVerificationError("The event is too old.");
  return event;
}

/**
 * Checks Standard Webhooks 1.0. One valid signature is sufficient, because two secrets sign during a rotation.
 *
 * @param {Uint8Array} body @param {(name: string) => string | null} header @param {string} secret
 * @param {number} tolerance @param {number} now
 */
async function checkStandard(body, header, secret, tolerance, now) {
  const timestamp = header("webhook-timestamp") ?? "";
  if (!/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError("The header webhook-timestamp is missing or is not a number.");
  }
  if (Math.abs(now - Number(timestamp)) > tolerance) {
    throw new WebhookVerificationError("The delivery was sent too long ago, or the clock of this machine is wrong.");
  }
  const head = encoder.encode(`${header("webhook-id") ?? ""}.${timestamp}.`);
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  if (!key) throw new WebhookVerificationError("The secret is not that of a webhook endpoint (whsec_…).");
  for (const signature of (header("webhook-signature") ?? "").split(" ")) {
    const sent = signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : null;
    if (sent && (await matches(key, sent, head, body))) return;
  }
  throw new WebhookVerificationError("No signature in webhook-signature matches the body and the secret.");
}

/** @param {Uint8Array} body @param {string} signature @param {string} secret */
async function checkBodySignature(body, signature, secret) {
  const digits = /^sha256=((?:[0-9a-f]{2})+)$/.exec(signature)?.[1].match(/../g) ?? [];
  const sent = Uint8Array.from(digits, (byte) => parseInt(byte, 16));
  if (!(await matches(encoder.encode(secret), sent, body))) {
    throw new WebhookVerificationError("X-Webhook-Signature does not match the body and the secret.");
  }
}

/** Verifies an HMAC in constant time. @param {any} key @param {any} signature @param {...any} parts Bytes, all of them. */
async function matches(key, signature, ...parts) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
  return crypto.subtle.verify(algorithm, imported, signature, await new Blob(parts).arrayBuffer());
}

/** Returns the bytes of a text in Base64, or null. @param {string} text */
function fromBase64(text) {
  try {
    return text ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/** @param {Headers | Record<string, string | string[] | undefined>} headers @returns {(name: string) => string | null} */
function headerReader(headers) {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => sent.get(name)?.toString() ?? null;
}

/** @param {Uint8Array} body */
function parseEvent(body) {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof event.event === "string" && typeof event.data === "object") return event;
  } catch {
    // reported below
  }
  throw new WebhookVerificationError("The body is signed, but is not an event.");
}
