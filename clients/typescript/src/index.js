export { Retinue, Retinue as default } from "./client.js";
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
export { Stream } from "./stream.js";
export { VERSION } from "./version.js";
export * as webhooks from "./webhooks.js";
