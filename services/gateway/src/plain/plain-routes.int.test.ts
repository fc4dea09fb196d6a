import { readFileSync } from 'node:fs';
import { events, operations } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { withGateway } from '../gateway.fixture.ts';
import { startPlatform } from '../platform.fixture.ts';

const platform = await startPlatform();
const get = (path: string) => platform.call('GET', path, { key: null });

describe('/openapi.json', () => {
  test('is a valid document of every operation, and of what automations are told by', async () => {
    const { status, json, headers } = await get('/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await new Validator().validate(structuredClone(Object(json)))).valid).toBe(true);
    const described = Object.entries(Object(json).paths).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const documented = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual([...documented, 'POST /hooks/automations/{token}'].sort());
  });
});

test('/asyncapi.json is the document of every event', async () => {
  const { status, json } = await get('/asyncapi.json');
  expect(status).toBe(200);
  expect(Object.keys(Object(json).channels)).toEqual(expect.arrayContaining(events.map(({ type }) => type)));
});

describe('/docs', () => {
  test('is a page made of files of the gateway alone', async () => {
    const { status, text, headers } = await get('/docs/');
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).not.toMatch(/^(https?:)?\/\//);
      expect((await get(new URL(file, 'http://x/docs/').pathname)).status, file).toBe(200);
    }
    expect(text).not.toMatch(/<script>|<style>/);
  });

  test('shows the document of the gateway', async () => {
    expect((await get('/docs/json')).json).toEqual((await get('/openapi.json')).json);
  });
});

describe('/health', () => {
  test('says that the process lives and can serve', async () => {
    expect((await get('/health/live')).json).toEqual({ status: 'live' });
    await eventually(async () =>
      expect((await get('/health/ready')).json).toEqual({
        status: 'ready',
        checks: { accounts: 'reachable' },
      }),
    );
  });
});

describe('/metrics', () => {
  test('counts answers by operation and status, and tells the loop’s lag', async () => {
    await platform.call('GET', '/api/user/folders');
    await platform.call('GET', '/api/user/folders', { key: null });
    const { text, headers } = await get('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    for (const status of [200, 401])
      expect(text).toMatch(
        new RegExp(
          `parley_http_request_duration_seconds_count\\{(?=.*operation="list-folders")(?=.*status="${status}").*\\} 1`,
        ),
      );
    const rules = readFileSync(new URL('../../../../deploy/prometheus-rules.yml', import.meta.url), 'utf8');
    for (const name of rules.match(/parley_http_\w+/g) ?? [])
      expect(text).toMatch(new RegExp(`^${name}\\{`, 'm'));
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toMatch(/parley_http_requests_waiting\{[^}]*\} 0/);
    expect(text).not.toContain(platform.key);
  });
});

test('plain answers carry a request id and security headers as well', async () => {
  for (const path of ['/health/live', '/openapi.json', '/docs/', '/metrics']) {
    const { headers } = await get(path);
    expect(headers.get('x-request-id'), path).toMatch(/^[\w-]{36}$/);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
  }
});

describe('pages of other origins', () => {
  const preflight = (url: string) =>
    fetch(`${url}/api/user/folder`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });

  test('may not call the API unless the settings name them', async () => {
    expect((await preflight(platform.url)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('may call it when they do, and read what the headers say, also of errors', async () => {
    const { url } = await withGateway({
      natsUrl: platform.bus.url,
      env: { CORS_ORIGINS: 'https://app.example, https://other.example' },
    });
    const { status, headers } = await preflight(url);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    const refused = await fetch(`${url}/api/user/folders`, { headers: { origin: 'https://app.example' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(refused.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    const stranger = await fetch(`${url}/api/user/folders`, { headers: { origin: 'https://evil.example' } });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('the base URL is the proxy’s when the proxy is trusted, and only then', async () => {
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.com' };
  const baseUrlAt = async (url: string) => {
    await fetch(`${url}/api/user/folders`, {
      headers: { ...headers, authorization: `Bearer ${platform.key}` },
    });
    return platform.asked.at(-1)?.context.baseUrl;
  };
  const trusting = await withGateway({ natsUrl: platform.bus.url, env: { TRUST_PROXY: '127.0.0.1' } });
  expect(await baseUrlAt(platform.url)).toBe(platform.url);
  expect(await baseUrlAt(trusting.url)).toBe('https://api.example.com');
});
