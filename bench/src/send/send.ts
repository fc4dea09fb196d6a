import { eventually } from '@parley/testing';
import { httpRequest, type LoadResult } from '@parley/testing/load';
import { allAnswered, type Contender } from '../http/contender.ts';
import { inTurn, mapValues, startingWith } from '../http/setup.ts';
import { startDirectSide } from './direct-side.ts';
import { parleySide } from './parley-side.ts';
import { countAsked, countWaiting, type Side } from './side.ts';

/** In rotation, so that none comes near five sends a second. */
const senders = 500;

export const sendText = {
  title: 'Sends',
  notes: [
    '`POST /api/user/chatapp/send` of a template, each to somebody new, 500 accounts in rotation with one unlimited sender each, the sandbox answering at once on the same cores. `direct` is the same work by hand on Fastify, pg and fetch: one query for key, sender and template, one statement that debits the balance and records the message before the platform is asked, one that records its answer, and the callbacks; no bus, no events, no idempotency keys, no recovery of a send that a crash interrupts. What was asked of the sandbox, recorded and paid is counted after each run. CPU time includes the sandbox on both sides.',
  ],
  isLong: true,
};

/** Template sends from the request to the platform's answer, beside the same work written by hand. */
export const startSends = startingWith(async ({ stack, onStop }) => {
  const direct = await startDirectSide(stack, senders);
  onStop(direct.stop);
  const sides = new Map<string, Side>([
    ['parley', await parleySide(stack, senders)],
    ['direct', direct],
  ]);
  return [{ name: 'POST /api/user/chatapp/send', kind: 'command', contenders: mapValues(sides, sending) }];
});

let recipients = 0;

const sending = (side: Side): Contender => ({
  port: side.port,
  processes: side.processes,
  request() {
    recipients += 1;
    const from = inTurn(side.senders, recipients);
    const body = {
      sender_id: from.senderId,
      template_id: from.templateId,
      recipient_phone: `+49171${String(recipients).padStart(7, '0')}`,
    };
    return httpRequest('POST', '/api/user/chatapp/send', from.key, JSON.stringify(body));
  },
  async watch() {
    const before = await countAll(side);
    return async (answers) => {
      await expectCounts(side, before, answers);
      await untilQuiet(side);
    };
  },
});

/** What was answered, asked of the platform, recorded and paid must be one number. */
async function expectCounts(side: Side, before: readonly number[], answers: LoadResult): Promise<void> {
  const acknowledged = allAnswered(answers, 200);
  const counted = (await countAll(side)).map((number, index) => number - (before[index] ?? 0));
  if (counted.some((number) => number !== acknowledged))
    throw new Error(`Asked, recorded and paid ${counted.join(', ')} times for ${acknowledged} answers.`);
}

const countAll = (side: Side): Promise<readonly number[]> =>
  Promise.all([countAsked(side), side.countSent(), side.countPaid()]);

/** What follows a send must not run into the next variant's time. */
const untilQuiet = (side: Side): Promise<void> =>
  eventually(async () => {
    const waiting = await countWaiting(side);
    if (waiting > 0) throw new Error(`${waiting} callbacks are on their way.`);
  }, 120_000);
