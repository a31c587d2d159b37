import type { WebhookEvents } from "./objects.js";

/** An event. `event` determines the type of `data`. */
export type WebhookEvent = {
  [Name in keyof WebhookEvents]: { id: string; event: Name; timestamp: string; data: WebhookEvents[Name] };
}[keyof WebhookEvents];

export interface VerifyOptions {
  /** Seconds by which the attempt's timestamp may differ from `now`. 300 by default. */
  tolerance?: number;
  /** The current time in Unix seconds. Defaults to the clock. */
  now?: number;
}

/**
 * Verifies that a delivery is genuine and recent, and returns its event.
 *
 * `body` is the raw body, `headers` a `Headers` or the headers of a request in Node.js, and `secret` the secret of the
 * endpoint (`whsec_…`). A delivery can arrive more than once: store the IDs of processed events. Throws
 * `WebhookVerificationError`.
 *
 * Deliveries have two signatures: `webhook-signature` (Standard Webhooks 1.0), which covers the timestamp of the
 * attempt, and `X-Webhook-Signature`, which covers only the body.
 */
export declare function verify(
  body: string | ArrayBuffer | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
  options?: VerifyOptions,
): Promise<WebhookEvent>;
