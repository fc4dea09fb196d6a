import { expect, test } from 'vitest';
import { newTrunk, ok } from './new-trunk.fixture.ts';

test.each([[['inbound', 'outbound']], [['inbound']], [['outbound']]] as const)(
  'a trunk that somebody deleted at the platform (%j) is made there anew by its next change, under ids on record',
  async (directions) => {
    const { change: update, credentials, ids, lose, recorded, untilChecked } = await newTrunk();
    lose(...directions);
    expect(await update({ nickname: 'Front desk', phone_number: '+4930901821' })).toMatchObject({
      kind: 'done',
    });
    await untilChecked();
    expect(await recorded()).toEqual(ids());
    const before = ids();
    lose('inbound', 'outbound');
    expect(await update({})).toMatchObject({ kind: 'done' });
    expect(await recorded()).toEqual(ids());
    expect(ids()).not.toEqual(before);
    expect(await update({})).toMatchObject({ kind: 'done' });
    expect(credentials()).toEqual(Array(2).fill(['acme', 'first']));
  },
);

test('a trunk of an account that came from an installation at another platform is made with its password', async () => {
  const { change: update, credentials, ids, lose, losePassword, recorded, untilChecked } = await newTrunk();
  await losePassword('never came');
  lose('inbound', 'outbound');
  expect(await update({ nickname: 'Desk' })).toMatchObject({ rejection: { code: 'invalid' } });
  await untilChecked();
  expect(ids()).toEqual([]);
  expect(await update({ sip_password: 'second' })).toMatchObject({ kind: 'done' });
  expect(await recorded()).toEqual(ids());
  expect(credentials()).toEqual(Array(2).fill(['acme', 'second']));
});

test.each(['known here', 'not known here'] as const)(
  'a trunk that was made anew and is not on record leaves nothing at the platform: its password is %s',
  async (password) => {
    const {
      change: update,
      hold,
      ids,
      lose,
      losePassword,
      interrupt,
      recorded,
      untilChecked,
    } = await newTrunk();
    if (password === 'not known here') await losePassword('never came');
    lose('inbound', 'outbound');
    const moved = { phone_number: '+4930901821', sip_password: 'second' };
    interrupt(() => Promise.reject(new Error('The log is away.')));
    await expect(update(moved)).rejects.toThrow('away');
    await untilChecked();
    expect(ids()).toEqual([]);
    const { asked, answer } = hold();
    const changing = update(moved);
    await asked;
    answer(ok);
    const made = hold();
    await made.asked;
    made.answer({ kind: 'unknown', message: 'no answer' });
    expect(await changing).toMatchObject({ rejection: { code: 'unavailable' } });
    await untilChecked();
    expect(ids()).toEqual([]);
    expect(await update(moved)).toMatchObject({ kind: 'done' });
    expect(await recorded()).toEqual(ids());
  },
);

test('a trunk that is deleted while it is made anew is gone at the platform', async () => {
  const { change: update, hold, ids, lose, remove, untilChecked } = await newTrunk();
  lose('inbound', 'outbound');
  const { asked, answer } = hold();
  const changing = update({ nickname: 'Desk' });
  await asked;
  expect(await remove()).toMatchObject({ kind: 'done' });
  answer(ok);
  expect(await changing).toMatchObject({ rejection: { code: 'not_found' } });
  await untilChecked();
  expect(ids()).toEqual([]);
});
