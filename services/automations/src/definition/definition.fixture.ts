import { createOutgoingHttp } from '@parley/outgoing-http';
import { createActionModules } from '../actions/action-modules.ts';
import { checkDefinition } from './check-definition.ts';

/** Definitions are checked and compiled without anything being asked. */
export const actions = createActionModules({
  ask: async () => ({ kind: 'silence', code: 'unavailable' }),
  http: createOutgoingHttp({ allowLoopback: false }),
});

/** The example of the design, whole. */
export const followUp = () => ({
  schema: 1,
  name: 'Missed-call follow up',
  timezone: 'Europe/Berlin',
  trigger: {
    type: 'call.completed',
    filter: { all: [{ op: 'eq', left: '{{trigger.status}}', right: 'no_answer' }] },
    assistant_id: 12,
  },
  connections: { wa: { kind: 'chatapp_sender', id: 3 }, crm: { kind: 'http_bearer', id: 'con_7' } },
  settings: {
    max_concurrent_runs: 50,
    retry: { max_age: 'P30D', after_delay: 'allow', use_repaired_version: true },
    on_deactivate: 'finish',
  },
  steps: [
    { id: 'wait', type: 'delay', for: 'PT2H', window: { days: '1-5', from: '09:00', to: '18:00' } },
    {
      id: 'chk',
      type: 'branch',
      branches: [
        {
          id: 'de',
          when: { op: 'starts_with', left: '{{trigger.customer_phone}}', right: '+49' },
          steps: [
            {
              id: 'send',
              type: 'chatapp.send_template',
              connection: 'wa',
              input: {
                template_id: 9,
                recipient_phone: '{{trigger.customer_phone}}',
                variables: { '1': "{{trigger.lead.variables.first_name | default: 'there'}}" },
              },
              retry: { attempts: 4 },
            },
          ],
        },
      ],
      else: [],
    },
    {
      id: 'crm',
      type: 'http.request',
      connection: 'crm',
      input: {
        method: 'POST',
        url: 'https://api.example.com/notes',
        json: { text: "{{steps.send.output.status | default: 'skipped'}}" },
      },
    },
  ],
});

/** The faults of a definition by their field; none where it is one. */
export function faultsOf(definition: unknown): Readonly<Record<string, readonly string[]>> {
  const checked = checkDefinition(definition, actions);
  return checked.kind === 'ok' ? {} : (checked.rejection.fields ?? {});
}

/** What a definition is refused with, `ok` where it is one. */
export function codeOf(definition: unknown): string {
  const checked = checkDefinition(definition, actions);
  return checked.kind === 'ok' ? 'ok' : checked.rejection.code;
}

export const flow = (...steps: object[]) => ({ trigger: { type: 'lead.created' }, steps });
export const map = (id: string, input: object = { a: 1 }) => ({ id, type: 'data.map', input });
export const when = { op: 'exists', left: '{{trigger.x}}' };
export const branch = (branches: object[], otherwise: object[] = []) => ({
  id: 'b',
  type: 'branch',
  branches,
  ...(otherwise.length > 0 && { else: otherwise }),
});
