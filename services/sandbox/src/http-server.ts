import { type FastifyInstance, fastify } from 'fastify';
import { parseForm } from './provider/form.ts';

const bodyLimitBytes = 1024 * 1024;
/** Ids in a path are told to be unknown, however long they are. */
const maxParamLength = 16 * 1024;

/** An HTTP server that reads JSON and forms and answers errors in the shapes that most clients look for. */
export function createHttpServer(onError: (error: unknown) => void): FastifyInstance {
  const app = fastify({
    // How long a start may take is up to whoever starts it.
    pluginTimeout: 0,
    forceCloseConnections: true,
    bodyLimit: bodyLimitBytes,
    routerOptions: { querystringParser: parseForm, maxParamLength },
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, next) =>
    next(null, parseForm(String(body))),
  );
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, next) =>
    body === '' ? next(null, undefined) : parseJson(request, String(body), next),
  );
  app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) onError(error);
    return reply.code(status).send(problem(status >= 500 ? 'The stand-in broke.' : error.message));
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(problem(`The stand-in does not know ${request.method} ${request.url}.`)),
  );
  return app;
}

const problem = (message: string) => ({ message, error: { message } });
