/** A page of a list. `total` is the number of records on all pages. */
export interface Page<T> {
  data: T[];
  total: number;
  page: number;
  per_page: number;
  total_pages: number;
}

/**
 * The records of a list. Iterate over it with `for await` for all records, or await it for the first page.
 *
 * Pages are counted from the newest record, so records that are created or deleted meanwhile shift the pages. The
 * iteration drops records that the previous page had. If a loop deletes records, collect the list first.
 */
export declare class Listing<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  private constructor();
  /** Fetches a page. Defaults to the first one. */
  page(number?: number): Promise<Page<T>>;
  /** Fetches one page after another. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  then<R = Page<T>, E = never>(
    onfulfilled?: ((page: Page<T>) => R | PromiseLike<R>) | null,
    onrejected?: ((reason: any) => E | PromiseLike<E>) | null,
  ): Promise<R | E>;
}
