import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { eventually, startOwnNatsCluster } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectToBus } from '../connection/connection.ts';

test('the user for subscribers outside follows events and asks for pages, and can neither command nor listen in', async () => {
  const cluster = await startOwnNatsCluster();
  onTestFinished(() => cluster.stop());
  const ours = await connectToBus({ servers: cluster.url, name: 'ours', onWaiting: () => undefined });
  onTestFinished(() => ours.close());
  const streams = await eventually(() => jetstreamManager(ours));
  await eventually(() => streams.streams.add({ name: 'EVT_FOLDERS', subjects: ['evt.folders.>'] }));
  await jetstream(ours).publish('evt.folders.folder.FolderCreated', 'made');
  ours.subscribe('qry.folders.read-events', { callback: (_, message) => void message.respond('a page') });
  const heard: string[] = [];
  for (const subject of ['cmd.>', 'mux.>', 'qry.folders.list-folders'])
    ours.subscribe(subject, { callback: (_, message) => void heard.push(message.subject) });
  await ours.flush();

  const { username, password, host } = new URL(cluster.readerUrl);
  const reader = await connect({
    servers: host,
    user: username,
    pass: password,
    inboxPrefix: '_INBOX_reader',
  });
  onTestFinished(() => reader.close());
  const ask = async (subject: string) => (await reader.request(subject, '{}', { timeout: 5_000 })).string();
  expect(await ask('qry.folders.read-events')).toBe('a page');
  const manager = await jetstreamManager(reader);
  const durable = { durable_name: 'outside', ack_policy: AckPolicy.Explicit };
  await manager.consumers.add('EVT_FOLDERS', durable);
  const consumer = await jetstream(reader).consumers.get('EVT_FOLDERS', 'outside');
  const message = await consumer.next();
  expect(message?.string()).toBe('made');
  expect(await message?.ackAck()).toBe(true);

  const forbidden = [
    () => ask('cmd.folders.create-folder'),
    () => ask('mux.folders'),
    () => ask('qry.folders.list-folders'),
    () => jetstream(reader).publish('evt.folders.folder.FolderCreated', 'forged'),
    () => manager.streams.delete('EVT_FOLDERS'),
    async () => {
      for await (const _ of reader.subscribe('_INBOX.>')) break;
    },
  ];
  for (const attempt of forbidden) await expect(attempt()).rejects.toThrow(/Permissions Violation/);
  expect(heard).toEqual([]);
});
