import type { ProviderAnswer } from '../provider/provider.ts';

interface StripeError {
  readonly type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly decline_code?: string;
}

export const stripeError = (status: number, error: StripeError): ProviderAnswer => ({
  status,
  body: {
    error: {
      ...error,
      ...(error.code
        ? { doc_url: `https://stripe.com/docs/error-codes/${error.code.replaceAll('_', '-')}` }
        : {}),
    },
  },
});

export const missing = (kind: string, id: string, param = 'id', status = 404): ProviderAnswer =>
  stripeError(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  });

export const invalid = (param: string, message: string): ProviderAnswer =>
  stripeError(400, { type: 'invalid_request_error', code: 'parameter_invalid', message, param });

export const cardDeclined = (): ProviderAnswer =>
  stripeError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  });

export const wrongKey = (): ProviderAnswer =>
  stripeError(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });

export const apiError = (): ProviderAnswer =>
  stripeError(500, { type: 'api_error', message: 'An unknown error occurred.' });
