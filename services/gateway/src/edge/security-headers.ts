import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { fastify } from 'fastify';

/** Answers of the API are data: nothing may run, frame or sniff them. */
export const apiHelmetOptions: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: { policy: 'same-site' },
  frameguard: { action: 'deny' },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/** The page of `/docs` loads its own scripts and styles and nothing from elsewhere; Swagger UI sets styles inline. */
export const docsHelmetOptions: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
};

/**
 * What helmet sets, as constants: running it for every request costs more than the rest of an answer's headers. They
 * are read off a real answer, so that they are helmet's own.
 */
export async function readSecurityHeaders(
  options: FastifyHelmetOptions,
): Promise<Readonly<Record<string, string>>> {
  const probe = fastify({ pluginTimeout: 0 });
  await probe.register(helmet, options);
  probe.get('/', (_request, reply) => reply.hijack().raw.end());
  const { headers } = await probe.inject('/');
  await probe.close();
  const ownHeaders = ['date', 'connection', 'transfer-encoding', 'content-length', 'content-type'];
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !ownHeaders.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
}
