import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { newTrunk, ok } from './new-trunk.fixture.ts';

const number = '+4930901820';
const line = { reference: 'parley-1', number };
/** LiveKit takes both for one line, and turns calls to it away where two trunks have it; it refuses neither of them. */
const withoutPlus = number.slice(1);

test('of two trunks with one number one has the calls, and the other once that is deleted', async () => {
  const { create, ids, inboundIdOf, inboundOf, lookAgain, remove, untilChecked, untilWaiting } =
    await newTrunk();
  expect(await create(8, null, number)).toMatchObject({ kind: 'done' });
  expect(inboundOf(number)).toEqual(['sip-trunk-7']);
  expect(await inboundIdOf(8)).toBe('');
  expect(ids()).toHaveLength(3);
  await untilWaiting();
  await remove();
  await eventually(() => expect(inboundOf(number)).toEqual([]));
  await lookAgain();
  await untilChecked();
  expect(inboundOf(number)).toEqual(['sip-trunk-8']);
  expect(ids()).toEqual([await inboundIdOf(8), expect.stringMatching(/^outbound/)]);
});

test('of two trunks with one number that the platform takes at the same moment one has the calls', async () => {
  const { create, hold, inboundIdOf, inboundOf } = await newTrunk();
  const { asked, answer } = hold();
  const first = create(8, null);
  await asked;
  expect(await create(9, null)).toMatchObject({ kind: 'done' });
  answer(ok);
  expect(await first).toMatchObject({ kind: 'done' });
  expect(inboundOf('+4930901822')).toEqual(['sip-trunk-9']);
  expect(await inboundIdOf(8)).toBe('');
});

test('of a trunk and a purchase of its number at the same moment the purchase has the calls', async () => {
  const { create, hold, inboundOf, lines } = await newTrunk();
  const makeTrunk = (id: number, number: string) => create(id, null, number);
  const purchase = (id: number, number: string) => lines.open({ reference: `parley-${id}`, number });
  const orders = [
    [makeTrunk, purchase],
    [purchase, makeTrunk],
  ] as const;
  for (const [index, [begin, overtake]] of orders.entries()) {
    const [id, wanted] = [8 + index, `+493090182${4 + index}`];
    const { asked, answer } = hold();
    const begun = begin(id, wanted);
    await asked;
    await overtake(id, wanted);
    answer(ok);
    await begun;
    expect(inboundOf(wanted)).toEqual([`parley-${id}`]);
  }
});

test('a trunk whose number becomes that of another keeps none of the calls to its own', async () => {
  const { change, changeOf, create, inboundIdOf, inboundOf } = await newTrunk();
  await create(8, null, '+4930901821');
  expect(await changeOf(8, { phone_number: number })).toMatchObject({ kind: 'done' });
  expect(await inboundIdOf(8)).toBe('');
  await eventually(() => expect(inboundOf('+4930901821')).toEqual([]));
  expect(inboundOf(number)).toEqual(['sip-trunk-7']);
  await change({ phone_number: '+4930901823' });
  expect(await changeOf(8, { nickname: 'Office' })).toMatchObject({ kind: 'done' });
  expect(inboundOf(number)).toEqual(['sip-trunk-8']);
  expect(await inboundIdOf(8)).toMatch(/^inbound/);
});

test.each([number, withoutPlus])(
  'a change to the number of another (as %s) that comes to nothing leaves the calls where they were',
  async (phone_number) => {
    const { changeOf, create, interrupt, inboundIdOf, inboundOf } = await newTrunk();
    await create(8, null, '+4930901821');
    interrupt(() => Promise.reject(new Error('The log is away.')));
    await expect(changeOf(8, { phone_number })).rejects.toThrow('away');
    await eventually(() => expect(inboundOf('+4930901821')).toEqual(['sip-trunk-8']));
    expect(inboundOf(number)).toEqual(['sip-trunk-7']);
    expect(await inboundIdOf(8)).toMatch(/^inbound/);
  },
);

test('whoever buys a number has its calls before every trunk, and gives them back with it', async () => {
  const { checkCalls, inboundIdOf, inboundOf, lines, lookAgain, untilChecked } = await newTrunk();
  expect(await lines.open(line)).toBeNull();
  expect(inboundOf(number)).toEqual([line.reference]);
  await checkCalls(7, number);
  await eventually(async () => expect(await inboundIdOf(7)).toBe(''));
  await lookAgain();
  expect(inboundOf(number)).toEqual([line.reference]);
  expect(await lines.close(line)).toBeNull();
  await eventually(async () => {
    await lookAgain();
    expect(inboundOf(number)).toEqual(['sip-trunk-7']);
  });
  await untilChecked();
  expect(await inboundIdOf(7)).toMatch(/^inbound/);
});

test('a trunk that lost its calls to a purchase which came to nothing has them again', async () => {
  const { checkCalls, inboundIdOf, inboundOf, lines, untilChecked } = await newTrunk();
  const before = await inboundIdOf(7);
  for (const failure of [await lines.open(line), await lines.close(line)]) expect(failure).toBeNull();
  await checkCalls(7, number);
  await untilChecked();
  expect(inboundOf(number)).toEqual(['sip-trunk-7']);
  expect(await inboundIdOf(7)).toMatch(/^inbound/);
  expect(await inboundIdOf(7)).not.toBe(before);
});

test('a trunk whose number changes twice within a moment to those of others keeps none of the calls to its own', async () => {
  const { changeOf, create, inboundOf, unchecked } = await newTrunk();
  const [first, last] = ['+4930901821', '+4930901823'];
  await create(8, null, first);
  await create(9, null, last);
  await unchecked(async () => {
    for (const phone_number of [number, last])
      expect(await changeOf(8, { phone_number })).toMatchObject({ kind: 'done' });
  });
  await eventually(() => expect(inboundOf(first)).toEqual([]));
  expect([number, last].map(inboundOf)).toEqual([['sip-trunk-7'], ['sip-trunk-9']]);
});

test('a trunk that another one took its calls from, while a change of it came to nothing, can be changed again', async () => {
  const { change, create, interrupt, inboundIdOf, inboundOf } = await newTrunk();
  interrupt(async () => {
    expect(await create(8, null, number)).toMatchObject({ kind: 'done' });
    throw new Error('The log is away.');
  });
  await expect(change({ phone_number: '+4930901823' })).rejects.toThrow('away');
  await eventually(async () => expect(await inboundIdOf(7)).toBe(''));
  expect([number, '+4930901823'].map(inboundOf)).toEqual([['sip-trunk-8'], []]);
  expect(await change({ phone_number: '+4930901824' })).toMatchObject({ kind: 'done' });
  expect(inboundOf('+4930901824')).toEqual(['sip-trunk-7']);
});

test('a trunk that waits for calls can be changed while the platform cannot say whose they are', async () => {
  const { changeOf, checkCalls, create, hold, inboundOf, remove, unchecked, untilWaiting } = await newTrunk();
  await create(8, null, number);
  await untilWaiting();
  await remove();
  await eventually(() => expect(inboundOf(number)).toEqual([]));
  const { asked, answer } = hold();
  await checkCalls(8, number);
  await asked;
  answer({ kind: 'unavailable', message: 'away' });
  await untilWaiting();
  await unchecked(async () =>
    expect(await changeOf(8, { nickname: 'Desk' })).toMatchObject({ kind: 'done' }),
  );
});

test('a trunk that is refused for another one, which has given way by then, is made, and has the calls', async () => {
  const { create, hold, inboundIdOf, inboundOf, untilChecked } = await newTrunk();
  const { asked, answer } = hold();
  const creating = create(8, null, '+4930901821');
  await asked;
  answer({
    kind: 'rejected',
    code: 'conflict',
    message: 'Conflicting inbound SIP Trunks: "a" and "b"',
  });
  expect(await creating).toMatchObject({ kind: 'done' });
  await eventually(() => expect(inboundOf('+4930901821')).toEqual(['sip-trunk-8']));
  await untilChecked();
  expect(await inboundIdOf(8)).toMatch(/^inbound/);
});

test('a trunk that is refused, though nobody has the calls to its number, is not asked for again', async () => {
  const { create, hold, ids } = await newTrunk();
  const { asked, answer } = hold();
  const creating = create(8, null);
  await asked;
  answer({ kind: 'rejected', code: 'invalid_argument', message: 'no' });
  expect(await creating).toMatchObject({ rejection: { code: 'voice_platform_refused' } });
  expect(ids()).toHaveLength(2);
});

test('a number is another trunk’s also where it is written without its plus', async () => {
  const { create, changeOf, inboundIdOf, inboundOf } = await newTrunk();
  await create(8, null, withoutPlus);
  await create(9, null);
  expect(await changeOf(9, { phone_number: withoutPlus })).toMatchObject({ kind: 'done' });
  expect(inboundOf(number)).toEqual(['sip-trunk-7']);
  for (const id of [8, 9]) expect(await inboundIdOf(id)).toBe('');
});

test('a trunk that gets its number back, which another has without its plus by then, leaves that the calls', async () => {
  const { change, create, interrupt, inboundIdOf, inboundOf } = await newTrunk();
  interrupt(async () => {
    expect(await create(8, null, withoutPlus)).toMatchObject({ kind: 'done' });
    throw new Error('The log is away.');
  });
  await expect(change({ phone_number: '+4930901823' })).rejects.toThrow('away');
  await eventually(async () => expect(await inboundIdOf(7)).toBe(''));
  expect(inboundOf(number)).toEqual(['sip-trunk-8']);
});

test('whoever buys a number has its calls before a trunk that has it without its plus', async () => {
  const { changeOf, inboundOf, lines } = await newTrunk();
  await changeOf(7, { phone_number: withoutPlus });
  expect(await lines.open(line)).toBeNull();
  expect(inboundOf(number)).toEqual([line.reference]);
});
