import { RetinueError } from "./errors.js";
import { Resources } from "./resources.js";
import { Transport } from "./transport.js";

const DEFAULT_URL = "http://127.0.0.1:8000";
const DEFAULT_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 300_000; // Node.js gives up on its own after five minutes.

/** @typedef {import("../types/index.js").RetinueOptions} RetinueOptions */

export class Retinue extends Resources {
  #options;

  /** @param {RetinueOptions} [options] */
  constructor(options = {}) {
    const complete = completeOptions(options);
    super(new Transport(complete));
    this.#options = complete;
  }

  get baseUrl() {
    return this.#options.baseUrl;
  }

  /** @param {Omit<RetinueOptions, "apiKey" | "baseUrl">} changes */
  withOptions(changes) {
    return new Retinue({ ...this.#options, ...changes });
  }
}

/** @param {RetinueOptions} options */
function completeOptions({
  apiKey = variable("RETINUE_API_KEY") || variable("RETINUE_KEY"),
  baseUrl = variable("RETINUE_URL") || DEFAULT_URL,
  timeout = DEFAULT_TIMEOUT_MS,
  maxRetries = DEFAULT_RETRIES,
  fetch = (input, init) => globalThis.fetch(input, init),
}) {
  if (!apiKey) throw new RetinueError("There is no API key. Pass apiKey, or set RETINUE_API_KEY.");
  if (!/^[\x20-\x7e]+$/.test(apiKey)) throw new RetinueError("The API key contains characters that are not allowed in headers.");
  if (!/^https?:\/\/./.test(baseUrl)) throw new RetinueError(`${baseUrl} is not a URL. It begins with http:// or https://.`);
  return { apiKey, baseUrl: baseUrl.replace(/\/+$/, "").replace(/\/api\/v1$/, ""), timeout, maxRetries, fetch };
}

/** Returns an environment variable. Browsers have none. @param {string} name @returns {string | undefined} */
function variable(name) {
  return /** @type {any} */ (globalThis).process?.env?.[name];
}
