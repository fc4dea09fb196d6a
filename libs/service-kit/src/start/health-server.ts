import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.ts';

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: () => Promise<Readiness>;
}

/** `/health/live`, `/health/ready` and `/metrics` for whoever runs the containers; returns how to stop it. */
export async function startHealthServer(options: HealthServerOptions): Promise<() => Promise<void>> {
  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    switch (path) {
      case '/health/live':
        return answer(response, 200, { status: 'live' });
      case '/health/ready': {
        const readiness = await options.readiness();
        return answer(response, readiness.status === 'ready' ? 200 : 503, readiness);
      }
      case '/metrics':
        return response
          .writeHead(200, { 'content-type': options.registry.contentType })
          .end(await options.registry.metrics());
      default:
        return answer(response, 404, { message: 'Not found.' });
    }
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}
