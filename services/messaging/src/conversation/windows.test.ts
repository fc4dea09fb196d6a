import { describe, expect, test } from 'vitest';
import { windowsAt } from './windows.ts';

const at = (text: string): Date => new Date(`2026-11-${text}:00.000Z`);
const received = { receivedAt: '2026-11-21T09:00:00.000000Z', templateSentAt: null };
const templated = { receivedAt: null, templateSentAt: '2026-11-21T10:00:00.000000Z' };

describe('the windows of a sender and a contact', () => {
  test('are closed when nothing was ever written', () =>
    expect(windowsAt({ receivedAt: null, templateSentAt: null }, at('21T09:00'))).toEqual({
      isSessionOpen: false,
      sessionExpiresAt: null,
      isFreeformOpen: false,
      freeformExpiresAt: null,
    }));

  test.each([
    ['21T09:00', true],
    ['22T08:59', true],
    ['22T09:00', false],
  ])("at %s after the contact's message are open: %s", (now, isOpen) =>
    expect(windowsAt(received, at(now))).toMatchObject({ isSessionOpen: isOpen, isFreeformOpen: isOpen }),
  );

  test('open for text, and not for call permission, by our template', () =>
    expect(windowsAt(templated, at('21T11:00'))).toMatchObject({
      isSessionOpen: false,
      isFreeformOpen: true,
    }));

  test('stay open for text until the later of both has expired', () =>
    expect(windowsAt({ ...received, templateSentAt: templated.templateSentAt }, at('22T09:30'))).toEqual({
      isSessionOpen: false,
      sessionExpiresAt: at('22T09:00'),
      isFreeformOpen: true,
      freeformExpiresAt: at('22T10:00'),
    }));
});
