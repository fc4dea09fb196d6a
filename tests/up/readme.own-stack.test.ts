import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { listSipTrunks, type OperationDefinition, operations, updateSipTrunk } from '@parley/contracts';
import { eventually, parleyProgram, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../support/api.ts';
import { readPage, runAsShown, statementsOf } from '../support/shell-examples.ts';

let stack: RunningStack;

beforeAll(async () => {
  stack = await startStack({ hasDemo: true });
});

afterAll(async () => {
  await stack?.stop();
});

const readme = readPage('README.md');

test('the first steps of the README, copied to a shell, print what it shows', async () => {
  // Whose key it is and where is the test's to say.
  const steps = statementsOf(readme, '## First steps').filter(({ command }) => !/^(URL|KEY)=/.test(command));
  expect(steps.length).toBeGreaterThan(8);
  await runAsShown(steps, stack);
});

/** The scripts of the questions by their question, and what they share. */
function questionsOfReadme() {
  const section = /## What was, and who did it\n([\s\S]*?)Everything that happened,/.exec(readme)?.[1] ?? '';
  const scripts = [...section.matchAll(/(?:\*\*(.*?)\*\*.*\n)?```sh\n([\s\S]*?)```/g)];
  const [shared, ...questions] = scripts.map(([, question = '', script = '']) => ({ question, script }));
  return { shared: shared?.script ?? '', questions };
}

const answers: Readonly<Record<string, readonly string[]>> = {
  'Who disabled this webhook, when, and what was its URL?': [
    '"actor":{"kind":"api_key"',
    '"restored":{',
    '"webhook_url":"https://example.com/calls"',
    'WebhookDisabled  by api_key',
    'llm_temperature',
  ],
  'Could we call this customer on that day, and why not?': [
    '"can_call":false',
    '"can_send":true',
    'SenderConnected  by api_key',
  ],
  'Why did this run fail, and what would a retry do?': [
    '[MAPPING_UNRESOLVED]',
    '"would_repeat":["note"]',
    '"event":"RunStarted"',
    'RunFailed  by automation',
    '─ RunStarted  run-',
    'replayed: FAILED',
  ],
  'What did this account pay for, line by line?': ['"type":"charge"', '"total_balance":"', 'BalanceCaptured'],
  'A key has leaked: what did it do?': ['"type":"FolderCreated"', '"type":"SenderConnected"', 'by api_key 1'],
};

test('the questions of the README are answered by what it says, copied to a shell', async () => {
  const { shared, questions } = questionsOfReadme();
  expect(questions.map(({ question }) => question)).toEqual(Object.keys(answers));
  const answered = questions.map(async ({ question, script }) => {
    const commands = `set -eo pipefail
      call() { curl -sf --retry 9 -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$@"; echo; }
      ${shared}${script}`
      .replaceAll('http://127.0.0.1:3000', stack.baseUrl)
      .replaceAll('npm run -s parley --', `${process.execPath} ${parleyProgram}`);
    const env = { ...process.env, KEY: stack.accounts[0]?.apiKey, PARLEY_HOME: stack.home, NO_COLOR: '1' };
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', commands], { env });
    expect([question, stderr]).toEqual([question, '']);
    for (const part of answers[question] ?? []) expect(stdout).toContain(part);
  });
  await Promise.all(answered);
});

test('the example of docs/automations.md, copied to a shell, sends what its automation is told to send', async () => {
  const docs = readPage('docs/automations.md');
  const example = /```sh\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
  const env = { ...process.env, KEY: stack.accounts[0]?.apiKey, URL: stack.baseUrl };
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', `${example}echo; echo $FLOW/runs?run_id=$RUN`],
    { env },
  );
  const [runUrl = ''] = stdout.trim().split('\n').toReversed();
  expect(stdout).toContain('"run_id":null,"matches":true,"steps":[{"name":"tell"');
  expect(stdout).not.toContain('MAPPING_UNRESOLVED');
  const api = createApi(stack.baseUrl, stack.accounts[0]?.apiKey);
  await eventually(async () => {
    const { body } = await api.get(runUrl.slice(stack.baseUrl.length));
    expect(body).toMatchObject({ run: { steps: [{ name: 'tell', status: 'SUCCEEDED', error: null }] } });
  });
});

async function sendDocumented(
  api: Api,
  { path, method, query, body, csv, example = {} }: OperationDefinition,
) {
  const partOf = (shape = {}) => Object.entries(example).filter(([field]) => field in shape);
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(example[name]));
  const search = new URLSearchParams();
  for (const [field, value] of partOf(query?.shape)) search.set(field, String(value));
  const json = body && { body: Object.fromEntries(partOf(body.shape)) };
  const file = csv && { raw: csv.example, headers: { 'content-type': 'text/csv' } };
  return api.call(method, `${target}?${search}`, { ...json, ...file });
}

test('what /docs proposes to send is taken by the demo, but for what its customer has to allow first', async () => {
  const api = createApi(stack.baseUrl, stack.accounts[0]?.apiKey);
  const { data } = listSipTrunks.success.schema.parse((await api.get(listSipTrunks.path)).body);
  // The next but one, on a machine so busy that the demo's number had to be asked for twice.
  const trunk = { id: data[0]?.id };
  const refused: Record<string, string> = {};
  for (const operation of operations.filter(({ example }) => example)) {
    const example = { ...operation.example, ...(operation.name === updateSipTrunk.name && trunk) };
    const { status, text } = await sendDocumented(api, { ...operation, example });
    if (status !== operation.success.status) refused[operation.name] = text;
  }
  expect(refused).toEqual({
    'place-voice-call': expect.stringContaining('CALL_NOT_PERMITTED'),
    'request-call-permission': expect.stringContaining('SESSION_CLOSED'),
  });
});
