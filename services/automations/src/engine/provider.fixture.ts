import type { World } from './world.fixture.ts';

/** What a provider answers that is away. */
export const busy = {
  ok: false,
  code: 'SERVICE_UNAVAILABLE',
  class: 'wiring_error',
  message: 'Away.',
  transient: true,
  definite: true,
} as const;

/** What the provider is asked is answered only when it is let go, once for each call. */
export function holdUp(world: World): { letGo(): Promise<void> } {
  let open: () => void;
  const close = () => {
    world.gate = new Promise((resolve) => {
      open = resolve;
    });
  };
  close();
  return {
    async letGo() {
      const opens = open;
      close();
      opens();
      await world.drain();
    },
  };
}
