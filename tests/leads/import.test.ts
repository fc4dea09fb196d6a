import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Answer, Api } from '../support/api.ts';
import { type Campaign, type Lead, listOf, makeCampaign, phoneNumber } from '../support/campaigns.ts';

const csv = 'text/csv';
const importInto = (
  api: Api,
  campaignId: number | string,
  file: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  api.call('POST', `/api/user/leads/import?campaign_id=${campaignId}`, {
    raw: file,
    headers: { 'content-type': csv, ...headers },
  });

interface Report {
  readonly created: number;
  readonly skipped: number;
  readonly failed: number;
  readonly errors: readonly { readonly row: number; readonly field: string; readonly message: string }[];
}
const reportOf = (answer: Answer): Report => {
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return (answer.body as { data: Report }).data;
};
const badNumber = 'The phone number must be a valid E.164 number.';

const prepare = async (): Promise<[Api, Api, Campaign]> => {
  const [api, other] = accountApis(await freshAccount());
  return [api, other, await makeCampaign(api)];
};

describe('a file of leads', () => {
  test('becomes leads with the variables that the header names', async () => {
    const [api, other, campaign] = await prepare();
    const file = [
      '\ufeffname, phone_number ,note,',
      `"Ada ""the first"", Lovelace",${phoneNumber(1)},"two\nlines",ignored`,
      '',
      `東京 🏢, ${phoneNumber(2)} ,,`,
      ',,,',
    ].join('\r\n');
    const answer = await importInto(api, campaign.id, file);
    expect(answer.body).toEqual({
      message: 'Leads imported successfully',
      data: { created: 2, skipped: 0, failed: 0, errors: [] },
    });
    const { data, total } = await listOf(other, `/api/user/leads?campaign_id=${campaign.id}`);
    expect(total).toBe(2);
    expect(data.map(({ phone_number, variables, status }) => ({ phone_number, variables, status }))).toEqual([
      { phone_number: phoneNumber(2), variables: { name: '東京 🏢' }, status: 'created' },
      {
        phone_number: phoneNumber(1),
        variables: { name: 'Ada "the first", Lovelace', note: 'two\nlines' },
        status: 'created',
      },
    ]);
  });

  test('may have its cells parted by semicolons, as spreadsheets of many countries write it', async () => {
    const [api, other, campaign] = await prepare();
    const file = `\ufeffphone_number;name\r\n${phoneNumber(1)};Lovelace, Ada\r\n;\r\n`;
    expect(reportOf(await importInto(api, campaign.id, file))).toMatchObject({ created: 1, failed: 0 });
    const { data } = await listOf(other, `/api/user/leads?campaign_id=${campaign.id}`);
    expect(data).toMatchObject([{ phone_number: phoneNumber(1), variables: { name: 'Lovelace, Ada' } }]);
  });

  test('is reported row by row, with the numbers that a spreadsheet shows', async () => {
    const [api, , campaign] = await prepare();
    await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: phoneNumber(9) });
    const file = [
      'phone_number,name',
      `${phoneNumber(1)},Ada`,
      '',
      '12345,Bob',
      `"${phoneNumber(2)}","two`,
      'lines"',
      ',Nobody',
      `${phoneNumber(1)},Ada again`,
      `${phoneNumber(9)},Known`,
      `${phoneNumber(3)},Eve,extra`,
      `${phoneNumber(4)},a\u0000b`,
      `+1 (415) 200-0001,spaces`,
    ].join('\n');
    expect(reportOf(await importInto(api, campaign.id, file))).toEqual({
      created: 2,
      skipped: 2,
      failed: 5,
      errors: [
        { row: 4, field: 'phone_number', message: badNumber },
        { row: 6, field: 'phone_number', message: 'The phone number field is required.' },
        { row: 9, field: 'row', message: 'The row has more cells than the header row.' },
        { row: 10, field: 'name', message: 'The cell must not hold NUL characters.' },
        { row: 11, field: 'phone_number', message: badNumber },
      ],
    });
  });

  test('with a quote that is never closed is read up to it', async () => {
    const [api, , campaign] = await prepare();
    const file = `phone_number,name\n${phoneNumber(1)},Ada\n"${phoneNumber(2)},Bob\n${phoneNumber(3)},Eve\n`;
    const report = reportOf(await importInto(api, campaign.id, file));
    expect(report).toMatchObject({
      created: 1,
      failed: 1,
      errors: [{ row: 3, field: 'row', message: expect.stringContaining('nothing behind it was read') }],
    });
  });

  test('of a header row alone is an import of nothing', async () => {
    const [api, , campaign] = await prepare();
    const report = reportOf(await importInto(api, campaign.id, 'phone_number'));
    expect(report).toEqual({ created: 0, skipped: 0, failed: 0, errors: [] });
  });

  test('names variables like any prototype without harm', async () => {
    const [api, , campaign] = await prepare();
    const file = `phone_number,constructor,toString,hasOwnProperty\n${phoneNumber(1)},a,b,c\n`;
    expect(reportOf(await importInto(api, campaign.id, file)).created).toBe(1);
    const { data } = await listOf(api, '/api/user/leads');
    expect(data[0]?.variables).toEqual({ constructor: 'a', toString: 'b', hasOwnProperty: 'c' });
  });

  test('reports the first 1,000 of its bad rows', async () => {
    const [api, , campaign] = await prepare();
    const file = `phone_number\n${Array.from({ length: 1500 }, (_, n) => `bad${n}`).join('\n')}`;
    const report = reportOf(await importInto(api, campaign.id, file));
    expect([report.failed, report.errors.length]).toEqual([1500, 1000]);
    expect(report.errors.map(({ row }) => row)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 2));
  });
});

describe('what is no file of leads is refused, and nothing of it is imported', () => {
  const row = `${phoneNumber(1)},Ada`;
  test.each<[string, number, string | Buffer, Record<string, string>]>([
    ['an empty file', 422, '', {}],
    ['a file with an empty header row', 422, `,\n${row}`, {}],
    ['a file without a phone_number column', 422, `phone,name\n${row}`, {}],
    ['a file with a column twice', 422, `phone_number,name,name\n${row},x`, {}],
    ['a file with a column named __proto__', 422, `phone_number,__proto__\n${row}`, {}],
    ['a file with 300 columns', 422, `phone_number${',x'.repeat(300)}\n${row}`, {}],
    ['a file with an overlong column name', 422, `phone_number,${'x'.repeat(256)}\n${row}`, {}],
    ['a header row of a megabyte', 422, `phone_number,${'x'.repeat(1_000_000)}\n${row}`, {}],
    ['text that is not UTF-8', 422, Buffer.from(`phone_number,name\n${row}\xe9`, 'latin1'), {}],
    ['text cut in the middle of a character', 422, Buffer.from(`phone_number\n${row}é`).subarray(0, -1), {}],
    ['UTF-16', 422, Buffer.from(`\ufeffphone_number,name\n${row}`, 'utf16le'), {}],
    ['JSON', 415, '{}', { 'content-type': 'application/json' }],
    ['a form', 415, `phone_number\n${row}`, { 'content-type': 'multipart/form-data; boundary=x' }],
    ['another charset', 415, `phone_number\n${row}`, { 'content-type': 'text/csv; charset=latin1' }],
    ['a compressed file', 415, `phone_number\n${row}`, { 'content-encoding': 'gzip' }],
    ['more than 10 MiB', 413, `phone_number,name\n${row}\n${'x'.repeat(10 * 1024 * 1024)}`, {}],
  ])('%s', async (_, status, file, headers) => {
    const [api, , campaign] = await prepare();
    const answer = await importInto(api, campaign.id, file, headers);
    expect([answer.status, typeof (answer.body as { message: unknown }).message]).toEqual([status, 'string']);
    if (status === 422) expect(answer.body).toHaveProperty('errors');
    if (status === 415) expect(answer.text).toMatch(/text\/csv|encoding|charset/);
    expect((await listOf(api, '/api/user/leads')).total).toBe(0);
  });

  test('a file for an unknown campaign, another account’s, or none', async () => {
    const [api, , campaign] = await prepare();
    const [stranger] = accountApis(await freshAccount());
    const file = `phone_number\n${phoneNumber(1)}`;
    const unknown = await importInto(api, 999_999_999, file);
    expect([unknown.status, unknown.body]).toEqual([404, { message: 'Campaign not found' }]);
    const foreign = await importInto(stranger, campaign.id, file);
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    for (const id of ['', 'abc', '0', '1.5'])
      expect((await importInto(api, id, file)).body).toMatchObject({
        errors: { campaign_id: [expect.any(String)] },
      });
    expect((await listOf(api, '/api/user/leads')).total).toBe(0);
  });

  test('a CSV file where none is wanted', async () => {
    const [api] = accountApis(await freshAccount());
    const answer = await api.call('POST', '/api/user/folder', { raw: 'a', headers: { 'content-type': csv } });
    expect(answer.status).toBe(415);
  });
});

describe('with an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });
  const file = (rows: number) =>
    `phone_number,name\n${Array.from({ length: rows }, (_, n) => `${phoneNumber(n)},Lead ${n}`).join('\n')}\nbad,row`;

  test('the same file again adds nothing and is answered the same bytes, through any gateway', async () => {
    const [api, other, campaign] = await prepare();
    const headers = key();
    const first = await importInto(api, campaign.id, file(1200), headers);
    expect(reportOf(first)).toMatchObject({ created: 1200, skipped: 0, failed: 1 });
    for (const each of [api, other]) {
      const again = await importInto(each, campaign.id, file(1200), headers);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    expect((await listOf(api, '/api/user/leads')).total).toBe(1200);
  });

  test('another file, campaign or query is reuse', async () => {
    const [api, , campaign] = await prepare();
    const second = await makeCampaign(api);
    const headers = key();
    await importInto(api, campaign.id, file(3), headers);
    for (const [id, rows] of [
      [campaign.id, 2],
      [campaign.id, 4],
      [second.id, 3],
    ] as const) {
      const answer = await importInto(api, id, file(rows), headers);
      expect([answer.status, answer.body]).toMatchObject([422, { error: 'idempotency_key_reuse' }]);
    }
    expect((await listOf(api, '/api/user/leads')).total).toBe(3);
  });

  test('sent ten times at once through two gateways it is one import', async () => {
    const [api, other, campaign] = await prepare();
    const headers = key();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => importInto(n % 2 ? api : other, campaign.id, file(1200), headers)),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(reportOf(done[0] as Answer)).toMatchObject({ created: 1200, skipped: 0, failed: 1 });
    expect((await listOf(api, '/api/user/leads')).total).toBe(1200);
  });

  test('without one the same file again is all duplicates', async () => {
    const [api, , campaign] = await prepare();
    await importInto(api, campaign.id, file(700));
    expect(reportOf(await importInto(api, campaign.id, file(700)))).toMatchObject({
      created: 0,
      skipped: 700,
    });
  });
});

test('two files with the same numbers at once add each number once', async () => {
  const [api, other, campaign] = await prepare();
  const file = `phone_number\n${Array.from({ length: 1000 }, (_, n) => phoneNumber(n)).join('\n')}`;
  const reports = (
    await Promise.all([
      importInto(api, campaign.id, file, { 'idempotency-key': 'one' }),
      importInto(other, campaign.id, file, { 'idempotency-key': 'other' }),
    ])
  ).map(reportOf);
  expect(reports.map(({ created }) => created).reduce((a, b) => a + b)).toBe(1000);
  expect(reports.map(({ skipped }) => skipped).reduce((a, b) => a + b)).toBe(1000);
  const { total } = await listOf<Lead>(api, '/api/user/leads');
  expect(total).toBe(1000);
});
