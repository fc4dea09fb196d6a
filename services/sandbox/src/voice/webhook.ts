import { createHash } from 'node:crypto';
import {
  AccessToken,
  EgressInfo,
  EgressStatus,
  ParticipantInfo,
  Room as RoomMessage,
  WebhookEvent,
} from 'livekit-server-sdk';
import type { Callback } from '../callbacks/callback.ts';
import type { Hook } from '../callbacks/courier.ts';
import type { Call, Room } from './call.ts';
import type { CallOutcome } from './report.ts';
import { newSid } from './sip-object.ts';

const seconds = (at: Date): bigint => BigInt(Math.floor(at.getTime() / 1000));

export const roomMessage = (room: Room, participants: number): RoomMessage =>
  new RoomMessage({
    sid: room.sid,
    name: room.name,
    metadata: room.metadata,
    creationTime: seconds(room.created_at),
    numParticipants: participants,
    emptyTimeout: 300,
    departureTimeout: 20,
  });

/** LiveKit's numbers for why a participant left (`DisconnectReason`): none of its own where the carrier has failed. */
const disconnectReasons: Readonly<Record<CallOutcome, number>> = {
  completed: 1,
  'no-answer': 11,
  busy: 12,
  failed: 1,
};

const sipKind = 3;
const states = { active: 2, disconnected: 3 } as const;

/** Who calls in rings until the agent listens; who is called is dialed until somebody answers. */
const beginnings = { inbound: 'ringing', outbound: 'dialing' } as const satisfies Record<
  Call['direction'],
  string
>;

/** In the room, or with an outcome: gone. */
export const participantMessage = (call: Call, outcome: CallOutcome | null = null): ParticipantInfo =>
  new ParticipantInfo({
    sid: call.participant_sid,
    identity: call.identity,
    name: call.participant_name,
    metadata: call.participant_metadata,
    kind: sipKind,
    state: outcome ? states.disconnected : states.active,
    joinedAt: seconds(call.created_at),
    attributes: {
      ...call.attributes,
      'sip.callID': call.sip_call_id,
      'sip.callStatus': outcome === 'completed' ? 'hangup' : beginnings[call.direction],
      'sip.phoneNumber': call.remote_number,
      'sip.trunkID': call.trunk_id,
      'sip.trunkPhoneNumber': call.local_number,
    },
    ...(outcome ? { disconnectReason: disconnectReasons[outcome] } : {}),
  });

type Content = Pick<Partial<WebhookEvent>, 'room' | 'participant' | 'egressInfo'>;

function webhook(
  event: 'room_started' | 'room_finished' | 'participant_joined' | 'participant_left' | 'egress_ended',
  roomName: string,
  at: Date,
  content: Content,
): Callback {
  const message = new WebhookEvent();
  message.id = newSid('EV');
  message.event = event;
  message.createdAt = seconds(at);
  if (content.room) message.room = content.room;
  if (content.participant) message.participant = content.participant;
  if (content.egressInfo) message.egressInfo = content.egressInfo;
  return { provider: 'voice', topic: `voice:${roomName}`, event, payload: message.toJson() };
}

export const roomStarted = (room: Room, at: Date): Callback =>
  webhook('room_started', room.name, at, { room: roomMessage(room, 0) });

export const participantJoined = (room: Room, call: Call, at: Date): Callback =>
  webhook('participant_joined', room.name, at, {
    room: roomMessage(room, 1),
    participant: participantMessage(call),
  });

export const participantLeft = (room: Room, call: Call, outcome: CallOutcome, at: Date): Callback =>
  webhook('participant_left', room.name, at, {
    room: roomMessage(room, 0),
    participant: participantMessage(call, outcome),
  });

export const recordingEnded = (room: Room, location: string, startedAt: Date, at: Date): Callback => {
  const nanos = (moment: Date) => BigInt(moment.getTime()) * 1_000_000n;
  const duration = nanos(at) - nanos(startedAt);
  return webhook('egress_ended', room.name, at, {
    egressInfo: new EgressInfo({
      egressId: newSid('EG'),
      roomId: room.sid,
      roomName: room.name,
      status: EgressStatus.EGRESS_COMPLETE,
      startedAt: nanos(startedAt),
      endedAt: nanos(at),
      fileResults: [
        { filename: location, location, startedAt: nanos(startedAt), endedAt: nanos(at), duration },
      ],
    }),
  });
};

/** The room's metadata holds the call's report by now. */
export const roomFinished = (room: Room, at: Date): Callback =>
  webhook('room_finished', room.name, at, { room: roomMessage(room, 0) });

/** LiveKit signs the hash of the body with a token of the API key. */
export const liveKitHook = (apiKey: string, apiSecret: string): Hook => ({
  path: '/hooks/voice/livekit',
  headers: async (body) => {
    const token = new AccessToken(apiKey, apiSecret, { ttl: '5m' });
    token.sha256 = createHash('sha256').update(body).digest('base64');
    return { 'content-type': 'application/webhook+json', authorization: await token.toJwt() };
  },
});
