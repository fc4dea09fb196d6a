import { SIPTransport } from '@livekit/protocol';
import { SIPInboundTrunkInfo, SIPOutboundTrunkInfo, type SipClient } from 'livekit-server-sdk';
import { garbledBy, ok } from '../provider-result.ts';
import type { PlatformTrunk, TrunkDirection, VoicePlatform } from '../voice-platform.ts';
import { lineOf, spellingsOf } from './line.ts';
import { answerOf, goneOf, outcomeOf } from './outcome.ts';

type Trunks = Pick<
  VoicePlatform,
  'createTrunk' | 'findTrunks' | 'inboundOf' | 'replaceTrunk' | 'deleteTrunk'
>;

/** SIP trunks on LiveKit; a trunk's metadata is our reference. */
export const liveKitTrunks = (sip: SipClient): Trunks => ({
  async createTrunk(direction, trunk) {
    const made = await outcomeOf(create(sip, direction, trunk).then(({ sipTrunkId }) => sipTrunkId));
    // The SDK reads a missing field as an empty string.
    return made.kind === 'ok' && made.value === '' ? garbledBy('LiveKit') : made;
  },
  async findTrunks(direction, { reference, number }) {
    const wanted = { numbers: number === '*' ? [] : spellingsOf(number) };
    const listed =
      direction === 'inbound' ? sip.listSipInboundTrunk(wanted) : sip.listSipOutboundTrunk(wanted);
    const found = await answerOf<readonly { metadata: string; sipTrunkId: string }[]>(listed);
    if (found.kind !== 'ok') return found;
    return ok(
      found.value.filter(({ metadata }) => metadata === reference).map(({ sipTrunkId }) => sipTrunkId),
    );
  },
  async inboundOf(number) {
    const listed = await answerOf(sip.listSipInboundTrunk({ numbers: spellingsOf(number) }));
    if (listed.kind !== 'ok') return listed;
    const line = lineOf(number);
    const ofLine = listed.value.filter(({ numbers }) => numbers.some((one) => lineOf(one) === line));
    return ok(ofLine.map(({ metadata }) => metadata));
  },
  async replaceTrunk(direction, id, trunk) {
    const replaced = await outcomeOf<unknown>(
      direction === 'inbound'
        ? sip.updateSipInboundTrunk(id, new SIPInboundTrunkInfo({ ...inbound(trunk), ...common(trunk) }))
        : sip.updateSipOutboundTrunk(
            id,
            new SIPOutboundTrunkInfo({ ...outbound(trunk), ...common(trunk), address: trunk.address }),
          ),
    );
    return replaced.kind === 'ok' ? ok(undefined) : replaced;
  },
  deleteTrunk: (id) => goneOf(sip.deleteSipTrunk(id)),
});

const create = (
  sip: SipClient,
  direction: TrunkDirection,
  trunk: PlatformTrunk,
): Promise<{ readonly sipTrunkId: string }> =>
  direction === 'inbound'
    ? sip.createSipInboundTrunk(trunk.name, [trunk.number], inbound(trunk))
    : sip.createSipOutboundTrunk(trunk.name, trunk.address, [trunk.number], outbound(trunk));

const common = ({ name, number }: PlatformTrunk) => ({ name, numbers: [number] });

const credentialsOf = ({ credentials }: PlatformTrunk) =>
  credentials && { authUsername: credentials.username, authPassword: credentials.password.reveal() };

const inbound = (trunk: PlatformTrunk) => ({
  metadata: trunk.reference,
  ...(trunk.allowedIps ? { allowedAddresses: [...trunk.allowedIps] } : credentialsOf(trunk)),
});

const outbound = (trunk: PlatformTrunk) => ({
  metadata: trunk.reference,
  // LiveKit chooses between UDP and TCP.
  transport: SIPTransport.SIP_TRANSPORT_AUTO,
  ...credentialsOf(trunk),
  ...(trunk.country === null ? {} : { destinationCountry: trunk.country }),
  headers: { ...trunk.headers },
});
