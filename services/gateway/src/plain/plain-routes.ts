import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Registry } from 'prom-client';
import type { Edge } from '../edge/edge.ts';
import { docsHelmetOptions } from '../edge/security-headers.ts';
import { registerDocs } from './docs.ts';
import { registerHealth } from './health.ts';

/** What is not the API: health, metrics, the document and its page. */
export async function registerPlainRoutes(
  app: FastifyInstance,
  edge: Edge,
  registry: Registry,
  document: OpenAPIV3_1.Document,
): Promise<void> {
  await app.register(helmet, docsHelmetOptions);
  registerHealth(app, edge);
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  const text = JSON.stringify(document);
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  await registerDocs(app, document);
}
