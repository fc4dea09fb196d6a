import { parseJson } from '@parley/process-kit';
import { z } from 'zod';
import type { Call } from './call.ts';

export const callOutcomes = ['completed', 'no-answer', 'busy', 'failed'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** What came of a call, as the agent in the room leaves it in the room's metadata (README, "Call reports"). */
export interface CallReport {
  readonly direction: Call['direction'];
  readonly from: string;
  readonly to: string;
  readonly outcome: CallOutcome;
  readonly duration_s: number;
  readonly answered_at: string | null;
  readonly ended_at: string;
  readonly transcript: unknown;
  readonly recording_url: string | null;
  /** Whether the voice platform tells of the recording later, after the call. */
  readonly recording_follows: boolean;
  readonly extracted_variables: Readonly<Record<string, unknown>>;
}

export interface Ending {
  readonly outcome: CallOutcome;
  readonly durationS: number;
  readonly transcript: unknown;
  readonly recordingUrl: string | null;
  readonly recordingFollows: boolean;
  readonly extractedVariables: Readonly<Record<string, unknown>>;
}

/** The end of a call of which no agent reports anything, or that had no conversation. */
export const hungUp: Ending = {
  outcome: 'failed',
  durationS: 0,
  transcript: null,
  recordingUrl: null,
  recordingFollows: false,
  extractedVariables: {},
};

/** A call that is not completed was never answered and has no duration. */
export function reportOf(call: Call, ending: Ending, endedAt: Date): CallReport {
  const isAnswered = ending.outcome === 'completed';
  const isInbound = call.direction === 'inbound';
  return {
    direction: call.direction,
    from: isInbound ? call.remote_number : call.local_number,
    to: isInbound ? call.local_number : call.remote_number,
    outcome: ending.outcome,
    duration_s: isAnswered ? ending.durationS : 0,
    answered_at: isAnswered ? new Date(endedAt.getTime() - ending.durationS * 1000).toISOString() : null,
    ended_at: endedAt.toISOString(),
    transcript: isAnswered ? ending.transcript : null,
    recording_url: isAnswered && !ending.recordingFollows ? ending.recordingUrl : null,
    recording_follows: isAnswered && ending.recordingFollows,
    extracted_variables: isAnswered ? ending.extractedVariables : {},
  };
}

/** The report under `call`, beside what the room's metadata said already; one that an agent has left stays. */
export function withReport(metadata: string, report: CallReport): string {
  const { data: known = {} } = object.safeParse(parseJson(metadata));
  return 'call' in known ? metadata : JSON.stringify({ ...known, call: report });
}

const object = z.record(z.string(), z.unknown());
