import {
  createAutomation,
  createConnection,
  deleteConnection,
  getAutomation,
  updateAutomation,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { automationsService } from '../automations-service.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(automationsService, 1);
});
afterAll(() => copies?.close());

const context = { accountId: 7 };
const bodyOf = (reply: BusReply) => JSON.parse(reply.kind === 'ok' ? reply.body : '{}');
const signedBy = (id: number | string) => ({
  trigger: { type: 'webhook.inbound', signature: { connection: 'shop', header: 'X-Signature' } },
  connections: { shop: { kind: 'hmac_sha256', id } },
  steps: [{ id: 'end', type: 'stop' }],
});
const connect = async (kind: string, accountId = 7): Promise<number> => {
  const made = { name: 'Shop', kind, secret: 'secret' };
  return bodyOf(await copies.send(createConnection, made, { accountId })).data.id;
};
const refused = {
  kind: 'rejected',
  rejection: {
    code: 'invalid_definition',
    fields: { 'flow.trigger.signature.connection': [expect.any(String)] },
  },
};

test('a signature that no request could ever have is refused when it is saved', async () => {
  const [other, foreign] = [await connect('http_bearer'), await connect('hmac_sha256', 8)];
  for (const id of [other, foreign, 999_999_999, 'con_999999999'])
    expect(
      await copies.send(createAutomation, { name: 'Orders', flow: signedBy(id) }, context),
    ).toMatchObject(refused);
});

test('one that was saved stays when its connection is deleted; a change of the definition is told of it', async () => {
  const id = await connect('hmac_sha256');
  const flow = signedBy(`con_${id}`);
  const created = await copies.send(createAutomation, { name: 'Orders', flow }, context);
  const about = { id: bodyOf(created).automation_id };
  await copies.send(deleteConnection, { id }, context);
  const renamed = await copies.send(updateAutomation, { ...about, name: 'All orders' }, context);
  expect(bodyOf(renamed)).toMatchObject({
    data: { name: 'All orders', version: 1 },
  });
  const changed = { ...flow, settings: { max_concurrent_runs: 1 } };
  expect(await copies.send(updateAutomation, { ...about, flow: changed }, context)).toMatchObject(refused);
  expect(bodyOf(await copies.send(getAutomation, about, context))).toMatchObject({
    data: { version: 1, flow },
  });
});
