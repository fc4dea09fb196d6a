import { expect, test } from 'vitest';
import { bindingOf } from './binding.ts';
import { flowOf } from './envelope.ts';

test('an automation listens to what its trigger is restricted to, else to all of its kind', () => {
  const all = { assistant_id: null, campaign_id: null, sender_id: null };
  expect(bindingOf({ type: 'call.completed', assistant_id: 8 })).toEqual({
    ...all,
    trigger: 'call.completed',
    assistant_id: 8,
  });
  expect(bindingOf({ type: 'lead.created', campaign_id: 5 })).toEqual({
    ...all,
    trigger: 'lead.created',
    campaign_id: 5,
  });
  expect(bindingOf({ type: 'webhook.inbound' })).toEqual({
    ...all,
    trigger: 'webhook.inbound',
  });
});

test('an assistant beside the definition is that of its call trigger, which may name another', () => {
  const flow = (trigger: unknown) => ({ trigger, steps: [] });
  expect(flowOf({ flow: flow({ type: 'call.completed' }), assistant_id: 8 })).toEqual(
    flow({ assistant_id: 8, type: 'call.completed' }),
  );
  expect(flowOf({ flow: flow({ type: 'call.completed', assistant_id: 9 }), assistant_id: 8 })).toEqual(
    flow({ assistant_id: 9, type: 'call.completed' }),
  );
});

test('it means nothing to another trigger, to none, and to what is no definition', () => {
  for (const trigger of [{ type: 'webhook.inbound' }, null, undefined, 'call.completed', {}])
    expect(flowOf({ flow: { trigger }, assistant_id: 8 })).toEqual({ trigger });
  expect(flowOf({ assistant_id: 8 })).toBeUndefined();
  for (const assistant_id of [null, undefined])
    expect(flowOf({ flow: { trigger: { type: 'call.completed' } }, assistant_id })).toEqual({
      trigger: { type: 'call.completed' },
    });
});
