import { unfillable } from '@parley/providers';
import { expect, test } from 'vitest';
import { template } from '../message/draft/send.fixture.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import { isVoiceTemplate, voiceTemplateAmong, wantsBesideName } from './voice-template.ts';

const wanting = (id: number, ...placeholders: KnownTemplate['placeholders']): KnownTemplate => ({
  ...template,
  id,
  kind: 'voice_call_request',
  placeholders,
});
const picture = { key: 'image:header', name: 'header_image_link' };
const heading = { key: 'header:1', name: 'header' };
const link = { key: 'url:0', name: 'button_1' };
const inBody = { key: '1', name: 'first name' };

test('a name fills what is read, in the body and in the heading, and nothing else', () => {
  expect(wantsBesideName(wanting(1, inBody, heading))).toEqual([]);
  expect(wantsBesideName(wanting(1, inBody, picture, link, unfillable('carousel')))).toEqual([
    'header_image_link',
    'button_1',
    'carousel',
  ]);
});

test('the newest template that a name fills is asked with; where none is, the newest says why', () => {
  expect(voiceTemplateAmong([wanting(3, picture), wanting(2, inBody), wanting(1)])?.id).toBe(2);
  expect(voiceTemplateAmong([wanting(3, picture), wanting(2, link)])?.id).toBe(3);
  expect(voiceTemplateAmong([])).toBeUndefined();
});

test('an approved template of that kind asks for permission, and no other', () => {
  const asking = wanting(1);
  expect(isVoiceTemplate({ ...asking, status: 'approved' })).toBe(true);
  expect(isVoiceTemplate({ ...asking, status: 'rejected' })).toBe(false);
  expect(isVoiceTemplate({ ...template, status: 'approved' })).toBe(false);
});
