import { expect, test } from 'vitest';
import { homeArgument, servicesOf } from './left-behind.ts';

const serviceOf = (home: string): string =>
  `/usr/bin/node --min-semi-space-size=16 /x/services/accounts/bundle/main.js ${homeArgument(home)}`;

test('a service that was left behind is known by its home, and by nothing less', () => {
  const { isMine } = servicesOf('/data/parley');
  expect(isMine(serviceOf('/data/parley'))).toBe(true);
  expect(isMine(serviceOf('/data/parley-2'))).toBe(false);
  expect(isMine(serviceOf('/data/parley copy'))).toBe(false);
  expect(isMine(serviceOf('/other/data/parley'))).toBe(false);
  expect(isMine(`vim ${homeArgument('/data/parley')}`)).toBe(false);
  expect(servicesOf('/data/parley copy').isMine(serviceOf('/data/parley copy'))).toBe(true);
});
