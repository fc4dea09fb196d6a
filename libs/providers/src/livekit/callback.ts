import { createHash, timingSafeEqual } from 'node:crypto';
import { dropUnstorable } from '@parley/contracts';
import { parseWithAllDigits, type Secret } from '@parley/process-kit';
import { type ParticipantInfo, type Room, TokenVerifier, WebhookEvent } from 'livekit-server-sdk';
import { z } from 'zod';

/** More is no duration: a call ends after twenty minutes. */
const maxDurationS = 24 * 60 * 60;

/** The year has four digits, also in UTC: no event with another could be read again. */
const isRecordable = (time: string): boolean => /^\d{4}-/.test(new Date(time).toISOString());

/** What the agent leaves about a call in its room, as `call` of the room's metadata. */
const reportSchema = z.object({
  direction: z.enum(['inbound', 'outbound']),
  from: z.string().transform(dropUnstorable),
  to: z.string().transform(dropUnstorable),
  outcome: z.enum(['completed', 'no-answer', 'busy', 'failed']),
  duration_s: z.number().nonnegative().max(maxDurationS).catch(0),
  ended_at: z.iso.datetime({ offset: true }).refine(isRecordable).nullable().catch(null),
  transcript: z.unknown().optional(),
  recording_url: z.string().nullish().catch(null),
  recording_follows: z.boolean().catch(false),
  extracted_variables: z.record(z.string(), z.unknown()).nullish().catch(null),
});
/**
 * What an agent said of its call. `duration_s` is seconds of conversation, 0 when it was told otherwise than as a number up to
 * 24 hours; `ended_at` is ISO 8601, counted from the room's opening when it was not told usably.
 */
export type CallReport = z.output<typeof reportSchema> & { readonly ended_at: string };
export type CallOutcome = CallReport['outcome'];

/** Somebody on a telephone, in a room. */
export interface Caller {
  readonly room: string;
  /** Within the room, as the platform calls them. */
  readonly identity: string;
  /** ISO 8601: when the room was opened. */
  readonly openedAt: string;
  /** The platform's id of the trunk; empty when the call came by none that it knows. */
  readonly trunkId: string;
  readonly customerPhone: string;
  readonly ourPhone: string;
}

/** What LiveKit tells, as far as calls are concerned. */
export type VoiceEvent =
  | ({ readonly type: 'joined'; readonly direction: CallReport['direction'] } & Caller)
  | ({ readonly type: 'left'; readonly outcome: CallOutcome } & Caller)
  | {
      readonly type: 'finished';
      readonly room: string;
      readonly openedAt: string;
      /** `null` when nobody left one. */
      readonly report: CallReport | null;
    }
  | { readonly type: 'recorded'; readonly room: string; readonly recordingUrl: string };

type VoiceCallback =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'malformed' }
  /** `null` when it is about nothing that matters here. */
  | { readonly kind: 'event'; readonly event: VoiceEvent | null };

/** Checks a callback's signature over exactly its bytes, then reads it. */
export async function readLiveKitCallback(
  { apiKey, apiSecret }: { readonly apiKey: string; readonly apiSecret: Secret },
  body: Buffer,
  authorization: string,
): Promise<VoiceCallback> {
  const claims = await new TokenVerifier(apiKey, apiSecret.reveal())
    .verify(authorization)
    .catch(() => undefined);
  const digest = createHash('sha256').update(body).digest();
  const signed = Buffer.from(claims?.sha256 ?? '', 'base64');
  if (signed.length !== digest.length || !timingSafeEqual(signed, digest)) return { kind: 'unsigned' };
  try {
    const event = WebhookEvent.fromJson(JSON.parse(body.toString('utf8')), { ignoreUnknownFields: true });
    return { kind: 'event', event: toVoiceEvent(event) };
  } catch {
    return { kind: 'malformed' };
  }
}

function toVoiceEvent({ event, room, participant, egressInfo }: WebhookEvent): VoiceEvent | null {
  switch (event) {
    case 'participant_joined':
    case 'participant_left': {
      if (!room || !participant || participant.kind !== sipKind) return null;
      const { attributes } = participant;
      // Callers are called by what their telephones say of themselves, and their rooms after them.
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
            report: reportOf(room),
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

const sipKind = 3;

/** Of calls that the platform makes; one that came in is `ringing` until the agent listens. */
const dialing: ReadonlySet<string | undefined> = new Set(['dialing', 'automation']);

/** A dispatch rule only ever takes calls in. */
const directionOf = (attributes: Readonly<Record<string, string>>): CallReport['direction'] =>
  !attributes['sip.ruleID'] && dialing.has(attributes['sip.callStatus']) ? 'outbound' : 'inbound';

/** LiveKit's numbers for why a participant left (`DisconnectReason`). */
const outcomes: ReadonlyMap<number, CallOutcome> = new Map([
  [11, 'no-answer'],
  [12, 'busy'],
  [13, 'failed'],
]);
/** Removed, or the room deleted: by whoever is at our end. */
const hungUp: ReadonlySet<number> = new Set([4, 5]);
const unanswered: ReadonlySet<string | undefined> = new Set(['dialing', 'ringing']);

/**
 * Of a call that its carrier, or the way there, has failed LiveKit tells no reason: only that nobody has answered it. Nor do
 * its older releases of one that has rung for as long as it may, and its newer ones not always.
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

/** An end that cannot be read is taken to be as long after the beginning as the call took. */
function reportOf({ creationTime, metadata }: Pick<Room, 'creationTime' | 'metadata'>): CallReport | null {
  try {
    const { call } = z.object({ call: reportSchema }).parse(parseWithAllDigits(metadata));
    return { ...call, ended_at: call.ended_at ?? isoOf(Number(creationTime) + call.duration_s) };
  } catch {
    return null;
  }
}
