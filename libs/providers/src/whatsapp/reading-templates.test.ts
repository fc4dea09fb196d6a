import { describe, expect, test } from 'vitest';
import { unfillable } from '../chat-platform.ts';
import { answerJson, graphError, graphServer } from './graph-server.fixture.ts';

const ref = { phoneNumberId: '11', accountId: '22' };

describe('templates', () => {
  const node = { id: '7', name: 'order', language: 'en', status: 'APPROVED', category: 'UTILITY' };
  const read = async (extra: object) => {
    const { whatsApp } = await graphServer((response) =>
      answerJson(response, 200, { data: [{ ...node, ...extra }] }),
    );
    const result = await whatsApp.listTemplates(ref);
    if (result.kind !== 'ok') throw new Error(result.kind);
    return result.value[0];
  };
  const body = (text: string, example?: object) => ({ components: [{ type: 'BODY', text, example }] });

  test('with positional placeholders have the names of their examples', async () => {
    const example = { body_text: [['first_name', 'order']] };
    expect(await read(body('{{2}} for {{1}}', example))).toEqual({
      platformId: '7',
      name: 'order',
      language: 'en',
      category: 'utility',
      status: 'approved',
      kind: 'message',
      bodyText: '{{2}} for {{1}}',
      format: 'positional',
      placeholders: [
        { key: '1', name: 'first_name' },
        { key: '2', name: 'order' },
      ],
    });
  });

  test.each([
    ['are missing', undefined],
    ['are too few', { body_text: [['a']] }],
    ['are the same', { body_text: [['a', 'a']] }],
    ['make no sense', { body_text: 'a' }],
    ['are positions of others', { body_text: [['2', 'Friday']] }],
  ])('whose examples %s have numbers for names', async (_, example) => {
    expect(await read(body('{{1}} {{2}}', example))).toMatchObject({
      placeholders: [
        { key: '1', name: '1' },
        { key: '2', name: '2' },
      ],
    });
  });

  test('have no name that is the position of a gap beside the body', async () => {
    const header = { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' };
    const among = async (example: string) => {
      const text = { type: 'BODY', text: 'Hi {{1}}', example: { body_text: [[example]] } };
      return (await read({ components: [header, text] }))?.placeholders.map(({ name }) => name);
    };
    expect(await among('2')).toEqual(['1', 'header']);
    expect(await among('3')).toEqual(['3', 'header']);
  });

  test('with named placeholders show them as numbers in the order of the text', async () => {
    expect(await read(body('{{ city }}: {{name}}, {{city}}'))).toMatchObject({
      bodyText: '{{1}}: {{2}}, {{1}}',
      format: 'named',
      placeholders: [
        { key: 'city', name: 'city' },
        { key: 'name', name: 'name' },
      ],
    });
  });

  const text = { type: 'BODY', text: 'Hi {{1}}' };
  const inBody = { key: '1', name: '1' };
  test.each([
    [
      'a header',
      { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' },
      [{ key: 'header:1', name: 'header' }],
    ],
    ['a picture', { type: 'HEADER', format: 'IMAGE' }, [{ key: 'image:header', name: 'header_image_link' }]],
    [
      'a link',
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', url: 'https://a.example' },
          { type: 'URL', url: 'https://a.example/{{1}}' },
          { type: 'QUICK_REPLY' },
        ],
      },
      [{ key: 'url:1', name: 'button_2' }],
    ],
    [
      'a code to copy',
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'COPY_CODE' }] },
      [{ key: 'copy_code:1', name: 'button_2' }],
    ],
    ['a place', { type: 'HEADER', format: 'LOCATION' }, [unfillable('header_location')]],
    [
      'a form',
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Book', flow_id: '1', flow_action: 'NAVIGATE' }] },
      [{ key: 'flow:0', name: 'button_1' }],
    ],
    ['products', { type: 'BUTTONS', buttons: [{ type: 'MPM' }] }, [unfillable('button_mpm')]],
    ['a carousel', { type: 'CAROUSEL' }, [unfillable('carousel')]],
    ['fixed texts', { type: 'HEADER', format: 'TEXT', text: 'News' }, []],
    ['a footer', { type: 'FOOTER', text: 'Bye' }, []],
    ['what makes no sense', { type: 'BUTTONS', buttons: 'x', format: 1 }, []],
  ])('with %s have its gaps after those of the body', async (_, component, gaps) => {
    expect(await read({ components: [component, text] })).toMatchObject({
      bodyText: 'Hi {{1}}',
      placeholders: [inBody, ...gaps],
    });
  });

  test('with a name in the header are named ones', async () => {
    const header = { type: 'HEADER', format: 'TEXT', text: 'For {{who}}' };
    expect(await read({ components: [header, { type: 'BODY', text: 'Hi' }] })).toMatchObject({
      format: 'named',
      placeholders: [{ key: 'header:who', name: 'who' }],
    });
  });

  test('that authenticate want their code once', async () => {
    const buttons = [{ type: 'URL', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }];
    const components = [text, { type: 'BUTTONS', buttons }];
    expect(await read({ category: 'AUTHENTICATION', components })).toMatchObject({ placeholders: [inBody] });
  });

  test('without a body have no text', async () => {
    expect(await read({})).toMatchObject({ bodyText: '', placeholders: [], format: 'positional' });
  });

  test('hold nothing that cannot be stored', async () => {
    expect(await read(body('a\u0000b\ud800'))).toMatchObject({ bodyText: 'ab\ufffd' });
  });

  test.each([
    ['APPROVED', 'approved'],
    ['PENDING', 'pending'],
    ['IN_APPEAL', 'pending'],
    ['REJECTED', 'rejected'],
    ['PAUSED', 'rejected'],
    ['DISABLED', 'rejected'],
    ['SOMETHING_NEW', 'rejected'],
  ])('that are %s count as %s', async (status, expected) => {
    expect(await read({ status })).toMatchObject({ status: expected });
  });

  test('that ask for calls are known by that', async () => {
    const components = [{ type: 'BODY', text: 'May we?' }, { type: 'call_permission_request' }];
    expect(await read({ components })).toMatchObject({ kind: 'voice_call_request' });
  });

  test('come from every page', async () => {
    const { whatsApp } = await graphServer((response, { query }) => {
      const page = Number(query.after ?? 0);
      answerJson(response, 200, {
        data: [{ ...node, id: String(page) }],
        paging: { cursors: { after: String(page + 1) }, ...(page < 4 && { next: 'x' }) },
      });
    });
    const result = await whatsApp.listTemplates(ref);
    expect(result).toMatchObject({ kind: 'ok' });
    expect(result.kind === 'ok' && result.value.map(({ platformId }) => platformId)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  const slowPages = (count: number, pageMs: number, readTimeoutMs: number) =>
    graphServer(
      (response, { query }) => {
        const page = Number(query.after ?? 0);
        const next = page < count - 1 ? { cursors: { after: String(page + 1) }, next: 'x' } : {};
        setTimeout(() => answerJson(response, 200, { data: [node], paging: next }), pageMs);
      },
      { readTimeoutMs },
    );

  test('come from every page of a platform that takes its time for each', async () => {
    const { whatsApp } = await slowPages(4, 2_000, 7_000);
    const result = await whatsApp.listTemplates(ref);
    expect(result.kind === 'ok' && result.value).toHaveLength(4);
  });

  test('are unavailable in time, however many pages there are', async () => {
    const { whatsApp } = await slowPages(100, 20, 100);
    expect(await whatsApp.listTemplates(ref)).toMatchObject({ kind: 'unavailable' });
  });

  test('that are there in part only are not there', async () => {
    const { whatsApp } = await graphServer((response, { query }) => {
      if (query.after) answerJson(response, 500, graphError(1));
      else answerJson(response, 200, { data: [node], paging: { cursors: { after: 'b' }, next: 'x' } });
    });
    expect(await whatsApp.listTemplates(ref)).toMatchObject({ kind: 'unavailable' });
  });
});
