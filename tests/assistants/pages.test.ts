import { listAssistants } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';

type Page = z.output<typeof listAssistants.success.schema>;

test('the pages together hold every assistant once, newest first, and link to each other', async () => {
  const [api, other] = accountApis(await freshAccount());
  const ids: number[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await createAssistant(api));
  const path = `${gatewayUrls()[1]}/api/user/assistants/get`;
  const read = async (url: string): Promise<Page> => {
    const { status, body } = await other.get(url.replace(String(gatewayUrls()[1]), ''));
    expect(status).toBe(200);
    return listAssistants.success.schema.parse(body);
  };
  const pages: Page[] = [];
  for (
    let url: string | null = `${path}?per_page=3&page=1`;
    url !== null;
    url = pages.at(-1)?.next_page_url ?? null
  )
    pages.push(await read(url));
  expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids.toReversed());
  const { data, ...second } = pages[1] as Page;
  const urlOf = (page: number) => `${path}?per_page=3&page=${page}`;
  expect(second).toEqual({
    current_page: 2,
    first_page_url: urlOf(1),
    from: 4,
    last_page: 3,
    last_page_url: urlOf(3),
    links: [
      { url: urlOf(1), label: '&laquo; Previous', active: false },
      { url: urlOf(1), label: '1', active: false },
      { url: urlOf(2), label: '2', active: true },
      { url: urlOf(3), label: '3', active: false },
      { url: urlOf(3), label: 'Next &raquo;', active: false },
    ],
    next_page_url: urlOf(3),
    path,
    per_page: 3,
    prev_page_url: urlOf(1),
    to: 6,
    total: 7,
  });
});

test('an account without assistants has one empty page', async () => {
  const [api] = accountApis(await freshAccount());
  const path = `${gatewayUrls()[0]}/api/user/assistants/get`;
  const { body } = await api.get('/api/user/assistants/get');
  expect(body).toEqual({
    current_page: 1,
    data: [],
    first_page_url: `${path}?page=1`,
    from: null,
    last_page: 1,
    last_page_url: `${path}?page=1`,
    links: [
      { url: null, label: '&laquo; Previous', active: false },
      { url: `${path}?page=1`, label: '1', active: true },
      { url: null, label: 'Next &raquo;', active: false },
    ],
    next_page_url: null,
    path,
    per_page: 10,
    prev_page_url: null,
    to: null,
    total: 0,
  });
});

test('the URLs are those of the host the client used', async () => {
  const [api] = accountApis(await freshAccount());
  const { body } = await api.get('/api/user/assistants/get', { headers: { host: 'api.example.com' } });
  expect((body as Page).path).toBe('http://api.example.com/api/user/assistants/get');
});

test('a hundred of the largest assistants fit into a page', async () => {
  const [api] = accountApis(await freshAccount());
  const system_prompt = '🏢'.repeat(50_000);
  // Four at a time: 20 MB at once put a gateway so far behind that it refuses what other tests ask.
  for (let n = 0; n < 25; n += 1)
    await Promise.all(Array.from({ length: 4 }, () => createAssistant(api, { system_prompt })));
  // Twenty megabytes: a busy machine does not always have them within the ten seconds of a request.
  const page = await eventually(async () => {
    const { status, body } = await api.get('/api/user/assistants/get?per_page=100');
    expect(status).toBe(200);
    return body as Page;
  }, 120_000);
  expect(page.data).toHaveLength(100);
  for (const item of page.data) expect(item.system_prompt === system_prompt).toBe(true);
});
