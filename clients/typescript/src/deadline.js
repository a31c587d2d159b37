import { APIConnectionError, APITimeoutError, RetinueError } from "./errors.js";

const LONGEST_MS = 2 ** 31 - 1; // of a timer

/** Ends a request if the server is silent for too long, or if the caller aborts it. */
export class Deadline {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #timedOut = false;
  #url;
  #milliseconds;
  #callers;
  #patience;

  /**
   * @param {string} url @param {number} milliseconds @param {AbortSignal} [callers]
   * @param {import("./retries.js").Patience} [patience]
   */
  constructor(url, milliseconds, callers, patience) {
    this.#url = url;
    this.#milliseconds = Math.min(milliseconds, LONGEST_MS);
    this.#callers = callers;
    this.#patience = patience;
    const own = this.#controller.signal;
    /** @type {AbortSignal} */
    this.signal = callers ? /** @type {any} */ (AbortSignal).any([callers, own]) : own;
  }

  start() {
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#controller.abort();
    }, Math.min(this.#milliseconds, this.#patience?.left ?? LONGEST_MS));
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Closes the connection. */
  close() {
    this.stop();
    this.#controller.abort();
  }

  /** Returns the error to throw for one that ended the request. @param {any} error */
  explain(error) {
    if (this.#callers?.aborted) return this.#callers.reason;
    if (error instanceof RetinueError) return error;
    if (this.#timedOut || TIMEOUTS.has(codeOf(error))) {
      return new APITimeoutError(`${this.#url} did not respond in time.`, { cause: error });
    }
    const reason = error?.cause?.message || error?.message || String(error);
    return new APIConnectionError(`The connection to ${this.#url} failed: ${reason}`, { cause: error });
  }
}

/** Codes of errors that Node.js reports for its own limits. */
const TIMEOUTS = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Returns the code of an error of `fetch`, which Node.js and Bun give. @param {any} error */
export function codeOf(error) {
  return error?.cause?.code ?? error?.code;
}
