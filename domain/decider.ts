/** Pure rules of one aggregate: what a command makes happen, and what an event makes of the state. */
export type Decider<State, Command, Event> = {
  readonly initialState: () => State;
  /** Returns what happened. An empty list means that the command changes nothing. Throws DomainError when refused. */
  readonly decide: (command: Command, state: State) => Event[];
  readonly evolve: (state: State, event: Event) => State;
};

export const fold = <State, Event>(
  decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>,
  events: readonly Event[],
): State => events.reduce(decider.evolve, decider.initialState());
