import { Aggregates } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { createWebhookDeliveries } from '../views/webhooks/webhook-deliveries.ts';
import { backfillTimer } from '../webhook-backfill/backfill-timer.ts';
import { secretExpiry } from '../webhook-secret/secret-expiry.ts';
import { WebhookSecrets } from '../webhook-secret/webhook-secrets.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { stopDeliveries } from './endpoints/stop-deliveries.ts';
import { turnOffEndpoints } from './endpoints/turn-off-endpoints.ts';
import { findCallParties } from './queueing/call-parties.ts';
import { heldCallTimer } from './queueing/held-calls.ts';
import { type CallWebhookParts, tellAboutCalls, tellOfHeld } from './queueing/tell-about-calls.ts';
import { WebhookQueues } from './queueing/webhook-queues.ts';
import { createDeliverer } from './sending/deliverer.ts';

/** What the service does about webhooks in the background. */
export function webhookBackground(
  parts: BackgroundParts,
): Required<Pick<Background, 'reactors' | 'timers' | 'close'>> {
  const { eventsOf, sql, store } = parts;
  const aggregates = new Aggregates(store);
  const endpoints = new Endpoints(aggregates);
  const deliveries = createWebhookDeliveries(sql);
  const secrets = new WebhookSecrets(aggregates, sql);
  const deliverer = createDeliverer({ ...parts, aggregates, deliveries, endpoints, secrets });
  const queues = new WebhookQueues(deliverer.queue, deliveries);
  const calls: CallWebhookParts = {
    source: eventsOf('telephony'),
    endpoints,
    queues,
    sql,
    findParties: (accountId, call) => findCallParties(aggregates, accountId, call),
  };
  return {
    reactors: [tellAboutCalls(calls), stopDeliveries(aggregates, deliveries), turnOffEndpoints(endpoints)],
    timers: {
      ...deliverer.timers,
      ...backfillTimer({ aggregates, deliveries, endpoints, sql, store }),
      ...secretExpiry(sql),
      ...heldCallTimer((held, metadata) => tellOfHeld(calls, held, metadata)),
    },
    close: () => deliverer.close(),
  };
}
