import { expect, onTestFinished, test, vi } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { printReactors } from './reactors.ts';

const lag = { follows: null, position: 41, head: 45, lag_seconds: 3605.2, error: null };
const next = { position: 42, event_id: 'e', type: 'CallEnded', stream_id: 'call-5', account_id: 7 };
const idle = { ...lag, name: 'idle', position: 45, next: null, lag_seconds: 0 };
const reactors = [
  { ...lag, name: 'charge', next },
  { ...idle, name: 'broken', follows: 'messaging', error: 'Error: ends \u001b[2J at 3\n    at read' },
  idle,
];

test('each reactor is shown with its lag and the event at which it stands, or with why nobody knows', async () => {
  let shown = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    shown += String(text);
    return true;
  });
  onTestFinished(() => write.mockRestore());
  const operator = {
    ask: async (service: string) => ({
      kind: 'ok',
      value: { reactors: service === 'telephony' ? reactors : [] },
    }),
  } as unknown as Operator;
  await printReactors(operator, { json: false });
  expect(shown.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|'))).toEqual([
    expect.stringContaining('SERVICE|REACTOR|FOLLOWS|POSITION|LAG|SECONDS|STANDS AT'),
    'telephony|charge|telephony|41|4|3,605|CallEnded call-5, position 42',
    'telephony|broken|messaging|45|?|?|Error: ends \ufffd[2J at 3',
    'telephony|idle|telephony|45|0|0|-',
    '',
  ]);
});
