/** The state after `events`: the "given" of given, when, then. */
export const given = <State, Event>(
  fold: { readonly initialState: State; readonly evolve: (state: State, event: Event) => State },
  ...events: readonly Event[]
): State => events.reduce(fold.evolve, fold.initialState);

/** The state after `events`, and what a release that does not know the next one makes of it. */
export function givenAndUnknown<State, Event>(
  fold: { readonly initialState: State; readonly evolve: (state: State, event: Event) => State },
  ...events: readonly Event[]
): { readonly state: State; readonly after: State } {
  const state = given(fold, ...events);
  // The log gives back whatever was appended, also by a later release.
  const unknown = { type: 'WrittenByALaterRelease', data: {} } as Event;
  return { state, after: fold.evolve(state, unknown) };
}
