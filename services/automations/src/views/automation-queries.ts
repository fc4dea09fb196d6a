import { createBatchLoader } from '@parley/batching';
import {
  type AutomationDefinition,
  AutomationDefinitionSaved,
  type AutomationTriggerType,
} from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { liveSchema } from '@parley/processing';
import { automationStream } from '../automation/automation.ts';
import type { bindingOf } from '../automation/binding.ts';
import { automationsTable, automationsView } from './automations-view.ts';

const versions = `${liveSchema(automationsView)}.versions`;

/** An automation as the view has it. */
export interface AutomationRow {
  readonly id: number;
  readonly accountId: number;
  /** Version of the automation's stream. */
  readonly version: number;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly isDeleted: boolean;
  readonly definitionVersion: number;
  readonly binding: ReturnType<typeof bindingOf>;
  readonly tokenHash: string | null;
  /** ISO 8601 with microseconds; null while it is disabled. */
  readonly enabledAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Listening {
  readonly accountId: number;
  readonly trigger: AutomationTriggerType;
}
const keyOf = ({ accountId, trigger }: Listening): string => `${accountId} ${trigger}`;

const columns = `id::int8 as "id", account_id as "accountId", version, name, is_enabled as "isEnabled",
  is_deleted as "isDeleted", definition_version as "definitionVersion", binding, token_hash as "tokenHash",
  enabled_at as "enabledAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** Reads automations. Whoever was answered a command sees its effect. */
export class AutomationQueries {
  readonly #sql: SqlExecutor;
  readonly #byId = createBatchLoader(async (ids: readonly number[]) => {
    const rows = await this.#rows('find-automations', 'id = any($1::int8[])', [[...new Set(ids)]]);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id));
  });
  readonly #byToken = createBatchLoader(async (hashes: readonly string[]) => {
    const condition = 'token_hash = any($1::text[]) and not is_deleted';
    const rows = await this.#rows('automations-by-token', condition, [[...new Set(hashes)]]);
    const found = new Map(rows.map((row) => [row.tokenHash, row]));
    return hashes.map((hash) => found.get(hash));
  });
  readonly #listening = createBatchLoader(async (wanted: readonly Listening[]) => {
    const condition = `(account_id, trigger_type) in (select * from unnest($1::int8[], $2::text[]))
      and is_enabled and not is_deleted order by id`;
    const different = [...new Map(wanted.map((each) => [keyOf(each), each])).values()];
    const rows = await this.#rows('listening-automations', condition, [
      different.map(({ accountId }) => accountId),
      different.map(({ trigger }) => trigger),
    ]);
    const found = Map.groupBy(rows, ({ accountId, binding }) =>
      keyOf({ accountId, trigger: binding.trigger }),
    );
    return wanted.map((each) => found.get(keyOf(each)) ?? []);
  });

  readonly #definition = createBatchLoader(
    async (wanted: readonly { readonly id: number; readonly version: number }[]) => {
      const { rows } = await this.#sql.query<{ definition: AutomationDefinition | null }>({
        name: 'automation-definitions',
        text: `select v.definition from unnest($1::int8[], $2::int8[]) with ordinality w (id, version, place)
               left join ${versions} v on v.automation_id = w.id and v.version = w.version order by w.place`,
        values: [wanted.map(({ id }) => id), wanted.map(({ version }) => version)],
      });
      return rows.map(({ definition }) => definition ?? undefined);
    },
  );

  readonly #versionAt = createBatchLoader(
    async (wanted: readonly { readonly id: number; readonly at: string }[]) => {
      const { rows } = await this.#sql.query<{ version: number | null }>({
        name: 'automation-versions-at',
        text: `select (
                 select (e.data ->> 'version')::int8 from es.events e
                 where e.stream_id = w.stream_id and e.type = $3 and e.recorded_at <= w.at
                 order by e.stream_version desc limit 1
               ) as version
               from unnest($1::text[], $2::timestamptz[]) with ordinality w (stream_id, at, place) order by w.place`,
        values: [
          wanted.map(({ id }) => automationStream(id)),
          wanted.map(({ at }) => at),
          AutomationDefinitionSaved.type,
        ],
      });
      return rows.map(({ version }) => version ?? undefined);
    },
  );

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  /** An automation, even when it is deleted. */
  find(id: number): Promise<AutomationRow | undefined> {
    return this.#byId(id);
  }

  /** The automation with this webhook token, by its hash; deleted ones are not found. */
  findByToken(tokenHash: string): Promise<AutomationRow | undefined> {
    return this.#byToken(tokenHash);
  }

  /** The account's automations that are not deleted, newest first. */
  list(accountId: number): Promise<readonly AutomationRow[]> {
    return this.#rows(
      'list-automations',
      'account_id = $1 and not is_deleted order by created_position desc',
      [accountId],
    );
  }

  /** The account's enabled automations that listen to a kind of event. Queries of one tick share a statement. */
  listening(accountId: number, trigger: AutomationTriggerType): Promise<readonly AutomationRow[]> {
    return this.#listening({ accountId, trigger });
  }

  /**
   * Which of these kinds of events automations listen to, and of which accounts: at most `limit` accounts for each
   * kind.
   */
  async listenedTo(
    triggers: readonly AutomationTriggerType[],
    limit: number,
  ): Promise<ReadonlyMap<AutomationTriggerType, readonly number[]>> {
    const { rows } = await this.#sql.query<{ trigger: AutomationTriggerType; accountIds: string[] }>({
      name: 'listened-triggers',
      text: `select t as trigger, array(
               select distinct account_id from ${automationsTable}
               where trigger_type = t and is_enabled and not is_deleted order by account_id limit $2
             ) as "accountIds"
             from unnest($1::text[]) t`,
      values: [triggers, limit],
    });
    const listened = rows.filter(({ accountIds }) => accountIds.length > 0);
    return new Map(listened.map(({ trigger, accountIds }) => [trigger, accountIds.map(Number)]));
  }

  /** A version's definition; undefined when the view has none of that number. Queries of one tick share a statement. */
  definition(id: number, version: number): Promise<AutomationDefinition | undefined> {
    return this.#definition({ id, version });
  }

  /**
   * The version that was the newest at a moment (ISO 8601); undefined before the first. Queries of one tick share a
   * statement.
   */
  versionAt(id: number, at: string): Promise<number | undefined> {
    return this.#versionAt({ id, at });
  }

  /** Whether the log has an automation, or a version of it, even where the view does not show it yet. */
  async isRecorded(id: number, version: number | null = null): Promise<boolean> {
    const { rows } = await this.#sql.query<{ found: boolean }>({
      name: 'recorded-automation',
      text: `select exists (
               select from es.events where stream_id = $1
                 and ($2::int8 is null or (type = $3 and (data ->> 'version')::int8 = $2))
             ) as found`,
      values: [automationStream(id), version, AutomationDefinitionSaved.type],
    });
    return rows[0]?.found ?? false;
  }

  async #rows(name: string, condition: string, values: unknown[]): Promise<readonly AutomationRow[]> {
    const { rows } = await this.#sql.query<AutomationRow>({
      name,
      text: `select ${columns} from ${automationsTable} where ${condition}`,
      values,
    });
    return rows.map((row) => ({ ...row, id: Number(row.id), accountId: Number(row.accountId) }));
  }
}
