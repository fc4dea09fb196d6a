import type { MessageEvent, Rejection } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Message } from '../message.ts';
import { dropMessage } from './drop-message.ts';
import type { Checked } from './message-check.ts';
import { recordRefused } from './record-outcome.ts';

/**
 * Gives up a send that was not handed over, where the process cannot tell how much of it is on record. The request may
 * be made again.
 */
export const takeBack = (state: Message, checked: Checked): Decision<MessageEvent> | Rejection =>
  state === null
    ? dropMessage(checked)
    : recordRefused(state, { code: null, reason: 'It was not handed over.' });
