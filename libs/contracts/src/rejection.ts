/**
 * Every expected "no" of the platform, once. `status` is the HTTP status; services only know the code.
 * How a code becomes a body is the business of the operation's error shape (`ErrorShape`).
 */
export const rejections = {
  unauthorized: { status: 401, message: 'Unauthorized' },
  malformed: { status: 400, message: 'The request could not be read.' },
  unsupported_media_type: { status: 415, message: 'The content type must be application/json.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  route_not_found: { status: 404, message: 'Not found.' },
  method_not_allowed: { status: 405, message: 'Method not allowed.' },
  invalid: { status: 422, message: 'The given data was invalid.' },
  not_found: { status: 404, message: 'Not found.' },
  version_mismatch: { status: 412, message: 'The resource was changed since the given version.' },
  too_many_attempts: { status: 429, message: 'Too Many Attempts.' },
  idempotency_key_reuse: {
    status: 422,
    message: 'The Idempotency-Key was already used for another request.',
  },
  idempotency_key_expired: { status: 409, message: 'The Idempotency-Key was used more than 24 hours ago.' },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running.',
  },
  not_revertible: { status: 422, message: 'This change cannot be undone.' },
  contended: { status: 503, message: 'The resource is being changed by others; try again.' },
  hold_settled: { status: 409, message: 'The reservation was already captured or released.' },
  webhook_off: { status: 422, message: 'The webhook is turned off.' },
  webhook_erased: { status: 422, message: 'The person that the webhook is about was erased.' },
  insufficient_balance: { status: 402, message: 'The account balance is too low.' },
  sender_not_found: { status: 404, message: 'Sender not found' },
  sender_offline: { status: 422, message: 'The sender is not online.' },
  template_not_found: { status: 404, message: 'Template not found' },
  template_not_approved: { status: 422, message: 'The template is not approved.' },
  voice_template_not_found: {
    status: 422,
    message: 'The sender has no approved voice call request template.',
  },
  invalid_phone: { status: 422, message: 'The phone number must be a valid number in E.164 format.' },
  variables_missing: { status: 422, message: 'Values of template variables are missing.' },
  messaging_limit_reached: {
    status: 422,
    message: 'The sender has reached its limit of unique recipients in 24 hours.',
  },
  send_failed: { status: 422, message: 'The chat platform rejected the message.' },
  session_expired: { status: 422, message: 'The 24-hour messaging window is closed; send a template.' },
  session_closed: { status: 422, message: 'The customer has not messaged in the last 24 hours.' },
  voice_disabled: { status: 422, message: 'Calling is not enabled on the sender.' },
  region_not_supported: {
    status: 422,
    message: 'Business-initiated calls are not allowed from the country of the sender.',
  },
  request_limit: { status: 422, message: 'No further call permission request is allowed now.' },
  call_not_permitted: { status: 422, message: 'The customer does not allow calls.' },
  sip_trunk_exists: {
    status: 409,
    message: 'A SIP trunk with this number, username and address exists already.',
  },
  voice_platform_refused: { status: 502, message: 'The voice platform refused the SIP trunk.' },
  invalid_definition: { status: 422, message: 'The definition is not valid.' },
  no_steps: { status: 422, message: 'The definition has no steps.' },
  unsupported_trigger: { status: 422, message: 'The trigger is not supported.' },
  number_unparsable: {
    status: 422,
    message: 'The phone number cannot be parsed; provide a valid number in E.164 format.',
  },
  number_in_use: { status: 400, message: 'The phone number is already in use.' },
  number_not_available: {
    status: 400,
    message: 'The phone number is not available for purchase; search for available numbers first.',
  },
  no_payment_method: { status: 402, message: 'There is no payment method on file.' },
  payment_failed: { status: 402, message: 'The payment failed; update the payment method.' },
  purchase_failed: { status: 502, message: 'The phone number purchase failed; contact support.' },
  retry_no_op: { status: 422, message: 'The run was not resumed.' },
  retry_failed: { status: 422, message: 'The retry could not be started; try again shortly.' },
  unavailable: { status: 503, message: 'The service is temporarily unavailable.' },
  timeout: { status: 503, message: 'The request took too long.' },
  internal: { status: 500, message: 'Something went wrong on our side.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type RejectionCode = keyof typeof rejections;

/** An expected "no": a value, never an exception. `fields` names what was wrong with which body field. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message?: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** Of `unsupported_media_type`, when the coding was at fault: those that a body may have, as `Accept-Encoding` lists them. */
  readonly acceptEncoding?: string;
  /** Of `unavailable`: what the service needs is away for now, as its database: whoever asks may ask again and again. */
  readonly isOutage?: true;
}

export const reject = (code: RejectionCode, extra: Omit<Rejection, 'code'> = {}): Rejection => ({
  code,
  ...extra,
});

/** A single field that was wrong. */
export const invalidField = (field: string, message: string): Rejection =>
  reject('invalid', { fields: { [field]: [message] } });
