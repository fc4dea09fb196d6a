import { expect, test } from 'vitest';
import { selfTimes } from './self-times.ts';

const frame = (functionName: string, url: string, lineNumber = 9) => ({ functionName, url, lineNumber });

test('time counts for the function that ran; waiting is none, and places are packages or source files', () => {
  const times = selfTimes({
    nodes: [
      { id: 1, callFrame: frame('(idle)', '') },
      {
        id: 2,
        callFrame: frame(
          'parse',
          'file:///x/node_modules/.pnpm/pg@8/node_modules/pg-protocol/dist/parser.js',
        ),
      },
      { id: 3, callFrame: frame('append', 'file:///x/libs/event-store/dist/append-queue.js') },
      { id: 4, callFrame: frame('writev', 'node:net') },
      {
        id: 5,
        callFrame: frame('', 'file:///x/node_modules/.pnpm/@nestjs+core@12/node_modules/@nestjs/core/a.js'),
      },
      { id: 6, callFrame: frame('(garbage collector)', '') },
    ],
    samples: [1, 2, 3, 2, 4, 5, 6],
    timeDeltas: [9_000, 100, 700, 200, 50, 40, 30],
  });
  expect(times).toEqual([
    { where: 'append libs/event-store/src/append-queue:10', ms: 0.7 },
    { where: 'parse pg-protocol', ms: 0.3 },
    { where: 'writev node:net', ms: 0.05 },
    { where: '(anonymous) @nestjs/core', ms: 0.04 },
    { where: '(garbage collector)', ms: 0.03 },
  ]);
});
