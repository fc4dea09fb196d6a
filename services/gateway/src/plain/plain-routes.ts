import helmet from '@fastify/helmet';
import { events as allEvents, automationJsonSchema } from '@parley/contracts';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Registry } from 'prom-client';
import { createAsyncApiDocument } from '../asyncapi/document.ts';
import type { Edge } from '../edge/edge.ts';
import { docsHelmetOptions } from '../edge/security-headers.ts';
import { createMetricsReader } from '../observe/read-metrics.ts';
import { registerDocs } from './docs.ts';
import { registerHealth } from './health.ts';

/** What is not the API: health, metrics, the documents and the page of one. */
export async function registerPlainRoutes(
  app: FastifyInstance,
  edge: Edge,
  registry: Registry,
  document: OpenAPIV3_1.Document,
): Promise<void> {
  await app.register(helmet, docsHelmetOptions);
  registerHealth(app, edge);
  const readMetrics = createMetricsReader(registry);
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await readMetrics()));
  // As bytes they are in memory once, however many clients have yet to read them.
  const text = Buffer.from(JSON.stringify(document));
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  const events = Buffer.from(JSON.stringify(createAsyncApiDocument(allEvents)));
  app.get('/asyncapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(events));
  const automation = Buffer.from(JSON.stringify(automationJsonSchema()));
  app.get('/schemas/automation.json', (_request, reply) =>
    reply.type('application/schema+json; charset=utf-8').send(automation),
  );
  await registerDocs(app, document);
}
