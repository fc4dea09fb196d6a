import { noReferences } from '@parley/contracts';
import { expect, test } from 'vitest';
import type { Said } from '../views/conversation-history.ts';
import { askWithLess } from './ask-with-less.ts';
import type { LanguageModel } from './language-model.ts';

const said = (count: number): Said[] =>
  Array.from({ length: count }, (_, index) => ({
    direction: index % 2 === 0 ? 'inbound' : 'outbound',
    text: String(index),
  }));

/** What a model is asked that refuses everything with one of these texts, or longer than so many, and what comes of it. */
async function asked(history: readonly Said[], isRefused: (texts: readonly string[]) => boolean) {
  const questions: string[] = [];
  const model: LanguageModel = {
    async complete({ turns }) {
      const texts = turns.map(({ content }) => content);
      questions.push(texts.join(' '));
      return isRefused(texts) ? { kind: 'refused', reason: '400' } : { kind: 'said', text: 'Yes.' };
    },
  };
  const request = { temperature: 0, about: 'one' };
  const { kind } = await askWithLess(model, { ...request, systemPrompt: 'Be kind.', history });
  return { questions, kind };
}

test('what is not refused is asked once, with all that was said', async () => {
  expect(await asked(said(5), () => false)).toEqual({ questions: ['Be kind. 0 1 2 3 4'], kind: 'said' });
});

test('a conversation that is too long for the model is answered by the later part of it', async () => {
  expect(await asked(said(9), (texts) => texts.length > 4)).toEqual({
    questions: ['Be kind. 0 1 2 3 4 5 6 7 8', 'Be kind. 4 5 6 7 8', 'Be kind. 6 7 8'],
    kind: 'said',
  });
});

test('something said earlier that the model does not hear is left out', async () => {
  expect((await asked(said(9), (texts) => texts.includes('7'))).questions.at(-1)).toBe('Be kind. 8');
});

test('what was answered since the question stays with it', async () => {
  const since: Said = { direction: 'outbound', text: 'since' };
  expect((await asked([...said(3), since], () => true)).questions).toEqual([
    'Be kind. 0 1\n\nsince 2',
    'Be kind. 1\n\nsince 2',
    'Be kind. since 2',
  ]);
});

test('what a question goes back to, and the model does not hear, is left out at last', async () => {
  const references = { ...noReferences, in_reply_to_sid: 'wamid.1' };
  const question: Said = { direction: 'inbound', text: 'Yes', references, quoted: 'curse' };
  const isCursed = (texts: readonly string[]) => texts.some((text) => text.includes('curse'));
  expect(await asked([...said(2), question], isCursed)).toEqual({
    questions: [
      'Be kind. 0 1 [In reply to “curse”]\nYes',
      'Be kind. 1 [In reply to “curse”]\nYes',
      'Be kind. [In reply to “curse”]\nYes',
      'Be kind. Yes',
    ],
    kind: 'said',
  });
});

test('a question that is refused alone is refused', async () => {
  expect(await asked(said(1), () => true)).toEqual({ questions: ['Be kind. 0'], kind: 'refused' });
});
