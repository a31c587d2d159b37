/**
 * The chunks of a response while it is generated. To stop early, leave the `for await` loop or call `close`.
 *
 * Throws the server's `APIError` if the run fails, and `APIConnectionError` if the connection breaks. Streams of runs
 * and deployments resume automatically, until the server has been silent for five minutes or `timeout` is over.
 */
export declare class Stream<T> implements AsyncIterable<T> {
  private constructor();
  /** The position from which the stream can be resumed, also in another process. */
  get lastEventId(): string | undefined;
  /** True if the stream has thrown the failure that the run reported. */
  get failed(): boolean;
  /** Closes the connection. The model stops unless the run is in the background. */
  close(): void;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
