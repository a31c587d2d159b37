// RetinueError
//   APIConnectionError              no response: the server could not be reached, or the connection broke
//     APITimeoutError               no response in time
//   APIError                        an error response with `status`, `code`, `message` and `requestId`
//     ValidationError               400 validation_error
//     AuthenticationError           401 auth_required
//     PermissionDeniedError         403 insufficient_scope
//     NotFoundError                 404 resource_not_found
//     MethodNotAllowedError         405 method_not_allowed
//     RunCancelledError             409 cancelled
//     RangeNotSatisfiableError      416 range_not_satisfiable
//     RateLimitError                429 rate_limit_exceeded; `retryAfter` in seconds
//     InternalServerError           500 internal_error, and any other status of 500 or higher
//     ServiceUnavailableError       503 service_unavailable
//   WebhookVerificationError        a delivery with an invalid signature, or one that is too old

export class RetinueError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class APIConnectionError extends RetinueError {}

export class APITimeoutError extends APIConnectionError {}

export class WebhookVerificationError extends RetinueError {}

export class APIError extends RetinueError {
  /**
   * @param {string} message
   * @param {{
   *   status: number, code?: string, requestId?: string | null, retryAfter?: number | null, runId?: number | null,
   *   shouldRetry?: boolean
   * }} details
   */
  constructor(message, { status, code = "", requestId = null, retryAfter = null, runId = null, shouldRetry = true }) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.runId = runId;
    this.shouldRetry = shouldRetry;
  }
}

export class ValidationError extends APIError {}
export class AuthenticationError extends APIError {}
export class PermissionDeniedError extends APIError {}
export class NotFoundError extends APIError {}
export class MethodNotAllowedError extends APIError {}
export class RunCancelledError extends APIError {}
export class RangeNotSatisfiableError extends APIError {}
export class RateLimitError extends APIError {}
export class InternalServerError extends APIError {}
export class ServiceUnavailableError extends APIError {}

/** @type {Map<string, typeof APIError>} */
const BY_CODE = new Map([
  ["validation_error", ValidationError],
  ["auth_required", AuthenticationError],
  ["insufficient_scope", PermissionDeniedError],
  ["resource_not_found", NotFoundError],
  ["method_not_allowed", MethodNotAllowedError],
  ["cancelled", RunCancelledError],
  ["range_not_satisfiable", RangeNotSatisfiableError],
  ["rate_limit_exceeded", RateLimitError],
  ["internal_error", InternalServerError],
  ["service_unavailable", ServiceUnavailableError],
]);

/**
 * Returns the error for a status and the object under `error` in the body of a response.
 *
 * @param {number} status
 * @param {{ code?: unknown, message?: unknown } | null | undefined} error
 * @param {{ requestId?: string | null, retryAfter?: number | null, runId?: number | null, shouldRetry?: boolean }} [details]
 */
export function errorOf(status, error, details) {
  const code = String(error?.code ?? "");
  const kind = BY_CODE.get(code) ?? (status >= 500 ? InternalServerError : APIError);
  return new kind(String(error?.message || `The server responded with status ${status}.`), { status, code, ...details });
}
