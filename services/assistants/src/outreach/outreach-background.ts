import { campaignChannels } from '@parley/contracts';
import { Aggregates, createClock } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { followCalls } from './follow-calls.ts';
import { followMessages } from './follow-messages.ts';
import { followSms } from './follow-sms.ts';
import { endImportedAttempts, importedAttemptKind, importedAttempts } from './imported-attempts.ts';
import { lateAnswerKind } from './late-answer-timer.ts';
import { askForLateAnswer } from './late-answers.ts';
import { paceCampaigns } from './pace-campaigns.ts';
import { paceTimerKind, paceTimers } from './pace-timer.ts';
import { reachOut } from './reach-out.ts';
import { wakeCampaigns } from './wake-campaigns.ts';

/** What running campaigns do. Each channel waits for its own service, so that none holds up another. */
export function outreachBackground({
  bus,
  eventsOf,
  logger,
  sql,
  store,
}: BackgroundParts): Required<Pick<Background, 'reactors' | 'timers' | 'standingTimers'>> {
  const aggregates = new Aggregates(store);
  const clock = createClock(sql);
  return {
    reactors: [
      wakeCampaigns(aggregates),
      ...campaignChannels.map((channel) => reachOut(channel, { aggregates, bus, clock, logger })),
      followCalls({ aggregates, clock, source: eventsOf('telephony') }),
      followMessages({ aggregates, clock, source: eventsOf('messaging'), sql }),
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
