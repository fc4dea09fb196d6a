import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';

const texts: [string, string][] = [
  ['astral characters', '\u{1F4DE}'.repeat(60)],
  ['a right-to-left override', 'a\u202Eb'],
  ['a zero-width joiner', 'a\u200Db'],
  ['__proto__', '__proto__'],
  ['SQL', "' OR 1=1 --"],
  ['a template', '{{1}} $1 %s'],
  ['subject wildcards', '*.>'],
  ['quotes, backslashes and line breaks', '"\\\n\r\t\u2028'],
  ['a leading BOM', '\uFEFFname'],
];

test.each(texts)('%s come back as they were, in every text of an assistant', async (_, value) => {
  const [api, other] = accountApis(await freshAccount());
  const sent = {
    name: value,
    initial_message: value,
    system_prompt: value,
    ambient_sound: value,
    widget_settings: { theme: value, color: value, position: value },
    filler_config: { neutral: [value], negative: [value], positive: [value], question: [value] },
    post_call_schema: [{ name: 'field', type: 'string', description: value.padEnd(3) }],
    variables: { key: value, [value === '__proto__' ? 'proto' : value]: [value, { [`${value}!`]: value }] },
    tools: [{ name: value, nested: { list: [value] } }],
  };
  const id = await createAssistant(api, sent);
  expect(await getAssistant(other, id)).toMatchObject(sent);
  const changed = { variables: { again: sent.variables }, tools: [] };
  await api.put(`/api/user/assistant/${id}`, changed);
  expect(await getAssistant(other, id)).toMatchObject({ ...sent, ...changed });
});

const polluting = [
  '{"variables":{"__proto__":{"polluted":1}}}',
  '{"variables":{"a":{"__proto__":{"polluted":1}}}}',
  '{"widget_settings":{"__proto__":{"polluted":1}}}',
  '{"filler_config":{"__proto__":{"polluted":1}}}',
  '{"tools":[{"__proto__":{"polluted":1}}]}',
  '{"__proto__":{"polluted":1}}',
];

test.each(polluting)('%s is refused', async (raw) => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  const { status } = await api.call('PUT', `/api/user/assistant/${id}`, { raw });
  expect(status).toBe(422);
});

test('names of inherited members are variables like any other, and reach no other assistant', async () => {
  const [api, other] = accountApis(await freshAccount());
  const raw =
    '{"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":null,"prototype":{"polluted":1}}';
  const variables = JSON.parse(raw);
  const id = await createAssistant(api, { variables });
  await api.call('PUT', `/api/user/assistant/${id}`, { raw: `{"widget_settings":${raw},"name":"x"}` });
  const shown = await getAssistant(other, id);
  expect(shown.variables).toEqual(variables);
  expect(shown.widget_settings).toEqual({ theme: 'light', color: '#2563eb', position: 'bottom-right' });
  const bystander = JSON.stringify(await getAssistant(other, await createAssistant(api)));
  expect(bystander).not.toContain('polluted');
});
