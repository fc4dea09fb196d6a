import {
  type ClaimChange,
  type ClaimTaken,
  type Decision,
  type ExecuteResult,
  findClaimOwner,
  type SqlExecutor,
  type TimerRequest,
} from '@parley/event-store';
import { leaseMs } from './lease.ts';

/** Providers tell within minutes, and again for as long as nobody listens: after this they will not tell any more (ADR 17). */
export const silenceMs = 24 * 60 * 60 * 1_000;

/** What is known of something that is sent, its `<category>_id` first, before anything else is. */
export type Checked<Category extends string> = Numbered<Category> & {
  readonly hold_id: string | null;
  readonly command_id: string | null;
};
type Numbered<Category extends string> = Readonly<Record<`${Category}_id`, number>>;

/**
 * For what is paid and handed over once, whoever dies meanwhile; its stream is `<category>-<id>`. One for each request: a
 * request that comes twice finds the one that it has caused already. And a timer for a second look at it, in case nobody
 * is left who knows of it; a later one replaces it.
 */
export function sendChecks<Category extends string>(category: Category) {
  const kind = `${category}-check`;
  const requestScope = `${category}-of-request`;
  const idOf = (checked: Numbered<Category>): number => checked[`${category}_id`];
  const checkId = (id: number): string => `${kind}-${id}`;

  const checkAfter = (afterMs: number, checked: Checked<Category>): TimerRequest => ({
    id: checkId(idOf(checked)),
    kind,
    due: { afterMs },
    payload: {
      [`${category}_id`]: idOf(checked),
      hold_id: checked.hold_id,
      command_id: checked.command_id,
      ends_silence: afterMs === silenceMs,
    },
  });

  /** Somebody prepares it, hands it over or pays for it, or has died meanwhile. */
  const checkUnlessRenewed = (checked: Checked<Category>): TimerRequest => checkAfter(leaseMs, checked);

  /** Given back only when it certainly was not sent. */
  const requestClaim = (op: ClaimChange['op'], checked: Checked<Category>): readonly ClaimChange[] =>
    checked.command_id === null
      ? []
      : [
          {
            op,
            scope: requestScope,
            key: checked.command_id,
            owner: `${category}-${idOf(checked)}`,
          },
        ];

  return {
    kind,
    checkId,
    checkAfter,
    checkUnlessRenewed,
    requestClaim,

    /** What a request has caused, unless that certainly was not sent; `null` when there is none. */
    async ofRequest(sql: SqlExecutor, commandId: string): Promise<number | null> {
      const owner = await findClaimOwner(sql, requestScope, commandId);
      return owner === undefined ? null : sendOfOwner(owner);
    },

    /** Sets the check that cleans up, and ties the request to it; `earlierSend` reads the refusal. */
    prepare: (checked: Checked<Category>): Decision<never> => ({
      events: [],
      claims: requestClaim('take', checked),
      timers: [checkUnlessRenewed(checked)],
      onClaimTaken: ({ owner }: ClaimTaken) => ({ code: 'contended', details: { owner } }),
      reply: '{}',
    }),

    /** Whoever lives keeps the check away until it is known what became of it. */
    renew: (isAtWork: boolean, checked: Checked<Category>): Decision<never> => ({
      events: [],
      timers: isAtWork ? [checkUnlessRenewed(checked)] : [],
      reply: '{}',
    }),

    /** Takes the preparation back: nothing was handed over, and the request may be made again. */
    abandon: (checked: Checked<Category>): Decision<never> => ({
      events: [],
      claims: requestClaim('release', checked),
      cancelTimers: [checkId(idOf(checked))],
      reply: '{}',
    }),
  };
}

/** Which one the request is tied to already; `null` when it was prepared. */
export function earlierSend(prepared: ExecuteResult): number | null {
  if (prepared.kind === 'done') return null;
  const { code, details: { owner } = {} } = prepared.rejection;
  if (typeof owner !== 'string') throw new Error(`It was not prepared: ${code}`);
  return sendOfOwner(owner);
}

/** Its id, by the owner of its request's claim. */
const sendOfOwner = (owner: string): number => Number(owner.slice(owner.lastIndexOf('-') + 1));
