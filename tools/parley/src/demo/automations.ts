import { setTimeout as sleep } from 'node:timers/promises';
import { createAutomation, listAssistants, listAutomations, listLabels } from '@parley/contracts';
import { z } from 'zod';
import type { DemoContext, DemoPart } from './demo-part.ts';

const name = 'Missed-call follow up';
const ids = z.object({ data: z.array(z.object({ id: z.int() })) });
const named = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
const runs = z.object({ runs: z.array(z.object({ status: z.string() })) });

const lead = { id: 1, variables: { first_name: 'Ada' } };
const call = { status: 'no_answer', customer_phone: '+442079460101', call_back: 'now' };
/** Three events, by what becomes of their runs: the second waits for two days, the third lacks a name. */
const samples = [
  ['succeeded', { ...call, lead }],
  ['paused', { ...call, lead, call_back: 'later' }],
  ['failed', { ...call, lead: { id: 2, variables: {} } }],
] as const;

/** An automation with a succeeded, a paused and a failed run. */
export const automations: DemoPart = {
  name: 'automations',
  async seed(context) {
    const { get, post } = context;
    const [assistant] = (await get(`${listAssistants.path}?per_page=1`, ids)).data;
    const [label] = (await get(listLabels.path, ids)).data;
    if (!assistant || !label) return;
    await post(
      createAutomation.path,
      { name, assistant_id: assistant.id, flow: followUp(assistant.id, label.id) },
      'automation',
    );
    const { data } = await get(listAutomations.path, named);
    const made = data.findLast((automation) => automation.name === name);
    if (!made) return;
    const path = `${listAutomations.path}/${made.id}`;
    for (const [what, sample] of samples)
      await post(`${path}/test`, { sample, confirm_side_effects: true }, `automation-run-${what}`);
    await settled(context, `${path}/runs`);
  },
};

const followUp = (assistantId: number, labelId: number) => ({
  schema: 1,
  timezone: 'Europe/London',
  trigger: {
    type: 'call.completed',
    filter: { op: 'in', left: '{{trigger.status}}', right: ['no_answer', 'busy'] },
  },
  steps: [
    {
      id: 'note',
      name: 'Note whom to call back',
      type: 'data.map',
      input: { name: '{{trigger.lead.variables.first_name}}', phone: '{{trigger.customer_phone | e164}}' },
    },
    {
      id: 'when',
      name: 'Now or later?',
      type: 'branch',
      branches: [
        {
          id: 'later',
          when: { op: 'eq', left: "{{trigger.call_back | default: 'now'}}", right: 'later' },
          steps: [{ id: 'wait', name: 'Wait for two days', type: 'delay', for: 'P2D' }],
        },
      ],
    },
    {
      id: 'tag',
      name: 'Tag the assistant',
      type: 'assistant.set_label',
      input: { assistant_id: assistantId, label_id: labelId },
    },
  ],
});

const pollMs = 50;
const patienceMs = 15_000;

/** Nothing runs any more when the demo is announced. */
async function settled({ get }: DemoContext, path: string): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const { runs: present } = await get(path, runs);
    if (present.length >= samples.length && present.every(({ status }) => status !== 'RUNNING')) return;
    await sleep(pollMs);
  }
}
