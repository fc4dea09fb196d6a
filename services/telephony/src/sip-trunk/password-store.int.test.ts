import { createLogger, keyring, newKey } from '@parley/process-kit';
import { createTestStore } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createPasswordStore, preparePasswords } from './password-store.ts';

test('a password that an earlier release kept, without its time, counts until another does', async () => {
  const { close, pool } = await createTestStore([]);
  onTestFinished(close);
  const keys = keyring().parse(newKey());
  await pool.query(`create schema secrets;
    create table secrets.sip_passwords (trunk_id int8 primary key, sealed text not null)`);
  const sealed = keys.seal('first', 'sip-trunk-7');
  await pool.query('insert into secrets.sip_passwords values (7, $1)', [sealed]);
  for (const _ of ['this copy', 'the next one']) await preparePasswords(pool);
  const passwords = createPasswordStore(pool, keys, createLogger({ service: 'test', level: 'silent' }));
  const at = (minute: number) => `2026-11-21T09:3${minute}:00.000Z`;
  const found = async (minute: number) => (await passwords.find(7, at(minute)))?.reveal();
  await passwords.save(7, 'second', { at: at(2), replacing: at(1) });
  expect([await found(1), await found(2)]).toEqual(['first', 'second']);
  await passwords.save(7, 'third', { at: at(3), replacing: at(2) });
  expect([await found(1), await found(2), await found(3)]).toEqual([undefined, 'second', 'third']);
  await passwords.delete(7);
  expect(await found(3)).toBeUndefined();
});
