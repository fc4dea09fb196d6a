import { createHmac } from 'node:crypto';
import { request } from 'undici';

/** The sandbox's, and the default of the platform. */
const appSecret = 'sandbox-whatsapp-app-secret';

export const signatureOf = (body: string | Buffer, secret = appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export interface CallbackAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Posts a callback as the chat platform does, signed unless told otherwise. */
export async function postCallback(
  gatewayUrl: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = { 'x-hub-signature-256': signatureOf(body) },
  path = '/hooks/chat/whatsapp',
): Promise<CallbackAnswer> {
  const answer = await request(`${gatewayUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
}

/** A notification of a WhatsApp Business Account. */
export const notification = (accountId: string, field: string, value: object): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: accountId, changes: [{ field, value }] }],
  });
