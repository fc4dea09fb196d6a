import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { databaseUrl, flag, loadConfig, optionalPort, port, processConfig, secret } from './index.ts';

const schema = processConfig.extend({
  DATABASE_URL: databaseUrl(),
  API_KEY: secret('none'),
  SANDBOX: flag(false),
  PORT: port(3000),
  HEALTH_PORT: optionalPort(),
});

test('an empty environment gives a configuration that works', () => {
  const config = loadConfig(schema, {});
  expect(config).toMatchObject({ NODE_ENV: 'production', LOG_LEVEL: 'info', SANDBOX: false, PORT: 3000 });
  expect(config.NATS_URL).toEqual(['nats://127.0.0.1:4222']);
  expect(config.HEALTH_PORT).toBeUndefined();
});

test('values are read from the environment, and one set to nothing counts as absent', () => {
  const config = loadConfig(schema, {
    NATS_URL: 'nats://a:4222, nats://b:4222',
    SANDBOX: 'true',
    PORT: '8080',
    LOG_LEVEL: '',
  });
  expect(config).toMatchObject({ SANDBOX: true, PORT: 8080, LOG_LEVEL: 'info' });
  expect(config.NATS_URL).toEqual(['nats://a:4222', 'nats://b:4222']);
});

test('blanks are nothing, and not the number 0 either', () => {
  const atMost = schema.extend({ MAX_CONCURRENT_RUNS: z.coerce.number().int().min(0).default(256) });
  expect(loadConfig(atMost, { MAX_CONCURRENT_RUNS: ' ' }).MAX_CONCURRENT_RUNS).toBe(256);
  expect(loadConfig(atMost, { MAX_CONCURRENT_RUNS: '0' }).MAX_CONCURRENT_RUNS).toBe(0);
});

test('a port that is to be known is none that is free by chance', () => {
  expect(loadConfig(schema, { PORT: '0' }).PORT).toBe(0);
  expect(() => loadConfig(schema, { HEALTH_PORT: '0' })).toThrow(
    'HEALTH_PORT: Too small: expected number to be >=1',
  );
});

test('every fault is reported at once, and no value with it', () => {
  const environment = { DATABASE_URL: 'mysql://root:hunter2@db', PORT: '70000', SANDBOX: 'perhaps' };
  for (const key of ['DATABASE_URL', 'PORT', 'SANDBOX'])
    expect(() => loadConfig(schema, environment)).toThrow(key);
  expect(() => loadConfig(schema, environment)).not.toThrow(/hunter2|perhaps/);
});

test.each([
  'nats://parley:hun/ter2@nats-1:4222',
  'nats://a:4222,nats://parley:hunter%2@b:4222',
  'nats://a:99999',
])('NATS_URL=%s is told, and not shown', (NATS_URL) => {
  expect(() => loadConfig(schema, { NATS_URL })).toThrow(/\n {2}NATS_URL: Must be nats:/);
  expect(() => loadConfig(schema, { NATS_URL })).not.toThrow(/ter2|hunter|99999/);
});

test.each([
  'postgres://parley:hun/ter2@db:5432/postgres',
  'postgres://parley:hun?ter2@db:5432/postgres',
  'postgres://parley:hun#ter2@db:5432/postgres',
  'mysql://parley:hunter2@db/postgres',
])('DATABASE_URL=%s is told with what a password is written like, and not shown', (DATABASE_URL) => {
  expect(() => loadConfig(schema, { DATABASE_URL })).toThrow(
    /\n {2}DATABASE_URL: Must be postgres:.* in a password \/ is %2F/,
  );
  expect(() => loadConfig(schema, { DATABASE_URL })).not.toThrow(/ter2|hunter/);
});

test.each([
  'postgres://parley:hun%2Fter2@db:5432/postgres?sslmode=verify-full',
  'postgres://parley@db/postgres?sslmode=no-verify&sslcert=a&sslkey=b&sslrootcert=c&application_name=x',
  'postgresql://parley@%2Fvar%2Frun%2Fpostgresql/postgres',
  'postgres:///postgres',
  // Its client takes a % for one where it begins nothing.
  'postgres://parley:hunter%2@db:5432/postgres',
])('DATABASE_URL=%s is taken', (DATABASE_URL) =>
  expect(loadConfig(schema, { DATABASE_URL }).DATABASE_URL.reveal()).toBe(DATABASE_URL),
);

test.each([
  'ssl-mode=verify-full',
  'sslMode=require',
  'tls=true',
  'sslmode=verify',
  'sslmode=',
  'sslcert=a&sslca=b',
])('a DATABASE_URL with %s, which would not ask for TLS as it looks, is told', (parameters) => {
  const DATABASE_URL = `postgres://parley:hunter2@db/postgres?${parameters}`;
  expect(() => loadConfig(schema, { DATABASE_URL })).toThrow(/\n {2}DATABASE_URL: Must say of TLS /);
});

test.each(['nats-1, tls://nats-2:4333', 'nats://me:p%40ss@host', 'nats://[::1]:4222'])(
  'NATS_URL=%s is taken',
  (NATS_URL) => expect(loadConfig(schema, { NATS_URL }).NATS_URL).toEqual(NATS_URL.split(', ')),
);

test('a secret prints as [secret] wherever it ends up', () => {
  const config = loadConfig(schema, { API_KEY: 'hunter2' });
  expect(config.API_KEY.reveal()).toBe('hunter2');
  for (const text of [JSON.stringify(config), inspect(config), `${config.API_KEY}`]) {
    expect(text).not.toContain('hunter2');
    expect(text).toContain('[secret]');
  }
});

test('a service extends the configuration with keys of its own', () => {
  const extended = schema.extend({ RETRY_DELAY_MS: z.coerce.number().int().default(5) });
  expect(loadConfig(extended, {}).RETRY_DELAY_MS).toBe(5);
});
