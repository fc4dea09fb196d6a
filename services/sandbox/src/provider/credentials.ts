import type { ProviderRequest } from './provider.ts';

/** Whether the request carries this bearer token. */
export const hasBearer = ({ headers }: ProviderRequest, token: string): boolean =>
  headers.authorization === `Bearer ${token}`;

/** Whether the request carries these basic credentials. */
export const hasBasic = ({ headers }: ProviderRequest, user: string, password: string): boolean =>
  headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
