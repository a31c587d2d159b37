// Methods with content other than JSON, and methods that combine several calls.
import { Resource, pathOf } from "./transport.js";

const ENDED = new Set(["completed", "failed", "cancelled"]);

/** @typedef {import("../types/index.js").RequestOptions} RequestOptions */

export class Files extends Resource {
  /**
   * @param {Blob | ArrayBuffer | ArrayBufferView | string} file
   * @param {import("../types/by_hand.js").UploadOptions} [uploadOptions]
   */
  upload(file, uploadOptions = {}) {
    const { name, mediaType, ...options } = uploadOptions;
    const content = file instanceof Blob ? file : new Blob([/** @type {any} */ (file)]);
    const query = { name: name ?? /** @type {any} */ (file).name ?? "file" };
    return this._record({ method: "POST", path: "/files", takesKey: true, query, content, contentType: mediaType, options });
  }

  /** @param {string} id @param {RequestOptions} [options] */
  download(id, options) {
    return this._response({ method: "GET", path: pathOf`/files/${id}/content`, options });
  }
}

export class Usage extends Resource {
  /** @param {import("../types/by_hand.js").ExportParams} [query] @param {RequestOptions} [options] */
  export(query, options) {
    return this._response({ method: "GET", path: "/usage/export", query: { format: "csv", ...query }, options });
  }
}

export class Tools extends Resource {
  /**
   * @param {string} search
   * @param {import("../types/objects.js").ListToolsParams} [query]
   * @param {RequestOptions} [options]
   */
  search(search, query, options) {
    return this._list({ method: "GET", path: "/tools", query: { ...query, search }, options });
  }
}

export class Runs extends Resource {
  /** @param {number} id @param {RequestOptions} [options] @returns {Promise<any>} */
  async wait(id, options) {
    /** @type {string | undefined} */
    let lastEventId;
    const patience = this._patience(options);
    for (;;) {
      const watched = { method: "GET", path: pathOf`/runs/${id}/events`, options: { ...options, lastEventId } };
      const stream = await this._stream(watched, patience);
      try {
        for await (const _ of stream);
      } catch (error) {
        if (!stream.failed) throw error; // The record of a failed run says why it failed.
      }
      const run = await this._record({ method: "GET", path: pathOf`/runs/${id}`, options }, patience);
      if (ENDED.has(run.status)) return run;
      lastEventId = stream.lastEventId;
    }
  }
}
