import { fieldErrors } from '@parley/contracts';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

export const done = (body: unknown): ControlAnswer => ({ status: 200, body });

export const refused = (status: number, message: string): ControlAnswer => ({ status, body: { message } });

/** A control call: its JSON body is checked against `schema`; what is wrong with it is said field by field (422). */
export function controlRoute<S extends z.ZodType>(
  app: FastifyInstance,
  path: `/control/${string}`,
  schema: S,
  handle: (input: z.output<S>) => Promise<ControlAnswer>,
): void {
  app.post(path, async (request, reply) => {
    const input = request.body ?? {};
    const parsed = schema.safeParse(input);
    const answer = parsed.success
      ? await handle(parsed.data)
      : {
          status: 422,
          body: { message: 'The given data was invalid.', errors: fieldErrors(parsed.error, input) },
        };
    return reply.code(answer.status).send(answer.body);
  });
}
