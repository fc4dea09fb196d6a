import { expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';

test('no port is given twice, though nobody listens on it yet', async () => {
  const ports: number[] = [];
  while (ports.length < 600) ports.push(await findFreePort());
  expect(new Set(ports).size).toBe(ports.length);
});
