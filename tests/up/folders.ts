import type { RunningStack } from '@parley/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../support/api.ts';

const folderPage = z.object({ data: z.array(z.object({ name: z.string() })) });

/** The first demo account on the first gateway. */
export function ownerApi(stack: RunningStack): Api {
  const [owner] = stack.accounts;
  return createApi(stack.baseUrl, owner?.apiKey);
}

export async function createFolder(stack: RunningStack, name: string): Promise<void> {
  const answer = await ownerApi(stack).post('/api/user/folder', { name });
  expect(answer.status, answer.text).toBe(201);
}

/** Names of the first account's folders, newest first. */
export async function folderNames(stack: RunningStack): Promise<string[]> {
  const answer = await ownerApi(stack).get('/api/user/folders?per_page=100');
  expect(answer.status, answer.text).toBe(200);
  return folderPage.parse(answer.body).data.map(({ name }) => name);
}
