import twilio from 'twilio';
import type { ProviderFailure, ProviderResult } from '../provider-result.ts';
import { failureOf } from '../sdk-failure.ts';

export interface TwilioOptions {
  readonly baseUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** Where calls of the numbers that are bought go. */
  readonly trunkSid?: string | undefined;
  /** Of one request; 3,000 when absent. */
  readonly timeoutMs?: number;
}

/** The official SDK, pointed at `baseUrl`. */
export function createTwilioClient({ baseUrl, accountSid, authToken, timeoutMs = 3_000 }: TwilioOptions) {
  const client = twilio(accountSid, authToken, { timeout: timeoutMs });
  client.api.baseUrl = baseUrl;
  return client;
}

export type TwilioClient = ReturnType<typeof createTwilioClient>;

/** What the SDK resolved with, or its exception as a value. */
export async function asked<T>(work: () => Promise<ProviderResult<T>>): Promise<ProviderResult<T>> {
  try {
    return await work();
  } catch (error) {
    return twilioFailure(error);
  }
}

/** The queue of a sending number is full, which passes: nothing was taken. */
const queueFull = '21611';

function twilioFailure(error: unknown): ProviderFailure {
  const { status, code, message } = Object(error);
  if (String(code) === queueFull) return { kind: 'unavailable', message: String(message) };
  return failureOf({
    status: typeof status === 'number' ? status : null,
    code: code === undefined || code === null ? null : String(code),
    message: typeof message === 'string' ? message : 'Twilio failed.',
  });
}

/** The answer made no sense, as from a proxy: what was asked may have been done. */
export const garbled: ProviderFailure = { kind: 'unknown', message: 'Twilio’s answer could not be read.' };
