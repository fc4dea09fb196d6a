import {
  createAssistant,
  createFolder,
  createLabel,
  deleteFolder,
  deleteLabel,
  getAssistant,
  getHistory,
  updateAssistant,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { leastInput } from './settings.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

const context = { accountId: 3, actor: { kind: 'api_key', id: '41' } } as const;

const made = async (...[operation, payload]: Parameters<ServiceCopies['send']>): Promise<number> => {
  const reply = await copies.send(operation, payload, context);
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body).data.id;
};

test('the history of an assistant says in words what happened, who did it, and what a deletion took from it', async () => {
  const folder = await made(createFolder, { name: 'Sales' });
  const id = await made(createAssistant, { ...leastInput, folder_id: folder });
  await copies.send(updateAssistant, { id, name: 'Bo', max_duration: 60, status: 'active' }, context);
  await copies.send(deleteFolder, { id: folder }, { ...context, correlationId: 'deletion' });
  await eventually(async () => {
    const { changes } = await copies.ask(getHistory, { resource: `assistant/${id}` });
    expect(changes.map(({ summary, actor, before, after }) => [summary, actor.id, before, after])).toEqual([
      ['An assistant was created; it is inactive.', '41', {}, expect.objectContaining({ name: 'Ada' })],
      ['Renamed to "Bo".', '41', { name: 'Ada' }, { name: 'Bo' }],
      ['Changed: max_duration.', '41', { max_duration: 600 }, { max_duration: 60 }],
      ['An assistant was switched on.', '41', { status: 'inactive' }, { status: 'active' }],
      ['Taken out of its folder.', 'forget-deleted', { folder_id: folder }, { folder_id: null }],
    ]);
    const { changes: ofFolder } = await copies.ask(getHistory, { resource: `folder/${folder}` });
    expect(changes.at(-1)).toMatchObject({
      caused_by: ofFolder.at(-1)?.event_id,
      request_id: 'deletion',
    });
  });
});

test('an assistant as it was shows nothing that was deleted by then', async () => {
  const shown = async (asOf: number) => {
    const reply = await copies.send(getAssistant, { id, as_of: String(asOf) }, context);
    return reply.kind === 'ok' && JSON.parse(reply.body).data;
  };
  const deletedAt = async (resource: string) =>
    (await copies.ask(getHistory, { resource }, context)).changes.at(-1)?.position ?? 0;
  const folder = await made(createFolder, { name: 'Support' });
  const label = await made(createLabel, { name: 'Old' });
  const id = await made(createAssistant, { ...leastInput, folder_id: folder, label_ids: [label] });
  await copies.send(deleteFolder, { id: folder }, context);
  await copies.send(deleteLabel, { id: label }, context);
  const at = await deletedAt(`folder/${folder}`);
  expect(await shown(at - 1)).toMatchObject({ folder_id: folder, label_ids: [label] });
  expect(await shown(at)).toMatchObject({ folder_id: null, label_ids: [label] });
  expect(await shown(await deletedAt(`label/${label}`))).toMatchObject({ folder_id: null, label_ids: [] });
});
