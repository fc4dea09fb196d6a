import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { listCallbacks } from '../callbacks/callback.ts';
import type { PlatformClock } from '../clock/platform-clock.ts';
import { forgetEverything } from '../database/reset.ts';
import { faultModes } from '../provider/fault.ts';
import { listFaults, orderFault } from '../provider/fault-store.ts';
import { isProviderName, type ProviderName, providerOperations } from '../provider/names.ts';
import { listRequests } from '../provider/request-log.ts';
import type { World } from '../world.ts';
import { controlRoute, done, refused } from './control-route.ts';

const providerName = z.custom<ProviderName>((name) => typeof name === 'string' && isProviderName(name), {
  error: `The :attribute field must be one of ${Object.keys(providerOperations).join(', ')}.`,
});

const fault = z
  .object({
    provider: providerName,
    operation: z.string().nullish(),
    mode: z.enum(faultModes).optional(),
    times: z.int().nonnegative().max(1_000_000).default(1),
    takes_effect: z.boolean().default(false),
  })
  .superRefine(({ provider, operation, mode, times }, issues) => {
    const operations: readonly string[] = providerOperations[provider];
    if (operation && !operations.includes(operation))
      issues.addIssue({
        code: 'custom',
        path: ['operation'],
        message: `The operation field must be one of ${operations.join(', ')}.`,
      });
    if (times > 0 && !mode)
      issues.addIssue({ code: 'custom', path: ['mode'], message: 'The mode field is required.' });
  });

const advance = z.object({
  seconds: z
    .number()
    .nonnegative()
    .max(20 * 365 * 86_400),
});

const listQuery = z.object({
  provider: providerName.optional(),
  after: z.coerce.number().int().nonnegative().default(0),
});

/** Control calls for all providers: faults, the request log, the clock, and the reset. */
export function registerWorldControls(
  app: FastifyInstance,
  world: World,
  clock: PlatformClock,
  onClockMoved: () => Promise<void>,
): void {
  controlRoute(app, '/control/faults', fault, async ({ provider, operation, mode, times, takes_effect }) => {
    await orderFault(world.pool, {
      provider,
      operation: operation ?? null,
      mode: mode ?? 'error',
      times,
      takesEffect: takes_effect,
    });
    return done({ data: await listFaults(world.pool) });
  });

  controlRoute(app, '/control/clock/advance', advance, async ({ seconds }) => {
    const missing = await clock.advance(seconds);
    if (missing.length > 0)
      return refused(
        503,
        `The clock did not move everywhere; not confirmed by: ${missing.join(', ')}. Repeat it.`,
      );
    await onClockMoved();
    return done({ now: clock.now().toISOString(), offset_seconds: clock.offsetSeconds });
  });

  controlRoute(app, '/control/reset', z.unknown(), async () => {
    await forgetEverything(world.pool);
    return done({ message: 'The stand-in has forgotten everything but the time.' });
  });

  app.get('/control/faults', async () => ({ data: await listFaults(world.pool) }));
  app.get('/control/clock', async () => ({
    now: clock.now().toISOString(),
    offset_seconds: clock.offsetSeconds,
  }));

  for (const [path, list] of [
    ['/control/requests', listRequests],
    ['/control/callbacks', listCallbacks],
  ] as const)
    app.get(path, async (request, reply) => {
      const query = listQuery.safeParse(request.query);
      if (!query.success) {
        const message = `provider must be one of ${Object.keys(providerOperations).join(', ')}, after an id.`;
        return reply.code(422).send({ message });
      }
      return { data: await list(world.pool, query.data.provider ?? null, query.data.after) };
    });
}
