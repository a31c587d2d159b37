/** Base class of all errors of this package. */
export declare class RetinueError extends Error {
  constructor(message: string, options?: { cause?: unknown });
}

/** The server could not be reached, or the connection broke before the response was complete. */
export declare class APIConnectionError extends RetinueError {}

/** The server did not respond in time. */
export declare class APITimeoutError extends APIConnectionError {}

/** The signature of a delivery is invalid, or its timestamp is too far from the current time. */
export declare class WebhookVerificationError extends RetinueError {}

/** An error response of the server. Include `requestId` when you report a server error. */
export declare class APIError extends RetinueError {
  constructor(
    message: string,
    details: {
      status: number;
      code?: string;
      requestId?: string | null;
      retryAfter?: number | null;
      runId?: number | null;
      shouldRetry?: boolean;
    },
  );
  /** Status of the response. */
  status: number;
  /** Code of the error, or an empty string if a gateway responded. */
  code: string;
  /** ID of the request, by which it is found in the log. */
  requestId: string | null;
  /** Seconds to wait before the next attempt. */
  retryAfter: number | null;
  /** ID of the run that failed, whose steps `client.runs.retrieve` returns; null for other errors. */
  runId: number | null;
  /** False if the server asks not to send the same request again. */
  shouldRetry: boolean;
}

/** 400 `validation_error`: the request is invalid. The message names all invalid fields. */
export declare class ValidationError extends APIError {}

/** 401 `auth_required`: the API key is missing or invalid. */
export declare class AuthenticationError extends APIError {}

/** 403 `insufficient_scope`: the key lacks the scope, or the plan does not include the operation. */
export declare class PermissionDeniedError extends APIError {}

/** 404 `resource_not_found`: the record or the path does not exist. */
export declare class NotFoundError extends APIError {}

/** 405 `method_not_allowed`: the path does not support this method. */
export declare class MethodNotAllowedError extends APIError {}

/** 409 `cancelled`: the run was cancelled while this client waited for it. */
export declare class RunCancelledError extends APIError {}

/** 416 `range_not_satisfiable`: the range of bytes starts beyond the end of the file. */
export declare class RangeNotSatisfiableError extends APIError {}

/** 429 `rate_limit_exceeded`: too many requests, or an exhausted quota. */
export declare class RateLimitError extends APIError {}

/** 500 `internal_error`, and any other status of 500 or higher. */
export declare class InternalServerError extends APIError {}

/** 503 `service_unavailable`: a dependency of the server, such as the model, is unavailable. Try again later. */
export declare class ServiceUnavailableError extends APIError {}
