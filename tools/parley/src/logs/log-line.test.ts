import { describe, expect, test } from 'vitest';
import { readNatsLine, readPostgresLine, readServiceLine } from './log-line.ts';

describe("a service's line", () => {
  test('shows its message and what belongs to it, not what every line has', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: '2026-11-21T02:04:31.000Z',
      service: 'accounts',
      pid: 7,
      msg: 'slow',
      ms: 12,
      where: 'db',
    });
    expect(readServiceLine(line)).toEqual({ severity: 'warn', text: 'slow ms=12 where=db' });
  });

  test('shows the stack of an error below it', () => {
    const line = JSON.stringify({
      level: 'fatal',
      msg: 'no',
      err: { message: 'x', stack: 'Error: x\n  at y' },
    });
    expect(readServiceLine(line)).toEqual({ severity: 'error', text: 'no\nError: x\n  at y' });
  });

  test.each([
    ['EADDRINUSE', 'listen EADDRINUSE: address already in use', 'listen EADDRINUSE: address already in use'],
    [
      '53100',
      'could not extend file: No space left on device',
      'could not extend file: No space left on device',
    ],
    ['ECONNREFUSED', '', 'ECONNREFUSED'],
    ['25006', 'This Postgres is a standby', 'This Postgres is a standby'],
    ['42501', 'may not make the database', 'may not make the database'],
    ['ERR_INVALID_ARG_TYPE', 'a bug', 'Error: a bug\n  at y'],
  ])('shows only what the machine says of a failure of the machine: %s', (code, message, shown) => {
    const err = { message, code, stack: `Error: ${message}\n  at y` };
    const line = JSON.stringify({ level: 'fatal', msg: 'could not start', err });
    expect(readServiceLine(line).text).toBe(`could not start\n${shown}`);
  });

  test('says what is tried again in a sentence', () => {
    const err = { message: 'insufficient storage', stack: 'JetStreamApiError: insufficient storage\n  at y' };
    const line = JSON.stringify({ level: 'warn', msg: 'events could not be published; trying again', err });
    expect(readServiceLine(line).text).toBe(
      'events could not be published; trying again\ninsufficient storage',
    );
  });

  test('shows only what nats-server says of what it does not take', () => {
    const [type, message] = ['JetStreamApiError', 'insufficient storage resources available'];
    const err = { type, message, code: 10_047, stack: `${type}: ${message}\n  at y` };
    const line = JSON.stringify({ level: 'error', msg: 'events are still not published', err });
    expect(readServiceLine(line).text).toBe(`events are still not published\n${message}`);
  });

  test('that is not JSON is a crash on its way out', () => {
    expect(readServiceLine('Error: boom')).toEqual({ severity: 'error', text: 'Error: boom' });
    expect(readServiceLine('{broken')).toEqual({ severity: 'error', text: '{broken' });
  });
});

test("Postgres's refusals are answers to services, its panic is not", () => {
  expect(readPostgresLine('2026-11-21 02:04:31.518 UTC [14796] ERROR:  duplicate key').severity).toBe('info');
  // Many zones have no letters: São Paulo, Istanbul, Dubai, Singapore.
  for (const zone of ['UTC', 'CEST', '-03', '+0530'])
    expect(readPostgresLine(`2026-11-21 02:04:31.518 ${zone} [14796] PANIC:  no space`)).toEqual({
      severity: 'error',
      text: 'PANIC:  no space',
    });
});

test('a line of nats-server carries its severity', () => {
  expect(readNatsLine('[239] 2026/11/21 02:04:31.043249 [WRN] slow consumer')).toEqual({
    severity: 'warn',
    text: 'slow consumer',
  });
  expect(readNatsLine('something else').severity).toBe('info');
});

test('an error without a stack is told by its message, and chatter is the least severe', () => {
  const line = JSON.stringify({ level: 'debug', msg: 'no', err: { message: 'x' } });
  expect(readServiceLine(line)).toEqual({ severity: 'debug', text: 'no\nx' });
  expect(readServiceLine(JSON.stringify({ level: 'info', msg: 'yes' })).severity).toBe('info');
});
