import type { RunningStack } from '@parley/testing';
import pg from 'pg';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';

const folderPage = z.object({ data: z.array(z.object({ name: z.string() })) });

/** The first demo account on the first gateway. */
export function ownerApi(stack: RunningStack): Api {
  const [owner] = stack.accounts;
  return comingBack(createApi(stack.baseUrl, owner?.apiKey));
}

/** The same again is the same folder, also where only the answer was lost with a process. */
export async function createFolder(stack: RunningStack, name: string): Promise<void> {
  const answer = await ownerApi(stack).post('/api/user/folder', { name }, { 'idempotency-key': name });
  expect(answer.status, answer.text).toBe(201);
}

/** Names of the first account's folders, newest first. */
export async function folderNames(stack: RunningStack): Promise<string[]> {
  const answer = await ownerApi(stack).get('/api/user/folders?per_page=100');
  expect(answer.status, answer.text).toBe(200);
  return folderPage.parse(answer.body).data.map(({ name }) => name);
}

/** Damages the read model: a row that no event explains. */
export async function recolorBehindTheBack(stack: RunningStack, name: string): Promise<void> {
  const url = new URL(stack.databaseUrl);
  url.pathname = '/parley_assistants';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema_name: string }>(
      `select schema_name from es.projections where name = 'folders' order by version desc limit 1`,
    );
    const changed = await client.query(
      `update ${rows[0]?.schema_name}.items set color = 'pink' where name_json = $1`,
      [JSON.stringify(name)],
    );
    expect(changed.rowCount).toBe(1);
  } finally {
    await client.end();
  }
}
