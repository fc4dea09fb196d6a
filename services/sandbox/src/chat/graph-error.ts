import type { ProviderAnswer } from '../provider/provider.ts';

interface GraphError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly details?: string;
  readonly subcode?: number;
  readonly type?: string;
}

/** An error as Graph answers it. */
export const graphError = ({
  status,
  code,
  message,
  details,
  subcode,
  type,
}: GraphError): ProviderAnswer => ({
  status,
  body: {
    error: {
      message: code >= 1000 ? `(#${code}) ${message}` : message,
      type: type ?? 'OAuthException',
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
      fbtrace_id: 'SANDBOX',
    },
  },
});

export const invalidParameter = (details: string): ProviderAnswer =>
  graphError({ status: 400, code: 100, message: '(#100) Invalid parameter', details });

export const unknownObject = (method: string, id: string): ProviderAnswer =>
  graphError({
    status: 400,
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  });

export const wrongToken = (): ProviderAnswer =>
  graphError({ status: 401, code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });

export const undeliverable = (): ProviderAnswer =>
  graphError({
    status: 400,
    code: 131026,
    message: 'Message undeliverable',
    details: 'Message Undeliverable.',
  });

export const somethingWentWrong = (): ProviderAnswer =>
  graphError({ status: 500, code: 131000, message: 'Something went wrong' });
