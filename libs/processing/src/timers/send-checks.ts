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

/**
 * How long a provider may still tell what became of a send: a day. It tells within minutes, and repeats for as long
 * as nobody listens (ADR 17).
 */
export const silenceMs = 24 * 60 * 60 * 1_000;

/**
 * A send as its check timer knows it before it is on record: its id, its hold (null: free) and its command (null:
 * none that could be repeated).
 */
export type Checked<Category extends string> = Numbered<Category> & {
  readonly hold_id: string | null;
  readonly command_id: string | null;
};
type Numbered<Category extends string> = Readonly<Record<`${Category}_id`, number>>;

/**
 * Claim and check timer of a send that is paid for and handed over once; its stream is `<category>-<id>`. The claim makes a
 * repeated request find the first send; the timer settles it if its process dies. A later timer replaces the one before.
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

  /** The check that the sending process keeps postponing while it lives. */
  const checkUnlessRenewed = (checked: Checked<Category>): TimerRequest => checkAfter(leaseMs, checked);

  /** Released only when it certainly was not sent. */
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

    /** Id of the send that the request has caused; `null` when there is none, or it certainly was not sent. */
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

    /** Postpones the check while `isAtWork`. */
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

/** Id of the send that the request has caused before; `null` when this one is prepared. */
export function earlierSend(prepared: ExecuteResult): number | null {
  if (prepared.kind === 'done') return null;
  const { code, details: { owner } = {} } = prepared.rejection;
  if (typeof owner !== 'string') throw new Error(`It was not prepared: ${code}`);
  return sendOfOwner(owner);
}

/** Its id, by the owner of its request's claim. */
const sendOfOwner = (owner: string): number => Number(owner.slice(owner.lastIndexOf('-') + 1));
