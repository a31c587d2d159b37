export { Retinue, Retinue as default } from "./client.js";
export type { KeyedOptions, RequestOptions, RetinueOptions, WaitOptions, WatchOptions } from "./client.js";
export type { ExportParams, UploadOptions } from "./by_hand.js";
export {
  APIConnectionError,
  APIError,
  APITimeoutError,
  AuthenticationError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PermissionDeniedError,
  RangeNotSatisfiableError,
  RateLimitError,
  RetinueError,
  RunCancelledError,
  ServiceUnavailableError,
  ValidationError,
  WebhookVerificationError,
} from "./errors.js";
export { Listing } from "./listing.js";
export type { Page } from "./listing.js";
export { Stream } from "./stream.js";
export * as webhooks from "./webhooks.js";
export * from "./objects.js";
/** The version of this package. */
export declare const VERSION: string;
