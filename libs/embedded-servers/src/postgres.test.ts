import { expect, test } from 'vitest';
import { nearestPostgresUrl } from './postgres.ts';

const urlOf = (dataDir: string) => nearestPostgresUrl({ dataDir, port: 5432, password: 'secret' });
const overTcp = 'postgres://parley:secret@127.0.0.1:5432/postgres';

test('the socket in the data directory is nearest', () => {
  const url = urlOf('/home/ada/my data');
  expect(url).toBe('postgres://parley:secret@%2Fhome%2Fada%2Fmy%20data:5432/postgres');
  expect(new URL('/parley_accounts', url).href).toBe(
    'postgres://parley:secret@%2Fhome%2Fada%2Fmy%20data:5432/parley_accounts',
  );
});

test('where there can be no socket, it is TCP', () => {
  expect(urlOf(`/home/${'a'.repeat(90)}`)).toBe(overTcp);
  expect(urlOf(`/home/${'ä'.repeat(45)}`)).toBe(overTcp);
  expect(urlOf('/home/a,b')).toBe(overTcp);
});
