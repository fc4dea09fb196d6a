import { describe, expect, test } from 'vitest';
import { freshApi } from '../support/accounts.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';
import { runOnce } from '../support/automations.ts';
import { makeCampaign } from '../support/campaigns.ts';
import { makeOne } from '../support/resources.ts';

describe('lead.add, assistant.set_label, assistant.set_folder, data.map', () => {
  test('adds one lead; the same number again is a wiring error, an unknown campaign a missing record', async () => {
    const api = await freshApi();
    const { id: campaign } = await makeCampaign(api);
    const add = [
      {
        id: 'add',
        type: 'lead.add',
        input: {
          campaign_id: '{{trigger.campaign}}',
          phone_number: '+14155552671',
          variables: { name: '{{trigger.name}}' },
        },
      },
    ];
    await runOnce(api, add, { campaign, name: 'Ada' }, 'SUCCEEDED');
    expect((await api.get(`/api/user/leads?campaign_id=${campaign}`)).body).toMatchObject({
      total: 1,
      data: [{ phone_number: '+14155552671', variables: { name: 'Ada' } }],
    });
    const again = await runOnce(api, add, { campaign, name: 'Ada' }, 'FAILED');
    expect(again.steps[0]).toMatchObject({
      classification: 'wiring_error',
      error: '[NUMBER_TAKEN] The phone number is already in the campaign.',
    });
    const unknown = await runOnce(api, add, { campaign: 999_999_999, name: 'Ada' }, 'FAILED');
    expect(unknown.steps[0]).toMatchObject({
      classification: 'missing_record',
      error: expect.stringContaining('[CAMPAIGN_NOT_FOUND]'),
    });
  });

  test('tags an assistant beside its labels, and moves it into a folder and out of it', async () => {
    const api = await freshApi();
    const [old, label] = [
      await makeOne(api, '/api/user/label', { name: 'Old' }),
      await makeOne(api, '/api/user/label', { name: 'New' }),
    ];
    const folder = await makeOne(api, '/api/user/folder', { name: 'Folder' });
    const assistant = await createAssistant(api, { label_ids: [old] });
    const tag = {
      id: 'tag',
      type: 'assistant.set_label',
      input: { assistant_id: '{{trigger.a}}', label_id: '{{trigger.l}}' },
    };
    const move = {
      id: 'move',
      type: 'assistant.set_folder',
      input: { assistant_id: '{{trigger.a}}', folder_id: '{{trigger.f}}' },
    };
    await runOnce(api, [tag, move], { a: assistant, l: label, f: folder }, 'SUCCEEDED');
    expect(await getAssistant(api, assistant)).toMatchObject({
      folder_id: folder,
      label_ids: expect.arrayContaining([old, label]),
    });
    await runOnce(api, [move], { a: assistant, f: null }, 'SUCCEEDED');
    expect(await getAssistant(api, assistant)).toMatchObject({ folder_id: null });
    for (const [step, event, code] of [
      [tag, { a: 999_999_999, l: label }, 'ASSISTANT_NOT_FOUND'],
      [tag, { a: assistant, l: 999_999_999 }, 'LABEL_NOT_FOUND'],
      [move, { a: assistant, f: 999_999_999 }, 'FOLDER_NOT_FOUND'],
    ] as const) {
      const run = await runOnce(api, [step], event, 'FAILED');
      expect(run.steps[0]).toMatchObject({
        classification: 'missing_record',
        error: expect.stringContaining(`[${code}]`),
      });
    }
  });
});
