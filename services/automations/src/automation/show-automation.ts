import type { AutomationDefinition } from '@parley/contracts';
import type { AutomationRow } from '../views/automation-queries.ts';
import { statusOf } from './automation.ts';

type Listed = Pick<AutomationRow, 'id' | 'name' | 'isEnabled' | 'binding'>;

/** An automation as lists show it. */
export const showAutomation = ({ id, name, isEnabled, binding }: Listed) => ({
  id: String(id),
  name,
  status: statusOf(isEnabled),
  binding,
});

/** An automation with the definition of one of its versions. */
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
