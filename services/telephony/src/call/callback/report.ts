import type { CallEndedEvent } from '@parley/contracts';
import { replaceUnstorable } from '@parley/event-store';
import type { CallOutcome, CallReport } from '@parley/providers/livekit';
import { z } from 'zod';
import type { LiveCall } from '../call.ts';

type Ended = CallEndedEvent['data'];

const statuses = {
  completed: 'completed',
  'no-answer': 'no_answer',
  busy: 'busy',
  failed: 'failed',
} as const satisfies Record<CallOutcome, Ended['status']>;

const sameAsBefore = (call: LiveCall) => ({
  call_id: call.call_id,
  direction: call.direction,
  assistant_id: call.assistant_id,
  customer_phone: call.customer_phone,
  assistant_phone: call.assistant_phone,
  input_variables: call.input_variables,
  lead_id: call.lead_id,
  campaign_id: call.campaign_id,
  created_at: call.created_at,
});

/** The end of a call by the agent's report. Of a call that others began, the report also decides the direction. */
export const reportedEnd = (call: LiveCall, report: CallReport): Ended => ({
  ...sameAsBefore(call),
  direction: call.phase === 'arrived' ? report.direction : call.direction,
  status: statuses[report.outcome],
  duration_s: report.outcome === 'completed' ? Math.round(report.duration_s) : 0,
  transcript: turnsOf(report.transcript),
  recording_url: report.recording_url ? replaceUnstorable(report.recording_url) : null,
  recording_follows: !report.recording_url && report.recording_follows,
  extracted_variables: variablesOf(report.extracted_variables ?? {}),
  finished_at: new Date(report.ended_at).toISOString(),
});

/** The end of a call without a report: its duration is unknown, so it costs nothing. */
export const unreportedEnd = (call: LiveCall, outcome: CallOutcome, now: Date): Ended => ({
  ...sameAsBefore(call),
  status: statuses[outcome],
  duration_s: 0,
  transcript: [],
  recording_url: null,
  recording_follows: false,
  extracted_variables: {},
  finished_at: now.toISOString(),
});

const turn = z.object({ role: z.string(), text: z.string() });
/** The same in the format of language models. */
const modelTurn = z
  .object({ role: z.string(), content: z.string() })
  .transform(({ role, content }) => ({ role, text: content }));

/**
 * The transcript's turns, from a list of turns or from text in lines such as `customer: Hello`; none from anything
 * else.
 */
function turnsOf(transcript: unknown): Ended['transcript'] {
  if (typeof transcript === 'string')
    return transcript.split('\n').flatMap((line) => {
      const [prefix = '', role = 'unknown'] = /^([A-Za-z_]{1,32}):/.exec(line) ?? [];
      const text = replaceUnstorable(line.slice(prefix.length)).trim();
      return text === '' ? [] : [{ role, text }];
    });
  if (!Array.isArray(transcript)) return [];
  return transcript.flatMap((entry) => {
    const { data } = z.union([turn, modelTurn]).safeParse(entry);
    return data ? [{ role: replaceUnstorable(data.role), text: replaceUnstorable(data.text) }] : [];
  });
}

function variablesOf(variables: Readonly<Record<string, unknown>>): Ended['extracted_variables'] {
  // Escapes of NUL and surrogates, which Postgres refuses. An escaped backslash is matched first: what follows it is no
  // escape.
  const json = JSON.stringify(variables).replaceAll(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/gi, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  );
  return z.record(z.string(), z.json()).parse(JSON.parse(json));
}
