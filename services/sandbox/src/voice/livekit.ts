import { SIPParticipantInfo, TokenVerifier } from 'livekit-server-sdk';
import type { Provider, ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { endCall, startCall } from './calls.ts';
import { chatServerRefuses } from './chat-server.ts';
import { hungUp } from './report.ts';
import { roomRoutes } from './rooms.ts';
import { findSipObject } from './sip-object.ts';
import { trunkRoutes } from './trunks.ts';
import { bodyOf, field, textField, textList, textMap, twirpError, twirpOk } from './twirp.ts';

export interface LiveKitCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** LiveKit's server API for SIP trunks, calls and the rooms that calls happen in. */
export function liveKit(world: World, { apiKey, apiSecret }: LiveKitCredentials): Provider<'voice'> {
  const verifier = new TokenVerifier(apiKey, apiSecret);
  const refusal = twirpError('unauthenticated', 'invalid token');
  return {
    name: 'voice',
    refuse: async ({ headers }) => {
      const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
      if (!token) return refusal;
      return verifier.verify(token).then(
        () => null,
        () => refusal,
      );
    },
    rejection: () => twirpError('invalid_argument', 'the request was rejected'),
    breakdown: () => twirpError('internal', 'internal error'),
    routes: [
      ...trunkRoutes(world),
      ...roomRoutes(world),
      {
        method: 'POST',
        path: '/twirp/livekit.SIP/CreateSIPParticipant',
        operation: 'create_call',
        idempotencyKey: (request) => textField(bodyOf(request), 'roomName') || null,
        handle: (request) => dial(world, request),
      },
    ],
  };
}

/**
 * Rings until the control API or a hang-up ends it; `wait_until_answered` does not make the caller wait here. What the
 * server at the other end refuses is told by its participant's leaving, as there.
 */
async function dial(world: World, request: ProviderRequest): Promise<ProviderAnswer> {
  const body = bodyOf(request);
  const trunkId = textField(body, 'sipTrunkId');
  const to = textField(body, 'sipCallTo');
  const roomName = textField(body, 'roomName');
  if (to === '' || roomName === '')
    return twirpError('invalid_argument', 'call to and room name must be set');
  const isStraight = field(body, 'trunk') !== undefined;
  const trunk = isStraight ? null : await findSipObject(world.pool, ['outbound_trunk'], trunkId);
  if (!isStraight && !trunk) return twirpError('not_found', 'requested sip trunk does not exist');
  const now = world.clock.now();
  const call = await world.change(async (db, tell) => {
    const wanted = {
      room_name: roomName,
      direction: 'outbound',
      trunk_id: trunk?.id ?? '',
      remote_number: to,
      local_number: textField(body, 'sipNumber') || (trunk ? (textList(trunk.body, 'numbers')[0] ?? '') : ''),
      identity: textField(body, 'participantIdentity') || 'sip-participant',
      participant_name: textField(body, 'participantName'),
      participant_metadata: textField(body, 'participantMetadata'),
      attributes: textMap(body, 'participantAttributes'),
    } as const;
    const started = await startCall(db, tell, wanted, now);
    if (started && isStraight && (await chatServerRefuses(db, body)))
      await endCall(db, tell, started, hungUp, now);
    return started;
  });
  if (!call) return twirpError('already_exists', 'the room has a participant with that identity');
  const info = new SIPParticipantInfo({
    participantId: call.participant_sid,
    participantIdentity: call.identity,
    roomName: call.room_name,
    sipCallId: call.sip_call_id,
  });
  return twirpOk(info.toJson({ useProtoFieldName: true }));
}
