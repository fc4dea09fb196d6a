import { createHash, randomUUID } from 'node:crypto';
import { AccessToken } from 'livekit-server-sdk';
import { gatewayUrls } from './accounts.ts';
import { type Answer, createApi } from './api.ts';
import { comingBack } from './coming-back.ts';

export const voicePath = '/hooks/voice/livekit';

/** A callback as LiveKit sends and signs it, to one of the gateways, again when it was not taken. */
export async function tell(content: object, gateway = 0): Promise<Answer> {
  const body = JSON.stringify({ id: `EV_${randomUUID()}`, ...content });
  const token = new AccessToken('sandbox-livekit', 'sandbox-livekit-secret-of-32-characters');
  token.sha256 = createHash('sha256').update(body).digest('base64');
  const headers = { authorization: await token.toJwt(), 'content-type': 'application/webhook+json' };
  return comingBack(createApi(gatewayUrls()[gateway] ?? '')).call('POST', voicePath, { raw: body, headers });
}

export const freshRoom = () => ({ name: `call-${randomUUID()}`, creationTime: '1795253400' });

/** Somebody on a telephone, connected by a trunk. */
export const talking = (customer: string, ours: string, attributes: Record<string, string>) => ({
  kind: 'SIP',
  attributes: {
    'sip.callStatus': 'active',
    'sip.phoneNumber': customer,
    'sip.trunkPhoneNumber': ours,
    ...attributes,
  },
});
