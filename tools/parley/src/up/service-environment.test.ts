import { expect, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { environmentOf } from './service-environment.ts';
import { services } from './service-table.ts';

test('what PGSSLMODE asks of other servers is not asked of the embedded Postgres', () => {
  const [service] = services;
  if (!service) throw new Error('There are services.');
  const environmentFor = (DATABASE_URL: string | undefined) =>
    environmentOf(
      { name: service.name, service, port: null, healthPort: null },
      {
        settings: { ...loadSettings(), DATABASE_URL },
        environment: { PGSSLMODE: 'require' },
        secretsKeys: '',
        databaseUrl: DATABASE_URL ?? 'postgres://embedded',
        natsUrl: undefined,
        sandboxUrl: '',
        gatewayUrl: '',
      },
    );
  expect(environmentFor(undefined)).toMatchObject({
    DATABASE_URL: 'postgres://embedded',
    PGSSLMODE: undefined,
  });
  expect(environmentFor('postgres://db')).toMatchObject({
    DATABASE_URL: 'postgres://db',
    PGSSLMODE: 'require',
  });
});
