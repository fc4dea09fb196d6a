import { randomUUID } from 'node:crypto';
import { isOwned, operatorSubject } from '@parley/contracts';
import { internalContext, isUnanswered } from '@parley/message-bus';
import type { ServiceDefinition } from '../service-definition.ts';
import type { ServiceParts } from './service-parts.ts';

/** How long a copy that runs is waited for, in milliseconds: it may be about to be noticed as dead. */
const timeoutMs = 2_000;

/** Another installation's copies answer on this NATS, or ours from before a backup was put back elsewhere. */
class OtherDatabase extends Error {
  override readonly name = 'OtherDatabase';

  constructor(service: string) {
    super(
      `NATS_URL leads to where copies of ${service} run that have another database than DATABASE_URL and DATABASE_PREFIX name. Where they are another installation's, give this one a NATS, or an account there, of its own; where they are ours, stop them first.`,
    );
  }
}

/**
 * Copies with different databases that take requests from the same NATS would answer for each other: rejects, before this
 * one takes or publishes anything, where one that runs does not see what this one owns. Copies that give no answer, or are
 * from before they were asked, keep nobody from starting.
 */
export async function refuseOtherDatabase(
  { name: service }: ServiceDefinition,
  parts: Pick<ServiceParts, 'bus' | 'logger' | 'ownership'>,
): Promise<void> {
  for (;;) {
    const name = `start:${randomUUID()}`;
    const mark = await parts.ownership.tryAcquire(name);
    const isSeen = await isSeenByOthers(service, name, parts);
    // Nobody sees what was lost meanwhile.
    const isStillOwned = mark !== undefined && !mark.lost.aborted && (await parts.ownership.isOwned(name));
    await mark?.release();
    if (isSeen) return;
    if (isStillOwned) throw new OtherDatabase(service);
  }
}

async function isSeenByOthers(
  service: string,
  name: string,
  { bus, logger }: Pick<ServiceParts, 'bus' | 'logger'>,
): Promise<boolean> {
  const request = {
    service,
    subject: operatorSubject(service, isOwned),
    payload: JSON.stringify({ name }),
    context: internalContext({
      accountId: null,
      actor: { kind: 'system', id: 'start' },
      correlationId: randomUUID(),
      timeoutMs,
    }),
  };
  try {
    const reply = await bus.request(request);
    return reply.kind === 'rejected' || isOwned.output.parse(JSON.parse(reply.body)).owned;
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    logger.debug({ err: error }, 'no copy that runs has answered');
    return true;
  }
}
