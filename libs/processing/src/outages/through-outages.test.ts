import { expect, test } from 'vitest';
import { throughOutages } from './through-outages.ts';

const outage = () => Object.assign(new Error('The log is away.'), { name: 'StoreUnavailable' });
const open = () => new AbortController();

/** Fails with these, one after the other, and then gives how often it was tried. */
const failing = (...errors: Error[]) => {
  let tries = 0;
  return async () => {
    tries += 1;
    const error = errors.shift();
    if (error) throw error;
    return tries;
  };
};

test('what an outage interrupts is tried again until it is done', async () => {
  await expect(throughOutages(open().signal, failing(outage(), outage(), outage()))).resolves.toBe(4);
});

test('what fails by itself is not tried again', async () => {
  const task = failing(outage(), new TypeError('x is undefined'));
  await expect(throughOutages(open().signal, task)).rejects.toThrow('x is undefined');
  await expect(task()).resolves.toBe(3);
});

test('the end of the process ends the attempts, also while one is waited for', async () => {
  const closing = open();
  let tries = 0;
  const trying = throughOutages(closing.signal, async () => {
    tries += 1;
    if (tries === 2) closing.abort();
    throw outage();
  });
  await expect(trying).rejects.toThrow('The log is away.');
  expect(tries).toBe(2);
});

test('a process that ends already tries once', async () => {
  const closing = open();
  closing.abort();
  await expect(throughOutages(closing.signal, failing())).resolves.toBe(1);
  await expect(throughOutages(closing.signal, failing(outage()))).rejects.toThrow('The log is away.');
});
