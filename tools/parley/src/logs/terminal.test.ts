import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createTerminal } from './terminal.ts';

function createScreen() {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const terminal = createTerminal({ stream, leastSeverity: 'warn', nameWidth: 8, clock: () => '02:04:31' });
  return {
    terminal,
    lines: () =>
      stripVTControlCharacters(String(stream.read() ?? ''))
        .split('\n')
        .slice(0, -1),
  };
}

test('every line of a text carries the name of its process', () => {
  const { terminal, lines } = createScreen();
  terminal.log('nats', { severity: 'error', text: 'first\nsecond' });
  expect(lines()).toEqual(['02:04:31 nats     │ first', '02:04:31 nats     │ second']);
});

test('what a line says does nothing to the terminal', () => {
  const { terminal, lines } = createScreen();
  terminal.log('nats', { severity: 'error', text: 'a\tb\x1b[2J\x07\x9b\u202e' });
  expect(lines()).toEqual(['02:04:31 nats     │ a\tb\\x1b[2J\\x07\\x9b\\u202e']);
});

test('what is not severe enough is not shown', () => {
  const { terminal, lines } = createScreen();
  terminal.log('nats', { severity: 'info', text: 'chatter' });
  expect(lines()).toEqual([]);
});

test('lines are held back while something else draws', () => {
  const { terminal, lines } = createScreen();
  terminal.hold();
  terminal.say('one');
  expect(lines()).toEqual([]);
  terminal.release();
  terminal.say('two');
  expect(lines()).toEqual(['one', 'two']);
});

test('what a terminal does not take is left out from some point on, and that is told once it goes on', () => {
  const taken: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      done();
    },
  });
  const stream = sink as unknown as NodeJS.WriteStream;
  const terminal = createTerminal({ stream, leastSeverity: 'warn', nameWidth: 8 });
  sink.cork();
  for (let line = 0; line < 2_000; line += 1) terminal.say('x'.repeat(999));
  sink.uncork();
  expect(taken).toHaveLength(1_049);
  terminal.say('one');
  expect(taken.slice(-2)).toEqual(['951 lines not shown here; the log files have all.\n', 'one\n']);
});

test('each process keeps its color, and what is severe has one of its own', () => {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  Object.assign(stream, { isTTY: true, hasColors: () => true, getColorDepth: () => 8 });
  const terminal = createTerminal({ stream, leastSeverity: 'info', nameWidth: 4, clock: () => '02:04:31' });
  for (const [name, severity] of [
    ['nats', 'info'],
    ['pg', 'warn'],
    ['nats', 'error'],
  ] as const)
    terminal.log(name, { severity, text: 'x' });
  const [nats, pg, again] = String(stream.read()).split('\n');
  const prefixOf = (line: string | undefined) => line?.slice(0, line.lastIndexOf('│'));
  expect(prefixOf(again)).toBe(prefixOf(nats));
  expect(prefixOf(pg)?.replace('pg  ', 'nats')).not.toBe(prefixOf(nats));
  expect(nats).toMatch(/ x$/);
  expect(pg).toContain('\x1b[33mx');
  expect(again).toContain('\x1b[31mx');
});
