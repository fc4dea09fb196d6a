import { randomBytes } from 'node:crypto';
import { advanceClock } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import { connectToBus } from '@parley/message-bus';
import { eventually, startServiceCopies } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { countNotes, notesService, takeNote } from '../notes-service.fixture.ts';

const database = { DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}` };

test('while its background work is held a service answers and does nothing by itself; what waits is done afterwards', async () => {
  const held = await startServiceCopies(notesService, 1, { ...database, HOLD_BACKGROUND: 'true' });
  onTestFinished(() => held.close());
  await held.ask(takeNote, { id: 1, text: 'a' });
  await held.ask(advanceClock, { offset_seconds: 7_200 });
  await held.ask(takeNote, { id: 2, text: 'b' });
  await published(held.natsUrl, 2);
  expect(await held.ask(countNotes, {})).toEqual({ notes: 2, echoes: 0, reminders: 0 });
  await held.stop();

  const going = await startServiceCopies(notesService, 1, database);
  onTestFinished(() => going.close());
  await eventually(async () =>
    expect(await going.ask(countNotes, {})).toEqual({ notes: 2, echoes: 2, reminders: 1 }),
  );
});

test('how late timers are shows in the metrics, whether or not they fire', async () => {
  const port = await findFreePort();
  const env = { HOLD_BACKGROUND: 'true', HEALTH_PORT: String(port) };
  const held = await startServiceCopies(notesService, 1, env);
  onTestFinished(() => held.close());
  const lateSeconds = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^parley_timers_late_seconds\{.*\} (.*)$/m.exec(text)?.[1]);
  };
  await held.ask(takeNote, { id: 1, text: 'a' });
  expect(await lateSeconds()).toBe(0);
  // A note reminds after an hour.
  await held.ask(advanceClock, { offset_seconds: 7_200 });
  expect(await lateSeconds()).toBeGreaterThanOrEqual(3_600);
});

/** Whoever follows from outside goes on: by then a reactor would long have reacted, too. */
async function published(natsUrl: string, messages: number): Promise<void> {
  const connection = await connectToBus({ servers: natsUrl, name: 'test' });
  await eventually(async () => {
    const answer = await connection.request('$JS.API.STREAM.INFO.EVT_ASSISTANTS', '');
    expect(JSON.parse(answer.string())).toMatchObject({ state: { messages } });
  });
  await connection.close();
}
