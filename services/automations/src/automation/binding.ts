import type { AutomationTrigger } from '@parley/contracts';

/** What an automation listens to: the trigger's type and what it is restricted to. */
export const bindingOf = (trigger: AutomationTrigger) => ({
  trigger: trigger.type,
  assistant_id: 'assistant_id' in trigger ? (trigger.assistant_id ?? null) : null,
  campaign_id: 'campaign_id' in trigger ? (trigger.campaign_id ?? null) : null,
  sender_id: 'sender_id' in trigger ? (trigger.sender_id ?? null) : null,
  ...(trigger.type === 'run.failed' && { automation_id: trigger.automation_id ?? null }),
});
