import { randomUUID } from 'node:crypto';
import { SipClient } from 'livekit-server-sdk';
import type { Api } from './api.ts';
import { freshBusinessNumber } from './chat-platform.ts';

export interface SipTrunk {
  readonly id: number;
  readonly phone_number: string;
  readonly inbound_trunk_id: string;
  readonly outbound_trunk_id: string;
}

/** A trunk with a number that nobody else uses. */
export const sipTrunkBody = (change: object = {}) => ({
  phone_number: freshBusinessNumber(),
  nickname: 'Office',
  sip_username: 'acme',
  sip_password: `password-${randomUUID()}`,
  sip_address: 'sip.example.com:5061',
  country_code: 'DE',
  ...change,
});

export async function createSipTrunk(api: Api, change: object = {}): Promise<SipTrunk> {
  const { status, body } = await api.post('/api/user/phone-numbers/sip-trunks', sipTrunkBody(change));
  if (status !== 201) throw new Error(`No SIP trunk: ${JSON.stringify(body)}`);
  return (body as { data: SipTrunk }).data;
}

export const ownSipTrunk = async (api: Api): Promise<number> => (await createSipTrunk(api)).id;

const ofPlatform = (sandboxUrl: string) =>
  new SipClient(sandboxUrl, 'sandbox-livekit', 'sandbox-livekit-secret-of-32-characters');

/** As somebody does there by hand. */
export async function deletePlatformTrunks(sandboxUrl: string, trunk: SipTrunk): Promise<void> {
  for (const id of [trunk.inbound_trunk_id, trunk.outbound_trunk_id])
    await ofPlatform(sandboxUrl).deleteSipTrunk(id);
}

/** What the voice platform has for a number, asked with its own client. */
export async function platformTrunks(sandboxUrl: string, { phone_number }: Pick<SipTrunk, 'phone_number'>) {
  const sip = ofPlatform(sandboxUrl);
  const numbers = [phone_number];
  return {
    inbound: await sip.listSipInboundTrunk({ numbers }),
    outbound: await sip.listSipOutboundTrunk({ numbers }),
  };
}
