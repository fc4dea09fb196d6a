import type { getAutomation, OperationInput } from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { accountOf, notFoundReply, type Past, rejectedReply } from '@parley/service-kit';
import type { WebhookTokens } from '../triggers/webhook-tokens.ts';
import type { AutomationQueries, AutomationRow } from '../views/automation-queries.ts';
import { automationStream } from './automation.ts';
import { bindingOf } from './binding.ts';
import { pastAutomation } from './past-automation.ts';
import { showAutomation, showWithDefinition } from './show-automation.ts';

/** Shows automations as they are, or one as it was at a moment. */
export class AutomationReader {
  readonly #past: Past;
  readonly #queries: AutomationQueries;
  readonly #tokens: WebhookTokens;

  constructor(past: Past, queries: AutomationQueries, tokens: WebhookTokens) {
    this.#past = past;
    this.#queries = queries;
    this.#tokens = tokens;
  }

  async list(accountId: number) {
    return (await this.#queries.list(accountId)).map(showAutomation);
  }

  /** One automation with the definition of the given version; of the version in force then when none is given. */
  async get(
    { id, version, as_of: asOf }: OperationInput<typeof getAutomation>,
    message: MessageContext,
  ): Promise<BusReply> {
    if (asOf !== undefined) return this.#getAsOf(asOf, id, version, message);
    const row = await this.#queries.find(id);
    if (row?.accountId !== accountOf(message) || row.isDeleted) return notFoundReply();
    const shown = version ?? row.definitionVersion;
    const flow = await this.#queries.definition(id, shown);
    if (!flow) return notFoundReply();
    const data = showWithDefinition(row, shown, flow, await this.#webhookUrl(row, message));
    return { kind: 'ok', body: JSON.stringify({ data }), version: row.version };
  }

  async #getAsOf(
    asOf: string,
    id: number,
    version: number | undefined,
    message: MessageContext,
  ): Promise<BusReply> {
    const moment = await this.#past.momentOf(asOf);
    if ('code' in moment) return rejectedReply(moment);
    const past = { accountId: accountOf(message), streamId: automationStream(id), fold: pastAutomation };
    const at = await this.#past.load(moment, past);
    if (!at?.state) return notFoundReply();
    const { automation: then, ...times } = at.state;
    const shown = version ?? then.version;
    const flow =
      shown === then.version
        ? then.definition
        : shown < then.version && (await this.#queries.definition(id, shown));
    if (!flow) return notFoundReply();
    const row = { ...then, ...times, binding: bindingOf(then.definition.trigger) };
    const data = showWithDefinition(row, shown, flow, await this.#webhookUrl(row, message));
    return { kind: 'ok', body: JSON.stringify({ data }), version: at.version };
  }

  async #webhookUrl(
    { id, binding }: Pick<AutomationRow, 'id' | 'binding'>,
    message: MessageContext,
  ): Promise<string | null> {
    return binding.trigger === 'webhook.inbound' ? this.#tokens.urlOf(id, message.baseUrl) : null;
  }
}
