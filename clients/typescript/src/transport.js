import { Deadline } from "./deadline.js";
import { APIConnectionError, RetinueError, errorOf } from "./errors.js";
import { Listing } from "./listing.js";
import { Patience, delayAfter, mayRetry, parseRetryAfter, sleep } from "./retries.js";
import { Stream } from "./stream.js";
import { VERSION } from "./version.js";

/**
 * An operation with its arguments. `takesKey` is true if the server executes a POST once per idempotency key.
 *
 * @typedef {{
 *   method: string, path: string, takesKey?: boolean, query?: any, body?: any, content?: Blob, contentType?: string,
 *   options?: { signal?: AbortSignal, timeout?: number, maxRetries?: number, idempotencyKey?: string, lastEventId?: string },
 * }} Call
 * @typedef {{ response: Response, deadline: Deadline }} Connection
 */

const BASE = "/api/v1";
const SILENCE_MS = 60_000; // The server sends at least a comment on a stream every 15 seconds.

/** Sends calls and waits for the responses. */
export class Transport {
  #apiKey;
  #fetch;

  /** @param {{ apiKey: string, baseUrl: string, timeout: number, maxRetries: number, fetch: typeof fetch }} options */
  constructor({ apiKey, baseUrl, timeout, maxRetries, fetch }) {
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.baseUrl = baseUrl;
    this.timeout = timeout;
    this.maxRetries = maxRetries;
  }

  /** Returns the body of a response. @param {Call} call @param {Patience} [patience] @returns {Promise<any>} */
  async json(call, patience) {
    const text = await this.#send(call, "*/*", (response) => response.text(), patience);
    const body = parse(text);
    if (!body || !("data" in body)) {
      throw new APIConnectionError(`The response of ${this.baseUrl}${BASE}${call.path} is not that of a Retinue server.`);
    }
    return body;
  }

  /** Returns a response whose body has not been read. @param {Call} call @returns {Promise<Response>} */
  response(call) {
    return this.#send(call, "*/*", async (response) => response);
  }

  /** Returns how long a watch goes on, for the options of a call. @param {Call["options"]} [options] */
  patience(options) {
    return new Patience(options?.timeout, (options?.maxRetries ?? this.maxRetries) > 0);
  }

  /**
   * Opens a stream of chunks. With `patience`, it resumes where it broke.
   *
   * @param {Call} call @param {Patience} [patience] @returns {Promise<Stream<any>>}
   */
  async stream(call, patience) {
    /** @param {string} [lastEventId] @returns {Promise<Connection>} */
    const open = (lastEventId = call.options?.lastEventId) =>
      this.#send(
        { ...call, options: { ...call.options, lastEventId } },
        "text/event-stream",
        async (response, deadline) => ({ response, deadline }),
        patience,
      );
    return new Stream(open, await open(), patience, call.options?.signal);
  }

  /**
   * Sends a call, with retries if allowed, and reads the successful response.
   *
   * @template T
   * @param {Call} call
   * @param {string} accept
   * @param {(response: Response, deadline: Deadline) => Promise<T>} read
   * @param {Patience} [patience]
   * @returns {Promise<T>}
   */
  async #send(call, accept, read, patience) {
    const { signal, maxRetries = this.maxRetries } = call.options ?? {};
    const request = this.#request(call, accept);
    for (let failures = 1; ; failures += 1) {
      signal?.throwIfAborted();
      try {
        return await this.#attempt(call, request, accept, read, patience);
      } catch (error) {
        if ((patience ? patience.isOver : failures > maxRetries) || !mayRetry(call, error)) throw error;
        await sleep(patience ? patience.delay(error, failures) : delayAfter(error, failures), signal);
      }
    }
  }

  /**
   * @template T
   * @param {Call} call
   * @param {RequestInit} request
   * @param {string} accept
   * @param {(response: Response, deadline: Deadline) => Promise<T>} read
   * @param {Patience} [patience]
   */
  async #attempt(call, request, accept, read, patience) {
    const signal = call.options?.signal;
    const timeout = patience ? this.timeout : (call.options?.timeout ?? this.timeout);
    const longest = accept === "text/event-stream" ? Math.min(timeout, SILENCE_MS) : timeout;
    const deadline = new Deadline(this.baseUrl, longest, signal, patience);
    deadline.start();
    try {
      const fetch = this.#fetch;
      const response = await fetch(this.#url(call), { ...request, signal: deadline.signal });
      if (!response.ok) throw refusal(response, await response.text());
      return await read(response, deadline);
    } catch (error) {
      throw deadline.explain(error);
    } finally {
      deadline.stop();
    }
  }

  /** @param {Call} call */
  #url({ path, query }) {
    const values = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString();
    return `${this.baseUrl}${BASE}${path}${search && `?${search}`}`;
  }

  /** Returns the request, which is the same for each attempt. @param {Call} call @param {string} accept */
  #request(call, accept) {
    const headers = new Headers({ Authorization: `Bearer ${this.#apiKey}`, Accept: accept });
    const { idempotencyKey, lastEventId } = call.options ?? {};
    if (call.takesKey && (idempotencyKey || !call.body?.stream)) headers.set("Idempotency-Key", idempotencyKey || newKey());
    if (lastEventId) headers.set("Last-Event-ID", lastEventId);
    if (!("document" in globalThis)) headers.set("User-Agent", `retinue-client/${VERSION} JavaScript`);
    if (call.body) headers.set("Content-Type", "application/json");
    if (call.content) headers.set("Content-Type", call.contentType || call.content.type || "application/octet-stream");
    const body = call.content ?? (call.body && JSON.stringify(call.body));
    return /** @type {RequestInit} */ ({ method: call.method, headers, body, redirect: "manual" });
  }
}

/** The base class of resources. */
export class Resource {
  #transport;

  /** @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /**
   * Sends a call and returns the record of the response.
   *
   * @param {Call} call @param {Patience} [patience] @returns {Promise<any>} @protected
   */
  async _record(call, patience) {
    return (await this.#transport.json(call, patience)).data;
  }

  /** Returns a list whose pages are fetched on demand. @param {Call} call @returns {Listing<any>} @protected */
  _list(call) {
    return new Listing(this.#transport, call);
  }

  /** Opens a stream. With `patience`, it resumes. @param {Call} call @param {Patience} [patience] @protected */
  _stream(call, patience) {
    return this.#transport.stream(call, patience);
  }

  /** Opens a stream that resumes. @param {Call} call @protected */
  _watch(call) {
    return this._stream(call, this._patience(call.options));
  }

  /** Returns how long a watch with these options goes on. @param {Call["options"]} [options] @protected */
  _patience(options) {
    return this.#transport.patience(options);
  }

  /** Sends a call and returns the response itself. @param {Call} call @protected */
  _response(call) {
    return this.#transport.response(call);
  }
}

/**
 * Fills a path in with escaped parameters: pathOf`/agents/${id}`. An empty parameter would address another operation.
 *
 * @param {TemplateStringsArray} parts
 * @param {...(string | number)} values
 */
export function pathOf(parts, ...values) {
  if (values.some((value) => value === undefined || value === null || ["", ".", ".."].includes(String(value)))) {
    throw new RetinueError(`An ID in the path ${parts.join("{}")} is empty or consists of dots.`);
  }
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** Returns the error of a response. Gateways may respond with any content. @param {Response} response @param {string} text */
function refusal(response, text) {
  return errorOf(response.status, parse(text)?.error, {
    requestId: response.headers.get("x-request-id"),
    retryAfter: parseRetryAfter(response.headers.get("retry-after")),
    runId: Number(response.headers.get("x-run-id")) || null,
    shouldRetry: response.headers.get("x-should-retry") !== "false",
  });
}

/** Returns the JSON object in a text, or null. @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/** Returns an idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
