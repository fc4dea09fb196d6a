import { createHmac } from 'node:crypto';
import { type Answer, createApi } from './api.ts';
import { comingBack } from './coming-back.ts';

/** The sandbox's, and the default of the platform. */
const appSecret = 'sandbox-whatsapp-app-secret';

export const signatureOf = (body: string | Buffer, secret = appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Posts a callback as the chat platform does: signed unless told otherwise, and again when it was not taken. */
export const postCallback = (
  gatewayUrl: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = { 'x-hub-signature-256': signatureOf(body) },
  path = '/hooks/chat/whatsapp',
): Promise<Answer> => comingBack(createApi(gatewayUrl)).call('POST', path, { raw: body, headers });

/** A notification of a WhatsApp Business Account. */
export const notification = (accountId: string, field: string, value: object): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: accountId, changes: [{ field, value }] }],
  });
