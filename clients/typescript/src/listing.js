import { APIConnectionError } from "./errors.js";

/** Returns the ID of a record, or undefined for a record without one, such as a tool. @param {any} record */
function idOf(record) {
  return record.id ?? record.deployment_id ?? record.conversation_id;
}

/** @template T */
export class Listing {
  /** @type {import("./transport.js").Transport} */ #transport;
  /** @type {import("./transport.js").Call} */ #call;

  /** @param {import("./transport.js").Transport} transport @param {import("./transport.js").Call} call */
  constructor(transport, call) {
    this.#transport = transport;
    this.#call = call;
  }

  /** @param {number} [number] @returns {Promise<import("../types/index.js").Page<T>>} */
  async page(number) {
    const { data, meta } = await this.#transport.json(this.#at(number));
    if (!meta) throw new APIConnectionError("The response has no number of pages, so it is not that of a Retinue server.");
    return { data, total: meta.total, page: meta.page, per_page: meta.per_page, total_pages: meta.total_pages };
  }

  async *pages() {
    for (let number = Number(this.#call.query?.page ?? 1); ; number += 1) {
      const page = await this.page(number);
      yield page;
      if (number >= page.total_pages) return;
    }
  }

  async *[Symbol.asyncIterator]() {
    let seen = new Set(); // New records shift the pages, so a page can begin with records of the previous one.
    for await (const { data } of this.pages()) {
      yield* data.filter((record) => !seen.has(idOf(record)));
      seen = new Set(data.map(idOf).filter((id) => id !== undefined));
    }
  }

  /**
   * @template R, [E=never]
   * @param {((page: import("../types/index.js").Page<T>) => R | PromiseLike<R>) | null} [onfulfilled]
   * @param {((reason: any) => E | PromiseLike<E>) | null} [onrejected]
   */
  then(onfulfilled, onrejected) {
    return this.page().then(onfulfilled, onrejected);
  }

  /** @param {number | undefined} number */
  #at(number) {
    // The result of a search, which is a POST, is one page.
    if (number === undefined || this.#call.method === "POST") return this.#call;
    return { ...this.#call, query: { ...this.#call.query, page: number } };
  }
}
