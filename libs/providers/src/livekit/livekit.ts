import {
  ParticipantInfo_Kind,
  SIPDispatchRuleInfo,
  SIPMediaConfig,
  SIPMediaEncryption,
  SIPOutboundConfig,
  SIPTransport,
} from '@livekit/protocol';
import type { Secret } from '@parley/process-kit';
import {
  type ParticipantInfo,
  RoomAgentDispatch,
  RoomConfiguration,
  RoomServiceClient,
  SipClient,
} from 'livekit-server-sdk';
import { ok, type ProviderResult } from '../provider-result.ts';
import type { SipServer, VoicePlatform } from '../voice-platform.ts';
import { answerOf, goneOf, isCode, outcomeOf } from './outcome.ts';
import { liveKitTrunks } from './trunks.ts';

/** Where LiveKit is, the credentials of its project, and the name of the agent to send into rooms. */
export interface LiveKitOptions {
  /** Scheme and host. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: Secret;
  readonly agentName: string;
}

/** Seconds after which a request's outcome is unknown. */
const timeoutS = 5;
/** Identity of whoever is on the telephone in a room; agents have names of their own. */
const customer = 'customer';
/** Attribute of a caller with the agent's brief. The brief of an outgoing call is the room's metadata instead. */
const briefAttribute = 'parley.brief';
const roomPrefix = 'call-';
const ruleName = 'parley';
/**
 * Seconds for which a room stays open once its customer has left (LiveKit does not count the agent): time for the agent
 * to write its report, which LiveKit tells when the room ends. Telephony waits longer than that for it.
 */
const departureTimeout = 30;

/** LiveKit as the voice platform. Requests are never repeated here: a repeated call would ring twice. */
export function createLiveKit({ baseUrl, apiKey, apiSecret, agentName }: LiveKitOptions): VoicePlatform {
  const options = { requestTimeout: timeoutS, failover: false };
  const sip = new SipClient(baseUrl, apiKey, apiSecret.reveal(), options);
  const rooms = new RoomServiceClient(baseUrl, apiKey, apiSecret.reveal(), options);
  const roomOptions = () => ({ agents: [new RoomAgentDispatch({ agentName })], departureTimeout });

  const isOurs = (config?: RoomConfiguration): boolean =>
    config?.departureTimeout === departureTimeout &&
    config.agents.some((agent) => agent.agentName === agentName);

  /**
   * Corrects the dispatch rule for inbound calls if it names another agent than the configured one; false when there is
   * no rule.
   */
  async function keepRule(): Promise<ProviderResult<boolean>> {
    const rules = await answerOf(sip.listSipDispatchRule());
    if (rules.kind !== 'ok') return rules;
    const rule = rules.value.find(({ name }) => name === ruleName);
    if (!rule || isOurs(rule.roomConfig)) return ok(rule !== undefined);
    const roomConfig = new RoomConfiguration({ ...rule.roomConfig, ...roomOptions() });
    const renamed = new SIPDispatchRuleInfo({ ...rule, roomConfig });
    const updated = await outcomeOf(sip.updateSipDispatchRule(rule.sipDispatchRuleId, renamed));
    return updated.kind === 'ok' ? ok(true) : updated;
  }

  return {
    ...liveKitTrunks(sip),
    async keepAgent() {
      const ruled = await keepRule();
      return ruled.kind === 'ok' ? ok(undefined) : ruled;
    },
    async receiveCalls() {
      const ruled = await keepRule();
      if (ruled.kind !== 'ok') return ruled;
      if (ruled.value) return ok(undefined);
      const made = await outcomeOf(
        sip.createSipDispatchRule(
          { type: 'individual', roomPrefix },
          { name: ruleName, roomConfig: new RoomConfiguration(roomOptions()) },
        ),
      );
      if (made.kind === 'ok') return ok(undefined);
      // The answer may have been lost, or another process was faster: LiveKit refuses a second rule.
      const present = await keepRule();
      return present.kind === 'ok' && present.value ? ok(undefined) : made;
    },
    async call({ room, via, to, from, brief, ringingTimeoutS, maxDurationS }) {
      const opened = await outcomeOf(
        rooms.createRoom({ name: room, metadata: JSON.stringify(brief), ...roomOptions() }),
      );
      // Nobody was dialed, so nothing rings, whether or not the room exists.
      if (opened.kind === 'unknown') return { kind: 'unavailable', message: opened.message };
      if (opened.kind !== 'ok') return opened;
      const dialed = await outcomeOf(
        sip.createSipParticipant(
          'trunkId' in via ? via.trunkId : '',
          to,
          room,
          {
            fromNumber: from,
            participantIdentity: customer,
            ringingTimeout: ringingTimeoutS,
            maxCallDuration: maxDurationS,
            ...('server' in via && { media: encrypted }),
          },
          'server' in via ? outboundTo(via.server) : undefined,
        ),
      );
      return dialed.kind === 'ok' || isCode(dialed, 'already_exists') ? ok(undefined) : dialed;
    },
    introduce: ({ room, identity }, brief) =>
      goneOf(
        rooms.updateParticipant(room, identity, { attributes: { [briefAttribute]: JSON.stringify(brief) } }),
      ),
    async isOnCall(room) {
      const listed = await answerOf(rooms.listParticipants(room));
      if (isCode(listed, 'not_found')) return ok(false);
      return listed.kind === 'ok' ? ok(listed.value.some(isOnTelephone)) : listed;
    },
    hangUp: (room) => goneOf(rooms.deleteRoom(room)),
  };
}

/** Requires encrypted media: by default LiveKit would go on without. */
const encrypted = new SIPMediaConfig({ encryption: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE });
const outboundTo = ({ address, credentials }: SipServer): SIPOutboundConfig =>
  new SIPOutboundConfig({
    hostname: address,
    transport: SIPTransport.SIP_TRANSPORT_TLS,
    authUsername: credentials.username,
    authPassword: credentials.password.reveal(),
  });

const isOnTelephone = ({ kind }: ParticipantInfo): boolean => kind === ParticipantInfo_Kind.SIP;
