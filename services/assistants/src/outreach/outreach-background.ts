import { campaignChannels } from '@parley/contracts';
import { Aggregates, createClock } from '@parley/event-store';
import { createAsk, inBackground } from '@parley/message-bus';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { endImportedAttempts, importedAttemptKind, importedAttempts } from './attempt/imported-attempts.ts';
import { lateAnswerKind } from './attempt/late-answer-timer.ts';
import { askForLateAnswer } from './attempt/late-answers.ts';
import { reachOut } from './attempt/reach-out.ts';
import { followCalls } from './outcomes/follow-calls.ts';
import { followMessages } from './outcomes/follow-messages.ts';
import { followSms } from './outcomes/follow-sms.ts';
import { goOnWhenToppedUp } from './pacing/go-on-when-topped-up.ts';
import { paceCampaigns } from './pacing/pace-campaigns.ts';
import { paceTimerKind, paceTimers } from './pacing/pace-timer.ts';
import { wakeCampaigns } from './pacing/wake-campaigns.ts';

/** The background work of running campaigns. Each channel waits for its own service, so that none holds up another. */
export function outreachBackground({
  bus,
  eventsOf,
  logger,
  sql,
  store,
}: BackgroundParts): Required<Pick<Background, 'reactors' | 'timers' | 'standingTimers'>> {
  const aggregates = new Aggregates(store);
  const clock = createClock(sql);
  const ask = createAsk(bus, inBackground);
  return {
    reactors: [
      wakeCampaigns(aggregates),
      ...campaignChannels.map((channel) => reachOut(channel, { aggregates, ask, clock, logger })),
      followCalls({ aggregates, clock, source: eventsOf('telephony') }),
      followMessages({ aggregates, clock, source: eventsOf('messaging'), sql }),
      goOnWhenToppedUp({ aggregates, clock, sql, source: eventsOf('accounts') }),
      followSms({ aggregates, clock, source: eventsOf('telephony') }),
    ],
    timers: {
      [paceTimerKind]: paceCampaigns(aggregates, sql),
      [lateAnswerKind]: askForLateAnswer(aggregates, bus, clock),
      [importedAttemptKind]: endImportedAttempts(aggregates, clock),
    },
    standingTimers: [paceTimers(aggregates), importedAttempts],
  };
}
