import { givenAndUnknown, golden, passedOver } from '@parley/testing';
import { expect, test } from 'vitest';
import { callPermission } from './call-permission/call-permission.ts';
import { conversation } from './conversation/conversation.ts';
import { message } from './message/message.ts';
import { sender } from './sender/sender.ts';
import { template } from './template/template.ts';

test.each([
  ['a conversation', () => givenAndUnknown(conversation, ...golden<never>('ConversationStarted.v1'))],
  ['a message', () => givenAndUnknown(message, ...golden<never>('MessageSendStarted.v2'))],
  ['a permission', () => givenAndUnknown(callPermission, ...golden<never>('CallPermissionAskStarted.v1'))],
  ['a sender', () => givenAndUnknown(sender, ...golden<never>('SenderConnected.v1'))],
  ['a template', () => givenAndUnknown(template, ...golden<never>('TemplateAdded.v1'))],
])('%s stays as it is when a later release writes what this one does not know', (_, folded) => {
  const { state, after } = folded();
  expect(state).not.toBeNull();
  expect(after).toEqual(state);
});

test('every event that was ever written means something to the fold of its stream, or is named here', () => {
  const folds = { conversation, message, permission: callPermission, sender, template };
  // What is only told, or counted by a view.
  expect(passedOver('messaging', folds)).toEqual(['CallPermissionReplyOutdated.v1', 'RecipientAdmitted.v1']);
});
