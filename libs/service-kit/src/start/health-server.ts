import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  /** Rejects while the service cannot do its work. */
  readonly checkReady: () => Promise<unknown>;
}

/** `/health/live`, `/health/ready` and `/metrics` for whoever runs the containers; returns how to stop it. */
export async function startHealthServer(options: HealthServerOptions): Promise<() => Promise<void>> {
  const answer = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    switch (request.url) {
      case '/health/live':
        return answer(response, 200, { status: 'live' });
      case '/health/ready':
        return options.checkReady().then(
          () => answer(response, 200, { status: 'ready' }),
          () => answer(response, 503, { status: 'unavailable' }),
        );
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
