import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { listEvents, subjectOf } from '@parley/contracts';
import type { BusRejection, BusReply } from '@parley/message-bus';
import { eventually, startOwnNats } from '@parley/testing';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defaultTimeouts } from '../edge/load/timeouts.ts';
import { startService, startTestGateway, TestKeys, withGateway } from '../gateway.fixture.ts';
import { sendRaw, statusesIn } from '../raw-socket.fixture.ts';
import { accountsController } from '../services.fixture.ts';

const pageItems = 100;
const text = 'x'.repeat(10_000);
/** Accounts with an endless log; of the quiet one there is nothing. */
let pagesAsked = 0;
let isQuiet = false;
/** So many pages are empty though there is more: nothing of what is asked for is in the part that they looked through. */
let emptyPages = 0;
/** No page comes before it. */
let gate: Promise<void> | undefined;
let refusal: BusRejection | undefined;

@Controller()
class LogController {
  @MessagePattern(subjectOf(listEvents))
  async list(@Payload() { after }: { after: number }): Promise<BusReply> {
    pagesAsked += 1;
    await gate;
    if (refusal) return { kind: 'rejected', rejection: refusal };
    const isEmpty = isQuiet || emptyPages > 0;
    const has_more = !isQuiet;
    emptyPages = Math.max(0, emptyPages - 1);
    const data = Array.from({ length: isEmpty ? 0 : pageItems }, (_, n) => ({
      position: after + n + 1,
      type: 'FolderCreated',
      data: { text },
    }));
    return { kind: 'ok', body: JSON.stringify({ data, next_position: after + data.length, has_more }) };
  }
}

const bus = await startOwnNats();
const keys = new TestKeys();
let accounts = await startService(bus.url, 'accounts', [accountsController(keys), LogController]);
const timeouts = { ...defaultTimeouts, heartbeatMs: 100 };
const gateway = await startTestGateway({ natsUrl: bus.url, timeouts });
const key = keys.issue();
afterEach(() => {
  refusal = undefined;
});
afterAll(async () => {
  await gateway.close();
  await accounts.close();
  await bus.stop();
});

/** Of those that the gateway of all tests has had. */
let feedsOpened = 0;

/** A client of the feed that reads as it likes. */
function openFeed(token = key, url = gateway.url) {
  if (url === gateway.url) feedsOpened += 1;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `GET /api/user/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    ),
  );
  const feed = { socket, received: 0, heartbeats: 0, isClosed: false };
  socket.on('data', (chunk) => {
    feed.received += chunk.length;
    feed.heartbeats += chunk.toString().split(': heartbeat\n\n').length - 1;
  });
  socket.on('close', () => {
    feed.isClosed = true;
  });
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  return feed;
}

test('a client that reads slowly holds up its own feed and nothing else, and is cut off when it takes nothing', async () => {
  isQuiet = false;
  const stalledMs = 1_000;
  const { url } = await withGateway({ natsUrl: bus.url, timeouts: { ...timeouts, stalledMs } });
  const slow = openFeed(key, url);
  await eventually(() => expect(slow.received).toBeGreaterThan(0));
  slow.socket.pause();
  const before = pagesAsked;
  // What the sockets between the two hold, and one page that waits for room.
  const steady = await eventually(async () => {
    const seen = pagesAsked;
    await expect
      .poll(() => pagesAsked, { interval: 100, timeout: 300 })
      .not.toBe(seen)
      .then(
        () => Promise.reject(new Error(`${pagesAsked - before} pages were asked for, and more.`)),
        () => undefined,
      );
    return pagesAsked;
  });
  expect((steady - before) * pageItems * text.length).toBeLessThan(40_000_000);
  let fast = openFeed(key, url);
  await eventually(() => {
    // One that stands still, with all of this process, is cut off as well.
    if (fast.isClosed) fast = openFeed(key, url);
    expect(fast.received).toBeGreaterThan(20_000_000);
  });
  fast.socket.destroy();
  // It is cut off unseen: only a client that reads learns of it.
  await sleep(2 * stalledMs);
  slow.socket.resume();
  await eventually(() => expect(slow.isClosed).toBe(true));
});

test('a feed to which there is nothing to say gives signs of life, and is not asked about all the time', async () => {
  isQuiet = true;
  await othersEnded();
  const feed = openFeed();
  const before = pagesAsked;
  await eventually(() => expect(feed.heartbeats).toBeGreaterThanOrEqual(3));
  expect(feed.isClosed).toBe(false);
  // The first page, one more for what came in between, and one after each heartbeat.
  expect(pagesAsked - before).toBeLessThanOrEqual(feed.heartbeats + 3);
});

test('a page without events is followed at once by the next one while there is more, with a sign of life', async () => {
  const patient = await withGateway({
    natsUrl: bus.url,
    timeouts: { ...timeouts, heartbeatMs: 3_600_000 },
  });
  await othersEnded();
  isQuiet = false;
  emptyPages = 5;
  const feed = openFeed(keys.issue(), patient.url);
  await eventually(() => expect(feed.received).toBeGreaterThan(text.length));
  expect(feed.heartbeats).toBe(5);
});

test('a client that leaves before its first page leaves nothing behind', async () => {
  isQuiet = false;
  await othersEnded();
  const before = pagesAsked;
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const feeds = [openFeed(), openFeed(), openFeed()];
  await eventually(() => expect(pagesAsked).toBeGreaterThanOrEqual(before + feeds.length));
  for (const { socket } of feeds) socket.destroy();
  // Until then the gateway has heard of it, too.
  for (let n = 0; n < 5; n += 1) await fetch(`${gateway.url}/health/live`);
  gate = undefined;
  resolve();
  await othersEnded();
});

test('a feed that stays long was answered when it began, and is no slow request', async () => {
  const own = await withGateway({ natsUrl: bus.url, timeouts });
  isQuiet = true;
  const feed = openFeed(key, own.url);
  await eventually(() => expect(feed.heartbeats).toBeGreaterThan(0));
  const beganAt = performance.now();
  await eventually(() => expect(feed.heartbeats).toBeGreaterThan(30));
  const stayedSeconds = (performance.now() - beganAt) / 1000;
  feed.socket.destroy();
  const answeredIn = await eventually(async () => {
    const text = await (await fetch(`${own.url}/metrics`)).text();
    const [, seconds] = /_sum\{.*operation="list-events-feed".*\} (\S+)/.exec(text) ?? [];
    return Number(z.string().parse(seconds));
  });
  expect(answeredIn).toBeLessThan(stayedSeconds);
});

/** Until all feeds that came have gone. */
const othersEnded = () =>
  eventually(async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const ended = Number(/_count\{.*operation="list-events-feed".*\} (\d+)/.exec(text)?.[1] ?? 0);
    expect(ended).toBe(feedsOpened);
  });

test('a feed that cannot begin is refused as the same request without a feed is', async () => {
  for (const code of ['unavailable', 'timeout', 'not_found', 'no such code']) {
    refusal = { code };
    const [feed, page] = await Promise.all(['text/event-stream', 'application/json'].map(askForEvents));
    expect(feed).toEqual(page);
  }
  refusal = { code: 'unavailable' };
  expect(await askForEvents('text/event-stream')).toMatchObject({ status: 503, retryAfter: '1' });
});

test.each(['unavailable', 'timeout', 'contended'])(
  'a feed whose next page is answered with "%s" says that it is there, and goes on afterwards',
  async (code) => {
    isQuiet = true;
    const feed = openFeed();
    await eventually(() => expect(feed.heartbeats).toBeGreaterThan(0));
    refusal = { code };
    const before = feed.heartbeats;
    await eventually(() => expect(feed.heartbeats).toBeGreaterThan(before + 2));
    isQuiet = false;
    refusal = undefined;
    await eventually(() => expect(feed.received).toBeGreaterThan(pageItems * text.length));
    expect(feed.isClosed).toBe(false);
  },
);

test('a feed outlives the service that has its pages and keys', async () => {
  isQuiet = true;
  const feed = openFeed();
  await eventually(() => expect(feed.heartbeats).toBeGreaterThan(0));
  await accounts.close();
  const before = feed.heartbeats;
  await eventually(() => expect(feed.heartbeats).toBeGreaterThan(before + 2));
  isQuiet = false;
  accounts = await startService(bus.url, 'accounts', [accountsController(keys), LogController]);
  await eventually(() => expect(feed.received).toBeGreaterThan(pageItems * text.length));
  expect(feed.isClosed).toBe(false);
});

test('a feed whose next page cannot be answered for good is ended', async () => {
  isQuiet = true;
  const feed = openFeed();
  await eventually(() => expect(feed.heartbeats).toBeGreaterThan(0));
  refusal = { code: 'not_found' };
  await eventually(() => expect(feed.isClosed).toBe(true));
});

test('an account has a hundred feeds at a time, and the next one of another account begins', async () => {
  isQuiet = true;
  const greedy = keys.issue();
  const feeds = Array.from({ length: 100 }, () => openFeed(greedy));
  await eventually(() => expect(feeds.every(({ received }) => received > 0)).toBe(true));
  const onceMore = { headers: { authorization: `Bearer ${greedy}`, accept: 'text/event-stream' } };
  const refused = await fetch(`${gateway.url}/api/user/events`, onceMore);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const other = openFeed(keys.issue());
  await eventually(() => expect(other.heartbeats).toBeGreaterThan(0));
  for (const { socket } of feeds) socket.destroy();
  await eventually(async () => {
    const { status, body } = await fetch(`${gateway.url}/api/user/events`, onceMore);
    await body?.cancel();
    expect(status).toBe(200);
  });
});

async function askForEvents(accept: string) {
  const headers = { authorization: `Bearer ${key}`, accept };
  const response = await fetch(`${gateway.url}/api/user/events`, { headers });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.text(),
  };
}

test('HEAD is answered as without a feed, and the connection goes on', async () => {
  isQuiet = true;
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
  const { text } = await sendRaw(
    gateway.url,
    `HEAD /api/user/events HTTP/1.1\r\n${head}Accept: text/event-stream\r\n\r\nGET /api/user/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
  );
  expect(statusesIn(text)).toEqual([200, 200]);
});
