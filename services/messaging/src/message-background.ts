import { Aggregates, type EventStore, type SqlExecutor } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import type { ChatPlatform } from '@parley/providers';
import { AccountBalance, type Background } from '@parley/service-kit';
import { AiReplies } from './ai-reply/ai-replies.ts';
import { createLanguageModel } from './ai-reply/language-model.ts';
import { Questions } from './ai-reply/questions.ts';
import { replyKind } from './ai-reply/reply-timer.ts';
import { tryReplyAgain } from './ai-reply/try-reply-again.ts';
import type { MessagingConfig } from './config.ts';
import { Conversations } from './conversation/conversations.ts';
import { MessageLog } from './message/message-log.ts';
import { checkMessage } from './message/outgoing/check-message.ts';
import { Handover } from './message/outgoing/handover.ts';
import { messageChecks } from './message/outgoing/message-check.ts';
import { Outbox } from './message/outgoing/outbox.ts';
import { Recipients } from './recipients/recipients.ts';
import { Directory } from './views/directory.ts';

interface Parts {
  readonly bus: BusClient;
  readonly closing: AbortSignal;
  readonly config: MessagingConfig;
  readonly logger: Logger;
  readonly platform: ChatPlatform;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/**
 * Timer handlers of messages: the check of a send whose process may have died, and the next attempt of an AI reply; and
 * the replies themselves, which requests begin: so that both share their places at the language model.
 */
export function messageBackground(parts: Parts): Pick<Required<Background>, 'close' | 'provided' | 'timers'> {
  const { bus, closing, config, logger, platform, sql, store } = parts;
  const aggregates = new Aggregates(store);
  const log = new MessageLog(aggregates);
  const balance = new AccountBalance(bus, 'messaging');
  const conversations = new Conversations(aggregates, sql);
  const handover = new Handover(log, balance, conversations, platform, closing);
  const recipients = new Recipients(store, sql);
  const outbox = new Outbox(log, sql, balance, conversations, recipients, handover, closing);
  const model = createLanguageModel({
    baseUrl: config.LLM_BASE_URL ?? `${config.SANDBOX_URL}/v1`,
    apiKey: config.LLM_API_KEY,
    model: config.LLM_MODEL,
    timeoutMs: config.LLM_TIMEOUT_MS,
  });
  const directory = new Directory(sql);
  const questions = new Questions(store, conversations, log, sql);
  const replies = new AiReplies({ questions, directory, log, outbox, balance, model, bus, config, logger });
  return {
    close: () => replies.close(),
    provided: [{ provide: AiReplies, useValue: replies }],
    timers: {
      [messageChecks.kind]: checkMessage({ log, balance, conversations, recipients }),
      [replyKind]: tryReplyAgain(replies, questions),
    },
  };
}
