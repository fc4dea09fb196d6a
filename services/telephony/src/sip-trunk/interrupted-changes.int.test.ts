import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newTrunk, ok } from './new-trunk.fixture.ts';

const change = { sip_username: 'other', sip_password: 'second' };

test('a new password that the log does not take is none: the platform has the earlier one again', async () => {
  const { change: update, credentials, interrupt, untilChecked } = await newTrunk();
  interrupt(() => Promise.reject(new Error('The log is away.')));
  await expect(update(change)).rejects.toThrow('away');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
  expect(await update({ sip_username: 'third' })).toMatchObject({ kind: 'done' });
  expect(credentials()).toEqual(Array(2).fill(['third', 'first']));
});

test('a new password that the log took counts, though nobody was told', async () => {
  const { change: update, credentials, interrupt, untilChecked } = await newTrunk();
  interrupt(async (write) => {
    await write();
    throw new Error('The answer is lost.');
  });
  await expect(update(change)).rejects.toThrow('lost');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['other', 'second']));
  interrupt(() => Promise.reject(new Error('The log is away.')));
  await expect(update({ sip_password: 'third' })).rejects.toThrow('away');
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['other', 'second']));
});

test('a change that is asked for again while it is made is not made after another one has been', async () => {
  const { change: update, credentials, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = update({ sip_username: 'early' }, command);
  await asked;
  const again = update({ sip_username: 'early' }, command);
  const later = update({ sip_username: 'late' });
  expect(await again).toMatchObject({ rejection: { code: 'idempotency_in_progress' } });
  answer({ kind: 'unavailable', message: 'away' });
  expect(await first).toMatchObject({ rejection: { code: 'unavailable' } });
  expect(await later).toMatchObject({ kind: 'done' });
  await untilChecked();
  expect(credentials()).toEqual(Array(2).fill(['late', 'first']));
  expect(await update({ sip_username: 'early' }, command)).toMatchObject({ kind: 'done' });
});

test('a trunk whose making stands still is made for whoever asks again, and once', async () => {
  const { create, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = create(8, command);
  await asked;
  expect(await create(9, command)).toMatchObject({ kind: 'done', replayed: false });
  answer(ok);
  expect(await first).toMatchObject({ kind: 'done', replayed: true });
  await untilChecked();
});

test('a change that waited too long for its turn may be asked for again', async () => {
  const { change: update, hold, untilChecked } = await newTrunk();
  const command = { commandId: randomUUID(), fingerprint: null };
  const { asked, answer } = hold();
  const first = update({ sip_username: 'early' });
  await asked;
  expect(await update({ sip_username: 'late' }, command)).toMatchObject({ rejection: { code: 'contended' } });
  answer(ok);
  expect(await first).toMatchObject({ kind: 'done' });
  expect(await update({ sip_username: 'late' }, command)).toMatchObject({ kind: 'done' });
  await untilChecked();
});

test('a trunk that is deleted while its number is changed is gone at the platform under the new one', async () => {
  const { change: update, credentials, interrupt, remove, untilChecked } = await newTrunk();
  const taken = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  interrupt(async (write) => {
    taken.resolve();
    await written.promise;
    return write();
  });
  const changing = update({ phone_number: '+4930901821' });
  await taken.promise;
  const removing = remove();
  written.resolve();
  expect(await changing).toMatchObject({ kind: 'done' });
  expect(await removing).toMatchObject({ kind: 'done' });
  await untilChecked();
  expect(credentials()).toEqual([]);
});

test.each(['never came', 'cannot be opened'] as const)(
  'a trunk whose password %s stays at the platform, and is changed once it is entered again',
  async (how) => {
    const { change: update, changeAt, credentials, losePassword, untilChecked } = await newTrunk();
    await losePassword(how);
    expect(await update({ nickname: 'Front desk' })).toMatchObject({
      rejection: { code: 'invalid', fields: { sip_password: [expect.stringContaining('again')] } },
    });
    expect(await changeAt(99, change)).toMatchObject({ rejection: { code: 'version_mismatch' } });
    await untilChecked();
    expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
    expect(await update({ nickname: 'Front desk', sip_password: 'second' })).toMatchObject({ kind: 'done' });
    expect(await update({ nickname: 'Desk' })).toMatchObject({ kind: 'done' });
    await untilChecked();
    expect(credentials()).toEqual(Array(2).fill(['acme', 'second']));
  },
);

test('a change that is refused before the platform was asked asks it for nothing, and leaves no check', async () => {
  const { changeAt, losePassword, questions, change: update, untilChecked } = await newTrunk();
  const before = questions();
  expect(await changeAt(99, change)).toMatchObject({ rejection: { code: 'version_mismatch' } });
  await losePassword('never came');
  expect(await update({ nickname: 'Front desk' })).toMatchObject({ rejection: { code: 'invalid' } });
  await untilChecked();
  expect(questions()).toBe(before);
});
