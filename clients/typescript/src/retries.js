import { codeOf } from "./deadline.js";
import { APIConnectionError, APIError, APITimeoutError } from "./errors.js";

const FIRST_S = 0.5;
const LONGEST_S = 8;
const LONGEST_WATCH_S = 5; // before a watched run is asked for again
const PATIENCE_MS = 300_000; // How long a watch goes on without any answer, such as while the server restarts.
const MOST_S = 60; // If the server asks for more, such as the rest of a month, the call is not retried.

const PASSING = new Set([429, 502, 503, 504]);
// Statuses that guarantee that the request was not executed. A gateway's 502 or 504 does not, and neither does a 503:
// the model may fail after the message was stored, and the connection to the database may break during a commit.
const REFUSED = new Set([429]);
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"]);

/**
 * Whether sending the call twice has the same effect as sending it once (RFC 9110, section 9.2.2).
 *
 * @param {import("./transport.js").Call} call
 */
function isRepeatable(call) {
  return call.method !== "POST" || Boolean(call.takesKey && !call.body?.stream);
}

/** @param {import("./transport.js").Call} call @param {unknown} error */
export function mayRetry(call, error) {
  if (error instanceof APIError) {
    const isPassing = (isRepeatable(call) ? PASSING : REFUSED).has(error.status) && error.shouldRetry;
    return isPassing && (error.retryAfter ?? 0) <= MOST_S;
  }
  return error instanceof APIConnectionError && (isRepeatable(call) || NOT_SENT.has(codeOf(error.cause)));
}

/**
 * Returns the seconds to wait: what the server asks for, or a random delay up to an exponentially growing limit
 * ("full jitter"), so that clients do not retry simultaneously.
 *
 * @param {any} error @param {number} failures @param {number} [longest]
 */
export function delayAfter(error, failures, longest = LONGEST_S) {
  return error.retryAfter ?? Math.random() * Math.min(longest, FIRST_S * 2 ** (failures - 1));
}

/** How long a watch goes on: for `timeout` milliseconds, or, by default, until the server was silent for PATIENCE_MS. */
export class Patience {
  #timeout;
  #mayRetry;
  #end;

  /** @param {number | undefined} timeout @param {boolean} mayRetry */
  constructor(timeout, mayRetry) {
    this.#timeout = timeout;
    this.#mayRetry = mayRetry;
    this.#end = Date.now() + (timeout ?? PATIENCE_MS);
  }

  /** The number of milliseconds that are left. */
  get left() {
    return Math.max(0, this.#end - Date.now());
  }

  /** Whether a failure must not be followed by another attempt. */
  get isOver() {
    return !this.#mayRetry || this.left === 0;
  }

  /** Notes that the server has sent something. Throws if the caller's `timeout` is over. */
  heard() {
    if (this.#timeout === undefined) this.#end = Date.now() + PATIENCE_MS;
    else this.check();
  }

  /** Throws an `APITimeoutError` if the caller's `timeout` is over. */
  check() {
    if (this.#timeout !== undefined && this.left === 0) {
      throw new APITimeoutError(`It did not end within ${this.#timeout} ms.`);
    }
  }

  /** Returns the seconds to wait after some failures in a row. @param {any} error @param {number} failures */
  delay(error, failures) {
    return Math.min(this.left / 1000, delayAfter(error, failures, LONGEST_WATCH_S));
  }
}

/** @param {number} seconds @param {AbortSignal} [signal] @returns {Promise<void>} */
export function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/**
 * Parses the header Retry-After, a number or a date (RFC 9110, section 10.2.3), as seconds.
 *
 * @param {string | null} value
 */
export function parseRetryAfter(value) {
  if (!value) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
