import { Controller, type Type } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { RecordedEventMessage } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { ok, startService, uniqueService } from '../bus.fixture.ts';
import type { BusReply } from '../wire/message.ts';
import { type DurableSubscriber, subscribeDurably } from './durable-subscriber.ts';
import { EventLog } from './event-log.fixture.ts';

interface Following {
  readonly subscriber: DurableSubscriber;
  /** The position that is remembered. */
  readonly saved: () => number;
}

/** Follows a log of a hundred events, all of which are there from the beginning, behind `after`. */
async function follow(handle: (event: RecordedEventMessage) => Promise<void>, after = 0): Promise<Following> {
  const service = uniqueService();
  const log = new EventLog();
  log.append(100);
  await startService(service, [pagesOf(service, log)]);
  let saved = after;
  const subscriber = await subscribeDurably({
    servers: inject('natsUrl'),
    name: 'test',
    services: [service],
    positions: {
      load: async () => saved,
      save: async (_service, position) => {
        saved = position;
      },
    },
    handle,
  });
  return { subscriber, saved: () => saved };
}

function pagesOf(service: string, log: EventLog): Type {
  @Controller()
  class Pages {
    @MessagePattern(`qry.${service}.read-events`)
    async read(@Payload() { after, limit }: { after: number; limit: number }): Promise<BusReply> {
      return ok(await log.readPageAndHead(after, limit));
    }
  }
  return Pages;
}

test('a subscriber that is closed handles no event beyond the one under way, and remembers that one', async () => {
  const underWay = Promise.withResolvers<void>();
  const handled: number[] = [];
  const { subscriber, saved } = await follow(async ({ position }) => {
    if (position === 3) await underWay.promise;
    handled.push(position);
  });
  await eventually(() => expect(handled).toEqual([1, 2]));
  const closed = subscriber.close();
  underWay.resolve();
  await closed;
  expect(handled).toEqual([1, 2, 3]);
  expect(saved()).toBe(3);
});

test('what was handled before an event that fails is remembered', async () => {
  const failing = Promise.withResolvers<void>();
  const { subscriber, saved } = await follow(async ({ position }) => {
    if (position < 3) return;
    failing.resolve();
    throw new Error('not now');
  });
  await failing.promise;
  await subscriber.close();
  expect(saved()).toBe(2);
});

test('an event that failed is told again, and none of those before it', async () => {
  const told: number[] = [];
  const { subscriber } = await follow(async ({ position }) => {
    told.push(position);
    if (told.length === 3) throw new Error('not now');
  });
  await eventually(() => expect(told).toHaveLength(101));
  expect(told.slice(0, 5)).toEqual([1, 2, 3, 3, 4]);
  await subscriber.close();
});

describe('a subscriber that nobody gave a way to tell of failures warns', () => {
  test('of an event that it cannot handle', async () => {
    const warnings = warningsOfProcess();
    const { subscriber } = await follow(() => Promise.reject(new Error('no place for it')));
    await eventually(() => expect(warnings).toContain('no place for it'));
    await subscriber.close();
  });

  test('of a log that ends before what was read of it, as a restored one may', async () => {
    const warnings = warningsOfProcess();
    const { subscriber } = await follow(async () => undefined, 170);
    await eventually(() =>
      expect(warnings).toContainEqual(expect.stringContaining('ends at 100, before 170')),
    );
    await subscriber.close();
  });
});

/** What this process warns of from now on. */
function warningsOfProcess(): readonly string[] {
  const warnings: string[] = [];
  const listen = ({ message }: Error) => void warnings.push(message);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  return warnings;
}
