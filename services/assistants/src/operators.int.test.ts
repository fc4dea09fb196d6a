import {
  createFolder,
  deleteFolder,
  getHistory,
  getState,
  getVerification,
  listFolders,
  listProjections,
  listResources,
  readEvents,
  rebuildProjection,
  updateFolder,
  verifyProjection,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies, untilLockIsAwaited } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from './assistants-service.ts';

let copies: ServiceCopies;
let folderId: number;
const context = { accountId: 3, actor: { kind: 'api_key', id: '41' }, correlationId: 'request-1' } as const;

/** One folder created by one key, renamed by another, recolored by the first. */
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  const created = await copies.send(createFolder, { name: 'Sales', color: 'teal' }, context);
  if (created.kind === 'rejected') throw new Error(created.rejection.code);
  folderId = JSON.parse(created.body).data.id;
  const byAnother = { ...context, actor: { kind: 'api_key', id: '42' }, correlationId: 'request-2' } as const;
  await copies.send(updateFolder, { id: folderId, name: 'Leads' }, byAnother);
  await copies.send(updateFolder, { id: folderId, color: null }, { ...context, correlationId: 'request-3' });
});
afterAll(() => copies?.close());

const resource = () => `folder/${folderId}`;

test('a service says which resources it knows', async () => {
  const { resources } = await copies.ask(listResources, {});
  expect(resources).toEqual(
    expect.arrayContaining(['folder', 'label', 'campaign', 'lead', 'assistant', 'knowledgebase']),
  );
});

test('the state at an earlier moment shows the old name', async () => {
  const stateAt = (at: object) => copies.ask(getState, { resource: resource(), at });
  const first = await stateAt({ version: 1 });
  expect(first).toMatchObject({ version: 1, state: { id: folderId, name: 'Sales', color: 'teal' } });
  expect(await stateAt({})).toMatchObject({ version: 3, state: { name: 'Leads', color: null } });
  expect(await stateAt({ position: first.position })).toEqual(first);
  expect(await stateAt({ time: first.recorded_at })).toEqual(first);
});

test('there is no state at a moment that has not come', async () => {
  for (const at of [{ version: 4 }, { position: 1_000_000 }, { time: '2999-01-01T00:00:00Z' }])
    expect(await copies.send(getState, { resource: resource(), at })).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'invalid', fields: { at: ['That moment has not come yet.'] } },
    });
});

test('the history shows who created and who renamed, and what changed', async () => {
  const { changes } = await copies.ask(getHistory, { resource: resource() });
  expect(
    changes.map(({ event, actor, request_id, before, after }) => ({
      event,
      actor,
      request_id,
      before,
      after,
    })),
  ).toEqual([
    {
      event: 'FolderCreated',
      actor: { kind: 'api_key', id: '41' },
      request_id: 'request-1',
      before: {},
      after: { id: folderId, name: 'Sales', color: 'teal' },
    },
    {
      event: 'FolderRenamed',
      actor: { kind: 'api_key', id: '42' },
      request_id: 'request-2',
      before: { name: 'Sales' },
      after: { name: 'Leads' },
    },
    {
      event: 'FolderRecolored',
      actor: { kind: 'api_key', id: '41' },
      request_id: 'request-3',
      before: { color: 'teal' },
      after: { color: null },
    },
  ]);
  expect(changes[1]?.summary).toBe('A folder got another name.');
});

test('a history is narrowed by actor and time', async () => {
  const historyOf = async (filter: object) => {
    const { changes } = await copies.ask(getHistory, { resource: resource(), ...filter });
    return changes.map(({ event }) => event);
  };
  expect(await historyOf({ actor: 'api_key:42' })).toEqual(['FolderRenamed']);
  expect(await historyOf({ actor: 'operator' })).toEqual([]);
  const { changes } = await copies.ask(getHistory, { resource: resource() });
  expect(await historyOf({ since: changes[1]?.occurred_at })).toEqual(['FolderRenamed', 'FolderRecolored']);
});

test('what does not exist has neither state nor history', async () => {
  for (const unknown of ['folder/999999', 'folder/abc', 'folder', 'nothing/1', `label/${folderId}`])
    for (const [message, payload] of [
      [getState, { at: {} }],
      [getHistory, {}],
    ] as const)
      expect(await copies.send(message, { resource: unknown, ...payload })).toEqual({
        kind: 'rejected',
        rejection: { code: 'not_found' },
      });
});

test('the log is read in pages of dense positions', async () => {
  const first = await copies.ask(readEvents, { after: 0, limit: 2 });
  expect(first.events.map(({ position }) => position)).toEqual([1, 2]);
  expect(first.head).toBeGreaterThanOrEqual(3);
  const rest = await copies.ask(readEvents, { after: 2, limit: 1000, stream_id: `folder-${folderId}` });
  expect(rest.events[0]).toMatchObject({
    position: 3,
    stream_id: `folder-${folderId}`,
    stream_version: 3,
    category: 'folder',
    account_id: 3,
    type: 'FolderRecolored',
    schema_version: 1,
    data: { color: null },
    metadata: { correlation_id: 'request-3', actor: { kind: 'api_key', id: '41' } },
  });
  expect(
    await copies.ask(readEvents, { after: 0, limit: 10, types: ['FolderRenamed'], account_id: 3 }),
  ).toMatchObject({
    events: [{ type: 'FolderRenamed' }],
  });
});

test('a page of large events is cut to what a message holds, and reading goes on from its last one', async () => {
  const names = Array.from({ length: 400 }, (_, n) => `${n}${'🏢'.repeat(250)}`);
  await Promise.all(names.map((name) => copies.send(createFolder, { name }, { accountId: 9 })));
  const pages: number[][] = [];
  for (let after = 0, head = 1; after < head; after = pages.at(-1)?.at(-1) ?? head) {
    const page = await copies.ask(readEvents, { after, limit: 1000 });
    pages.push(page.events.map(({ position }) => position));
    head = page.head;
  }
  const seen = pages.flat();
  expect(pages.length).toBeGreaterThan(1);
  expect(seen.length).toBeGreaterThan(400);
  expect(seen).toEqual(Array.from(seen, (_, index) => index + 1));
});

const outcomeOf = async (projection: string) => {
  await eventually(async () => {
    const { status } = await copies.ask(getVerification, { projection });
    expect(status).toMatch(/done|failed/);
  });
  return copies.ask(getVerification, { projection });
};

test('projections are listed with where they are', async () => {
  const { projections } = await copies.ask(listProjections, {});
  expect(projections.map(({ name, version, status }) => ({ name, version, status }))).toEqual(
    expect.arrayContaining([
      { name: 'folders', version: 2, status: 'live' },
      { name: 'assistants', version: 1, status: 'live' },
    ]),
  );
  for (const { position, head } of projections) expect(position).toBe(head);
});

test('a verification finds no drift, and finds a row that was tampered with', async () => {
  expect(await copies.ask(verifyProjection, { projection: 'folders' })).toEqual({ started: true });
  expect(await outcomeOf('folders')).toMatchObject({ status: 'done', differences: [], error: null });
  await copies.pool.query(`update view_folders_v2.items set name_json = '"Tampered"' where id = $1`, [
    folderId,
  ]);
  await eventually(() => copies.ask(verifyProjection, { projection: 'folders' }));
  await eventually(async () => {
    const { status, differences } = await copies.ask(getVerification, { projection: 'folders' });
    expect({ status, keys: differences.map(({ key }) => key) }).toEqual({
      status: 'done',
      keys: [`${folderId}`],
    });
  });
  await eventually(() => copies.ask(rebuildProjection, { projection: 'folders' }));
  await eventually(async () => {
    const list = await copies.send(listFolders, {}, context);
    expect(list).toMatchObject({ body: expect.stringContaining('"name":"Leads"') });
  });
});

test('what somebody else has begun on a projection in this moment is not begun again', async () => {
  const other = await copies.pool.connect();
  const lock = `hashtextextended('projection-shadow:labels', 0)`;
  await other.query(`select pg_advisory_lock(${lock})`);
  for (const message of [rebuildProjection, verifyProjection])
    expect(await copies.send(message, { projection: 'labels' })).toMatchObject({
      rejection: { code: 'contended' },
    });
  await other.query(`select pg_advisory_unlock(${lock})`);
  other.release();
  expect(await copies.ask(getVerification, { projection: 'labels' })).toMatchObject({ status: 'never' });
  expect(await copies.ask(rebuildProjection, { projection: 'labels' })).toEqual({ started: true });
});

test('a verification that took long is never told as broken off while its outcome is written down', async () => {
  const [verifying, writing] = [await copies.pool.connect(), await copies.pool.connect()];
  await verifying.query('begin');
  await verifying.query(
    `select from es.checkpoints where processor like 'projection:knowledgebases@%' for update`,
  );
  await copies.ask(verifyProjection, { projection: 'knowledgebases' });
  await writing.query(
    `update es.verifications set started_at = now() - interval '1 hour' where projection = 'knowledgebases'`,
  );
  await writing.query('begin');
  await writing.query('lock table es.verifications in share mode');
  await verifying.query('commit');
  verifying.release();
  await untilLockIsAwaited(writing);
  const asked = await copies.ask(getVerification, { projection: 'knowledgebases' });
  await writing.query('commit');
  writing.release();
  expect(asked).toMatchObject({ status: 'running', error: null });
  expect(await outcomeOf('knowledgebases')).toMatchObject({ status: 'done', error: null });
});

test('a projection that is not there cannot be rebuilt, verified or asked about', async () => {
  for (const message of [rebuildProjection, verifyProjection, getVerification])
    expect(await copies.send(message, { projection: 'nothing' })).toMatchObject({
      rejection: { code: 'not_found' },
    });
});

test('a deleted folder has a history and no state', async () => {
  const created = await copies.send(createFolder, { name: 'Gone' }, context);
  const { id } = created.kind === 'ok' ? JSON.parse(created.body).data : { id: 0 };
  await copies.send(deleteFolder, { id }, context);
  expect(await copies.ask(getState, { resource: `folder/${id}`, at: {} })).toMatchObject({
    version: 2,
    state: null,
  });
  const { changes } = await copies.ask(getHistory, { resource: `folder/${id}` });
  expect(changes.at(-1)).toMatchObject({ event: 'FolderDeleted', before: { name: 'Gone' } });
  expect(changes.at(-1)?.after).toEqual({});
});
