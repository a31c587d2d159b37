import { APIConnectionError, errorOf } from "./errors.js";
import { sleep } from "./retries.js";

/** @template T */
export class Stream {
  /** @type {(lastEventId?: string) => Promise<import("./transport.js").Connection>} */ #open;
  /** @type {import("./transport.js").Connection} */ #connection;
  #reader = new EventReader();
  #patience;
  #signal;
  #closed = false;
  #chunks;

  /**
   * @param {(lastEventId?: string) => Promise<import("./transport.js").Connection>} open
   * @param {import("./transport.js").Connection} connection
   * @param {import("./retries.js").Patience} [patience] Without it, the stream cannot be resumed.
   * @param {AbortSignal} [signal]
   */
  constructor(open, connection, patience, signal) {
    this.#open = open;
    this.#connection = connection;
    this.#patience = patience;
    this.#signal = signal;
    this.#chunks = this.#read();
  }

  get lastEventId() {
    return this.#reader.lastId;
  }

  get failed() {
    return this.#reader.failed;
  }

  /** @returns {AsyncGenerator<T, void, undefined>} */
  [Symbol.asyncIterator]() {
    return this.#chunks;
  }

  close() {
    this.#closed = true;
    this.#connection.deadline.close();
  }

  async *#read() {
    let breaks = 0;
    try {
      for (;;) {
        let failure = new APIConnectionError("The stream ended before it was complete.");
        try {
          for await (const bytes of blocksOf(this.#connection)) {
            for (const chunk of this.#reader.read(bytes)) {
              breaks = 0;
              yield chunk;
            }
            if (!this.#reader.complete) this.#patience?.heard();
          }
        } catch (error) {
          if (!(error instanceof APIConnectionError)) throw error;
          failure = error;
        }
        if (this.#reader.complete || this.#closed) return;
        this.#patience?.check();
        if (!this.#patience || this.#patience.isOver) throw failure;
        breaks += 1;
        this.#reader.reset();
        await sleep(this.#patience.delay(failure, breaks), this.#signal);
        if (this.#closed) return;
        this.#connection = await this.#open(this.#reader.lastId);
      }
    } finally {
      this.close();
    }
  }
}

/** Yields the bytes of a response. Its deadline is that of a silent server. @param {import("./transport.js").Connection} _ */
async function* blocksOf({ response, deadline }) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  for (;;) {
    deadline.start();
    let block;
    try {
      block = await reader.read();
    } catch (error) {
      throw deadline.explain(error);
    } finally {
      deadline.stop();
    }
    if (block.done) return;
    yield block.value;
  }
}

/**
 * Parses the bytes of a stream of server-sent events (the event stream format of the HTML standard) into chunks.
 * Lines end at LF or CRLF.
 */
export class EventReader {
  /** The ID of the last complete event, from which the stream can be resumed. @type {string | undefined} */
  lastId;
  /** True once the stream has sent its end marker. */
  complete = false;
  /** True once a chunk has reported that the run failed. */
  failed = false;

  #decoder = new TextDecoder();
  #rest = "";
  /** @type {string[]} */ #data = [];
  /** @type {string | undefined} */ #id;

  /** Discards an incomplete event before the stream is opened again. */
  reset() {
    this.#decoder = new TextDecoder();
    this.#rest = "";
    this.#data = [];
    this.#id = undefined;
  }

  /** Yields the chunks that these bytes complete. Throws the error of a failed run. @param {Uint8Array} bytes */
  *read(bytes) {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      const event = this.#readLine(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event === "[DONE]") this.complete = true;
      else if (event !== null && !this.complete) yield this.#chunk(JSON.parse(event));
    }
  }

  /** Returns the data of the event that ends with this line, or null. @param {string} line */
  #readLine(line) {
    if (line) {
      this.#readField(line);
      return null;
    }
    const data = this.#data;
    this.#data = [];
    if (!data.length) return null;
    this.lastId = this.#id || this.lastId;
    return data.join("\n");
  }

  /** @param {string} line */
  #readField(line) {
    const [, name, value] = /** @type {string[]} */ (/^([^:]*):? ?(.*)$/s.exec(line));
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
  }

  /** @param {any} chunk */
  #chunk(chunk) {
    if (chunk.type !== "error") return chunk;
    this.failed = true;
    throw errorOf(Number(chunk.status ?? 500), chunk);
  }
}
