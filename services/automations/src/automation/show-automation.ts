import type { AutomationRow } from '../views/automation-queries.ts';
import { statusOf } from './automation.ts';

/** As the list shows it. */
export const showAutomation = ({ id, name, isEnabled, binding }: AutomationRow) => ({
  id: String(id),
  name,
  status: statusOf(isEnabled),
  binding,
});
