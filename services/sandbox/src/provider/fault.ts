/** How the next calls of a provider fail. */
export const faultModes = ['reject', 'error', 'timeout', 'reset', 'garbage'] as const;
export type FaultMode = (typeof faultModes)[number];

export interface Fault {
  readonly mode: FaultMode;
  /** True when the provider carries the request out and only the answer is lost, so that the caller cannot know. */
  readonly takesEffect: boolean;
}

export interface FaultPlan {
  readonly runsHandler: boolean;
  readonly answer: 'handler' | 'rejection' | 'breakdown' | 'garbage' | 'silence' | 'reset';
}

/**
 * What to do with a request that this fault hits. A `reject` never takes effect, whatever `takesEffect` says: the
 * provider refused.
 */
export function planOf(fault: Fault | null): FaultPlan {
  if (!fault) return { runsHandler: true, answer: 'handler' };
  const runsHandler = fault.takesEffect && fault.mode !== 'reject';
  switch (fault.mode) {
    case 'reject':
      return { runsHandler, answer: 'rejection' };
    case 'error':
      return { runsHandler, answer: 'breakdown' };
    case 'timeout':
      return { runsHandler, answer: 'silence' };
    case 'reset':
      return { runsHandler, answer: 'reset' };
    case 'garbage':
      return { runsHandler, answer: 'garbage' };
    default:
      return fault.mode satisfies never;
  }
}
