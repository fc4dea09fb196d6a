import { randomUUID } from 'node:crypto';
import {
  type createSipTrunk as creation,
  invalidField,
  type OperationInput,
  type Rejection,
  reject,
  type updateSipTrunk as update,
} from '@parley/contracts';
import type { Clock, ExecuteResult } from '@parley/event-store';
import { Secret } from '@parley/process-kit';
import type { ProviderFailure } from '@parley/providers';
import { atExpectedVersion, type Cause } from '@parley/service-kit';
import { createSipTrunk, deleteSipTrunk, updateSipTrunk } from './decisions.ts';
import { changedSettings, newSettings } from './settings.ts';
import { type SipTrunk, sipTrunk, sipTrunkStream } from './sip-trunk.ts';
import { type CheckedTrunk, trunkCheck } from './trunk-check.ts';
import { TrunkTurns, type TurnParts } from './trunk-turns.ts';

interface SipTrunkParts extends TurnParts {
  readonly clock: Clock;
}

/** A request about one trunk. */
interface Request<Input> {
  readonly id: number;
  readonly accountId: number;
  readonly input: Input;
  readonly cause: Cause;
}

interface ChangeRequest extends Request<Omit<OperationInput<typeof update>, 'id'>> {
  readonly expectedVersion: number | null;
}

/**
 * Creates, changes and deletes SIP trunks: a change goes to the voice platform first and is recorded then, so that
 * nothing is saved that the platform refuses. A check that is set before tidies up if the process dies in between.
 */
export class SipTrunks {
  readonly #parts: SipTrunkParts;
  readonly #turns: TrunkTurns;

  constructor(parts: SipTrunkParts) {
    this.#parts = parts;
    this.#turns = new TrunkTurns(parts);
  }

  /** Creates a trunk under a fresh `id`. */
  async create({
    id,
    accountId,
    input,
    cause,
  }: Request<OperationInput<typeof creation>>): Promise<ExecuteResult> {
    const { clock, passwords, platform } = this.#parts;
    const answered = await this.#answerOf(cause);
    if (answered) return answered;
    const settings = newSettings(input);
    if ('code' in settings) return rejected(settings);
    // Of a repeated request several trunks may be made, of which one stays: so a repetition need not wait for a process
    // that has died.
    const trunk = checkedTrunk(id, accountId, settings.phone_number, null);
    return this.#turns.take(trunk, cause.metadata, async () => {
      const now = await clock.now();
      await passwords.save(id, input.sip_password, { at: now.toISOString() });
      const made = await platform.create({ id, settings, password: new Secret(input.sip_password) });
      if (made.kind !== 'ok') return this.#turns.giveUp(trunk, cause, refusalOf(made));
      const ids = made.value;
      return this.#turns.conclude(trunk, ids, cause, (state) =>
        createSipTrunk(state, { accountId, id, now, settings, ids }),
      );
    });
  }

  async update(request: ChangeRequest): Promise<ExecuteResult> {
    const { id, accountId, input, cause } = request;
    const answered = await this.#answerOf(cause);
    if (answered) return answered;
    const before = await this.#load(id, accountId);
    const wanted = before.state && changedSettings(before.state, input);
    if (!wanted) return rejected(reject('not_found'));
    if ('code' in wanted) return rejected(wanted);
    const trunk = checkedTrunk(id, accountId, wanted.phone_number, cause.command);
    return this.#turns.take(trunk, cause.metadata, () => this.#change(trunk, request));
  }

  /** Makes the change, once it is its turn. */
  async #change(
    trunk: CheckedTrunk,
    { id, accountId, input, cause, expectedVersion }: ChangeRequest,
  ): Promise<ExecuteResult> {
    const { clock, passwords, platform } = this.#parts;
    const refuse = (rejection: Rejection) => this.#turns.leave(trunk, cause.metadata, rejected(rejection));
    const { state, version } = await this.#load(id, accountId);
    if (expectedVersion !== null && expectedVersion !== version) return refuse(reject('version_mismatch'));
    const settings = state && changedSettings(state, input);
    if (!settings) return refuse(reject('not_found'));
    if ('code' in settings) return refuse(settings);
    const given = input.sip_password;
    const password = given === undefined ? await passwords.find(id, state.password_at) : new Secret(given);
    if (!password) return refuse(passwordUnknown());
    const replaced = await platform.replace(state, { id, settings, password }, state.phone_number);
    if (replaced.kind !== 'ok') return this.#turns.giveUp(trunk, cause, refusalOf(replaced));
    const ids = replaced.value;
    const now = await clock.now();
    if (given !== undefined)
      await passwords.save(id, given, { at: now.toISOString(), replacing: state.password_at });
    const wanted = { accountId, now, change: input, isNewPassword: given !== undefined, ids };
    return this.#turns.conclude(trunk, ids, cause, (present) => updateSipTrunk(present, wanted));
  }

  /** Deletes a trunk: recorded first, then removed from the platform by its check, as soon as that works. */
  async remove({
    id,
    accountId,
    cause,
    expectedVersion,
  }: Omit<ChangeRequest, 'input'>): Promise<ExecuteResult> {
    const { correlationId } = cause.metadata;
    return this.#turns.append(
      { id, accountId },
      cause,
      atExpectedVersion({ expectedVersion }, (state: SipTrunk) => {
        const outcome = deleteSipTrunk(state, accountId);
        if ('code' in outcome || !state) return outcome;
        const gone = checkedTrunk(id, accountId, state.phone_number, null);
        return { ...outcome, timers: [trunkCheck(gone, correlationId, 0)] };
      }),
    );
  }

  async #load(id: number, accountId: number) {
    const loaded = await this.#parts.aggregates.load(sipTrunkStream(id), sipTrunk);
    return { ...loaded, state: loaded.accountId === accountId ? loaded.state : null };
  }

  #answerOf({ command }: Cause) {
    return command && this.#parts.aggregates.answerOf(command);
  }
}

const checkedTrunk = (
  id: number,
  accountId: number,
  number: string,
  command: Cause['command'],
): CheckedTrunk => ({
  id,
  accountId,
  number,
  turn: randomUUID(),
  commandId: command?.commandId ?? null,
});

/** Rejection for a trunk whose password is not here: it was imported, or the key is lost that sealed it (ADR 11). */
const passwordUnknown = (): Rejection =>
  invalidField('sip_password', 'The sip password is not known here. Please enter it again.');

const rejected = (rejection: Rejection): ExecuteResult => ({ kind: 'rejected', rejection });

const refusalOf = ({ kind }: ProviderFailure): Rejection =>
  kind === 'rejected' ? reject('voice_platform_refused') : reject('unavailable', { retryAfterSeconds: 5 });
