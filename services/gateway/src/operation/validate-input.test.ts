import {
  createFolder,
  defineOperation,
  importLeads,
  listFolders,
  pathId,
  reject,
  updateFolder,
} from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readJson } from './read-json.ts';
import { validateInput } from './validate-input.ts';

const raw = { params: {}, query: {}, body: undefined };
const secondaryContacts = defineOperation({
  ...createFolder,
  body: z.object({ secondary_contacts: z.array(z.object({ phone_number: z.string() })) }),
});

describe('the input of an operation', () => {
  test('is path, query and body in one object, read as the contract says', () => {
    const input = { ...raw, params: { id: '12' }, body: { name: 'Leads', color: null, user_id: 7 } };
    expect(validateInput(updateFolder, input)).toEqual({
      isValid: true,
      value: { id: 12, name: 'Leads', color: null },
    });
    expect(validateInput(listFolders, { ...raw, query: { page: '3' } })).toEqual({
      isValid: true,
      value: { page: 3, per_page: 15 },
    });
  });

  test.each(['abc', '0', '-1', '1.5', '9223372036854775808', '%', ''])(
    'with the path id %j is not found',
    (id) => {
      const input = { ...raw, params: { id }, body: { name: 5 } };
      expect(validateInput(updateFolder, input)).toMatchObject({ rejection: { code: 'not_found' } });
    },
  );

  test.each([{ page: '0' }, { page: 'x' }, { per_page: '101' }, { per_page: '1.5' }])(
    'with the query %j is invalid',
    (query) => {
      expect(validateInput(listFolders, { ...raw, query })).toMatchObject({
        rejection: { code: 'invalid', fields: { [Object.keys(query)[0] ?? '']: [expect.any(String)] } },
      });
    },
  );

  test('tells of what a query has more than once, unless nobody asks for it', () => {
    const query = { page: ['1', '2'], per_page: ['5', '5'], other: ['a', 'b'] };
    expect(validateInput(listFolders, { ...raw, query })).toEqual({
      isValid: false,
      rejection: reject('invalid', {
        fields: {
          page: ['The page field is given more than once.'],
          per_page: ['The per page field is given more than once.'],
        },
      }),
    });
    expect(validateInput(listFolders, { ...raw, query: { other: ['a', 'b'] } })).toMatchObject({
      isValid: true,
    });
  });

  test('without a body names the fields it misses', () => {
    for (const body of [undefined, {}])
      expect(validateInput(createFolder, { ...raw, body })).toMatchObject({
        rejection: { fields: { name: ['The name field is required.'] } },
      });
  });

  test.each(['[]', '"x"', '1', 'null', 'true'])('is invalid when the body is %s', (text) => {
    expect(validateInput(createFolder, { ...raw, body: readJson(Buffer.from(text)) })).toMatchObject({
      rejection: { fields: { body: ['The body must be a JSON object.'] } },
    });
  });

  test('names a field of an array by its index', () => {
    const body = { secondary_contacts: [{ phone_number: '+1' }, {}] };
    expect(validateInput(secondaryContacts, { ...raw, body })).toMatchObject({
      rejection: { fields: { 'secondary_contacts.1.phone_number': [expect.any(String)] } },
    });
  });

  test('ignores a body where the operation has none', () => {
    const operation = { ...listFolders, params: z.object({ id: pathId() }) };
    expect(validateInput(operation, { params: { id: '1' }, query: {}, body: [1] })).toMatchObject({
      isValid: true,
    });
  });
});

test('a file that was not sent is no file of the right type', () => {
  expect(validateInput(importLeads, { ...raw, params: { id: '5' } })).toEqual({
    isValid: false,
    rejection: reject('unsupported_media_type'),
  });
});
