import { createHash, timingSafeEqual } from 'node:crypto';
import { DisconnectReason, ParticipantInfo_Kind } from '@livekit/protocol';
import { dropUnstorable } from '@parley/contracts';
import { parseWithAllDigits, type Secret } from '@parley/process-kit';
import { type ParticipantInfo, type Room, TokenVerifier, WebhookEvent } from 'livekit-server-sdk';
import { z } from 'zod';

/** Longer durations are taken for an error of the agent: calls are ended after twenty minutes. */
const maxDurationS = 24 * 60 * 60;

/** Whether the year has four digits in UTC: an event with another time could not be read again. */
const isRecordable = (time: string): boolean => /^\d{4}-/.test(new Date(time).toISOString());

/** The agent's report on its call, which it leaves as `call` in the room's metadata. */
const reportSchema = z.object({
  direction: z.enum(['inbound', 'outbound']),
  from: z.string().transform(dropUnstorable),
  to: z.string().transform(dropUnstorable),
  outcome: z.enum(['completed', 'no-answer', 'busy', 'failed']),
  duration_s: z.number().nonnegative().max(maxDurationS).catch(0),
  ended_at: z.iso.datetime({ offset: true, abort: true }).refine(isRecordable).nullable().catch(null),
  transcript: z.unknown().optional(),
  recording_url: z.string().nullish().catch(null),
  recording_follows: z.boolean().catch(false),
  extracted_variables: z.record(z.string(), z.unknown()).nullish().catch(null),
});
/**
 * The agent's report on a call. `duration_s`: seconds of conversation, 0 when the agent told no number up to 24 hours.
 * `ended_at`: ISO 8601; the room's opening plus `duration_s` when the agent told no usable time.
 */
export type CallReport = z.output<typeof reportSchema> & { readonly ended_at: string };
export type CallOutcome = CallReport['outcome'];

/** A participant on a telephone, in the room of their call. */
export interface Caller {
  readonly room: string;
  /** The platform's id of the participant, unique within the room. */
  readonly identity: string;
  /** ISO 8601: when the room was opened. */
  readonly openedAt: string;
  /** The platform's id of the trunk; empty for a call that came by no trunk known to it. */
  readonly trunkId: string;
  readonly customerPhone: string;
  readonly ourPhone: string;
}

/**
 * What LiveKit's webhooks tell about calls: somebody on a telephone came or left, a room ended, a recording is there.
 */
export type VoiceEvent =
  | ({ readonly type: 'joined'; readonly direction: CallReport['direction'] } & Caller)
  | ({ readonly type: 'left'; readonly outcome: CallOutcome } & Caller)
  | {
      readonly type: 'finished';
      readonly room: string;
      readonly openedAt: string;
      /** `null` when the agent left none, or one that cannot be read. */
      readonly report: CallReport | null;
    }
  | { readonly type: 'recorded'; readonly room: string; readonly recordingUrl: string };

type VoiceCallback =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'malformed' }
  /** `null` for events that telephony has no use for. */
  | { readonly kind: 'event'; readonly event: VoiceEvent | null };

/** Is told why what an agent has left as its report cannot be read. */
type OnUnreadable = (fault: string) => void;

/** Verifies a callback's signature, which covers exactly these bytes, and reads it. */
export async function readLiveKitCallback(
  { apiKey, apiSecret }: { readonly apiKey: string; readonly apiSecret: Secret },
  body: Buffer,
  authorization: string,
  onUnreadable: OnUnreadable,
): Promise<VoiceCallback> {
  const claims = await new TokenVerifier(apiKey, apiSecret.reveal())
    .verify(authorization)
    .catch(() => undefined);
  const digest = createHash('sha256').update(body).digest();
  const signed = Buffer.from(claims?.sha256 ?? '', 'base64');
  if (signed.length !== digest.length || !timingSafeEqual(signed, digest)) return { kind: 'unsigned' };
  try {
    const event = WebhookEvent.fromJson(JSON.parse(body.toString('utf8')), { ignoreUnknownFields: true });
    return { kind: 'event', event: toVoiceEvent(event, onUnreadable) };
  } catch {
    return { kind: 'malformed' };
  }
}

function toVoiceEvent(
  { event, room, participant, egressInfo }: WebhookEvent,
  onUnreadable: OnUnreadable,
): VoiceEvent | null {
  switch (event) {
    case 'participant_joined':
    case 'participant_left': {
      if (!room || !participant || participant.kind !== ParticipantInfo_Kind.SIP) return null;
      const { attributes } = participant;
      // LiveKit takes these names from what the caller's telephone says of itself, so they may hold anything.
      const caller = {
        room: dropUnstorable(room.name),
        identity: participant.identity,
        openedAt: isoOf(room.creationTime),
        trunkId: dropUnstorable(attributes['sip.trunkID'] ?? ''),
        customerPhone: dropUnstorable(attributes['sip.phoneNumber'] ?? ''),
        ourPhone: dropUnstorable(attributes['sip.trunkPhoneNumber'] ?? ''),
      };
      if (event === 'participant_left')
        return {
          type: 'left',
          outcome: outcomeOf(participant),
          ...caller,
        };
      return { type: 'joined', direction: directionOf(attributes), ...caller };
    }
    case 'room_finished':
      return room
        ? {
            type: 'finished',
            room: dropUnstorable(room.name),
            openedAt: isoOf(room.creationTime),
            report: reportOf(room, onUnreadable),
          }
        : null;
    case 'egress_ended': {
      const [file] = egressInfo?.fileResults ?? [];
      return egressInfo && file?.location
        ? {
            type: 'recorded',
            room: dropUnstorable(egressInfo.roomName),
            recordingUrl: dropUnstorable(file.location),
          }
        : null;
    }
    default:
      return null;
  }
}

/** Values of `sip.callStatus` of outgoing calls only; a call that came in is `ringing` until the agent listens. */
const dialing: ReadonlySet<string | undefined> = new Set(['dialing', 'automation']);

/** Only incoming calls have a dispatch rule. */
const directionOf = (attributes: Readonly<Record<string, string>>): CallReport['direction'] =>
  !attributes['sip.ruleID'] && dialing.has(attributes['sip.callStatus']) ? 'outbound' : 'inbound';

const outcomes: ReadonlyMap<DisconnectReason, CallOutcome> = new Map([
  [DisconnectReason.USER_UNAVAILABLE, 'no-answer'],
  [DisconnectReason.USER_REJECTED, 'busy'],
  [DisconnectReason.SIP_TRUNK_FAILURE, 'failed'],
]);
/** Our end hung up. */
const hungUp: ReadonlySet<DisconnectReason> = new Set([
  DisconnectReason.PARTICIPANT_REMOVED,
  DisconnectReason.ROOM_DELETED,
]);
const unanswered: ReadonlySet<string | undefined> = new Set(['dialing', 'ringing']);

/**
 * Why a call ended. LiveKit gives no reason for a call that failed at the carrier or on the way there, only that nobody
 * answered. Older releases give none either for a call that rang until its time-out, newer ones not always.
 */
function outcomeOf({ attributes, disconnectReason }: ParticipantInfo): CallOutcome {
  const told = outcomes.get(disconnectReason);
  const status = attributes['sip.callStatus'];
  if (told || !unanswered.has(status)) return told ?? 'completed';
  return status === 'ringing' || hungUp.has(disconnectReason) ? 'no-answer' : 'failed';
}

const isoOf = (seconds: number | bigint): string => {
  const time = new Date(Number(seconds) * 1000).toISOString();
  if (!isRecordable(time)) throw new RangeError(`${time} is no time of a call.`);
  return time;
};

/**
 * The agent's report in the room's metadata; `null` when there is none that can be read. `onUnreadable` is told why
 * what an agent has left as one is none.
 */
function reportOf(
  { creationTime, metadata }: Pick<Room, 'creationTime' | 'metadata'>,
  onUnreadable: OnUnreadable,
): CallReport | null {
  try {
    const left: unknown = Object(parseWithAllDigits(metadata)).call;
    if (left === undefined) return null;
    const { data: call, error } = reportSchema.safeParse(left);
    if (call) return { ...call, ended_at: call.ended_at ?? isoOf(Number(creationTime) + call.duration_s) };
    onUnreadable(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    return null;
  } catch {
    return null;
  }
}
