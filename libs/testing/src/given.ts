/** The state after `events`: the "given" of given, when, then. */
export const given = <State, Event>(
  fold: { readonly initialState: State; readonly evolve: (state: State, event: Event) => State },
  ...events: readonly Event[]
): State => events.reduce(fold.evolve, fold.initialState);
