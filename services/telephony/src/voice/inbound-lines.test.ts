import { expect, test } from 'vitest';
import { lost, platform } from './inbound-lines.fixture.ts';
import { InboundLines } from './inbound-lines.ts';

const line = { reference: 'parley-1', number: '+14155550100' };

test('a number can be called once its line is open, however often it is opened', async () => {
  const { lines, trunks } = platform();
  for (const _ of [1, 2]) expect(await lines.open(line)).toBeNull();
  expect([...trunks]).toEqual([['inbound 0', line]]);
});

test('calls to a bought number come in from the carrier alone, by an earlier line too, where it is said where that is', async () => {
  const there = platform();
  await there.lines.open(line);
  expect([...there.allowed.values()]).toEqual([null]);
  const carrier = ['54.172.60.0/23', '2001:db8::7'];
  const other = { reference: 'parley-2', number: '+14155550101' };
  const restarted = new InboundLines(there.platform, carrier);
  for (const each of [line, other]) expect(await restarted.open(each)).toBeNull();
  expect([...there.allowed.values()]).toEqual([carrier, carrier]);
  // What somebody has set on the platform itself stays where nothing is said.
  await there.lines.open(line);
  expect([...there.allowed.values()]).toEqual([carrier, carrier]);
});

test('a line whose making was not answered is found', async () => {
  const { lines, trunks } = platform({ isDeaf: true });
  expect(await lines.open(line)).toBeNull();
  expect(trunks.size).toBe(1);
});

test('no line is open on a platform that takes no calls', async () => {
  const { lines, trunks } = platform({ isReady: false });
  expect(await lines.open(line)).toEqual(lost);
  expect(trunks.size).toBe(0);
});

test('a line that is closed is gone, and those of others stay', async () => {
  const { lines, trunks } = platform();
  const other = { reference: 'parley-2', number: '+14155550101' };
  await lines.open(line);
  await lines.open(other);
  for (const _ of [1, 2]) expect(await lines.close(line)).toBeNull();
  expect([...trunks.values()]).toEqual([other]);
});

test('calls to a bought number come in by no SIP trunk; what else has them is left alone', async () => {
  const { lines, trunks } = platform();
  trunks.set('squatter', { ...line, reference: 'sip-trunk-7' });
  expect(await lines.open(line)).toBeNull();
  expect([...trunks.values()]).toEqual([line]);
  expect(await lines.open({ ...line, reference: 'parley-2' })).toMatchObject({ kind: 'rejected' });
  expect([...trunks.values()]).toEqual([line]);
});

test('a SIP trunk that waits for the calls to a number does not come between it and its line', async () => {
  const { lines, trunks } = platform();
  trunks.set('squatter', { ...line, reference: 'sip-trunk-7' });
  const remove = trunks.delete.bind(trunks);
  trunks.delete = (id) => {
    if (id === 'squatter') trunks.set('next', { ...line, reference: 'sip-trunk-8' });
    return remove(id);
  };
  expect(await lines.open(line)).toBeNull();
  expect([...trunks.values()]).toEqual([line]);
});

test('a line that SIP trunks come between again and again is given up for now', async () => {
  const { lines, trunks } = platform();
  trunks.set('squatter 0', { ...line, reference: 'sip-trunk-7' });
  const remove = trunks.delete.bind(trunks);
  let removed = 0;
  trunks.delete = (id) => {
    removed += 1;
    if (removed > 10) throw new Error('It is tried without end.');
    trunks.set(`squatter ${removed}`, { ...line, reference: 'sip-trunk-8' });
    return remove(id);
  };
  expect(await lines.open(line)).toMatchObject({ kind: 'rejected', code: 'conflict' });
});

test('a refusal stands where no SIP trunk is in the way', async () => {
  const { lines, trunks } = platform({ refusals: 1 });
  expect(await lines.open(line)).toMatchObject({ kind: 'rejected', message: 'No.' });
  expect(trunks.size).toBe(0);
});
