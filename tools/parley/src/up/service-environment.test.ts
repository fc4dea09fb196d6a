import { expect, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { environmentOf } from './service-environment.ts';
import { services } from './service-table.ts';

/** That of a service of a stack with these settings, in this environment. */
function environmentWith(
  changed: Partial<ReturnType<typeof loadSettings>>,
  environment: NodeJS.ProcessEnv = {},
): NodeJS.ProcessEnv {
  const [service] = services;
  if (!service) throw new Error('There are services.');
  return environmentOf(
    { name: service.name, service, port: null, healthPort: null },
    {
      settings: { ...loadSettings(), ...changed },
      environment,
      secretsKeys: '',
      databaseUrl: changed.DATABASE_URL ?? 'postgres://embedded',
      natsUrl: undefined,
      sandboxUrl: '',
      gatewayUrl: '',
    },
  );
}

test('what PGSSLMODE asks of other servers is not asked of the embedded Postgres', () => {
  const environmentFor = (DATABASE_URL: string | undefined) =>
    environmentWith({ DATABASE_URL }, { PGSSLMODE: 'require' });
  expect(environmentFor(undefined)).toMatchObject({
    DATABASE_URL: 'postgres://embedded',
    PGSSLMODE: undefined,
  });
  expect(environmentFor('postgres://db')).toMatchObject({
    DATABASE_URL: 'postgres://db',
    PGSSLMODE: 'require',
  });
});

test('what V8 compiles of a bundle is kept beside it, or where the environment says', () => {
  const keptWith = (isBundled: boolean, environment?: NodeJS.ProcessEnv) =>
    environmentWith({ PARLEY_BUNDLES: isBundled }, environment).NODE_COMPILE_CACHE;
  expect(keptWith(true)).toMatch(/services\/gateway\/bundle\/compiled$/);
  expect(keptWith(true, { NODE_COMPILE_CACHE: '/elsewhere' })).toBe('/elsewhere');
  expect(keptWith(false)).toBeUndefined();
});
