import helmet from '@fastify/helmet';
import { events as allEvents, automationJsonSchema } from '@parley/contracts';
import { lazily } from '@parley/process-kit';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Registry } from 'prom-client';
import { createAsyncApiDocument } from '../asyncapi/document.ts';
import type { Edge } from '../edge/edge.ts';
import { docsHelmetOptions } from '../edge/security-headers.ts';
import { createMetricsReader } from '../observe/read-metrics.ts';
import { registerDocs } from './docs.ts';
import { registerHealth } from './health.ts';

/** What is not the API: health, metrics, the documents and the page of one. A document is made when it is first asked for. */
export async function registerPlainRoutes(
  app: FastifyInstance,
  edge: Edge,
  registry: Registry,
  openApi: () => OpenAPIV3_1.Document,
): Promise<void> {
  await app.register(helmet, docsHelmetOptions);
  registerHealth(app, edge);
  const readMetrics = createMetricsReader(registry);
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await readMetrics()));
  const serve = (path: string, mediaType: string, make: () => object) => {
    // As bytes it is in memory once, however many clients have yet to read it.
    const bytes = lazily(() => Buffer.from(JSON.stringify(make())));
    app.get(path, (_request, reply) => reply.type(`${mediaType}; charset=utf-8`).send(bytes()));
  };
  serve('/openapi.json', 'application/json', openApi);
  serve('/asyncapi.json', 'application/json', () => createAsyncApiDocument(allEvents));
  serve('/schemas/automation.json', 'application/schema+json', automationJsonSchema);
  await registerDocs(app, openApi);
}
