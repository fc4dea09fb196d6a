import { eventually, startOwnNats } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { uniqueService } from '../bus.fixture.ts';
import { connectToBus } from '../connection/connection.ts';
import { EventLog } from './event-log.fixture.ts';
import { publish } from './publishing.fixture.ts';

test('whoever is told of failures hears that NATS is away also while there is nothing to publish', async () => {
  const server = await startOwnNats();
  onTestFinished(() => server.stop());
  const nats = await connectToBus({ servers: server.url, name: 'test' });
  onTestFinished(() => nats.close());
  const log = new EventLog();
  log.append(3);
  const told: string[] = [];
  const publisher = publish(nats, uniqueService(), log, {
    onFailure: (error) => told.push(String(error)),
    onRecovered: () => told.push('recovered'),
  });
  await eventually(() => expect(publisher.position).toBe(3));
  await server.kill();
  await eventually(() => expect(told).toContain('Error: The connection to NATS was lost.'));
  await server.start();
  await eventually(() => expect(told.at(-1)).toBe('recovered'));
});
