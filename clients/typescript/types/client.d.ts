import { Resources } from "./resources.js";

export interface RetinueOptions {
  /** An API key or an access token. Defaults to the environment variable RETINUE_API_KEY. */
  apiKey?: string;
  /** The URL of the server. Defaults to the environment variable RETINUE_URL. */
  baseUrl?: string;
  /** Maximum time in milliseconds for a response, or for the next bytes of a stream. 300,000 by default. */
  timeout?: number;
  /** Number of attempts after the first one. 3 by default. */
  maxRetries?: number;
  /** A function to use instead of the global `fetch`, for example with a proxy. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Aborts the request, with all its attempts, and its stream. */
  signal?: AbortSignal;
  /** Maximum time in milliseconds for a response, or for the next bytes of a stream. */
  timeout?: number;
  /** Number of attempts after the first one. */
  maxRetries?: number;
}

export interface KeyedOptions extends RequestOptions {
  /** The server executes requests with the same key once. By default, all attempts of a call share a random key. */
  idempotencyKey?: string;
}

export interface WaitOptions extends RequestOptions {
  /**
   * Maximum time in milliseconds until the end. By default, there is none, but the server may be silent for five minutes
   * at most, for example while it restarts.
   */
  timeout?: number;
}

export interface WatchOptions extends WaitOptions {
  /** The position after which the stream begins: `lastEventId` of an earlier stream. */
  lastEventId?: string;
}

/**
 * A client of a Retinue server. Its resources are properties.
 *
 * ```js
 * const client = new Retinue({ apiKey: "ak_live_…", baseUrl: "http://127.0.0.1:8000" });
 * const agent = await client.agents.create({ agent_name: "Netwatch", agent_role: "specialist" });
 * ```
 */
export declare class Retinue extends Resources {
  constructor(options?: RetinueOptions);
  /** The URL of the server. */
  get baseUrl(): string;
  /** Returns a client of the same server with other options. */
  withOptions(changes: Omit<RetinueOptions, "apiKey" | "baseUrl">): Retinue;
}
