import type { KeyedOptions, RequestOptions, WaitOptions } from "./client.js";
import type { Listing } from "./listing.js";
import type { File, ListToolsParams, RunDetails, Tool } from "./objects.js";

export interface UploadOptions extends KeyedOptions {
  /** Name of the file. Defaults to the name of a `File`. */
  name?: string;
  /** Media type. Defaults to that of a `Blob`, and otherwise to what the server recognizes. */
  mediaType?: string;
}

export interface ExportParams {
  /** `csv` by default. */
  format?: "json" | "csv";
  /** First day, YYYY-MM-DD. */
  start_date?: string;
  /** Last day, YYYY-MM-DD. */
  end_date?: string;
  resource_type?: "tools" | "agents" | "chat" | "voice";
}

export interface Files {
  /**
   * Upload a file. Use the returned ID in tools and messages. In Node.js, `await openAsBlob(path)` opens a file without
   * reading it into memory.
   */
  upload(file: Blob | ArrayBuffer | ArrayBufferView | string, options?: UploadOptions): Promise<File>;
  /** Download the content of a file. Returns the response, whose body has not been read. */
  download(id: string, options?: RequestOptions): Promise<Response>;
}

export interface Usage {
  /** Export usage by day and kind as a document of up to 366 days. Returns the response. */
  export(query?: ExportParams, options?: RequestOptions): Promise<Response>;
}

export interface Tools {
  /** Search for tools with a question in plain language. The best matches come first. */
  search(search: string, query?: ListToolsParams, options?: RequestOptions): Listing<Tool>;
}

export interface Runs {
  /**
   * Wait until the run has ended, with any status, and return it. Follows the run's stream without polling. Goes on while
   * the server restarts.
   */
  wait(id: number, options?: WaitOptions): Promise<RunDetails>;
}
