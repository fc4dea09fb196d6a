import type { AutomationDefinition } from '@parley/contracts';
import type { AutomationRow } from '../views/automation-queries.ts';
import { statusOf } from './automation.ts';

type Listed = Pick<AutomationRow, 'id' | 'name' | 'isEnabled' | 'binding'>;

/** As the list shows it. */
export const showAutomation = ({ id, name, isEnabled, binding }: Listed) => ({
  id: String(id),
  name,
  status: statusOf(isEnabled),
  binding,
});

/** By itself, with the definition of one version. */
export const showWithDefinition = (
  row: Listed & Pick<AutomationRow, 'createdAt' | 'updatedAt'>,
  version: number,
  flow: AutomationDefinition,
  webhookUrl: string | null,
) => ({
  ...showAutomation(row),
  version,
  webhook_url: webhookUrl,
  flow,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
