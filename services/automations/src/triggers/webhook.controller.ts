import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { receiveAutomationWebhook, reject } from '@parley/contracts';
import { Aggregates, type Clock, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { CLOCK, CONFIG, CommandHandler, jsonReply, READ_POOL, rejectedReply } from '@parley/service-kit';
import type { z } from 'zod';
import type { AutomationsConfig } from '../config.ts';
import { createConnections } from '../connections/connections.ts';
import { createSecretStore } from '../connections/secret-store.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import { type Connections, DEFINITIONS, type Definitions } from '../engine/ports.ts';
import { RUN_STARTER, type RunStarter } from '../run/advance/start-run.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { chainDepthOfRequest } from './chain.ts';
import { isSigned, requestIdOf, webhookPayload } from './webhook-request.ts';
import { hashOfToken } from './webhook-tokens.ts';

type Request = z.output<typeof receiveAutomationWebhook.input>;

@Controller()
export class WebhookTriggerController {
  readonly #clock: Clock;
  readonly #connections: Connections;
  readonly #definitions: Definitions;
  readonly #queries: AutomationQueries;
  readonly #starter: RunStarter;

  constructor(
    aggregates: Aggregates,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: AutomationsConfig,
    @Inject(DEFINITIONS) definitions: Definitions,
    @Inject(RUN_STARTER) starter: RunStarter,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#clock = clock;
    this.#connections = createConnections(aggregates, createSecretStore(sql, config.SECRETS_KEYS));
    this.#definitions = definitions;
    this.#queries = new AutomationQueries(sql);
    this.#starter = starter;
  }

  /**
   * Starts a run for a request to a webhook address; who knows the token in it may do so, with a signature where the
   * trigger asks for one. A deleted automation is not found, like one that never was. One that is turned off takes
   * requests as when it is on, but starts nothing: the sender has not failed, and may go on.
   */
  @CommandHandler(receiveAutomationWebhook)
  async receive(@Payload() request: Request, @Ctx() { message }: BusContext): Promise<BusReply> {
    const row = await this.#queries.findByToken(hashOfToken(request.token));
    if (!row) return rejectedReply(reject('not_found'));
    const definition = await this.#definitions.load(row.id, row.definitionVersion);
    if (definition?.trigger.definition.type !== 'webhook.inbound') return rejectedReply(reject('not_found'));
    const body = Buffer.from(request.body_base64, 'base64');
    const event = {
      automationId: row.id,
      trigger: {
        type: 'webhook.inbound',
        eventId: `webhook:${requestIdOf(request.headers) ?? message.commandId ?? message.correlationId}`,
      },
      correlationId: message.correlationId,
    };
    const doubt = await this.#doubtOf(row.accountId, definition, request.headers, body);
    if (doubt) {
      await this.#starter.refuse(event, doubt);
      return rejectedReply(reject('unauthorized'));
    }
    const payload = await webhookPayload(request.headers, body);
    if ('code' in payload) return rejectedReply(payload);
    const now = await this.#clock.now();
    if (!definition.trigger.matches(payload, now.toISOString()))
      return jsonReply({ received: true, run_id: null });
    const started = await this.#starter.start({
      ...event,
      version: definition.version,
      trigger: { ...event.trigger, payload },
      chainDepth: chainDepthOfRequest(request.headers),
    });
    if (started.kind !== 'refused') return jsonReply({ received: true, run_id: started.runId });
    switch (started.reason) {
      case 'inactive':
        return jsonReply({ received: true, run_id: null });
      case 'payload_too_large':
        return rejectedReply(reject('payload_too_large'));
      default:
        return rejectedReply(reject('not_found'));
    }
  }

  /** What is wrong with the request's signature; null where nothing is, or the trigger asks for none. */
  async #doubtOf(
    accountId: number,
    definition: CompiledDefinition,
    headers: Request['headers'],
    body: Buffer,
  ): Promise<'not_signed' | 'connection_missing' | null> {
    const { definition: trigger } = definition.trigger;
    if (trigger.type !== 'webhook.inbound' || !trigger.signature) return null;
    const { connection: alias, header } = trigger.signature;
    const connection = await this.#connections.resolve(accountId, definition, alias);
    if (!connection.ok) return 'connection_missing';
    const { secret } = connection.value.value;
    return isSigned(body, String(secret), headers[header.toLowerCase()]) ? null : 'not_signed';
  }
}
