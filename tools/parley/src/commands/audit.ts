import { getHistory } from '@parley/contracts';
import type { z } from 'zod';
import { findServiceOf } from '../operator/find-resource.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { redactFields } from '../output/redact.ts';
import { countOf } from '../output/table.ts';
import { formatTime } from '../output/time.ts';
import { differences, inline } from '../output/value.ts';

export interface AuditOptions {
  readonly since?: string;
  readonly actor?: string;
  readonly json: boolean;
}

type History = z.output<typeof getHistory.output>;
type Change = History['changes'][number];

const pageSize = 500;

/** Who changed one resource, when, and what it was before. */
export async function printAudit(operator: Operator, resource: string, options: AuditOptions): Promise<void> {
  const service = await findServiceOf(operator, resource);
  const changes = await readChanges(operator, service, resource, options);
  process.stdout.write(options.json ? `${toJson({ resource, changes }, 2)}\n` : render(resource, changes));
}

/** By pages, from the newest change on: an account's ledger of years would be too much for its service at once. */
async function readChanges(
  operator: Operator,
  service: string,
  resource: string,
  { since, actor }: AuditOptions,
): Promise<Change[]> {
  const question = { resource, ...(since ? { since } : {}), ...(actor ? { actor } : {}) };
  const changes: Change[] = [];
  for (let before_version: number | null = null; ; ) {
    const page: z.input<typeof getHistory.input>['page'] = { before_version, limit: pageSize };
    const asked = await operator.ask(service, getHistory, { ...question, page });
    const history: History = expectOk(asked, resource);
    for (const change of history.changes)
      changes.push({ ...change, before: redactFields(change.before), after: redactFields(change.after) });
    if (history.next_before === null) return changes.reverse();
    before_version = history.next_before;
  }
}

function render(resource: string, changes: readonly Change[]): string {
  const blocks = changes.map((change) =>
    [renderHead(change), `  ${change.summary}`, ...renderFields(change)].join('\n'),
  );
  return `${[`${paint('bold', resource)}  ${countOf(changes.length, 'change')}`, ...blocks].join('\n\n')}\n`;
}

const renderHead = (change: Change): string =>
  [
    paint('dim', formatTime(change.occurred_at)),
    `v${change.version}`,
    paint('cyan', change.event),
    `by ${change.actor.kind} ${change.actor.id}`,
    paint('dim', `request ${change.request_id}`),
  ].join('  ');

function renderFields({ before, after }: Change): readonly string[] {
  // What begins as nothing did not change for a reader.
  const fields = differences(before, after).filter(
    (field) => (field.before ?? null) !== null || (field.after ?? null) !== null,
  );
  const width = Math.max(0, ...fields.map(({ path }) => path.length));
  return fields.map(
    (field) => `    ${field.path.padEnd(width)}  ${inline(field.before)} -> ${inline(field.after)}`,
  );
}
