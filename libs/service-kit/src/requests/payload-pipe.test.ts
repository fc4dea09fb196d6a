import { updateFolder } from '@parley/contracts';
import { expect, test } from 'vitest';
import { CommandHandler, QueryHandler } from './handlers.ts';
import { PayloadPipe } from './payload-pipe.ts';
import { RejectionError } from './replies.ts';

const pipe = new PayloadPipe(updateFolder.body);

test('a payload that does not fit is rejected with its fields', () => {
  const attempt = () => pipe.transform({ name: 7, color: 'mauve' }, { type: 'body' });
  expect(attempt).toThrow(RejectionError);
  try {
    attempt();
  } catch (error) {
    expect(error).toMatchObject({
      rejection: { code: 'invalid', fields: { name: [expect.any(String)], color: [expect.any(String)] } },
    });
  }
});

test('a payload that fits is handed on without what the contract does not know', () => {
  expect(pipe.transform({ name: 'Leads', user_id: 1 }, { type: 'body' })).toEqual({ name: 'Leads' });
});

test('the context is none of its business', () => {
  expect(pipe.transform('context', { type: 'custom' })).toBe('context');
});

test('a handler of the wrong kind is a defect that shows at the start', () => {
  expect(() => QueryHandler(updateFolder)).toThrow('update-folder is a command');
  expect(() => CommandHandler(updateFolder)).not.toThrow();
});
