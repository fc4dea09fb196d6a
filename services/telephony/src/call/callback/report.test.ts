import type { CallEvent } from '@parley/contracts';
import type { CallReport } from '@parley/providers/livekit';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { call, isLive } from '../call.ts';
import { reportedEnd } from './report.ts';

const state = given(call, ...golden<CallEvent>('CallArrived.v1', 'CallDialed.v1'));
const report: CallReport = {
  direction: 'inbound',
  from: '+491701234567',
  to: '+4930901820',
  outcome: 'completed',
  duration_s: 61.4,
  ended_at: '2026-11-21T09:32:00.000Z',
  transcript: null,
  recording_url: null,
  recording_follows: false,
  extracted_variables: null,
};
function end(change: Partial<CallReport>) {
  if (!isLive(state)) throw new Error('There is no call.');
  return reportedEnd(state, { ...report, ...change });
}

describe('the end of a call', () => {
  test.each([
    ['no-answer', 'no_answer'],
    ['busy', 'busy'],
    ['failed', 'failed'],
  ] as const)('took no time when the outcome was %s', (outcome, status) =>
    expect(end({ outcome })).toMatchObject({ status, duration_s: 0 }),
  );

  test('has the transcript in turns, as an agent writes it, as a model does, or as lines', () => {
    const turns = [{ role: 'customer', text: 'Hello' }];
    expect(end({ transcript: turns }).transcript).toEqual(turns);
    expect(end({ transcript: [{ role: 'customer', content: 'Hello' }] }).transcript).toEqual(turns);
    expect(end({ transcript: 'customer: Hello\n\n' }).transcript).toEqual(turns);
    expect(end({ transcript: 'Hello' }).transcript).toEqual([{ role: 'unknown', text: 'Hello' }]);
  });

  test('has all turns of a transcript in lines, whatever breaks within them and however long they are', () => {
    const text = `a\rb\u2028c\u2029${' '.repeat(1_000_000)}d`;
    const started = performance.now();
    const { transcript } = end({ transcript: `customer: ${text} \r\n${text}` });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(transcript).toEqual([
      { role: 'customer', text },
      { role: 'unknown', text },
    ]);
  });

  test('has no transcript where there is none to be read', () => {
    for (const transcript of [null, 7, { role: 'customer' }, [{ role: 'customer' }, 'Hello']])
      expect(end({ transcript }).transcript).toEqual([]);
  });

  test('says that a recording follows, unless it is there', () => {
    expect(end({ recording_follows: true })).toMatchObject({ recording_url: null, recording_follows: true });
    const recording_url = 'https://example.com/7.mp3';
    expect(end({ recording_follows: true, recording_url })).toMatchObject({
      recording_url,
      recording_follows: false,
    });
  });

  test('has nothing in it that Postgres does not store', () => {
    const ended = end({
      transcript: [{ role: 'customer', text: 'a\u0000b\ud800' }],
      recording_url: 'https://example.com/\u0000.mp3',
      extracted_variables: { 'na\u0000me': '\u0000', path: 'C:\\u0000\\ud800' },
    });
    expect(ended).toMatchObject({
      transcript: [{ role: 'customer', text: 'a\ufffdb\ufffd' }],
      recording_url: 'https://example.com/\ufffd.mp3',
      extracted_variables: { 'na\ufffdme': '\ufffd', path: 'C:\\u0000\\ud800' },
    });
  });
});

test('the direction of a call that others began is the one that was reported; of ours it is known', () => {
  const ended = { type: 'CallEnded', data: end({ direction: 'outbound' }) } as const;
  expect(ended.data.direction).toBe('outbound');
  expect(call.evolve(state, ended)).toMatchObject({ direction: 'outbound' });
  const ours = given(call, ...golden<CallEvent>('CallRequested.v1'));
  expect(isLive(ours) && reportedEnd(ours, report).direction).toBe('outbound');
});

test('a call that was given up stays so, and one that arrived is not dialed', () => {
  expect(given(call, ...golden<CallEvent>('CallDialed.v1'))).toBeNull();
  expect(state).toMatchObject({ phase: 'arrived' });
  const dropped = given(
    call,
    ...golden<CallEvent>('CallDropped.v1', 'CallEnded.v1', 'CallRecordingAdded.v1'),
  );
  expect(dropped).toEqual({ phase: 'dropped' });
});
