import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { type Ending, reportOf, withReport } from './report.ts';

const endedAt = new Date('2026-01-01T00:01:00Z');
const call: Call = {
  sip_call_id: 'SCL_1',
  room_name: 'room',
  direction: 'outbound',
  trunk_id: 'ST_1',
  remote_number: '+491701234567',
  local_number: '+14155552671',
  identity: 'sip',
  participant_sid: 'PA_1',
  participant_name: '',
  participant_metadata: '',
  attributes: {},
  created_at: new Date('2026-01-01T00:00:00Z'),
};
const ending: Ending = {
  outcome: 'completed',
  durationS: 42,
  transcript: 'Hello.',
  recordingUrl: null,
  recordingFollows: false,
  extractedVariables: { city: 'Berlin' },
};

test('a completed call was answered its duration before it ended', () => {
  expect(reportOf(call, ending, endedAt)).toMatchObject({
    from: '+14155552671',
    to: '+491701234567',
    answered_at: '2026-01-01T00:00:18.000Z',
    duration_s: 42,
  });
});

test('a call that nobody took has neither duration nor transcript', () => {
  const report = reportOf({ ...call, direction: 'inbound' }, { ...ending, outcome: 'busy' }, endedAt);
  expect(report).toMatchObject({ from: '+491701234567', duration_s: 0, answered_at: null, transcript: null });
});

test('a recording that the voice platform tells of later is not in the report', () => {
  const recorded = { ...ending, recordingUrl: 'https://example.com/7.mp3', recordingFollows: true };
  expect(reportOf(call, recorded, endedAt)).toMatchObject({ recording_url: null, recording_follows: true });
});

test('the report joins what the room’s metadata said', () => {
  const report = reportOf(call, ending, endedAt);
  expect(JSON.parse(withReport('{"call_id":7}', report))).toMatchObject({
    call_id: 7,
    call: { duration_s: 42 },
  });
  expect(JSON.parse(withReport('no json', report))).toEqual({ call: report });
});

test('a report that an agent has left stays as it is, to the letter', () => {
  const left =
    '{"call_id":7, "call":{"outcome":"completed","extracted_variables":{"n":12345678901234567890}}}';
  expect(withReport(left, reportOf(call, ending, endedAt))).toBe(left);
});
