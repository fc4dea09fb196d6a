import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';

/** The page of `/docs`: Swagger UI from the package itself, so it works without the internet. */
export async function registerDocs(
  app: FastifyInstance,
  document: () => OpenAPIV3_1.Document,
): Promise<void> {
  // Only the plugin's types know no OpenAPI 3.1.
  const transformObject = () => document() as OpenAPIV3.Document;
  await app.register(swagger, { openapi: {}, transformObject });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      persistAuthorization: true,
      tryItOutEnabled: true,
    },
    theme: { title: 'Parley API' },
  });
}
